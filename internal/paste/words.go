package paste

import (
	"cmp"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tocsin"
	"tocsin/internal/explorer"
)

const hexDigits = "0123456789abcdefABCDEF"

var (
	hexRun      = regexp.MustCompile(`(?:^|[^0-9A-Za-z])(0[xX][0-9A-Za-z]+)`)
	accountPath = regexp.MustCompile(
		`(?i)/(?:address(?:es)?|accounts?|tokens?|contracts?|profile|entity|wallet)/(0x[0-9A-Za-z]*)`)
	explorerTx = regexp.MustCompile(`(?i)/(?:txs?|transactions?)/0x`)
	bareHex    = regexp.MustCompile(`^[0-9a-fA-F]{40}$`)
	topLevel   = regexp.MustCompile(`\.(?:xn--[0-9A-Za-z-]+|\pL{2,})(?::\d+)?$`)
	handle     = regexp.MustCompile(`^@[\pL\pN_][\pL\pN_.-]*$`)
	day        = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
	// ownIn matches words that call a wallet or an account the writer's own.
	ownIn = regexp.MustCompile(`(?i)(?:^|\PL)(?:my|mi|meine?r?|meu|minha|mon|ma)\s+(?:own\s+|propia\s+|eigene\s+)?` +
		`(?:wallet|address|account|billetera|cartera|monedero|direcci[óo]n|cuenta|adresse|konto|carteira|endere[çc]o|conta|` +
		`portefeuille|compte)(?:\PL|$)|我的(?:钱包|地址|账户|帐户)`)
)

// readSubject takes a word among things or addresses.
func (r *reader) readSubject(word string) bool {
	lower := strings.ToLower(word)
	account, fault := tocsin.ParseAccount(word)
	switch run := hexRun.FindStringSubmatch(word); {
	case fault == nil && account.Kind != tocsin.EVM:
		r.found(Addresses, account.String())
	case foreignForm(word) && foreignLetter(word) != "":
		r.wrong(Problem{Kind: ForeignLetter, Text: foreignLetter(word)})
	case handleOf(word) != "":
		r.found(Handles, handleOf(word))
	case strings.Contains(word, "/") && !isLink(word) && run == nil:
		return false
	case strings.Contains(word, "/"):
		r.explorerLink(tocsin.Refang(word))
	case run != nil && (strings.HasPrefix(lower, "0x") || strings.Contains(word, ":")): // also eip155:1:0x…
		r.address(word, run[1])
	case addressWithin(word) != "":
		r.found(Addresses, addressWithin(word))
	case bareHex.MatchString(word):
		r.found(Addresses, "0x"+word)
	case handle.MatchString(word) && r.field == Things:
		r.found(Handles, "name:"+word) // nobody knows of which service
	case handle.MatchString(word):
		r.wrong(Problem{Kind: ChatName, Text: word})
	case strings.Contains(word, "@") && !strings.ContainsAny(word, "?#"): // behind which a site has what it likes
		r.wrong(Problem{Kind: MailAddress, Text: word})
	case latinName(lower) != "":
		r.wrong(Problem{Kind: ForeignName, Text: latinName(lower)})
	case strings.HasSuffix(lower, ".eth"):
		r.wrong(Problem{Kind: ENSName, Text: word})
	case isWalletName(word):
		r.wrong(Problem{Kind: WalletName, Text: tocsin.Refang(word)})
	case topLevel.MatchString(tocsin.Refang(word)):
		r.domain(tocsin.Refang(word))
	case isIPAddress(word):
		r.wrong(Problem{Kind: IPAddress, Text: word})
	case tocsin.ChainMeant(word) == "Solana":
		r.wrong(Problem{Kind: MaybeSolana, Text: word})
	case tocsin.ChainMeant(word) != "":
		r.wrong(wrongAccount(word))
	default:
		return false
	}
	return true
}

