//go:build linux

package bench

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// BenchmarkNames compares keyed screenings of domains over HTTP with and without the judgement of names: the CPU time
// of a call, that of the client included, which is in the same process, and that of the handler alone. Both take turns.
func BenchmarkNames(b *testing.B) {
	const calls, turn = 4000, 100
	var clock tocsintest.Clock
	listed := make([]string, 500)
	for i := range listed {
		listed[i] = fmt.Sprintf("listed-%d.example", i)
	}
	quota := 100_000_000
	made := 0
	fresh := func(form string) string { // a name that nobody has asked for
		made++
		return fmt.Sprintf(form, calls+made)
	}
	kinds := []struct {
		name string
		at   func(i int) string
	}{
		{"one listed domain", func(int) string { return "listed-1.example" }},
		{"domains in turn that nobody has reported", func(i int) string { return fmt.Sprintf("shop-%d.com", i) }},
		{"suspicious domains in turn", func(i int) string { return fmt.Sprintf("metamask-login-%d.io", i) }},
		{"new domains that nobody has reported", func(int) string { return fresh("shop-%d.com") }},
		{"new suspicious domains", func(int) string { return fresh("metamask-login-%d.io") }},
	}
	var doors [2]http.Handler
	var urls, keys [2]string
	for i, names := range []*lookalike.Detector{nil,
		lookalike.NewDetector(tocsintest.Brands(), tocsintest.NameModel(b, "one"))} {
		db, err := store.Open(b.Context(), b.TempDir()+"/x.db", store.Options{Now: clock.Now, Silence: tocsintest.Patience,
			Memory: store.Memory{Model: 32 << 20, Evidence: 64 << 20, Callers: 1 << 20, Pages: 8 << 20}})
		must(b, err)
		b.Cleanup(func() { db.Close() })
		tocsintest.List(b, db, "one", "one", tocsin.Risk, "phishing", listed...)
		db.LoadModel() // which keeps no answers about what nobody has reported
		tocsintest.Eventually(b, "the read model", func() bool { return db.Condition().Model == store.ModelLoaded })
		keys[i] = tocsintest.Key(b, db, &quota)
		a, err := api.New(db, api.Config{Names: names, Deployment: front.Deployment{BaseURL: "https://tocsin.example",
			Log: slog.New(slog.DiscardHandler), Now: clock.Now}})
		must(b, err)
		door := front.New(a.Deployment())
		door.HandleBelow("/", a)
		doors[i] = door
		served := httptest.NewServer(door)
		b.Cleanup(served.Close)
		urls[i] = served.URL
	}
	cpu := func(do func()) time.Duration {
		var before, after syscall.Rusage
		must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
		do()
		must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
		return time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	}
	for _, kind := range kinds {
		var over, alone [2]series
		var ratio, ratioAlone series
		for range 2 * rounds {
			var took [2][2]time.Duration
			for first := 0; first < calls; first += turn { // in short turns: what else runs here disturbs both alike
				for i := range doors {
					side := (first/turn + i) % 2
					request := func(i int) *http.Request {
						r := httptest.NewRequest(http.MethodGet, urls[side]+base+"/domains/check/"+kind.at(i), nil)
						r.Header.Set("x-api-key", keys[side])
						return r
					}
					took[side][0] += cpu(func() {
						for i := range turn {
							r := request(first + i)
							r.RequestURI = "" // a client has none
							res, err := http.DefaultClient.Do(r)
							must(b, err)
							io.Copy(io.Discard, res.Body)
							res.Body.Close()
							if res.StatusCode != http.StatusOK {
								b.Fatal(res.Status)
							}
						}
					})
					took[side][1] += cpu(func() {
						for i := range turn {
							to := httptest.NewRecorder()
							doors[side].ServeHTTP(to, request(first+i))
							if bytes.Contains(to.Body.Bytes(), []byte(`"modelVersion":"one"`)) != (side == 1) {
								b.Fatal(to.Body)
							}
						}
					})
				}
			}
			for side := range doors {
				over[side] = append(over[side], took[side][0].Seconds()/calls*1e6)
				alone[side] = append(alone[side], took[side][1].Seconds()/calls*1e6)
			}
			ratio = append(ratio, float64(took[0][0])/float64(took[1][0]))
			ratioAlone = append(ratioAlone, float64(took[0][1])/float64(took[1][1]))
		}
		b.Logf("%s: with / without: %v of HTTP (%v µs, %v µs), %v of the handler (%v µs, %v µs)", kind.name,
			ratio, over[1], over[0], ratioAlone, alone[1], alone[0])
	}
}
