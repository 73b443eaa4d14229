package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tocsin/internal/feed"
	"tocsin/internal/tocsintest"
)

const (
	// maxPageSize bounds the size of a page with all its assets, compressed, in bytes.
	maxPageSize = 40_000
	// pagePolicy is the Content-Security-Policy of a page.
	pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; font-src 'self'; img-src 'self'"
)

// checkResponse checks what is true of every response.
func (s *service) checkResponse(r *http.Request, p *response) {
	s.t.Helper()
	bad := func(format string, args ...any) {
		s.t.Helper()
		s.t.Errorf("%s: %s", p.about, fmt.Sprintf(format, args...))
	}
	h := p.header
	wallets := strings.Contains(p.html, ` id="hand"`) || strings.Contains(p.html, ` id="signature"`)
	policy := pagePolicy
	if wallets {
		policy += " data:"
	}
	if r.Method == http.MethodHead { // without a body, the page is unknown
		policy = h.Get("Content-Security-Policy")
	}
	for name, value := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
		"Vary": "Cookie, Accept-Encoding, Accept-Language"} {
		if h.Get(name) != value {
			bad("%s: %q", name, h.Get(name))
		}
	}
	if headings := len(p.all("h1")); strings.Contains(p.html, "<main") && headings != 1 {
		bad("%d headings", headings)
	}
	line := "id=" + h.Get("X-Request-Id") + " method=" + r.Method // written after the answer
	tocsintest.Eventually(s.t, p.about+" is in the log", func() bool { return strings.Contains(s.log.String(), line) })
	for _, c := range p.cookies {
		if strings.HasSuffix(c.Path, "/receipt") && c.HttpOnly && c.SameSite == http.SameSiteLaxMode {
			continue // of that page alone
		}
		s.addSecrets(c.Value)
		if !c.HttpOnly || c.Path != "/" || c.SameSite != http.SameSiteLaxMode ||
			c.Secure != strings.HasPrefix(s.base, "https:") || c.Domain != "" {
			bad("cookie %v", c)
		}
	}
	var secrets []string
	if !strings.HasPrefix(r.URL.Path, "/docs") { // where examples are
		secrets = secret.FindAllString(p.html, -1)
		s.addSecrets(secrets...)
	}
	keeps := "private, no-cache"
	file := slices.Contains([]string{"text/plain; charset=utf-8", "text/csv; charset=utf-8", "application/json",
		"application/problem+json"}, h.Get("Content-Type"))
	if len(secrets) > 0 || file || len(p.class("filed")) > 0 {
		keeps = "no-store"
	}
	if h.Get("Cache-Control") != keeps && r.Method != http.MethodHead {
		bad("Cache-Control: %s", h.Get("Cache-Control"))
	}
	if packed := h.Get("Content-Encoding") == "gzip"; packed != (keeps != "no-store" && p.status != http.StatusSeeOther &&
		r.Header.Get("Accept-Encoding") == "gzip") {
		bad("compressed: %v", packed) // a secret never is (BREACH)
	}
	if secret.MatchString(h.Get("Location")) {
		bad("a secret in the address")
	}
	if to := h.Get("Location"); p.status == http.StatusSeeOther {
		if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
			bad("leads to %q", to)
		}
		return
	}
	if file || keeps == "no-store" && len(secrets) == 0 || r.Method == http.MethodHead {
		return
	}
	if h.Get("Content-Type") != "text/html; charset=utf-8" {
		bad("Content-Type: %s", h.Get("Content-Type"))
	}
	p.checkHTML(bad)
	if r.Method == http.MethodGet && r.Header.Get("Accept-Encoding") == "gzip" {
		if total := p.wire + s.assetSize(p); total >= maxPageSize {
			bad("weighs %d bytes", total)
		}
	}
}

// mayBeMailed reports whether a link is a mail to the operator, or to those who keep a list.
func mayBeMailed(to string) bool {
	mailbox, _, _ := strings.Cut(to, "?subject=")
	return mailbox == contact || slices.ContainsFunc(feed.Sources(), func(s feed.Source) bool {
		return s.Mailbox() != "" && mailbox == "mailto:"+s.Mailbox()
	})
}

