package front

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestNoCallerDecidesHowLargeALineIs sends 30 KB of what the log has to escape.
func TestNoCallerDecidesHowLargeALineIs(t *testing.T) {
	s := open(func(http.ResponseWriter, *http.Request) { panic(errors.New(strings.Repeat("x", 30_000))) }, nothing)
	junk := strings.Repeat("\xff", 30_000)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL.Path, r.Method = "/"+junk, junk
	s.send(r, "X-Request-Id: "+strings.Repeat("x", 30_000))
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "msg=request") && len(line) > 4*2*maxLogged+300 || len(line) > 20_000 {
			t.Errorf("a line has %d bytes: %.300s", len(line), line)
		}
	}
	s.log.Reset()
	clipped := "/" + strings.Repeat("é", maxLogged/2-1) + "… "
	if s.get("/" + strings.Repeat("é", maxLogged)); !strings.Contains(s.log.String(), clipped) {
		t.Errorf("a path is not clipped between two characters: %s", &s.log)
	}
}

// TestAValueOfTheLogIsClipped holds for every line, by whatever part of the service.
func TestAValueOfTheLogIsClipped(t *testing.T) {
	var b bytes.Buffer
	long := strings.Repeat("y", 50_000)
	log := NewLog(&b, LogOptions{})
	log.Info(long, "name", long, "error", errors.New(long), "stack", long, "names", []string{long}, "n", 1)
	want := map[string]int{"msg=": 1 << 10, "name=": maxLogged, "error=": 1 << 10, "stack=": 16 << 10, "names=": maxLogged}
	for key, most := range want {
		_, rest, _ := strings.Cut(b.String(), key)
		if n := strings.Count(strings.Fields(rest)[0], "y"); n < most-2 || n > most {
			t.Errorf("%s has %d bytes, want %d", key, n, most)
		}
	}
	if !strings.HasSuffix(b.String(), " n=1\n") {
		t.Errorf("a number is changed: %.100s", b.String()[b.Len()-100:])
	}
	b.Reset()
	if log.Info(long, "name", "z"); b.Len() > 1<<10+200 {
		t.Errorf("a long message with a short value: %d bytes", b.Len())
	}
}
