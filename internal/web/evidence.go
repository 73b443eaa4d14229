package web

import (
	"net/url"

	"tocsin"
	"tocsin/internal/explorer"
	"tocsin/internal/locale"
)

// evidenceLink is a web page that a report gives as evidence. With a Reason it is shown as
// text instead of a link.
type evidenceLink struct {
	URL, Host string
	Reason    locale.Key
}

// Label is the text of the link.
func (e evidenceLink) Label() string { return tocsin.Shorten(e.URL, 200) }

// evidenceLinks decides which URLs of a report become links: those on sites that are on a safelist and that strangers
// do not share, and those on block explorers. What strangers cite may lead anywhere, and this page would vouch for it.
func (s *Site) evidenceLinks(
	req *request, urls []string, reported []tocsin.Subject,
) (list []evidenceLink, err error) {
	owners := map[tocsin.Subject]bool{}
	for _, name := range reported {
		owners[name.Owner()] = true
	}
	known := map[string]locale.Key{} // by site: why it is no link
	for _, link := range urls {
		e := evidenceLink{URL: link, Reason: "It is not clear where it leads, so it is no link."}
		if domain, ok := linkedDomain(link); ok {
			e.Host = domain.String()
			reason, looked := known[e.Host]
			switch {
			case owners[domain.Subject().Owner()]:
				reason = "Its site is reported here, so it is no link."
			case domain.Shared():
				reason = ofStrangers
			case !looked && len(known) >= maxScreened:
				reason = "We look up the first few sites only, so it is no link."
			case !looked:
				if reason, err = s.whyNoLink(req, domain); err != nil {
					return nil, err
				}
				known[e.Host] = reason
			}
			e.Reason = reason
		}
		list = append(list, e)
	}
	return list, nil
}

// Why a page is no link. Of a site that no safelist names, nothing tells whether it is on record: to file a report
// must be no way to find that out.
const (
	ofStrangers = "Anyone can put a page on this site, so it is no link."
	warnedOf    = "It is a well-known site, but lists or reports warn of it, so it is no link."
	notVouched  = "We do not vouch for this site, so it is no link."
)

// unlinkUsers makes text of the links to pages of users: a stranger who cites one may have made it.
func unlinkUsers(links []evidenceLink) {
	for i := range links {
		l := &links[i]
		if (l.Reason == "" || l.Reason == warnedOf) && tocsin.OfUsers(l.Host) {
			l.Reason = ofStrangers
		}
	}
}

// whyNoLink returns "" if a site is an explorer, or on a safelist by itself or by a parent, while nothing is on
// record against it and strangers have no pages there; otherwise why it is no link.
func (s *Site) whyNoLink(req *request, domain tocsin.Domain) (locale.Key, error) {
	names := domain.SelfAndParents()
	if n := len(names); n > 4 {
		names = append(names[:1], names[n-3:]...)
	}
	_, safe := explorer.At(domain.String())
	warned := false
	for _, name := range names {
		sc, err := s.judge(req, name)
		if err != nil {
			return "", err
		}
		for _, l := range sc.Dossier.Listings {
			switch l.Kind {
			case tocsin.Shared:
				return ofStrangers, nil
			case tocsin.Safe:
				safe = true
			}
		}
		warned = warned || name == domain.Subject() && sc.Result == tocsin.Caution
	}
	switch {
	case !safe:
		return notVouched, nil
	case warned:
		return warnedOf, nil
	}
	return "", nil
}

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
