package web

import (
	"cmp"
	"regexp"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// inviteLink matches the link to a private chat, in which nobody can look up who asks.
var inviteLink = regexp.MustCompile(`(?i)^(?:t\.me|telegram\.me|chat\.whatsapp\.com)/(?:\+|joinchat/|[0-9a-z]{20,})`)

// pageTyped is the page of a site that was typed, without its scheme; "" if no path was typed, or something else.
func pageTyped(q string) string {
	rest := strings.TrimSpace(tocsin.Refang(q))
	if _, after, found := strings.Cut(rest, "://"); found {
		rest = after
	}
	at := strings.IndexByte(rest, '/')
	if at < 0 || strings.Trim(rest[at:], "/") == "" || strings.ContainsAny(rest, " \n") {
		return ""
	}
	return rest
}

// sharedPage answers for a page on a host where unrelated people have pages, and leads to the host if nothing else was
// typed.
func (s *Site) sharedPage(p *locale.Printer, q, host string) *page {
	rest := pageTyped(cmp.Or(paste.LinkTo(q, host), q))
	if rest == "" {
		return &page{Location: "/screen/" + host}
	}
	d, fault := tocsin.ParseDomain(host)
	if fault == nil && d.Registry() {
		return &page{Template: "instead", Title: underRegistry(p, host), Body: insteadPage{
			Typed: redisplay(q),
			Text:  p.Text("%s.", p.Text("Look up the full name")),
			Meant: []link{{p.Text("See what is known about %s", host), "/screen/" + host}},
		}}
	}
	about := &link{p.Text("See what is known about %s", host), "/screen/" + host}
	if fault == nil && d.Shortens() {
		return &page{Template: "instead", Title: p.Text("This is a shortened link. It can lead to any site."),
			Body: insteadPage{
				Text:   shortenedText(p, host),
				About:  about,
				Words:  tocsin.Shorten(rest, 100),
				Report: q,
			}}
	}
	title := p.Text("Anyone can have a page on %s", host)
	if of := s.imitatedBy(rest); of != "" {
		title = p.Text("Type nothing in: this is not %s. Anyone can have a page on %s.", of, host)
	}
	return &page{Template: "instead", Title: title, Body: insteadPage{
		Text: p.Text("Its pages belong to people who have nothing to do with each other, so this one has no score. " +
			"Search the reports for it. Send nothing, and type no password, until you know whose page it is."),
		About:    about,
		Words:    tocsin.Shorten(rest, 100),
		Recovery: inviteLink.MatchString(rest) || paste.IsRecoverySite(rest),
		Report:   q,
	}}
}

// imitatedBy is the site that the path of a page imitates as surely as the name of a tenant of its host would; "" for
// none.
func (s *Site) imitatedBy(rest string) string {
	host, path, _ := strings.Cut(rest, "/")
	for i, label := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/?#@", r) }) {
		if i == maxLabels {
			break
		}
		d, fault := tocsin.ParseDomain(label + "." + host)
		if fault != nil {
			continue
		}
		if f := s.api.Names().Findings(d, nil); f.Lookalike != nil && f.Lookalike.Sure {
			return f.Lookalike.Of
		}
	}
	return ""
}

// maxLabels is how many parts of a path are looked at.
const maxLabels = 8

// shortenedText says how to find out where a shortened link leads.
func shortenedText(p *locale.Printer, host string) string {
	says := []string{p.Text("Find out where it leads before you open it, and paste that here."),
		p.Text("Ask the sender for the full address.")}
	if host == "bit.ly" {
		says = append(says, p.Text("Or add + to the end of the link: bit.ly then shows where it leads."))
	}
	return p.Sentences(says...)
}

// underRegistry says that a host is no site of one party.
func underRegistry(p *locale.Printer, host string) string {
	return p.Text("Many sites have their names under %s", host)
}
