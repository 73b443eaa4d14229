package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
	"tocsin/internal/sheet"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestTheModelInTheFileIsTakenIntoUseOnce, and why another one is not is said until one is.
func TestTheModelInTheFileIsTakenIntoUseOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m")
	file := &modelFile{path: path, detector: lookalike.NewDetector(tocsintest.Brands(), nil)}
	inUse := func() string {
		if m := file.detector.Model(); m != nil {
			return m.Version
		}
		return "none"
	}
	write := func(version string) {
		t.Helper()
		_, err := replaceFile(path, tocsintest.NameModel(t, version), 0o644)
		tocsintest.Must(t, err)
	}
	good := func() []byte {
		text, err := os.ReadFile(path)
		tocsintest.Must(t, err)
		return text
	}
	for _, step := range []struct {
		about string
		do    func()
		want  string // whether it has looked into the file, the model in use, and why no other
	}{
		{"no file", func() {}, "false none "},
		{"a model", func() { write("one") }, "true one "},
		{"the same", func() {}, "false one "},
		{"a damaged one", func() { tocsintest.Must(t, os.WriteFile(path, []byte("damaged"), 0o600)) }, "true one damaged"},
		{"the same", func() {}, "false one damaged"},
		{"none", func() { tocsintest.Must(t, os.Remove(path)) }, "false one damaged"},
		{"what cannot be read", func() { tocsintest.Must(t, os.Mkdir(path, 0o700)) }, "true one unreadable"},
		{"another model", func() { tocsintest.Must(t, os.Remove(path)); write("another") }, "true another "},
	} {
		step.do()
		read, _ := file.follow()
		tocsintest.Want(t, step.about, fmt.Sprint(read, " ", inUse(), " ", file.refused()), step.want)
	}
	is, err := os.Stat(path)
	tocsintest.Must(t, err)
	tocsintest.Want(t, "whoever serves can read it", is.Mode().Perm(), os.FileMode(0o644))
	left, err := filepath.Glob(path + "*")
	tocsintest.Want(t, "files that are left", []any{len(left), err, len(good()) > 0}, []any{1, nil, true})
	var log tocsintest.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	write("third")
	file.followLogged(logger)
	file.followLogged(logger)
	tocsintest.Must(t, os.WriteFile(path, []byte("damaged"), 0o600))
	file.followLogged(logger)
	for text, times := range map[string]int{`level=INFO msg="names are judged by a model" model=third`: 1,
		"level=WARN msg=\"the model of names is not taken into use; run tocsin train\" reason=damaged": 1} {
		tocsintest.Want(t, text, strings.Count(log.String(), text), times)
	}
}

func TestTheModelIsBesideTheDatabaseUnlessTheFlagSays(t *testing.T) {
	for want, f := range map[string]nameFlags{
		"a.db.model":   {commandLine: &commandLine{db: "a.db"}},
		"own":          {commandLine: &commandLine{db: "a.db"}, model: "own"},
		"tocsin.model": {commandLine: &commandLine{db: "postgres://u:secret@h/d"}},
	} {
		tocsintest.Want(t, f.db, f.modelFile(), want)
	}
}

// TestWhatIsLearntFromTheLists: which kinds and categories are fraud, which are of a class of innocent names, and which
// say nothing.
func TestWhatIsLearntFromTheLists(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.Open(t, &clock)
	for i, c := range []struct {
		kind     tocsin.ListingKind
		category string
	}{
		{tocsin.Risk, "phishing"}, {tocsin.Sanction, "sanction"}, {tocsin.Shared, "dynamic-dns"}, {tocsin.Shared, "hosting"},
		{tocsin.Safe, "cleared"}, {tocsin.Safe, "project"}, {tocsin.Safe, "bank"},
	} {
		tocsintest.List(t, db, fmt.Sprint("list", i), "f", c.kind, c.category, fmt.Sprintf("%s%d.com", c.category, i))
	}
	file := filepath.Join(t.TempDir(), "own.txt.gz")
	text, err := os.Create(file)
	tocsintest.Must(t, err)
	packed := gzip.NewWriter(text)
	io.WriteString(packed, "# ours\n\n  given.example  \nno domain\n not one\n")
	tocsintest.Must(t, packed.Close())
	tocsintest.Must(t, text.Close())
	var out, complaint tocsintest.Buffer
	examples, err := (&learnFlags{benign: file}).examples(t.Context(), env{stdout: &out, stderr: &complaint}, db)
	tocsintest.Must(t, err)
	got := map[string]string{}
	for _, e := range examples {
		got[e.Domain.String()] = fmt.Sprint(e.Fraud, " ", e.Class, " ", !e.Since.IsZero())
	}
	tocsintest.Want(t, "examples", fmt.Sprint(got), fmt.Sprint(map[string]string{
		"phishing0.com": "true  false", "dynamic-dns2.com": "false " + lookalike.ClassHost + " false",
		"cleared4.com": "false " + lookalike.ClassCleared + " false", "project5.com": "false " + lookalike.ClassCleared +
			" false", "bank6.com": "false bank false", "given.example": "false given false",
	}))
	tocsintest.Want(t, "the warning", []string{complaint.String(), out.String()},
		[]string{"Warning: -benign: 2 of 3 lines are no domain names, such as no domain\n", ""})
}

