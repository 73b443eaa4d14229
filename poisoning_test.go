package tocsin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const contact = "0x28c6c06298d514db089934071355e5743bf21d60"

func address(t *testing.T, text string) Address {
	t.Helper()
	a, fault := ParseAddress(text)
	if fault != nil {
		t.Fatal(fault)
	}
	return a
}

// with returns an address with the digits given at its ends, and others that fit none in between.
func with(prefix, suffix string) string {
	middle := strings.Repeat("9e3779b97f4a7c15", 3)
	return "0x" + prefix + middle[:40-len(prefix)-len(suffix)] + suffix
}

func TestWhatResemblesAContact(t *testing.T) {
	vanity, zero := "0x0000000000a39bb272e79075ade125fd35190000", "0x"+strings.Repeat("0", 40)
	for _, c := range []struct {
		about, address, contact string
		prefix, suffix          int // 0, 0: it does not
	}{
		{"three and four", with("28c", "1d60"), contact, 3, 4},
		{"two and four", with("28", "1d60"), contact, 0, 0},
		{"three and three", with("28c", "d60"), contact, 0, 0},
		{"itself", contact, contact, 0, 0},
		{"all but one in the middle", contact[:20] + "0" + contact[21:], contact, 18, 21},
		{"all but the second", contact[:3] + "0" + contact[4:], contact, 1, 38},
		{"all but the last", contact[:41] + "1", contact, 39, 0},
		{"eleven equal digits in a row", "0x42" + strings.Repeat("0", 11) + contact[15:41] + "1",
			"0x42" + strings.Repeat("0", 11) + contact[15:], 39, 0},
		{"twelve", "0x42" + strings.Repeat("0", 12) + contact[16:41] + "1",
			"0x42" + strings.Repeat("0", 12) + contact[16:], 0, 0},
		{"one of a sequence", "0x42" + strings.Repeat("0", 36) + "16", "0x42" + strings.Repeat("0", 36) + "06", 0, 0},
		{"zeros alone", with("0000000000", "0000"), vanity, 0, 0},
		{"zeros, and three and four beside them", with("0000000000a39", "190beef"),
			"0x0000000000a39bb2e75ade125fd36ff35190beef", 13, 7},
		{"the zero address", with("0000", "0000"), zero, 0, 0},
		{"three equal digits count", with("000a", "1d60"), "0x000a1" + strings.Repeat("7", 31) + "1d60", 4, 4},
		{"four do not", with("0000a", "1d60"), "0x0000a1" + strings.Repeat("7", 30) + "1d60", 0, 0},
		{"nor at the end", with("28c6c0", "a7777"), "0x28c6c0" + strings.Repeat("1", 29) + "a7777", 0, 0},
	} {
		p := ResembledContact(address(t, c.address), []Address{address(t, c.contact)})
		if got := p; got == nil {
			got = &Poisoning{}
			if c.prefix+c.suffix > 0 {
				t.Errorf("%s: %s does not resemble %s", c.about, c.address, c.contact)
			}
		} else if got.SharedPrefix != c.prefix || got.SharedSuffix != c.suffix || got.Strength != Strong ||
			!strings.EqualFold(got.Resembles, c.contact) {
			t.Errorf("%s: %+v, want %d and %d", c.about, got, c.prefix, c.suffix)
		}
	}
}

