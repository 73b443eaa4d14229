// Package web is Tocsin's site: complete HTML pages over the same database and
// the same gate as the API. Scripts only add to a page; nothing is loaded from
// elsewhere. docs/site.md says why things look as they do.
package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/manual"
	"tocsin/internal/store"
)

// Site answers the pages.
type Site struct {
	db     *store.DB
	api    *api.Server
	config *front.Deployment
	log    *slog.Logger
	mux    *http.ServeMux
	assets assets
	pages  map[string]*template.Template
	manual map[string]manual.Page // by name
	forms  *http.CrossOriginProtection
	secure bool // visitors come by https
}

// New builds the site over a database and the API that shares its gate. An
// error is a fault of the program or of the base URL.
func New(db *store.DB, a *api.Server) (*Site, error) {
	config := a.Deployment()
	base, err := url.Parse(config.BaseURL)
	if err != nil {
		return nil, err
	}
	s := &Site{db: db, api: a, config: config, log: config.Log, mux: http.NewServeMux(), forms: http.NewCrossOriginProtection(), secure: base.Scheme == "https"}
	// A proxy may change the Host header, by which a form's origin would be judged otherwise.
	if err := s.forms.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	if s.assets, err = readAssets(); err != nil {
		return nil, err
	}
	if s.pages, err = s.readTemplates(); err != nil {
		return nil, err
	}
	if s.manual, err = s.readManual(); err != nil {
		return nil, err
	}
	for pattern, answer := range map[string]handler{
		"GET /{$}":                    s.home,
		"GET /screen":                 s.find,
		"GET /screen/{subject...}":    s.screen,
		"GET /reports":                s.reports,
		"GET /reports/{id}":           s.report,
		"GET /reports/{id}/withdraw":  s.toReport,
		"POST /reports/{id}/withdraw": s.withdraw,
		"GET /report":                 s.newReport,
		"POST /report":                s.fileReport,
		"GET /account":                s.account,
		"POST /account/message":       s.message,
		"GET /account/sign-in":        s.toAccount,
		"POST /account/sign-in":       s.signIn,
		"POST /account":               s.changeAccount,
		"GET /docs":                   s.docs,
		"GET /docs/{name}":            s.docs,
		"GET /leaderboard":            s.leaderboard,
		"GET /status":                 s.status,
		"POST /theme":                 s.theme,
		"/":                           s.notFound,
	} {
		s.mux.Handle(pattern, s.serve(answer))
	}
	s.mux.HandleFunc("GET /assets/{name}", s.assets.serve)
	return s, nil
}

// Pages returns the paths of the pages that are the same for everybody, and worth finding.
func (s *Site) Pages() []string {
	pages := []string{"/", "/reports", "/leaderboard", "/status", "/docs"}
	for _, name := range slices.Sorted(maps.Keys(s.manual)) {
		if name != "" {
			pages = append(pages, "/docs/"+name)
		}
	}
	return pages
}

// page answers one request with a view.
type handler func(req *request) (*page, error)

// visit is one request of a page.
type request struct {
	*http.Request
	id      string         // of the request, in the log
	header  http.Header    // of the answer
	session *store.Session // nil: nobody is signed in
	token   string         // of the session
}

// view is what a page shows, or where it sends the visitor.
type page struct {
	Template        string // name of its template
	Title       string
	Description string
	Status      int    // 0 means 200
	Location          string // send the visitor there instead, with 303
	Text       string // answer this text instead, to a script
	Secret      bool   // it shows a secret: nothing may keep it
	Wallet      bool   // it shows icons of wallets, which are data: images
	Body        any
}

// frame is what the layout shows around a view.
type layout struct {
	*page
	Site      *front.Deployment
	Path      string
	Theme     string
	ListsRead *tocsin.Time // the last import of all
	Posted    bool         // the page answers a form, and could not be shown again
}

// At reports whether the page lies at or below a path, for the navigation.
func (f layout) At(path string) bool {
	return f.Path == path || path != "/" && strings.HasPrefix(f.Path, path+"/")
}

// caller is who holds the live key of whoever is signed in, or nil.
func (req *request) caller() *store.Caller {
	if req.session == nil {
		return nil
	}
	return req.session.Caller
}

// ServeHTTP implements [http.Handler].
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

const (
	// maxForm is how large a form may be, in bytes.
	maxForm = 256 << 10
	// policy lets a page load from this site alone, and be framed by nobody.
	policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; img-src 'self'"
)

// ServeError implements [front.Room].
func (s *Site) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, front.ErrPathTooLong) {
		s.ServeHTTP(w, r) // the page shows what was typed again, to be corrected
		return
	}
	req := s.request(w, r)
	s.send(w, req, internalErrorPage(req.id))
}

// visit sets the headers that hold for every page.
func (s *Site) request(w http.ResponseWriter, r *http.Request) *request {
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Vary", "Cookie, Accept-Encoding")
	return &request{Request: r, id: front.Of(r.Context()).ID, header: h}
}

// serve turns a page into a handler: it knows the visitor and writes the one answer.
func (s *Site) serve(answer handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := s.request(w, r)
		p, err := s.respond(req, w, answer)
		if err != nil {
			p = s.errorPageOf(req, err)
		}
		s.send(w, req, p)
	})
}

func (s *Site) respond(req *request, w http.ResponseWriter, answer handler) (*page, error) {
	if err := s.recognize(req); err != nil {
		return nil, err
	}
	if req.Method == http.MethodPost {
		if err := s.forms.Check(req.Request); err != nil {
			return nil, errCrossSite
		}
		req.Body = http.MaxBytesReader(w, req.Body, maxForm)
		if err := req.ParseForm(); err != nil {
			if errors.As(err, new(*http.MaxBytesError)) {
				return nil, &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("The form is too large. It may have at most %d KB", maxForm>>10)}
			}
			return nil, &tocsin.Error{Code: tocsin.Invalid, Detail: "The form was not sent as a browser sends it. Open the page here and send it again"}
		}
	}
	return answer(req)
}

