package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/health"
)

// TestAClockIsDoubtedWhenItJumps compares it with one that nobody sets.
func TestAClockIsDoubtedWhenItJumps(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		about          string
		passed, showed time.Duration // since the start: by the other clock, by this one
		want           health.Reason
	}{
		{"no time", 0, 0, ""},
		{"a year", 365 * day, 365 * day, ""},
		{"a suspension counts in both", 9 * time.Hour, 9 * time.Hour, ""},
		{"a correction by NTP", time.Minute, time.Minute + clockTolerance, ""},
		{"and back", time.Minute, time.Minute - clockTolerance, ""},
		{"too far", time.Minute, time.Minute + clockTolerance + time.Microsecond, "jumped ahead"},
		{"a year ahead", time.Second, 365 * day, "jumped ahead"},
		{"an hour back", 2 * time.Hour, time.Hour, "jumped back"},
	} {
		w, start := wallClock{}, noon.UnixMicro()
		if got := w.judge(start, 5*time.Hour, start-1); got != "" {
			t.Fatalf("at the start: %q", got)
		}
		if got := w.judge(start+c.showed.Microseconds(), 5*time.Hour+c.passed, 0); got != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
		if got := w.judge(start+day.Microseconds(), 5*time.Hour+day, 0); got != "" {
			t.Errorf("%s, and it agrees again: %q", c.about, got)
		}
	}
}

// TestAClockIsDoubtedByWhatIsOnRecord at the start of a server.
func TestAClockIsDoubtedByWhatIsOnRecord(t *testing.T) {
	now := noon.UnixMicro()
	for _, c := range []struct {
		rested time.Duration // since the newest record
		want   health.Reason
	}{{0, ""}, {-clockTolerance, ""}, {-clockTolerance - time.Microsecond, "behind"}, {-365 * 24 * time.Hour, "behind"},
		{90 * 24 * time.Hour, ""}, {maxGap, ""}, {maxGap + time.Microsecond, "ahead"}} {
		w := wallClock{}
		if got := w.judge(now, 0, now-c.rested.Microseconds()); got != c.want {
			t.Errorf("after a rest of %v: %q, want %q", c.rested, got, c.want)
		}
	}
	if w := new(wallClock); w.judge(now, 0, 0) != "" {
		t.Error("an empty database doubts the clock")
	}
}

// running is a database as a server opens it, with two clocks that a test sets.
type running struct {
	*watched
	passed atomic.Int64 // of the clock that nobody sets
}

func (r *running) options() Options {
	return Options{Elapsed: func() time.Duration { return time.Duration(r.passed.Load()) }}
}

// passes lets time go by.
func (r *running) passes(d time.Duration) { r.passed.Add(int64(d)); r.sleep(d) }

func serving(t *testing.T) *running {
	t.Helper()
	r := &running{watched: watchedDB(t)}
	r.Close()
	r.reopen(r.options())
	return r
}

// TestAJumpOfTheClockDatesNothing: reading and counting free calls go on, what would be dated does not.
func TestAJumpOfTheClockDatesNothing(t *testing.T) {
	r := serving(t)
	caller := r.agent(t)
	if err := r.file(t, "before"); err != nil {
		t.Fatal(err)
	}
	r.passes(24 * time.Hour)
	eventually(t, "the log was read since", func() bool { return r.lag() == 0 })
	r.sleep(365 * 24 * time.Hour) // the clock alone
	var fault *Outage
	if err := r.file(t, "a year ahead"); !errors.As(err, &fault) || fault.Part != health.Clock ||
		fault.Reason != "jumped ahead" || !Unavailable(err) {
		t.Errorf("a report: %v", err)
	}
	for about, do := range map[string]func() error{
		"a key":     func() error { _, err := r.CreateKey(t.Context(), nil, "", nil); return err },
		"a nonce":   func() error { _, _, err := r.NewNonce(t.Context(), time.Minute); return err },
		"a session": func() error { _, err := r.NewSession(t.Context(), tocsin.Address{}, time.Hour); return err },
		"a payment": func() error { _, err := r.Claim(t.Context(), &Claim{}, true); return err },
		"an import": func() error { _, err := r.tryImport(t, "list", false, listing(worse, nil)); return err },
	} {
		if err := do(); !errors.As(err, &fault) {
			t.Errorf("%s: %v", about, err)
		}
	}
	if _, err := r.AboutSubject(t.Context(), evil, Page{Limit: 5}); err != nil {
		t.Errorf("a dossier: %v", err)
	}
	if _, ok, err := r.Spend(t.Context(), caller, 10); err != nil || !ok {
		t.Errorf("a free call: %t %v", ok, err)
	}
	if r.shows(health.Clock) != "jumped ahead" {
		t.Errorf("the board shows %q", r.shows(health.Clock))
	}
	r.sleep(-365 * 24 * time.Hour)
	if err := r.file(t, "after"); err != nil || r.shows(health.Clock) != "" {
		t.Errorf("the clock agrees again: %v, the board shows %q", err, r.shows(health.Clock))
	}
}