// TestAccountsOfAnyChainAreTakenForEachOtherByTheirOwnCharacters: what all of a kind begin with does not count.
func TestAccountsOfAnyChainAreTakenForEachOtherByTheirOwnCharacters(t *testing.T) {
	const middle = "x0s3jn54khce6mua7lqpzry9x8gf2tv"
	for _, c := range []struct {
		about          string
		kind           Kind
		one, other     string // their ends
		prefix, suffix int
		deceives       bool
	}{
		{"three and four", EVM, "0x28c 1d60", "0x28c 1d60", 3, 4, true},
		{"capital letters", EVM, "0x28C 1D60", "0x28c 1d60", 3, 4, true},
		{"three and three", EVM, "0x28c d60", "0x28c d60", 3, 3, false},
		{"zeros", EVM, "0x00000 1d60", "0x00000 1d60", 5, 4, false},
		{"behind bc1q", Bitcoin, "bc1qxy2 kfjh", "bc1qxy2 kfjh", 3, 4, true},
		{"bc1q alone", Bitcoin, "bc1q kfjh", "bc1q kfjh", 0, 4, false},
		{"behind bc1p", Bitcoin, "bc1pxy kfjh", "bc1pxy kfjh", 2, 4, false},
		{"of the old form", Bitcoin, "1BvB NVN2", "1BvB NVN2", 3, 4, true},
		{"two of the old form", Bitcoin, "1Bv NVN2", "1Bv NVN2", 2, 4, false},
		{"behind addr1q", Cardano, "addr1qxy2 kfjh", "addr1qxy2 kfjh", 3, 4, true},
		{"addr1q alone", Cardano, "addr1qx kfjh", "addr1qx kfjh", 1, 4, false},
		{"behind T", Tron, "TR7N Lj6t", "TR7N Lj6t", 3, 4, true},
		{"T and two", Tron, "TR7 Lj6t", "TR7 Lj6t", 2, 4, false},
		{"behind t1", Zcash, "t1ab Lj6t", "t1ab Lj6t", 2, 4, false},
		{"no version", Solana, "9Wz AWWM", "9Wz AWWM", 3, 4, true},
		{"behind ltc1q", Litecoin, "ltc1qxy2 kfjh", "ltc1qxy2 kfjh", 3, 4, true},
		{"ltc1q and two", Litecoin, "ltc1qxy kfjh", "ltc1qxy kfjh", 2, 4, false},
		{"behind bnb1", BNBBeacon, "bnb1qxy kfjh", "bnb1qxy kfjh", 3, 4, true},
		{"behind stake1u", Cardano, "stake1uxy2 kfjh", "stake1uxy2 kfjh", 3, 4, true},
		{"stake1u and two", Cardano, "stake1uxy kfjh", "stake1uxy kfjh", 2, 4, false},
	} {
		subject := func(ends, middle string) Subject {
			begin, end, _ := strings.Cut(ends, " ")
			return Subject{Kind: c.kind, Value: begin + middle + end}
		}
		one, other := subject(c.one, "7"+middle+"b"), subject(c.other, "d"+middle+"9")
		if c.kind == EVM { // the middle is of digits
			one, other = subject(c.one, "7"+strings.Repeat("a", 31)+"b"), subject(c.other, "d"+strings.Repeat("1", 31)+"9")
		}
		prefix, suffix, deceives := one.Resembles(other)
		if prefix != c.prefix || suffix != c.suffix || deceives != c.deceives {
			t.Errorf("%s: %d, %d, %t", c.about, prefix, suffix, deceives)
		}
		if _, _, deceives := one.Resembles(one); deceives {
			t.Errorf("%s: it is taken for itself", c.about)
		}
		if _, _, deceives := one.Resembles(Subject{Kind: Dash, Value: one.Value}); deceives {
			t.Errorf("%s: it is taken for an account of another chain", c.about)
		}
	}
	a, b := address(t, with("28c", "1d60")), address(t, contact)
	if _, _, deceives := a.Subject().Resembles(b.Subject()); !deceives || len(AlikeAmong([]Address{a, b})) != 1 {
		t.Error("there are two rules")
	}
}

// TestAnAccountOfSolanaIsMistypedIfOneCharacterDiffers: it has no checksum. Others have one.
func TestAnAccountOfSolanaIsMistypedIfOneCharacterDiffers(t *testing.T) {
	const value = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	for _, c := range []struct {
		about string
		kind  Kind
		value string
		apart bool
	}{
		{"the first", Solana, "8" + value[1:], true},
		{"the last", Solana, value[:43] + "N", true},
		{"none", Solana, value, false},
		{"two", Solana, "8" + value[1:43] + "N", false},
		{"one is left out", Solana, value[:43], false},
		{"one of Tron", Tron, "8" + value[1:], false},
	} {
		a, b := Subject{Solana, value}, Subject{c.kind, c.value}
		known := []Record{{a, []Listing{{Kind: Safe, Name: "a token"}}, 0}}
		if a.OneApart(b) != c.apart || b.OneApart(a) != c.apart || b.NearKnown(a) != c.apart ||
			(ResembledKnown(b, known) != nil) != c.apart {
			t.Errorf("%s: %t, %t, %t", c.about, a.OneApart(b), b.OneApart(a), b.NearKnown(a))
		}
	}
}

