package store

import (
	"sync"

	"tocsin"
)

// dossiers keeps the first pages of recent dossiers in memory. It follows the log
// of events: a change of evidence drops the dossiers of its subject's owner.
type dossiers struct {
	mu         sync.RWMutex
	kept       map[tocsin.Subject]keptDossiers // by owner
	size       int
	generation int64 // of the evidence
}

// keptDossiers are the dossiers of one owner: an address, or a registrable
// domain and the names below it. A change of evidence about one can affect all.
type keptDossiers map[tocsin.Subject]*keptDossier

// keptDossier is a dossier from whose first page shorter ones are made.
type keptDossier struct {
	tocsin.Dossier
	limit int   // of the page that was read
	ends  []end // of its reports
}

// answers reports whether a first page with that limit is part of the dossier.
func (d *keptDossier) answers(limit int) bool {
	return d.ReportCount == 0 || limit <= d.limit || d.limit > 0 && d.NextCursor == ""
}

// cut returns the dossier with as many of its reports as are on a first page.
func (d *keptDossier) cut(page Page) *tocsin.Dossier {
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

// maxDossiers bounds the memory, in bytes, roughly.
const maxDossiers = 64 << 20

func weight(d *keptDossier) int {
	bytes := 512 + 256*len(d.Listings) + 128*len(d.Reporters)
	for i := range d.Reports { // once as values, once as JSON
		r := &d.Reports[i]
		bytes += 2000 + 2*len(r.Description) + 160*len(r.ScammerAddresses) + 160*len(r.ReportedDomains)
		bytes += 200 * len(r.Evidence.TransactionHashes)
		for _, u := range r.Evidence.URLs {
			bytes += 32 + 2*len(u)
		}
	}
	return bytes
}

// get returns what is kept about name, if a first page with that limit is part of it.
func (c *dossiers) get(name tocsin.Subject, limit int) (*keptDossier, int64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	d := c.kept[name.Owner()][name]
	if d != nil && !d.answers(limit) {
		d = nil
	}
	return d, c.generation
}

// put keeps a dossier, unless evidence has changed since generation.
func (c *dossiers) put(name tocsin.Subject, d *keptDossier, generation int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return
	}
	if c.kept == nil {
		c.kept = map[tocsin.Subject]keptDossiers{}
	}
	for owner := range c.kept { // in no order: any will do
		if c.size < maxDossiers {
			break
		}
		c.drop(owner)
	}
	owner := name.Owner()
	if c.kept[owner] == nil {
		c.kept[owner] = keptDossiers{}
	}
	if old := c.kept[owner][name]; old == nil || !old.answers(d.limit) {
		if old != nil {
			c.size -= weight(old)
		}
		c.size += weight(d)
		c.kept[owner][name] = d
	}
}

func (c *dossiers) drop(owner tocsin.Subject) {
	for _, d := range c.kept[owner] {
		c.size -= weight(d)
	}
	delete(c.kept, owner)
}

// forget drops what a change of the subjects' evidence may touch.
func (c *dossiers) forget(subjects []tocsin.Subject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range subjects {
		c.drop(s.Owner())
	}
	c.generation++
}

// clear forgets everything.
func (c *dossiers) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept, c.size = nil, 0
	c.generation++
}
