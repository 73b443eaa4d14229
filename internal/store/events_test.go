package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/pgtest"
	"tocsin/internal/readmodel"
)

// town is a database with a few subjects, agents and lists, in which anything may happen that changes evidence.
type town struct {
	*shelf
	t        *testing.T
	dice     *rand.Rand
	subjects []tocsin.Subject
	wallets  []tocsin.Address
	callers  []*Caller
	filed    []Filed
	lists    []*listState
	other    *DB // another process, which only follows the log
	cold     *DB // remembers nothing
	step     int
	said     []string  // what cold answered last
	saidAt   time.Time // about this moment
}

// listState is what a list says at the moment.
type listState struct {
	tocsin.List
	entries map[tocsin.Subject]tocsin.Listing
	stories map[tocsin.Subject]string // titles
}

func newTown(t *testing.T, seed uint64) *town {
	w := &town{shelf: modelled(t), t: t, dice: rand.New(rand.NewPCG(seed, 1))}
	for _, name := range []string{"evil.com", "www.evil.com", "a.www.evil.com", "worse.com", "app.worse.com",
		"github.io", "me.github.io", "x.me.github.io", "third.com", "fourth.com", "fifth.com"} {
		w.subjects = append(w.subjects, tocsin.Subject{Kind: tocsin.DNS, Value: name})
	}
	for i := range 9 {
		w.subjects = append(w.subjects, tocsin.Subject{Kind: tocsin.EVM, Value: fmt.Sprintf("0x%040x", i+1)})
	}
	for i := range 3 {
		wallet := address(t, 0xa0+i)
		made, err := w.CreateKey(t.Context(), &wallet, "", nil)
		do(t, err)
		c, err := w.Caller(t.Context(), made.Key)
		do(t, err)
		w.wallets, w.callers = append(w.wallets, wallet), append(w.callers, c)
		w.sleep(time.Minute) // each is as old as no other
	}
	for _, name := range []string{"one", "two", "three"} {
		w.lists = append(w.lists, &listState{
			List:    tocsin.List{Name: name, Family: name, URL: "https://lists.example"},
			entries: map[tocsin.Subject]tocsin.Listing{},
			stories: map[tocsin.Subject]string{},
		})
	}
	w.other, w.cold = openWith(t, w.path, w.ahead, modelMemory), open(t, w.path, w.ahead)
	return w
}

func pick[T any](w *town, from []T) T { return from[w.dice.IntN(len(from))] }

func (w *town) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("step %d: %v", w.step, err)
	}
}

func (w *town) draft(title string, subjects ...tocsin.Subject) tocsin.Draft {
	d := tocsin.Draft{
		CrimeType:   pick(w, []tocsin.CrimeType{tocsin.Phishing, tocsin.Scam}),
		Title:       title,
		Description: "It took it all.",
	}
	for _, s := range subjects {
		if s.Kind == tocsin.EVM {
			d.ScammerAddresses = append(d.ScammerAddresses, s.Value)
		} else if s.Value != "github.io" { // nobody may report what everybody shares
			d.ReportedDomains = append(d.ReportedDomains, s.Value)
		}
	}
	if len(d.ScammerAddresses)+len(d.ReportedDomains) == 0 {
		d.ReportedDomains = []string{"evil.com"}
	}
	d, err := d.Parse(w.Now().Std())
	w.must(err)
	return d
}

