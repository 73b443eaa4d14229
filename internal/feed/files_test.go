package feed

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"tocsin"
)

// Which files are missing is said once for each part that has entries.
func TestMissingFilesAreNamed(t *testing.T) {
	accounts := "address,chainId,label,nameTag\n" + adA + ",1,exchange,Exchange 1\n"
	for _, c := range []struct {
		source string
		files  fstest.MapFS
		want   string
	}{
		{"scamsniffer", tree("domains.json", `["evil.example"]`), "[address.json]"},
		{"scamsniffer", tree("domains.json", `["evil.example"]`, "address.json", `["`+adA+`"]`), "[]"},
		{"eth-labels", tree("accounts.csv", accounts), "[tokens.csv]"},
		{"eth-labels", tree("data/csv/accounts.csv", accounts), "[tokens.csv]"},
		{"eth-labels", tree("accounts.tar.zst", packed(t, "data/basescan/exploit/accounts.json",
			`[{"address": "`+adA+`", "nameTag": ""}]`)), "[]"},
	} {
		s, _ := Find(c.source)
		missing, entries := []string{}, 0
		var done, total []int64
		_, err := s.Read(t.Context(), c.files, today, Sink{
			Entry:    func(tocsin.Entry) error { entries++; return nil },
			Missing:  func(file string) { missing = append(missing, file) },
			Progress: func(n, of int64) { done, total = append(done, n), append(total, of) },
		})
		size := int64(0)
		for _, f := range c.files {
			size += int64(len(f.Data))
		}
		if err != nil || fmt.Sprint(missing) != c.want || entries == 0 || done[len(done)-1] != size || total[0] != size {
			t.Errorf("%s: missing %v, want %s; %d entries, %v of %v bytes, %v", c.source, missing, c.want, entries, done, total,
				err)
		}
	}
	s, _ := Find("scamsniffer")
	_, err := s.Read(t.Context(), tree("archive/2024-01-02.json", `{}`), today, Sink{})
	if want := "scamsniffer: no file of this list is present (domains.json, address.json)"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = s.Read(t.Context(), tree("domains.json", `["com", "com"]`), today, Sink{Refuse: func(_, _, _ string) {}})
	if want := "scamsniffer: no entry could be read; refused rows: 2"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestAFaultyFileIsNamed(t *testing.T) {
	for _, c := range []struct{ source, file, text, want string }{
		{"scamsniffer", "archive/2024-01-02.json", `[`, "scamsniffer: 2024-01-02.json: "},
		{"scamsniffer", "archive.tar.zst", "x", "scamsniffer: archive.tar.zst: "},
		{"mew-ethereum-lists", "addresses/addresses-darklist.json", `[{"address": "` + adA + `"}`,
			"mew-ethereum-lists: addresses-darklist.json: "},
		{"mew-ethereum-lists", "urls/urls-darklist.json", `[{"id": "evil.example"}`,
			"mew-ethereum-lists: urls-darklist.json: "},
		{"mew-ethereum-lists", "urls/urls-lightlist.json", `[{"id": "good.example"}`,
			"mew-ethereum-lists: urls-lightlist.json: "},
		{"ofac", "data/sanctioned-addresses.json", `{"addresses": `, "ofac: sanctioned-addresses.json: "},
		{"eth-labels", "accounts.tar.zst", packed(t, "data/etherscan/heist/accounts.json", "?"),
			`eth-labels: accounts.tar.zst: "data/etherscan/heist/accounts.json": the file is not the JSON of this list: `},
		{"etherscan-labels", "etherscan.combinedAllLabels.json", "[]",
			"etherscan-labels: etherscan.combinedAllLabels.json: the file is not the JSON of this list: it is a list"},
		{"etherscan-labels", "etherscan.combinedAllLabels.json", `"x"`,
			"etherscan-labels: etherscan.combinedAllLabels.json: the file is not the JSON of this list: it is a text"},
		{"ofac", "sanctioned-addresses.json", `{"addresses": true}`, "ofac: sanctioned-addresses.json: " +
			"the file is not the JSON of this list: Addresses is true or false, not an object"},
		{"ofac", "sanctioned-addresses.json", `{"addresses": 7}`, "ofac: sanctioned-addresses.json: " +
			"the file is not the JSON of this list: Addresses is a number, not an object"},
		{"ofac", "sanctioned-addresses.json", `{"addresses": null}`, "ofac: sanctioned-addresses.json: the file has no rows"},
		{"polkadot", "all.json", `{"deny": {}}`,
			"polkadot: all.json: the file is not the JSON of this list: it is not an array"},
		{"polkadot", "all.json", `{"deny": null}`, "polkadot: all.json: the file has no rows"},
		{"polkadot", "all.json", `{"deny": ["a.example"]} x`,
			"polkadot: all.json: the file has data after the end of its JSON"},
		{"scamsniffer", "address.json", `["` + adA + `"] x`, "scamsniffer: address.json: " +
			"the file has data after the end of its JSON"},
		{"scamsniffer", "address.json", `{}`, "scamsniffer: address.json: the file is not the JSON of this list: " +
			"it is not an array"},
		{"uniswap-default-list", "tokens/mainnet.json", `7`, "uniswap-default-list: mainnet.json: " +
			"the file is not the JSON of this list: it is not a list of tokens: it is not an array"},
		{"csv", "r.csv", "crimeType,title,description\nscam,T,\"D\nscam,T,D\n", "csv: r.csv: "},
		{"csv", "r.csv", "crimeType,title\n", `csv: r.csv: the CSV header has no column "description"`},
		{"safelist", "s.csv", "subject;category\na.example;shop\n",
			"safelist: s.csv: the columns are separated by semicolons or tabs, not by commas"},
		{"csv", "r.csv", "cri\"me", "csv: r.csv: the file has no CSV header: "},
		{"phantom", "blocklist.yaml", "- url: a.example\n- url: \"b.exam",
			"phantom: blocklist.yaml: the file breaks off in its last entry, line 2: "},
		{"cryptoscamdb", "urls.yaml", "- name: a.example\n- name: b.example\n  description: 'It\n", "cryptoscamdb: " +
			"urls.yaml: the file breaks off in its last entry, line 2: "},
		{"phantom", "blocklist.yaml", "<p>", "phantom: blocklist.yaml: the file is a web page, not a list"},
		{"phantom", "blocklist.yaml", "\ufeff \n", "phantom: blocklist.yaml: the file is empty"},
		{"phantom", "blocklist.yaml", "\ufeff <", "phantom: blocklist.yaml: the file is a web page, not a list"},
	} {
		s, _ := Find(c.source)
		files := tree(c.file, c.text)
		if c.source == "scamsniffer" {
			files["domains.json"] = &fstest.MapFile{Data: []byte(`["evil.example"]`)}
		}
		if _, _, _, err := collect(s, files); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s…", c.source, c.file, err, c.want)
		}
	}
}

