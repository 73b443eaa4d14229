package web

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// maxResponse is how large a response of the service may be, in bytes.
const maxResponse = 512 << 10

// alone starts a service beside which no other test runs, with n of the largest reports.
// They name the same subjects, and any of them may be asked for.
func alone(t *testing.T, n int) (s *service, ids []string) {
	t.Helper()
	tocsintest.Alone(t)
	s = start(t)
	for i := range n {
		ids = append(ids, s.fileLargest(i))
	}
	return s, ids
}

// fileLargest files one of the largest reports. The dossiers of its subjects are then read
// anew.
func (s *service) fileLargest(i int) (id string) {
	s.t.Helper()
	filed, err := s.db.FileReport(s.t.Context(), store.Filing{
		Draft: tocsintest.Largest(s.t, i), Network: netip.MustParsePrefix("203.0.113.0/24")})
	tocsintest.Must(s.t, err)
	return filed.Report.ID
}

// serves answers a request in this goroutine.
func (s *service) serves(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.http.Config.Handler.ServeHTTP(w, r)
	return w
}

// TestPagesOfTheLargestReportsAreCheap: nobody may make the pages dear that everybody
// reads, with 20 anonymous filings.
func TestPagesOfTheLargestReportsAreCheap(t *testing.T) {
	if tocsintest.Race() {
		t.Skip("the race detector takes most of the time")
	}
	s, ids := alone(t, 20)
	filed := len(ids)
	for _, path := range []string{"/reports", "/", "/reports/" + ids[7]} {
		cost := tocsintest.CPU(t, func() { s.fileLargest(filed); filed++ }, func() {
			if w := s.serves(httptest.NewRequest("GET", path, nil)); w.Code != http.StatusOK {
				t.Errorf("%s: %d", path, w.Code)
			}
		})
		t.Logf("%s: %v", path, cost)
		if cost > 25*time.Millisecond {
			t.Errorf("%s takes %v of CPU", path, cost)
		}
	}
}

// TestNoResponseIsOver512KB asks for whatever holds reports, with the largest there are.
func TestNoResponseIsOver512KB(t *testing.T) {
	s, ids := alone(t, 120)
	quota := 1000
	key := tocsintest.Key(t, s.db, &quota)
	largestReport := tocsintest.Largest(t, 0)
	address, domain := largestReport.ScammerAddresses[3], largestReport.ReportedDomains[3]
	for range 130 { // so small that a page has as many as it can
		tocsintest.Must(t, s.fileSmall(address))
	}
	paths := []string{"/", "/reports", "/reports?q=swindle", "/reports/" + ids[7], "/screen/" + address,
		"/screen/" + domain}
	for _, view := range []string{"full", "compact"} {
		for _, path := range []string{
			"/screen/" + address, "/screen/" + tocsintest.LargestAddress(4), "/domains/check/" + domain, "/community-reports",
			"/community-reports/search?q=swindle", "/community-reports/search?q=small", "/community-reports/" + ids[7],
		} {
			separator := "?"
			if strings.Contains(path, "?") {
				separator = "&"
			}
			path = s.api.Contract().Base + path + separator + "view=" + view
			paths = append(paths, path)
			if !strings.Contains(path, "rep_") {
				paths = append(paths, path+"&limit=100")
			}
		}
	}
	largest := 0
	for _, path := range paths {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("x-api-key", key)
		w := s.serves(r)
		if largest = max(largest, w.Body.Len()); w.Code != http.StatusOK || w.Body.Len() > maxResponse {
			t.Errorf("%s: %d, %d bytes", path, w.Code, w.Body.Len())
		}
	}
	for field, text := range map[string]string{
		storyField: strings.Repeat("'", maxTyped-100), thingsField: strings.Repeat("+ ", maxTyped/2-100),
		linkField: strings.Repeat("'", maxTyped-200) + "\n",
	} {
		w := s.serves(postForm("/report", field, text))
		if largest = max(largest, w.Body.Len()); w.Code != http.StatusUnprocessableEntity || w.Body.Len() > maxResponse {
			t.Errorf("a form with a large %s: %d, %d bytes", field, w.Code, w.Body.Len())
		}
	}
	t.Logf("the largest response has %d bytes", largest)
}