// TestAddressesThatAreAlikeAreNamedInPairs, each once, in the order of the list.
func TestAddressesThatAreAlikeAreNamedInPairs(t *testing.T) {
	a, b, c := address(t, contact), address(t, with("28c", "1d60")), address(t, with("28c6c", "f21d60"))
	other, zeros := address(t, with("39d", "2e71")), address(t, with("0000", "0000"))
	zero := Address{19: 0}
	got := AlikeAmong([]Address{a, other, a, b, zeros, a, c, zero})
	if want := [][2]Address{{a, b}, {a, c}, {b, c}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTheOrderOfContactsDoesNotMatter, nor who else is among them.
func TestTheOrderOfContactsDoesNotMatter(t *testing.T) {
	a := address(t, with("28c6", "21d60"))
	contacts := []Address{address(t, contact), address(t, with("28c6c", "1d60")[:20]+"0000"+with("28c6c", "1d60")[24:]),
		address(t, with("28c", "1d60"))}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		contacts = append(contacts, Address{0: byte(seed), 7: 1, 19: byte(r.Uint32())})
		r.Shuffle(len(contacts), func(i, j int) { contacts[i], contacts[j] = contacts[j], contacts[i] })
		if p := ResembledContact(a, contacts); p == nil || !strings.EqualFold(p.Resembles, contact) {
			t.Fatalf("%+v", p)
		}
	}
	alike := []Address{address(t, with("28c6c1", "21d60")), address(t, with("28c6c2", "21d60"))}
	for range 2 { // of two that are alike it is the first in the order of addresses
		p := ResembledContact(address(t, with("28c6c", "a21d60")), alike)
		if !strings.HasPrefix(strings.ToLower(p.Resembles), "0x28c6c1") {
			t.Errorf("%+v", p)
		}
		slices.Reverse(alike)
	}
}

func TestWhatResemblesAKnownAddress(t *testing.T) {
	named := func(a string, listings ...Listing) Record { return Record{address(t, a).Subject(), listings, 0} }
	token := Listing{Kind: Safe, Category: "token", Name: "USD Coin"}
	risk, sanction := Listing{Kind: Risk, Family: "a", Category: "phishing"}, Listing{Kind: Sanction, Name: "Somebody"}
	for _, c := range []struct {
		about    string
		address  string
		known    []Record
		want     string // the digits before the resembled address, its status, strength and name
		suspects bool
	}{
		{"four and four", with("28c6", "1d60"), []Record{named(contact, token)}, "28c6 safelisted weak USD Coin", true},
		{"five and four", with("28c6c", "1d60"), []Record{named(contact, token)}, "28c6 safelisted strong USD Coin", true},
		{"three and four", with("28c", "1d60"), []Record{named(contact, token)}, "", false},
		{"a reported one", with("28c6", "1d60"), []Record{named(contact, risk)}, "28c6 reported weak ", false},
		{"a sanctioned one", with("28c6", "1d60"), []Record{named(contact, token, sanction)},
			"28c6 reported weak Somebody", false},
		{"a mistake of a list", with("28c6", "1d60"), []Record{named(contact, risk, token)},
			"28c6 safelisted weak USD Coin", true},
		{"one that only reports name", with("28c6", "1d60"), []Record{{address(t, contact).Subject(), nil, 500}}, "", false},
		{"a good one before a reported one that is nearer", with("28c6c", "1d60"),
			[]Record{named("0x28c6cff298d514db089934071355e5743bf21d60", risk), named(contact, token)},
			"28c6 safelisted strong USD Coin", true},
		{"itself", contact, []Record{named(contact, token)}, "", false},
		{"all but the first", "0x38" + contact[4:], []Record{named(contact, token)}, "28c6 safelisted strong USD Coin", true},
		{"all but the first, of a reported one", "0x38" + contact[4:], []Record{named(contact, risk)},
			"28c6 reported strong ", true},
		{"two others", "0x39" + contact[4:], []Record{named(contact, token)}, "", false},
	} {
		for range 2 {
			p := ResembledKnown(address(t, c.address).Subject(), c.known)
			got := ""
			if p != nil {
				name := ""
				if p.Name != nil {
					name = *p.Name
				}
				got = fmt.Sprintf("%s %s %s %s", strings.ToLower(p.Resembles[2:6]), p.Status, p.Strength, name)
			}
			f := &AddressFindings{Poisoning: p}
			if got != c.want || f.Suspicious() != c.suspects || p != nil && p.Source != FromLists {
				t.Errorf("%s: %q, %t, want %q, %t", c.about, got, f.Suspicious(), c.want, c.suspects)
			}
			slices.Reverse(c.known) // neither order counts
			for _, record := range c.known {
				slices.Reverse(record.Listings)
			}
		}
	}
}

// TestAResemblanceWarnsAndNoMore: it lifts what evidence leaves lower to MEDIUM, and is never a reason to say less.
func TestAResemblanceWarnsAndNoMore(t *testing.T) {
	sign := &AddressFindings{Poisoning: &Poisoning{Resembles: contact, Status: OwnContact}}
	hint := &AddressFindings{Poisoning: &Poisoning{Resembles: contact, Status: Reported}}
	alone := Screen(&Dossier{Evidence: Evidence{Address: sign}}, now)
	if alone.RiskScore != 25 || alone.RiskLevel != Medium || alone.Result != Suspicious ||
		alone.Recommendation != Review || alone.Confidence != 0 || alone.Factors[0].Code != "poisoning" {
		t.Errorf("alone: %+v", alone)
	}
	forAll(t, func(r *rand.Rand) string {
		ev := anyEvidence(r, true, true, everyKind...)
		d := &Dossier{Evidence: ev, ReportCount: len(ev.Reporters)}
		without := Screen(d, now)
		d.Address = hint
		if hinted := Screen(d, now); hinted.RiskScore != without.RiskScore || hinted.Result != without.Result {
			return fmt.Sprintf("a hint made %+v of %+v", hinted, without)
		}
		d.Address = sign
		signed := Screen(d, now)
		isSafe := func(l Listing) bool { return l.Kind == Safe || l.Kind == Shared }
		switch known := slices.ContainsFunc(ev.Listings, isSafe); {
		case known && (signed.RiskScore != without.RiskScore || signed.Result != without.Result):
			return fmt.Sprintf("%+v: a known one became %+v", without, signed)
		case !known && signed.RiskScore != max(without.RiskScore, 25):
			return fmt.Sprintf("%+v became %+v", without, signed)
		case without.Result == Caution && signed.Result != Caution:
			return fmt.Sprintf("%+v became %+v", without, signed)
		}
		return ""
	})
}
