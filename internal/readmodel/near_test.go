package readmodel

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tocsin"
)

// anyAddress has few different digits, so that many of them are alike.
func anyAddress(r *rand.Rand) (a tocsin.Address) {
	for i := range a {
		a[i] = byte(r.IntN(2)<<4 | r.IntN(2))
	}
	return a
}

// TestNearFindsWhatListsName, as comparing with each one does, while records come, change and go.
func TestNearFindsWhatListsName(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := New()
	named := map[tocsin.Address]bool{}
	found := 0
	for round := range 300 {
		c := Change{Records: map[tocsin.Subject]*Record{}}
		for range 60 {
			a := anyAddress(r)
			record := &Record{Listings: []Listing{{1, tocsin.Listing{Kind: tocsin.Safe, Category: "token"}}}}
			switch r.IntN(3) {
			case 0:
				record = nil
			case 1: // reports alone do not make it known
				record = &Record{Mentions: []Mention{{Crime: "scam"}}}
			}
			if record == nil || record.Listings == nil {
				for known := range named { // one that is there
					if a = known; r.IntN(2) == 0 {
						break
					}
				}
			}
			c.Records[a.Subject()] = record
			named[a] = record != nil && record.Listings != nil
		}
		m.Apply(c)
		if round%50 == 0 {
			m.near.merge()
		}
		asked := anyAddress(r)
		if round%2 == 0 { // one digit beside one that lists name, or did
			for known := range named {
				asked = known
				break
			}
			place := r.IntN(40)
			asked[place/2] ^= byte(1+r.IntN(15)) << (4 * (place % 2))
		}
		var want, got []string
		for a, is := range named {
			if is && asked.NearKnown(a) {
				want = append(want, a.Subject().Value)
			}
		}
		near, ok := m.Near(asked)
		for _, n := range near {
			got = append(got, n.Subject.Value)
			if len(n.Listings) != 1 {
				t.Fatalf("%+v", n)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if found += len(want); !ok || !slices.Equal(got, want) {
			t.Fatalf("round %d: %v, %t, want %v", round, got, ok, want)
		}
	}
	if found < 100 {
		t.Errorf("only %d were found", found)
	}
	n := len(m.near.rows) + len(m.near.recent)
	if ends := len(m.ends.rows) + len(m.ends.recent); ends != n {
		t.Errorf("%d rows by the end, of %d", ends, n)
	}
	for a, is := range named {
		if is {
			n--
		}
		m.Apply(Change{Records: map[tocsin.Subject]*Record{a.Subject(): nil}})
	}
	if left := len(m.near.rows) + len(m.near.recent) + len(m.ends.rows) + len(m.ends.recent); n != 0 || left != 0 {
		t.Errorf("%d rows too many, and %d of nothing", n, left)
	}
}

// TestAccountsOfSolanaOneCharacterApartAreFound while they come and go, and nothing of them is left.
func TestAccountsOfSolanaOneCharacterApartAreFound(t *testing.T) {
	const known, more = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	at := func(value string) tocsin.Subject { return tocsin.Subject{Kind: tocsin.Solana, Value: value} }
	m := New()
	named := &Record{Listings: []Listing{{1, tocsin.Listing{Kind: tocsin.Safe, Category: "exchange"}}}}
	m.Apply(Change{Records: map[tocsin.Subject]*Record{at(known): named, at(more): named,
		at(known[:43] + "V"): {Mentions: []Mention{{Crime: "scam"}}}}})
	for place := range known {
		apart, ok := m.Apart(at(known[:place] + "1" + known[place+1:]))
		if len(apart) != 1 || !ok || apart[0].Subject != at(known) || len(apart[0].Listings) != 1 {
			t.Fatalf("at %d: %v, %t", place, apart, ok)
		}
	}
	for _, other := range []string{known, "1" + known[1:43] + "1", known[:43], more[:22] + known[22:]} {
		if apart, ok := m.Apart(at(other)); apart != nil || !ok {
			t.Errorf("%s: %v, %t", other, apart, ok)
		}
	}
	m.Doubt([]tocsin.Subject{at(known[:43] + "W")})
	if _, ok := m.Apart(at(known[:43] + "X")); ok {
		t.Error("what is in doubt was not asked for")
	}
	for _, value := range []string{known, more, known[:43] + "W"} {
		m.Apply(Change{Records: map[tocsin.Subject]*Record{at(value): nil}})
	}
	if len(m.halves.byHalf) != 0 || m.halves.count != 0 {
		t.Errorf("left: %v", m.halves)
	}
}

// TestNearAsksAboutWhatMayHaveChanged: an address that was named a moment ago is not in the model yet.
func TestNearAsksAboutWhatMayHaveChanged(t *testing.T) {
	twin := tocsin.Address{0: 0x12, 1: 0x34, 18: 0x56, 19: 0x78}
	known := tocsin.Address{0: 0x12, 1: 0x34, 9: 9, 18: 0x56, 19: 0x78}
	m := New()
	if near, ok := m.Near(twin); near != nil || !ok {
		t.Errorf("%v, %t of an empty model", near, ok)
	}
	m.Doubt([]tocsin.Subject{known.Subject()})
	if _, ok := m.Near(twin); ok {
		t.Error("what is in doubt was not asked for")
	}
	if _, ok := m.Near(tocsin.Address{0: 0x12, 1: 0x35, 18: 0x56, 19: 0x78}); !ok {
		t.Error("another address was asked for")
	}
	m.Apply(Change{Records: map[tocsin.Subject]*Record{known.Subject(): {Mentions: []Mention{{Crime: "scam"}}}}})
	if near, ok := m.Near(twin); near != nil || !ok || len(m.near.recent) != 0 {
		t.Errorf("%v, %t of what was only reported", near, ok)
	}
	m.Apply(Change{Records: map[tocsin.Subject]*Record{known.Subject(): {Ask: true}}})
	if _, ok := m.Near(twin); ok {
		t.Error("what has too many reports to be kept was not asked for, though lists may name it")
	}
}

// BenchmarkNear looks for addresses that most often resemble nothing, among as many as the lists name today and among a
// million.
func BenchmarkNear(b *testing.B) {
	for _, n := range []int{26_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			m := New()
			some := func() (a tocsin.Address) {
				for i := 0; i < len(a); i += 4 {
					binary.BigEndian.PutUint32(a[i:], r.Uint32())
				}
				return a
			}
			c := Change{Records: map[tocsin.Subject]*Record{}}
			for range n {
				c.Records[some().Subject()] = &Record{Listings: []Listing{{1, tocsin.Listing{Kind: tocsin.Safe,
					Category: "token", Name: strings.Repeat("x", 12)}}}}
			}
			m.Apply(c)
			asked := make([]tocsin.Address, 1<<16)
			for i := range asked {
				asked[i] = some()
			}
			b.ReportMetric(float64(m.near.bytes())/float64(n), "B/name")
			for i := 0; b.Loop(); i++ {
				m.Near(asked[i&(len(asked)-1)])
			}
		})
	}
}
