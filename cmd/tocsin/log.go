package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

type logFlags struct {
	*commandLine
	since, subject, operator string
	limit                    int
	json                     bool
}

func newLog(c *commandLine) runFunc {
	f := &logFlags{commandLine: c}
	f.StringVar(&f.since, "since", "", "only acts since `WHEN`: a date, a time, or an age such as 24h or 7d")
	f.StringVar(&f.subject, "subject", "", "only acts about this `SUBJECT`: an address, a domain, a report (rep_…), "+
		"an agent (agt_…), the beginning of a key (toc_…), a payment (pay_…), or the name of a list")
	f.StringVar(&f.operator, "operator", "", "only acts of the operator with this `NAME`")
	f.IntVar(&f.limit, "limit", 100, "list at most `N` acts, the newest")
	f.BoolVar(&f.json, "json", false, "print one JSON object per line, with all that each act was about")
	return f.run
}

func (f *logFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	if f.limit < 1 {
		return usage("-limit %d is less than one", f.limit)
	}
	since, err := parseWhen("-since", f.since, time.Now())
	if err != nil {
		return err
	}
	filter := store.ActFilter{Since: since, Operator: tocsin.CleanText(f.operator), Limit: f.limit}
	if subject, fault := tocsin.ParseSubject(f.subject); f.subject != "" && fault == nil {
		filter.Subject = &subject
	} else {
		filter.Object = f.subject
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	acts, err := db.Acts(ctx, filter)
	if err != nil {
		return err
	}
	if f.json {
		return printLines(e, acts)
	}
	return actTable(acts, !isTerminal(e.stdout)).print(e.stdout)
}

// actTable shows acts in columns, of which the reason goes on in further lines, unless they are to be whole.
func actTable(acts []store.Act, whole bool) *table {
	t := newTable(4, "AT", "OPERATOR", "ACT", "ON", "REASON")
	operator, on := 20, 44
	t.wraps = true
	if t.whole = whole; whole {
		operator, on = maxCell, maxCell
	}
	for _, a := range acts {
		t.add(seconds(a.At), oneLine(a.Operator, operator), string(a.Action), oneLine(about(a), on), cmp.Or(a.Reason, "-"))
	}
	return t
}

// about says in short what an act was about: "agt_… and 12 reports".
func about(a store.Act) string {
	says := func(what string) func(string) bool {
		return func(object string) bool { return strings.Contains(object, what) }
	}
	switch n := len(a.Objects); a.Action {
	case store.ImportedList, store.ForcedImport, store.RemovedList, store.ClosedPayment:
		if n > 1 {
			// What it did; the others are the name of the list, or of the payment, and what an import took off the operator's
			// own safelist. The checksums of files are for -json.
			i := slices.IndexFunc(a.Objects, says(": added "))
			if i < 0 {
				i = n - 1
			}
			did, _, _ := strings.Cut(a.Objects[i], "; SHA-256 ")
			off := slices.DeleteFunc(slices.Delete(slices.Clone(a.Objects), i, i+1), func(o string) bool {
				return strings.HasPrefix(did, o) // the name
			})
			if len(off) > 0 {
				did += "; taken off: " + strings.Join(off, ", ")
			}
			return did
		}
	case store.AddedSafe: // the subjects, and what each is from then on
		if said := slices.DeleteFunc(slices.Clone(a.Objects), func(o string) bool { return !says(": ")(o) }); len(said) > 0 {
			return strings.Join(said, "; ")
		}
	}
	isReport := func(object string) bool { return strings.HasPrefix(object, "rep_") }
	others := slices.DeleteFunc(slices.Clone(a.Objects), isReport)
	switch reports := len(a.Objects) - len(others); {
	case reports == 1 && len(others) == 0:
		return a.Objects[0]
	case reports > 0:
		others = append(others, counted(reports, "report"))
	}
	return strings.Join(others, ", ")
}

type filingFlags struct {
	*commandLine
	operatorFlags
}

func newFiling(c *commandLine) runFunc {
	f := &filingFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	return f.run
}

func (f *filingFlags) run(ctx context.Context, e env) error {
	states := map[string]tocsin.FilingState{}
	for _, s := range []tocsin.FilingState{tocsin.FilingOpen, tocsin.FilingKeysOnly, tocsin.FilingShut} {
		states[string(s)] = s
	}
	if len(f.args) > 1 || len(f.args) == 1 && states[f.args[0]] == "" {
		return usage("say open, keys-only or closed, or nothing to see how it is")
	}
	by, err := f.by(e)
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if len(f.args) == 1 {
		if _, err := db.SetFiling(ctx, by, states[f.args[0]]); err != nil {
			return err
		}
	}
	state, err := db.FilingState(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.stdout, map[tocsin.FilingState]string{
		tocsin.FilingOpen:     "Filing is open: reports are taken from everybody.",
		tocsin.FilingKeysOnly: "Filing is open for callers with a key only.",
		tocsin.FilingShut:     "Filing is closed: no report is taken.",
	}[state])
	return err
}
