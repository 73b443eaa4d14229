package paste

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/explorer"
)

// Role is what a part of a text is there for.
type Role string

// The roles. Most parts have none.
const (
	Wrapper   Role = "wrapper"   // a site whose link leads on to another one
	Onward    Role = "onward"    // a site that a link leads on to
	Behind    Role = "behind"    // the site of a link that shows the name of another one before an @
	InLink    Role = "in_link"   // an address in a link to a site, maybe the visitor's own
	Recipient Role = "recipient" // who would get the money of a payment request
	Spender   Role = "spender"   // who could take tokens, if the request is granted
	MailSite  Role = "mail_site" // the site of an e-mail address
	Token     Role = "token"     // the token of a payment request, or of a link to an account that holds it
)

// Part is one thing in a text that was typed into the box: what it names, or why that is unknown.
type Part struct {
	Subject tocsin.Subject // the zero value if there is a Problem
	Problem *Problem       // nil if there is a Subject
	Text    string         // what has the Problem, as it was typed
	Role    Role
	Asked   Asked  // of a Recipient or a Spender; the zero value without a request
	Shown   string // the name that the link shows, of a site Behind it
}

// Asked is how much a payment request asks for.
type Asked struct {
	Amount string // with a point, such as 0.5; "" for none, or for Units
	Units  string // of a token of which the decimals are not in the request: a whole number of its smallest units
	Coin   string // of the Amount: BTC; "" for a token, and for a coin that we do not know
	Chain  string // of a request on an EVM chain: the CAIP-2 id
	// Unlimited means that a Spender could take all that there is of the token.
	Unlimited bool
}

// Asks reports whether the part is who would get an amount that a payment request names, also if that cannot be read.
func (p Part) Asks() bool { return p.Role == Recipient && p.Asked.Amount+p.Asked.Units != "" }

// explains reports whether the part says better than the text as a whole why there is nothing to look up.
func (p Part) explains() bool {
	return p.Problem != nil && (p.Role == Recipient || p.Problem.Kind == CheckoutPage ||
		p.Problem.Kind == ExplorerPage)
}

// maxParts is how many parts of each kind a text may have; maxOnward is how many sites a link may lead on to.
const (
	maxParts  = 100
	maxOnward = 3
)

// connectMark is instead of a wallet's connect request, which holds a key.
const connectMark = "wc:…"

// connect matches a wallet's connect request (WalletConnect), also as a part of a link.
var connect = regexp.MustCompile(`(?i)\bwc(?::|%(?:25)*3a)[0-9a-z-]{8,}(?:@|%(?:25)*40)[^\s"'<>]*`)

// WithoutConnects returns a text with a mark instead of each connect request of a wallet in it: who has one can read
// along.
func WithoutConnects(text string) string { return connect.ReplaceAllString(text, connectMark) }

// Parts returns what a text names, each once, in the order of the text: also the sites that a link leads on to, and
// what cannot be read. Handles and transactions are no parts. It returns nil for a text that is too long or holds a
// secret.
func Parts(text string) []Part {
	if len(text) > maxQuestion {
		return nil
	}
	text = withoutDotted(WithoutConnects(tocsin.CleanText(text)))
	if tocsin.FindSecret(text) != nil {
		return nil
	}
	if digits := strings.TrimPrefix(strings.Join(strings.Fields(text), ""), "0x"); bareHex.MatchString(digits) {
		text = "0x" + digits // of groups of four
	}
	r := partReader{}
	for line := range strings.SplitSeq(text, "\n") {
		for _, word := range split(line, maxThings) {
			r.read(word)
		}
	}
	if len(r.parts) > maxParts {
		r.parts = r.parts[:maxParts]
	}
	return r.parts
}

// Mistyped is the address with a mistake in a text, out of a link or of a sentence; "" if there is none. Of a payment
// request it is that of who would get the money, or could take it, and never that of the contract.
func Mistyped(text string) string {
	calls := CallsContract(text) // which gets no money
	for _, part := range Parts(text) {
		pays := part.Role == Recipient || part.Role == Spender
		if (pays || !calls) && part.Problem != nil && part.Problem.Address != "" {
			return part.Problem.Address
		}
	}
	return ""
}

// partReader is the state of [Parts].
type partReader struct {
	parts []Part
	typed string // the word that is read
	asked Asked  // of the recipient that is read
	shown string // by the link whose site is read, before an @
}

func (r *partReader) read(word string) {
	r.typed = word
	link := tocsin.Refang(word)
	switch {
	case strings.HasPrefix(word, connectMark):
		r.wrong(Problem{Kind: ConnectRequest})
	case r.lightning(word), r.payment(link):
	case handleOf(word) != "":
	case strings.Contains(word, "/"):
		r.link(link)
	default:
		r.word(word, "")
	}
}

