package store

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"tocsin"
)

// dossiers keeps the first pages of recent dossiers in memory. It follows the log
// of events: a change of evidence drops the dossiers of its subject's owner.
type dossiers struct {
	bound int // bytes that are kept at most

	mu         sync.RWMutex
	kept       map[tocsin.Subject]*keptDossier
	families   map[tocsin.Subject]*keptDossier // by the owner of names: the first that is kept of its domain
	size       int                             // bytes
	generation int64                           // of the evidence

	asked asked
}

// asked are marks of the names that were asked for lately, by their hashes.
type asked struct {
	seed  maphash.Seed
	marks [1 << 15]atomic.Uint32
}

// wants reports whether a dossier that the read model has made is worth keeping. One with a page of reports is, since
// they are in the database. Others cost less to make again than to keep, unless their name was asked for before, not
// many others ago. That of an account with nothing on record is not worth it: the answers about all of them are alike,
// those about domains say what is in their names.
func (c *dossiers) wants(name tocsin.Subject, d *keptDossier) bool {
	if len(d.Reports) > 0 || d.Unknown() && name.Kind != tocsin.DNS {
		return len(d.Reports) > 0
	}
	h := maphash.Comparable(c.asked.seed, name)
	mark := &c.asked.marks[h%uint64(len(c.asked.marks))]
	return mark.Swap(uint32(h>>32)) == uint32(h>>32)
}

// Dossier is everything on record about a subject, with one place for what others
// make of it.
type Dossier struct {
	tocsin.Dossier
	kept *keptDossier // of which it is a part
}

// Unknown reports whether nothing is on record.
func (d *Dossier) Unknown() bool { return len(d.Listings) == 0 && d.ReportCount == 0 }

// keptDossier is a dossier from whose first page shorter ones are made.
type keptDossier struct {
	Dossier
	limit int   // of the page that was read
	ends  []end // of its reports

	ofMany bool // it is of all names that are not on record, and nothing is kept with it

	cache    *dossiers
	name     tocsin.Subject
	wanted   atomic.Bool // asked for again since it was read, or since others were dropped
	memo     atomic.Value
	own      int          // bytes, without the memo
	memoSize int          // bytes
	before   *keptDossier // of the same family
	after    *keptDossier // of the same family
}

// newKept returns a dossier to be read, with a first page of so many reports, and the lists on record.
func newKept(limit int, lists tocsin.ListDates) *keptDossier {
	d := &keptDossier{limit: limit}
	d.kept, d.Lists = d, lists
	return d
}

// Memo returns what [Dossier.Keep] was given for the dossier; nil for nothing. It is
// gone when the evidence has changed.
func (d *Dossier) Memo() any { return d.kept.memo.Load() }

// Keeps reports whether [Dossier.Keep] keeps values. Of a dossier that was asked for only once it does not: most are of
// subjects that nobody asks for again.
func (d *Dossier) Keeps() bool { return d.kept.cache != nil && d.kept.wanted.Load() }

// Keep keeps a value beside the dossier for as long as that is in memory; it replaces
// the last one, and must be of the same type. Bytes is how much memory it takes, which
// counts like the dossier's own. See [Dossier.Keeps].
func (d *Dossier) Keep(value any, bytes int) {
	if !d.Keeps() {
		return
	}
	k := d.kept
	c := k.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept[k.name] != k || bytes > c.bound/4 {
		return
	}
	k.memo.Store(value)
	c.size += bytes - k.memoSize
	k.memoSize = bytes
	c.makeRoom(0)
}

// answers reports whether a first page with that limit is part of the dossier.
func (d *keptDossier) answers(limit int) bool {
	return d.ReportCount == 0 || limit <= d.limit || d.limit > 0 && d.NextCursor == ""
}

// cut returns the dossier with as many of its reports as are on a first page.
func (d *keptDossier) cut(page Page) *Dossier {
	n := min(page.Limit, len(d.Reports))
	for n > 1 && d.ends[n-1].bytes > page.bytes() {
		n--
	}
	if n == len(d.Reports) {
		return &d.Dossier
	}
	cut := d.Dossier
	cut.Reports, cut.NextCursor = d.Reports[:n:n], ""
	if n > 0 {
		cut.NextCursor = d.ends[n-1].cursor
	}
	return &cut
}

// get returns what is kept about name, if a first page with that limit is part of it.
func (c *dossiers) get(name tocsin.Subject, limit int) (*keptDossier, int64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	d := c.kept[name]
	if d != nil && !d.answers(limit) {
		d = nil
	}
	if d != nil && !d.wanted.Load() {
		d.wanted.Store(true)
	}
	return d, c.generation
}

// put keeps a dossier, unless evidence has changed since generation.
func (c *dossiers) put(name tocsin.Subject, d *keptDossier, generation int64) {
	if d.ofMany {
		d = newKept(0, d.Lists)
	}
	d.cache, d.name, d.own = c, name, weight(name, d)
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return
	}
	if old := c.kept[name]; old != nil {
		if old.answers(d.limit) {
			return
		}
		c.drop(old)
	}
	c.makeRoom(d.own)
	if c.kept == nil {
		c.kept, c.families = map[tocsin.Subject]*keptDossier{}, map[tocsin.Subject]*keptDossier{}
	}
	c.kept[name] = d
	c.size += d.own
	if name.IsAddress() {
		return
	}
	owner := name.Owner()
	if d.after = c.families[owner]; d.after != nil {
		d.after.before = d
	}
	c.families[owner] = d
}

// makeRoom drops dossiers until this many more bytes fit within the bound. It takes those that
// nobody has asked for since it last looked at them.
func (c *dossiers) makeRoom(bytes int) {
	for c.size+bytes > c.bound && len(c.kept) > 0 {
		for _, d := range c.kept { // in no order
			if c.size+bytes <= c.bound {
				break
			}
			if !d.wanted.Swap(false) {
				c.drop(d)
			}
		}
	}
}

// setBound says how many bytes of their memory the read model leaves to the dossiers.
func (c *dossiers) setBound(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bound = bytes
	c.makeRoom(0)
}

func (c *dossiers) drop(d *keptDossier) {
	c.size -= d.own + d.memoSize
	delete(c.kept, d.name)
	if d.name.IsAddress() {
		return
	}
	switch {
	case d.before != nil:
		d.before.after = d.after
	case d.after != nil:
		c.families[d.name.Owner()] = d.after
	default:
		delete(c.families, d.name.Owner())
	}
	if d.after != nil {
		d.after.before = d.before
	}
	d.before, d.after = nil, nil
}

// forget drops what a change of the subjects' evidence may touch.
func (c *dossiers) forget(subjects []tocsin.Subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range subjects {
		owner := s.Owner()
		if d := c.kept[owner]; d != nil && owner.IsAddress() {
			c.drop(d)
		}
		for d := c.families[owner]; d != nil; d = c.families[owner] {
			c.drop(d)
		}
	}
	c.generation++
}

// clear forgets everything.
func (c *dossiers) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept, c.families, c.size = nil, nil, 0
	c.generation++
}
