package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"tocsin/internal/locale"
	"tocsin/internal/tocsintest"
)

// checkAccents checks that no English is left in a page: in a language whose words all have accents, a word without
// one comes from a text that cannot be translated. What people and lists wrote, and names, are left out.
func checkAccents(t *testing.T, used []text) {
	languages := accented(t, used)
	s, pages := full(t, func(c *setup) { c.languages = languages })
	s.Sleep(4 * 24 * time.Hour) // after which lists are old
	v := s.visitor()
	left := map[string][]string{}
	see := func(p *response) {
		for _, word := range wordsWithout(p.root) {
			if !slices.Contains(left[word], p.about) {
				left[word] = append(left[word], p.about)
			}
		}
	}
	for path := range pages {
		if !strings.HasPrefix(path, "/docs") {
			see(v.get(path))
		}
	}
	see(v.post("/report", fields{thingsField: "0x12\nlena\na@b\ngithub.io\nhttps://etherscan.io/tx/1",
		amountField: "12.400",
		dateField:   "1", currencyField: "a b", hashField: "x", linkField: "y"}))
	see(v.post("/account", fields{"address": "0x12"}))
	see(v.signIn(tocsintest.NewAccount(t)))
	see(v.get("/account"))
	see(v.post("/bulk", fields{bulkField: "a.example\n" + thief + "\nnonsense"}))
	see(v.post("/bulk", fields{bulkField: "a.example\n" + thief + "\nnonsense", "do": "screen"}))
	for _, path := range []string{"/object?subject=" + thief, "/object/case?subject=" + thief, "/help?country=ES",
		"/screen?q=vitalik.eth", "/screen?q=t.me/lena", "/screen?q=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeE"} {
		see(v.do(http.MethodGet, path, nil))
	}
	for word, where := range left {
		if !slices.Contains(names, word) {
			t.Errorf("%q is in English: %s", word, where[0])
		}
	}
}

// names are those of services, chains and lists, of units, and of what the pages of this test are about.
var names = strings.Fields(`Tocsin Telegram WhatsApp Facebook USD USDT ETH UTC OFAC Etherscan BscScan BaseScan
	PolygonScan Arbiscan Ethereum Polygon Arbitrum One Base BNB Chain Wayback Machine starter
	set telegram tocsin screen filler lena Spain Germany nonsense LAZARUS GROUP login metamask`)

// accented returns a language of which every text is the English one, with accents on its vowels.
func accented(t *testing.T, used []text) *locale.Languages {
	t.Helper()
	c := *catalogue(t, "en")
	english := map[locale.Key]locale.Entry{}
	for _, e := range c.Texts {
		english[e.Key] = e
	}
	c.Texts = nil
	for month := time.January; month <= time.December; month++ {
		c.Dates.Months = append(c.Dates.Months, withAccents(month.String()))
		c.Dates.Short = append(c.Dates.Short, withAccents(month.String()[:3]))
	}
	for _, one := range used {
		e := english[one.key]
		if e.Key == "" {
			e = locale.Entry{Key: one.key, Text: string(one.key)}
		}
		e.Text, e.One, e.Other = withAccents(e.Text), withAccents(e.One), withAccents(e.Other)
		c.Texts = append(c.Texts, e)
	}
	return locale.New(&c)
}

var (
	keptAsIs = regexp.MustCompile(`Tocsin|<[^>]*>|%(?:\[\d\])?[a-z%]|&[a-z]+;`)
	accents  = strings.NewReplacer("a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú", "y", "ý", "A", "Á", "E", "É",
		"I", "Í",
		"O", "Ó", "U", "Ú", "Y", "Ý")
)

func withAccents(text string) string {
	var b strings.Builder
	last := 0
	for _, at := range keptAsIs.FindAllStringIndex(text, -1) {
		b.WriteString(accents.Replace(text[last:at[0]]) + text[at[0]:at[1]])
		last = at[1]
	}
	return b.String() + accents.Replace(text[last:])
}

// wordsWithout returns the words of a page that have no accents.
func wordsWithout(n *html.Node) (words []string) {
	if n.Type == html.ElementNode {
		if slices.Contains(strings.Fields("code bdi pre svg script style template head select textarea"), n.Data) ||
			attr(n, "dir") == "auto" || attr(n, "lang") != "" && n.Data != "html" {
			return nil
		}
		for _, name := range []string{"aria-label", "placeholder", "title", "alt", "data-l"} {
			words = append(words, unaccented(attr(n, name))...)
		}
	}
	if n.Type == html.TextNode {
		words = append(words, unaccented(n.Data)...)
	}
	for c := range n.ChildNodes() {
		words = append(words, wordsWithout(c)...)
	}
	return words
}

func unaccented(text string) (words []string) {
	for _, word := range strings.Fields(text) {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		plain := !strings.ContainsFunc(word, func(r rune) bool { // no number, no name of a site, no id
			return r > 127 && unicode.IsLetter(r) || strings.ContainsRune("0123456789._@:/", r)
		})
		if plain && len(word) > 2 && strings.ContainsAny(strings.ToLower(word), "aeiouy") {
			words = append(words, word)
		}
	}
	return words
}