// postForm sends a field as no browser does: quotes as they are, so that there are more of them.
func postForm(path string, typed ...string) *http.Request {
	body := ""
	for i := 0; i < len(typed); i += 2 { // a field, and its text
		body += "&" + typed[i] + "=" + strings.ReplaceAll(url.QueryEscape(typed[i+1]), "%27", "'")
	}
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func (s *service) fileSmall(address string) error {
	d, err := tocsin.Draft{
		CrimeType: tocsin.Scam, Title: "Small", Description: fmt.Sprint(s.Now().UnixNano()),
		ScammerAddresses: []string{address},
	}.Parse(tocsintest.Noon)
	if err == nil {
		s.Sleep(1)
		_, err = s.db.FileReport(s.t.Context(), store.Filing{Draft: d, Network: netip.MustParsePrefix("203.0.113.0/24")})
	}
	return err
}

// TestALargerReportOfAnOlderVersionIsServed: 244 KB could be filed once, with more URLs than
// are allowed now.
func TestALargerReportOfAnOlderVersionIsServed(t *testing.T) {
	s, ids := alone(t, 6)
	d := tocsintest.Largest(t, 0)
	for n := range 140 {
		url := fmt.Sprintf("https://e%d.example/%d?", n%5, n)
		d.Evidence.URLs = append(d.Evidence.URLs[:n:n], url+strings.Repeat("+", 1550-len(url)))
	}
	filed, err := s.db.FileReport(t.Context(), store.Filing{Draft: d, Network: netip.MustParsePrefix("203.0.113.0/24")})
	tocsintest.Must(t, err)
	if d.Size() < 240_000 {
		t.Fatalf("it has %d bytes", d.Size())
	}
	old := filed.Report.ID
	ids = append(ids, s.fileLargest(6))
	base, key := s.api.Contract().Base, tocsintest.Key(t, s.db, nil)
	pages := map[string]string{"/reports/" + old: old, base + "/community-reports/" + old: old,
		"/reports": ids[6], base + "/screen/" + d.ScammerAddresses[0]: ids[6]}
	for path, has := range pages {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("x-api-key", key)
		w := s.serves(r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), has) || w.Body.Len() > maxResponse {
			t.Errorf("%s: %d, %d bytes", path, w.Code, w.Body.Len())
		}
	}
	page := s.serves(httptest.NewRequest("GET", "/reports/"+old, nil)).Body.String()
	if !strings.Contains(page, "109 more links: the API returns them all.") { // of 31 there are 48,050 bytes
		t.Error("the page does not say how many links it leaves out")
	}
	next := s.serves(httptest.NewRequest("GET", "/reports", nil)).Body.String()
	if strings.Contains(next, old) {
		t.Error("it is on a page with others")
	}
	link := regexp.MustCompile(`href="(/reports\?cursor=[^"]+)"`).FindStringSubmatch(next)
	if link == nil {
		t.Fatal("there is no next page")
	}
	w := s.serves(httptest.NewRequest("GET", html.UnescapeString(link[1]), nil))
	if !strings.Contains(w.Body.String(), old) {
		t.Errorf("it is not on the next page: %d", w.Code)
	}
}

// TestAFormHoldsAtMost96KB: the page that refuses it shows all of it again.
func TestAFormHoldsAtMost96KB(t *testing.T) {
	s := start(t)
	for n, status := range map[int]int{maxTyped: 422, maxTyped + 1: 413} {
		w := s.serves(postForm("/report", storyField, strings.Repeat("'", n)))
		want(t, fmt.Sprint(n), []any{w.Code, strings.Contains(w.Body.String(), "96 KB of text")}, []any{status, n > maxTyped})
		rest := n - maxTyped/2
		w = s.serves(postForm("/report", storyField, strings.Repeat("'", maxTyped/2), titleField, strings.Repeat("'", rest)))
		want(t, fmt.Sprint(n, " in two fields"), w.Code, status)
	}
}

// TestSlowReadersHoldLittleMemory: connections that do not read what they asked for.
func TestSlowReadersHoldLittleMemory(t *testing.T) {
	s, ids := alone(t, 20)
	quota := 100_000
	key := tocsintest.Key(t, s.db, &quota)
	base := s.api.Contract().Base
	for _, path := range []string{
		base + "/screen/" + tocsintest.LargestAddress(3) + "?limit=100",
		base + "/community-reports?limit=100",
		base + "/community-reports/search?q=swindle&limit=100",
		"/reports/" + ids[7],
	} {
		added := tocsintest.SlowReaders(t, s.http.Config.Handler, 60,
			fmt.Sprintf("GET %s HTTP/1.1\r\nHost: tocsin.example\r\nx-api-key: %s\r\n\r\n", path, key))
		t.Logf("%s: %d KB", path, added>>10)
		if added > 64<<20 || added < 60*200<<10 { // or the sockets have taken it
			t.Errorf("60 slow readers of %s hold %d KB", path, added>>10)
		}
	}
}

// TestThePoolKeepsNoPage: what compresses pages is used again, the pages are not.
func TestThePoolKeepsNoPage(t *testing.T) {
	s := start(t)
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	for range 20 {
		want(t, "compressed", s.serves(r).Header().Get("Content-Encoding"), "gzip")
		if z := s.site.gzips.Get().(*packer); z.to != nil {
			t.Fatal("the pool keeps a page")
		}
	}
	text := *bytes.NewBufferString(numbered(0, 900))
	light, heavy := s.site.compressed(text, false), s.site.compressed(text, true)
	want(t, "a heavy page is as small as it gets", []bool{bytes.Equal(heavy.Bytes(), pack(text.Bytes())),
		bytes.Equal(heavy.Bytes(), light.Bytes())}, []bool{true, false})
}
