//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tocsin/internal/tocsintest"
)

// maxImport is the most memory that an import may take, in KiB.
const maxImport = 512 << 10

// packed is a file of 32 MiB that consists of copies of a text, in about 34 KiB of gzip. Its parts are members of the
// file of their own (RFC 1952, section 2.2), so that the copies are compressed once.
func packed(t *testing.T, before, text, after string) []byte {
	t.Helper()
	member := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := io.WriteString(z, text)
		tocsintest.Must(t, errors.Join(err, z.Close()))
		return b.Bytes()
	}
	copies := member(strings.Repeat(text, (1<<20)/len(text)))
	return slices.Concat(member(before), bytes.Repeat(copies, 32), member(after))
}

// TestNoDownloadFillsTheMemoryOfAnImport: before, 31 KiB of gzip took 3.4 GB.
func TestNoDownloadFillsTheMemoryOfAnImport(t *testing.T) {
	if watched {
		t.Skip("the race detector takes several times the memory")
	}
	for about, c := range map[string]struct{ list, file, before, text, after, refusal string }{
		"numbers": {"scamsniffer", "domains.json", "[", "1,", "1]", "1000 rows have another shape"},
		"objects": {"scamsniffer", "domains.json", "[", "{},", "1]", "1000 rows have another shape"},
		"empty":   {"scamsniffer", "domains.json", "[", `"",`, `""]`, "200000 rows were refused"},
		"one":     {"scamsniffer", "domains.json", `["`, "a", `"]`, "no entry could be read"},
		"deep":    {"scamsniffer", "domains.json", "", "[", "", "exceeded max depth"},
		"member":  {"polkadot", "all.json", `{"deny":[`, `"",`, `""]}`, "more than 1000000 rows"},
		"inner": {"ofac", "sanctioned-addresses.json", `{"addresses":{"0x1":{"entries":[`, "{},", "{}]}}}",
			"more than 1000000 rows"},
		"lines":  {"spmedia", "detected_urls.txt", "", "a\n", "", "200000 rows were refused"},
		"line":   {"spmedia", "detected_urls.txt", "", "a", "", "no entry could be read"},
		"blocks": {"phantom", "blocklist.yaml", "- url: x\n", "  a: [[[[\n", "", "no entry could be read"},
		"record": {"eth-labels", "accounts.csv", "address,chainId,label,nameTag\n", "\"\n\",", "", "a record has more than"},
	} {
		t.Run(about, func(t *testing.T) {
			m := newMachine(t)
			bomb := packed(t, c.before, c.text, c.after)
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(bomb)
			}))
			defer upstream.Close()
			run := m.command("import", c.list, "-from", upstream.URL+"/"+c.file)
			var out bytes.Buffer
			run.Stdout, run.Stderr = &out, &out
			if err := run.Run(); err == nil || !strings.Contains(out.String(), c.refusal) {
				t.Errorf("%d bytes, %v: %.400s", len(bomb), err, out.String())
			}
			if most := run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; most > maxImport {
				t.Errorf("it took %d MiB", most>>10)
			}
		})
	}
}

// TestAnImportPrintsNothingThatControlsATerminalAndNoPassword: servers and files of others choose what it quotes.
func TestAnImportPrintsNothingThatControlsATerminalAndNoPassword(t *testing.T) {
	m := newMachine(t)
	const escape = "\x1b[31mRED\x1b]0;owned\x07"
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/moved.txt" {
			w.Header().Set("Location", "http://user:s3cret@127.0.0.1:1/list.txt?key=s3cret")
			w.WriteHeader(http.StatusFound)
			return
		}
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer connection.Close()
		fmt.Fprintf(connection, "HTTP/1.1 404 %s\r\nContent-Length: 0\r\n\r\n", escape)
	}))
	defer upstream.Close()
	host := strings.TrimPrefix(upstream.URL, "http://")
	m.write("list.txt", escape, escape+".com", "good-tocsin.com")
	m.write("own.ndjson", `{"crimeType":"`+"\\u001b[31m"+`","title":"`+"\\u001b[31m"+`"}`)
	m.write("accounts.csv", "address,chainId,label,nameTag", escape+","+escape+",x,y")
	for _, args := range [][]string{
		{"import", "spmedia", "-from", "http://user:s3cret@" + host + "/list.txt?key=s3cret"},
		{"import", "spmedia", "-from", "http://user:s3cret@" + host + "/moved.txt"},
		{"import", "spmedia", "-from", "http://user:s3cret@127.0.0.1:1/list.txt"},
		{"import", "spmedia", "-from", "http://user:s3cret@[/list.txt"},
		{"import", "spmedia", "-from", "list.txt"},
		{"import", "ndjson", "-from", "own.ndjson"},
		{"import", "eth-labels", "-from", "accounts.csv"},
		{"serve", "-pay-to", address(1), "-facilitator", "https://user:s3cret@facilitator.example/?key=s3cret"},
		{"serve", "-pay-to", address(1), "-facilitator", "ftp://user:s3cret@facilitator.example"},
		{"serve", "-pay-to", address(1), "-rpc-url", "ftp://user:s3cret@rpc.example/s3cret"},
	} {
		r := m.run(args...)
		if said := r.out + r.err; strings.ContainsAny(said, "\x1b\x07") || strings.Contains(said, "s3cret") || said == "" {
			t.Errorf("%v: %q", args, said)
		}
	}
}