// TestAFileThatDoesNotEndWithALineBreakIsRefused, because a part of a name is often a name, unless it is known that
// nothing is missing.
func TestAFileThatDoesNotEndWithALineBreakIsRefused(t *testing.T) {
	const cut = "the file does not end with a line break, so it may be cut off in line "
	accounts := "address,chainId,label,nameTag\n" + adA + ",1,exchange,Exch"
	for _, c := range []struct{ source, file, text, want string }{
		{"phantom", "eth-blocklist.yaml", "- url: a.example\n- url: livearbitrum.co", "phantom: eth-blocklist.yaml: " + cut +
			"2; import a whole copy, or add a line break if it is one"},
		{"phantom", "blocklist.yaml", "- url: a.example\n- url:", "phantom: blocklist.yaml: " + cut + "2;"},
		{"phantom", "blocklist.yaml", "- url: a.example\n- url: b.example\n", "no error"},
		{"phantom", "whitelist.yaml", "- url: a.example\n- url: b.example", "no error"}, // as upstream
		{"cryptoscamdb", "urls.yaml", "- name: a.example\n  url: http://a.example", "cryptoscamdb: urls.yaml: " + cut + "2;"},
		{"cryptoscamdb", "uris.yaml", "- name: a.example\n  url: http://a.example", "no error"},
		{"spmedia", "detected_urls.txt", "a.example\n\nb.exam", "spmedia: detected_urls.txt: " + cut + "3;"},
		{"eth-labels", "accounts.csv", accounts, "eth-labels: accounts.csv: " + cut + "2;"},
		{"scamsniffer", "domains.json", `["a.example"]`, "no error"}, // it has an end of its own
		{"safelist", "my.csv", "subject,category\na.example,site", "no error"},
		{"ndjson", "my.ndjson", `{"crimeType":"scam","title":"A title","description":"It took it.",` +
			`"reportedDomains":["a.example"]}`, "no error"},
	} {
		s, _ := Find(c.source)
		says := "no error"
		if _, _, _, err := collect(s, tree(c.file, c.text)); err != nil {
			says = err.Error()
		}
		if !strings.HasPrefix(says, c.want) {
			t.Errorf("%s %s: %s, want %s…", c.source, c.file, says, c.want)
		}
	}
}

