package lookalike

import (
	"math/bits"
	"strings"
)

// featureVersion changes with everything that changes what a name's features are or where they are in a model: a model
// of another version is not used.
const featureVersion = 2

// width is the binary logarithm of how many weights a model has.
const width = 20

// family is a kind of feature. Reasons are given by family.
type family uint8

// The families. Their numbers are part of what is hashed, so their order is of the feature version.
const (
	famLetters    family = iota // 3 to 5 letters of the label
	famSubLetters               // of the labels before it
	famWord                     // a part between hyphens
	famWordSuffix               // the same with the suffix
	famEnds                     // the first and the last part together
	famSuffix                   // the suffix
	famClass                    // the class of the suffix
	famShape                    // lengths, hyphens, digits, vowels
	famBrand                    // a brand that is imitated
	famLure                     // words that lure
	families
)

// maxText is how many bytes of a label, and of the labels before it, have features.
const maxText = 48

// maxFeatures is how many features a name has at most.
const maxFeatures = 420

// features are those of one name: places in a model, and from where in the text they come.
type features struct {
	n       int
	foreign int // where the two begin that say that the label has letters of other scripts; 0: it has none
	place   [maxFeatures]uint32
	from    [maxFeatures]uint8 // in the folded label, or for famSubLetters in what is before it
	size    [maxFeatures]uint8
	kind    [maxFeatures]family
}

func (f *features) add(k family, h uint64, from, size int) {
	if f.n == len(f.place) {
		return
	}
	f.place[f.n], f.kind[f.n], f.from[f.n], f.size[f.n] = place(k, h), k, uint8(from), uint8(size)
	f.n++
}

