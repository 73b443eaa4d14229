package readmodel

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"

	"tocsin"
)

// nearIndex finds addresses on record by their first three and their last four digits: those that lists name, and those
// of which the database must be asked. A row is eight bytes: the digits in the upper 28 bits, where they sort; the part
// of the model that the address is in, in 8; and as much of its hash there as fits.
type nearIndex struct {
	rows   []uint64 // sorted
	recent []uint64 // sorted: what was added since recent was merged into rows
}

const (
	rowShift  = 36 // of the digits
	tableBits = 28 // of the hash of a row, below the number of its table
	maxRecent = 4096
)

// nearKey returns the digits by which an address is found, in the place that they have in a row.
func nearKey(a []byte) uint64 {
	first := uint64(a[0])<<4 | uint64(a[1])>>4
	return (first<<16 | uint64(binary.BigEndian.Uint16(a[18:]))) << rowShift
}

// row returns the row of an address by its key in the model; ok is false for other keys.
func (m *Model) row(key []byte) (row uint64, ok bool) {
	if len(key) != 21 || key[0] != keyEVM {
		return 0, false
	}
	h := m.hash(key)
	return nearKey(key[1:]) | h>>56<<tableBits | h&(1<<tableBits-1), true
}

func (x *nearIndex) add(row uint64) {
	if _, there := slices.BinarySearch(x.rows, row); there {
		return
	}
	at, there := slices.BinarySearch(x.recent, row)
	if there {
		return
	}
	if x.recent = slices.Insert(x.recent, at, row); len(x.recent) == maxRecent {
		x.merge()
	}
}

func (x *nearIndex) remove(row uint64) {
	for _, rows := range []*[]uint64{&x.rows, &x.recent} {
		if at, there := slices.BinarySearch(*rows, row); there {
			*rows = slices.Delete(*rows, at, at+1)
		}
	}
}

// merge moves the recent rows to the others, from the end on, so that it needs no room of its own.
func (x *nearIndex) merge() {
	old, added := len(x.rows)-1, len(x.recent)-1
	x.rows = append(x.rows, x.recent...)
	for at := len(x.rows) - 1; added >= 0; at-- {
		if old >= 0 && x.rows[old] > x.recent[added] {
			x.rows[at] = x.rows[old]
			old--
		} else {
			x.rows[at] = x.recent[added]
			added--
		}
	}
	x.recent = x.recent[:0]
}

// bytes is how much memory the index takes.
func (x *nearIndex) bytes() int { return 8 * (cap(x.rows) + cap(x.recent)) }

// Near returns the addresses named by lists that a resembles (see [tocsin.Address.NearKnown]), with their listings. ok
// is false if the database must be asked.
func (m *Model) Near(a tocsin.Address) (near []tocsin.Record, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	key := nearKey(a[:])
	for _, by := range []iter.Seq[uint64]{m.near.alike(key, firstBits), m.ends.alike(byEnd(key), lastBits)} {
		for row := range by {
			t := &m.tables[row>>tableBits&(tables-1)]
			for key, value := range t.withHash(uint32(row & (1<<tableBits - 1))) {
				if len(key) != 21 || key[0] != keyEVM || !a.NearKnown(tocsin.Address(key[1:])) {
					continue
				}
				if value[0]&flagAsk != 0 {
					return nil, false
				}
				found := tocsin.Record{Subject: tocsin.Address(key[1:]).Subject()}
				if slices.ContainsFunc(near, func(r tocsin.Record) bool { return r.Subject == found.Subject }) {
					continue // its beginning and its end are equal
				}
				found.Listings, _ = m.encoding.decode(value, found.Subject, m.lists)
				near = append(near, found)
			}
		}
	}
	return near, true
}

// The bits of the first digits of a row, and of the last ones.
const firstBits, lastBits = 12, 16

// byEnd returns a row with its last digits before the first ones.
func byEnd(row uint64) uint64 {
	digits := row >> rowShift
	turned := digits&(1<<lastBits-1)<<firstBits | digits>>lastBits
	return turned<<rowShift | row&(1<<rowShift-1)
}

// alike are the rows whose first bits are those of a key, and of whose other digits at most one is another.
func (x *nearIndex) alike(key uint64, same int) iter.Seq[uint64] {
	const digit = 4 // bits
	return func(yield func(row uint64) bool) {
		shift := 64 - same
		for _, rows := range [][]uint64{x.rows, x.recent} {
			at, _ := slices.BinarySearch(rows, key>>shift<<shift)
			for ; at < len(rows) && rows[at]>>shift == key>>shift; at++ {
				differ := (rows[at] ^ key) >> rowShift
				lowest := bits.TrailingZeros64(differ|1<<63) &^ (digit - 1)
				if differ>>lowest < 1<<digit && !yield(rows[at]) {
					return
				}
			}
		}
	}
}