func TestUnderWhatACaseIsCounted(t *testing.T) {
	for _, c := range []struct {
		fraud         bool
		sources, want string
	}{
		{true, "scamsniffer other", "all fraudulent, crypto phishing, listed by scamsniffer, listed by other"},
		{true, "polkadot", "all fraudulent, crypto phishing, listed by polkadot"},
		{true, "spmedia", "all fraudulent, crypto phishing, listed by spmedia"},
		{true, "x", "all fraudulent, listed by x"},
		{false, "crypto-token-list", "crypto token sites"}, {false, "token-site", "crypto token sites"},
		{false, "epd-dapps", "dapps"}, {false, "x402-ecosystem", "dapps"}, {false, "mew-lightlist", "dapps"},
		{false, "epd-allowlist", "innocent look-alikes"}, {false, "cleared", "innocent look-alikes"},
		{false, "tranco-10k", "popular sites"}, {false, "other majestic", "popular sites"},
		{false, "cisco", "popular sites"},
		{false, "cloudflare-top", "popular sites"}, {false, "moz", "popular sites"}, {false, "umbrella", "popular sites"},
		{false, "misp-university", "universities"}, {false, "misp-bank", "banks"}, {false, "tenant", "tenants"},
		{false, "doc-link-shared-hosting", "tenants"}, {false, "shared", "shared hosts"},
		{false, "phantom-whitelist", "shared hosts"}, {false, "new other", "innocent: new"},
	} {
		tocsintest.Want(t, c.sources, strings.Join(groups(c.fraud, strings.Fields(c.sources)), ", "), c.want)
	}
	tocsintest.Want(t, "shares", []string{share(1, 2), share(0, 0)}, []string{"50.00 [9.45–90.55]", "0.00 [0.00–100.00]"})
}

func TestWhatAFileSaysOfADomainIsReadByItsColumns(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	columns := signalColumns{map[string]int{"resolves": 0, "registered": 1, "firstCertificate": 2, "asOf": 3}, now}
	for row, want := range map[string]string{
		"false,2026-01-02,2026-01-03,2026-01-04": "2026-01-04 false 2026-01-02 2026-01-03",
		"true,,2026-01-03T10:00:00Z":             "2026-05-01 true - 2026-01-03", ",,,": "2026-05-01 - - -",
	} {
		var c lookalike.Case
		tocsintest.Must(t, columns.read(strings.Split(row, ","), &c))
		got := c.At.Format(time.DateOnly) + " "
		if got += "-"; c.Signals.Resolves != nil {
			got = got[:len(got)-1] + fmt.Sprint(*c.Signals.Resolves)
		}
		for _, at := range []*tocsin.Time{c.Signals.RegisteredAt, c.Signals.FirstCertificateAt} {
			if got += " -"; at != nil {
				got = got[:len(got)-1] + at.String()[:10]
			}
		}
		tocsintest.Want(t, row, got, want)
	}
	var c lookalike.Case
	tocsintest.Must(t, signalColumns{now: now}.read([]string{"x"}, &c))
	tocsintest.Want(t, "without columns", []any{c.Signals == nil, c.At.IsZero()}, []any{true, true})
}

