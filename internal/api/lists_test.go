package api

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestFollowingSinceLosesAndRepeatsNothing files while the clock stands still.
func TestFollowingSinceLosesAndRepeatsNothing(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100_000)
	const writers, each = 8, 40
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				want(t, "filed", s.file(filing("title", fmt.Sprint(w, " ", i))).status, 201)
			}
		})
	}
	finished := make(chan struct{})
	go func() { group.Wait(); close(finished) }()
	since, seen, last := "2020-01-01T00:00:00Z", map[string]bool{}, ""
	for done := false; !done; {
		select {
		case <-finished:
			done = true // one more round, to its end
		default:
		}
		for {
			page := s.get("/community-reports?limit=7&since="+since, key)
			if page.text("nextSince") == "" {
				t.Fatalf("%d %s", page.status, page.raw)
			}
			since = page.text("nextSince")
			for i := range page.count("reports") {
				id, at := page.text(fmt.Sprintf("reports.%d.id", i)), page.text(fmt.Sprintf("reports.%d.createdAt", i))
				if seen[id] || at <= last {
					t.Errorf("%s of %s is seen twice, or after %s", id, at, last)
				}
				seen[id], last = true, at
			}
			if page.count("reports") == 0 {
				break
			}
		}
	}
	want(t, "seen", len(seen), writers*each)

	backwards, cursor := map[string]bool{}, ""
	for first := true; first || cursor != ""; first = false {
		page := s.get("/community-reports?limit=50&cursor="+cursor, key)
		if first {
			page = s.get("/community-reports", key)
			s.file(filing("title", "meanwhile"))
		}
		for i := range page.count("reports") {
			backwards[page.text(fmt.Sprintf("reports.%d.id", i))] = true
		}
		cursor = page.text("nextCursor")
	}
	want(t, "seen backwards", len(backwards), writers*each)
}

