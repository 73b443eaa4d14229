package readmodel

import (
	"slices"
	"strings"

	"tocsin"
)

// rowUnder returns the row of a name below a registered domain, by its key in the model: the hash of that domain in the
// upper 28 bits, and then as in a row of the index of addresses. ok is false for other subjects.
func (m *Model) rowUnder(subject tocsin.Subject, key []byte) (row uint64, ok bool) {
	if subject.Kind != tocsin.DNS || strings.Count(subject.Value, ".") < 2 {
		return 0, false
	}
	owner := subject.Owner()
	if owner == subject {
		return 0, false
	}
	h := m.hash(key)
	return m.ownerKey(owner)<<rowShift | h>>56<<tableBits | h&(1<<tableBits-1), true
}

// ownerKey returns the digits by which the names below a registered domain are found.
func (m *Model) ownerKey(owner tocsin.Subject) uint64 { return m.hash([]byte(owner.Value)) >> rowShift }

// warns reports whether a list of risk or sanctions, or a report, names the subject.
func (r *Record) warns() bool {
	return len(r.Mentions) > 0 || slices.ContainsFunc(r.Listings, func(l Listing) bool {
		return l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction
	})
}

// Under returns the names below a domain that lists of risk or sanctions, or reports, name, in the order of their
// values, at most limit of those in the model. One that has changed this moment may be among them without any. There
// are none under a shared host, whose users have nothing in common.
func (m *Model) Under(domain tocsin.Subject, limit int) (names []tocsin.Subject) {
	if domain.Kind != tocsin.DNS {
		return nil
	}
	end := "." + domain.Value
	m.mu.RLock()
	defer m.mu.RUnlock()
	key := m.ownerKey(domain.Owner())
	for _, rows := range [][]uint64{m.under.rows, m.under.recent} {
		at, _ := slices.BinarySearch(rows, key<<rowShift)
		for ; at < len(rows) && rows[at]>>rowShift == key && len(names) < limit; at++ {
			t := &m.tables[rows[at]>>tableBits&(tables-1)]
			for key := range t.withHash(uint32(rows[at] & (1<<tableBits - 1))) {
				if len(key) > len(end) && key[0] == keyDNS && strings.HasSuffix(string(key[1:]), end) {
					names = append(names, tocsin.Subject{Kind: tocsin.DNS, Value: string(key[1:])})
				}
			}
		}
	}
	slices.SortFunc(names, func(a, b tocsin.Subject) int { return strings.Compare(a.Value, b.Value) })
	return names
}
