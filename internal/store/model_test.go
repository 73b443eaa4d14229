package store

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/pgtest"
	"tocsin/internal/readmodel"
)

// modelMemory is that of a server: with a read model.
var modelMemory = Memory{Model: 64 << 20}

// modelled is a fresh database with a read model.
func modelled(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{path: newPlace(t), ahead: new(atomic.Int64)}
	s.DB = openWith(t, s.path, s.ahead, modelMemory)
	return s
}

// servingModel is a database as a server has it, with its read model loaded, and a way to change it from outside.
func servingModel(t *testing.T) (r *running, change func(query string)) {
	t.Helper()
	r = serving(t)
	r.Close()
	o := r.options()
	o.Memory = modelMemory
	r.reopen(o)
	r.LoadModel()
	upToDate(t, r.DB)
	other := open(t, r.path, r.ahead)
	return r, func(query string) {
		t.Helper()
		if pgtest.On() {
			pgtest.Exec(t, r.path, query)
			return
		}
		_, err := lite(other).pool.ExecContext(t.Context(), query)
		do(t, err)
	}
}

// upToDate waits until the read model is loaded and has taken in all that has changed.
func upToDate(t *testing.T, db *DB) (m *readmodel.Model) {
	t.Helper()
	eventually(t, "the read model is up to date", func() bool {
		db.model.mu.Lock()
		defer db.model.mu.Unlock()
		m = db.model.current.Load()
		return m != nil && len(db.model.changed) == 0
	})
	return m
}

func address(t *testing.T, n int) tocsin.Address {
	t.Helper()
	a, fault := tocsin.ParseAddress(fmt.Sprintf("0x%040x", n))
	if fault != nil {
		t.Fatal(fault)
	}
	return a
}

// TestTheModelSavesStatements: what is unknown or only listed is answered without the database, and reports by their
// numbers.
func TestTheModelSavesStatements(t *testing.T) {
	s := modelled(t)
	var addresses []tocsin.Address
	var entries []tocsin.Entry
	for i := range 50 {
		if addresses = append(addresses, address(t, i+1)); i%2 == 0 {
			entries = append(entries, listing(addresses[i].Subject(), nil))
		}
	}
	s.imports(t, "one", entries...)
	for i := range 25 {
		d := story(t, fmt.Sprint("Filed ", i), "a.www.evil.com", "evil.com")
		d.ScammerAddresses = []string{addresses[1].String()}
		s.files(t, d, nil)
	}
	upToDate(t, s.DB)
	page := Page{Limit: FirstPage}
	domain, fault := tocsin.ParseDomain("b.a.www.evil.com")
	if fault != nil {
		t.Fatal(fault)
	}
	for _, c := range []struct {
		about string
		want  int
		do    func() (*Dossier, error)
	}{
		{"an unknown address", 0, func() (*Dossier, error) { return s.About(t.Context(), addresses[3], page) }},
		{"a listed address", 0, func() (*Dossier, error) { return s.About(t.Context(), addresses[0], page) }},
		{"a reported address", 1, func() (*Dossier, error) { return s.About(t.Context(), addresses[1], page) }},
		{"without its reports", 0, func() (*Dossier, error) { return s.About(t.Context(), addresses[1], Page{}) }},
		{"a domain and its parents", 1, func() (*Dossier, error) { return s.AboutDomain(t.Context(), domain, page) }},
		{"50 addresses", 0, func() (*Dossier, error) {
			all, err := s.AboutAll(t.Context(), subjectsOf(addresses))
			return all[1], err
		}},
	} {
		s.dossiers.clear()
		n := s.statements(func() {
			if _, err := c.do(); err != nil {
				t.Error(err)
			}
		})
		equal(t, "statements for "+c.about, n, c.want)
	}
}

