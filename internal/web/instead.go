package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"tocsin"
	"tocsin/internal/explorer"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// insteadPage says what to do with what was typed, which is no mistake and has no page of its own.
type insteadPage struct {
	Typed string // to be corrected; "" for what is clear
	Text  string
	Steps []string
	Warn  string // "" for none
	Stuck string // what to say to somebody who cannot get their money out; "" to all others
	Meant []link // what may have been meant: pages of ours
	About *link  // what else is known, of a host and not of the page that was typed; nil for nothing
	Links []link
	Words string      // to search the reports for; "" for none
	Named []reportRow // reports that name it
	// Recovery means that it is of words with which thieves offer to get lost money back.
	Recovery bool
	Report   string // what was typed, of which whoever lost something can make a report; "" for none
}

// link is a link to a page of ours, or of another service.
type link struct{ Name, URL string }

// Search is the path of that search.
func (p insteadPage) Search() string { return "/reports?" + url.Values{"q": {p.Words}}.Encode() }

// ReportPath is the path of the form with what was typed.
func (p insteadPage) ReportPath() string {
	return "/report?" + url.Values{"typed": {p.Report}}.Encode()
}

// resolvedFrom is the parameter of the page of a subject with what led to it: an ENS name or a transaction, and, in
// resolvedOn, the chain of the transaction.
const (
	resolvedFrom = "of"
	resolvedOn   = "on"
)

// resolved leads to what an ENS name or a transaction leads to, or says why not and what to do. Of a transaction that
// reports name it shows the reports.
func (s *Site) resolved(req *request, text, chain string) (*page, error) {
	name := strings.HasSuffix(strings.ToLower(text), ".eth")
	named, err := s.namingTransaction(req, text)
	if err != nil {
		return nil, err
	}
	var why unresolved
	var meant []link
	if strings.HasPrefix(text, "0x") || name {
		p, err := s.resolve(req, text, chain)
		if err == nil {
			from := url.Values{resolvedFrom: {text}}
			if p.Hash != "" {
				from.Set(resolvedOn, p.Chain)
			}
			at := screenPath(p.subject) + "?" + from.Encode()
			if len(named) == 0 {
				return &page{Location: at}, nil
			}
			meant = []link{{req.lang.Text("See what is known of the address that it went to"), at}}
		} else if !errors.As(err, &why) {
			return nil, err
		}
	}
	p, lang := &page{Template: "instead", Status: http.StatusOK}, req.lang
	switch why {
	case nodesSilent:
		p.Status = http.StatusServiceUnavailable
		req.header.Set("Retry-After", "30")
	case tooManyAsked:
		p.Status = http.StatusTooManyRequests
		req.header.Set("Retry-After", "600")
	}
	if name {
		p.Title = lang.Text("%s is an ENS name", tocsin.Shorten(text, 80))
		p.Body = insteadPage{
			Text:  lang.Text(ensTexts[why]),
			Links: []link{{"app.ens.domains", "https://app.ens.domains/" + url.PathEscape(text)}},
			Warn:  supportNameText(lang, text),
			Words: text,
		}
		return p, nil
	}
	p.Title = lang.Text("This is a transaction")
	body := insteadPage{
		Text:   lang.Text(transactionTexts[why]),
		Steps:  transactionSteps(lang),
		Meant:  meant,
		Links:  transactionLinks(lang, text, chain),
		Report: "tx " + text,
	}
	if chain == "" && strings.HasPrefix(text, "0x") {
		body.Warn = lang.Text("Is it a private key? Then anyone who has seen it has the money. Move what is left to a " +
			"new wallet first.")
	}
	if len(named) > 0 {
		p.Status, p.Title = http.StatusOK, namedTitle(lang, len(named))
		body.Named, body.Warn = named, ""
		body.Text = namedTransaction(lang)
	}
	p.Body = body
	return p, nil
}

// walletNamePage answers for a name that wallets turn into an address, and that no server of ours can look up.
func walletNamePage(p *locale.Printer, name string) *page {
	short := tocsin.Shorten(name, 80)
	text := p.Text("Wallets turn such a name into an address. Its owner can change which one, and it is no website.")
	if chain, _ := tocsin.WalletName(name); chain != "" {
		text = p.Text("Wallets turn such a name into an address of %s. Its owner can change which one, and it is no website.",
			chain)
	}
	return &page{Template: "instead", Title: p.Text("%s is a name for wallets", short), Body: insteadPage{
		Text: p.Sentences(text, p.Text("This server cannot look that up.")),
		Steps: []string{
			p.Text("Type the name in your wallet where you would send, and send nothing."),
			p.Text("Copy the whole address that the wallet shows for it."),
			p.Text("Paste it here."),
		},
		Warn:   supportNameText(p, name),
		Words:  name,
		Report: "name: " + name,
	}}
}

