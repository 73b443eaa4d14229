// Package web is Tocsin's website: complete HTML pages over the same database and the
// same limits as the API. The pages work without scripts and load nothing from other
// origins. docs/site.md explains the design.
package web

import (
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/evm"
	"tocsin/internal/front"
	"tocsin/internal/locale"
	"tocsin/internal/manual"
	"tocsin/internal/picture"
	"tocsin/internal/store"
)

// Site serves the pages. It is safe for concurrent use.
type Site struct {
	db       *store.DB
	api      *api.Server
	config   *front.Deployment
	log      *slog.Logger
	mux      *http.ServeMux
	assets   assets
	artist   *picture.Artist
	cards    *drawnCards
	host     string // of the base URL, as cards name it
	pages    *templates
	langs    *locale.Languages
	manual   func() (map[string]manual.Page, *manual.Index) // the documentation, by name, made when it is first needed
	agencies agencies
	forms    *http.CrossOriginProtection
	secure   bool       // visitors use https
	gzips    *sync.Pool // of *packer

	resolver *resolver // to subjects, which nodes know

	searchTime time.Duration // that a search may take
	searchWait time.Duration // for which a search waits for its turn
	cardWait   time.Duration // for which a card waits for its turn
}

// New makes the site of a deployment. It shares the database and the limits of the API. The nodes, each of an EVM chain
// that it knows, are asked what transactions and, on Ethereum, ENS names lead to; there may be none.
// An error is a fault of the program or of the base URL.
func New(db *store.DB, a *api.Server, nodes ...*evm.Node) (*Site, error) {
	langs, err := locale.Load(locale.Shipped()...)
	if err != nil {
		return nil, err
	}
	return newSite(db, a, nodes, langs)
}

// newSite makes a site in some languages.
func newSite(db *store.DB, a *api.Server, nodes []*evm.Node, langs *locale.Languages) (*Site, error) {
	config := a.Deployment()
	base, err := url.Parse(config.BaseURL)
	if err != nil {
		return nil, err
	}
	s := &Site{
		db:     db,
		api:    a,
		config: config,
		log:    config.Log,
		mux:    http.NewServeMux(),
		forms:  http.NewCrossOriginProtection(),
		secure: base.Scheme == "https",
		host:   base.Host,
		cards:  &drawnCards{},
		gzips:  &sync.Pool{New: func() any { return &packer{zip: gzip.NewWriter(io.Discard)} }},

		resolver: &resolver{nodes: nodes, now: config.Now, kept: map[string]keptResolution{}},

		langs:      langs,
		searchTime: searchTime,
		searchWait: searchWait,
		cardWait:   cardWait,
	}
	// Forms are compared with the Host header otherwise, which a proxy may change.
	if err := s.forms.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return nil, err
	}
	if s.assets, err = readAssets(); err != nil {
		return nil, err
	}
	if s.artist, err = newArtist(); err != nil {
		return nil, err
	}
	if s.agencies, err = readAgencies(agenciesFile); err != nil {
		return nil, err
	}
	if s.pages, err = newTemplates(s); err != nil {
		return nil, err
	}
	s.manual = sync.OnceValues(s.readManual)
	for pattern, handle := range map[string]handler{
		"GET /{$}":                           s.home,
		"GET /screen":                        s.find,
		"POST /screen":                       s.look,
		"GET /screen/{subject...}":           s.screen,
		"GET /screen.png":                    s.screenCard,
		"GET /card.png":                      s.siteCard,
		"GET /reports":                       s.reports,
		"GET /reports.atom":                  s.reportsFeed,
		"GET /reports/{id}":                  s.report,
		"GET /reports/{id}/card.png":         s.reportCard,
		"GET /reports/{id}/case":             s.casePage,
		"GET /reports/{id}/case.json":        s.caseDownload,
		"GET /reports/{id}/withdraw":         s.toReport,
		"GET /reports/{id}/receipt":          s.receipt,
		"GET /reports/{id}/receipt/code.txt": s.receiptFile,
		"POST /reports/{id}/receipt":         s.dismissReceipt,
		"POST /reports/{id}/receipt/correct": s.correct,
		"GET /reports/{id}/receipt/correct":  s.toReport,
		"POST /reports/{id}/correct":         s.correct,
		"GET /reports/{id}/correct":          s.toReport,
		"POST /reports/{id}/withdraw":        s.withdraw,
		"GET /report":                        s.newReport,
		"POST /report":                       s.fileReport,
		"GET /help":                          s.help,
		"GET /privacy":                       s.privacy,
		"GET /object":                        s.object,
		"GET /object/case":                   s.objectCase,
		"GET /object.json":                   s.objectDownload,
		"GET /account":                       s.account,
		"POST /account/message":              s.message,
		"GET /account/sign-in":               s.toAccount,
		"POST /account/sign-in":              s.signIn,
		"POST /account":                      s.changeAccount,
		"GET /account/key":                   s.toAccount,
		"POST /account/key":                  s.signInWithKey,
		"GET /compare":                       s.compare,
		"POST /compare":                      s.compare,
		"GET /bulk":                          s.bulk,
		"GET /lists.json":                    s.listsDownload,
		"POST /bulk":                         s.sendBulk,
		"GET /docs":                          s.docs,
		"GET /docs/{name}":                   s.docs,
		"GET /docs/search":                   s.searchDocs,
		"POST /docs/language":                s.keepExamples,
		"GET /leaderboard":                   s.leaderboard,
		"GET /status":                        s.status,
		"POST /theme":                        s.theme,
		"POST /language":                     s.chooseLanguage,
		"/":                                  s.notFound,
	} {
		s.mux.Handle(pattern, s.serve(handle))
	}
	for pattern, handle := range s.phoneFiles() {
		s.mux.Handle(pattern, s.serve(handle))
	}
	s.mux.HandleFunc("GET /assets/{name}", s.assets.serve)
	return s, nil
}

