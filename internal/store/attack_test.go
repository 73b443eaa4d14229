package store

import (
	"database/sql"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
)

// TestTheFirstKeyEarnsTheProof: copying what somebody else has reported here earns nothing.
func TestTheFirstKeyEarnsTheProof(t *testing.T) {
	w := newWatch(t)
	first, second := w.agent(t), w.agent(t)
	right := w.proofs(first, network, 10)
	w.filed(second, elsewhere, 1, right...)
	w.sleep(25 * time.Hour)
	entries := w.entries
	w.entries = map[string][]tocsin.Entry{"one": entries["one"][:1], "two": entries["two"][:1]}
	w.read()
	w.entries = entries
	w.read()
	equal(t, "proven", []bool{w.isProven(first), w.isProven(second)}, []bool{true, false})
}

// proven makes n agents of a network proven, each by so many sites.
func (w *watch) proven(from netip.Prefix, n, sites int) (agents []*Caller) {
	w.t.Helper()
	var right []tocsin.Subject
	for range n {
		by, named := w.agent(w.t), w.fresh(sites)
		w.filed(by, from, 5, named...)
		agents, right = append(agents, by), append(right, named...)
	}
	w.days(2)
	w.take(right, "one", "two")
	w.read()
	return agents
}

// TestNoKeysOfOneNetworkMakeAnInnocentHigh: not even 20 that were proven by sites which the attacker registered and
// handed in at two lists, nor beside a thousand others.
func TestNoKeysOfOneNetworkMakeAnInnocentHigh(t *testing.T) {
	w := newWatch(t)
	victim := w.name()
	agents := w.proven(network, 20, 12)
	for range 200 {
		agents = append(agents, w.agent(t))
	}
	for day := range 2 {
		for _, by := range agents {
			w.filed(by, network, 1, victim)
		}
		equal(t, "level", w.score(victim).RiskLevel, tocsin.Medium)
		const all = "220 reports by 220 independent keys (20 proven, 0 settled, 200 new)"
		if detail := w.score(victim).Factors[0].Detail; day == 0 && detail != all {
			t.Error(detail)
		}
		w.filed(nil, network, 1, victim)
		w.days(3)
	}
	w.sleep(40 * 24 * time.Hour) // all are settled
	w.filed(agents[0], network, 1, victim)
	equal(t, "level", w.score(victim).RiskLevel, tocsin.Medium)
}

// TestTwoProvenReportersOfDifferentNetworksAreHigh is the honest case.
func TestTwoProvenReportersOfDifferentNetworksAreHigh(t *testing.T) {
	w := newWatch(t)
	here, there := w.proven(network, 1, 10)[0], w.proven(elsewhere, 1, 10)[0]
	site := w.name()
	w.filed(here, network, 1, site)
	equal(t, "one", w.score(site).RiskLevel, tocsin.Medium)
	w.days(2)
	w.filed(there, network, 1, site) // the network of the first report counts
	equal(t, "two", []any{w.score(site).RiskLevel, w.score(site).Recommendation}, []any{tocsin.High, tocsin.Block})
	w.sleep(tocsin.ProofWindow)
	equal(t, "half a year later", w.score(site).RiskLevel, tocsin.Medium)
}

// TestAProofBearsAFewOpenClaims: the one that is too many ends the proof at once, for all of them.
func TestAProofBearsAFewOpenClaims(t *testing.T) {
	w := newWatch(t)
	here, there := w.proven(network, 1, 10)[0], w.proven(elsewhere, 1, 10)[0]
	victims := w.fresh(4)
	w.filed(here, network, 1, victims[:3]...)
	w.days(2)
	for _, v := range victims[:3] {
		w.filed(there, elsewhere, 1, v)
		equal(t, "level", w.score(v).RiskLevel, tocsin.High)
	}
	last := w.last()
	w.filed(there, elsewhere, 4, w.fresh(1)[0])
	for _, v := range victims[:3] {
		equal(t, "level after the fourth", w.score(v).RiskLevel, tocsin.Medium)
	}
	equal(t, "events", w.ops(last, there)[AgentUnproven] > 12, true)
	w.days(1)
	equal(t, "level a day later", w.score(victims[0]).RiskLevel, tocsin.Medium)
}

// TestNamingTheSameInnocentsAgainIsMissingAgain: what has left the record is back with the next report of it.
func TestNamingTheSameInnocentsAgainIsMissingAgain(t *testing.T) {
	w := newWatch(t)
	victims, right := w.fresh(4), w.fresh(10)
	by := w.agent(t)
	w.filed(by, network, 1, victims...)
	w.sleep(tocsin.ProofWindow)
	w.filed(by, network, 1, right...)
	w.read()
	w.days(2)
	w.take(right, "one", "two")
	w.read()
	isProven := func() bool { return dossier(t, w.DB, right[0]).Reporters[0].Proven(w.Now().Std()) }
	equal(t, "proven by what it named lately", isProven(), true)
	for i, v := range victims {
		w.names++ // another title
		w.filed(by, network, 1, v)
		equal(t, fmt.Sprint("proven after ", i+1), isProven(), i < 3)
	}
}