// TestWhatVeryManyNameIsAskedForInTheDatabase, and not counted with each report.
func TestWhatVeryManyNameIsAskedForInTheDatabase(t *testing.T) {
	s := modelled(t)
	for i := range readmodel.Most + 2 {
		f := s.files(t, story(t, fmt.Sprint("Filed ", i), "evil.com"), nil)
		m := upToDate(t, s.DB)
		a, ok := m.About([]tocsin.Subject{evil})
		if want := i < readmodel.Most; ok != want || ok && a.ReportCount != i+1 {
			t.Fatalf("after %d reports: %+v, %t", i+1, a, ok)
		}
		equal(t, "reports", dossier(t, s.DB, evil).ReportCount, i+1)
		if i >= readmodel.Most {
			if err := s.Hide(t.Context(), Operator{}, f.Report.ID); err != nil {
				t.Fatal(err)
			}
			equal(t, "reports without one", dossier(t, s.DB, evil).ReportCount, i)
			if err := s.Restore(t.Context(), Operator{}, f.Report.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	again := openWith(t, s.path, s.ahead, modelMemory)
	if _, ok := upToDate(t, again).About([]tocsin.Subject{evil}); ok {
		t.Error("after a restart all of its reports are counted")
	}
	equal(t, "reports", dossier(t, again, evil).ReportCount, readmodel.Most+2)
}

// TestAReportThatWasHiddenThisMomentIsNotShown by a process whose model has not heard of it.
func TestAReportThatWasHiddenThisMomentIsNotShown(t *testing.T) {
	s := modelled(t)
	var filed []Filed
	for i := range 5 {
		filed = append(filed, s.files(t, story(t, fmt.Sprint("Filed ", i), "evil.com"), nil))
	}
	upToDate(t, s.DB)
	other := open(t, s.path, s.ahead)
	for _, f := range filed {
		if err := other.Hide(t.Context(), Operator{}, f.Report.ID); err != nil {
			t.Fatal(err)
		}
		for limit := 1; limit < 6; limit++ {
			d, err := s.AboutSubject(t.Context(), evil, Page{Limit: limit})
			do(t, err)
			for _, r := range d.Reports {
				if r.ID == f.Report.ID {
					t.Errorf("a page of %d shows it", limit)
				}
			}
		}
		if err := other.Restore(t.Context(), Operator{}, f.Report.ID); err != nil {
			t.Fatal(err)
		}
		s.dossiers.clear()
	}
}

// TestTheModelIsRightWhenItDoesNotFit: at the start, and when too much is imported later.
func TestTheModelIsRightWhenItDoesNotFit(t *testing.T) {
	s := &shelf{path: newPlace(t), ahead: new(atomic.Int64)}
	var entries []tocsin.Entry
	for i := range 5000 {
		entries = append(entries, listing(address(t, i+1).Subject(), nil))
	}
	for _, fits := range []bool{true, false} { // before the import, and from the start on it does not
		states := make(chan ModelLoad, 9)
		db, err := Open(t.Context(), s.path, Options{
			Now:     func() time.Time { return noon },
			Silence: busy,
			Memory:  Memory{Model: 100_000},
			Loaded:  func(m ModelLoad) { states <- m },
		})
		do(t, err)
		s.DB = db
		db.LoadModel()
		if fits {
			if m := <-states; m.TooLarge {
				t.Errorf("it does not fit: %+v", m)
			}
			s.imports(t, "list", entries...)
		}
		if m := <-states; !m.TooLarge || m.Bytes <= 100_000 {
			t.Errorf("fits at the start: %t: %+v", fits, m)
		}
		d, err := s.About(t.Context(), address(t, 4999), Page{Limit: 1})
		do(t, err)
		equal(t, "listings", len(d.Listings), 1)
		title := fmt.Sprint("Filed when it fits: ", fits)
		s.files(t, story(t, title, "evil.com"), nil)
		d, err = s.AboutDomain(t.Context(), mustDomain(t, "evil.com"), Page{Limit: 1})
		do(t, err)
		equal(t, "report", d.Reports[0].Title, title)
		do(t, s.Close())
	}
}

func mustDomain(t *testing.T, name string) tocsin.Domain {
	t.Helper()
	d, fault := tocsin.ParseDomain(name)
	if fault != nil {
		t.Fatal(fault)
	}
	return d
}

// TestAProcessThatCannotFollowTheLogDoesNotAnswer: rather than call a subject clean that others have reported. It goes
// on by itself once it can.
func TestAProcessThatCannotFollowTheLogDoesNotAnswer(t *testing.T) {
	r, change := servingModel(t)
	ask := func() error {
		_, one := r.AboutSubject(t.Context(), evil, Page{})
		_, many := r.AboutAll(t.Context(), []tocsin.Subject{address(t, 1).Subject()})
		return errors.Join(one, many)
	}
	do(t, ask())
	change("ALTER TABLE event RENAME COLUMN op TO lost")
	r.passes(time.Second)
	do(t, ask())
	if got, want := r.AsOf(noon), noon.Add(-time.Second); got.After(want) {
		t.Errorf("as of %v, want %v at the latest", got, want)
	}
	r.passes(maxLag)
	var fault *Outage
	if err := ask(); !errors.As(err, &fault) || fault.Part != health.Events || !Unavailable(err) ||
		!strings.Contains(fault.Public(), "Nothing can be looked up") {
		t.Errorf("it answers: %v", err)
	}
	eventually(t, "the board shows it", func() bool { return r.shows(health.Events) == health.Unread })
	change("ALTER TABLE event RENAME COLUMN lost TO op")
	eventually(t, "it answers again", func() bool { return ask() == nil })
	if as := r.AsOf(noon); as != noon {
		t.Errorf("as of %v", as)
	}
	eventually(t, "the board shows nothing", func() bool { return r.shows(health.Events) == "" })
}

// TestWhatCostsNothingToMakeIsKeptWhenItIsAskedForAgain, and a page of reports at once.
func TestWhatCostsNothingToMakeIsKeptWhenItIsAskedForAgain(t *testing.T) {
	s := modelled(t)
	listed, reported, unknown := address(t, 1), mustDomain(t, "evil.com"), address(t, 2)
	name, other := mustDomain(t, "a.name.com"), mustDomain(t, "other.com")
	s.imports(t, "list", listing(listed.Subject(), nil))
	s.files(t, story(t, "Filed", "evil.com"), nil)
	upToDate(t, s.DB)
	for i, want := range [][]bool{{false, true, false, false}, {true, true, false, true}, {true, true, false, true}} {
		_, one := s.About(t.Context(), listed, Page{Limit: 5})
		_, two := s.AboutDomain(t.Context(), reported, Page{Limit: 5})
		_, three := s.About(t.Context(), unknown, Page{Limit: 5})
		d, four := s.AboutDomain(t.Context(), name, Page{Limit: 5})
		do(t, errors.Join(one, two, three, four))
		d.Keep("of a.name.com", 20)
		var kept []bool
		for _, name := range []tocsin.Subject{listed.Subject(), reported.Subject(), unknown.Subject(), name.Subject()} {
			d, _ := s.dossiers.get(name, 5)
			kept = append(kept, d != nil)
		}
		equal(t, fmt.Sprint("kept after ", i+1), kept, want)
	}
	memos := func() (memos []any) {
		for _, domain := range []tocsin.Domain{name, other} {
			d, err := s.AboutDomain(t.Context(), domain, Page{Limit: 5})
			do(t, err)
			memos = append(memos, d.Memo())
		}
		return memos
	}
	equal(t, "of one name, and of others that are unknown too", memos(), []any{"of a.name.com", nil})
	s.imports(t, "list", listing(listed.Subject(), nil), listing(mustDomain(t, "name.com").Subject(), nil))
	equal(t, "once its parent is listed", memos(), []any{nil, nil})
}

// TestAModelThatIsTooLargeCollectsNothing, whether it is given up at the start or later.
func TestAModelThatIsTooLargeCollectsNothing(t *testing.T) {
	s := fresh(t)
	entries := func(list string, n int) (all []tocsin.Entry) {
		for i := range n {
			name := fmt.Sprintf("%s-%d.example", list, i)
			all = append(all, listing(tocsin.Subject{Kind: tocsin.DNS, Value: name}, nil))
		}
		return all
	}
	gaveUp := make(chan bool, 3)
	open := func() *DB {
		t.Helper()
		db, err := Open(t.Context(), s.path, Options{
			Now:     func() time.Time { return noon },
			Silence: busy,
			Memory:  Memory{Model: 40_000},
			Loaded:  func(m ModelLoad) { gaveUp <- m.TooLarge },
		})
		do(t, err)
		t.Cleanup(func() { db.Close() })
		db.LoadModel()
		return db
	}
	later := open()
	equal(t, "too large when empty", <-gaveUp, false)
	s.imports(t, "one", entries("one", 2000)...)
	equal(t, "too large later", <-gaveUp, true)
	atStart := open()
	equal(t, "too large at the start", <-gaveUp, true)
	s.imports(t, "two", entries("two", 10)...)
	for _, db := range []*DB{later, atStart} {
		equal(t, "listings", len(dossier(t, db, tocsin.Subject{Kind: tocsin.DNS, Value: "two-1.example"}).Listings), 1)
		db.model.mu.Lock()
		equal(t, "collected", len(db.model.changed), 0)
		db.model.mu.Unlock()
	}
}