// place spreads features over the weights.
func place(k family, h uint64) uint32 {
	hi, lo := bits.Mul64(h^uint64(k+1)*0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return uint32((hi ^ lo) >> (64 - width))
}

// textHash returns a hash of a text (FNV-1a, 64 bits).
func textHash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// suffixClass says who sells the suffix, roughly: names under some are far cheaper than under others.
func suffixClass(n *name) uint64 {
	last := n.suffix[strings.LastIndexByte(n.suffix, '.')+1:]
	switch {
	case n.hosted:
		return 1
	case last == "com":
		return 2
	case last == "org" || last == "net" || last == "info" || last == "biz":
		return 3
	case last == "edu" || last == "gov" || last == "mil" || last == "int":
		return 4
	case len(last) == 2 && soldAsWords[last]:
		return 5
	case len(last) == 2:
		return 6
	case strings.HasPrefix(last, "xn--"):
		return 7
	}
	return 8
}

// soldAsWords are the suffixes of countries that are sold for what they resemble.
var soldAsWords = wordSet("io co me ai gg so to cc tv fi xyz vc sh is ly fm im la ws pw tk ml ga cf gq us in id link")

// extract fills in the features of a name. found is the brand that it imitates.
func (f *features) extract(n *name, brands *Brands, found hit) {
	f.n, f.foreign = 0, 0
	label, sub := clip(n.foldedLabel), clip(n.foldedSub)
	suffix, class := textHash(n.suffix), suffixClass(n)
	f.add(famSuffix, suffix, 0, 0)
	f.add(famClass, class, 0, 0)
	f.letters(famLetters, label)
	if sub != "" {
		f.letters(famSubLetters, sub)
	}
	lures := f.words(label, sub, suffix, class)
	f.shape(n, label, sub, suffix, class)
	f.add(famLure, uint64(min(lures, 3))<<8|class, 0, 0)
	if found.how != notFound {
		f.brand(n, brands, found, class)
	}
}

func clip(s string) string { return s[:min(len(s), maxText)] }

// letters adds each run of 3 to 5 characters, with a mark at either end.
func (f *features) letters(k family, text string) {
	var padded [maxText + 2]byte
	padded[0] = '^'
	n := 1 + copy(padded[1:], text)
	padded[n] = '$'
	n++
	for i := 0; i+3 <= n; i++ {
		run := uint64(padded[i]) | uint64(padded[i+1])<<8 | uint64(padded[i+2])<<16
		f.add(k, run, max(i-1, 0), 3)
		if i+4 <= n {
			run |= uint64(padded[i+3]) << 24
			f.add(k, run, max(i-1, 0), 4)
		}
		if i+5 <= n {
			run |= uint64(padded[i+4]) << 32
			f.add(k, run, max(i-1, 0), 5)
		}
	}
}

// words adds the parts between hyphens, and returns how many of them lure.
func (f *features) words(label, sub string, suffix, class uint64) (lures int) {
	var first, last uint64
	at, firstFrom, firstSize, lastFrom, lastSize := 0, 0, 0, 0, 0
	each := func(t string) {
		from := at + strings.Index(label[at:], t)
		at = from + len(t)
		bare := strings.Trim(t, "0123456789")
		if bare == "" {
			return
		}
		h := textHash(bare)
		if last != 0 {
			f.add(famEnds, last*31+h, from, len(t)) // neighbours
		}
		if last = h; first == 0 {
			first, firstFrom, firstSize = h, from, len(t)
		}
		lastFrom, lastSize = from, len(t)
		f.add(famWord, h, from, len(t))
		f.add(famWordSuffix, h^suffix*3, from, len(t))
		f.add(famWordSuffix, h^class*0x9e3779b97f4a7c15, from, len(t))
		if lureWords[bare] {
			lures++
		}
	}
	tokens(label, each)
	f.add(famEnds, first*7+1, firstFrom, firstSize)
	f.add(famEnds, last*7+2, lastFrom, lastSize)
	tokens(sub, func(t string) {
		if lureWords[t] {
			lures++
		}
	})
	return lures
}

// shape adds what does not depend on which letters there are.
func (f *features) shape(n *name, label, sub string, suffix, class uint64) {
	digits, hyphens, vowels, changes := 0, 0, 0, 0
	was := byte(0)
	for i := range len(label) {
		kind := byte('a')
		switch c := label[i]; {
		case '0' <= c && c <= '9':
			digits++
			kind = '0'
		case c == '-':
			hyphens++
			kind = '-'
		case c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y':
			vowels++
		}
		if kind != was && i > 0 {
			changes++
		}
		was = kind
	}
	labels := 0
	if sub != "" {
		labels = 1 + strings.Count(sub, ".")
	}
	foreigners := uint64(0)
	if n.foldedLabel != n.label || strings.HasPrefix(n.label, "xn--") {
		foreigners = 1
	}
	length := uint64(min(len(label), 30))
	ratio := uint64(4 * vowels / max(len(label)-digits-hyphens, 1))
	for i, v := range [...]uint64{
		length, uint64(min(hyphens, 4)), uint64(min(digits, 6)), ratio<<5 | min(length/3, 8), uint64(min(labels, 4)),
		uint64(min(len(sub)/4, 10)), uint64(min(changes, 8)), foreigners, uint64(entropy(label)),
	} {
		v = v<<8 | uint64(i)<<40
		if i == 7 && foreigners == 1 {
			f.foreign = f.n
		}
		f.add(famShape, v, 0, 0)
		f.add(famShape, v|class, 0, 0)
	}
	f.add(famShape, suffix^length<<3, 0, 0)
	f.add(famShape, suffix^uint64(min(hyphens, 2)*4+min(digits, 3))*0x9e3779b97f4a7c15, 0, 0)
}

// entropy returns how evenly the characters of a text are spread, in quarters of a bit.
func entropy(text string) int {
	var counts [256]uint8
	for i := range len(text) {
		counts[text[i]]++
	}
	sum := 0.0
	for i := range len(text) {
		if c := counts[text[i]]; c > 0 {
			sum += float64(c) * log2[c]
			counts[text[i]] = 0
		}
	}
	if len(text) == 0 {
		return 0
	}
	return int(4 * (log2[len(text)] - sum/float64(len(text))))
}

// brand adds what a name imitates.
func (f *features) brand(n *name, brands *Brands, found hit, class uint64) {
	b := brands.names[found.name]
	v := uint64(found.how)
	for _, yes := range [...]bool{found.sub, found.whole, n.hosted, b.word} {
		if v <<= 1; yes {
			v |= 1
		}
	}
	v = v<<8 | uint64(min(found.lures, 3))
	f.add(famBrand, v, 0, 0)
	f.add(famBrand, v<<8|class, 0, 0)
	f.add(famBrand, textHash(b.text), 0, 0)
	f.add(famBrand, textHash(brands.main[b.brand])^uint64(found.how)<<50^class<<40, 0, 0)
}