// happen does something, and says what.
func (w *town) happen() string {
	ctx := w.t.Context()
	report := func(status tocsin.Status) string { // any that is on record, rather one of these
		found, err := w.Select(ctx, Selection{}, 100)
		w.must(err)
		if w.dice.IntN(4) > 0 {
			found.First = slices.DeleteFunc(found.First, func(r tocsin.Report) bool { return r.Status != status })
		}
		if len(found.First) == 0 {
			return ""
		}
		return pick(w, found.First).ID
	}
	switch n := w.dice.IntN(24); {
	case n < 5:
		f := Filing{Draft: w.draft(fmt.Sprint("Story ", w.step), pick(w, w.subjects), pick(w, w.subjects)), Network: network}
		if w.dice.IntN(4) > 0 {
			f.By = pick(w, w.callers)
		}
		filed, err := w.FileReport(ctx, f) // a safelisted name is refused
		if err == nil {
			w.filed = append(w.filed, filed)
		}
		return fmt.Sprintf("file %v: %v", f.Draft.Subjects(), err)
	case n < 8:
		return fmt.Sprint("hide: ", w.Hide(ctx, Operator{}, report(tocsin.Published)))
	case n < 11:
		return fmt.Sprint("restore: ", w.Restore(ctx, Operator{}, report(tocsin.Hidden)))
	case n < 12 && len(w.filed) > 0:
		f := pick(w, w.filed)
		return fmt.Sprint("withdraw: ", w.Withdraw(ctx, f.Report.ID, f.ManageToken))
	case n < 13:
		wallet := pick(w, w.wallets)
		_, err := w.CreateKey(ctx, &wallet, fmt.Sprint("Name ", w.dice.IntN(3)), nil) // one that is banned gets none
		return fmt.Sprint("rename: ", err)
	case n < 14:
		w.sleep(25 * time.Hour)
		return "sleep"
	case n < 15:
		return fmt.Sprint("ban: ", fmt.Sprint(w.Ban(ctx, Operator{}, pick(w, w.callers).Agent.ID)))
	case n < 16:
		return fmt.Sprint("unban: ", fmt.Sprint(w.Unban(ctx, Operator{}, pick(w, w.callers).Agent.ID)))
	case n < 17 && w.dice.IntN(4) == 0:
		return fmt.Sprint("erase: ", fmt.Sprint(w.Erase(ctx, Operator{}, report(tocsin.Published))))
	}
	return w.reimport(pick(w, w.lists))
}

// reimport imports a list of which something has changed, or nothing.
func (w *town) reimport(l *listState) string {
	what := "import " + l.Name
	for range w.dice.IntN(4) {
		s := pick(w, w.subjects)
		if _, there := l.entries[s]; there && w.dice.IntN(3) > 0 {
			delete(l.entries, s)
			what += fmt.Sprint(" -", s.Value)
			continue
		}
		kind := pick(w, []tocsin.ListingKind{tocsin.Risk, tocsin.Risk, tocsin.Risk, tocsin.Risk,
			tocsin.Safe, tocsin.Shared, tocsin.Sanction})
		since := tocsin.TimeOf(w.Now().Std().Add(-time.Hour))
		l.entries[s] = tocsin.Listing{
			Kind:     kind,
			Category: pick(w, []string{"phishing", "scam"}),
			Subject:  s,
			Chain:    []string{"", "", "eip155:1"}[w.step%3],
			Since:    []*tocsin.Time{nil, &since}[w.step%2],
			URL:      []string{"", "https://lists.example/x"}[w.step/2%2],
			Name:     pick(w, []string{"", "X"}),
			Program:  []string{"", "P"}[w.step/4%2],
		}
		what += fmt.Sprintf(" +%s %s", kind, s.Value)
	}
	if s := pick(w, w.subjects); w.dice.IntN(2) == 0 {
		if listed := slices.SortedFunc(maps.Keys(l.entries), bySubject); len(listed) > 0 && w.dice.IntN(2) == 0 {
			s = pick(w, listed)
		}
		if _, there := l.stories[s]; there && w.dice.IntN(2) == 0 {
			delete(l.stories, s)
		} else {
			l.stories[s] = fmt.Sprint("Told ", w.dice.IntN(3))
		}
		what += " story of " + s.Value
	}
	if w.dice.IntN(4) == 0 {
		l.Family = pick(w, []string{l.Name, "family"})
		what += " of " + l.Family
	}
	im, err := w.Import(w.t.Context(), l.List)
	w.must(err)
	for _, s := range slices.SortedFunc(maps.Keys(l.entries), bySubject) {
		entry := l.entries[s]
		w.must(im.Add(tocsin.Entry{Listing: &entry}))
	}
	for _, s := range slices.SortedFunc(maps.Keys(l.stories), bySubject) {
		d := w.draft(l.stories[s], s)
		d.CrimeType = tocsin.Scam
		w.must(im.Add(told(d, s.Value)))
	}
	_, err = im.Finish(w.t.Context(), true, nil)
	w.must(err)
	return what
}