// supportNameText warns of a name that says that it is of the support of a company; "" for another one.
func supportNameText(p *locale.Printer, name string) string {
	if !paste.ClaimsSupport(name) {
		return ""
	}
	return p.Sentences(p.Text("Anyone can register such a name."),
		p.Text("Support never writes first, and never asks for money."))
}

// ensTexts say why we do not know where an ENS name points, and what to do.
var ensTexts = map[unresolved]locale.Key{
	noNode: "An ENS name stands for an address, and its owner can change which one. This server cannot look that up. " +
		"Paste the 0x address that it points to: your wallet shows it before you send.",
	notPlain: "This name has characters other than the letters a to z, digits and hyphens. Some of them look like " +
		"others, so we do not guess. Paste the 0x address that it points to: your wallet shows it before you send.",
	noAddress: "It points to no address on Ethereum now. Ask the person who gave it to you for the 0x address, and look " +
		"that up before you send anything.",
	keptApart: "Its address is not stored on Ethereum, but on a server of its owner, which we do not ask. " +
		"Paste the 0x address that it points to: your wallet shows it before you send.",
	nodesSilent: "We could not find out where it points: the Ethereum node does not answer. Try again in a minute, " +
		"or paste the 0x address that it points to: your wallet shows it before you send.",
	tooManyAsked: "Many names and transactions were looked up within the last hour, so we cannot look up this one. " +
		"Paste the 0x address that it points to: your wallet shows it before you send.",
}

// chainPrefix matches the chain before an EVM address or behind it, as in base:0x…, eip155:8453:0x… and
// ethereum:0x…@8453.
var chainPrefix = regexp.MustCompile(`(?i)(?:^|[\s(,;])(?:eip155:([0-9]{1,20}):|([a-z0-9]+):(?:pay-)?)0x[0-9a-f]{40}` +
	`(?:@([0-9]{1,20}))?`)

// chainIn is the EVM chain that a text names with an address, or whose explorer it has a link to; "" for none.
func chainIn(text string) string {
	if m := chainPrefix.FindStringSubmatch(text); m != nil {
		if number := cmp.Or(m[3], m[1]); number != "" {
			return "eip155:" + number
		}
		return explorer.Called(m[2])
	}
	for word := range strings.FieldsSeq(text) {
		if u, err := url.Parse(word); err == nil {
			if e, known := explorer.At(u.Host); known && strings.HasPrefix(e.Chain, "eip155:") {
				return e.Chain
			}
		}
	}
	return ""
}

// connectRequestPage answers for a request of a site to connect a wallet (WalletConnect). It holds a key, so it is not
// repeated.
func connectRequestPage(p *locale.Printer) *page {
	return &page{Template: "instead", Title: p.Text("This is a wallet’s connect request"), Body: insteadPage{
		Text: p.Text("It does not say which site asks. Paste the address of the site that showed it to you."),
		Warn: p.Text("Do not share this link or its QR code: who has it can read what your wallet and the site say to each " +
			"other. We did not store it."),
	}}
}

// piecePage answers for a part of an address: only the whole one has an answer.
func piecePage(p *locale.Printer, q, piece string) *page {
	return &page{Template: "instead", Title: p.Text("This looks like a piece of an address"), Body: insteadPage{
		Typed:  redisplay(q),
		Text:   pieceText(p, piece),
		Words:  tocsin.Shorten(q, 100),
		Report: redisplay(q),
	}}
}

// pieceText says what is wrong with it.
func pieceText(p *locale.Printer, piece string) string {
	return p.Text("“%s” is too short for a whole address, or something in it is wrong. Copy the whole address from "+
		"where you have it. Spaces and line breaks in it do not matter.", tocsin.Shorten(piece, 60))
}

// explorerPage answers for a page of a block explorer about something that it calls by a name.
func explorerPage(p *locale.Printer, q, link string) *page {
	name, _, _ := paste.Explored(link)
	return &page{Template: "instead", Title: explorerTitle(p, link), Body: insteadPage{
		Text:   explorerText(p, link),
		Words:  tocsin.Shorten(name, 100),
		Report: redisplay(q),
	}}
}

// explorerTitle says what such a page shows.
func explorerTitle(p *locale.Printer, link string) string {
	name, site, _ := paste.Explored(link)
	return p.Text("This link shows %s on %s", tocsin.Shorten(cmp.Or(name, link), 60), site.Name)
}

