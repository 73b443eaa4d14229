package tocsin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// AddressFindings is what the digits of an account's address say by themselves. It is no evidence: nobody has reported
// anything. Its field is that of the schema AddressFindings in internal/contract/openapi.yaml.
type AddressFindings struct {
	Poisoning *Poisoning `json:"poisoning"` // nil if the address resembles none that is known
}

// Poisoning says that an EVM address has the beginning and the end of another one, as those that are made for address
// poisoning: the victim copies the wrong one from a history of transfers. Or that one character differs, also of an
// address of Solana, which has no checksum: then it may be mistyped. docs/detection.md has the rule, and how often it
// is wrong.
type Poisoning struct {
	Resembles    string          `json:"resembles"`    // as [Subject.String] writes it
	Name         *string         `json:"name"`         // of the resembled address by a list, cut; nil if none has one
	Status       ResembledStatus `json:"status"`       // of the resembled address
	SharedPrefix int             `json:"sharedPrefix"` // equal digits after 0x
	SharedSuffix int             `json:"sharedSuffix"` // equal digits at the end
	Differ       int             `json:"differ"`       // digits that are not equal
	Strength     Strength        `json:"strength"`
	Source       ResembledSource `json:"source"`
	Party        string          `json:"-"` // the sanctioned party whose address it resembles, cut; "" for none
}

// ResembledStatus says what a resembled address is.
type ResembledStatus string

// What resembled addresses are.
const (
	OwnContact ResembledStatus = "contact"    // the caller knows it
	KnownGood  ResembledStatus = "safelisted" // a list vouches for it
	// Reported: a list or a sanction warns of it. To have its ends is no sign against an address: imitations are made of
	// honest addresses, so one that has the ends of a reported address may be the one that was imitated.
	Reported ResembledStatus = "reported"
)

// ResembledSource says where a resembled address is from.
type ResembledSource string

// The sources of resembled addresses.
const (
	FromContext ResembledSource = "context" // the caller's own contacts
	FromLists   ResembledSource = "known"   // what lists name
)

// Strength says how unlikely a resemblance is by chance.
type Strength string

// The strengths: the digits that count are at least nine, or the address is one of the caller's few; or fewer among all
// that lists name.
const (
	Strong Strength = "strong"
	Weak   Strength = "weak"
)

// The digits that have to be equal, with the reasons in docs/detection.md.
const (
	contactPrefix, contactSuffix = 3, 4
	knownPrefix, knownSuffix     = 4, 4
	strongSum                    = 9
	runLength                    = 4  // from so many equal digits in a row on, they do not count
	sequence                     = 12 // addresses with so many equal digits in a row are given out one after the other
)

// MaxContacts is how many contacts a caller may name at most.
const MaxContacts = 50

// Suspicious reports whether the characters alone are a reason to look closer: the address resembles one that is
// honest, or differs in one character from any that is known, which is no accident. It is false for nil.
func (f *AddressFindings) Suspicious() bool {
	return f != nil && f.Poisoning != nil && (f.Poisoning.Status != Reported || f.Poisoning.Differ == 1)
}

// factor is why a suspicious address is.
func (f *AddressFindings) factor() Factor {
	p := f.Poisoning
	of := p.Resembles // without its name, which others have chosen
	if p.Status == OwnContact {
		of = "your contact " + of
	}
	switch {
	case p.Party != "":
		of += ", which is sanctioned"
	case p.Status == Reported:
		of += ", which lists warn of"
	}
	if p.Differ == 1 {
		return Factor{Code: "poisoning", Detail: "all characters but one are those of " + of +
			": it is mistyped, or made to be taken for it; this is no report"}
	}
	return Factor{Code: "poisoning", Detail: fmt.Sprintf("the first %d and the last %d digits are those "+
		"of %s, as in address poisoning; this is no report", p.SharedPrefix, p.SharedSuffix, of)}
}

// digits returns the values of the digits after 0x.
func (a Address) digits() (digits [40]byte) {
	for i, b := range a {
		digits[2*i], digits[2*i+1] = b>>4, b&0xf
	}
	return digits
}

// resemblance is how alike two accounts are.
type resemblance struct {
	prefix, suffix int // equal characters
	first, last    int // those of them that count
	differ         int // characters that are not equal, of two texts of one length
}

// resembles compares two addresses.
func (a Address) resembles(b Address) resemblance {
	x, y := a.digits(), b.digits()
	return compared(x[:], y[:])
}

