// Package discovery serves documents with which programs that do not know Tocsin find it, and learn its prices and its
// use. Each is made from the contract and the configuration of this deployment, and announces only what is configured
// here (docs/decisions/0014-documents-are-projections.md).
package discovery

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/contract"
	"tocsin/internal/front"
)

// Served is what else is served beside the API and is named in documents.
type Served struct {
	Pages     func() []string // paths of the site that search engines may show
	Revisions []string        // of MCP that its endpoint speaks, the newest first
}

// Documents serves the documents.
type Documents struct {
	files map[string]file // by path
}

// file is one document.
type file struct {
	media  string
	maxAge time.Duration // of Cache-Control
	link   string        // the header Link; "" for none
	text   func() []byte // as it is at the moment
	kept   *kept         // what was last made of text
}

// kept is a document as it was last sent.
type kept struct {
	mu           sync.Mutex
	text, packed []byte // packed is text by gzip
	tag          string // of text: a hash
}

// current returns the document as it is at the moment, by gzip if that is asked for, and its entity tag, which is
// another one for other bytes (RFC 9110, section 8.8.3.3).
func (f file) current(packed bool) (content []byte, tag string) {
	k := f.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	if text := f.text(); !bytes.Equal(text, k.text) {
		sum := sha256.Sum256(text)
		k.text, k.packed, k.tag = text, nil, hex.EncodeToString(sum[:16])
	}
	if !packed {
		return k.text, `"` + k.tag + `"`
	}
	if k.packed == nil {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(k.text) // into memory: it does not fail
		z.Close()
		k.packed = b.Bytes()
	}
	return k.packed, `"` + k.tag + `-gzip"`
}

// New makes the documents of an API. An error is a fault of the contract or of the base URL.
func New(a *api.Server, served Served) (*Documents, error) {
	f, err := gather(a, served)
	if err != nil {
		return nil, err
	}
	d := &Documents{files: map[string]file{}}
	add := func(path, media string, text []byte) {
		d.files[path] = file{media: media, maxAge: time.Hour, text: func() []byte { return text }}
	}

	document, err := f.openAPI()
	if err != nil {
		return nil, err
	}
	later := func(path, media string, text func() []byte) { // what takes long to write, when it is first asked for
		d.files[path] = file{media: media, maxAge: time.Hour, text: sync.OnceValue(text)}
	}
	later("/openapi.json", "application/json", func() []byte { return []byte(document.JSON(120) + "\n") })
	later("/openapi.yaml", "application/yaml", document.YAML) // RFC 9512

	d.files["/.well-known/x402.json"] = file{
		media: "application/json", maxAge: 5 * time.Minute, text: newManifest(f).current,
	}

	add("/.well-known/acp.json", "application/json", encode(f.commerce()))
	add(catalogPath, catalogMedia, encode(f.apiCatalog()))
	catalog := d.files[catalogPath]
	catalog.link = fmt.Sprintf("<%s%s>; rel=\"api-catalog\"", f.BaseURL, catalogPath) // RFC 9727, section 2
	d.files[catalogPath] = catalog
	d.files[f.Contract.Base] = catalog // nothing else is at this path, and clients try it

	card := encode(f.serverCard())
	add("/.well-known/mcp/server-card.json", "application/json", card)
	add(f.MCP+"/server-card", cardMedia, card)
	add("/.well-known/ai-catalog.json", "application/ai-catalog+json", encode(f.aiCatalog()))

	skills, err := f.skills()
	if err != nil {
		return nil, err
	}
	for _, s := range skills {
		add(s.path(), "text/markdown; charset=utf-8", s.text)
	}
	add(skillsIndexPath, "application/json", encode(f.skillsIndex(skills)))

	guides := map[tocsin.FilingState][]byte{}
	for _, state := range []tocsin.FilingState{tocsin.FilingOpen, tocsin.FilingKeysOnly, tocsin.FilingShut} {
		f.Filing = state
		if guides[state], err = f.render("llms.txt"); err != nil {
			return nil, err
		}
	}
	d.files["/llms.txt"] = file{
		media: "text/plain; charset=utf-8", maxAge: 5 * time.Minute,
		text: func() []byte { return guides[a.Filing(context.Background())] },
	}
	robots, err := f.render("robots.txt")
	if err != nil {
		return nil, err
	}
	add("/robots.txt", "text/plain; charset=utf-8", robots)
	later("/sitemap.xml", "application/xml", f.sitemap)
	if f.Contact != "" {
		d.files["/.well-known/security.txt"] = file{
			media: "text/plain; charset=utf-8", maxAge: time.Hour, text: f.security,
		}
	}
	for path, document := range d.files {
		document.kept = &kept{}
		d.files[path] = document
	}
	return d, nil
}

// Mount serves the documents, and answers 404 for all other paths under /.well-known/.
func (d *Documents) Mount(door *front.Door) {
	door.Handle("/.well-known/", d)
	for path := range d.files {
		if !strings.HasPrefix(path, "/.well-known/") {
			door.Handle(path, d)
		}
	}
}

