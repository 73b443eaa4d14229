package web

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tocsin"
)

var (
	nextOne    = regexp.MustCompile(`[,;|]+(?:(?:https?|hxxps?)://|0[xX])`)
	separators = regexp.MustCompile(`[,;|]+`)
	hexRun     = regexp.MustCompile(`(?:^|[^0-9A-Za-z])(0[xX][0-9A-Za-z]+)`)
	inPath     = regexp.MustCompile(`(?i)/(?:address(?:es)?|accounts?|tokens?|contracts?|profile|entity|wallet)/(0x[0-9A-Za-z]*)`)
	txPath     = regexp.MustCompile(`(?i)/(?:txs?|transactions?)/0x`)
	hash       = regexp.MustCompile(`\b(?:0x)?[0-9a-fA-F]{64}\b`)
	bareHex    = regexp.MustCompile(`^[0-9a-fA-F]{40}$`)
	topLevel   = regexp.MustCompile(`\.(?:xn--[0-9A-Za-z-]+|\pL{2,})(?::\d+)?$`)
	handleForm = regexp.MustCompile(`^@\w+$`)
	base58     = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{26,44}$`)
	bech32     = regexp.MustCompile(`^(?i:bc1|ltc1)[02-9ac-hj-np-zAC-HJ-NP-Z]{11,71}$`)
	refang     = strings.NewReplacer("[.]", ".", "(.)", ".", "{.}", ".", "[dot]", ".", "(dot)", ".", "[:]", ":", "[://]", "://",
		"hxxp", "http", "hXXp", "http", "HXXP", "http")
)

// cut splits a line into the things that people put side by side: by spaces,
// and by commas and the like where no address of a page goes on behind them. It
// stops behind so many.
func cut(line string, most int) (things []string) {
	for chunk := range strings.FieldsFuncSeq(line, unicode.IsSpace) {
		link := strings.Contains(chunk, "/")
		for chunk != "" {
			if len(things) > most {
				return things
			}
			end := separators.FindStringIndex(chunk)
			if link {
				if end = nextOne.FindStringIndex(chunk); end != nil {
					end[1] = end[0] + len(separators.FindString(chunk[end[0]:]))
				}
			}
			one := chunk
			if end != nil {
				one, chunk = chunk[:end[0]], chunk[end[1]:]
			} else {
				chunk = ""
			}
			things = append(things, bared(one))
		}
	}
	return things
}

// bared takes off what stands around a thing in a sentence.
func bared(token string) string {
	token = strings.TrimLeft(token, `<("'“‘«[*•→-`)
	token = strings.TrimRight(token, `>"'”’».,;:!?*`)
	if !strings.Contains(token, "(") {
		token = strings.TrimRight(token, `)`)
	}
	if !strings.Contains(token, "[") {
		token = strings.TrimRight(token, `]`)
	}
	return strings.TrimRight(token, `>"'”’».,;:!?*`)
}

// maxThings is how many lines, and again how many things, a box may hold, words
// among them; maxThing is how long one of them may be. Both are far more than a
// report takes.
const (
	maxThings = 1000
	maxThing  = 4096
)

// things are the things in the box, by line.
func (b *box) things() (lines [][]string) {
	n := 0
	for line := range strings.SplitSeq(b.Text, "\n") {
		things := cut(line, maxThings-n)
		if n += len(things); n > maxThings || len(lines) == maxThings {
			b.say("more than we can read", "This is more than we can read at once: over 1,000 lines or words. Leave the best of it, and send the rest in a second report.")
			return nil
		}
		lines = append(lines, slices.DeleteFunc(things, func(thing string) bool {
			if len(thing) > maxThing {
				b.wrong(len(lines)+1, "too long", "has something in it that is longer than any address or link. Paste what is theirs, and nothing else.")
			}
			return thing == "" || len(thing) > maxThing
		}))
	}
	return lines
}

// sort reads the box of addresses or that of websites. Whichever of the two a
// thing was put into, it goes where it belongs. Words beside it are labels.
func (f *form) sort(b *box) {
	for n, tokens := range b.things() {
		problems, placed, odd := b.wrongs(), false, ""
		for _, token := range tokens {
			if f.place(b, n+1, token) {
				placed = true
			} else if odd == "" {
				odd = token
			}
		}
		if odd == "" || placed || b.wrongs() > problems {
			continue
		}
		odd = clipped(odd, 40)
		if b.Name == addressBox {
			b.wrong(n+1, "no address", fmt.Sprintf("has no address: “%s” is none. An address is 0x and 40 digits from 0 to 9 and A to F.", odd))
		} else {
			b.wrong(n+1, "no website", fmt.Sprintf("has no website: “%s” is none. Paste the link as you have it.", odd))
		}
	}
}

// place puts one thing where it belongs, or notes what is wrong with it. It
// reports false for a mere word.
func (f *form) place(b *box, line int, token string) bool {
	here := func(text string) item { return item{b, line, text} }
	switch run := hexRun.FindStringSubmatch(token); {
	case strings.Contains(token, "/"):
		f.placeLink(b, line, refang.Replace(token))
	case run != nil && (strings.HasPrefix(strings.ToLower(token), "0x") || strings.Contains(token, ":")): // eip155:1:0x… and the like, too
		f.placeHex(b, line, token, run[1])
	case bareHex.MatchString(token):
		f.addresses = append(f.addresses, here("0x"+token))
	case handleForm.MatchString(token):
		f.foreign = true
		b.wrong(line, "a name in a chat", fmt.Sprintf("is a name in a chat: %s. Write it under their Telegram or another account, below.", token))
	case strings.Contains(token, "@"):
		f.foreign = true
		b.wrong(line, "a mail address", fmt.Sprintf("is a mail address: %s. Write it under another account, below.", clipped(token, 60)))
	case strings.HasSuffix(strings.ToLower(token), ".eth"):
		b.wrong(line, "a name, not an address", fmt.Sprintf("is a name that its owner can point elsewhere: %s. Look up the address that it stood for, and paste that.", clipped(token, 60)))
	case topLevel.MatchString(refang.Replace(token)):
		f.placeDomain(b, line, refang.Replace(token))
	case strings.Contains(token, ".") && strings.Trim(token, "0123456789.:[]") == "":
		b.wrong(line, "a number, not a name", fmt.Sprintf("is the number of a computer, %s. Paste the name of the site that was shown.", clipped(token, 40)))
	case bech32.MatchString(token), len(token) < 35 && base58.MatchString(token) && strings.ContainsAny(token[:1], "13"):
		f.placeForeign(b, line, "Bitcoin")
	case len(token) == 34 && token[0] == 'T' && base58.MatchString(token):
		f.placeForeign(b, line, "Tron")
	case len(token) > 31 && base58.MatchString(token) && strings.ContainsAny(token, "123456789"):
		f.placeForeign(b, line, "Solana, or of another chain")
	default:
		return false
	}
	return true
}

// placeForeign notes an address of a chain that reports cannot name yet.
func (f *form) placeForeign(b *box, line int, chain string) {
	f.foreign = true
	b.wrong(line, "an address of another chain", "looks like an address of "+chain+". We can only file addresses of Ethereum and its kin so far, 0x and 40 digits. If you can name one of these or a website as well, write this one into your story, where the search finds it.")
}

// placeHex takes an address that is told by itself.
func (f *form) placeHex(b *box, line int, token, run string) {
	digits := run[2:]
	n := len(digits)
	cutShort := strings.Contains(token, "…") || strings.Contains(token, "..")
	wrongDigit := strings.IndexFunc(digits, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) })
	switch {
	case cutShort:
		b.wrong(line, "the middle is missing", "is cut short. Paste the whole address: only its middle tells it from a look-alike.")
	case wrongDigit >= 0:
		b.wrong(line, "a character that no address has", fmt.Sprintf("has the character “%c”, which no address has: its digits are 0 to 9 and A to F.", digits[wrongDigit]))
	case n == 64:
		b.wrong(line, "a transaction, not an address", "has 64 digits after 0x, so it is a transaction; an address has 40. Put it under transactions, below. If it is a private key, take it out and move what is left to a new wallet.")
	case n == 41:
		b.wrong(line, "one digit too many", fmt.Sprintf("has 41 digits after 0x; an address has 40. Was the last “%c” meant to be there?", digits[n-1]))
	case n == 39:
		b.wrong(line, "one digit too few", "has 39 digits after 0x; an address has 40. Was one lost when you copied it?")
	case n != 40:
		b.wrong(line, fmt.Sprintf("%d digits, not 40", n), fmt.Sprintf("has %d digits after 0x; an address has 40.", n))
	default:
		f.addresses = append(f.addresses, item{b, line, "0x" + digits})
	}
}