func TestAListIsFilteredByCrimeTypeAndSource(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	s.file(filing())
	s.file(filing("crimeType", "hack"))
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "told", Family: "told", URL: "https://lists.example"})
	if err != nil {
		t.Fatal(err)
	}
	d := tocsin.Draft{CrimeType: tocsin.Hack, Title: "told by a list", Description: "x",
		ScammerAddresses: []string{another}}
	if d, err = d.Parse(s.Now()); err != nil {
		t.Fatal(err)
	}
	d.SourceDate = tocsin.TimeOf(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	if err := im.Add(tocsin.Entry{Report: &d, Key: "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := im.Finish(t.Context(), false, nil); err != nil {
		t.Fatal(err)
	}
	for query, count := range map[string]int{"": 3, "?crimeType=hack": 2, "?source=community": 2, "?source=told": 1,
		"?source=nobody":                   0,
		"?crimeType=hack&source=community": 1, "?crimeType=phishing&source=told": 0, "?since=2999-01-01T00:00:00Z": 0,
		"?since=2999-01-01": 0} {
		want(t, query, s.get("/community-reports"+query, key).number("count"), count)
	}
	told := s.get("/community-reports?source=told", key)
	brief := s.get("/community-reports?source=told&view=compact", key)
	for about, page := range map[string]*answer{"full": told, "compact": brief} {
		want(t, "its own date and ours, "+about,
			[]any{page.text("reports.0.publishedAt"), page.text("reports.0.createdAt")[:10]},
			[]any{"2020-01-01T00:00:00.000000Z", s.Now().Format(time.DateOnly)})
	}
	a := s.get("/screen/"+another, key)
	want(t, "a story scores nothing by itself", []any{a.number("reportCount"), a.number("riskScore"), a.text("result")},
		[]any{1, 0, "caution"})
}

func TestASearchFindsWordsPhrasesAndPrefixes(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	s.file(filing("title", "The drainer of the bridge", "subjectProjectName", "Café Protocol", "socialMedia",
		map[string]any{"telegram": "@mallory_77"}))
	s.file(filing("title", "A bridge over nothing", "description", "No drainer here, but a drained wallet.",
		"scammerAddresses", nil, "reportedDomains", []string{"claim-it.evil.com"}))
	for q, count := range map[string]int{
		"bridge": 2, "bridge nothing": 1, "drainer bridge": 2, `"the bridge"`: 1, `"bridge the"`: 0, "drain*": 2,
		"draine*": 2, "cafe": 1, "CAFÉ": 1,
		"mallory_77": 1, "@mallory_77": 1, "claim-it.evil.com": 1, strings.ToLower(thief): 1, thief: 1, "title:bridge": 0,
		"bridge OR unicorn": 0, "nothing)": 1,
		`bridge"`: 2, "NEAR(bridge nothing)": 0, "unicorn": 0, "^bridge": 2, "bridge AND": 0,
	} {
		a := s.get("/community-reports/search?q="+url.QueryEscape(q), key)
		want(t, q, []any{a.status, a.number("count"), a.text("query")}, []any{200, count, q})
	}
	first := s.get("/community-reports/search?limit=1&q=bridge", key)
	s.file(filing("title", "bridge bridge bridge"))
	second := s.get("/community-reports/search?limit=1&q=bridge&cursor="+first.text("nextCursor"), key)
	same := first.text("reports.0.id") == second.text("reports.0.id")
	if second.in("nextCursor") != nil || same || second.count("reports") != 1 {
		t.Errorf("%s\n%s", first.raw, second.raw)
	}
}

func TestTheLeaderboardRanksByCorroborationNotVolume(t *testing.T) {
	s := start(t)
	busy, right, late := s.key(-1), s.key(-1), s.key(-1)
	s.Sleep(30 * 24 * time.Hour) // until then their words confirm nothing
	for i := range 9 {
		s.file(filing("title", fmt.Sprint(i), "scammerAddresses", []string{another}), "x-api-key: "+busy)
	}
	s.file(filing(), "x-api-key: "+right)
	s.file(filing("title", "I saw it too"), "x-api-key: "+late)
	s.Sleep(time.Minute)
	me := s.get("/me", "x-api-key: "+right)
	want(t, "me", []any{me.in("authenticated"), me.number("leaderboardRank"), me.number("reportCount")}, []any{true, 1, 1})
	board := s.get("/leaderboard")
	want(t, "board",
		[]any{board.number("count"), board.text("agents.0.id"), board.number("agents.0.corroboratedReports")},
		[]any{1, me.text("agent.id"), 1})
	want(t, "without a corroborated report", s.get("/me", "x-api-key: "+busy).in("leaderboardRank"), nil)
	want(t, "limit", s.get("/leaderboard?limit=1").number("count"), 1)
	want(t, "too many", s.get("/leaderboard?limit=101").status, 400)
	nobody := s.get("/me")
	want(t, "nobody", []any{nobody.status, nobody.in("authenticated"), nobody.in("agent"), nobody.text("help") != ""},
		[]any{200, false, nil, true})
}

func TestStatsTellEachListWithItsSizeAndAge(t *testing.T) {
	s := start(t)
	s.list("a", "a", tocsin.Risk, "scam", thief, another)
	s.Sleep(time.Hour)
	s.file(filing())
	a := s.get("/stats")
	want(t, "stats",
		[]any{a.number("reports"), a.number("subjects"), a.text("lists.0.name"), a.number("lists.0.listings"),
			a.number("lists.0.ageSeconds") / 60}, []any{1, 2, "a", 2, 60})
}

// TestTheStatusSaysHowEachListFares to programs, and what fails.
func TestTheStatusSaysHowEachListFares(t *testing.T) {
	var board *health.Board
	s := start(t, func(c *Config) {
		board = health.New(c.Now, nil)
		c.Health = board
		c.Refresh = Refresh{Every: 6 * time.Hour, Lists: []string{"fresh", "never"}}
	})
	s.list("fresh", "fresh", tocsin.Risk, "scam", thief)
	read := s.db.Now()
	a := s.get("/status")
	want(t, "at the beginning", []any{a.in("works"), a.text("lists.0.name"), a.in("lists.0.lastTry"),
		a.text("filing"), a.in("facilitator")}, []any{true, "fresh", nil, "open", nil})
	due, err := time.Parse(time.RFC3339, a.text("lists.0.nextTryAt"))
	tocsintest.Must(t, err)
	want(t, "the first times", []any{due.Sub(read.Std()).Round(time.Minute), a.text("lists.1.name"),
		a.text("lists.1.nextTryAt") <= s.db.Now().String(), a.in("lists.1.importedAt")},
		[]any{6*time.Hour + 36*time.Minute, "never", true, nil})
	next := tocsin.TimeOf(s.db.Now().Std().Add(time.Hour))
	for _, try := range []store.ImportTry{{List: "fresh", Added: 3, Withdrawn: 2, Next: &next},
		{List: "never", Reason: store.FailedShrunk, Failures: 3, Next: &next}} {
		lease, err := s.db.LeaseImport(t.Context(), try.List)
		tocsintest.Must(t, err)
		tocsintest.Must(t, lease.End(t.Context(), try))
		tocsintest.Must(t, lease.Release(t.Context()))
	}
	s.Sleep(2 * time.Second)
	a = s.get("/status")
	want(t, "after two tries", []any{a.in("works"), a.text("lists.0.lastTry.result"), a.in("lists.0.lastTry.reason"),
		a.number("lists.0.lastTry.added"), a.number("lists.0.lastTry.withdrawn"),
		a.text("lists.0.nextTryAt"), a.in("lists.1.importedAt"), a.text("lists.1.lastTry.result"),
		a.text("lists.1.lastTry.reason"), a.number("lists.1.lastTry.failures")},
		[]any{false, "imported", nil, 3, 2, next.String(), nil, "failed", "shrunk", 3})
	want(t, "failures", []any{a.count("failures"), a.text("failures.0.part"), a.text("failures.0.list"),
		a.text("failures.0.reason"), a.text("failures.0.detail"), a.number("failures.0.count")},
		[]any{1, "import", "never", "shrunk", "The last import of never failed (shrunk).", 3})
	board.Set(health.Disk, health.Low)
	board.Count(health.Load, health.Bodies, 1)
	a = s.get("/status")
	want(t, "failures of parts", []any{a.count("failures"), a.text("failures.0.part"), a.text("failures.0.detail"),
		a.in("failures.0.over")}, []any{2, "disk", "Less than 256 MB are free for the database.", false})
}

// TestTheStatusSaysWhatFailedInTheLastDay, though it works again.
func TestTheStatusSaysWhatFailedInTheLastDay(t *testing.T) {
	var board *health.Board
	s := start(t, func(c *Config) {
		board = health.New(c.Now, nil)
		c.Health = board
	})
	began := s.get("/status").text("asOf")
	board.Set(health.Clock, health.Ahead)
	s.Sleep(40 * time.Minute)
	board.Set(health.Clock, "")
	board.Count(health.Load, health.Overload, 7)
	s.Sleep(time.Hour)
	a := s.get("/status")
	want(t, "works", []any{a.in("works"), a.count("failures")}, []any{true, 0})
	if since := a.text("lastDay.since"); since > began {
		t.Errorf("it is known since %s, and the process began before %s", since, began)
	}
	found := map[string]string{}
	for i := range a.count("lastDay.parts") {
		at := fmt.Sprintf("lastDay.parts.%d.", i)
		found[a.text(at+"part")] = fmt.Sprint(a.in(at+"works"), a.number(at+"failingSeconds"), a.number(at+"count"),
			a.count(at+"steps"))
	}
	want(t, "parts", []any{found["clock"], found["load"], found["writes"], found["facilitator"]},
		[]any{"true 2400 1 2", "true 0 7 1", "true 0 0 0", ""})
}

func TestAServiceThatIsReadOnlyDoesNotWork(t *testing.T) {
	s := start(t)
	want(t, "before", s.get("/status").in("works"), true)
	_, err := s.db.SetReadOnly(t.Context(), operator, true)
	tocsintest.Must(t, err)
	s.Sleep(time.Minute)
	a := s.get("/status")
	want(t, "read-only", []any{a.in("works"), a.in("readOnly"), a.count("failures")}, []any{false, true, 0})
}

// TestTheStatusSaysWhatWasDoneLast: of the model of names, of the database and of a list that is being read.
func TestTheStatusSaysWhatWasDoneLast(t *testing.T) {
	s := start(t)
	s.list("told", "told", tocsin.Risk, "phishing", "one.example")
	done := func() []any {
		a := s.get("/status")
		return []any{a.in("names.lastTraining"), a.in("database.lastBackupAt"), a.in("lists.0.lastTry")}
	}
	want(t, "nothing", done(), []any{nil, nil, nil})
	at := s.db.Now().String()
	training := store.Training{Result: store.TrainingRefused, Reason: store.FewNames}
	tocsintest.Must(t, s.db.NoteTraining(t.Context(), training))
	tocsintest.Must(t, s.db.NoteBackup(t.Context()))
	lease, err := s.db.LeaseImport(t.Context(), "told")
	tocsintest.Must(t, err)
	tocsintest.Must(t, lease.Begin(t.Context(), store.ImportTry{List: "told"}, nil))
	s.Sleep(2 * time.Second)
	a := s.get("/status")
	want(t, "all of it", []any{a.text("names.lastTraining.at") >= at, a.in("names.lastTraining.result"),
		a.in("names.lastTraining.reason"), a.text("database.lastBackupAt") >= at, a.in("lists.0.lastTry.result")},
		[]any{true, "refused", store.FewNames, true, "running"})
	tocsintest.Must(t, lease.Release(t.Context()))
}