// wrongAccount is the problem of a text that has the form of an account of a chain, and is none.
func wrongAccount(text string) Problem {
	_, fault := tocsin.ParseAccount(text)
	return Problem{Kind: WrongAccount, Text: tocsin.ChainMeant(text), Address: text, Fault: fault}
}

// foreignForm reports whether a word looks like an EVM address, also with letters of other alphabets. To compile it
// as a regular expression would take every command a fifteenth of its start.
func foreignForm(word string) bool {
	digits, is := strings.CutPrefix(word, "0")
	x, size := utf8.DecodeRuneInString(digits)
	if digits = digits[size:]; !is || !strings.ContainsRune("xX\u0445\u0425\u03c7\u00d7", x) {
		return false
	}
	n := utf8.RuneCountInString(digits)
	return n >= 20 && n <= 80 &&
		!strings.ContainsFunc(digits, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// foreignLetter returns the first letter or digit of another alphabet in what looks like an address, or "". Where
// words are not separated, a whole address may be followed by them.
func foreignLetter(word string) string {
	if run := hexRun.FindString(word); len(run) == 42 || len(run) == 66 {
		return ""
	}
	if i := strings.IndexFunc(word, func(c rune) bool { return c >= utf8.RuneSelf }); i >= 0 {
		_, size := utf8.DecodeRuneInString(word[i:])
		return word[i : i+size]
	}
	return ""
}

// latinLike replaces letters of other alphabets that look like small Latin ones.
var latinLike = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "і", "i",
	"ј", "j", "ѕ", "s", "т", "t", "һ", "h", "ԁ", "d", "ӏ", "l", "к", "k", "ο", "o", "ν", "v", "α", "a", "ρ", "p", "τ", "t",
	"ι", "i", "κ", "k")

// latinName returns the ENS name in Latin letters that a name in small letters only looks like; "" for none.
func latinName(name string) string {
	like := latinLike.Replace(name)
	if like == name || !strings.HasSuffix(like, ".eth") ||
		strings.ContainsFunc(like, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return ""
	}
	return like
}

// addressWithin returns the address that other letters of a word are glued to, such as that of "USDC0x…" and
// "address=0x…&amount=1", or "".
func addressWithin(word string) string {
	for i := range len(word) - 41 {
		if word[i] != '0' || word[i+1] != 'x' || !isHex(word[i+2:i+42]) {
			continue
		}
		if rest := word[i+42:]; rest == "" || !unicode.IsLetter(rune(rest[0])) && !unicode.IsDigit(rune(rest[0])) {
			return word[i : i+42]
		}
	}
	return ""
}

// address takes the digits of an address out of a word.
func (r *reader) address(word, run string) {
	digits := run[2:]
	wrong := strings.IndexFunc(digits, func(c rune) bool { return !strings.ContainsRune(hexDigits, c) })
	switch {
	case strings.Contains(word, "…"), strings.Contains(word, ".."):
		r.wrong(Problem{Kind: CutShort})
	case wrong >= 0:
		r.wrong(Problem{Kind: WrongDigit, Text: digits[wrong : wrong+1]})
	case len(digits) == 64 && r.field == Things:
		r.found(Transactions, "0x"+digits)
	case len(digits) == 64:
		r.wrong(Problem{Kind: TransactionHash, Text: "0x" + digits})
	case len(digits) != 40:
		r.wrong(Problem{Kind: WrongLength, Count: len(digits), Text: digits[max(0, len(digits)-1):]})
	default:
		r.found(Addresses, "0x"+digits)
	}
}

// explorerLink takes an address or a transaction out of a link to a block explorer,
// and the site out of every other link. An address in the query of a link
// (?wallet=0x…) may be the victim's own.
func (r *reader) explorerLink(link string) {
	if hash := hashIn(link); hash != "" && r.field == Things {
		r.found(Transactions, hash)
		return
	}
	path, query, _ := strings.Cut(link, "?")
	addresses, others := hexIn(path, 40), hexIn(query, 40)
	explored := accountPath.FindStringSubmatch(path)
	isSite := r.field == Things && explored == nil // their site may have an address in its links
	account, ofExplorer := accountIn(link)
	if account != "" && len(addresses)+len(others) == 0 && (ofExplorer || r.field == Addresses) {
		r.found(Addresses, account)
		return
	}
	switch hashes, wrong := hexIn(path, 64), wrongIn(link); {
	case wrong != nil:
		r.wrong(*wrong)
	case len(hashes) > 0 && (r.field == Addresses || explorerTx.MatchString(path)):
		for _, h := range hashes {
			r.found(Transactions, h)
		}
	case isSite, len(addresses)+len(others) == 0 && explored == nil:
		switch name, _, is := Explored(link); {
		case is && r.field == Addresses && strings.HasSuffix(strings.ToLower(name), ".eth"):
			r.wrong(Problem{Kind: ENSName, Text: name})
		case is && r.field == Addresses:
			r.wrong(Problem{Kind: ExplorerPage, Text: link})
		default:
			r.domain(link)
		}
	case len(addresses) == 1 && len(others) == 0:
		r.found(Addresses, addresses[0])
	case len(addresses)+len(others) > 1:
		r.wrong(Problem{Kind: SeveralAddresses})
	case len(others) == 1:
		r.wrong(Problem{Kind: AddressInQuery, Text: others[0]})
	default:
		r.address(explored[1], explored[1])
	}
}

// handleOf returns the handle that a word is: a link to an account of a messenger or a network, an e-mail address, or
// a name with its service before it. It returns "" if it is none.
func handleOf(word string) string {
	h, fault := tocsin.ParseHandle(word)
	if fault != nil {
		return ""
	}
	return h.String()
}

// explorerPage matches the path of a page about an account, also of chains that are not of the EVM.
var explorerPage = regexp.MustCompile(`(?i)/(?:address(?:es)?|accounts?|wallets?|transfer|tokens?(?:20)?|contracts?)/`)

// accountIn returns the account of a chain that is not of the EVM in the path of a link, or "", and whether the link is
// one to a block explorer.
func accountIn(link string) (account string, ofExplorer bool) {
	_, rest, _ := strings.Cut(link, "://")
	host, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	site, known := explorer.At(host)
	ofExplorer = known || explorerPage.MatchString("/"+path)
	for part := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '#' }) {
		if site.ChainName == "Solana" { // which has no checksum, so the address alone does not say
			part = "solana:" + part
		}
		if s, fault := tocsin.ParseAccount(part); fault == nil && s.Kind != tocsin.EVM {
			return s.String(), ofExplorer
		}
	}
	return "", ofExplorer
}

