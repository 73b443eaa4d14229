package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tocsin"
)

// statements counts those that do reads with.
func (s *shelf) statements(do func()) (n int) {
	conns := make([]*conn, readers)
	count := func(count func(string) error) {
		for i := range conns {
			conns[i] = <-s.readers
			conns[i].ran = count
		}
		for _, c := range conns {
			s.readers <- c
		}
	}
	count(func(query string) error {
		if !strings.HasPrefix(query, "BEGIN") && query != "COMMIT" {
			n++
		}
		return nil
	})
	do()
	count(nil)
	return n
}

// TestAReadIsAFewStatements: each statement is a round trip once the database is
// on another machine.
func TestAReadIsAFewStatements(t *testing.T) {
	s := fresh(t)
	a := s.agent(t)
	var addresses []tocsin.Address
	for i := range 50 {
		address, fault := tocsin.ParseAddress(fmt.Sprintf("0x%040x", i+1))
		if fault != nil {
			t.Fatal(fault)
		}
		addresses = append(addresses, address)
	}
	entries := []tocsin.Entry{listing(evil, nil)}
	for i, a := range addresses[:30] {
		entries = append(entries, listing(a.Subject(), nil))
		if i%2 == 0 {
			d := story(t, fmt.Sprint("Told ", i), "evil.com")
			d.ScammerAddresses = []string{a.String()}
			entries = append(entries, told(d, fmt.Sprint(i)))
		}
	}
	s.imports(t, "one", entries...)
	s.imports(t, "two", entries...)
	for i := range 25 {
		s.files(t, story(t, fmt.Sprint("Filed ", i), "a.b.www.evil.com", "www.evil.com"), a)
	}
	// A report that names two of the names counts once.
	equal(t, "reports", dossier(t, s.DB, tocsin.Subject{Kind: tocsin.DNS, Value: "a.b.www.evil.com"}).ReportCount, 25+2*15)
	page := Page{Limit: FirstPage}
	domain, fault := tocsin.ParseDomain("a.b.www.evil.com")
	if fault != nil {
		t.Fatal(fault)
	}
	for _, c := range []struct {
		about string
		most  int
		do    func(ctx context.Context) error
	}{
		{"an unknown address", 1, func(ctx context.Context) error {
			_, err := s.About(ctx, addresses[49], page)
			return err
		}},
		{"an address", 3, func(ctx context.Context) error {
			_, err := s.About(ctx, addresses[0], page)
			return err
		}},
		{"a domain and its parents", 3, func(ctx context.Context) error {
			_, err := s.AboutDomain(ctx, domain, page)
			return err
		}},
		{"outlines of the reports about a domain and its parents", 1, func(ctx context.Context) error {
			found, err := s.Outlines(ctx, domain.SelfAndParents())
			equal(t, "outlines", len(found), 25+2*15)
			return err
		}},
		{"50 addresses, a domain with its parents and an account of another chain", 2, func(ctx context.Context) error {
			mixed := append(subjectsOf(addresses), domain.Subject(), tocsin.Subject{Kind: tocsin.Tron, Value: tron})
			_, err := s.AboutAll(ctx, mixed)
			return err
		}},
		{"a page of reports", 1, func(ctx context.Context) error {
			_, err := s.Reports(ctx, Filter{Page: page})
			return err
		}},
		{"a page of what was found", 4, func(ctx context.Context) error {
			// the newest, matches, those outside the story, reports
			_, err := s.Search(ctx, []tocsin.Term{{Text: "filed"}}, "", page)
			return err
		}},
	} {
		s.dossiers.clear()
		n := s.statements(func() {
			if err := c.do(t.Context()); err != nil {
				t.Error(err)
			}
		})
		if n > c.most || n == 0 {
			t.Errorf("%s: %d statements, %d at most", c.about, n, c.most)
		}
	}
}

func TestABatchAnswersAsOneByOne(t *testing.T) {
	s := fresh(t)
	a := s.agent(t)
	var addresses []tocsin.Address
	var entries []tocsin.Entry
	for i := range 8 {
		address, fault := tocsin.ParseAddress(fmt.Sprintf("0x%040x", i/2+1)) // each of them twice
		if fault != nil {
			t.Fatal(fault)
		}
		addresses = append(addresses, address)
		if i%3 == 0 {
			entries = append(entries, listing(address.Subject(), nil))
		}
	}
	s.imports(t, "list", entries...)
	for i, by := range []*Caller{nil, a, a} {
		d, err := tocsin.Draft{
			CrimeType:        []tocsin.CrimeType{tocsin.Scam, tocsin.Phishing}[i%2],
			Title:            fmt.Sprint("Filed ", i),
			Description:      "It took it all.",
			ScammerAddresses: []string{addresses[0].String(), addresses[2*i].String()},
		}.Parse(noon)
		if err != nil {
			t.Fatal(err)
		}
		s.files(t, d, by)
	}
	d := story(t, "Of a name and of one above it", "evil.com", "pay.evil.com")
	d.ScammerAccounts = []string{tron}
	s.files(t, d, a)
	s.files(t, story(t, "Of the name above", "evil.com"), nil)
	s.imports(t, "names", listing(evil, nil))
	subjects := append(subjectsOf(addresses), evil, evil, tocsin.Subject{Kind: tocsin.Tron, Value: tron})
	for _, name := range []string{"pay.evil.com", "new.evil.com", "other.com"} {
		subjects = append(subjects, tocsin.Subject{Kind: tocsin.DNS, Value: name})
	}
	s.dossiers.clear()
	all, err := s.AboutAll(t.Context(), subjects)
	if err != nil {
		t.Fatal(err)
	}
	s.dossiers.clear()
	known, err := s.OnRecord(t.Context(), subjects...)
	do(t, err)
	for i, subject := range subjects {
		equal(t, subject.String()+" is on record", known[i], len(all[i].Listings) > 0 || all[i].ReportCount > 0)
	}
	equal(t, "of another name nothing is", known[len(known)-1], false)
	s.dossiers.clear()
	for i, subject := range subjects {
		one, err := s.AboutSubject(t.Context(), subject, Page{})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, subject.String(), all[i].Dossier, one.Dossier)
	}
	equal(t, "reports of a name and of the one above it", []int{all[len(all)-3].ReportCount, all[len(all)-2].ReportCount},
		[]int{2, 2})
}

// tron is an account of Tron.
const tron = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

func subjectsOf(addresses []tocsin.Address) []tocsin.Subject {
	subjects := make([]tocsin.Subject, len(addresses))
	for i, a := range addresses {
		subjects[i] = a.Subject()
	}
	return subjects
}