// ServeHTTP implements [http.Handler].
func (d *Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	preflight := cors.Apply(h, r)
	f, found := d.files[r.URL.Path]
	switch {
	case preflight:
		w.WriteHeader(http.StatusNoContent)
		return
	case !found:
		h.Set("Cache-Control", "no-store")
		http.Error(w, "There is no such document here.", http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "Documents are only read.", http.StatusMethodNotAllowed)
		return
	}
	packed := front.AcceptsGzip(r)
	text, tag := f.current(packed)
	h.Set("Vary", "Accept-Encoding")
	if packed {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", f.media)
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(f.maxAge.Seconds())))
	h.Set("ETag", tag)
	if f.link != "" {
		h.Set("Link", f.link)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text)) // knows HEAD, If-None-Match and Range
}

// cors is what pages of other origins may read: the documents are public.
var cors = front.CORS{
	Methods: "GET, HEAD, OPTIONS",
	Headers: "Accept, Content-Type, If-None-Match",
	Exposed: "ETag, Link",
}

// ServeError implements [front.Room].
func (d *Documents) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, front.ErrPathTooLong) {
		d.ServeHTTP(w, r) // no document has a long path
		return
	}
	cors.Apply(w.Header(), r)
	w.Header().Set("Cache-Control", "no-store")
	if errors.Is(err, front.ErrForeign) {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	if errors.As(err, new(front.TooFast)) {
		http.Error(w, tocsin.Sentence(err.Error()), http.StatusTooManyRequests)
		return
	}
	if errors.Is(err, front.ErrCrowded) {
		http.Error(w, tocsin.Sentence(err.Error()), http.StatusServiceUnavailable)
		return
	}
	if errors.Is(err, front.ErrBusy) {
		http.Error(w, "No document takes a body: send the request without one.", http.StatusServiceUnavailable)
		return
	}
	http.Error(w, "Something failed on our side.", http.StatusInternalServerError)
}

// Links is the value of the header Link of the first page of the site. It leads from there to the documents (RFC 8288,
// RFC 8631, RFC 9727).
const Links = `</.well-known/api-catalog>; rel="api-catalog", ` +
	`</openapi.json>; rel="service-desc"; type="application/json", ` +
	`</docs>; rel="service-doc"; type="text/html", </llms.txt>; rel="describedby"; type="text/plain"`

// facts are what documents are made of.
type facts struct {
	*front.Deployment
	Served
	api      *api.Server
	Contract *contract.Contract

	Host     string // of the base URL, with its port
	API      string // URL that all operations are under
	Free     string // free calls a day
	Networks []api.NetworkStatus
	Pays     bool // payments are taken
	Filing   tocsin.FilingState
}

func gather(a *api.Server, served Served) (*facts, error) {
	about := a.Deployment()
	base, err := url.Parse(about.BaseURL)
	if err != nil {
		return nil, err
	}
	c, payments := a.Contract(), a.Payments()
	return &facts{
		Deployment: about,
		Served:     served,
		api:        a,
		Contract:   c,
		Host:       base.Host,
		API:        about.BaseURL + c.Base,
		Free:       contract.Grouped(about.Quota),
		Networks:   payments.Networks,
		Pays:       payments.Enabled,
	}, nil
}

// Operation returns an operation by its id.
func (f *facts) Operation(id string) (*contract.Operation, error) {
	if op := f.Contract.Operation(id); op != nil {
		return op, nil
	}
	return nil, fmt.Errorf("the contract has no operation %q", id)
}

// Cost describes what a call of an operation costs and needs.
func (f *facts) Cost(op *contract.Operation) string {
	switch {
	case op.Price != "" && f.Pays:
		return "$" + op.Price + ", or one free call of a key"
	case op.Price != "":
		return "one free call of a key"
	case !op.Open && len(op.Credentials) > 0:
		return "free, with `" + op.Credentials[0].Name + "`"
	}
	return "free"
}

// Trimmed returns a text without the full stop at its end.
func (f *facts) Trimmed(text string) string { return strings.TrimSuffix(text, ".") }

// Shape describes in one line what an operation takes and answers.
func (f *facts) Shape(op *contract.Operation) string {
	list := func(about string, fields []contract.Field) string {
		var names []string
		for _, field := range fields {
			names = append(names, "`"+strings.TrimSuffix(field.Name, "[]")+"`")
		}
		if names == nil {
			return ""
		}
		return about + strings.Join(names, ", ") + ". "
	}
	var query []contract.Field
	for _, p := range op.Parameters {
		if p.In == "query" {
			query = append(query, p)
		}
	}
	line := list("Query: ", query) + list("Body: ", op.Body.Fields)
	if op.Body.Example != nil {
		line += "Such as `" + op.Body.Example.Line() + "`. "
	}
	line += list("Answers ", op.Success().Fields)
	if op.Tool != nil {
		line += "Tool: `" + op.Tool.Name + "`."
	}
	return strings.TrimSpace(line)
}

// CrimeTypes lists the values of crimeType.
func (f *facts) CrimeTypes() string {
	var names []string
	for _, kind := range tocsin.CrimeTypes() {
		names = append(names, "`"+string(kind)+"`")
	}
	return strings.Join(names, ", ")
}

// encode writes a document as indented JSON.
func encode(content any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(content); err != nil {
		panic(err) // the types are ours
	}
	return b.Bytes()
}
