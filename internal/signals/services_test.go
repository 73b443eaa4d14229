package signals

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"tocsin"
	"tocsin/internal/tocsintest"
)

var want, must = tocsintest.Want, tocsintest.Must

// soonOver is how long is waited for what never comes.
const soonOver = 50 * time.Millisecond

func domain(t *testing.T, name string) tocsin.Domain {
	t.Helper()
	d, fault := tocsin.ParseDomain(name)
	if fault != nil {
		t.Fatal(fault)
	}
	return d
}

// registration is an answer of a registry, as one of .com gives it, shortened.
const registration = `{"objectClassName":"domain","handle":"336799_DOMAIN_COM-VRSN","ldhName":"%s",
	"links":[{"rel":"self","href":"https://rdap.verisign.com/com/v1/domain/EXAMPLE.COM"}],"status":["active"],
	"events":[{"eventAction":"expiration","eventDate":"2027-03-01T04:00:00Z"},
		{"eventAction":"registration","eventDate":"2026-03-01T04:00:00Z"},
		{"eventAction":"last update of RDAP database","eventDate":"2026-03-04T11:12:13Z"}],
	"rdapConformance":["rdap_level_0","icann_rdap_response_profile_1"]}`

// bootstrap returns a bootstrap file with the services of some suffixes.
func bootstrap(t *testing.T, services map[string]string) *Bootstrap {
	t.Helper()
	var rows []string
	for suffix, at := range services {
		rows = append(rows, fmt.Sprintf(`[[%q],["ftp://192.0.2.1/",%q]]`, suffix, at))
	}
	b, err := ReadBootstrap(strings.NewReader(`{"version":"1.0","publication":"2026-01-02T03:04:05Z","services":[` +
		strings.Join(rows, ",") + `]}`))
	must(t, err)
	return b
}

// site serves what a test decides, and counts the requests.
type site struct {
	*httptest.Server
	asked atomic.Int64
	last  atomic.Value
}

func serve(t *testing.T, answer http.HandlerFunc) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.last.Store(r.Header.Get("Accept") + " " + r.RequestURI)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(text)) }
}

func TestTheProgramHasIANAsBootstrapFile(t *testing.T) {
	b, err := ShippedBootstrap()
	must(t, err)
	if _, err := time.Parse(time.RFC3339, b.Published); err != nil || b.Suffixes() < 1100 {
		t.Errorf("%d suffixes of %s: %v", b.Suffixes(), b.Published, err)
	}
	for name, service := range map[string]string{
		"example.com": "https://rdap.verisign.com/com/v1/", "claim.app": "https://pubapi.registry.google/rdap/",
		"xn--e1afmkfd.xn--p1acf": "https://", "example.io": "<nil>", "example.kg": "<nil>", // which has no https
	} {
		if is := fmt.Sprint(b.service(name)); !strings.HasPrefix(is, service) {
			t.Errorf("%s: %s", name, is)
		}
	}
	for about, text := range map[string]string{
		"no JSON": "services", "no service": `{"services":[]}`, "another form": `{"services":[[["com"]]]}`,
		"no https": `{"services":[[["com"],["http://rdap.example/"]]]}`,
	} {
		if _, err := ReadBootstrap(strings.NewReader(text)); err == nil {
			t.Errorf("%s is taken", about)
		}
	}
}

func TestARegistrySaysWhenADomainWasRegistered(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		switch {
		case strings.HasPrefix(name, "moved"):
			http.Redirect(w, r, "/elsewhere/domain/there"+name[5:], http.StatusFound) // RFC 7480, 5.2
		default:
			fmt.Fprintf(w, registration, strings.ToUpper(strings.Replace(name, "there", "moved", 1)))
		}
	})
	b := bootstrap(t, map[string]string{"com": s.URL + "/com/v1/", "co.uk": s.URL + "/uk", "uk": "https://192.0.2.1/"})
	for name, path := range map[string]string{
		"example.com":   "/com/v1/domain/example.com",
		"example.co.uk": "/uk/domain/example.co.uk",
		"moved.com":     "/elsewhere/domain/there.com",
	} {
		a, err := b.registration(t.Context(), name, tocsintest.Noon)
		must(t, err)
		want(t, name, []any{a.at, s.last.Load()}, []any{"2026-03-01T04:00:00.000000Z", "application/rdap+json " + path})
	}
	_, err := b.registration(t.Context(), "example.io", tocsintest.Noon)
	want(t, "nobody is asked", err, errNobody)
}

// wrong are what servers do wrong, or cannot do. Of none of it anything is known.
func wrong(elsewhere string) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"stuck half-way": func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte(`{"objectClassName":"domain",`))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"broken":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a page":  says("<!doctype html><title>example.com</title>"),
		"half":    says(`[{"objectClassName":"domain"`),
		"nothing": says(""),
		"a fault": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"redirects to another host": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusFound)
		},
		"redirects for good": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		},
	}
}

