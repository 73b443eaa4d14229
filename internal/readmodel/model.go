// Package readmodel keeps in memory what a screening needs to know of every subject on record, in few bytes: which
// lists name it, and which reports. What is not in it is not on record. Texts of reports are not in it.
//
// It knows no database. Package store fills it and keeps it up to date.
package readmodel

import (
	"hash/maphash"
	"sync"
	"unsafe"

	"tocsin"
)

// Model is what is on record about all subjects. Its methods may be called from any goroutine.
type Model struct {
	hash func(key []byte) uint64

	mu       sync.RWMutex
	tables   [tables]table
	near     nearIndex
	ends     nearIndex // the rows of near by the end
	halves   halves
	under    nearIndex
	encoding encoding
	lists    map[int64]List
	agents   map[int64]*Agent
	others   int // bytes that agents and lists take, about
}

// tables is how many parts the model has, by the upper bits of the hash: only one of them grows at a time, while nobody
// can read.
const tables = 256

// List is what answers say of a list.
type List struct{ Name, Family string }

// Agent is what a score needs to know of who filed a report.
type Agent struct {
	ID      string // the public one
	Created tocsin.Time
	Network int                         // see [tocsin.ReporterGroup]
	Proven  map[tocsin.Kind]tocsin.Time // until when, by kind of subject; nil for most
}

// New returns an empty model. Its hashes have a secret of their own: callers choose the names that they ask for, and
// must not be able to choose those that collide.
func New() *Model {
	seed := maphash.MakeSeed()
	return &Model{
		hash:   func(key []byte) uint64 { return maphash.Bytes(seed, key) },
		lists:  map[int64]List{},
		agents: map[int64]*Agent{},
	}
}

// Change is what is new about some subjects, lists and agents.
type Change struct {
	Records map[tocsin.Subject]*Record // nil: nothing is on record any more
	Lists   map[int64]List
	Agents  map[int64]*Agent
}

// Apply makes a change visible at once.
func (m *Model) Apply(c Change) {
	var buffer [512]byte
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, list := range c.Lists {
		if _, known := m.lists[id]; !known {
			m.others += 128 + len(list.Name) + len(list.Family)
		}
		m.lists[id] = list
	}
	for id, agent := range c.Agents {
		if m.agents[id] == nil {
			m.others += int(unsafe.Sizeof(*agent)) + 64 + len(agent.ID)
		}
		m.agents[id] = agent
	}
	for subject, r := range c.Records {
		key := appendKey(buffer[:0], subject)
		t, hash := m.table(key)
		if row, ok := m.row(key); ok {
			if r != nil && (r.Ask || len(r.Listings) > 0) {
				m.near.add(row)
				m.ends.add(byEnd(row))
			} else {
				m.near.remove(row)
				m.ends.remove(byEnd(row))
			}
		}
		if subject.Kind == tocsin.Solana {
			if r != nil && (r.Ask || len(r.Listings) > 0) {
				m.halves.add(subject.Value)
			} else {
				m.halves.remove(subject.Value)
			}
		}
		if row, ok := m.rowUnder(subject, key); ok {
			if r != nil && (r.Ask || r.warns()) {
				m.under.add(row)
			} else {
				m.under.remove(row)
			}
		}
		if r == nil || !r.Ask && len(r.Listings)+len(r.Mentions) == 0 {
			t.delete(hash, key)
			continue
		}
		t.put(hash, key, m.encoding.encode(key[len(key):], r))
	}
}

// Doubt says that what is known of some subjects may not be true any more: until the next change of each, the database
// must be asked.
func (m *Model) Doubt(subjects []tocsin.Subject) {
	var buffer [512]byte
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, subject := range subjects {
		key := appendKey(buffer[:0], subject)
		t, hash := m.table(key)
		if value := t.get(hash, key); value != nil {
			value[0] |= flagAsk // the rest stays, so that it can be replaced in its place
		} else {
			t.put(hash, key, []byte{flagAsk})
		}
		if row, ok := m.row(key); ok {
			m.near.add(row) // it may be named by now
			m.ends.add(byEnd(row))
		}
		if subject.Kind == tocsin.Solana {
			m.halves.add(subject.Value)
		}
		if row, ok := m.rowUnder(subject, key); ok {
			m.under.add(row)
		}
	}
}

// table returns the part that a key is in, and its hash there.
func (m *Model) table(key []byte) (*table, uint32) {
	h := m.hash(key)
	return &m.tables[h>>56], uint32(h)
}

// Bytes is how much memory the model takes.
func (m *Model) Bytes() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n := int(unsafe.Sizeof(*m)) + m.encoding.bytes + m.others
	n += m.near.bytes() + m.ends.bytes() + m.halves.bytes() + m.under.bytes()
	for i := range m.tables {
		n += m.tables[i].bytes()
	}
	return n
}

// Subjects is how many subjects are in the model.
func (m *Model) Subjects() (n int) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for i := range m.tables {
		n += m.tables[i].used
	}
	return n
}
