package lookalike

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"tocsin"
)

// Method is how a name imitates a brand.
type Method string

// The methods, the surest first.
const (
	Homoglyph   Method = "homoglyph"          // letters of other scripts, or with accents: unıswap.org
	Mixed       Method = "mixed-scripts"      // no brand, but letters of two scripts that look the same: сoolshop.com
	InFront     Method = "domain-in-front"    // the brand's whole domain before another: metamask.io.example.com
	Similar     Method = "similar-characters" // digits for letters, rn for m, l for i: c0inbase.com
	BrandLure   Method = "brand-with-lure"    // the brand beside a word that lures: metamask-login.io
	Typo        Method = "typo"               // one letter more, fewer, other, or two exchanged: uniswaap.org
	Subdomain   Method = "brand-in-subdomain" // metamask.example.com
	Hosting     Method = "brand-on-hosting"   // under a provider that gives names to its users: metamask.pages.dev
	BrandInName Method = "brand-in-name"      // the brand with something else: mymetamask.com
	TLDSwap     Method = "tld-swap"           // the brand's name under another suffix: uniswap.app
)

// Lookalike says which brand a domain imitates.
type Lookalike struct {
	Of       string   // the main domain of the brand; of mixed scripts the domain as it reads
	Method   Method   //
	Distance int      // how many characters were changed; 0 if the brand is spelled as it is
	Part     string   // the part of the name that imitates, as people see it
	Brand    string   // what it is to be taken for
	Lures    []string // the words beside it that lure

	use      tocsin.SiteUse
	known    bool // it has the brand's name as a word of its own (an ordinary one beside a lure), or nearly is that name
	doubtful bool // no word that lures is beside it, or its name is in a longer word, or honest sites have both
	clear    bool // a typo that is hardly an accident
}

// Sure reports whether the method alone is a reason to warn, without a model. Measured on 59,000 popular sites: see
// docs/detection.md. The other methods also meet the innocent: owners have second domains, and words resemble words.
func (l *Lookalike) Sure() bool {
	lured := (l.Method == BrandLure || l.Method == Hosting) && !l.doubtful
	return l.Method == Homoglyph || l.Method == Mixed || l.Method == InFront || l.Method == Similar || lured || l.clear
}

// hit is a brand that was found in a name.
type hit struct {
	name  int32 // index in names
	how   spelling
	sub   bool   // in the labels before the registrable one
	part  string // of the folded text
	whole bool   // the part is a whole label
	lures int    // words beside it that lure
}

// spelling is how a brand is written in a name.
type spelling uint8

const (
	notFound spelling = iota
	inside            // within a longer part
	changed           // one letter more, fewer, other, or two exchanged
	asItIs            // a whole part
	cut               // two parts: ledger-live
	similar           // with characters that look alike
	foreign           // with letters of other scripts
)

// rank orders hits: the surest is kept.
func (h *hit) rank() int {
	r := 4 * int(h.how)
	if h.how == asItIs && h.lures > 0 {
		r++
	}
	if !h.sub {
		r += 2
	}
	return r
}

// find returns the surest brand in a name; how is notFound if there is none.
func (b *Brands) find(n *name) hit {
	var best hit
	b.search(n.label, n.foldedLabel, false, &best)
	if n.sub != "" {
		b.search(n.sub, n.foldedSub, true, &best)
	}
	if best.how != notFound {
		best.lures = n.luresBeside(best)
		if b.names[best.name].word && best.lures == 0 && best.how < similar {
			return hit{}
		}
	}
	return best
}

// search looks for brands in the labels seen, which fold made text of.
func (b *Brands) search(seen, text string, sub bool, best *hit) {
	var foreigners *origin
	if seen != text {
		foreigners = originOf(seen)
	}
	keep := func(h hit) {
		h.sub = sub
		if foreigners != nil && b.isForeign(h, foreigners.seenAs(h.part)) {
			h.how = foreign
		}
		if best.how == notFound || h.rank() > best.rank() {
			*best = h
		}
	}
	strays := !isASCII(text)
	before := "" // the part before this one
	tokens(text, func(t string) {
		if strays {
			b.findStray(t, keep)
		}
		b.findCut(text, before, t, keep)
		if before = t; len(t) < minToken {
			return
		}
		bare := strings.Trim(t, "0123456789")
		for _, form := range [2]string{t, bare} {
			if at, ok := b.exact[form]; ok && len(form) >= minToken {
				keep(hit{name: at, how: asItIs, part: form, whole: len(form) == len(text)})
				return
			}
		}
		b.findSimilar(t, len(t) == len(text), keep)
		if len(t) >= minInside {
			b.findInside(t, keep)
		}
		if len(bare) >= minChanged-1 && len(bare) <= b.longest+1 {
			b.findChanged(bare, len(bare) == len(text), keep)
		}
	})
	if best.how == notFound && strings.Contains(text, "-") { // meta-mask
		tokens(strings.ReplaceAll(text, "-", ""), func(t string) {
			if len(t) >= minInside {
				b.findInside(t, func(h hit) {
					h.part = cutIn(text, h.part)
					keep(h)
				})
			}
		})
	}
}