func TestARedirectDoesNotLeaveTLS(t *testing.T) {
	c := newClient(&url.URL{Scheme: "https", Host: "rdap.example"})
	for target, followed := range map[string]bool{"https://rdap.example/a": true, "http://rdap.example/a": false,
		"https://a:b@rdap.example/a": false, "https://rdap.example:8443/a": false} {
		r, err := http.NewRequest(http.MethodGet, target, nil)
		must(t, err)
		want(t, target, c.http.CheckRedirect(r, nil) == nil, followed)
	}
}

func TestTwoRedirectsAreFollowed(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if more, _ := strconv.Atoi(r.URL.Path[1:]); more > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", more-1), http.StatusFound)
			return
		}
		w.Write([]byte("there"))
	})
	for redirects, followed := range map[int]bool{1: true, 2: true, 3: false} {
		at, err := url.Parse(fmt.Sprintf("%s/%d", s.URL, redirects))
		must(t, err)
		text, err := newClient(at).get(t.Context(), at, "text/plain", 10, tocsintest.Noon)
		want(t, fmt.Sprint(redirects, " redirects"), string(text) == "there" && err == nil, followed)
	}
}

func TestOfAServerThatDoesWrongNothingIsKnown(t *testing.T) {
	elsewhere := serve(t, says(fmt.Sprintf(registration, "example.com")))
	registries := wrong(elsewhere.URL)
	registries["too much"] = says(strings.Repeat(" ", maxRegistration) + fmt.Sprintf(registration, "example.com"))
	for about, text := range map[string]string{
		"another domain": fmt.Sprintf(registration, "example.net"),
		"the future":     strings.ReplaceAll(fmt.Sprintf(registration, "example.com"), "2026-03-01", "2026-03-06"),
		"no date":        strings.ReplaceAll(fmt.Sprintf(registration, "example.com"), "2026-03-01T04:00:00Z", "soon"),
		"no domain":      strings.ReplaceAll(fmt.Sprintf(registration, "example.com"), `"domain"`, `"entity"`),
	} {
		registries[about] = says(text)
	}
	searches := wrong(elsewhere.URL)
	searches["another form"] = says(`[{"id":"1","not_before":"2026-03-01T00:00:00Z"}]`) // without those that have expired
	searches["the future"] = says(`[{"entry_timestamp":"2026-03-06T00:00:00","not_before":"2026-03-01T00:00:00"}]`)
	ask := func(about string, ask func(context.Context, string, time.Time) (answer, error)) {
		ctx, cancel := context.WithTimeout(t.Context(), tocsintest.Patience)
		if about == "slow" || about == "stuck half-way" {
			ctx, cancel = context.WithTimeout(t.Context(), soonOver)
		}
		defer cancel()
		if a, err := ask(ctx, "example.com", tocsintest.Noon); err == nil || a != (answer{}) {
			t.Errorf("%s: %v, %v", about, a, err)
		}
	}
	for about, answer := range registries {
		ask(about, bootstrap(t, map[string]string{"com": serve(t, answer).URL}).registration)
	}
	for about, answer := range searches {
		search, err := NewCertSearch(serve(t, answer).URL + "/?q={domain}")
		must(t, err)
		ask(about, search.first)
	}
	gone := serve(t, says(""))
	gone.Close()
	ask("gone", bootstrap(t, map[string]string{"com": gone.URL}).registration)
	want(t, "requests elsewhere", elsewhere.asked.Load(), 0)
}

func TestASearchSaysWhenTheFirstCertificateWasLogged(t *testing.T) {
	for text, first := range map[string]string{
		// crt.sh, shortened
		`[{"issuer_ca_id":16418,"common_name":"example.com","name_value":"example.com","id":3616206571,
			"entry_timestamp":"2020-11-07T16:46:43.456","not_before":"2020-11-07T15:46:43","not_after":"2021-02-05T15:46:43"},
		{"id":1451857,"entry_timestamp":"2013-04-23T11:19:42.045",
			"not_before":"2008-09-03T00:00:00"}]`: "2008-09-03T00:00:00.000000Z",
		`[{"entry_timestamp":"2026-03-01T10:00:00","not_before":"2026-03-02T00:00:00"}]`: "2026-03-01T10:00:00.000000Z",
		`[]`: "<nil>",
		// so many that it cannot be new
		strings.Repeat(" ", maxCertificates) + `[]`: "<nil>",
	} {
		s := serve(t, says(text))
		search, err := NewCertSearch(s.URL + "/?q={domain}&output=json")
		must(t, err)
		a, err := search.first(t.Context(), "xn--e1afmkfd.com", tocsintest.Noon)
		must(t, err)
		want(t, "first", []any{a.at, s.last.Load()}, []any{first, "application/json /?q=xn--e1afmkfd.com&output=json"})
	}
	for _, template := range []string{"https://crt.example/?q=x", "http://crt.example/?q={domain}", "{domain}",
		"https://{domain}/", "https://user@crt.example/{domain}", "ftp://192.0.2.1/{domain}"} {
		if _, err := NewCertSearch(template); err == nil {
			t.Errorf("%s is taken", template)
		}
	}
}

