package health

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func shown(b *Board) string {
	var lines []string
	for _, t := range b.Troubles() {
		lines = append(lines, fmt.Sprintf("%s %s %d %t", t.Part, t.Reason, t.Count, t.Lasting))
	}
	return strings.Join(lines, "; ")
}

func TestAFailureIsShownForTenMinutesAfterItLastHappened(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	b := New(c.now, nil)
	for _, step := range []struct {
		wait time.Duration
		n    int
		want string
	}{
		{0, 0, ""},
		{0, 1, "writes full 1 false"},
		{9 * time.Minute, 2, "writes full 3 false"},
		{9 * time.Minute, 1, "writes full 4 false"}, // it goes on: the first was more than ten minutes ago
		{10 * time.Minute, 0, "writes full 4 false"},
		{time.Second, 0, ""},
		{0, 1, "writes full 1 false"},
		{11 * time.Minute, 1, "writes full 1 false"},
	} {
		c.at = c.at.Add(step.wait)
		if b.Count(Writes, "full", step.n); shown(b) != step.want {
			t.Errorf("after %+v it shows %q", step, shown(b))
		}
	}
	c.at = c.at.Add(-time.Hour)
	if shown(b) != "" {
		t.Errorf("a clock that went back shows %q", shown(b))
	}
}

func TestWhatLastsIsShownUntilItIsClearedAndToldOnceEachWay(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	var told []string
	b := New(c.now, func(trouble Trouble, begun bool) {
		told = append(told, fmt.Sprint(trouble.Part, " ", trouble.Reason, " ", begun))
	})
	for range 3 {
		b.Set(Database, "missing")
	}
	b.Set(Clock, "ahead")
	c.at = c.at.Add(24 * time.Hour)
	if want := "clock ahead 1 true; database missing 1 true"; shown(b) != want {
		t.Errorf("it shows %q", shown(b))
	}
	b.Set(Database, "replaced")
	b.Set(Database, "")
	b.Set(Database, "")
	if want := "clock ahead 1 true"; shown(b) != want {
		t.Errorf("at the end it shows %q", shown(b))
	}
	want := "database missing true, clock ahead true, database missing false, database replaced true, " +
		"database replaced false, database corrupt true, writes full true"
	b.Count(Database, "corrupt", 1)
	b.Count(Database, "corrupt", 1)
	b.Count(Writes, Full, 1)
	b.Count(Writes, Full, 1)
	b.Count(Writes, Refused, 1)
	b.Count(Load, "bodies", 1)
	if strings.Join(told, ", ") != want {
		t.Errorf("told: %s", strings.Join(told, ", "))
	}
}

func TestAPartThatWorksAgainIsShownAsSuch(t *testing.T) {
	b := New(new(clock).now, nil)
	over := func() (all []bool) {
		for _, t := range b.Troubles() {
			all = append(all, t.Over)
		}
		return all
	}
	b.Count(Writes, "full", 1)
	b.Count(Log, "dropped", 1)
	b.Set(Clock, "ahead")
	b.Works(Writes)
	b.Works(Clock)
	if got := fmt.Sprint(over()); got != "[false false true]" { // clock, log, writes
		t.Errorf("over: %s", got)
	}
	b.Count(Writes, "full", 1)
	if got := fmt.Sprint(over()); got != "[false false false]" {
		t.Errorf("over, after it failed again: %s", got)
	}
}

func TestABoardOfReasonsIsBounded(t *testing.T) {
	b := New(new(clock).now, nil)
	for i := range 2 * maxTroubles {
		b.Count(Writes, Reason(fmt.Sprint(i)), 1)
	}
	if n := len(b.Troubles()); n != maxTroubles {
		t.Errorf("%d reasons are kept", n)
	}
}

// TestAFailureIsNewsOnceInTenMinutes: the log says it then.
func TestAFailureIsNewsOnceInTenMinutes(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	b := New(c.now, nil)
	for i := range maxTroubles - 1 {
		b.Count(Log, Reason(fmt.Sprint(i)), 1)
	}
	for _, step := range []struct {
		wait time.Duration
		news bool
	}{{0, true}, {time.Minute, false}, {10 * time.Minute, false}, {10*time.Minute + 1, true}, {0, false}} {
		c.at = c.at.Add(step.wait)
		if news := b.Count(Writes, Full, 1); news != step.news {
			t.Errorf("%v after the last: news %t", step.wait, news)
		}
	}
	found := b.Troubles() // what is over has left its place
	if len(found) != 1 || !found[0].Since.Equal(c.at) || !found[0].Last.Equal(c.at) || found[0].Count != 2 {
		t.Errorf("kept is %+v", found)
	}
	if !b.Count(Log, "another", 1) || (*Board)(nil).Count(Log, Dropped, 1) {
		t.Error("a failure is not kept in the place of one that is over, or kept by no board")
	}
}

