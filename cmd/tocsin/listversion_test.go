package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// sdn is OFAC's list of so many days ago, as it is extracted, with so many addresses, one of them of another chain.
func sdn(days, addresses int) string {
	at := time.Now().UTC().AddDate(0, 0, -days)
	var all []string
	for i := range addresses - 1 {
		all = append(all, fmt.Sprintf(`"0x%040x": {"type": "Digital Currency Address - ETH",
			"entries": [{"entity": "A PARTY", "program": "TEST"}]}`, i+1))
	}
	all = append(all, `"zs1example": {"type": "Digital Currency Address - XLM", "entries": []}`)
	return fmt.Sprintf(`{"metadata": {"sdnListDate": "%s"}, "addresses": {%s}}`, at.Format("01/02/2006"),
		strings.Join(all, ","))
}

func TestWhichVersionOfAListIsOnRecord(t *testing.T) {
	u := newMachine(t).upstream(map[string]string{"sanctioned-addresses.json": sdn(2, 4)})
	u.afterFirstStart()
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly) }
	warns := func(of string) {
		t.Helper()
		complaint := u.run("screen", example).err
		u.want("the warning about "+of, strings.Contains(complaint, "Warning: the sanctions on record are of "+of+
			", so newer ones will not be found: run `tocsin import ofac`\n"), true)
	}
	warns("2026-08-20")
	u.want("the same of a table", strings.Contains(u.run("screen", "-csv", example).err, "Warning: the sanctions on "+
		"record are of 2026-08-20, so newer ones will not be found: run `tocsin import ofac`\n"), true)
	u.must("import", "-force", "ofac")
	u.want("a warning about a fresh list", strings.Contains(u.run("screen", example).err, "Warning"), false)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(sdn(2, 4))))
	u.want("its hash in the log", strings.Contains(u.must("log", "-subject", "ofac", "-json"), "; SHA-256 "+sum+
		" sanctioned-addresses.json\""), true)
	table := u.must("screen", "-csv", "-versions", "used.json", example)
	var used usedLists
	text, err := os.ReadFile(filepath.Join(u.dir, "used.json"))
	tocsintest.Must(t, errors.Join(err, json.Unmarshal(text, &used)))
	u.want("named as in a case file", bytes.Contains(text, []byte(`"listsRead": [`)), true)
	i := slices.IndexFunc(used.Lists, func(l store.UsedList) bool { return l.Name == "ofac" })
	u.want("the lists that were used",
		[]any{used.Output, used.Lists[i].Files, used.Lists[i].Date.Std().Format(time.DateOnly)},
		[]any{fmt.Sprintf("%x", sha256.Sum256([]byte(table))),
			[]tocsin.ListFile{{Name: "sanctioned-addresses.json", SHA256: sum}}, day(2)})

	u.Set("sanctioned-addresses.json", sdn(3, 3), nil)
	u.fails(exitFailure, "the list is older than the one on record: it is of "+day(3)+", and that on record "+
		"is of "+day(2)+"; nothing was changed; import it with -older if it is right", "import", "ofac")
	u.fails(exitFailure, "older", "import", "-every", "1ns", "ofac")
	u.Set("sanctioned-addresses.json", sdn(30, 3), nil)
	u.want("an older one", strings.Contains(u.must("import", "-older", "ofac"),
		"withdrawn 1, refused 1\n  the list of "+day(30)+", 2 of 3 entries\n"+
			"  refused 1: of a chain that Tocsin does not know\n"), true)
	warns(day(30)) // though it was read just now
	u.want("what to do", strings.HasPrefix(u.run("list", "status").err, "Out of date: ofac. Read a list again "+
		"with \"tocsin import ofac\""), true)
	u.Set("sanctioned-addresses.json", strings.Replace(sdn(1, 3), "sdnListDate", "note", 1), nil)
	u.fails(exitFailure, "the list has no date, and the one on record is of "+day(30)+": it may be older", "import",
		"ofac")
	s := u.serve()
	_, page := s.page("/status")
	for _, says := range []string{"Rows that were not taken: 1 of 3 (of a chain that Tocsin does not know: 1).",
		"Compare with these by hand: zs1example (XLM).", "it had no date and may be older than the one on record"} {
		if !strings.Contains(page, says) {
			t.Errorf("%q is not in %s", says, page)
		}
	}
	u.must("import", "-older", "ofac")
	u.want("a warning about sanctions without a date", strings.Contains(u.run("screen", example).err,
		", have no date of their own, so newer ones may not be found: run `tocsin import ofac`\n"), true)
}
