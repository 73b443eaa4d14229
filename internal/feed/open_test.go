package feed

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tocsin"
)

// host serves files as upstream would.
func host(t *testing.T, files map[string]string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasPrefix(text, "<") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		} else {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		if text == "cut off" {
			w.Header().Set("Content-Length", "1000")
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server
}

func TestDownloadsFollowTheIndexAndReportTheirProgress(t *testing.T) {
	server := host(t, map[string]string{
		"list/all.json": `{"deny": ["evil.example"]}`, "list/meta/index.json": `["2024-02", "../../etc"]`,
		"list/meta/2024-02.json": `[{"date": "2024-02-03", "url": "evil.example"}]`,
	})
	s, _ := Find("polkadot")
	s.Upstream = server.URL + "/list/"
	var done int64
	files, err := s.Open(t.Context(), "", server.Client(), func(n, _ int64) { done = n })
	if err != nil {
		t.Fatal(err)
	}
	if done == 0 {
		t.Error("no progress was reported")
	}
	_, listings, _, err := collect(s, files)
	if want := "risk phishing evil.example since 2024-02-03\n"; err != nil || lines(listings) != want {
		t.Errorf("%v\n%s", err, lines(listings))
	}
}

func TestADownloadThatFailsNamesItsURL(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "404 Not Found",
		"<html>Sign in</html>":    "web page",
		"cut off":                 "unexpected EOF",
		`{"not": "the index yet"`: "not a list of files",
		`["a", 7]`:                "not a list of files",
	} {
		files := map[string]string{}
		if text != "" {
			files["index.json"] = text
		}
		server := host(t, files)
		s, _ := Find("revoke-approval-exploits")
		s.Upstream = server.URL + "/"
		_, err := s.Open(t.Context(), "", server.Client(), nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), server.URL+"/index.json") {
			t.Errorf("%q: %v", text, err)
		}
	}
	s, _ := Find("ndjson")
	if _, err := s.Open(t.Context(), "", nil, nil); err == nil {
		t.Error("a list without upstream was downloaded")
	}
}

func TestTheNameOfASingleFileSaysWhichFileOfTheListItIs(t *testing.T) {
	for _, c := range []struct{ source, path, want string }{
		{"scamsniffer", "/x/address.json", "address.json"},
		{"scamsniffer", "/x/my-list.json", "domains.json"},
		{"scamsniffer", "/x/my-address.json", "domains.json"},
		{"forta", "/x/labels/10/malicious_smart_contracts.csv", "labels/10/malicious_smart_contracts.csv"},
		{"forta", "/x/phishing_scams.csv", "labels/1/phishing_scams.csv"},
		{"mew-ethereum-lists", "/x/urls-darklist.json", "urls/urls-darklist.json"},
		{"misp-warninglists", "/x/lists/url-shortener/list.json", "url-shortener/list.json"},
		{"etherscan-labels", "/x/bscscan.combinedAllLabels.json", "bscscan.combinedAllLabels.json"},
		{"etherscan-labels", "/x/data/bscscan/combined/combinedAllLabels.json", "bscscan/combined/combinedAllLabels.json"},
		{"revoke-approval-exploits", "/x/vault.json", "exploits/vault.json"},
		{"ofac", "/x/sanctions.csv", "sanctions.csv"},
		{"polkadot", "/x/some.json", "all.json"},
		{"ndjson", "/x/mine.jsonl", "reports.ndjson"},
		{"csv", "/x/mine.csv", "mine.csv"},
		{"polkadot", "/x/index.json", "all.json"},
		{"misp-warninglists", "/x/other.json", "other.json"},
	} {
		s, _ := Find(c.source)
		if got := s.listFile(c.path); got != c.want {
			t.Errorf("%s of %s is read as %s, want %s", c.path, c.source, got, c.want)
		}
	}
}

func TestASingleFileIsReadFromDiskAndFromAURL(t *testing.T) {
	const text = `["evil.example"]`
	file := filepath.Join(t.TempDir(), "whatever.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server := host(t, map[string]string{"whatever.json": text})
	s, _ := Find("scamsniffer")
	for _, from := range []string{file, server.URL + "/whatever.json?raw=1"} {
		files, err := s.Open(t.Context(), from, server.Client(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, listings, _, err := collect(s, files)
		if err != nil || lines(listings) != "risk phishing evil.example\n" {
			t.Errorf("%s: %v\n%s", from, err, lines(listings))
		}
	}
	if _, err := s.Open(t.Context(), filepath.Join(t.TempDir(), "nothing"), nil, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	const name, of1, of10 = "malicious_smart_contracts.csv", "labels/1/", "labels/10/"
	for _, folder := range []string{of1, of10} {
		text := []byte("contract_address,contract_creator\n" + adA + "," + adB + "\n")
		if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(folder+name, text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s, _ = Find("forta")
	const first, tenth = "risk hack " + adA + " on eip155:1\n", "risk hack " + adA + " on eip155:10\n"
	for from, want := range map[string]string{
		dir: first + tenth, ".": first + tenth, of10 + name: tenth, of1 + name: first,
	} {
		files, err := s.Open(t.Context(), from, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := files.Open("none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s has everything: %v", from, err)
		}
		if _, listings, _, err := collect(s, files); err != nil || lines(listings) != want {
			t.Errorf("%s: %v\n%s", from, err, lines(listings))
		}
	}
}

// TestDownloadsAreReadInTheOrderOfTheirNames, whatever order they came in.
func TestDownloadsAreReadInTheOrderOfTheirNames(t *testing.T) {
	files, want := memFS{}, ""
	for i := range 20 {
		name := fmt.Sprintf("%02d", i)
		files["exploits/"+name+".json"] = memText{text: []byte(`{"name": "N", "description": "D",
			"addresses": [{"address": "` + adA + `"}]}`)}
		want += name + " "
	}
	got := ""
	s, _ := Find("revoke-approval-exploits")
	_, err := s.Read(t.Context(), files, today, Sink{Entry: func(e tocsin.Entry) error { got += e.Key + " "; return nil }})
	if _, none := files.Open("none"); err != nil || got != want || !errors.Is(none, fs.ErrNotExist) {
		t.Errorf("%s, %v", got, err)
	}
}

// TestNoErrorOfADownloadHoldsAPassword, and the total is that of the only file, if its server says it.
func TestNoErrorOfADownloadHoldsAPassword(t *testing.T) {
	var without bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/detected_urls.txt" {
			http.NotFound(w, r)
			return
		}
		if without { // its length is not known before its end
			http.NewResponseController(w).Flush()
		}
		fmt.Fprintln(w, "a.example")
	}))
	s, _ := Find("spmedia")
	s.Upstream = server.URL + "/"
	for _, without = range []bool{false, true} {
		total := int64(-1)
		if _, err := s.Open(t.Context(), "", nil, func(_, of int64) { total = of }); err != nil ||
			total != map[bool]int64{false: 10}[without] {
			t.Errorf("a total of %d, %v", total, err)
		}
	}
	from := strings.Replace(server.URL, "http://", "http://user:password@", 1) + "/x?key=secret"
	for _, want := range []string{"404 Not Found", "connect"} { // then nobody is there
		_, err := s.Open(t.Context(), from, nil, nil)
		if err == nil || strings.Contains(err.Error(), "password") || strings.Contains(err.Error(), "secret") ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), server.URL+"/x") {
			t.Errorf("%v, want %s", err, want)
		}
		server.Close()
	}
	if _, err := s.Open(t.Context(), "http://a b/", nil, nil); fmt.Sprint(err) != "the URL is malformed" {
		t.Error(err)
	}
}