// TestTenSanctionedAccountsThatAreNotScreenedAreNamed, and all are counted.
func TestTenSanctionedAccountsThatAreNotScreenedAreNamed(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.Open(t, &clock)
	tocsintest.List(t, db, "ofac", "ofac", tocsin.Sanction, "sanction", address(1))
	tocsintest.List(t, db, "spmedia", "f", tocsin.Risk, "phishing", address(2))
	named := func(n int) sheet.Left {
		subject, fault := tocsin.ParseSubject(address(n))
		if fault != nil {
			t.Fatal(fault)
		}
		return sheet.Left{Number: 7, Column: 1, Subject: subject}
	}
	for _, c := range []struct {
		sanctioned int
		table      sheet.Layout
		says       []string
	}{
		{0, sheet.Layout{}, nil},
		{0, sheet.Layout{Beside: 1}, []string{"Warning: 1 account in the same lines was not screened: put each on a line " +
			"of its own\n"}},
		{1, sheet.Layout{Beside: 2, Names: []string{"a", "b"}, Columns: []sheet.Column{{Name: "a", Read: true},
			{Name: "b", Beside: 2}}}, []string{"Warning: 2 accounts in the same lines were not screened, by column b (2): " +
			"choose the columns with -columns \"a,b\"\nWarning: of the accounts that were not screened, 1 sanctioned: ",
			" in line 7, column b\n"}},
		{10, sheet.Layout{Beside: 10}, []string{"10 sanctioned: ", " in line 7\n"}},
		{11, sheet.Layout{Beside: 11}, []string{"11 sanctioned: ", " in line 7; …\n"}},
	} {
		var left leftAccounts
		left.add(t.Context(), db, named(2))
		for range c.sanctioned {
			left.add(t.Context(), db, named(1))
		}
		var out strings.Builder
		tocsintest.Must(t, left.print(&out, c.table))
		for _, says := range c.says {
			if !strings.Contains(out.String(), says) {
				t.Errorf("%d: %q is not in %s", c.sanctioned, says, &out)
			}
		}
		tocsintest.Want(t, fmt.Sprint(c.sanctioned, " sanctioned"), []any{strings.Count(out.String(), " in line "),
			out.Len() > 0}, []any{min(c.sanctioned, 10), c.says != nil})
	}
	var nobody *leftAccounts
	tocsintest.Must(t, nobody.print(io.Discard, sheet.Layout{Beside: 1}))
	tocsintest.Must(t, db.Close())
	var left leftAccounts
	left.add(t.Context(), db, named(3))
	tocsintest.Want(t, "a database that fails", left.print(io.Discard, sheet.Layout{Beside: 1}) != nil, true)
}

// TestAListThatWasImportedMeanwhileIsSaid: the file has the versions from before.
func TestAListThatWasImportedMeanwhileIsSaid(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.Open(t, &clock)
	tocsintest.List(t, db, "spmedia", "f", tocsin.Risk, "phishing", "one-tocsin.com")
	for _, imported := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "used.json")
		var out, complaint tocsintest.Buffer
		e := env{stdout: &out, stderr: &complaint}
		used, err := (&screenFlags{versions: file}).record(t.Context(), db, &e)
		tocsintest.Must(t, err)
		io.WriteString(e.stdout, "printed")
		if clock.Sleep(time.Hour); imported {
			tocsintest.List(t, db, "spmedia", "f", tocsin.Risk, "phishing", "one-tocsin.com")
		}
		tocsintest.Must(t, used.write(t.Context(), db, e, &tables{}))
		says := ""
		if imported {
			says = "Warning: a list was imported meanwhile: " + file + " has the versions from before\n"
		}
		text, err := os.ReadFile(file)
		tocsintest.Must(t, err)
		tocsintest.Want(t, fmt.Sprint("imported: ", imported), []any{complaint.String(), out.String(),
			strings.Contains(string(text), `"program": "tocsin `+version+`"`), strings.HasSuffix(string(text), "}\n")},
			[]any{says, "printed", true, true})
	}
	none, err := (&screenFlags{}).record(t.Context(), db, &env{})
	tocsintest.Want(t, "without the flag", []any{none == nil, err, none.write(t.Context(), db, env{}, nil)},
		[]any{true, nil, nil})
}

// TestScreensWarnOfSanctionsThatMayBeOld, unless they are of today.
func TestScreensWarnOfSanctionsThatMayBeOld(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.Open(t, &clock)
	warns := func(about, want string) {
		t.Helper()
		text, err := sanctionsWarning(t.Context(), db)
		tocsintest.Want(t, about, []any{text, err}, []any{want, nil})
	}
	imports := func(date *tocsin.Time) {
		t.Helper()
		im, err := db.Import(t.Context(), tocsin.List{Name: "ofac", Family: "ofac", URL: "https://ofac.example/"})
		tocsintest.Must(t, err)
		defer im.Close()
		im.Version(tocsin.ListVersion{Date: date})
		im.AllowOlder()
		_, err = im.Finish(t.Context(), true, nil)
		tocsintest.Must(t, err)
	}
	warns("without any", "no sanctions are on record, so none will be found: run `tocsin import ofac`")
	imports(nil)
	warns("without a date", "the sanctions on record, read on 2026-03-04, have no date of their own, so newer ones may "+
		"not be found: run `tocsin import ofac`")
	today := tocsin.TimeOf(clock.Now())
	imports(&today)
	warns("of today", "")
	clock.Sleep(60 * 24 * time.Hour)
	warns("two months later", "the sanctions on record are of 2026-03-04, so newer ones will not be found: run `tocsin "+
		"import ofac`")
}

