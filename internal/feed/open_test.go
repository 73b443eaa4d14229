package feed

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
}
