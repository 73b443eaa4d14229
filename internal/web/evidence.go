package web

import (
	"context"
	"net/url"
	"slices"

	"tocsin"
)

// evidenceLink is a web page that a report gives as evidence. With a Reason it is shown as
// text instead of a link.
type evidenceLink struct{ URL, Host, Reason string }

// Label is the text of the link.
func (e evidenceLink) Label() string { return tocsin.Shorten(e.URL, 200) }

// evidenceLinks decides which URLs of a report become links. Not a link is a URL on a site
// that is reported, that has anything on record, where anybody can have a page, or that is
// unclear.
func (s *Site) evidenceLinks(
	ctx context.Context, urls []string, reported []tocsin.Subject,
) (list []evidenceLink, err error) {
	owners := map[tocsin.Subject]bool{}
	for _, name := range reported {
		owners[name.Owner()] = true
	}
	reasons := map[string]string{} // by site
	for _, link := range urls {
		e := evidenceLink{URL: link, Reason: "It is not clear where it leads, so it is no link."}
		if domain, ok := linkedDomain(link); ok {
			e.Host = domain.String()
			reason, known := reasons[e.Host]
			switch {
			case owners[domain.Subject().Owner()]:
				e.Reason = "Its site is reported here, so it is no link."
			case domain.Shared():
				e.Reason = sharedSite
			case known:
				e.Reason = reason
			case len(reasons) == maxScreened:
				e.Reason = "We have not looked at this site, so it is no link."
			default:
				if e.Reason, err = s.reasonAgainst(ctx, domain); err != nil {
					return nil, err
				}
				reasons[e.Host] = e.Reason
			}
		}
		list = append(list, e)
	}
	return list, nil
}

const sharedSite = "Anybody can have a page there, so it is no link."

// reasonAgainst returns why a site must not be a link; "" if it may.
func (s *Site) reasonAgainst(ctx context.Context, domain tocsin.Domain) (string, error) {
	names := domain.SelfAndParents()
	if n := len(names); n > 4 {
		names = append(names[:1], names[n-3:]...)
	}
	for _, name := range names {
		sc, err := s.judge(ctx, name)
		if err != nil {
			return "", err
		}
		switch {
		case name == domain.Subject() && sc.Result == tocsin.Caution:
			return "There is something on record against this site, so it is no link.", nil
		case slices.ContainsFunc(sc.dossier.Listings, isShared):
			return sharedSite, nil
		}
	}
	return "", nil
}

func isShared(l tocsin.Listing) bool { return l.Kind == tocsin.Shared }

// linkedDomain returns the site that a browser would open. It reports false if browsers
// could disagree.
func linkedDomain(link string) (tocsin.Domain, bool) {
	domain, fault := tocsin.ParseDomain(link)
	if fault != nil {
		return domain, false
	}
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return domain, false
	}
	host, fault := tocsin.ParseDomain(u.Hostname())
	return domain, fault == nil && host.String() == domain.String()
}