// checkHTML checks that nothing runs in a page, that it loads nothing from other origins,
// and that every id that it refers to exists.
func (p *response) checkHTML(bad func(string, ...any)) {
	ids := map[string]int{}
	for _, n := range p.all("*") {
		if id := attr(n, "id"); id != "" {
			if ids[id]++; ids[id] > 1 {
				bad("two elements are %q", id)
			}
		}
	}
	if !strings.HasPrefix(p.html, "<!doctype html>\n<html lang=\""+p.header.Get("Content-Language")+"\"") ||
		len(p.all("h1")) != 1 || len(p.all("main")) != 1 || !strings.Contains(p.title(), "Tocsin") {
		bad("no whole page: %q", p.title())
	}
	for _, n := range p.all("*") {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
				bad("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
			switch a.Key {
			case "href", "src", "action":
				u, err := url.Parse(a.Val)
				if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && !mayBeMailed(a.Val) &&
					u.Scheme != "tel" || u.Host != "" && n.DataAtom != atom.A {
					bad("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				if strings.HasPrefix(a.Val, "#") && ids[a.Val[1:]] == 0 {
					bad("nothing is %q", a.Val)
				}
			case "for", "aria-describedby", "aria-labelledby":
				for _, id := range strings.Fields(a.Val) {
					if ids[id] == 0 {
						bad("%s: nothing is %q", a.Key, id)
					}
				}
			}
		}
		switch n.DataAtom {
		case atom.Script:
			if attr(n, "src") == "" || n.FirstChild != nil {
				bad("a script in the page")
			}
		case atom.Style, atom.Base, atom.Iframe, atom.Object, atom.Embed, atom.Img:
			bad("<%s>", n.Data)
		}
	}
}

// loadedLater are the links whose targets a page does not load: a browser asks for them when they are wanted.
var loadedLater = []string{"alternate", "search", "manifest", "apple-touch-icon"}

// assetSize is the compressed size of the assets of a page.
func (s *service) assetSize(p *response) (total int) {
	seen := map[string]bool{}
	for _, n := range p.all("link", "script") {
		if slices.Contains(loadedLater, attr(n, "rel")) {
			continue
		}
		at := attr(n, "href") + attr(n, "src")
		file, found := s.site.assets.files[strings.TrimPrefix(at, "/assets/")]
		if !found {
			s.t.Errorf("%s: there is no %q", p.about, at)
		}
		if !seen[at] {
			seen[at] = true
			total += len(file.packed())
		}
	}
	return total
}

// response is a response of the site, parsed as HTML.
type response struct {
	t       *testing.T
	about   string
	status  int
	header  http.Header
	cookies []*http.Cookie
	wire    int // bytes of the body as it was sent
	html    string
	root    *html.Node
}

func (p *response) String() string { return p.about + "\n" + p.html }

// all are the elements of these names, in the order of the page; "*" is every one.
func (p *response) all(names ...string) []*html.Node { return below(p.root, names...) }

func below(root *html.Node, names ...string) (found []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (names[0] == "*" || slices.Contains(names, n.Data)) {
			found = append(found, n)
		}
	}
	return found
}

// id is the element with an id. Without one, the test fails.
func (p *response) id(id string) *html.Node {
	p.t.Helper()
	for _, n := range p.all("*") {
		if attr(n, "id") == id {
			return n
		}
	}
	p.t.Fatalf("nothing is %q in %s", id, p)
	return nil
}

// class are the elements of a class.
func (p *response) class(name string) (found []*html.Node) {
	for _, n := range p.all("*") {
		if slices.Contains(strings.Fields(attr(n, "class")), name) {
			found = append(found, n)
		}
	}
	return found
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// rawText is the text of nodes, with its spaces.
func rawText(nodes ...*html.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		for below := range n.Descendants() {
			if below.Type == html.TextNode {
				b.WriteString(below.Data)
			}
		}
	}
	return b.String()
}

// inlineElements do not separate words.
var inlineElements = []atom.Atom{
	atom.A, atom.B, atom.Bdi, atom.Code, atom.Mark, atom.Span, atom.Strong, atom.Time, atom.Wbr,
}

// textOf is the text of nodes, as people read it.
func textOf(nodes ...*html.Node) string {
	var b strings.Builder
	var read func(n *html.Node)
	read = func(n *html.Node) {
		gap := " "
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			return
		} else if slices.Contains(inlineElements, n.DataAtom) {
			gap = ""
		}
		b.WriteString(gap)
		for below := range n.ChildNodes() {
			read(below)
		}
		b.WriteString(gap)
	}
	for _, n := range nodes {
		read(n)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (p *response) main() string { return textOf(p.all("main")...) }

func (p *response) title() string { return textOf(p.all("title")...) }

func (p *response) h1() string { return textOf(p.all("h1")...) }

// value is what a field of a form holds.
func (p *response) value(name string) string {
	p.t.Helper()
	for _, n := range p.all("input", "textarea", "select") {
		switch {
		case attr(n, "name") != name || attr(n, "type") == "hidden" || attr(n, "type") == "radio" && !has(n, "checked"):
		case n.DataAtom == atom.Textarea:
			return rawText(n)
		case n.DataAtom == atom.Select:
			for _, option := range below(n, "option") {
				if has(option, "selected") {
					return attr(option, "value")
				}
			}
			return ""
		default:
			return attr(n, "value")
		}
	}
	return ""
}

// hidden is the value of a field that visitors do not see.
func (p *response) hidden(name string) string {
	p.t.Helper()
	for _, n := range p.all("input") {
		if attr(n, "name") == name && attr(n, "type") == "hidden" {
			return attr(n, "value")
		}
	}
	return ""
}

// links are the targets of the links in the main part.
func (p *response) links() (all []string) {
	for _, n := range below(p.all("main")[0], "a") {
		all = append(all, attr(n, "href"))
	}
	return all
}

// key is the key that the page shows.
func (p *response) key() string {
	p.t.Helper()
	key := rawText(p.id("key"))
	if !regexp.MustCompile(`^toc_[a-z2-7]{38}$`).MatchString(key) {
		p.t.Fatalf("%q is no key", key)
	}
	return key
}

// says checks that the main part of the page contains texts.
func (p *response) says(words ...string) {
	p.t.Helper()
	for _, w := range words {
		if !strings.Contains(p.main(), w) {
			p.t.Errorf("%s does not say %q:\n%s", p.about, w, p.main())
		}
	}
}
