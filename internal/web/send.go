package web

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"tocsin/internal/locale"
)

// send writes a page. A secret is not compressed, because the length of the response
// would depend on it (BREACH).
func (s *Site) send(w http.ResponseWriter, req *request, p *page) {
	h := w.Header()
	if p.Location != "" {
		h.Set("Location", redirected(p.Location, s.keptLanguage(req.Request)))
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	if p.File != nil {
		s.sendFile(w, req, p.File)
		return
	}
	if p.Text != "" {
		h.Set("Content-Type", cmp.Or(p.Media, "text/plain; charset=utf-8"))
		if p.Download != "" {
			h.Set("Content-Type", mediaOf(p.Download))
			h.Set("Content-Disposition", `attachment; filename="`+p.Download+`"`)
		}
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(cmp.Or(p.Status, http.StatusOK))
		io.WriteString(w, p.Text) // fails if the visitor has left
		return
	}
	p.Status = cmp.Or(p.Status, http.StatusOK)
	if p.Wallet {
		h.Set("Content-Security-Policy", policy+" data:")
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", s.langOf(req, p).Tag)
	b := s.rendered(req, p)
	if p.Secret {
		h.Set("Cache-Control", "no-store")
	} else if strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") {
		packed := s.compressed(b, p.Heavy)
		for _, lighter := range p.Lighter {
			if packed.Len() <= maxDocument {
				break
			}
			p = lighter()
			packed = s.compressed(s.rendered(req, p), p.Heavy)
		}
		b = packed
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(p.Status)
	w.Write(b.Bytes()) // fails if the visitor has left
}

// maxDocument is the largest document, compressed, that weighs less than 40 KB with its assets but for the font of
// titles.
const maxDocument = 25 << 10

// langOf is the language of a page.
func (s *Site) langOf(req *request, p *page) *locale.Printer {
	if p.Template == "docs" { // which is in English only
		return s.langs.English()
	}
	return req.lang
}

// layoutOf is what the template of a page is filled with.
func (s *Site) layoutOf(req *request, p *page) layout {
	l := layout{page: p, Site: s.config, Path: req.URL.Path, Posted: req.Method == http.MethodPost,
		Lang: s.langOf(req, p), Langs: s.langs.All()}
	l.Linked, l.CardLang = req.URL.Query().Get(langParameter) == l.Lang.Tag, s.cardLang(l.Lang).Tag
	if c, err := req.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		l.Theme = c.Value
	}
	// Without its footer the page is still worth showing.
	if st, err := s.db.Stats(req.Context()); err == nil {
		l.Lists, l.Filing = freshnessOf(st, s.db.Now()), st.Filing
	}
	return l
}

// rendered is the document of a page.
func (s *Site) rendered(req *request, p *page) (b bytes.Buffer) {
	l := s.layoutOf(req, p)
	if err := s.pages.page(p.Template, l.Lang).ExecuteTemplate(&b, "layout", l); err != nil {
		panic(fmt.Errorf("page %q: %w", p.Template, err)) // the templates are part of the program
	}
	if l.Lang.Dense {
		b = dense(b.Bytes())
	}
	if tag := s.keptLanguage(req.Request); tag != "" {
		b = keepLanguage(b.Bytes(), tag)
	}
	return b
}
