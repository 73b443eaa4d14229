package readmodel

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tocsin"
)

// TestAnAnswerCountsReportsByWhoFiledThem: what package store compares with the database, in a few facts.
func TestAnAnswerCountsReportsByWhoFiledThem(t *testing.T) {
	page := tocsin.Subject{Kind: tocsin.DNS, Value: "a.evil.example"}
	site := tocsin.Subject{Kind: tocsin.DNS, Value: "evil.example"}
	account := tocsin.Subject{Kind: tocsin.EVM, Value: "0x" + strings.Repeat("a", 40)}
	mention := func(at, report, agent int64, crime tocsin.CrimeType) Mention {
		return Mention{Place: Place{Published: at, Report: report}, Agent: agent, Crime: crime}
	}
	told := func(at, report int64) Mention {
		return Mention{Place: Place{Published: at, Report: report}, Told: true, Crime: "scam"}
	}
	risk := Listing{List: 3, Listing: tocsin.Listing{Kind: tocsin.Risk, Category: "phishing"}}
	until := tocsin.MicroTime(900)
	m := New()
	m.Apply(Change{
		Lists: map[int64]List{3: {Name: "a list", Family: "a family"}},
		Agents: map[int64]*Agent{7: {ID: "agt_7", Created: tocsin.MicroTime(1), Network: 4},
			2: {ID: "agt_2", Created: tocsin.MicroTime(2), Proven: map[tocsin.Kind]tocsin.Time{tocsin.DNS: until}}},
		Records: map[tocsin.Subject]*Record{
			page: {Mentions: []Mention{mention(400, 9, 7, "hack"), mention(300, 5, 2, "scam")}},
			site: {Listings: []Listing{risk}, Mentions: []Mention{mention(400, 8, 7, "scam"), mention(300, 5, 2, "scam"),
				mention(200, 4, 0, "scam"), mention(100, 3, 7, "scam"), told(0, 1)}},
			account: {Mentions: []Mention{mention(600, 10, 2, "scam"), told(50, 2)}},
		},
	})
	for _, c := range []struct {
		names []tocsin.Subject
		want  string
	}{
		{[]tocsin.Subject{page, site}, "6 reports [9 8 5 4 3 1] from 100 to 400: [hack scam], 1 lists, " +
			"exact a.evil.example 2, parent evil.example 5; by  once 200 to 200, by agt_2 once 300 to 300 until 900, " +
			"by agt_7 of network 4 3 times 100 to 400"},
		{[]tocsin.Subject{site}, "5 reports [8 5 4 3 1] from 100 to 400: [scam], 1 lists, exact evil.example 5; " +
			"by  once 200 to 200, by agt_2 once 300 to 300 until 900, by agt_7 of network 4 2 times 100 to 400"},
		{[]tocsin.Subject{{Kind: tocsin.DNS, Value: "b.evil.example"}, site}, "5 reports [8 5 4 3 1] from 100 to 400: " +
			"[scam], 1 lists, parent evil.example 5; by  once 200 to 200, by agt_2 once 300 to 300 until 900, " +
			"by agt_7 of network 4 2 times 100 to 400"},
		{[]tocsin.Subject{account}, "2 reports [10 2] from 50 to 600: [scam], 0 lists; by agt_2 once 600 to 600"},
		{[]tocsin.Subject{{Kind: tocsin.DNS, Value: "b.example"}}, "nothing"},
	} {
		a, ok := m.About(c.names)
		if got := inWords(a); !ok || got != c.want {
			t.Errorf("%v:\n%s, want\n%s", c.names, got, c.want)
		}
	}
	undated := Record{Listings: []Listing{risk}, Mentions: []Mention{told(0, 1)}}
	m.Apply(Change{Records: map[tocsin.Subject]*Record{site: &undated}})
	if a, _ := m.About([]tocsin.Subject{site}); a.Reporters != nil || !reflect.DeepEqual(a.First, tocsin.Time{}) ||
		a.ReportCount != 1 {
		t.Errorf("a list's story without a date: %+v", a)
	}
}

// inWords writes what an answer says; times in µs.
func inWords(a *Answer) string {
	if a == nil {
		return "nothing"
	}
	var numbers []int64
	for _, p := range a.Places {
		numbers = append(numbers, p.Report)
	}
	text := fmt.Sprintf("%d reports %v from %d to %d: %v, %d lists", a.ReportCount, numbers, a.First.Std().UnixMicro(),
		a.Last.Std().UnixMicro(), a.CrimeTypes, len(a.Listings))
	for _, m := range a.Matches {
		text += fmt.Sprintf(", %s %s %d", m.Match, m.Domain, m.ReportCount)
	}
	for i, g := range a.Reporters {
		text += map[bool]string{true: "; by ", false: ", by "}[i == 0] + g.Agent
		if g.Network != 0 {
			text += fmt.Sprint(" of network ", g.Network)
		}
		times := fmt.Sprint(g.Reports, " times")
		if g.Reports == 1 {
			times = "once"
		}
		text += fmt.Sprintf(" %s %d to %d", times, g.Oldest.Std().UnixMicro(), g.Newest.Std().UnixMicro())
		if until := g.ProvenUntil.Std().UnixMicro(); until > 0 {
			text += fmt.Sprint(" until ", until)
		}
	}
	return text
}

// TestWhatIsDeletedTakesNoSpace: what is left are the indexes.
func TestWhatIsDeletedTakesNoSpace(t *testing.T) {
	m := New()
	change := func(there bool) {
		c := Change{Records: map[tocsin.Subject]*Record{}}
		for i := range 10_000 {
			s := tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("%s%d.example", strings.Repeat("long.", 30), i)}
			if c.Records[s] = nil; there {
				c.Records[s] = &Record{Mentions: []Mention{{Place: Place{int64(i), int64(i)}, Crime: "scam"}}}
			}
		}
		m.Apply(c)
	}
	change(true)
	full := m.Bytes()
	change(false)
	if left := m.Bytes(); left > full/4 || m.Subjects() != 0 {
		t.Errorf("%d bytes of %d are left, and %d subjects", left, full, m.Subjects())
	}
}
