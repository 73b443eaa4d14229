// Package synth invents fraud reports to measure with: as many as one likes,
// the same ones every time. How words and subjects are spread is what makes
// search and screening slow or fast, so that is what follows nature; sense is
// not attempted. Whoever meets such a report in the wild can tell it: its title
// and its project say "Synthetic", its domains lie under the names that RFC 2606
// reserves, and its addresses and transaction hashes begin with [Mark].
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

// Mark is how every synthetic address and transaction hash begins: "false", as
// near as hexadecimal digits come to it. The checksum of an address writes some
// of its letters large.
const Mark = "0xfa15e000"

// Write writes the first n reports of a seed as lines of JSON: a draft with its
// key within the file and the instant of its publication.
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
// one architecture; between architectures the last bit of a logarithm may
// differ, and with it, once in a great while, a word.
func Reports(seed uint64) iter.Seq[tocsin.Draft] {
	return func(yield func(tocsin.Draft) bool) {
		// The second half of a PCG seed is the rank of a subject everywhere else.
		r := rand.New(rand.NewPCG(seed, math.MaxUint64))
		// At 400,000 reports this law names some subjects thousands of times and
		// most of them once, since it has far more ranks than are ever drawn.
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
		CrimeType:          crimes[crimeLaw.draw(g.Rand)].crime,
		Description:        g.story(),
		ScammerAddresses:   []string{},
		ReportedDomains:    []string{},
		Currency:           "USD",
		SubjectProjectName: new("Synthetic " + capital(coin(g.subject(), 3))),
		Evidence:           tocsin.Attachments{URLs: []string{}, TransactionHashes: []string{}},
		SourceDate:         tocsin.TimeOf(published),
	}
	d.Title = "Synthetic report of " + strings.ReplaceAll(string(d.CrimeType), "_", " ") + ":"
	for range 2 + g.IntN(4) {
		d.Title += " " + g.word()
	}
	g.blame(&d)
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
		g.signUp(&d.SocialMedia)
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

// blame names one to three subjects, none of them twice.
func (g *generator) blame(d *tocsin.Draft) {
	for range pick(g.Rand, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3) {
		if s := g.subject(); g.chance(0.65) {
			a, _ := tocsin.ParseAddress(Mark + digits(s, 16)) // cannot fail: 40 digits, all lower-case
			if name := a.String(); !slices.Contains(d.ScammerAddresses, name) {
				d.ScammerAddresses = append(d.ScammerAddresses, name)
			}
		} else {
			lure := pick(s, "claim", "airdrop", "wallet", "swap", "bridge", "stake", "support", "mint", "trade", "invest", "verify", "recover")
			name := lure + "-" + coin(s, 4) + "." + pick(s, "example", "test", "invalid")
			if !slices.Contains(d.ReportedDomains, name) {
				d.ReportedDomains = append(d.ReportedDomains, name)
			}
		}
	}
}

// subject draws a subject by its rank, in the form of the source of everything
// about it: no table of subjects is kept, since the rank tells the rest.
func (g *generator) subject() *rand.Rand { return rand.New(rand.NewPCG(g.seed, g.ranks.Uint64())) }

// signUp gives the fraudster a handle: a telephone number out of those that are
// reserved for fiction, or an invented name.
func (g *generator) signUp(m *tocsin.SocialMedia) {
	name := coin(g.Rand, 3) + pick(g.Rand, "_support", "_official", "_trader", "")
	switch g.IntN(4) {
	case 0:
		m.WhatsApp = new(fmt.Sprintf("+1 202-555-01%02d", g.IntN(100)))
	case 1, 2:
		m.Telegram = new("@" + name)
	default:
		m.Facebook = new(name)
	}
}

// story tells 40 to 80 words. A sentence has at most eleven, and an opener is in
// no BIP-39 list: twelve words of a seed phrase, for which a report would be
// refused, never stand in a row.
func (g *generator) story() string {
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
	{tocsin.Phishing, 28}, {tocsin.InvestmentScam, 15}, {tocsin.Scam, 15}, {tocsin.Impersonation, 9}, {tocsin.RugPull, 8},
	{tocsin.PigButchering, 7}, {tocsin.AddressPoison, 5}, {tocsin.Hack, 5}, {tocsin.RomanceScam, 4}, {tocsin.OtherCrime, 2},
	{tocsin.Ransomware, 1}, {tocsin.MoneyLaundering, 1},
}

var crimeLaw = newLaw(len(crimes), func(i int) float64 { return crimes[i].weight })

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// digits returns n random bytes in hexadecimal digits.
func digits(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return hex.EncodeToString(b)
}