// TestADownloadIsWholeIfItsEndWasSent, however its last line ends.
func TestADownloadIsWholeIfItsEndWasSent(t *testing.T) {
	framed := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if framed {
			fmt.Fprint(w, "- url: a.example\n- url: b.example")
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			fmt.Fprint(conn, "HTTP/1.0 200 OK\r\n\r\n- url: a.example\n- url: b.exam")
			conn.Close()
		}
	}))
	t.Cleanup(server.Close)
	s, _ := Find("phantom")
	for _, framed = range []bool{true, false} {
		files, err := s.Open(t.Context(), server.URL+"/blocklist.yaml", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := collect(s, files); (err == nil) != framed {
			t.Errorf("sent %t: %v", framed, err)
		}
	}
}

func TestADownloadIsOneOfAList(t *testing.T) {
	var agent string
	answer := `["evil.example"]`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent = r.Header.Get("User-Agent") + " " + r.URL.Path
		switch {
		case strings.HasPrefix(answer, "<"):
			w.Header().Set("Content-Type", "text/html")
		case strings.HasPrefix(answer, "5"):
			w.WriteHeader(http.StatusBadGateway)
		}
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	s, _ := Find("scamsniffer")
	var done, total int64
	files, err := s.Open(t.Context(), server.URL+"/a//../my.json", nil, func(n, of int64) { done, total = n, of })
	if err != nil || agent != "tocsin /a//../my.json" && agent != "tocsin "+path.Clean("/a//../my.json") {
		t.Errorf("asked by %s, %v", agent, err)
	}
	if size := int64(len(answer)); done != size || total != size {
		t.Errorf("%d of %d bytes, want %d", done, total, size)
	}
	f, err := files.Open("domains.json")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Name() != "domains.json" || info.Size() != int64(len(answer)) ||
		info.Mode() != 0o444 || info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
	if names, err := fs.Glob(files, "*.json"); err != nil || fmt.Sprint(names) != "[domains.json]" {
		t.Errorf("%v, %v", names, err)
	}
	for text, want := range map[string]string{
		"<p>": "GET " + server.URL + "/x: the response is a web page, not a list",
		"5xx": "GET " + server.URL + "/x: 502 Bad Gateway",
	} {
		answer = text
		if _, err := s.Open(t.Context(), server.URL+"/x", nil, nil); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	answer = `["evil.example"]`
	s.Upstream = server.URL + "/"
	total = -1
	if _, err := s.Open(t.Context(), "", nil, func(_, of int64) { total = of }); err != nil || total != 0 {
		t.Errorf("a download of several files says a total of %d, %v", total, err)
	}
	d := &download{client: server.Client(), files: memFS{}, size: maxDownload - int64(len(answer))}
	if err := d.get(t.Context(), server.URL+"/x", "a"); err != nil || string(d.files["a"].text) != answer {
		t.Errorf("the last bytes that are allowed: %v", err)
	}
	want := fmt.Sprintf("GET %s/x: the list is larger than %d MiB", server.URL, maxDownload>>20)
	d.size = maxDownload - int64(len(answer)) + 1
	if err := d.get(t.Context(), server.URL+"/x", "b"); fmt.Sprint(err) != want || d.files["b"].text != nil {
		t.Errorf("%v, want %s", err, want)
	}
}