func bySubject(a, b tocsin.Subject) int { return slices.Compare([]string{a.Value}, []string{b.Value}) }

// answers is what is answered about each subject, at one moment.
func (w *town) answers(db *DB, at time.Time) []string {
	w.t.Helper()
	list := make([]string, len(w.subjects))
	for i, s := range w.subjects {
		d := dossier(w.t, db, s)
		text, err := json.Marshal([]any{tocsin.Screen(d, at), d.Matches, d.Reports, d.NextCursor})
		w.must(err)
		list[i] = string(text)
	}
	return list
}

func (w *town) coldAnswers(at time.Time) []string {
	w.cold.dossiers.clear()
	return w.answers(w.cold, at)
}

// proof is a story that proves two agents of different networks: each reports ten sites, which two lists name two
// days later.
func (w *town) proof() []func() string {
	var right []tocsin.Entry
	for i := range 20 {
		s := tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("proof%d.com", i)}
		if right = append(right, listing(s, nil)); i < 4 {
			w.subjects = append(w.subjects, s)
		}
	}
	file := func(i int) func() string {
		return func() string {
			f := Filing{Draft: w.draft("Proof", right[i].Listing.Subject), By: w.callers[i%2], Network: network}
			if i%2 == 1 {
				f.Network = elsewhere
			}
			return fmt.Sprint(w.FileReport(w.t.Context(), f))
		}
	}
	lists := func(entries ...tocsin.Entry) func() string {
		return func() string {
			for _, name := range []string{"four", "five"} {
				w.imports(w.t, name, append([]tocsin.Entry{listing(w.subjects[0], nil)}, entries...)...)
			}
			return "lists"
		}
	}
	events := []func() string{lists()}
	for i := range right {
		events = append(events, file(i))
	}
	return append(events, func() string { w.sleep(25 * time.Hour); return "sleep" }, lists(), lists(right...))
}

// TestEveryChangeOfAnAnswerIsInTheLog: whatever happens, an answer that differs
// afterwards has an event for its subject or for a name with the same owner;
// and a memory that follows the log answers as the database does.
func TestEveryChangeOfAnAnswerIsInTheLog(t *testing.T) {
	var mu sync.Mutex
	seen := map[Op]int{}
	seeds := []uint64{0, 1, 2, 12}[:volume(4, 2)]
	if pgtest.On() { // where each answer takes round trips
		seeds = []uint64{2, 12}
	}
	t.Run("seeds", func(t *testing.T) { // ends when all of them have
		for _, seed := range seeds {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				w := newTown(t, seed)
				events := w.proof()
				for range 90 {
					events = append(events, w.happen)
				}
				last := int64(0)
				for step, event := range events {
					w.step = step
					for _, c := range w.follows(fmt.Sprintf("seed %d, step %d", seed, step), event, last) {
						last = c.Seq
						mu.Lock()
						seen[c.Op]++
						mu.Unlock()
					}
				}
			})
		}
	})
	for _, op := range []Op{ReportFiled, ReportHidden, ReportRestored, ReportWithdrawn, ReportRemoved,
		ListingAdded, ListingReturned, ListingEdited, ListingWithdrawn, ListingHidden, ListingRestored,
		ReportBanned, ReportReinstated, ReportErased, FamilyChanged, AgentProven, AgentUnproven, AgentRenamed} {
		if seen[op] == 0 {
			t.Errorf("%q never happened", op)
		}
	}
}

