package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// visitor is a browser without scripts. It keeps cookies, as their attributes allow, and
// does not follow redirects.
type visitor struct {
	s      *service
	client *http.Client
}

func (s *service) visitor() *visitor { return s.visitorAt(s.http.Listener.Addr()) }

// visitorAt is a visitor of another server.
func (s *service) visitorAt(at net.Addr) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	wire := s.http.Client().Transport.(*http.Transport).Clone()
	wire.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at.String())
	}
	if wire.TLSClientConfig != nil {
		wire.TLSClientConfig.ServerName = "example.com" // whose certificate httptest has
	}
	wire.DisableCompression = true // else the wire is not seen
	s.t.Cleanup(wire.CloseIdleConnections)
	return &visitor{s, &http.Client{Transport: wire, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// fields are the values of a form.
type fields map[string]string

// with returns a copy with other values.
func (f fields) with(other fields) fields {
	all := fields{}
	for _, set := range []fields{f, other} {
		for name, value := range set {
			all[name] = value
		}
	}
	return all
}

func (v *visitor) get(path string, headers ...string) *response {
	v.s.t.Helper()
	return v.do(http.MethodGet, path, nil, headers...)
}

func (v *visitor) post(path string, form fields, headers ...string) *response {
	v.s.t.Helper()
	if form == nil {
		form = fields{}
	}
	p := v.do(http.MethodPost, path, form, headers...)
	if at := p.header.Get("Location"); path == "/report" && p.status == http.StatusSeeOther {
		return v.get(at) // the receipt
	}
	return p
}

// do makes a request. Headers are "name: value".
func (v *visitor) do(method, path string, form fields, headers ...string) *response {
	t := v.s.t
	t.Helper()
	var body io.Reader
	values := url.Values{}
	for name, value := range form {
		values.Set(name, value)
		if slices.Contains([]string{"message", "signature", "token", storyField}, name) {
			v.s.addSecrets(value)
		}
	}
	if form != nil {
		body = strings.NewReader(values.Encode())
	}
	r, err := http.NewRequest(method, v.s.base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Accept-Encoding", "gzip")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	res, err := v.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	p := &response{t: t, about: fmt.Sprintf("%s %s: %d", method, tocsin.Shorten(path, 120), res.StatusCode),
		status: res.StatusCode,
		header: res.Header, cookies: res.Cookies(), wire: len(raw)}
	if res.Header.Get("Content-Encoding") == "gzip" && method != http.MethodHead {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	p.html = string(raw)
	if p.root, err = html.ParseWithOptions(bytes.NewReader(raw), html.ParseOptionEnableScripting(false)); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") ||
		res.Header.Get("Access-Control-Allow-Origin") == "" && !strings.HasPrefix(path, "/assets/") {
		v.s.checkResponse(r, p)
	}
	return p
}

func (s *service) addSecrets(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets = append(s.secrets, secrets...)
}

// message returns the message for an account to sign.
func (v *visitor) message(a tocsintest.Account) string {
	v.s.t.Helper()
	return v.post("/account/message", fields{"address": a.Address.String()}).html
}

// signIn signs in as the script of the page does.
func (v *visitor) signIn(a tocsintest.Account) *response {
	v.s.t.Helper()
	message := v.message(a)
	return v.post("/account/sign-in", fields{"message": message, "signature": a.Sign(message)})
}

// cookie is the header with the visitor's session.
func (v *visitor) cookie() string {
	at, err := url.Parse(v.s.base)
	if err != nil {
		v.s.t.Fatal(err)
	}
	for _, c := range v.client.Jar.Cookies(at) {
		if strings.HasSuffix(c.Name, "session") {
			return "cookie: " + c.Name + "=" + c.Value
		}
	}
	return ""
}

// signedIn reports whether the visitor is signed in.
func (v *visitor) signedIn(headers ...string) bool {
	v.s.t.Helper()
	return v.get("/account", headers...).h1() == "Account"
}