// wrongIn is the problem of what has the form of an account, not of the EVM, in the path of a link to the page of an
// account at a block explorer; nil if there is none.
func wrongIn(link string) *Problem {
	_, rest, _ := strings.Cut(link, "://")
	host, path, _ := strings.Cut(cmp.Or(rest, link), "/")
	path, _, _ = strings.Cut(path, "?")
	at := explorerPage.FindStringIndex("/" + path)
	if _, known := explorer.At(host); !known || at == nil {
		return nil
	}
	name, _, _ := strings.Cut(("/" + path)[at[1]:], "/")
	if _, fault := tocsin.ParseAccount(name); fault == nil || tocsin.ChainMeant(name) == "" ||
		tocsin.ChainMeant(name) == "Solana" { // which has no checksum
		return nil
	}
	wrong := wrongAccount(name)
	return &wrong
}

// hashIn returns the hash without 0x, or the signature of Solana, in a link to a transaction at a block explorer, and
// "" for another text.
func hashIn(link string) string {
	_, rest, _ := strings.Cut(link, "://")
	host, _, _ := strings.Cut(cmp.Or(rest, link), "/")
	if _, known := explorer.At(host); !known {
		return ""
	}
	if m := otherTx.FindStringSubmatch(link); m != nil {
		return m[1]
	}
	return ""
}