// follows lets an event happen, holds the log and both memories against what it
// changed, and returns the new events.
func (w *town) follows(what string, event func() string, last int64) []Change {
	w.t.Helper()
	at := w.Now().Std().Add(30 * 24 * time.Hour)
	before := w.said
	if w.saidAt != at {
		before = w.coldAnswers(at)
	}
	w.answers(w.DB, at) // so that both remember
	w.answers(w.other, at)
	what += ": " + event()
	after := w.coldAnswers(at)
	w.said, w.saidAt = after, at
	changes, err := w.Changes(w.t.Context(), last, 1000)
	w.must(err)
	owners := map[tocsin.Subject]bool{}
	erased := false // then a subject may have lost its name, and all memory is dropped
	for _, c := range changes {
		erased = erased || c.Op == ReportErased
		if c.Seq <= last {
			w.t.Fatalf("%s: event %d after %d", what, c.Seq, last)
		}
		last = c.Seq
		owners[c.Subject.Owner()] = true
	}
	for i, s := range w.subjects {
		if before[i] != after[i] && !owners[s.Owner()] && !erased {
			w.t.Fatalf("%s: the answer about %s changed without an event:\n%s\n%s", what, s, before[i], after[i])
		}
	}
	// A write of the other process makes it look at the log now, not with its next tick.
	w.must(w.other.write(w.t.Context(), evidence, false, func(context.Context, *conn) error { return nil }))
	for name, db := range map[string]*DB{"this": w.DB, "another": w.other} {
		for i, got := range w.answers(db, at) {
			if got != after[i] {
				w.t.Fatalf("%s: %s process answers about %s from memory\n%s\nand not\n%s", what, name, w.subjects[i], got, after[i])
			}
		}
	}
	w.fromModels(what, at, owners)
	return changes
}

// fromModels compares the answers of the read models with those of the database: the first page about every subject,
// and all pages, of another size each time, about those that have changed and a fourth of the others.
func (w *town) fromModels(what string, at time.Time, changed map[tocsin.Subject]bool) {
	w.t.Helper()
	models := map[*DB]*readmodel.Model{w.DB: upToDate(w.t, w.DB), w.other: upToDate(w.t, w.other)}
	w.cold.dossiers.clear()
	for db := range models {
		db.dossiers.clear()
	}
	for i, s := range w.subjects {
		for _, m := range models {
			_, known := m.About(s.SelfAndParents())
			equal(w.t, fmt.Sprint(what, ": a model knows ", s), known, true)
		}
		if !changed[s.Owner()] && (w.step+i)%4 != 0 {
			continue
		}
		page := Page{Limit: 1 + (w.step+i)%3}
		for more := true; more; more = page.Cursor != "" {
			want, err := w.cold.AboutSubject(w.t.Context(), s, page)
			w.must(err)
			for db := range models {
				got, err := db.AboutSubject(w.t.Context(), s, page)
				w.must(err)
				if got, want := whole(w.t, &got.Dossier), whole(w.t, &want.Dossier); got != want {
					w.t.Fatalf("%s: a model answers about %s\n%s\nand not\n%s", what, s, got, want)
				}
			}
			page.Cursor = want.NextCursor
		}
	}
	w.cold.dossiers.clear()
	all, err := w.cold.AboutAll(w.t.Context(), w.subjects)
	w.must(err)
	for db := range models {
		for i, got := range w.answers(db, at) {
			if got != w.said[i] {
				w.t.Fatalf("%s: a model answers about %s\n%s\nand not\n%s", what, w.subjects[i], got, w.said[i])
			}
		}
		answered, err := db.AboutAll(w.t.Context(), w.subjects)
		w.must(err)
		for i := range all { // with reports or without
			got, want := answered[i].Dossier, all[i].Dossier
			got.Reports, got.NextCursor, want.Reports, want.NextCursor = nil, "", nil, ""
			if got, want := whole(w.t, &got), whole(w.t, &want); got != want {
				w.t.Fatalf("%s: of a batch a model answers about %s\n%s\nand not\n%s", what, w.subjects[i], got, want)
			}
		}
	}
}