// TestWhatTheOperatorHidesEndsAProof at once.
func TestWhatTheOperatorHidesEndsAProof(t *testing.T) {
	w := newWatch(t)
	by := w.proven(network, 1, 10)[0]
	wrong := w.filed(by, network, 1, w.fresh(3)...)
	site := w.name()
	last := w.last()
	page, err := w.Reports(t.Context(), Filter{Page: Page{Limit: 100}})
	do(t, err)
	i := slices.IndexFunc(page.Reports, func(r tocsin.Report) bool { return len(r.ReportedDomains) == 5 })
	do(t, w.Hide(t.Context(), Operator{}, page.Reports[i].ID))
	w.filed(by, network, 1, site)
	d := dossier(t, w.DB, site)
	equal(t, "proven", d.Reporters[0].Proven(w.Now().Std()), false)
	equal(t, "events", w.ops(last, by)[AgentUnproven], 5+len(wrong))
}

func TestAListingThatTheOperatorHidesConfirmsNothing(t *testing.T) {
	w := newWatch(t)
	by := w.agent(t)
	right := w.fresh(10)
	w.filed(by, network, 1, right...)
	w.days(2)
	w.take(right, "one")
	w.take(right[:3], "two")
	const title = "A story of the list"
	w.entries["one"] = append(w.entries["one"], told(story(t, title, right[9].Value), "1"))
	w.read()
	equal(t, "proven by ten", w.isProven(by), true)
	for _, r := range dossier(t, w.DB, right[9]).Reports {
		if r.Title == title {
			do(t, w.Hide(t.Context(), warden, r.ID)) // and its listing with it
		}
	}
	equal(t, "listings of the tenth", len(dossier(t, w.DB, right[9]).Listings), 0)
	w.read()
	equal(t, "proven by nine", w.isProven(by), false)
}

// last is the last event.
func (w *watch) last() (seq int64) {
	do(w.t, w.DB.read(w.t.Context(), primary, func(s *conn) error {
		return s.row(w.t.Context(), "SELECT max(seq) FROM event", nil, &seq)
	}))
	return seq
}

// ops counts the events of an agent after one.
func (w *watch) ops(last int64, by *Caller) map[Op]int {
	changes, err := w.Changes(w.t.Context(), last, 10_000)
	do(w.t, err)
	found := map[Op]int{}
	for _, c := range changes {
		if c.Agent == by.Agent.ID {
			found[c.Op]++
		}
	}
	return found
}

// TestASprayProvesNobody: two keys guess 24,000 domains in reports of 100. Of each key a list has one right a day
// later, and then another list has a hundred.
func TestASprayProvesNobody(t *testing.T) {
	w := newWatch(t)
	a, b, victim := w.agent(t), w.agent(t), w.name()
	half := volume(12_000, 1200)
	guesses := w.fresh(2 * half)
	w.filed(a, network, 100, guesses[:half]...)
	w.filed(b, elsewhere, 100, guesses[half:]...)
	w.filed(a, network, 1, victim)
	w.days(2)
	w.take([]tocsin.Subject{guesses[0], guesses[half]}, "one", "two")
	w.days(1)
	w.take(slices.Concat(guesses[1:100], guesses[half+1:half+100]), "one", "two")
	w.days(1)
	w.filed(b, elsewhere, 1, victim)
	s := w.score(victim)
	equal(t, "victim", []any{s.RiskScore, s.Factors[0].Detail},
		[]any{22, "2 reports by 2 independent keys (0 proven, 0 settled, 2 new)"})
}