// TestNamesOfHostsLeadToPublicAddressesAlone: whoever changes where the name of a service leads does not lead us into
// the network of the operator.
func TestNamesOfHostsLeadToPublicAddressesAlone(t *testing.T) {
	for text, public := range map[string]bool{
		"192.0.32.7": true, "2606:4700::6810:84e5": true, "64:ff9b::c000:2007": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "255.255.255.255": false, "224.0.0.1": false, "192.0.2.1": false,
		"198.18.0.1": false, "::1": false, "::": false, "fe80::1": false, "fd00::1": false, "ff02::1": false,
		"64:ff9b::a00:1": false, "2002:a00:1::": false, "::ffff:10.0.0.1": false,
	} {
		want(t, text, isPublic(netip.MustParseAddr(text).Unmap()), public)
	}
	s := httptest.NewTLSServer(says("[]"))
	defer s.Close()
	at, err := url.Parse(s.URL)
	must(t, err)
	named := &url.URL{Scheme: "https", Host: "localhost:" + at.Port(), Path: "/"}
	_, _, err = newClient(named).fetch(t.Context(), named, "", 1)
	if err == nil || !strings.Contains(err.Error(), "not public") {
		t.Errorf("localhost: %v", err)
	}
}

// dnsServer answers over UDP until the test ends: exists has an address, empty has none, fails is SERVFAIL, silent has
// no answer, and all other names do not exist.
func dnsServer(t *testing.T) netip.AddrPort {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { c.Close() })
	go func() {
		for buffer := make([]byte, 1500); ; {
			n, from, err := c.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}
			m.Additionals = nil
			name := q.Name.String()
			switch {
			case strings.HasPrefix(name, "silent."):
				continue
			case strings.HasPrefix(name, "fails."):
				m.RCode = dnsmessage.RCodeServerFailure
			case strings.HasPrefix(name, "empty."):
			case name != "exists.com." && name != "www.only.com.":
				m.RCode = dnsmessage.RCodeNameError
			case q.Type == dnsmessage.TypeA:
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60},
					Body:   &dnsmessage.AResource{A: [4]byte{192, 0, 2, 1}},
				}}
			}
			if packed, err := m.Pack(); err == nil {
				c.WriteTo(packed, from)
			}
		}
	}()
	return c.LocalAddr().(*net.UDPAddr).AddrPort()
}

func TestADNSServerSaysWhetherANameHasAnAddress(t *testing.T) {
	ask := resolver(dnsServer(t))
	for name, yes := range map[string]bool{"exists.com": true, "only.com": true, "empty.com": false, "no.com": false} {
		a, err := ask(t.Context(), name, tocsintest.Noon)
		must(t, err)
		want(t, name, *a.yes, yes)
	}
	for _, name := range []string{"fails.com", "silent.com"} {
		ctx, cancel := context.WithTimeout(t.Context(), tocsintest.Patience)
		if name == "silent.com" {
			ctx, cancel = context.WithTimeout(t.Context(), soonOver)
		}
		if a, err := ask(ctx, name, tocsintest.Noon); err == nil || a != (answer{}) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
		cancel()
	}
}

// TestACallerDecidesTheNameAlone: whatever is looked up, the registry of its suffix is asked about the registered name.
func TestACallerDecidesTheNameAlone(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, registration, r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	})
	var outcomes []string
	o := Options{Now: (&tocsintest.Clock{}).Now, Registries: bootstrap(t, map[string]string{"com": s.URL + "/v1"}),
		Done: func(signal string, o Outcome, err error) {
			outcomes = append(outcomes, fmt.Sprint(signal, " ", o, " ", err))
		}}
	a := New(o)
	for _, text := range []string{"https://user@a.b.EXAMPLE.com:8443/../../x?q=http://169.254.169.254/#y", "example.com.",
		"claim.uk.com", "pages.dev", "x.pages.dev", "example.io"} {
		a.About(domain(t, text))
	}
	close(a.registered.queue)
	for name := range a.registered.queue {
		a.registered.once(t.Context(), name)
	}
	want(t, "asked", []any{s.asked.Load(), s.last.Load()}, []any{1, "application/rdap+json /v1/domain/example.com"})
	slices.Sort(outcomes)
	want(t, "outcomes", outcomes, "[registered known <nil> registered unknown <nil>]")
	want(t, "known", a.About(domain(t, "www.example.com")).RegisteredAt, "2026-03-01T04:00:00.000000Z")
	want(t, "who sells names below a domain", a.About(domain(t, "claim.uk.com")).RegisteredAt, nil)
}

func TestTheNameInAnAnswerMayEndWithADot(t *testing.T) {
	s := serve(t, says(fmt.Sprintf(registration, "EXAMPLE.COM.")))
	b := bootstrap(t, map[string]string{"com": s.URL})
	a, err := b.registration(t.Context(), "example.com", tocsintest.Noon)
	must(t, err)
	want(t, "registered", a.at.String()[:10], "2026-03-01")
}