// placeLink takes an address or a transaction out of a link to a block
// explorer, and every other link for that of their site. An address that stands
// in the question of a link (?wallet=0x…) may be the victim's own.
func (f *form) placeLink(b *box, line int, link string) {
	path, question, _ := strings.Cut(link, "?")
	in := func(text string, digits int) (found []string) {
		for _, m := range hexRun.FindAllStringSubmatch(text, -1) {
			if len(m[1]) == 2+digits && isHex(m[1][2:]) && !slices.ContainsFunc(found, func(f string) bool { return strings.EqualFold(f, m[1]) }) {
				found = append(found, m[1])
			}
		}
		return found
	}
	addresses, others := in(path, 40), in(question, 40)
	explorer := inPath.MatchString(path)
	switch hashes := in(path, 64); {
	case len(hashes) > 0 && (b.Name == addressBox || txPath.MatchString(path)):
		for _, h := range hashes {
			f.hashes = append(f.hashes, item{b, line, h})
		}
	case b.Name == domainBox && !explorer, len(addresses)+len(others) == 0 && !explorer:
		f.placeDomain(b, line, link)
	case len(addresses) == 1 && len(others) == 0:
		f.addresses = append(f.addresses, item{b, line, addresses[0]})
	case len(addresses)+len(others) > 1:
		b.wrong(line, "a link with more than one address", "is a link with more than one address in it. Paste the one that is theirs.")
	case len(others) == 1:
		b.wrong(line, "whose address is it?", "is a link with an address behind its question mark, which may be your own. Paste the address alone if it is theirs, and the link under websites.")
	default:
		run := inPath.FindStringSubmatch(path)[1]
		f.placeHex(b, line, run, run)
	}
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// placeDomain takes a website.
func (f *form) placeDomain(b *box, line int, text string) {
	d, fault := parseDomain(text)
	switch {
	case fault != nil:
		b.wrong(line, "no website", "is not the name of a website, or a link to one: "+clipped(fault.Fields[0].Reason, 160)+".")
	case d.Shared():
		f.foreign = true
		b.wrong(line, d.String()+" belongs to many", fmt.Sprintf("names %s, where strangers have pages and names of their own. Give the whole name of the site, such as someone.%[1]s, or put the link to the page under links, below, and name something else that is theirs.", d))
	default:
		f.domains = append(f.domains, item{b, line, text})
	}
}

// parseDomain parses a website. What is longer between two dots than a name can
// be is not looked at, which would take long.
func parseDomain(text string) (tocsin.Domain, *tocsin.Error) {
	_, host, _ := strings.Cut(text, "://")
	host = cmp.Or(host, text)
	if i := strings.IndexAny(host, `/?#\`); i >= 0 {
		host = host[:i]
	}
	for label := range strings.SplitSeq(host[strings.LastIndexByte(host, '@')+1:], ".") {
		if utf8.RuneCountInString(label) > 63 {
			return tocsin.Domain{}, &tocsin.Error{Code: tocsin.Invalid, Fields: []tocsin.Fault{{Reason: "it is longer than a name can be"}}}
		}
	}
	return tocsin.ParseDomain(text)
}

// readHashes reads the box of transactions.
func (f *form) readHashes() {
	b := f.Box(hashBox)
	for n, tokens := range b.things() {
		problems, placed, odd := b.wrongs(), false, ""
		for _, token := range tokens {
			run := hexRun.FindStringSubmatch(token)
			switch {
			case run != nil && len(run[1]) == 66:
				f.hashes = append(f.hashes, item{b, n + 1, run[1]})
				placed = true
			case run != nil && len(run[1]) == 42:
				b.wrong(n+1, "an address, not a transaction", "has 40 digits after 0x, so it is an address; a transaction has 64. If it is theirs, put it under their addresses, above.")
			case run != nil:
				b.wrong(n+1, fmt.Sprintf("%d digits, not 64", len(run[1])-2), fmt.Sprintf("has %d digits after 0x; the hash of a transaction has 64.", len(run[1])-2))
			case strings.Contains(token, "/"):
				b.wrong(n+1, "a link without a transaction", "is a link without a transaction in it. Put it under links, below.")
			case len(token) == 64 && isHex(token):
				b.wrong(n+1, "the 0x is missing", "lacks the 0x with which the hash of a transaction of Ethereum and its kin begins. One of another chain goes into your story.")
			case odd == "":
				odd = token
			}
		}
		if odd != "" && !placed && b.wrongs() == problems {
			b.wrong(n+1, "no transaction", fmt.Sprintf("has no transaction: “%s” is none. Its hash is 0x and 64 digits.", clipped(odd, 40)))
		}
	}
}

// readLinks reads the box of links. A bare hash goes to the transactions.
func (f *form) readLinks() {
	b := f.Box(linkBox)
	for n, tokens := range b.things() {
		placed, odd := false, ""
		for _, token := range tokens {
			token = refang.Replace(token)
			switch {
			case strings.HasPrefix(token, "0x") && len(token) == 66 && isHex(token[2:]):
				f.hashes = append(f.hashes, item{b, n + 1, token})
			case strings.Contains(token, "://"):
				f.urls = append(f.urls, item{b, n + 1, token})
			case isSite(token):
				f.urls = append(f.urls, item{b, n + 1, "https://" + token})
			default:
				if odd == "" {
					odd = token
				}
				continue
			}
			placed = true
		}
		if odd != "" && !placed {
			b.wrong(n+1, "no link", fmt.Sprintf("has no link: “%s” is none. It begins with https://", clipped(odd, 40)))
		}
	}
}

// isSite reports whether a thing is a link, or the name of a site, that lacks its scheme.
func isSite(thing string) bool {
	_, fault := parseDomain(thing)
	return fault == nil && (strings.Contains(thing, "/") || topLevel.MatchString(thing))
}