// isForeign reports whether a hit that people see so is one by letters of other scripts or accents. Accents alone are
// also those of words: of a word beside the brand, as financé is beside binance, or of one that is its name, as äpple.
func (b *Brands) isForeign(h hit, seen string) bool {
	if isASCII(seen) || h.how == foreign {
		return h.how == foreign
	}
	return !accented(seen) || h.how != changed && !b.names[h.name].accents
}

// cutIn returns the part of a text that is the whole one but for hyphens, dots and underscores within it.
func cutIn(text, whole string) string {
	for i := range text {
		n := 0
		for j := i; j < len(text) && (text[j] == whole[n] || n > 0 && strings.IndexByte(separators, text[j]) >= 0); j++ {
			if text[j] == whole[n] {
				n++
			}
			if n == len(whole) {
				return text[i : j+1]
			}
		}
	}
	return whole
}

// findCut finds brands that a hyphen or a dot has cut in two, of authorities also those of [minCut] letters.
func (b *Brands) findCut(text, before, t string, keep func(hit)) {
	if len(before)+len(t) < minCut || len(before)+len(t) > b.longest || before == "" {
		return
	}
	at, ok := b.exact[before+t]
	if ok && len(before)+len(t) < minInside && b.use[b.names[at].brand] != tocsin.Authority {
		return // as of m-pesa.com
	}
	if ok && !b.names[at].word {
		keep(hit{name: at, how: cut, part: cutIn(text, before+t)})
	}
}

// findStray finds brands in which characters stand that look like no ASCII letter, in addition to their own or in place
// of one of them. Of short brands only the former: too many words of other languages are near them.
func (b *Brands) findStray(t string, keep func(hit)) {
	strays := 0
	plain := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			strays++
			return -1
		}
		return r
	}, t)
	if strays == 0 || strays > 2 || len(plain) < minInside-1 {
		return
	}
	if at, ok := b.exact[plain]; ok && len(plain) >= minInside {
		keep(hit{name: at, how: foreign, part: t})
		return
	}
	for _, at := range b.missing[hash(hashBegin, plain)] {
		if text := b.names[at].text; len(text) > minChanged && len(text) == len(plain)+1 && oneApart(plain, text) {
			keep(hit{name: at, how: foreign, part: t})
		}
	}
}

// findSimilar finds brands written with characters that look alike, as a part or at one of its ends.
func (b *Brands) findSimilar(t string, whole bool, keep func(hit)) {
	if len(t) < minChanged || len(t) > 63 {
		return
	}
	var buffer [64]byte
	looks := canonical([]byte(t), buffer[:0])
	for _, at := range b.looks[string(looks)] {
		if n := &b.names[at]; n.text != t && (!n.word || strings.ContainsAny(t, "0123456789")) {
			keep(hit{name: at, how: similar, part: t, whole: whole})
		}
	}
}

