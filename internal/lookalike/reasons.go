package lookalike

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Reason is a part of a score.
type Reason struct {
	Kind  string  // letters, subdomain, suffix, shape, brand, words
	Text  string  // the part of the name, with an ellipsis where a word of it goes on; for shape ""
	Share float64 // of all that speaks against the name, 0 to 1
}

const (
	maxReasons = 4   // how many a prediction has at most
	minShare   = 0.1 // below which a reason is left out
)

// reasons says what speaks against a name most, by the weights that were added up for it. The hit is the brand that was
// found in the name, of is its main domain.
func (m *Model) reasons(n *name, f *features, found hit, of string) []Reason {
	var letters, before [maxText]float64
	var sums [families]float64
	label, sub := clip(n.foldedLabel), clip(n.foldedSub)
	for i := range f.n {
		w := float64(m.weights[f.place[i]])
		if f.foreign > 0 && (i == f.foreign || i == f.foreign+1) {
			spread(letters[:len(label)], 0, uint8(len(label)), w)
			continue
		}
		switch k := f.kind[i]; k {
		case famLetters, famWord, famWordSuffix, famEnds:
			spread(letters[:len(label)], f.from[i], f.size[i], w)
		case famSubLetters:
			spread(before[:len(sub)], f.from[i], f.size[i], w)
		default:
			sums[k] += w
		}
	}
	sums[famShape] += joints(label, letters[:len(label)]) + joints(sub, before[:len(sub)])
	lures := n.lures()
	if len(lures) == 0 { // what is learnt of names without such words is of the class of their suffixes
		sums[famClass] += sums[famLure]
		sums[famLure] = 0
	}
	var room [16]Reason // few names have more
	all := appendParts(room[:0], "letters", n.label, label, letters[:len(label)], found.within(false))
	all = appendParts(all, "subdomain", n.sub, sub, before[:len(sub)], found.within(true))
	for _, r := range [...]Reason{
		{"suffix", "." + n.suffix, sums[famSuffix] + sums[famClass]}, {"shape", "", sums[famShape]},
		{"words", strings.Join(lures, " "), sums[famLure]}, {"brand", of, sums[famBrand]},
	} {
		if r.Share > 0 {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b Reason) int { return cmp.Compare(b.Share, a.Share) })
	total := 0.0
	for _, r := range all {
		total += r.Share
	}
	for i := range all {
		all[i].Share /= total
	}
	all = slices.DeleteFunc(all, func(r Reason) bool { return r.Share < minShare })
	return slices.Clone(all[:min(len(all), maxReasons)])
}

// spread shares a weight among the characters that it is about.
func spread(on []float64, from, size uint8, w float64) {
	to := min(int(from)+int(size), len(on))
	for i := int(from); i < to; i++ {
		on[i] += w / float64(to-int(from))
	}
}

// joints takes the weights of what is between words out of those of a text, and returns their sum: hyphens are shape.
func joints(text string, weights []float64) (sum float64) {
	for i := range weights {
		if strings.IndexByte(separators, text[i]) >= 0 {
			sum += weights[i]
			weights[i] = 0
		}
	}
	return sum
}

// within returns the part of a name that imitates a brand, if it is in the labels before the registrable one or not.
func (h *hit) within(sub bool) string {
	if h.how == notFound || h.sub != sub {
		return ""
	}
	return h.part
}

// appendParts appends the parts of a text that speak against a name, by the weights of its characters, which it uses
// up. Their shares are sums of weights. The text is what was made of what people see: if that is something else, it is
// one part. What imitates a brand is in one part too.
func appendParts(all []Reason, kind, seen, text string, weights []float64, imitates string) []Reason {
	if text != clip(seen) {
		if weight := sum(weights); weight > 0 {
			all = append(all, Reason{kind, seen, weight})
		}
		return all
	}
	at := strings.Index(text, imitates)
	for {
		from, to, weight := heaviest(weights)
		if weight <= 0 {
			return all
		}
		a, b := readable(text, from, to)
		if end := at + len(imitates); at >= 0 && a < end && at < b {
			a, b = min(a, at), max(b, end)
		}
		if sum(weights[a:b]) > 0 {
			from, to, weight = a, b, sum(weights[a:b])
		}
		all = append(all, Reason{kind, quoted(text, from, to), weight})
		for i := range weights[from:to] {
			weights[from+i] = math.Inf(-1)
		}
	}
}

func sum(weights []float64) (sum float64) {
	for _, w := range weights {
		sum += w
	}
	return sum
}

// heaviest returns the run of characters with the largest sum of weights.
func heaviest(weights []float64) (from, to int, sum float64) {
	start, running := 0, 0.0
	for i, w := range weights {
		if running <= 0 {
			start, running = i, 0
		}
		if running += w; running > sum {
			from, to, sum = start, i+1, running
		}
	}
	return from, to, sum
}

// separators are between the words of a name.
const separators = "-._"

// readable moves the ends of a part of a text to ends of words: a short word, and one of which it has half or more, is
// taken as a whole, and a scrap of the next one is left out. Within long words the ends stay where they are, at whole
// characters.
func readable(text string, from, to int) (int, int) {
	const scrap, short = 3, 8
	start := func(at int) int { return strings.LastIndexAny(text[:at], separators) + 1 }
	end := func(at int) int {
		if i := strings.IndexAny(text[at:], separators); i >= 0 {
			return at + i
		}
		return len(text)
	}
	a, b := from, to
	wordFrom, wordTo := start(a), end(a)
	if wordTo >= b && wordTo-wordFrom <= short {
		return wordFrom, wordTo
	}
	// the first word, and then the last one, which may be the same
	switch has := min(b, wordTo) - a; {
	case 2*has >= wordTo-wordFrom || a-wordFrom < scrap:
		a = wordFrom
	case has < scrap && wordTo < b:
		a = wordTo + 1
	}
	wordFrom, wordTo = start(b), end(b)
	switch has := b - max(a, wordFrom); {
	case 2*has >= wordTo-wordFrom || wordTo-b < scrap:
		b = wordTo
	case has < scrap && wordFrom > a:
		b = wordFrom - 1
	}
	for a > 0 && !utf8.RuneStart(text[a]) {
		a--
	}
	for b < len(text) && !utf8.RuneStart(text[b]) {
		b++
	}
	return a, b
}

// quoted returns a part of a text, with an ellipsis where a word goes on beyond it.
func quoted(text string, from, to int) string {
	part := strings.ToValidUTF8(text[from:to], "") // the text may be cut by bytes
	if from > 0 && strings.IndexByte(separators, text[from-1]) < 0 && strings.IndexByte(separators, text[from]) < 0 {
		part = "…" + part
	}
	if to < len(text) && strings.IndexByte(separators, text[to]) < 0 && strings.IndexByte(separators, text[to-1]) < 0 {
		part += "…"
	}
	return part
}