// TestAnOldDatabaseFindsOutAnewWhoIsProven: nobody is until the next import; then those are whose reports prove it.
func TestAnOldDatabaseFindsOutAnewWhoIsProven(t *testing.T) {
	onlySQLite(t)
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := sql.Open("sqlite", path)
	do(t, err)
	for version := 1; version < namedSince; version++ {
		text, err := schema.ReadFile(fmt.Sprintf("schema/sqlite/%d.sql", version))
		do(t, err)
		_, err = old.Exec(string(text))
		do(t, err)
	}
	_, err = old.Exec(`PRAGMA application_id = 1414480723; PRAGMA user_version = 6;
		INSERT INTO list (id, name, family, url, imported) VALUES (1, 'one', 'one', '', 1), (2, 'two', 'two', '', 1);
		INSERT INTO agent (id, public, created, confirmed) VALUES (1, 'agt_a', 1, 1), (2, 'agt_b', 1, 1)`)
	do(t, err)
	at := noon.Add(-9 * 24 * time.Hour).UnixMicro()
	for i := range 11 {
		agent, name := 1, fmt.Sprintf("name%d.com", i)
		if i == 10 {
			agent = 2
		}
		_, err = old.Exec(`INSERT INTO subject (id, kind, value) VALUES ($1, 'domain', $2);
			INSERT INTO report (seq, id, created, published, agent, status, crime_type, body)
				VALUES ($1, 'rep_' || $1, $3 + $1, $3, $4, 'published', 'scam', '{"reportedDomains": ["' || $2 || '"]}');
			INSERT INTO report_subject (subject, report, agent, crime_type, published) VALUES ($1, $1, $4, 'scam', $3);
			INSERT INTO listing (subject, list, chain, kind, category, url, name, program, since)
				SELECT $1, id, '', 'risk', 'scam', '', '', '', $3 + 172800000000 FROM list`, i+1, name, at, agent)
		do(t, err)
	}
	old.Close()
	w := &watch{shelf: &shelf{DB: open(t, path, new(atomic.Int64))}, t: t}
	site := func(i int) tocsin.Subject {
		return tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("name%d.com", i)}
	}
	isProven := func(i int) bool { return dossier(t, w.DB, site(i)).Reporters[0].Proven(w.Now().Std()) }
	by := func(public string) *Caller { return &Caller{Agent: tocsin.Agent{ID: public}} }
	equal(t, "at first", []any{isProven(0), isProven(10), w.ops(0, by("agt_a")), w.ops(0, by("agt_b"))},
		[]any{false, false, map[Op]int{AgentUnproven: 10}, map[Op]int{AgentUnproven: 1}})
	last := w.last()
	w.imports(t, "three", listing(evil, nil))
	equal(t, "after an import", []any{isProven(0), isProven(10), w.ops(last, by("agt_a")), w.ops(last, by("agt_b"))},
		[]any{true, false, map[Op]int{AgentProven: 10}, map[Op]int{}})
	last = w.last()
	w.filed(&Caller{id: 1, Agent: tocsin.Agent{ID: "agt_a"}}, network, 1, worse)
	equal(t, "with the first report of which the network is known", w.ops(last, by("agt_a")), map[Op]int{AgentProven: 11})
}

// TestAListsMistakesExcuseNobody: two proven keys name forty innocents that a list once named, or whose host it names.
func TestAListsMistakesExcuseNobody(t *testing.T) {
	for name, c := range map[string]struct {
		listed func(w *watch) []tocsin.Subject
		want   bool // that both stay proven
	}{
		"withdrawn before they are named": {func(w *watch) []tocsin.Subject {
			mistakes := w.mistakes(40)
			w.days(31)
			w.correct()
			return mistakes
		}, false},
		"of a host that strangers share": {func(w *watch) (tenants []tocsin.Subject) {
			host := w.name()
			w.take([]tocsin.Subject{host}, "one")
			w.read()
			w.imports(t, "shared", tocsin.Entry{Listing: &tocsin.Listing{
				Kind: tocsin.Shared, Category: "hosting", Subject: host,
			}})
			for i := range 40 {
				tenants = append(tenants, tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("shop%d.%s", i, host.Value)})
			}
			return tenants
		}, false},
		"in force": {func(w *watch) []tocsin.Subject { return w.mistakes(40) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch(t)
			innocents := c.listed(w)
			here, there := w.proven(network, 1, 10)[0], w.proven(elsewhere, 1, 10)[0]
			w.filed(here, network, 20, innocents...)
			w.filed(there, elsewhere, 20, innocents...)
			w.days(3)
			if w.isProven(here) != c.want || w.isProven(there) != c.want {
				t.Errorf("proven: %t and %t", w.isProven(here), w.isProven(there))
			}
		})
	}
}

// TestAListMayClearOutWhatItFoundLongAgo: what was named before stays no miss.
func TestAListMayClearOutWhatItFoundLongAgo(t *testing.T) {
	for days, want := range map[int]bool{28: false, 31: true} {
		w := newWatch(t)
		found := w.mistakes(40)
		by := w.proven(network, 1, 10)[0]
		w.filed(by, network, 20, found...)
		w.days(days - 3)
		w.correct()
		if got := w.isProven(by); got != want {
			t.Errorf("proven after a list withdrew what it had for %d days: %t", days, got)
		}
	}
}

// mistakes are subjects that a list names from now on, until it is corrected.
func (w *watch) mistakes(n int) []tocsin.Subject {
	w.t.Helper()
	w.entries["three"] = []tocsin.Entry{}
	for range 200 { // a list that loses most of its entries is not believed
		w.entries["three"] = append(w.entries["three"], listing(w.name(), nil))
	}
	w.imports(w.t, "three", w.entries["three"]...)
	w.sleep(time.Minute)
	right, wrong := w.entries["three"], w.fresh(n)
	for _, s := range wrong {
		w.entries["three"] = append(w.entries["three"], listing(s, nil))
	}
	w.imports(w.t, "three", w.entries["three"]...)
	w.entries["three"] = right
	return wrong
}

// correct imports the list without its mistakes.
func (w *watch) correct() {
	w.t.Helper()
	w.sleep(time.Minute)
	w.imports(w.t, "three", w.entries["three"]...)
}