// word adds what [Read] finds in a word. A word that cannot be read is no part, unless it resembles an address or is a
// name that stands for one.
func (r *partReader) word(word string, role Role) {
	found := Read(Addresses, word)
	for _, item := range found.Items {
		r.item(item, role)
	}
	for _, p := range found.Problems {
		switch p.Kind {
		case MaybeSolana:
			r.item(Item{Field: Addresses, Text: "solana:" + p.Text}, role)
		case NoAddress, ChatName, MailAddress, TransactionHash, TooMany, TooLong:
		case NotDomain:
			if strings.Contains(r.typed, "://") {
				r.wrong(p)
			}
		default:
			r.wrong(p)
		}
	}
}

// item adds an account or a site.
func (r *partReader) item(item Item, role Role) {
	if item.Field != Addresses && item.Field != Domains {
		return
	}
	subject, fault := tocsin.ParseSubject(item.Text)
	if fault != nil {
		r.wrong(Problem{Kind: Invalid, Text: item.Text, Address: item.Text, Fault: fault})
		return
	}
	r.add(Part{Subject: subject, Role: role})
}

func (r *partReader) add(p Part) {
	switch p.Role {
	case Recipient, Spender:
		p.Asked = r.asked
	case Behind:
		p.Shown = r.shown
	}
	if p.Problem == nil {
		same := func(other Part) bool { return other.Problem == nil && other.Subject == p.Subject }
		if i := slices.IndexFunc(r.parts, same); i >= 0 {
			keeps := slices.Contains([]Role{Onward, Behind, Recipient, Spender}, r.parts[i].Role)
			if p.Role != "" && (!keeps || r.parts[i].Role == Recipient && p.Role == Recipient) {
				r.parts[i].Role, r.parts[i].Asked, r.parts[i].Shown = p.Role, p.Asked, p.Shown
			}
			return
		}
	}
	r.parts = append(r.parts, p)
}

func (r *partReader) wrong(p Problem) {
	p.Line = 0
	r.add(Part{Problem: &p, Text: r.typed})
}

// link adds what a link names: an account at a block explorer; of any other link its site, the sites that it leads on
// to and the accounts in it.
func (r *partReader) link(link string) {
	scheme, rest, found := strings.Cut(link, "://")
	if !found {
		scheme, rest = "", link
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, `/?#\`); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	_, explored := explorer.At(host)
	switch {
	case explored, strings.EqualFold(host, ensSite):
		r.explored(link, path)
		return
	case scheme != "" && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		host, path = "", "/"+rest // a link that an app opens, such as metamask://dapp/…
	}
	onward := onwardHosts(host, path)
	asks := strings.Contains(path, connectMark) || strings.HasPrefix(link, connectMark)
	page := Checkout(link)
	switch {
	case host == "":
	case shown(host) != "":
		r.behind(host)
	case page != "":
		r.wrong(Problem{Kind: CheckoutPage, Text: page})
	case asks && opensWallets(host): // which is no more than the way into the wallet
	case len(onward) > 0:
		r.wrapper(host)
	default:
		r.word("https://"+host+"/", "")
	}
	for _, h := range onward {
		r.word("https://"+h+"/", Onward)
	}
	if asks {
		r.wrong(Problem{Kind: ConnectRequest})
	}
	path = unescaped(path)
	if hashes := hexIn(path, 64); len(hashes) > 0 && explorerTx.MatchString(path) {
		r.wrong(Problem{Kind: TransactionHash, Text: hashes[0]})
	}
	for i, address := range hexIn(path, 40) {
		if i < maxOnward {
			r.word(address, InLink)
		}
	}
	if account, _ := accountIn("https://x" + path); account != "" {
		r.word(account, InLink)
	}
}

// behind adds the site of a link that shows the name of another one before an @. Of one that cannot be looked up, such
// as an IP address, the part has what is behind the @.
func (r *partReader) behind(authority string) {
	before := len(r.parts)
	r.shown = shown(authority)
	r.word("https://"+authority+"/", Behind)
	if len(r.parts) > before {
		part := &r.parts[before]
		if part.Role, part.Shown = Behind, r.shown; part.Problem != nil {
			authority = unescaped(authority)
			part.Text = authority[strings.LastIndexByte(authority, '@')+1:]
		}
	}
	r.shown = ""
}

// wrapper adds a site whose link leads on, which may be a host of many.
func (r *partReader) wrapper(host string) {
	if d, fault := parseDomain("https://" + host + "/"); fault == nil && d.Shared() {
		r.add(Part{Subject: d.Subject(), Role: Wrapper})
		return
	}
	r.word("https://"+host+"/", Wrapper)
}

// explored adds the accounts in a link to a block explorer. In one to a token (?a=) the account that holds it is
// meant.
func (r *partReader) explored(link, path string) {
	if isTransaction(link) {
		return
	}
	path, query, _ := strings.Cut(path, "?")
	query, _, _ = strings.Cut(query, "#")
	values, err := url.ParseQuery(query)
	tokens := hexIn(path, 40)
	holder := ""
	if err == nil {
		holder = values.Get("a")
	}
	if len(hexIn(holder, 40)) == 0 || len(tokens) != 1 {
		for _, address := range hexIn(path+"?"+query, 40) {
			r.word(address, "")
		}
		if len(hexIn(path+"?"+query, 40)) == 0 {
			r.word(link, "")
		}
		return
	}
	r.word(holder, "")
	r.word(tokens[0], Token)
}
