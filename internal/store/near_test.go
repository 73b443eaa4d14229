package store

import (
	"fmt"
	"strings"
	"testing"

	"tocsin"
)

// These addresses have the same four digits at both ends.
const (
	goodOne   = "0x28c6c06298d514db089934071355e5743bf21d60"
	badOne    = "0x28c6ffffffffffffffffffffffffffffffff1d60"
	filedOne  = "0x28c6eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee1d60"
	twin      = "0x28c6000000000000000000000000000000001d60"
	otherTwin = "0x28c7000000000000000000000000000000001d60"
)

// resembled says what the findings about some subjects are.
func resembled(t *testing.T, db *DB, contacts []tocsin.Address, texts ...string) string {
	t.Helper()
	subjects := make([]tocsin.Subject, len(texts))
	for i, text := range texts {
		var fault *tocsin.Error
		if subjects[i], fault = tocsin.ParseSubject(text); fault != nil {
			t.Fatal(fault)
		}
	}
	dossiers, err := db.AboutAll(t.Context(), subjects)
	do(t, err)
	found, err := db.AddressFindings(t.Context(), subjects, dossiers, contacts)
	do(t, err)
	var says []string
	for _, f := range found {
		switch {
		case f == nil:
			says = append(says, "no account")
		case f.Poisoning == nil:
			says = append(says, "-")
		default:
			name := ""
			if f.Poisoning.Name != nil {
				name = " " + *f.Poisoning.Name
			}
			says = append(says, fmt.Sprint(strings.ToLower(f.Poisoning.Resembles[6:8]), " ", f.Poisoning.Status, name))
		}
	}
	return strings.Join(says, ", ")
}

// TestWhatAddressesResembleIsTheSameWithoutTheModel, at once after each change.
func TestWhatAddressesResembleIsTheSameWithoutTheModel(t *testing.T) {
	s := modelled(t)
	s.LoadModel()
	upToDate(t, s.DB)
	other := open(t, s.path, s.ahead)
	all := []string{twin, goodOne, badOne, otherTwin, "evil.com", "tron:TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n"}
	check := func(about, want string) {
		t.Helper()
		want += ", -, no account, -"
		equal(t, about, resembled(t, s.DB, nil, all...), want)
		upToDate(t, s.DB)
		n := s.statements(func() { equal(t, about+", later", resembled(t, s.DB, nil, all...), want) })
		equal(t, "statements", n, 0)
		eventually(t, about+", without a model", func() bool { return resembled(t, other, nil, all...) == want })
	}
	subject := func(text string) tocsin.Subject { return tocsin.Subject{Kind: tocsin.EVM, Value: text} }
	d := story(t, "Filed", "evil.com")
	d.ScammerAddresses = []string{filedOne}
	s.files(t, d, nil)
	check("a filed address", "-, -, -")
	s.imports(t, "risk", listing(subject(badOne), nil), listing(subject("0x"+strings.Repeat("1", 40)), nil))
	check("a listed address", "ff reported, ff reported, -")
	safe := tocsin.Listing{Kind: tocsin.Safe, Category: "exchange", Subject: subject(goodOne), Name: "Bourse"}
	s.imports(t, "safe", tocsin.Entry{Listing: &safe})
	check("a known address", "c0 safelisted Bourse, -, c0 safelisted Bourse")
	for _, place := range []int{2, 4, 5, 6, 20, 37, 38, 41} { // one digit is another
		wrong := goodOne[:place] + string('0'+(goodOne[place]-'0'+1)%8) + goodOne[place+1:]
		for _, db := range []*DB{s.DB, other} {
			equal(t, wrong, resembled(t, db, nil, wrong), "c0 safelisted Bourse")
		}
	}
	const solana = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
	risky := tocsin.Listing{Kind: tocsin.Risk, Category: "phishing", Subject: tocsin.Subject{Kind: tocsin.Solana,
		Value: solana}}
	s.imports(t, "solana", tocsin.Entry{Listing: &risky})
	for _, place := range []int{3, 21, 22, 30} {
		for _, db := range []*DB{s.DB, other} {
			eventually(t, "one character of Solana is another", func() bool {
				return strings.HasSuffix(resembled(t, db, nil, "solana:"+solana[:place]+"2"+solana[place+1:]), " reported")
			})
		}
	}
	equal(t, "two are", resembled(t, s.DB, nil, "solana:"+solana[:3]+"2"+solana[4:30]+"2"+solana[31:]), "-")
	contact, fault := tocsin.ParseAddress("0x28c60000000000000000000000000000ffff1d60")
	if fault != nil {
		t.Fatal(fault)
	}
	for _, db := range []*DB{s.DB, other} {
		equal(t, "a contact", resembled(t, db, []tocsin.Address{{}, contact}, all[:4]...),
			"00 contact, -, 00 contact, 00 contact")
		equal(t, "a contact itself", resembled(t, db, []tocsin.Address{contact}, contact.String()), "-")
	}
	_, err := s.tryImport(t, "risk", true, listing(subject("0x"+strings.Repeat("1", 40)), nil))
	do(t, err)
	check("a withdrawn listing", "c0 safelisted Bourse, -, c0 safelisted Bourse")
	_, err = s.tryImport(t, "safe", true, tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Safe, Category: "exchange",
		Subject: subject("0x" + strings.Repeat("2", 40))}})
	do(t, err)
	check("nothing", "-, -, -")
}

// TestLookingForManyAddressesIsAStatement, which does not look at each subject.
func TestLookingForManyAddressesIsAStatement(t *testing.T) {
	s := fresh(t)
	var entries []tocsin.Entry
	var asked []string
	for i := range 50 {
		entries = append(entries, listing(address(t, i+1).Subject(), nil))
		asked = append(asked, fmt.Sprintf("0x12%02x5678%032x", i, i))
	}
	s.imports(t, "one", entries...)
	resembled(t, s.DB, nil, asked...) // what is on record is kept now
	n := s.statements(func() { resembled(t, s.DB, nil, asked...) })
	equal(t, "statements for 50", n, 1)
	onlySQLite(t)
	plan := ""
	do(t, s.read(t.Context(), replica, func(c *conn) error {
		var id, parent, none int
		return c.row(t.Context(), `EXPLAIN QUERY PLAN SELECT kind, value FROM subject
			WHERE kind = 'evm' AND value >= '0x1234' AND value < '0x1234g' AND substr(value, 39) = '1234'`, nil,
			&id, &parent, &none, &plan)
	}))
	if !strings.Contains(plan, "kind=? AND value>?") {
		t.Error(plan)
	}
}
