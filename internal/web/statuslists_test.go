package web

import (
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// noteImport records how a try to import a list has ended.
func (s *service) noteImport(t *testing.T, is store.ImportTry) {
	t.Helper()
	lease, err := s.db.LeaseImport(t.Context(), is.List)
	tocsintest.Must(t, err)
	tocsintest.Must(t, lease.End(t.Context(), is))
	tocsintest.Must(t, lease.Release(t.Context()))
}

// TestAFailedImportIsOneOfTheThingsThatDoNotWork: the page does not say that nothing failed.
func TestAFailedImportIsOneOfTheThingsThatDoNotWork(t *testing.T) {
	s := start(t)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	s.noteImport(t, store.ImportTry{List: "scamsniffer", Reason: store.FailedDownload})
	s.Sleep(2 * time.Minute)
	p := s.visitor().get("/status")
	want(t, "the status", p.h1(), "It works, with a warning.")
	p.says("Lists whose last import failed: ScamSniffer.",
		"The last import of ScamSniffer failed: it could not be fetched.", "2 min ago",
		"The last try, 2 min ago, failed: it could not be fetched.",
		"The operator updates it with tocsin import scamsniffer.")
	want(t, "rows of lists", len(below(p.class("lists")[0], "tr")), 1+1+1)
	s.noteImport(t, store.ImportTry{List: "polkadot", Reason: store.FailedShrunk})
	s.Sleep(2 * time.Second)
	p = s.visitor().get("/status")
	p.says("Polkadot phishing list", "failed: it had lost more than half of its entries", "never")
	want(t, "rows of lists, with one that was never read", len(below(p.class("lists")[0], "tr")), 1+2+1)
	if strings.Contains(p.main(), "Nothing.") {
		t.Error(p.main())
	}
}

// TestTheStatusSaysWhenEachListIsReadNext where lists are refreshed by themselves.
func TestTheStatusSaysWhenEachListIsReadNext(t *testing.T) {
	lists := []string{"scamsniffer", "phantom", "polkadot"}
	s := start(t, func(c *setup) { c.Refresh = api.Refresh{Every: 6 * time.Hour, Lists: lists} })
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	s.list("phantom", "phantom", tocsin.Risk, "phishing", "listed.example")
	const byHand = "This service does not read its lists again by itself."
	s.Sleep(2 * time.Second)
	s.visitor().get("/status").says("Polkadot phishing list 0 0 never in a moment", "in 6 h 35 min")
	next := tocsin.TimeOf(s.db.Now().Std().Add(6 * time.Hour))
	s.noteImport(t, store.ImportTry{List: "scamsniffer", Next: &next, Added: 1234, Withdrawn: 5})
	s.noteImport(t, store.ImportTry{List: "phantom", Reason: store.Interrupted, Next: &next})
	s.Sleep(time.Hour)
	p := s.visitor().get("/status")
	p.says("This service reads its lists again by itself.", "in 5 h", "failed: it was interrupted.",
		"Last import: 1,234 added, 5 withdrawn.")
	if strings.Contains(p.main(), "Unusual") {
		t.Error(p.main())
	}
	s.noteImport(t, store.ImportTry{List: "scamsniffer", Next: &next, Withdrawn: 1500,
		ListSize: tocsin.ListSize{Entries: 2500, Peak: 4000}})
	s.Sleep(2 * time.Second)
	s.visitor().get("/status").says("1,500 withdrawn. Unusual: 1,500 of 4,000 entries were withdrawn.")
	lacking := store.ImportTry{List: "scamsniffer", Next: &next, Reason: store.FailedRead,
		ListSize: tocsin.ListSize{Entries: 2500, Peak: 4000}}
	s.noteImport(t, lacking)
	s.Sleep(2 * time.Second)
	s.visitor().get("/status").says("Unusual: 1,500 of 4,000 entries were withdrawn.", "failed: it could not be read.")
	for _, text := range []string{byHand, "tocsin import"} {
		if strings.Contains(p.main(), text) {
			t.Errorf("%q is on the page", text)
		}
	}
	s.Sleep(6 * time.Hour)
	s.visitor().get("/status").says("in a moment")
	lease, err := s.db.LeaseImport(t.Context(), "phantom")
	tocsintest.Must(t, err)
	tocsintest.Must(t, lease.Begin(t.Context(), store.ImportTry{List: "phantom"}, &next))
	s.Sleep(2 * time.Second)
	s.visitor().get("/status").says("It is being read now.")
	tocsintest.Must(t, lease.Release(t.Context()))
	s.Sleep(2 * time.Second)
	s.visitor().get("/status").says("failed: it was interrupted.")
}

// TestAServerThatReadsNoListsSaysSo, whatever another one has planned on the same file once.
func TestAServerThatReadsNoListsSaysSo(t *testing.T) {
	s := start(t)
	st, err := s.db.Stats(t.Context())
	tocsintest.Must(t, err)
	if !st.Backup.Files {
		t.Skip("of servers on one database another one may read the lists")
	}
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "listed.example")
	next := tocsin.TimeOf(s.db.Now().Std().Add(time.Hour))
	s.noteImport(t, store.ImportTry{List: "scamsniffer", Reason: store.FailedDownload, Next: &next})
	s.Sleep(2 * time.Second)
	p := s.visitor().get("/status")
	p.says("This service does not read its lists again by itself. The operator starts it with -refresh 6h, or sets a "+
		"timer that runs tocsin import.", "A list was last read under a minute ago.",
		"The operator updates it with tocsin import scamsniffer.")
	for _, text := range []string{"Next time", "in 59 min"} {
		if strings.Contains(p.main(), text) {
			t.Errorf("%q is on the page", text)
		}
	}
}

// TestTheAdviceFitsTheReason for which a list failed or is out of date.
func TestTheAdviceFitsTheReason(t *testing.T) {
	failed := func(reason string) *store.ImportTry { return &store.ImportTry{Reason: reason} }
	list, planned := store.ListStats{Name: "scamsniffer"}, new(tocsin.Time)
	upstream := &store.ImportTry{Upstream: true}
	for about, c := range map[string]struct {
		list tried
		want string
	}{
		"all is well":               {tried{ListStats: list}, ""},
		"it has shrunk":             {tried{ListStats: list, Last: failed(store.FailedShrunk), Next: planned}, "force"},
		"it is older":               {tried{ListStats: list, Last: failed(store.FailedOlder)}, "older"},
		"it has no date":            {tried{ListStats: list, Last: failed(store.FailedUndated), Next: planned}, "older"},
		"it could not be read":      {tried{ListStats: list, Last: failed(store.FailedRead)}, "import"},
		"it is tried again":         {tried{ListStats: list, Last: failed(store.FailedRead), Next: planned}, ""},
		"it was not read for long":  {tried{ListStats: list, Last: failed(""), Stale: true}, "import"},
		"there is nothing newer":    {tried{ListStats: list, Last: upstream, Stale: true, Fresh: true}, "wait"},
		"an old copy was read":      {tried{ListStats: list, Last: failed(""), Stale: true, Fresh: true}, "import"},
		"it is one of the operator": {tried{ListStats: store.ListStats{Name: "own"}, Last: failed(store.FailedRead)}, ""},
	} {
		want(t, about, c.list.Advice(), c.want)
	}
}