// findInside finds the longest brand within a part.
func (b *Brands) findInside(t string, keep func(hit)) {
	longest := 0
	for i := 0; i+minInside <= len(t); i++ {
		if h := beginning(t[i:]); b.begins[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for n := min(len(t)-i, b.longest); n >= minInside && n > longest; n-- {
			if at, ok := b.exact[t[i:i+n]]; ok {
				longest = n
				keep(hit{name: at, how: inside, part: t[i : i+n]})
			}
		}
	}
}

// findChanged finds brands from which a part differs by one letter.
func (b *Brands) findChanged(t string, whole bool, keep func(hit)) {
	eachChanged(t, func(h uint32) {
		if b.changed[h>>22]&(1<<(h>>16&63)) == 0 {
			return
		}
		for _, at := range b.missing[h] {
			if oneApart(t, b.names[at].text) {
				keep(hit{name: at, how: changed, part: t, whole: whole})
			}
		}
	})
}

// oneApart reports whether two different texts differ by one character that is added, dropped or another, or by two
// neighbours that are exchanged.
func oneApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a)+1 == len(b):
		return a[i:] == b[i+1:]
	case len(a) != len(b) || i == len(a):
		return false
	case a[i+1:] == b[i+1:]:
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// lookalike returns what the domain imitates, or nil.
func (b *Brands) lookalike(n *name, h hit) *Lookalike {
	if h.how == notFound {
		return nil
	}
	brand := b.names[h.name]
	l := &Lookalike{Of: b.main[brand.brand], Part: h.part, Brand: brand.text, use: b.use[brand.brand]}
	beside := false
	n.eachLureBeside(h, func(word string, sub bool) {
		l.Lures = append(l.Lures, word)
		beside = beside || !sub
	})
	l.doubtful = brand.word || brand.common || h.sub || !beside || // support.BRAND.TLD may be the owner's
		h.how == inside && !standsAlone(n.foldedLabel, h.part)
	nearly := h.how == changed && h.whole && !n.hosted && len(h.part) != len(brand.text)
	l.known = !h.sub && (h.how == asItIs || h.how == cut || nearly)
	if brand.word || brand.common { // with a lure, glued to it or not: kraken-login, krakenlogin
		l.known = !h.sub && beside && (h.how == asItIs || h.how == inside && standsAlone(n.foldedLabel, h.part))
	}
	seen, folded := n.label, n.foldedLabel
	if h.sub {
		seen, folded = n.sub, n.foldedSub
	}
	if seen != folded {
		l.Part = cmp.Or(originOf(seen).seenAs(h.part), seen)
	}
	switch h.how {
	case foreign:
		l.Method = Homoglyph
		for _, r := range l.Part {
			if r >= utf8.RuneSelf {
				l.Distance++
			}
		}
	case similar:
		l.Method, l.Distance = Similar, changes(h.part, brand.text)
	case changed:
		l.Method, l.Distance = Typo, 1
		l.clear = !brand.word && !brand.common && !h.sub && clearTypo(h.part, brand.text)
	case cut:
		l.Method, l.Distance = placed(n, h), 1
		if b.ofWords(h) { // ledger-live: the hyphen is where a space is
			l.Brand, l.Distance = h.part, 0
		}
	default:
		l.Method = placed(n, h)
	}
	return l
}

// sameWord returns the main domain of a brand to which people connect a wallet, if its name is an ordinary word, or one
// that others have too, and is the whole of a name under another suffix; "" if not. It is said and does not warn.
func (b *Brands) sameWord(n *name) string {
	at, known := b.exact[n.label]
	if !known || n.hosted || academic(n.suffix) {
		return ""
	}
	brand := b.names[at]
	if !brand.word && !brand.common || b.use[brand.brand] != tocsin.Connects {
		return ""
	}
	return b.main[brand.brand]
}

// ofWords reports whether one of the parts of a brand that was cut in two is a name of the brand by itself.
func (b *Brands) ofWords(h hit) (yes bool) {
	tokens(h.part, func(t string) {
		if at, ok := b.exact[t]; ok && b.names[at].brand == b.names[h.name].brand {
			yes = true
		}
	})
	return yes
}

// placed returns the method of a brand that is spelled as it is.
func placed(n *name, h hit) Method {
	switch {
	case h.lures > 0 && !n.hosted:
		return BrandLure
	case n.hosted:
		return Hosting
	case h.sub:
		return Subdomain
	case h.whole:
		return TLDSwap
	}
	return BrandInName
}

// changes returns how many characters are to be added, dropped or replaced to make the one text of the other.
func changes(part, brand string) int {
	row := make([]int, len(brand)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(part) {
		before := row[0]
		row[0] = i + 1
		for j := range len(brand) {
			replaced := before
			if part[i] != brand[j] {
				replaced++
			}
			before = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(brand)]
}

// Find returns the brand that a domain imitates, or nil. A domain that belongs to a brand imitates none.
func (b *Brands) Find(d tocsin.Domain) *Lookalike {
	n, ok := parse(d)
	if !ok || b.Owner(d) != "" {
		return nil
	}
	return b.surest(&n, b.lookalike(&n, b.find(&n)))
}