// hexIn returns the numbers in a text with so many digits after 0x, each once.
func hexIn(text string, digits int) (found []string) {
	for _, m := range hexRun.FindAllStringSubmatch(text, -1) {
		known := func(f string) bool { return strings.EqualFold(f, m[1]) }
		if len(m[1]) == 2+digits && isHex(m[1][2:]) && !slices.ContainsFunc(found, known) {
			found = append(found, m[1])
		}
	}
	return found
}

func isHex(s string) bool { return strings.Trim(s, hexDigits) == "" }

// domain takes a website.
func (r *reader) domain(text string) {
	switch d, fault := parseDomain(text); {
	case fault != nil && ipIn(text) != "":
		r.wrong(Problem{Kind: IPAddress, Text: ipIn(text)})
	case fault != nil:
		r.wrong(Problem{Kind: NotDomain, Fault: fault})
	case Checkout(text) != "":
		r.wrong(Problem{Kind: CheckoutPage, Text: Checkout(text)})
	case d.Shared():
		r.wrong(Problem{Kind: SharedDomain, Text: d.String()})
	default:
		r.found(Domains, text)
	}
}

// isIPAddress reports whether a word is the number of a computer, perhaps with a port. An amount of money and a date
// have points as well.
func isIPAddress(word string) bool {
	_, fault := netip.ParseAddrPort(word)
	if fault != nil {
		_, fault = netip.ParseAddr(strings.Trim(word, "[]"))
	}
	return fault == nil && strings.ContainsAny(word, ".:")
}

// ipIn returns the number of the computer that a link names, or "".
func ipIn(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	if _, err = netip.ParseAddr(u.Hostname()); err != nil {
		return ""
	}
	return u.Hostname()
}

// parseDomain is [tocsin.ParseDomain], but refuses a label that is too long at once:
// to normalize it would take long.
func parseDomain(text string) (tocsin.Domain, *tocsin.Error) {
	_, host, _ := strings.Cut(text, "://")
	host = cmp.Or(host, text)
	if i := strings.IndexAny(host, `/?#\`); i >= 0 {
		host = host[:i]
	}
	for label := range strings.SplitSeq(host[strings.LastIndexByte(host, '@')+1:], ".") {
		if utf8.RuneCountInString(label) > 63 {
			fault := tocsin.Fault{Reason: "it is longer than a name can be"}
			return tocsin.Domain{}, &tocsin.Error{Code: tocsin.Invalid, Fields: []tocsin.Fault{fault}}
		}
	}
	return tocsin.ParseDomain(text)
}

// readTransaction takes a word among transactions.
func (r *reader) readTransaction(word string) bool {
	switch run := hexRun.FindStringSubmatch(word); {
	case run != nil && len(run[1]) == 66:
		r.found(Transactions, run[1])
	case loneHash.MatchString(word):
		r.found(Transactions, word)
	case hashIn(word) != "":
		r.found(Transactions, hashIn(word))
	case run != nil && len(run[1]) == 42:
		r.wrong(Problem{Kind: EVMAddress})
	case run != nil:
		r.wrong(Problem{Kind: HashLength, Count: len(run[1]) - 2})
	case strings.Contains(word, "/"):
		r.wrong(Problem{Kind: LinkWithoutHash})
	default:
		return false
	}
	return true
}

// readLink takes a word among links. A hash by itself is a transaction.
func (r *reader) readLink(word string) bool {
	word = tocsin.Refang(word)
	switch {
	case strings.HasPrefix(word, "0x") && len(word) == 66 && isHex(word[2:]):
		r.found(Transactions, word)
	case strings.Contains(word, "://"):
		r.found(Links, word)
	case isSite(word):
		r.found(Links, "https://"+word)
	default:
		return false
	}
	return true
}

func isWalletName(word string) bool {
	_, ok := tocsin.WalletName(tocsin.Refang(word))
	return ok
}

// isSite reports whether a word is a link or a domain without its scheme.
func isSite(word string) bool {
	_, fault := parseDomain(word)
	return fault == nil && (strings.Contains(word, "/") || topLevel.MatchString(word))
}
