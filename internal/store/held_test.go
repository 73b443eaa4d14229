package store

import (
	"testing"

	"tocsin"
)

// safe is an entry of a safelist.
func safe(name, category string) tocsin.Entry {
	return tocsin.Entry{Listing: &tocsin.Listing{
		Kind: tocsin.Safe, Category: category, Subject: tocsin.Subject{Kind: tocsin.DNS, Value: name},
	}}
}

// TestEntriesOfARiskListThatASafelistKnowsAreHeldAndTold: those alone, and not the names that users of a popular
// site got there.
func TestEntriesOfARiskListThatASafelistKnowsAreHeldAndTold(t *testing.T) {
	s := fresh(t)
	shared := safe("tenants.com", "hosting")
	shared.Listing.Kind = tocsin.Shared
	s.imports(t, "good", safe("bank.com", "bank"), safe("popular.com", tocsin.TopSite), shared)
	site := func(name string) tocsin.Entry { return listing(tocsin.Subject{Kind: tocsin.DNS, Value: name}, nil) }
	held := func(list string, names ...string) (told []string) {
		t.Helper()
		im, err := s.Import(t.Context(), tocsin.List{Name: list, Family: list})
		do(t, err)
		for _, name := range names {
			do(t, im.Add(site(name)))
		}
		_, err = im.Finish(t.Context(), false, nil)
		do(t, err)
		for _, h := range im.Held() {
			told = append(told, h.Subject.Value)
			equal(t, "by", h.By, []string{"good"})
		}
		return told
	}
	names := []string{"popular.com", "a.popular.com", "bank.com", "login.bank.com", "evil.com", "tenants.com",
		"x.tenants.com"}
	equal(t, "one list", held("one", names...), []string{"bank.com", "login.bank.com", "popular.com", "tenants.com"})
	level := func(name string) tocsin.Level {
		return tocsin.Screen(dossier(t, s.DB, tocsin.Subject{Kind: tocsin.DNS, Value: name}), s.Now().Std()).RiskLevel
	}
	for name, want := range map[string]tocsin.Level{"popular.com": tocsin.Low, "a.popular.com": tocsin.High,
		"bank.com": tocsin.Low, "login.bank.com": tocsin.Low, "evil.com": tocsin.High, "x.tenants.com": tocsin.High} {
		equal(t, name, level(name), want)
	}
	equal(t, "a second list", held("two", names...), []string{"bank.com", "tenants.com"})
	equal(t, "what is only known", level("popular.com"), tocsin.Critical)
	equal(t, "below", level("login.bank.com"), tocsin.Critical)
	equal(t, "what is vouched for", level("bank.com"), tocsin.Low)
}

func TestASiteThatIsOnlyKnownMayBeReported(t *testing.T) {
	s := fresh(t)
	s.imports(t, "good", safe("bank.com", "bank"), safe("popular.com", tocsin.TopSite))
	s.files(t, story(t, "a", "popular.com"), nil)
	_, err := s.FileReport(t.Context(), Filing{Draft: story(t, "b", "bank.com"), Network: network})
	if err == nil {
		t.Error("a report about a site that is vouched for was taken")
	}
}

// TestTheImportOfASafelistTellsWhatItHolds: most entries were on record before it.
func TestTheImportOfASafelistTellsWhatItHolds(t *testing.T) {
	s := fresh(t)
	site := func(name string) tocsin.Entry { return listing(tocsin.Subject{Kind: tocsin.DNS, Value: name}, nil) }
	s.imports(t, "one", site("bank.com"), site("login.bank.com"), site("evil.com"), site("popular.com"),
		site("x.tenants.com"))
	s.imports(t, "two", site("login.bank.com"))
	shared := safe("tenants.com", "hosting")
	shared.Listing.Kind = tocsin.Shared
	im, err := s.Import(t.Context(), tocsin.List{Name: "good", Family: "good"})
	do(t, err)
	for _, e := range []tocsin.Entry{safe("bank.com", "bank"), safe("popular.com", tocsin.TopSite), shared} {
		do(t, im.Add(e))
	}
	_, err = im.Finish(t.Context(), false, nil)
	do(t, err)
	var told []string
	for _, h := range im.Held() {
		told = append(told, h.Subject.Value)
	}
	equal(t, "held", told, []string{"bank.com", "popular.com"})
}