// handler answers a request with a page, or an error that [Site.errorPageOf] knows.
type handler func(req *request) (*page, error)

// request is one request for a page.
type request struct {
	*http.Request
	id      string          // as in the log
	lang    *locale.Printer // of the visitor
	header  http.Header     // of the response
	session *store.Session  // nil if the visitor is not signed in
	token   string          // of the session
	typed   bool            // it looks up what was typed, so it is no link within the site
	hints   int             // that it has taken
}

// page is the response of a handler: a page, a redirect or a text.
type page struct {
	Template    string // its name, without .html
	Title       string
	Description string
	Status      int    // 0 means 200
	Location    string // if set, redirect there with 303 instead
	Download    string // if set, a browser saves Text under this name, whose end says what it is
	Text        string // if set, respond with this text instead
	Media       string // of Text, if it is not saved; "" for plain text
	Shared      string // the path by which others link to it, if not its own without what is behind the "?"
	Card        string // the path of the picture that others show beside a link to it; "" for that of the site
	Feed        string // the path of its feed; "" for none
	File        *file  // if set, respond with this instead
	Secret      bool   // it shows a secret: it is neither cached nor compressed
	Heavy       bool   // it would weigh more than 40 KB with the font of titles
	Wallet      bool   // it shows icons of wallets, which are data: images
	Form        string // the id of its form, which another language brings along as it is; "" for none
	Body        any    // what the template shows

	Lighter []func() *page // what is sent instead if it is too heavy all the same: the first that is not
}

// layout is the data of layout.html.
type layout struct {
	*page
	Site   *front.Deployment
	Path   string
	Theme  string
	Lang   *locale.Printer
	Langs  []*locale.Printer // to choose from
	Lists  freshness         // of the public lists
	Filing tocsin.FilingState
	Posted bool // the page answers a form, so reloading would send it again
	Linked bool // the URL names the language of the page

	CardLang string // the language of the card, by its tag
}

// At reports whether the page is at or below a path, for the navigation.
func (l layout) At(path string) bool {
	return l.Path == path || path != "/" && strings.HasPrefix(l.Path, path+"/")
}

// caller returns the caller whose key the visitor has; nil for none.
func (req *request) caller() *store.Caller {
	if req.session == nil {
		return nil
	}
	return req.session.Caller
}