// errForeign is the error of a form that another site sent.
var errCrossSite = errors.New("the form was sent by another site")

// send writes a view. The header tells browsers to keep nothing of a secret, and
// a secret is not compressed: the length would tell of it (BREACH).
func (s *Site) send(w http.ResponseWriter, req *request, p *page) {
	h := w.Header()
	if p.Location != "" {
		h.Set("Location", p.Location)
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	if p.Text != "" {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		io.WriteString(w, p.Text) // a visitor who has gone away is no fault
		return
	}
	if p.Status == 0 {
		p.Status = http.StatusOK
	}
	f := layout{page: p, Site: s.config, Path: req.URL.Path, Posted: req.Method == http.MethodPost}
	if c, err := req.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		f.Theme = c.Value
	}
	// Whatever ails the numbers in the footer must not cost the page.
	if st, err := s.db.Stats(req.Context()); err == nil {
		f.ListsRead = lastImport(st)
	}
	if p.Wallet {
		h.Set("Content-Security-Policy", policy+" data:")
	}
	var b bytes.Buffer
	if err := s.pages[p.Template].ExecuteTemplate(&b, "layout", f); err != nil {
		panic(fmt.Errorf("page %q: %w", p.Template, err)) // a fault of the program
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	if p.Secret {
		h.Set("Cache-Control", "no-store")
	} else if strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(b.Bytes())
		z.Close()
		b = packed
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(p.Status)
	w.Write(b.Bytes()) // a visitor who has gone away is no fault
}

// failure is the view of an error that no page has made its own of.
func (s *Site) errorPageOf(req *request, err error) *page {
	var fault *tocsin.Error
	var later *api.Later
	var spent *quotaError
	switch {
	case errors.As(err, &spent):
		return s.quotaPage(req, spent)
	case errors.Is(err, errHead):
		return errorPage(http.StatusOK, "Tocsin", "")
	case errors.As(err, &later):
		req.header.Set("Retry-After", later.RetryAfter())
		return errorPage(http.StatusTooManyRequests, "Not so fast, please", later.Fault.Detail)
	case errors.Is(err, errCrossSite):
		return errorPage(http.StatusForbidden, "This came from another site", "We take forms from our own pages only, and show answers to nobody else’s. If you meant it, open the page here and do it again.")
	case errors.As(err, &fault):
		return s.faultPage(fault)
	case store.Unavailable(err):
		req.header.Set("Retry-After", "5")
		s.log.LogAttrs(req.Context(), slog.LevelError, "database unavailable", slog.String("id", req.id), slog.String("error", err.Error()))
		return errorPage(http.StatusServiceUnavailable, "Tocsin is busy at the moment", "Nothing was lost. Try again in a few seconds.")
	case req.Context().Err() != nil || errors.Is(err, context.Canceled):
		return errorPage(http.StatusServiceUnavailable, "The page was given up before it was made", "Try again.")
	}
	s.log.LogAttrs(req.Context(), slog.LevelError, "internal error", slog.String("id", req.id), slog.String("error", err.Error()))
	return internalErrorPage(req.id)
}

// mistaken is the view of a visitor's fault.
func (s *Site) faultPage(fault *tocsin.Error) *page {
	switch fault.Code {
	case tocsin.NotFound:
		return errorPage(http.StatusNotFound, "There is nothing here", "The page you asked for does not exist, or no longer. Look up an address or a website above, or browse the reports.")
	case tocsin.ReportWithdrawn:
		return errorPage(http.StatusGone, "This report was withdrawn", "Its reporter took it back. It counts in no score any more.")
	}
	return errorPage(http.StatusBadRequest, "That does not work", explain(fault))
}

// explain says what is wrong first, and how to mend it.
func explain(fault *tocsin.Error) string {
	if len(fault.Fields) == 0 {
		return tocsin.Sentence(fault.Detail)
	}
	return tocsin.Sentence(fault.Fields[0].Reason) + " " + tocsin.Sentence(fault.Fields[0].Fix)
}

func internalErrorPage(id string) *page {
	return errorPage(http.StatusInternalServerError, "Something failed on our side", "It is not your fault. If it lasts, tell the operator this number: "+id)
}

// apology is a page that says why there is no other.
func errorPage(status int, title, text string) *page {
	return &page{Template: "error", Title: title, Status: status, Body: text}
}

// nowhere answers what no page stands for.
func (s *Site) notFound(req *request) (*page, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		req.header.Set("Allow", "GET, HEAD")
		return errorPage(http.StatusMethodNotAllowed, "That does not work", "This page takes no such call."), nil
	}
	return nil, &tocsin.Error{Code: tocsin.NotFound}
}

const themeCookie = "theme"

// theme keeps the visitor's choice of colours in a cookie and goes back to the page.
func (s *Site) theme(req *request) (*page, error) {
	c := http.Cookie{Name: themeCookie, Value: req.PostFormValue("theme"), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()), HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode}
	if c.Value != "light" && c.Value != "dark" { // the system's
		c.Value, c.MaxAge = "", -1
	}
	req.header.Add("Set-Cookie", c.String())
	to := "/"
	if from, err := url.Parse(req.Referer()); err == nil && strings.HasPrefix(from.Path, "/") && !strings.HasPrefix(from.Path, "//") {
		to = (&url.URL{Path: from.Path, RawQuery: from.RawQuery}).RequestURI()
	}
	return &page{Location: to}, nil
}
