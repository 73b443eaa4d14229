package limits

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestThePublishedLimitsOfSubjects holds docs/risk.md.
func TestThePublishedLimitsOfSubjects(t *testing.T) {
	text, err := os.ReadFile("../../docs/risk.md")
	if err != nil {
		t.Fatal(err)
	}
	b := New(Config{Filings: 30}, time.Now)
	says := fmt.Sprintf("a key can name %d subjects an hour, all keys of one network together %d, and its anonymous "+
		"reports %d.", b.AgentSubjects.Limit(), b.KeyedSubjects.Limit(), b.Subjects.Limit())
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), says) {
		t.Errorf("docs/risk.md does not say: %s", says)
	}
}

func TestEventsThatBelongTogetherAreAdmittedTogetherOrNotAtAll(t *testing.T) {
	c := newClock()
	w := NewWindow[string](10, time.Hour, c.now)
	_, undo := w.TakeMany("a", 6)
	c.advance(10 * time.Minute)
	w.TakeMany("a", 2)
	c.advance(10 * time.Minute)
	for events, want := range map[int]time.Duration{3: 40 * time.Minute, 8: 40 * time.Minute, 9: 50 * time.Minute,
		10: 50 * time.Minute, 11: time.Hour} {
		if wait, undo := w.TakeMany("a", events); wait != want || undo != nil {
			t.Errorf("%d events have to wait %v, not %v", events, wait, want)
		}
	}
	if wait, _ := w.TakeMany("b", 10); wait != 0 {
		t.Error("another key has to wait")
	}
	undo()
	if wait, _ := w.TakeMany("a", 8); wait != 0 {
		t.Error("what was taken back still counts")
	}
	if wait, _ := w.Take("a"); wait == 0 {
		t.Error("more than was taken back is free")
	}
}