// ServeHTTP implements [http.Handler].
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

const (
	// maxForm is the largest form, in bytes as it is sent.
	maxForm = 256 << 10
	// maxTyped is how much text a form may hold, in bytes: twice as much as a report. The
	// page shows it again, with up to five bytes for one.
	maxTyped = 96 << 10
	// policy is the Content-Security-Policy: a page loads only from this origin, and no
	// other page may embed it.
	policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; font-src 'self'; img-src 'self'"
)

// ServeError implements [front.Room].
func (s *Site) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, front.ErrPathTooLong) {
		s.ServeHTTP(w, r) // the page shows what was typed again, to be corrected
		return
	}
	req := s.request(w, r)
	if errors.Is(err, front.ErrForeign) {
		s.send(w, req, errorPage(http.StatusForbidden, req.lang.Text("This did not come from our own pages"),
			req.lang.Text("Nothing was changed. Open the page here, and do it again.")))
		return
	}
	if errors.Is(err, front.ErrBusy) {
		s.send(w, req, errorPage(http.StatusServiceUnavailable, req.lang.Text("Tocsin is busy at the moment"), req.lang.Text(
			"Too many large forms are being sent. Nothing was lost. Go back and send yours again in a few seconds.")))
		return
	}
	if errors.Is(err, front.ErrCrowded) {
		s.send(w, req, errorPage(http.StatusServiceUnavailable, req.lang.Text("Tocsin is busy at the moment"),
			req.lang.Text("Try again in a few seconds.")))
		return
	}
	if errors.As(err, new(front.TooFast)) {
		s.send(w, req, errorPage(http.StatusTooManyRequests, req.lang.Text("Not so fast, please"),
			req.lang.Text("Very many requests come from your network. Try again in a few seconds.")))
		return
	}
	s.send(w, req, internalErrorPage(req))
}

// request sets the headers of every page.
func (s *Site) request(w http.ResponseWriter, r *http.Request) *request {
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Vary", "Cookie, Accept-Encoding, Accept-Language")
	return &request{Request: r, id: front.Of(r.Context()).ID, header: h, lang: s.languageOf(r)}
}

// serve makes an http.Handler of a handler.
func (s *Site) serve(handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := s.request(w, r)
		p, err := s.respond(req, w, handle)
		if err != nil {
			p = s.errorPageOf(req, err)
		}
		s.send(w, req, p)
	})
}

// respond runs a handler for a visitor who is known, with a form that is read.
func (s *Site) respond(req *request, w http.ResponseWriter, handle handler) (*page, error) {
	// The status is for everybody, above all when the database does not say who somebody is.
	if err := s.recognize(req); err != nil && !(req.URL.Path == "/status" && store.Unreadable(err)) {
		return nil, err
	}
	if req.Method == http.MethodPost {
		if err := s.forms.Check(req.Request); err != nil {
			return nil, errCrossSite
		}
		front.BoundBody(w, req.Request, most(req.URL.Path))
		if err := req.parseForm(); err != nil {
			if errors.As(err, new(*http.MaxBytesError)) {
				return nil, errLargeForm
			}
			return errorPage(http.StatusBadRequest, req.lang.Text("That does not work"),
				req.lang.Text("The form was not sent as a browser sends it. Open the page here and send it again.")), nil
		}
	}
	typed := 0
	for _, values := range req.PostForm {
		for _, text := range values {
			typed += len(text)
		}
	}
	if typed > maxTyped {
		return nil, errLargeForm
	}
	s.readOwnPages(req)
	return handle(req)
}

// most is how large a form to a path may be: one with a list may have an earlier table beside it.
func most(path string) int64 {
	if path == "/bulk" {
		return front.MaxBody
	}
	return maxForm
}

// parseForm reads a form, also one with files, which stay in memory: there may be no disk to write to.
func (req *request) parseForm() error {
	if kind, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type")); kind == "multipart/form-data" {
		return req.ParseMultipartForm(front.MaxBody)
	}
	return req.ParseForm()
}

// errLargeForm is the error of a form that is larger than maxForm or maxTyped.
var errLargeForm = errors.New("the form is too large")
