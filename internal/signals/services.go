package signals

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"tocsin"
)

// How large answers may be, in bytes. A certificate takes 500 in an answer of crt.sh; a name with more of them than fit
// is not new, and nothing is said about it.
const (
	maxBootstrap    = 4 << 20
	maxRegistration = 256 << 10
	maxCertificates = 1 << 20
)

// Bootstrap says which RDAP service answers for which suffix (RFC 9224).
type Bootstrap struct {
	Published string // when IANA published it, as the file says
	services  map[string]*url.URL
	client    *client
}

// shipped is IANA's file https://data.iana.org/rdap/dns.json, with one service a line. IANA's registries are in the
// public domain (CC0).
//
//go:embed dns.json
var shipped string

// ShippedBootstrap returns the bootstrap file of the program.
func ShippedBootstrap() (*Bootstrap, error) { return ReadBootstrap(strings.NewReader(shipped)) }

// ReadBootstrap reads a bootstrap file as IANA publishes it. Of each suffix it takes the first URL with https, or with
// an IP address in place of a host name. Suffixes without one are left out.
func ReadBootstrap(in io.Reader) (*Bootstrap, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxBootstrap+1))
	if err != nil {
		return nil, err
	}
	var file struct {
		Publication string       `json:"publication"`
		Services    [][][]string `json:"services"`
	}
	if err := json.Unmarshal(text, &file); err != nil || len(text) > maxBootstrap {
		return nil, errors.New("it is no bootstrap file of RDAP (RFC 9224)")
	}
	b := &Bootstrap{Published: file.Publication, services: map[string]*url.URL{}}
	var urls []*url.URL
	for _, service := range file.Services {
		if len(service) != 2 {
			return nil, errors.New("a service of the bootstrap file has not the form of RFC 9224")
		}
		for _, text := range service[1] {
			u, err := url.Parse(text)
			if err != nil || !isFetched(u) {
				continue
			}
			urls = append(urls, u)
			for _, suffix := range service[0] {
				b.services[strings.ToLower(suffix)] = u
			}
			break
		}
	}
	if len(b.services) == 0 {
		return nil, errors.New("the bootstrap file names no service with https")
	}
	b.client = newClient(urls...)
	return b, nil
}

// Suffixes returns of how many suffixes a service is known.
func (b *Bootstrap) Suffixes() int { return len(b.services) }

// service returns the service of the longest suffix of a name; nil if there is none.
func (b *Bootstrap) service(name string) *url.URL {
	for suffix, more := name, true; more; _, suffix, more = strings.Cut(suffix, ".") {
		if u := b.services[suffix]; u != nil {
			return u
		}
	}
	return nil
}

// registration asks a registry when a domain was registered (RFC 9082, 3.1.3; RFC 9083, 5.3).
func (b *Bootstrap) registration(ctx context.Context, name string, now time.Time) (answer, error) {
	service := b.service(name)
	if service == nil {
		return answer{}, errNobody
	}
	text, err := b.client.get(ctx, service.JoinPath("domain", name), "application/rdap+json", maxRegistration, now)
	if err != nil || text == nil {
		return answer{}, within(service.Host, err)
	}
	var domain struct {
		Class  string `json:"objectClassName"`
		Name   string `json:"ldhName"`
		Events []struct {
			Action string `json:"eventAction"`
			Date   string `json:"eventDate"`
		} `json:"events"`
	}
	if err := json.Unmarshal(text, &domain); err != nil || domain.Class != "domain" {
		return answer{}, within(service.Host, errors.New("it is no answer of RDAP about a domain"))
	}
	if !strings.EqualFold(strings.TrimSuffix(domain.Name, "."), name) {
		return answer{}, within(service.Host, errors.New("it is an answer about another domain"))
	}
	for _, e := range domain.Events {
		if e.Action == "registration" {
			at, err := timestamp(e.Date, now)
			return answer{at: at}, within(service.Host, err)
		}
	}
	return answer{}, nil
}

// CertSearch is a search of certificate logs whose answers have the form of crt.sh.
type CertSearch struct {
	template string
	client   *client
}

// namePlace is where the name goes in the URL of a search.
const namePlace = "{domain}"

// NewCertSearch returns the search at a URL, in which {domain} is the place of the name.
func NewCertSearch(template string) (*CertSearch, error) {
	u, err := url.Parse(strings.ReplaceAll(template, namePlace, "example.com"))
	if err != nil || !isFetched(u) || !strings.Contains(template, namePlace) || strings.Contains(u.Host, "example.com") {
		return nil, errors.New("it is not like https://crt.example/?q={domain}&output=json")
	}
	return &CertSearch{template, newClient(u)}, nil
}

// first asks for the first certificate of a domain. The answer is a JSON array with an object for each certificate,
// those that have expired included, which has when it was logged and since when it is valid.
func (c *CertSearch) first(ctx context.Context, name string, now time.Time) (answer, error) {
	at, err := url.Parse(strings.ReplaceAll(c.template, namePlace, url.QueryEscape(name)))
	if err != nil {
		return answer{}, err
	}
	text, err := c.client.get(ctx, at, "application/json", maxCertificates, now)
	if errors.Is(err, errTooLarge) {
		return answer{}, nil // the name has too many certificates to be new
	}
	if err != nil || text == nil {
		return answer{}, within(at.Host, err)
	}
	var certificates []struct {
		Logged *string `json:"entry_timestamp"`
		Valid  *string `json:"not_before"`
	}
	if json.Unmarshal(text, &certificates) != nil {
		return answer{}, within(at.Host, errors.New("it is no answer in the form of crt.sh"))
	}
	var first answer
	for _, one := range certificates {
		for _, date := range []*string{one.Logged, one.Valid} {
			if date == nil {
				return answer{}, within(at.Host, errors.New("a certificate has no date in the form of crt.sh"))
			}
			is, err := timestamp(*date, now)
			if err != nil {
				return answer{}, within(at.Host, err)
			}
			if first.at == nil || is.Std().Before(first.at.Std()) {
				first.at = is
			}
		}
	}
	return first, nil
}

// resolver returns what asks a DNS server whether a name has an IP address. The site may have it with www. only, which
// is the same site here (decision 5).
func resolver(server netip.AddrPort) func(context.Context, string, time.Time) (answer, error) {
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.String())
	}}
	return func(ctx context.Context, name string, _ time.Time) (answer, error) {
		yes := false
		for _, host := range []string{name, "www." + name} {
			found, err := r.LookupNetIP(ctx, "ip", host+".")
			var fault *net.DNSError
			if err != nil && !(errors.As(err, &fault) && fault.IsNotFound) {
				return answer{}, within(server.String(), err)
			}
			if yes = len(found) > 0; yes {
				break
			}
		}
		return answer{yes: &yes}, nil
	}
}

// timestamp reads the date and time of an event, as RFC 3339 has them or without the zone, which is UTC then. One of
// tomorrow or later is a mistake.
func timestamp(text string, now time.Time) (*tocsin.Time, error) {
	at, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", text) // with a fraction, if there is one
	}
	if err != nil || at.Year() < 1970 || at.Sub(now) > 24*time.Hour {
		return nil, errors.New("it has a date that cannot be")
	}
	t := tocsin.TimeOf(at)
	return &t, nil
}

// within says which host an error is of.
func within(host string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", host, err)
}
