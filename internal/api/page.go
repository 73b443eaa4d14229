package api

import (
	"bytes"
	"encoding/json"
	"runtime"
	"sync"
	"weak"

	"tocsin"
	"tocsin/internal/store"
)

// page is one page of a list of reports, as every response with reports has it.
type page struct {
	Reports    any     `json:"reports"` // []tocsin.Report, or []briefReport in the compact view
	NextCursor *string `json:"nextCursor"`

	list []tocsin.Report
}

// reports implements reporting.
func (p *page) reports() []tocsin.Report { return p.list }

func (s *Server) page(c *call, reports []tocsin.Report, next string) page {
	return page{s.render(c, reports), optional(next), reports}
}

// dossierPage makes the page of reports of a dossier. Its JSON is kept for as
// long as the dossier is in memory.
func (s *Server) dossierPage(c *call, d *tocsin.Dossier) (page, error) {
	if len(d.Reports) == 0 {
		return page{Reports: encodedReports{}}, nil
	}
	if p := c.page(); p.Cursor != "" || p.Limit > store.FirstPage {
		return s.page(c, d.Reports, d.NextCursor), nil
	}
	first := &d.Reports[0]
	key := reportsKey{weak.Make(first), c.compact()}
	kept := s.encoded.get(key)
	if len(kept) < len(d.Reports) {
		kept = make(encodedReports, len(d.Reports))
		for i, r := range d.Reports {
			var b bytes.Buffer
			if err := encodeJSON(&b, s.view(r, key.compact)); err != nil {
				return page{}, err
			}
			kept[i] = b.Bytes()
		}
		s.encoded.put(first, key.compact, kept)
	}
	return page{kept[:len(d.Reports)], optional(d.NextCursor), d.Reports}, nil
}

// encodeAfter writes one JSON object: the fields of head, a struct, and then
// those of the page.
func (p *page) encodeAfter(b *bytes.Buffer, head any) error {
	if err := encodeJSON(b, head); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("}"))
	b.WriteString(`,"reports":`)
	if err := encodeJSON(b, p.Reports); err != nil {
		return err
	}
	if p.NextCursor == nil {
		b.WriteString(`,"nextCursor":null}`)
		return nil
	}
	b.WriteString(`,"nextCursor":`)
	if err := encodeJSON(b, p.NextCursor); err != nil {
		return err
	}
	b.WriteByte('}')
	return nil
}

// encodedReports is a list of reports as JSON, one by one.
type encodedReports []json.RawMessage

// encode implements encoder.
func (e encodedReports) encode(b *bytes.Buffer) error {
	b.WriteByte('[')
	for i, report := range e {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(report)
	}
	b.WriteByte(']')
	return nil
}

// size is the length of the JSON in bytes.
func (e encodedReports) size() int {
	size := 0
	for _, report := range e {
		size += len(report)
	}
	return size
}

// maxCachedReports bounds the JSON of reports that a server keeps, in bytes.
const maxCachedReports = 32 << 20

// reportCache keeps the JSON of the first pages of dossiers. Reports are the
// bulk of a screening and change less often than they are asked for.
type reportCache struct {
	bound int // the most that is kept, in bytes of JSON

	mu   sync.RWMutex
	kept map[reportsKey]cachedReports
	size int // bytes of JSON
}

// reportsKey names the reports of a dossier in a view. A dossier is never
// changed: new evidence makes a new one, with reports at another address. The
// pointer is weak, so that the cache does not keep in memory what the store has
// dropped: reports are many times as large as their compact JSON.
type reportsKey struct {
	first   weak.Pointer[tocsin.Report]
	compact bool
}

type cachedReports struct {
	json    encodedReports
	cleanup runtime.Cleanup // evicts them when the dossier is gone
}

func newReportCache(bound int) *reportCache {
	return &reportCache{bound: bound, kept: map[reportsKey]cachedReports{}}
}

func (c *reportCache) get(key reportsKey) encodedReports {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.kept[key].json
}

// put keeps the JSON of a dossier's reports, of which first is the first, unless
// that of more of them is kept already. It evicts others, in no order, while all
// together are over the bound.
func (c *reportCache) put(first *tocsin.Report, compact bool, reports encodedReports) {
	key, size := reportsKey{weak.Make(first), compact}, reports.size()
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > c.bound || len(c.kept[key].json) >= len(reports) {
		return
	}
	c.evict(key)
	for other := range c.kept {
		if c.size+size <= c.bound {
			break
		}
		c.evict(other)
	}
	c.kept[key] = cachedReports{json: reports, cleanup: runtime.AddCleanup(first, c.dropped, key)}
	c.size += size
}

// dropped evicts the reports of a dossier that is no longer in memory.
func (c *reportCache) dropped(key reportsKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(key)
}

func (c *reportCache) evict(key reportsKey) {
	old, known := c.kept[key]
	if !known {
		return
	}
	old.cleanup.Stop()
	c.size -= old.json.size()
	delete(c.kept, key)
}
