package health

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// says returns what the last day of a part says.
func (b *Board) says(part Part) string {
	for _, d := range b.LastDay().Parts {
		if d.Part != part {
			continue
		}
		said := []string{fmt.Sprintf("works %t, %v, %d", d.Works, d.Failing, d.Count)}
		for _, step := range d.Steps {
			said = append(said, fmt.Sprintf("%s %v %d", step.Start.Format("15:04"), step.Failing, step.Count))
		}
		if !d.Last.IsZero() {
			said = append(said, "last "+d.Last.Format("15:04"))
		}
		return strings.Join(said, "; ")
	}
	return "no such part"
}

func TestTheLastDayHasWhenAPartFailedAndForHowLong(t *testing.T) {
	const nothing = "works true, 0s, 0"
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	b := New(c.now, nil)
	for _, step := range []struct {
		wait time.Duration
		do   func()
		part Part
		want string
	}{
		{0, func() { b.Set(Database, "") }, Database, nothing},
		{50 * time.Minute, func() { b.Set(Database, Missing) }, Database, "works false, 0s, 1; 12:30 0s 1; last 12:50"},
		{20 * time.Minute, func() { b.Set(Database, Replaced) }, Database, // goes on
			"works false, 20m0s, 1; 12:30 10m0s 1; 13:00 10m0s 0; last 13:10"},
		{50 * time.Minute, func() { b.Set(Database, "") }, Database,
			"works true, 1h10m0s, 1; 12:30 10m0s 1; 13:00 30m0s 0; 13:30 30m0s 0; last 14:00"},
		{0, func() { b.Count(Writes, Full, 3) }, Writes, "works true, 0s, 3; 14:00 0s 3; last 14:00"},
		{40 * time.Minute, func() { b.Count(Writes, Full, 1) }, Writes,
			"works true, 0s, 4; 14:00 0s 3; 14:30 0s 1; last 14:40"},
		{0, func() { b.Note(Imports, 2) }, Imports, "works true, 0s, 2; 14:30 0s 2; last 14:40"},
		{0, func() { b.Note(Log, 0) }, Log, nothing},
		{0, func() { b.Mark(Facilitator, false) }, Facilitator, "works false, 0s, 1; 14:30 0s 1; last 14:40"},
		{21*time.Hour + 50*time.Minute, func() {}, Database,
			"works true, 1h0m0s, 0; 13:00 30m0s 0; 13:30 30m0s 0; last 14:00"},
		{90 * time.Minute, func() {}, Database, nothing},
		{48 * time.Hour, func() {}, Facilitator, ""},
		{0, func() { b.Mark(Facilitator, true) }, Writes, nothing},
	} {
		c.at = c.at.Add(step.wait)
		if step.do(); step.want != "" && b.says(step.part) != step.want {
			t.Errorf("at %v %s: %s, want %s", c.at, step.part, b.says(step.part), step.want)
		}
	}
	says := b.says(Facilitator)
	if !strings.HasPrefix(says, "works true, 23h30m0s, 0; ") || strings.Count(says, ";") < Steps {
		t.Errorf("what failed all day: %s", says)
	}
	if len(b.known) > 0 && b.known[key{Imports, ""}] != nil {
		t.Error("what is noted for the day is a trouble")
	}
}

func TestTheLastDayIsKnownFromTheBeginningOfTheProcess(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 10, 0, 0, time.UTC)}
	b := New(c.now, nil)
	for _, step := range []struct {
		wait time.Duration
		want string
	}{{0, "4 12:10"}, {23*time.Hour + 19*time.Minute, "4 12:10"}, {31 * time.Minute, "4 12:30"}} {
		c.at = c.at.Add(step.wait)
		if last := b.LastDay(); last.Since.Format("2 15:04") != step.want || len(last.Parts) != len(Parts) {
			t.Errorf("at %v it is known since %v", c.at, last.Since)
		}
	}
	var none *Board
	none.Note(Load, 1)
	none.Mark(Facilitator, false)
	if last := none.LastDay(); !last.Since.IsZero() || last.Parts != nil {
		t.Error("no board has a day")
	}
}

// TestAClockThatIsSetLosesNothingButTheDay: years ahead are not counted, and neither is a time before the beginning.
func TestAClockThatIsSetLosesNothingButTheDay(t *testing.T) {
	c := &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	b := New(c.now, nil)
	b.Mark(ReadModel, false)
	c.at = c.at.Add(10 * 365 * 24 * time.Hour)
	if parts := b.LastDay().Parts; parts[5].Failing != 24*time.Hour-Step {
		t.Errorf("it has failed for %v of a day", parts[5].Failing)
	}
	c.at = time.Date(1960, 3, 4, 12, 0, 0, 0, time.UTC)
	b.Count(Writes, Full, 1)
	b.Mark(ReadModel, true)
	if says := b.says(Writes); !strings.HasPrefix(says, "works true, 0s, 1; 12:00 0s 1") {
		t.Error(says)
	}
	if says := b.says(ReadModel); says != "works true, 0s, 0" {
		t.Error(says)
	}
}
