package synth

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// wordCount is the number of words that the reports are written with.
const wordCount = 30_000

// vocabulary returns all words, the most frequent first: English words, then
// invented ones. It is the same for every seed, so that a query has about as many
// matches in each file.
var vocabulary = sync.OnceValue(func() []string {
	words := strings.Fields(english)
	seen := make(map[string]bool, wordCount)
	for _, w := range words {
		seen[w] = true
	}
	r := rand.New(rand.NewPCG(1, 1))
	for len(words) < wordCount {
		if w := inventWord(r, 2+r.IntN(3)); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return slices.Clip(words)
})

// wordDistribution is Zipf's law with the exponent 1.07 for the first 5,000 words and 2
// beyond them, as in natural texts (Ferrer i Cancho and Solé, 2001). Without the
// second exponent, the rarest word would be in one report of 9,000.
var wordDistribution = sync.OnceValue(func() distribution {
	const bend = 5000
	return newDistribution(wordCount, func(i int) float64 {
		rank := float64(i + 1)
		return math.Pow(min(rank, bend), -1.07) * math.Pow(max(rank/bend, 1), -2)
	})
})

func (g *generator) word() string { return vocabulary()[wordDistribution().draw(g.Rand)] }

// inventWord returns a pronounceable word. Frequent letters are repeated in the
// lists, so that words share prefixes as in a language. The lists have no f, g and
// p, because most offensive words need one.
func inventWord(r *rand.Rand, syllables int) string {
	const onsets, vowels, codas = "ttttsssrrrllnnmmddkkbbcvhzwj", "aaaeeeeiioou", "nnrrsstlmk"
	word := make([]byte, 0, 2*syllables+1)
	for range syllables {
		word = append(word, onsets[r.IntN(len(onsets))], vowels[r.IntN(len(vowels))])
	}
	if r.IntN(2) == 0 {
		word = append(word, codas[r.IntN(len(codas))])
	}
	return string(word)
}

// distribution is a discrete distribution: element i is the sum of the weights 0 to i.
type distribution []float64

func newDistribution(n int, weight func(i int) float64) distribution {
	l, sum := make(distribution, n), 0.0
	for i := range l {
		sum += weight(i)
		l[i] = sum
	}
	return l
}

func (d distribution) draw(r *rand.Rand) int {
	i, _ := slices.BinarySearch(d, r.Float64()*d[len(d)-1])
	return i
}