// compared compares two texts, or lists of digits. Of each end, four or more equal ones in a row do not count: many
// addresses begin or end with zeros that nobody has imitated.
func compared[T ~string | ~[]byte](x, y T) (r resemblance) {
	shared := func(equal func(i int) bool) (n int) {
		for n < min(len(x), len(y)) && equal(n) {
			n++
		}
		return n
	}
	r.prefix = shared(func(i int) bool { return x[i] == y[i] })
	r.suffix = shared(func(i int) bool { return x[len(x)-1-i] == y[len(y)-1-i] })
	counted := func(shared, from, step int) int {
		run := 1
		for run < shared && x[from+run*step] == x[from] {
			run++
		}
		if run >= runLength {
			shared -= run
		}
		return shared
	}
	r.first, r.last = counted(r.prefix, 0, 1), counted(r.suffix, len(x)-1, -1)
	for i := r.prefix; i < min(len(x), len(y))-r.suffix; i++ {
		if x[i] != y[i] {
			r.differ++
		}
	}
	return r
}

// oneApart reports whether all characters of two texts but one are equal, and that is no accident: addresses that are
// given out one after the other, such as 0x4200…0006, have many equal digits in a row.
func oneApart[T ~string | ~[]byte](x, y T) bool {
	if len(x) != len(y) {
		return false
	}
	differ, run, longest := 0, 0, 0
	for i := range len(x) {
		if x[i] != y[i] {
			if differ++; differ > 1 {
				return false
			}
		}
		if run++; i == 0 || x[i] != x[i-1] {
			run = 1
		}
		longest = max(longest, run)
	}
	return differ == 1 && longest < sequence
}

// OneApart reports whether two accounts of Solana differ in one character. They have no checksum, so one of them may be
// the other one, mistyped.
func (s Subject) OneApart(o Subject) bool {
	return s.Kind == Solana && o.Kind == Solana && oneApart(s.Value, o.Value)
}

// oneApart reports whether two addresses differ in one digit.
func (a Address) oneApart(b Address) bool {
	x, y := a.digits(), b.digits()
	return oneApart(x[:], y[:])
}

// deceives reports whether one may be taken for the other by who knows one of them.
func (r resemblance) deceives() bool { return r.first >= contactPrefix && r.last >= contactSuffix }

// Resembles returns how many characters two accounts have in common at their beginning and at their end, and whether
// they differ and one may be taken for the other by them, as those that are made for address poisoning: three at the
// beginning and four at the end are equal at least. What all accounts of their kind begin with is left out. Capital
// letters do not matter in EVM addresses, and four or more equal characters in a row at an end do not count. Accounts
// of different kinds are not taken for each other.
func (s Subject) Resembles(o Subject) (prefix, suffix int, deceives bool) {
	r := compared(s.own(), o.own())
	return r.prefix, r.suffix, s != o && s.Kind == o.Kind && r.deceives()
}

// versions are how many characters behind the first 1 say which kind of account it is, by what is before that 1 in
// addresses of bech32 (BIP 173, CIP 19).
var versions = map[string]int{"bc": 1, "ltc": 1, "bnb": 0, "addr": 1, "stake": 1}

// own returns an account as people write it, in lower case if it is of the EVM, without what all of its kind begin with
// because of how they are encoded.
func (s Subject) own() string {
	text := s.Plain()
	hrp, rest, _ := strings.Cut(text, "1")
	if n, ok := versions[hrp]; ok {
		return rest[min(n, len(rest)):]
	}
	n := 1 // the version of Base58Check
	switch s.Kind {
	case Solana:
		n = 0
	case EVM:
		text, n = strings.ToLower(text), len("0x")
	case TON, Zcash:
		n = len("EQ")
	}
	return text[min(n, len(text)):]
}

// counted is how many digits count. If one differs, all do.
func (r resemblance) counted() int {
	if r.differ == 1 {
		return r.prefix + r.suffix
	}
	return r.first + r.last
}

// poisoning makes the answer about the account b, which another one resembles.
func (r resemblance) poisoning(b Subject) *Poisoning {
	return &Poisoning{
		Resembles:    b.String(),
		SharedPrefix: r.prefix,
		SharedSuffix: r.suffix,
		Differ:       r.differ,
		Strength:     Strong,
	}
}