// TestWhatLastsSaysSinceWhen, and leaves what was counted of the same part.
func TestWhatLastsSaysSinceWhen(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	b := New(c.now, nil)
	b.Count(Database, Busy, 1)
	b.Set(Database, Missing)
	begun := c.at
	c.at = c.at.Add(-10 * time.Minute) // a clock that was set back a little keeps what was counted
	b.Set(Database, Missing)
	found := b.Troubles()
	if len(found) != 2 || found[0].Reason != Busy || found[1].Reason != Missing || !found[1].Lasting ||
		!found[1].Since.Equal(begun) || !found[1].Last.Equal(begun) {
		t.Errorf("%+v", found)
	}
	b.Set(Database, "")
	if found := b.Troubles(); len(found) != 1 || found[0].Reason != Busy {
		t.Errorf("at the end: %+v", found)
	}
	c.at = c.at.Add(-1)
	if shown(b) != "" {
		t.Errorf("of another time: %s", shown(b))
	}
}

func TestNoBoardKeepsNothing(t *testing.T) {
	var b *Board
	b.Count(Writes, "full", 1)
	b.Set(Database, "missing")
	b.Works(Writes)
	if b.Troubles() != nil {
		t.Error("it keeps something")
	}
}

// TestADamagedDatabaseStaysDamaged, while refused writes are over with what they were refused for.
func TestADamagedDatabaseStaysDamaged(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	b := New(c.now, nil)
	over := func(want string) {
		t.Helper()
		var all []string
		for _, trouble := range b.Troubles() {
			all = append(all, fmt.Sprint(trouble.Part, " ", trouble.Reason, " ", trouble.Over))
		}
		if got := strings.Join(all, ", "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	b.Set(Clock, Behind)
	b.Count(Writes, Refused, 1)
	b.Count(Database, Corrupt, 1)
	b.Set(Disk, Low)
	b.Set(Disk, "")
	over("clock behind false, database corrupt false, writes refused false")
	b.Set(Clock, "")
	over("database corrupt false, writes refused true")
	b.Count(Writes, Refused, 1)
	over("database corrupt false, writes refused false")
	c.at = c.at.Add(time.Hour)
	over("database corrupt false")
}

// TestTroublesAreInTheOrderOfTheirPartsAndReasons, and what happens no time is none.
func TestTroublesAreInTheOrderOfTheirPartsAndReasons(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	b := New(c.now, nil)
	for _, n := range []int{0, -1} {
		if b.Count(Writes, Full, n) || shown(b) != "" {
			t.Errorf("%d failures: %s", n, shown(b))
		}
		b.Note(Writes, n)
		if says := b.says(Writes); says != "works true, 0s, 0" {
			t.Errorf("%d failures: %s", n, says)
		}
	}
	for _, k := range []key{{Writes, Refused}, {Database, Missing}, {Writes, Busy}, {Disk, Low}, {Writes, IO},
		{Writes, Full}} {
		if !b.Count(k.part, k.reason, 1) || b.Count(k.part, k.reason, 1) {
			t.Errorf("%v is not first once", k)
		}
	}
	const want = "database missing 2 false; disk low 2 false; writes busy 2 false; writes full 2 false; writes io 2 " +
		"false; " +
		"writes refused 2 false"
	if got := shown(b); got != want {
		t.Errorf("%q", got)
	}
	formats := Formats()
	if !slices.IsSorted(formats) || len(formats) != len(words)+1 || !slices.Contains(formats, "%s: %s") {
		t.Errorf("%q", formats)
	}
	for _, said := range words {
		if !slices.Contains(formats, said[0]) {
			t.Errorf("%q is not among the formats", said[0])
		}
	}
	if text := (Trouble{Part: Disk, Reason: Bodies}).String(); text != "disk: bodies" {
		t.Errorf("%q", text)
	}
}
