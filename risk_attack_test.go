package tocsin

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestThePublishedExample(t *testing.T) {
	p := published(t, `(Two) settled keys reported an address today, one of them (three) times, and (one) list names it:`)
	groups := keys(int(p[0]), 0, 90*day)
	groups[1].Reports = int(p[1])
	a := assess(groups, listed("a")...)
	rows := table(t, "factor")
	if len(rows) != len(a.Factors)+1 {
		t.Fatalf("the example has %d factors, the code %+v", len(rows)-1, a.Factors)
	}
	for i, row := range rows[:len(a.Factors)] {
		code := strings.Split(row[0], "`")[1]
		sum := strings.Replace(row[1], "−", "-", 1)
		if f := a.Factors[i]; code != f.Code || sum != fmt.Sprintf("%+d", f.Points) {
			t.Errorf("the example has %s %s, the code %+v", code, sum, a.Factors[i])
		}
	}
	if total := rows[len(rows)-1][1]; total != fmt.Sprintf("**%d**, %s", a.Score, LevelOf(a.Score)) {
		t.Errorf("the example ends at %s, the code at %d, %s", total, a.Score, LevelOf(a.Score))
	}
}

// TestThePublishedAttacks reads the table of what an attacker can do and tries each of its cells.
func TestThePublishedAttacks(t *testing.T) {
	makers := map[string]func(n int) []ReporterGroup{
		"any number of anonymous filings": func(n int) []ReporterGroup { return []ReporterGroup{anonymous(n, 0)} },
		"keys made today":                 func(n int) []ReporterGroup { return keys(n, 0, 0) },
		"keys older than 30 days":         func(n int) []ReporterGroup { return keys(n, 0, 30*day+time.Second) },
		"proven keys of one network": func(n int) []ReporterGroup {
			groups := keys(n, n, 30*day)
			for i := range groups {
				groups[i].Network = 9
			}
			return groups
		},
		"proven keys of different networks": func(n int) []ReporterGroup { return keys(n, n, 30*day) },
	}
	cell := regexp.MustCompile(`^(?:never(?: \((\d+) at most\))?|` +
		`(\d+)(?:, or (\d+) and one anonymous report)?(, and two days of patience)?)$`)
	rows := table(t, "attacker has")
	if len(rows) != len(makers) {
		t.Errorf("%d attackers are published, %d are tried", len(rows), len(makers))
	}
	for _, row := range rows {
		attack := makers[row[0]]
		if attack == nil {
			t.Errorf("no test knows the attacker %q", row[0])
			continue
		}
		if one := assess(attack(1)).Score; fmt.Sprintf("%d (%s)", one, LevelOf(one)) != row[1] {
			t.Errorf("%s: one report gives %d, not %s", row[0], one, row[1])
		}
		for i, level := range []int{25, 50} {
			says := cell.FindStringSubmatch(row[2+i])
			if says == nil {
				t.Errorf("%s: %q is not understood", row[0], row[2+i])
				continue
			}
			reach := func(n int, patience bool, more ...ReporterGroup) int {
				groups := attack(n)
				if patience {
					groups[0].Oldest = ago(2)
				}
				return assess(append(groups, more...)).Score
			}
			if strings.HasPrefix(says[0], "never") {
				most := reach(10_000, true, anonymous(10_000, 0))
				if most >= level || says[1] != "" && says[1] != strconv.Itoa(most) {
					t.Errorf("%s: ten thousand of them give %d, not %s", row[0], most, says[0])
				}
				continue
			}
			n, _ := strconv.Atoi(says[2])
			patience := says[4] != ""
			tooSoon := n > 1 && reach(n-1, patience) >= level || patience && reach(n, false) >= level
			if reach(n, patience) < level || tooSoon {
				t.Errorf("%s: %q to %d is not so: %d gives %d", row[0], says[0], level, n, reach(n, patience))
			}
			if fewer, _ := strconv.Atoi(says[3]); fewer > 0 {
				one := anonymous(1, 0)
				if reach(fewer, patience, one) < level || reach(fewer-1, patience, one) >= level {
					t.Errorf("%s: %q to %d is not so with an anonymous report", row[0], says[0], level)
				}
			}
		}
	}
}

// TestWhyTheNumbersAreWhatTheyAre holds the reasons that docs/risk.md gives.
func TestWhyTheNumbersAreWhatTheyAre(t *testing.T) {
	p := published(t, `(\d+) puts one curated list in the upper half of HIGH and leaves (\d+) points below CRITICAL, `+
		`which is what the anonymous can add`)
	one := assess(nil, listed("a")...).Score
	crowd := assess([]ReporterGroup{anonymous(9999, 0)}, listed("a")...).Score
	if one != int(p[0]) || one < (50+79)/2 || crowd != one+int(p[1]) || LevelOf(crowd) != High || crowd != 79 {
		t.Errorf("a list gives %d, with all the anonymous %d", one, crowd)
	}
	p = published(t, `(\d+) points for a new key bring a listed subject to (\d+)`)
	if a := assess(keys(1, 0, 0), listed("a")...); points(a, "reports") != int(p[0]) || a.Score != int(p[1]) {
		t.Errorf("a new key brings a listed subject to %+v", a)
	}
}
