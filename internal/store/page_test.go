package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tocsin"
)

// TestAShorterFirstPageIsPartOfTheOneInMemory pages through reports with every
// limit, from memory and from the database.
func TestAShorterFirstPageIsPartOfTheOneInMemory(t *testing.T) {
	s := fresh(t)
	const reports = FirstPage + 5
	for i := range reports {
		s.files(t, story(t, fmt.Sprint("story ", i), evil.Value), nil)
	}
	ids := func(limit int, forget bool) (ids []string) {
		cursor := ""
		for {
			if forget {
				s.dossiers.clear()
			}
			d, err := s.AboutSubject(t.Context(), evil, Page{Limit: limit, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Reports) > limit || d.ReportCount != reports {
				t.Fatalf("limit %d: %d reports of %d", limit, len(d.Reports), d.ReportCount)
			}
			for _, r := range d.Reports {
				ids = append(ids, r.ID)
			}
			if cursor = d.NextCursor; cursor == "" {
				return ids
			}
		}
	}
	all := ids(100, true)
	if len(all) != reports {
		t.Fatalf("%d reports", len(all))
	}
	for limit := 1; limit <= reports; limit++ {
		for _, forget := range []bool{true, false} {
			if got := ids(limit, forget); fmt.Sprint(got) != fmt.Sprint(all) {
				t.Errorf("limit %d, read anew %t: %v, want %v", limit, forget, got, all)
			}
		}
	}
	s.dossiers.clear()
	long, err := s.AboutSubject(t.Context(), evil, Page{Limit: 7})
	do(t, err)
	short, err := s.AboutSubject(t.Context(), evil, Page{Limit: 3})
	if err != nil || len(short.Reports) != 3 || &short.Reports[0] != &long.Reports[0] {
		t.Errorf("%v: %d reports, or they were read again", err, len(short.Reports))
	}
}

// TestADossierWithItsReportsReplacesThatOfABatch: a batch reads no reports, and
// its dossiers must not keep those that have some out of the memory.
func TestADossierWithItsReportsReplacesThatOfABatch(t *testing.T) {
	s := fresh(t)
	address, fault := tocsin.ParseAddress("0x52908400098527886e0f7030069857d2e4169ee7")
	if fault != nil {
		t.Fatal(fault)
	}
	d := story(t, "a", "evil.com")
	d.ScammerAddresses = []string{address.String()}
	s.files(t, d, nil)
	if _, err := s.AboutAll(t.Context(), []tocsin.Subject{address.Subject()}); err != nil {
		t.Fatal(err)
	}
	first := dossier(t, s.DB, address.Subject())
	if len(first.Reports) != 1 || dossier(t, s.DB, address.Subject()) != first {
		t.Errorf("%d reports, or they were read again", len(first.Reports))
	}
}

func TestAPageThatHoldsTheLastReportHasNoNextPage(t *testing.T) {
	d := &keptDossier{
		Dossier: Dossier{Dossier: tocsin.Dossier{Reports: make([]tocsin.Report, 3)}},
		ends:    []end{{"after 1", 1000}, {"after 2", 2000}, {"after 3", 3000}},
	}
	for _, c := range []struct {
		limit, bytes, reports int
		next                  string
	}{
		{0, 0, 0, ""}, {1, 0, 1, "after 1"}, {2, 0, 2, "after 2"}, {3, 0, 3, ""}, {4, 0, 3, ""},
		{3, 3000, 3, ""}, {3, 2999, 2, "after 2"}, {2, 1999, 1, "after 1"}, {3, 1, 1, "after 1"},
	} {
		cut := d.cut(Page{Limit: c.limit, Bytes: c.bytes})
		equal(t, fmt.Sprintf("%+v", c), []any{len(cut.Reports), cut.NextCursor}, []any{c.reports, c.next})
	}
	if d.NextCursor != "" || len(d.Reports) != 3 {
		t.Errorf("the dossier itself was cut: %+v", d)
	}
}

// TestTheMemoryOfDossiersAddsUp: what it weighs is known after whatever was kept
// and dropped, and is bounded.
func TestTheMemoryOfDossiersAddsUp(t *testing.T) {
	c := dossiers{bound: 16 << 20}
	dice := rand.New(rand.NewPCG(1, 2))
	large := []tocsin.Report{{Draft: tocsin.Draft{Description: strings.Repeat("x", 1<<20)}}}
	dropped := 0
	for step := range 3000 {
		owner := tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.com", dice.IntN(90))}
		name := owner
		if dice.IntN(2) == 0 {
			name.Value = "www." + name.Value
		}
		switch n := dice.IntN(20); {
		case n == 0:
			c.forget([]tocsin.Subject{name})
			equal(t, "forgotten with its family", []any{c.kept[owner], c.kept[name], c.families[owner]}, []any{nil, nil, nil})
		case n == 1 && step%10 == 0:
			c.clear()
		default:
			d := newKept(0, tocsin.ListDates{})
			d.ReportCount = dice.IntN(2)
			if d.ReportCount > 0 && dice.IntN(2) == 0 {
				d.Reports, d.ends, d.limit = large, []end{{bytes: 1 << 20}}, 1
			}
			before, generation := c.get(name, 0)
			others := len(c.kept)
			c.put(name, d, generation-1)
			if same, _ := c.get(name, 0); same != before {
				t.Fatal("what was read before a change is kept after it")
			}
			c.put(name, d, generation)
			d.Keep(1, 1000*dice.IntN(2)) // nothing: it was asked for once
			if before == nil && len(c.kept) <= others {
				dropped++
			}
			kept, _ := c.get(name, 0)
			if dice.IntN(3) == 0 {
				kept.Keep(2, 1000*dice.IntN(100))
			}
			if want := before == nil || !before.answers(d.limit); want && kept != d || !want && kept != before && kept != d {
				t.Fatal("it is not kept, or in the place of a better one")
			}
			if kept, _ = c.get(name, 1); kept != nil && kept.ReportCount > 0 && len(kept.Reports) == 0 {
				t.Fatal("it has no reports")
			}
		}
		size, names := 0, 0
		for _, d := range c.kept {
			size += weight(d.name, d)
			if d.Memo() == 1 {
				t.Fatal("something is kept with what was asked for once")
			}
			if d.Memo() == 2 {
				size += d.memoSize
			}
		}
		for owner, d := range c.families {
			for ; d != nil; d = d.after {
				if names++; c.kept[d.name] != d || d.name.Owner() != owner {
					t.Fatal("a family has a stranger")
				}
			}
		}
		equal(t, "names in families", names, len(c.kept))
		if c.size != size || size > c.bound {
			t.Fatalf("step %d: %d bytes, %d by its own count", step, size, c.size)
		}
	}
	if dropped == 0 {
		t.Error("it was never full")
	}
}
