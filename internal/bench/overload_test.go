//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowdOf is from how many connections the overload comes. Each sends its next call when it is due, or when the one
// before was answered if that is later.
const crowdOf = 256

// overloads is how often the server is overloaded.
const overloads = 5

// arrivals are calls that come at a rate, whatever becomes of those before them.
type arrivals struct {
	took     series // of the accepted ones, in ms
	refused  int    // with 503
	filed    []string
	per      float64 // calls a second that were sent
	accepted float64 // and of them accepted
}

// arrive sends calls at a rate for some time, from so many connections.
func arrive(
	b *testing.B, s *server, connections int, rate float64, limit time.Duration, next func(i int) []byte,
) (a arrivals) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var count atomic.Int64
	start := time.Now()
	for range connections {
		wg.Go(func() {
			c, err := dial(s)
			if err != nil {
				b.Error(err)
				return
			}
			defer c.Close()
			var took series
			var filed []string
			refused := 0
			for {
				i := int(count.Add(1)) - 1
				due := start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
				if due.Sub(start) > limit || time.Since(start) > limit {
					break
				}
				time.Sleep(time.Until(due))
				sent, r := time.Now(), next(i)
				err := c.do(r)
				switch {
				case err == nil:
					took = append(took, time.Since(sent).Seconds()*1000)
					if strings.HasPrefix(string(r), http.MethodPost+" "+base+"/community-reports ") {
						filed = append(filed, string(reportID.Find(c.body)))
					}
				case c.status == "503":
					refused++
					if c.closed { // its body was not read
						c.Close()
						if c, err = dial(s); err != nil {
							b.Error(err)
							return
						}
					}
				default:
					b.Error(err)
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			a.took, a.filed, a.refused = append(a.took, took...), append(a.filed, filed...), a.refused+refused
		})
	}
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
	passed := time.Since(start).Seconds()
	a.accepted, a.per = float64(len(a.took))/passed, float64(len(a.took)+a.refused)/passed
	return a
}

var reportID = regexp.MustCompile(`rep_\w+`)

// day is what callers of all kinds send: batches of 50 addresses of which half are reported, screenings, pages of
// reports and, one call in twenty, a report.
func day(s *server, known, unknown []string) func(i int) []byte {
	return func(i int) []byte {
		switch i % 20 {
		case 0:
			return request("POST", base+"/community-reports", s.key, fmt.Sprintf(`{"crimeType": "scam", "title": "Filed `+
				`under load %d", "description": "It took it all, and nobody answers.", "scammerAddresses": ["0x%040x"]}`,
				i, 0xfeed0000000+i))
		case 1, 6, 11, 16:
			return request("GET", base+"/community-reports?limit=20", s.key, "")
		case 2, 7, 12, 17:
			return request("GET", base+"/screen/"+known[i*7%len(known)], s.key, "")
		}
		var batch []string
		for n := range 25 {
			batch = append(batch, known[(i*31+n)%len(known)], unknown[(i*31+n)%len(unknown)])
		}
		body, _ := json.Marshal(map[string]any{"addresses": batch})
		return request("POST", base+"/check", s.key, string(body))
	}
}

// BenchmarkOverload sends three times the calls that the server can answer, after a quiet while and before another one.
func BenchmarkOverload(b *testing.B) {
	db := generated(b, 50_000)
	s := serve(b, db)
	waitForModel(b, db+".log")
	known, unknown := addresses(50_000)
	next := day(s, known, unknown)
	var ratio, recovered, carried, accepted, refused, quietP99 series
	filed := 0
	for range overloads {
		carries := send(b, s, 3*time.Second, next).rate
		quiet := arrive(b, s, clients, carries/5, 5*time.Second, next)
		over := arrive(b, s, crowdOf, 3*carries, 5*time.Second, next)
		after := arrive(b, s, clients, carries/5, 5*time.Second, next)
		p99 := quiet.took.at(0.99)
		ratio, recovered = append(ratio, over.took.at(0.99)/p99), append(recovered, after.took.at(0.99)/p99)
		carried, accepted = append(carried, carries), append(accepted, over.accepted/carries)
		refused, quietP99 = append(refused, float64(over.refused)/over.per/5), append(quietP99, p99)
		for _, a := range []arrivals{quiet, over, after} {
			for _, id := range a.filed {
				filed++
				s.get(b, base+"/community-reports/"+id) // fails if it is lost
			}
		}
	}
	atMost("three times the load: p99 of accepted calls / quiet", ratio, "", 5)
	atMost("  after it: p99 / quiet before", recovered, "", 1.5)
	note("  quiet p99", quietP99, " ms")
	note("  calls a second that it carries", carried, "")
	note("  of them accepted meanwhile", accepted, "")
	note("  share refused with 503", refused, "")
	note("  reports acknowledged, all of them there", series{float64(filed)}, "")
}