// TestAJumpDeletesNothing: what is deleted with age is deleted by a clock that is trusted.
func TestAJumpDeletesNothing(t *testing.T) {
	r := serving(t)
	token, err := r.NewSession(t.Context(), tocsin.Address{1}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	r.sleep(365 * 24 * time.Hour)
	time.Sleep(2 * followInterval) // the writer sees another day
	r.sleep(-365 * 24 * time.Hour)
	if s, err := r.Session(t.Context(), token); err != nil || s == nil {
		t.Errorf("the session: %v %v", s, err)
	}
}

// TestARarelyUsedServerIsNotDoubted: it notes the time while it runs, even if nothing is written for years.
func TestARarelyUsedServerIsNotDoubted(t *testing.T) {
	r := serving(t)
	for range 4 {
		r.passes(90 * 24 * time.Hour)
		want := r.Now().Micro()
		eventually(t, "the time is noted", func() bool {
			var newest int64
			err := r.read(t.Context(), primary, func(s *conn) (err error) {
				newest, err = newestDate(t.Context(), s)
				return err
			})
			return err == nil && newest == want
		})
	}
	r.Close()
	r.reopen(r.options())
	if err := r.file(t, "a year later"); err != nil {
		t.Errorf("after a year in which nothing was written: %v", err)
	}
	r.Close()
	r.passes(365 * 24 * time.Hour)
	r.reopen(r.options())
	if err := r.file(t, "after a year off"); !Reported(err) || r.shows(health.Clock) != "ahead" {
		t.Errorf("after a year in which it was off: %v", err)
	}
	r.Close()
	o := r.options()
	o.AcceptClock = true
	r.reopen(o)
	if err := r.file(t, "accepted"); err != nil || r.shows(health.Clock) != "" {
		t.Errorf("the operator has accepted the clock: %v", err)
	}
}

// TestDatesInTheFutureAreMended: the reports keep their order, their followers miss and repeat nothing, and the next
// report is dated by the clock again.
func TestDatesInTheFutureAreMended(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	r := &running{watched: watchedDB(t)}
	var order []string
	add := func(n int) {
		for range n {
			order = append(order, fmt.Sprint(len(order)))
			if err := r.file(t, order[len(order)-1]); err != nil {
				t.Fatal(err)
			}
			r.sleep(time.Duration(random.IntN(3)) * time.Second)
		}
	}
	var followed []string
	since := tocsin.TimeOf(noon.Add(-time.Hour))
	follow := func() {
		page, err := r.Reports(t.Context(), Filter{Since: &since, Page: Page{Limit: 100}})
		if err != nil {
			t.Fatal(err)
		}
		for _, report := range page.Reports {
			followed = append(followed, report.Title)
		}
		since = page.NextSince
	}
	r.agent(t)
	add(3)
	follow()
	r.sleep(365 * 24 * time.Hour)
	add(4)
	r.agent(t)
	r.imports(t, "list", listing(worse, nil))
	follow()
	r.sleep(-365 * 24 * time.Hour)
	r.Close()
	r.reopen(r.options())
	if err := r.file(t, "refused"); !Reported(err) || r.shows(health.Clock) != "behind" {
		t.Errorf("a report before the dates are mended: %v", err)
	}
	other, err := Open(t.Context(), r.path, Options{AcceptClock: true, Now: r.now, Silence: busy})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	dry, err := other.MendDates(t.Context(), Operator{Name: "ann"}, true)
	if err != nil || dry.Reports != 4 || dry.Others == 0 {
		t.Errorf("a dry run: %+v %v", dry, err)
	}
	if m, err := other.MendDates(t.Context(), Operator{Name: "ann"}, false); err != nil || m != dry {
		t.Errorf("mending: %+v %v, the dry run said %+v", m, err, dry)
	}
	if m, err := other.MendDates(t.Context(), Operator{Name: "ann"}, false); err != nil || m != (Mended{}) {
		t.Errorf("mending again: %+v %v", m, err)
	}
	acts, err := other.Acts(t.Context(), ActFilter{Limit: 10})
	if err != nil || len(acts) != 1 || acts[0].Operator != "ann" || acts[0].Action != MendedDates {
		t.Errorf("the log of acts has %+v %v", acts, err)
	}
	eventually(t, "the server trusts the clock", func() bool { return r.shows(health.Clock) == "" })
	r.sleep(time.Minute)
	add(2)
	follow()
	add(1)
	follow()
	if fmt.Sprint(followed) != fmt.Sprint(order) {
		t.Errorf("a follower got %v, want %v", followed, order)
	}
	page, err := r.Reports(t.Context(), Filter{Page: Page{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for i, report := range page.Reports {
		if report.Title != order[len(order)-1-i] || report.CreatedAt.Micro() > r.Now().Micro()+10 ||
			*report.PublishedAt != report.CreatedAt {
			t.Errorf("report %d: %s of %s, published %s", i, report.Title, report.CreatedAt, report.PublishedAt)
		}
	}
}

// TestWhateverIsFromTheFutureOfAReportIsMended: its reporter, or the date on which a list's story was recorded.
func TestWhateverIsFromTheFutureOfAReportIsMended(t *testing.T) {
	s := fresh(t)
	since := func() tocsin.Time { return dossier(t, s.DB, evil).Reporters[0].Since }
	s.sleep(time.Hour)
	future := s.Now()
	by := s.agent(t)
	s.sleep(-time.Hour)
	s.files(t, story(t, "a", "evil.com"), by)
	s.files(t, story(t, "b", "worse.com"), nil)
	s.sleep(time.Hour)
	old := story(t, "c", "third.com")
	old.SourceDate = tocsin.TimeOf(noon)
	s.imports(t, "list", told(old, "1"))
	s.sleep(time.Minute - time.Hour)
	equal(t, "since", since(), future)
	do(t, second(s.MendDates(t.Context(), Operator{}, false)))
	equal(t, "since, mended", since(), s.Now())
	equal(t, "events", s.events(t), "dated 2, filed 3")
}