// TestWhatEndedSinceTheLastLookIsLogged once, and nothing that had ended before the start.
func TestWhatEndedSinceTheLastLookIsLogged(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.Open(t, &clock)
	var log tocsintest.Buffer
	l := &upkeepLog{db: db, log: slog.New(slog.NewTextHandler(&log, nil))}
	seen := 0
	look := func(about string, want ...string) {
		t.Helper()
		l.look(t.Context())
		text := log.String()[seen:]
		seen = len(log.String())
		tocsintest.Want(t, about+": lines", strings.Count(text, "\n"), len(want))
		for _, says := range want {
			if !strings.Contains(text, says) {
				t.Errorf("%s: %q is not in %s", about, says, text)
			}
		}
	}
	end := func(try store.ImportTry) {
		t.Helper()
		clock.Sleep(time.Minute)
		lease, err := db.LeaseImport(t.Context(), try.List)
		tocsintest.Must(t, err)
		tocsintest.Must(t, lease.End(t.Context(), try))
		tocsintest.Must(t, lease.Release(t.Context()))
	}
	end(store.ImportTry{List: "spmedia"})
	tocsintest.Must(t, db.NoteBackup(t.Context()))
	look("at the start")
	look("again")
	end(store.ImportTry{List: "spmedia", Added: 3, Withdrawn: 2, Refused: 1, Lasted: 1500 * time.Millisecond})
	look("it was imported", `level=INFO msg="list imported" list=spmedia unchanged=false added=3 withdrawn=2 refused=1 `+
		`durationMs=1500`)
	look("again")
	end(store.ImportTry{List: "spmedia", Reason: store.FailedRead, Failed: 1, Failures: 1, Lasted: time.Second})
	tocsintest.Must(t, db.NoteBackup(t.Context()))
	look("it failed, and there is a backup", `level=ERROR msg="the import of a list failed; what it said last is kept" `+
		`list=spmedia reason=read durationMs=1000 remedy="Its file is damaged, or has another form`,
		`level=INFO msg="backup made"`)
	end(store.ImportTry{List: "spmedia", Tries: 3, Reason: store.FailedShrunk, Failures: 2})
	look("several", `level=WARN msg="the import of a list failed; what it said last is kept" list=spmedia reason=shrunk `+
		"durationMs=0 imports=3 remedy=\"Look at the list; if it is right, accept it with `tocsin import -force spmedia`")
	end(store.ImportTry{List: "spmedia", Tries: 4, Shrunk: 1, ListSize: tocsin.ListSize{Entries: 50, Peak: 100}})
	end(store.ImportTry{List: "spmedia", Tries: 5, Shrunk: 1})
	look("one before has lost half", `level=WARN msg="list imported" list=spmedia unchanged=false added=0 withdrawn=0 `+
		"refused=0 durationMs=0 imports=2 shrunk=1\n")
	end(store.ImportTry{List: "spmedia", Tries: 6, Shrunk: 1, Failed: 1, Reason: store.FailedRead})
	end(store.ImportTry{List: "spmedia", Tries: 7, Shrunk: 1, Failed: 1})
	look("one before has failed", `level=WARN msg="list imported" list=spmedia unchanged=false added=0 withdrawn=0 `+
		"refused=0 durationMs=0 imports=2 failed=1\n")
	end(store.ImportTry{List: "ofac"})
	is, err := db.ImportTry(t.Context(), "ofac")
	tocsintest.Must(t, err)
	tocsintest.Want(t, "one that the server has logged itself", []bool{l.first("ofac", is.At), l.first("ofac", is.At)},
		[]bool{true, false})
	look("one that the server has logged itself")
}

func TestASingleImportDoesNotSayHowMany(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.Open(t, &clock)
	var log tocsintest.Buffer
	l := &upkeepLog{db: db, log: slog.New(slog.NewTextHandler(&log, nil))}
	for n := range int64(3) {
		clock.Sleep(time.Minute)
		lease, err := db.LeaseImport(t.Context(), "spmedia")
		tocsintest.Must(t, err)
		tocsintest.Must(t, lease.End(t.Context(), store.ImportTry{List: "spmedia", Tries: n + 1}))
		tocsintest.Must(t, lease.Release(t.Context()))
		l.look(t.Context())
	}
	tocsintest.Want(t, "imports, and those that say how many", []int{strings.Count(log.String(), "list imported"),
		strings.Count(log.String(), "imports=")}, []int{2, 0})
}