// ResembledContact returns the one of the contacts that an address resembles most: three digits after 0x and four at
// the end are equal at least, or all but one. It is nil if there is none.
func ResembledContact(a Address, contacts []Address) *Poisoning {
	var best resemblance
	var contact Address
	for _, b := range contacts {
		r := a.resembles(b)
		if b == a || !r.deceives() && !a.oneApart(b) {
			continue
		}
		// The order of the contacts does not matter.
		if n := r.counted(); n > best.counted() || n == best.counted() && slices.Compare(b[:], contact[:]) < 0 {
			best, contact = r, b
		}
	}
	if best == (resemblance{}) {
		return nil
	}
	p := best.poisoning(contact.Subject())
	p.Status, p.Source = OwnContact, FromContext
	return p
}

// AlikeAmong returns the pairs of addresses in a list of which one may imitate the other, by the rule of
// [ResembledContact], in the order of the list.
func AlikeAmong(addresses []Address) (pairs [][2]Address) {
	type ends [contactPrefix + contactSuffix]byte
	seen := map[ends][]Address{} // by the digits that have to be equal
	for _, a := range addresses {
		digits := a.digits()
		key := ends(append(digits[:contactPrefix:contactPrefix], digits[40-contactSuffix:]...))
		if slices.Contains(seen[key], a) {
			continue
		}
		for _, b := range seen[key] {
			if a.resembles(b).deceives() {
				pairs = append(pairs, [2]Address{b, a})
			}
		}
		seen[key] = append(seen[key], a)
	}
	return pairs
}

// NearKnown reports whether an address resembles another one, of those that lists name, closely enough for
// [ResembledKnown].
func (a Address) NearKnown(b Address) bool {
	r := a.resembles(b)
	return a != b && r.first >= knownPrefix && r.last >= knownSuffix || a.oneApart(b)
}

// nearKnown is [Address.NearKnown], or for Solana [Subject.OneApart], and says how alike they are.
func (s Subject) nearKnown(o Subject) (r resemblance, near bool) {
	if s.Kind == EVM && o.Kind == EVM {
		a, fault := ParseAddress(s.Value)
		b, other := ParseAddress(o.Value)
		if fault != nil || other != nil || !a.NearKnown(b) {
			return r, false
		}
		return a.resembles(b), true
	}
	return compared(s.Value, o.Value), s.OneApart(o)
}

// NearKnown reports whether an account resembles another one, of those that lists name, closely enough for
// [ResembledKnown].
func (s Subject) NearKnown(o Subject) bool {
	_, near := s.nearKnown(o)
	return near
}

// ResembledKnown returns the one of the accounts on record that an account resembles most: of EVM addresses four digits
// at both ends are equal at least, or all but one, of those of Solana all characters but one. One that a list vouches
// for goes before those that lists or sanctions warn of. It is nil if there is none. Reports do not make an address
// known: everyone can file them, about any digits.
func ResembledKnown(s Subject, records []Record) *Poisoning {
	type found struct {
		resemblance
		*Poisoning
	}
	var all []found
	for _, record := range records {
		status, name := StatusOf(record.Listings)
		r, near := s.nearKnown(record.Subject)
		if status == "" || !near {
			continue
		}
		p := r.poisoning(record.Subject)
		p.Status, p.Source = status, FromLists
		for _, l := range record.Listings {
			if l.Kind == Sanction {
				p.Party = cmp.Or(p.Party, briefName(l.Name))
			}
		}
		if name = cmp.Or(briefName(name), p.Party); name != "" {
			p.Name = &name // models read it too, and anybody can name a token
		}
		if r.counted() < strongSum {
			p.Strength = Weak
		}
		all = append(all, found{r, p})
	}
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(x, y found) int {
		return cmp.Or(
			cmp.Compare(y.Status, x.Status), // safelisted, then reported
			cmp.Compare(y.counted(), x.counted()),
			cmp.Compare(x.Resembles, y.Resembles),
		)
	}).Poisoning
}

// briefName is a name by a list on one line, cut.
func briefName(name string) string {
	return Shorten(strings.Join(strings.Fields(CleanText(name)), " "), maxBriefDomain)
}

// StatusOf returns what listings say of an account, KnownGood or Reported, and the name that they give it. The status
// is "" if none of the listings counts.
func StatusOf(listings []Listing) (status ResembledStatus, name string) {
	sanctioned := slices.ContainsFunc(listings, func(l Listing) bool { return l.Kind == Sanction })
	for _, l := range listings {
		switch {
		case l.Vouches() && !sanctioned:
			status, name = KnownGood, cmp.Or(name, l.Name)
		case status == "" && (l.Kind == Risk || l.Kind == Sanction):
			status = Reported
		}
	}
	return status, name
}
