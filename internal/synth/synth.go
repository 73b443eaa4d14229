// Package synth makes any number of synthetic fraud reports for benchmarks, the same
// ones for the same seed. The frequencies of words and subjects are realistic,
// because the speed of search and screening depends on them; the texts make no
// sense. Synthetic reports can be recognized: title and project say "Synthetic",
// the domains are under names that RFC 2606 reserves, and addresses and transaction
// hashes begin with [Mark].
package synth

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tocsin"
)

// Mark is the prefix of every synthetic address and transaction hash: "false" in
// hexadecimal digits, nearly. The checksum of an address makes some of its letters
// upper case.
const Mark = "0xfa15e000"

// Write writes the first n reports of a seed as lines of JSON: a draft with its
// key within the file and its publication time.
func Write(w io.Writer, n int, seed uint64) error {
	out := bufio.NewWriterSize(w, 1<<16)
	lines, written := json.NewEncoder(out), 0
	for d := range Reports(seed) {
		if written >= n {
			break
		}
		written++
		err := lines.Encode(struct {
			Key string `json:"key"`
			tocsin.Draft
			PublishedAt tocsin.Time `json:"publishedAt"`
		}{fmt.Sprintf("synthetic-%06d", written), d, d.SourceDate})
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// Reports yields the reports of a seed without end. Each is in canonical form:
// Parse returns it as it is. A seed gives the same reports on every machine of
// one architecture. On another one the last bit of a logarithm may differ, which
// rarely changes a word.
func Reports(seed uint64) iter.Seq[tocsin.Draft] {
	return func(yield func(tocsin.Draft) bool) {
		// The second half of a PCG seed is the rank of a subject everywhere else.
		r := rand.New(rand.NewPCG(seed, math.MaxUint64))
		// In 400,000 reports, this distribution draws some subjects thousands of
		// times and most of them once: it has far more ranks than draws.
		g := generator{r, seed, rand.NewZipf(r, 1.1, 8, 1<<40)}
		for yield(g.report()) {
		}
	}
}

type generator struct {
	*rand.Rand
	seed  uint64
	ranks *rand.Zipf // of subjects and of projects, the heaviest first
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

// The years in which every report is published and every incident happened. They
// are fixed, because a clock would make each day's reports different.
var (
	begin = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	end   = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

func (g *generator) report() tocsin.Draft {
	published := begin.Add(time.Duration(g.Int64N(int64(end.Sub(begin)/time.Second))) * time.Second)
	d := tocsin.Draft{
		CrimeType:          crimes[crimeDistribution.draw(g.Rand)].crime,
		Description:        g.description(),
		ScammerAddresses:   []string{},
		ReportedDomains:    []string{},
		Currency:           "USD",
		SubjectProjectName: new("Synthetic " + capital(inventWord(g.subject(), 3))),
		Evidence:           tocsin.Attachments{URLs: []string{}, TransactionHashes: []string{}},
		SourceDate:         tocsin.TimeOf(published),
	}
	d.Title = "Synthetic report of " + strings.ReplaceAll(string(d.CrimeType), "_", " ") + ":"
	for range 2 + g.IntN(4) {
		d.Title += " " + g.word()
	}
	g.addSubjects(&d)
	if g.chance(0.6) {
		dollars := math.Exp(math.Log(3000) + 2*g.NormFloat64()) // half of the victims lost less than 3,000
		d.AmountLost = new(min(tocsin.USD(math.Round(dollars*100)), tocsin.MaxUSD))
		d.Currency = pick(g.Rand, "USDT", "USDT", "USDT", "ETH", "ETH", "USDC", "BTC", "USD")
	}
	if g.chance(0.8) {
		incident := published.Add(-time.Duration(g.ExpFloat64() * float64(20*24*time.Hour)))
		if incident.Before(begin) {
			incident = begin
		}
		d.IncidentDate = new(incident.Format(time.DateOnly))
	}
	if g.chance(0.2) {
		g.addHandle(&d.SocialMedia)
	}
	if g.chance(0.3) {
		for range 1 + g.IntN(3) {
			d.Evidence.URLs = append(d.Evidence.URLs, fmt.Sprintf("https://example.com/evidence/%016x.png", g.Uint64()))
		}
	}
	if g.chance(0.2) {
		for range 1 + g.IntN(2) {
			d.Evidence.TransactionHashes = append(d.Evidence.TransactionHashes, Mark+digits(g.Rand, 28))
		}
	}
	return d
}

// addSubjects adds one to three subjects, each once.
func (g *generator) addSubjects(d *tocsin.Draft) {
	for range pick(g.Rand, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3) {
		if s := g.subject(); g.chance(0.65) {
			a, _ := tocsin.ParseAddress(Mark + digits(s, 16)) // cannot fail: 40 digits, all lower-case
			if name := a.String(); !slices.Contains(d.ScammerAddresses, name) {
				d.ScammerAddresses = append(d.ScammerAddresses, name)
			}
		} else {
			lure := pick(
				s,
				"claim",
				"airdrop",
				"wallet",
				"swap",
				"bridge",
				"stake",
				"support",
				"mint",
				"trade",
				"invest",
				"verify",
				"recover",
			)
			name := lure + "-" + inventWord(s, 4) + "." + pick(s, "example", "test", "invalid")
			if !slices.Contains(d.ReportedDomains, name) {
				d.ReportedDomains = append(d.ReportedDomains, name)
			}
		}
	}
}

// subject draws the rank of a subject and returns a random source seeded with it,
// from which the subject is made. No table of subjects is needed.
func (g *generator) subject() *rand.Rand { return rand.New(rand.NewPCG(g.seed, g.ranks.Uint64())) }

// addHandle adds an account of the fraudster: a telephone number that is reserved
// for fiction, or an invented name.
func (g *generator) addHandle(m *tocsin.SocialMedia) {
	name := inventWord(g.Rand, 3) + pick(g.Rand, "_support", "_official", "_trader", "")
	switch g.IntN(4) {
	case 0:
		m.WhatsApp = new(fmt.Sprintf("+1 202-555-01%02d", g.IntN(100)))
	case 1, 2:
		m.Telegram = new("@" + name)
	default:
		m.Facebook = new(name)
	}
}

// description returns 40 to 80 words. A sentence has at most eleven words, and its
// first is not in the BIP-39 list. So there are never twelve words of the list in a
// row, which would be refused as a seed phrase.
func (g *generator) description() string {
	var b strings.Builder
	for left := 40 + g.IntN(41); left > 0; {
		length := 4 + g.IntN(5)
		if left-length < 4 {
			length = left
		}
		left -= length
		b.WriteString(pick(g.Rand, openers...))
		for i := 1; i < length; i++ {
			if i > 1 && g.chance(0.08) {
				b.WriteByte(',')
			}
			b.WriteByte(' ')
			b.WriteString(g.word())
		}
		b.WriteByte('.')
		if left > 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

var openers = []string{"The", "The", "I", "We", "My", "It", "After", "As", "He", "She", "A", "In"}

var crimes = []struct {
	crime  tocsin.CrimeType
	weight float64
}{
	{tocsin.Phishing, 28},
	{tocsin.InvestmentScam, 15},
	{tocsin.Scam, 15},
	{tocsin.Impersonation, 9},
	{tocsin.RugPull, 8},
	{
		tocsin.PigButchering,
		7,
	},
	{tocsin.AddressPoison, 5},
	{tocsin.Hack, 5},
	{tocsin.RomanceScam, 4},
	{tocsin.OtherCrime, 2},
	{tocsin.Ransomware, 1},
	{tocsin.MoneyLaundering, 1},
}

var crimeDistribution = newDistribution(len(crimes), func(i int) float64 { return crimes[i].weight })

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// digits returns n random bytes in hexadecimal.
func digits(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return hex.EncodeToString(b)
}
