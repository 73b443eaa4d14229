package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tocsin/internal/evm"
	"tocsin/internal/locale"
)

// TestManyAtOnceReadWhatEachWouldReadAlone asks for every page, card, feed and file, and for what forms answer, from
// several visitors at once: first of a site that has served nothing yet, while reports are filed, and then so that a
// value which one of them left behind would show in what another reads. This is what the race detector watches of the
// website (test.sh).
func TestManyAtOnceReadWhatEachWouldReadAlone(t *testing.T) {
	_, node := newChainNode(t, 1, map[string]string{
		hashOf(1): `{"to": "` + thief + `", "input": "0x", "blockNumber": "0x1"}`})
	s, pages := full(t, func(c *setup) { c.nodes = []*evm.Node{node} })
	paths := slices.Concat(slices.Sorted(maps.Keys(pages)), slices.Sorted(maps.Keys(s.site.phoneFiles())), []string{
		"/card.png", "/reports.atom", "/object/case?subject=" + thief, "/object.json?subject=" + thief, "/lists.json",
		"/docs/search?q=key", asking("growing-gold.example unknown.example @lena_trades"), asking("lena gold"),
		asking(aPhrase),
	})
	languages := locale.Tags()
	var asked []func() *http.Request
	for i, path := range paths {
		path = strings.TrimPrefix(path, "GET ")
		language := languages[i%len(languages)]
		asked = append(asked, func() *http.Request {
			r := httptest.NewRequest(http.MethodGet, s.base+path, nil)
			r.Header.Set("Accept-Language", language)
			return r
		})
	}
	for path, form := range map[string]url.Values{
		"/compare": {"address": {nobody}, "known": {other}},
		"/bulk":    {"subjects": {"growing-gold.example\n" + thief + "\nunknown.example"}},
		"/screen":  {"q": {"growing-gold.example"}},
		"/report": {"title": {"A wallet that was emptied"}, "description": {"I am Ada Byron, 14 Orchard Lane, NN16 8QT."},
			"things": {"growing-gold.example"}, "crimeType": {"phishing"}},
	} {
		asked = append(asked, func() *http.Request {
			r := httptest.NewRequest(http.MethodPost, s.base+path, strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", s.base)
			return r
		})
	}
	// What is drawn for each, and how much of the disk is free.
	drawn := regexp.MustCompile(`req_[a-z0-9]+|name="once" value="[^"]+"|[0-9.,\x{a0}\x{202f}]+ MB`)
	answer := func(i int) (text string) {
		w := s.serves(asked[i]())
		if w.Code >= 500 {
			t.Errorf("%s: %d", asked[i]().URL, w.Code)
		}
		return fmt.Sprint(w.Code, w.Header().Get("Location"), "\n", drawn.ReplaceAllString(w.Body.String(), ""))
	}
	everybody := func(do func(i int)) {
		var all sync.WaitGroup
		for visitor := range 4 {
			all.Go(func() {
				for n := range asked {
					do((n + visitor*len(asked)/4) % len(asked))
				}
			})
		}
		all.Wait()
	}
	everybody(func(i int) {
		if i%10 == 0 {
			s.fileLargest(i)
		}
		answer(i)
	})
	alone := make([]string, len(asked))
	for i := range asked {
		alone[i] = answer(i)
	}
	everybody(func(i int) {
		if text := answer(i); text != alone[i] {
			t.Errorf("%s is not what it was alone, but:\n%s", asked[i]().URL, text)
		}
	})
}
