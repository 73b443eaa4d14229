package paste

import (
	"cmp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/explorer"
)

// Cell returns the subject that a cell of a list names, as [tocsin.ParseSubject] reads it. Of a link to a block
// explorer it is what the page is about, as in [Subject]: a list of such links is one of accounts, not of explorers. Of
// a link that opens a wallet it is who would get the money, or the site that the wallet would show.
func Cell(text string) (tocsin.Subject, *tocsin.Error) {
	if Checkout(text) != "" {
		return tocsin.Subject{}, refused("anyone can take payments on this site, so it does not say who gets the money",
			"send what the page names: the address to pay to")
	}
	if subject, fault, opens := walletLink(text); opens {
		return subject, fault
	}
	if !ofExplorer(text) {
		return tocsin.ParseSubject(text)
	}
	subject, problem := Subject(text)
	switch {
	case problem == nil:
		return subject, nil
	case problem.Fault != nil:
		return subject, problem.Fault
	}
	return subject, refused("it is a link to a block explorer that does not name one account", "send the account")
}

// Site returns the site that a text names, as [tocsin.ParseDomain] reads it. Of a link that opens a wallet it is the
// site that the wallet would show. A link that asks for money is refused: its site says nothing of who would get it.
func Site(text string) (tocsin.Domain, *tocsin.Error) {
	if Checkout(text) == "" {
		subject, fault, opens := walletLink(text)
		switch {
		case !opens:
			return tocsin.ParseDomain(text)
		case fault == nil && subject.Kind == tocsin.DNS:
			return tocsin.ParseDomain(subject.Value)
		case fault == nil:
			return tocsin.Domain{}, refused("this link opens a wallet, which would pay "+subject.Plain(),
				"screen "+subject.Plain()+" instead")
		}
	}
	_, fault := Cell(text)
	return tocsin.Domain{}, fault
}

// refused is the error for a text that names no subject, or one that it would mislead to answer about.
func refused(reason, fix string) *tocsin.Error {
	return &tocsin.Error{
		Code:   tocsin.Invalid,
		Detail: "The request has invalid input",
		Fields: []tocsin.Fault{{Reason: reason, Fix: fix}},
	}
}

// walletLink returns who would get the money by a link that opens a wallet, who could take tokens, or the site that the
// wallet would show; or why that cannot be said. opens is false for other texts, and for pages of the same hosts.
func walletLink(text string) (subject tocsin.Subject, fault *tocsin.Error, opens bool) {
	if len(text) > maxQuestion {
		return subject, nil, false
	}
	link := tocsin.Refang(strings.TrimSpace(text))
	host, path := hostAndPath(link)
	if !opensWallets(host) || path == "" {
		return subject, nil, false
	}
	if request, pays := strings.CutPrefix(path, "send/"); pays {
		subject, fault = tocsin.ParseSubject("ethereum:" + request)
		return subject, fault, true
	}
	parts := Parts("https://" + host + "/" + path)
	for _, role := range []Role{Recipient, Onward} {
		if i := slices.IndexFunc(parts, func(p Part) bool { return p.Role == role }); i >= 0 {
			switch p := parts[i]; {
			case p.Problem == nil:
				return p.Subject, nil, true
			case p.Problem.Fault != nil:
				return subject, p.Problem.Fault, true
			}
			return subject, refused("this link asks a wallet to pay, and does not say whom",
				"send the address that gets the money"), true
		}
	}
	return subject, nil, false
}

// ofExplorer reports whether a text is a link to a page of a known block explorer, perhaps without https://.
func ofExplorer(text string) bool {
	if len(text) > maxQuestion || !strings.Contains(text, "/") {
		return false
	}
	link := tocsin.Refang(strings.TrimSpace(text))
	_, rest, _ := strings.Cut(link, "://")
	host, path, _ := strings.Cut(cmp.Or(rest, link), "/")
	_, known := explorer.At(host)
	return known && path != ""
}