// explorerText says what it says of who gets the money: nothing.
func explorerText(p *locale.Printer, link string) string {
	_, site, _ := paste.Explored(link)
	what := p.Text("Paste the whole address.")
	if strings.HasPrefix(site.Chain, "eip155:") {
		what = p.Text("Paste the 0x address.")
	}
	return p.Sentences(p.Text("We cannot look that up. That %s is known says nothing about who gets the money.",
		site.Name), what)
}

// numberPage answers for an IP address.
func numberPage(p *locale.Printer, text string) *page {
	return &page{Template: "instead", Title: p.Text("This is an IP address"), Body: insteadPage{
		Text:  numberText(p, text),
		Warn:  p.Text(namelessText),
		Words: text,
	}}
}

// numberText says what an IP address is, and what to look up instead.
func numberText(p *locale.Printer, text string) string {
	return p.Text("%s is the number of a computer. Many websites can share one, so it has no score. "+
		"Look up the name of the site, as it was in the address bar of your browser.", tocsin.Shorten(text, 60))
}

// namelessText warns of a site without a name.
const namelessText locale.Key = "Honest shops, banks and wallets have names. Type nothing in, connect nothing."

var (
	brokenScheme = regexp.MustCompile(`(?i)^(https?)(?:;//|:?/{1,2})([^/\s])`)
	commaForDot  = regexp.MustCompile(`^((?:https?://)?[^\s,/]*),(\pL{2,}(?:/\S*)?)$`)
)

// meantSite is the site that a mistyped link was meant for: https//evil.example, evil,example or evil. example; "" for
// none.
func meantSite(q string) string {
	if site := paste.SpacedSite(q); site != "" {
		return site
	}
	fixed := commaForDot.ReplaceAllString(brokenScheme.ReplaceAllString(q, "$1://$2"), "$1.$2")
	if subject, fault := tocsin.ParseSubject(fixed); fault == nil && fixed != q && !subject.IsAddress() {
		return subject.Value
	}
	return ""
}

// meantPage asks whether a site was meant.
func meantPage(p *locale.Printer, q, site string) *page {
	return &page{Template: "instead", Title: p.Text("Did you mean %s?", site), Body: insteadPage{
		Typed: redisplay(q),
		Text:  p.Text("What you typed is no link: a character of it is missing, another one, or one too many."),
		Meant: []link{{p.Text("Look up %s", site), findPath(site)}},
	}}
}

// findPath is the path that looks up a text.
func findPath(text string) string { return "/screen?" + url.Values{"q": {text}}.Encode() }

// nothingFoundPage answers for a text in which there is nothing to look up, and that is too long to be searched for.
func nothingFoundPage(p *locale.Printer, q string) *page {
	return &page{Template: "instead", Title: p.Text("We found no address and no website in this"), Body: insteadPage{
		Typed: redisplay(q),
		Text: p.Text("Paste one address, or the link to one site. Or search the reports for a few words: a name, " +
			"a handle, a phone number."),
		Recovery: paste.OffersRecovery(q),
		Stuck:    stuckText(p, q),
		Report:   redisplay(q),
	}}
}

// stuckText is what to say to somebody who cannot get their money out, or is asked for a fee before; "" to all others.
func stuckText(p *locale.Printer, q string) string {
	var says []string
	if paste.CannotGetOut(q) {
		says = append(says, p.Text("It sounds as if you cannot get your money out. Pay no fee."))
	}
	if paste.AsksForFee(q) {
		says = append(says, p.Text("A fee or tax to pay out is how this fraud works."))
	}
	return p.Sentences(says...)
}

// handleName matches the name of an account with an @ before it.
var handleName = regexp.MustCompile(`^@[\w.]+(?:#\d{4})?$`)

// asSearched is a handle as it is searched for in the reports. Names of accounts are searched for on all services.
func asSearched(handle string) string {
	service, name, _ := strings.Cut(handle, ":")
	switch service {
	case "phone", "whatsapp", "email", "name":
		return name
	}
	return "@" + name
}

// wholeName is the name in a search for a handle, which must not be found within a longer one; "" for another search.
func wholeName(q string) string {
	if handleName.MatchString(q) {
		return q[1:]
	}
	if number := paste.Phone(q); number != "" {
		return strings.TrimPrefix(asSearched(number), "+")
	}
	if h, fault := tocsin.ParseHandle(q); fault == nil && h.Service != "name" {
		return strings.TrimPrefix(h.Name, "+") // on every service, and where it was filed without one
	}
	return ""
}

// accountName is the name in a search for an account, with an @ before it; "" for another search.
func accountName(q string) string {
	name := wholeName(q)
	h, fault := tocsin.ParseHandle(q)
	if name == "" || paste.Phone(q) != "" || fault == nil && asSearched(h.String()) != "@"+h.Name {
		return ""
	}
	return "@" + name
}
