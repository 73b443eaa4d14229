package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
)

func TestRelatedSubjectsAreThoseThatMostReportsName(t *testing.T) {
	s := fresh(t)
	first := s.files(t, story(t, "a", "evil.com", "worse.com", "third.com"), nil).Report.ID
	s.files(t, story(t, "b", "evil.com", "third.com"), nil)
	s.files(t, story(t, "c", "worse.com", "unrelated.com"), nil)
	related := func(limit int) string {
		t.Helper()
		found, _, err := s.RelatedTo(t.Context(), evil, limit, 0)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, r := range found {
			text += fmt.Sprintf("%s %d, ", r, r.Reports)
		}
		return text
	}
	equal(t, "all", related(10), "third.com 2, worse.com 1, ")
	equal(t, "the first", related(1), "third.com 2, ")
	if err := s.Hide(t.Context(), Operator{}, first); err != nil {
		t.Fatal(err)
	}
	equal(t, "without a hidden report", related(10), "third.com 1, ")
}

// TestWhatIsRelatedToADomainIsOfTheReportsOfItsScreening, of which some name a parent. No such name is related.
func TestWhatIsRelatedToADomainIsOfTheReportsOfItsScreening(t *testing.T) {
	s := fresh(t)
	s.files(t, story(t, "a", "evil.com", "third.com"), nil)
	s.files(t, story(t, "b", "pay.evil.com", "evil.com", "worse.com"), nil)
	for name, want := range map[string]string{"pay.evil.com": "[third.com worse.com]", "new.evil.com": "[pay.evil.com " +
		"third.com worse.com]", "evil.com": "[pay.evil.com third.com worse.com]", "other.com": "[]"} {
		found, _, err := s.RelatedTo(t.Context(), tocsin.Subject{Kind: tocsin.DNS, Value: name}, 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		names := make([]string, len(found))
		for i, r := range found {
			names[i] = r.String()
		}
		equal(t, name, fmt.Sprint(names), want)
	}
}

func TestOfVeryManyReportsTheNewestSayWhatIsRelated(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	for i := range maxOutlines + 1 {
		partner := "third.com"
		if i == 0 {
			partner = "worse.com"
		}
		d := story(t, "a", "evil.com", partner)
		d.SourceDate = tocsin.TimeOf(noon.Add(time.Duration(i-1000) * time.Hour))
		entries = append(entries, told(d, fmt.Sprint(i)))
	}
	s.imports(t, "list", entries...)
	found, _, err := s.RelatedTo(t.Context(), evil, 10, 0)
	if err != nil || len(found) != 1 || found[0].Value != "third.com" || found[0].Reports != maxOutlines {
		t.Errorf("%v, %v", found, err)
	}
}

// TestOfLargeReportsAMegabyteIsRead: otherwise anybody could make the page of a subject dear.
func TestOfLargeReportsAMegabyteIsRead(t *testing.T) {
	s := fresh(t)
	const size = 4 * tocsin.MaxDescription // bytes of the longest story
	var entries []tocsin.Entry
	for i := range 2 * maxOutlineBytes / size {
		d := story(t, "a", "evil.com")
		d.Description = strings.Repeat("𝕏", tocsin.MaxDescription)
		entries = append(entries, told(d, fmt.Sprint(i)))
	}
	s.imports(t, "list", entries...)
	read, err := s.Outlines(t.Context(), []tocsin.Subject{evil})
	if most := maxOutlineBytes/size + 1; err != nil || len(read) > most || len(read) < most-2 {
		t.Errorf("%d outlines are read, of %d reports; %v", len(read), len(entries), err)
	}
}
