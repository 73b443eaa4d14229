package front

import (
	"net/http"
	"testing"
)

func TestGzipIsForClientsThatTakeIt(t *testing.T) {
	for accepted, want := range map[string]bool{
		"": false, "identity": false, "br, deflate": false, "gzip": true, "GZIP": true, "br, gzip;q=0.5": true,
		"gzip;q=0": false, "gzip; q=0.000, *": false, "*": true, "*;q=0": false, "gzipped": false, "br;q=1, *;q=0.1": true,
		"gzip;q=nonsense": false,
	} {
		r := &http.Request{Header: http.Header{"Accept-Encoding": {accepted}}}
		if got := AcceptsGzip(r); got != want {
			t.Errorf("%q: %v", accepted, got)
		}
	}
	if AcceptsGzip(&http.Request{}) {
		t.Error("a client that says nothing")
	}
}
