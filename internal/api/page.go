package api

import (
	"bytes"
	"encoding/json"

	"tocsin"
	"tocsin/internal/store"
)

// page is one page of a list of reports, as every response with reports has it.
type page struct {
	Reports    any     `json:"reports"` // []wholeReport, or []briefReport in the compact view
	NextCursor *string `json:"nextCursor"`

	list []tocsin.Report
}

// reports implements reporting.
func (p *page) reports() []tocsin.Report { return p.list }

func (s *Server) page(c *call, reports []tocsin.Report, next string) page {
	return page{s.render(c, reports), optional(next), reports}
}

// dossierPage makes the page of reports of a dossier. Its JSON is kept with the
// dossier: reports are the bulk of a screening and change less often than they are
// asked for.
func (s *Server) dossierPage(c *call, d *store.Dossier) (page, error) {
	if len(d.Reports) == 0 {
		return page{Reports: encodedReports{}}, nil
	}
	if p := c.page(); p.Cursor != "" || p.Limit > store.FirstPage {
		return s.page(c, d.Reports, d.NextCursor), nil
	}
	kept, view := encodedOf(d), 0
	if c.compact() {
		view = 1
	}
	reports := kept.reports[view]
	if len(reports) < len(d.Reports) {
		reports = make(encodedReports, len(d.Reports))
		for i, r := range d.Reports {
			var b bytes.Buffer
			if err := encodeJSON(&b, s.view(r, c.compact())); err != nil {
				return page{}, err
			}
			reports[i] = bytes.Clone(b.Bytes()) // as small as it can be
		}
		kept.reports[view] = reports
		kept.keep(d)
	}
	return page{reports[:len(d.Reports)], optional(d.NextCursor), d.Reports}, nil
}

// encodeAfter writes the fields of the page behind those of the JSON object that the
// buffer ends with.
func (p *page) encodeAfter(b *bytes.Buffer) error {
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

// encoded is what is kept with a dossier: parts of the responses about it, as JSON.
type encoded struct {
	before, after []byte            // of its screening, around the moment in asOf; nil if it depends on the moment
	models        uint64            // how often the model of names had been exchanged before that was made
	outOfDate     bool              // the sanctionsOutOfDate in it
	reports       [2]encodedReports // of its first page, whole and in the compact view
}

// encodedOf returns what is kept with a dossier.
func encodedOf(d *store.Dossier) encoded {
	if kept, ok := d.Memo().(*encoded); ok {
		return *kept
	}
	return encoded{}
}

// keep keeps it with the dossier.
func (e encoded) keep(d *store.Dossier) {
	const slice = 24 // bytes of a header
	size := 7*slice + cap(e.before) + cap(e.after)
	for _, reports := range e.reports {
		for _, report := range reports {
			size += slice + cap(report)
		}
	}
	d.Keep(&e, size)
}
