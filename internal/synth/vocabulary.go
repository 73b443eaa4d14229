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

// vocabulary is every word, the most frequent first: plain English, then coined
// words. It is the same for every seed, so that a query found for one file
// finds about as much in another.
var vocabulary = sync.OnceValue(func() []string {
	words := strings.Fields(english)
	seen := make(map[string]bool, wordCount)
	for _, w := range words {
		seen[w] = true
	}
	r := rand.New(rand.NewPCG(1, 1))
	for len(words) < wordCount {
		if w := coin(r, 2+r.IntN(3)); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return slices.Clip(words)
})

// wordLaw is Zipf's law with the exponent 1.07 for the first 5,000 words and 2
// beyond them. Texts of people bend there too (Ferrer i Cancho and Solé, 2001);
// without the bend no word would be rarer than one report in 9,000.
var wordLaw = sync.OnceValue(func() law {
	const bend = 5000
	return newLaw(wordCount, func(i int) float64 {
		rank := float64(i + 1)
		return math.Pow(min(rank, bend), -1.07) * math.Pow(max(rank/bend, 1), -2)
	})
})

func (g *generator) word() string { return vocabulary()[wordLaw().draw(g.Rand)] }

// coin invents a word that can be spoken. Letters stand as often in the lists as
// they are wanted, so that words share beginnings as those of a language do;
// f, g and p are not among them, because most words that offend need one.
func coin(r *rand.Rand, syllables int) string {
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

// law is a discrete distribution: the element i is the weight of 0 to i together.
type law []float64

func newLaw(n int, weight func(i int) float64) law {
	l, sum := make(law, n), 0.0
	for i := range l {
		sum += weight(i)
		l[i] = sum
	}
	return l
}

func (l law) draw(r *rand.Rand) int {
	i, _ := slices.BinarySearch(l, r.Float64()*l[len(l)-1])
	return i
}
