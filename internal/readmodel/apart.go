package readmodel

import (
	"slices"

	"tocsin"
)

// halves finds the accounts of Solana that lists name by each half of their address: of two that differ in one
// character, one half is the same.
type halves struct {
	byHalf map[string][]string // the values with a half; the second half has a mark before it
	count  int                 // of the values
}

// of returns the two halves of an address as keys.
func (h *halves) of(value string) [2]string {
	return [2]string{value[:len(value)/2], ">" + value[len(value)/2:]}
}

func (h *halves) add(value string) {
	if h.byHalf == nil {
		h.byHalf = map[string][]string{}
	}
	for i, half := range h.of(value) {
		if values := h.byHalf[half]; !slices.Contains(values, value) {
			h.byHalf[half] = append(values, value)
			h.count += 1 - i
		}
	}
}

func (h *halves) remove(value string) {
	for i, half := range h.of(value) {
		values := h.byHalf[half]
		at := slices.Index(values, value)
		if at < 0 {
			continue
		}
		if h.byHalf[half] = slices.Delete(values, at, at+1); len(values) == 1 {
			delete(h.byHalf, half)
		}
		h.count -= 1 - i
	}
}

// bytes is about how much memory it takes: two entries of a map for each value, each with a slice of one text.
func (h *halves) bytes() int { return 320 * h.count }

// Apart returns the accounts of Solana named by lists that differ from one in a character, with their listings. ok is
// false if the database must be asked.
func (m *Model) Apart(s tocsin.Subject) (apart []tocsin.Record, ok bool) {
	var buffer [128]byte
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, half := range m.halves.of(s.Value) {
		for _, value := range m.halves.byHalf[half] {
			found := tocsin.Record{Subject: tocsin.Subject{Kind: s.Kind, Value: value}}
			if !s.OneApart(found.Subject) {
				continue
			}
			key := appendKey(buffer[:0], found.Subject)
			t, hash := m.table(key)
			record := t.get(hash, key)
			if record == nil || record[0]&flagAsk != 0 {
				return nil, false
			}
			found.Listings, _ = m.encoding.decode(record, found.Subject, m.lists)
			apart = append(apart, found)
		}
	}
	return apart, true
}
