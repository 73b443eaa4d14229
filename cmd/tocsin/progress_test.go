package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestTheProgressLineIsUpdatedNowAndThenAndErased(t *testing.T) {
	var terminal bytes.Buffer
	p := &progress{w: &terminal}
	reading := p.step("reading ofac")
	for done := range int64(1000) {
		reading(done, 0)
	}
	if got, want := terminal.String(), "\rreading ofac 0.0 MB"; got != want {
		t.Errorf("after 1000 reports in a moment: got %q, want %q", got, want)
	}
	p.updated = p.updated.Add(-progressInterval)
	reading(1_550_000, 0)
	if got := terminal.String(); !strings.HasSuffix(got, "\rreading ofac 1.6 MB") {
		t.Errorf("in megabytes: %q", got)
	}
	p.updated = p.updated.Add(-progressInterval)
	p.step("writing")(7, 10)
	p.end()
	p.end()
	rest := regexp.MustCompile(`\rwriting  70% +\r +\r$`)
	if got := terminal.String(); !rest.MatchString(got) {
		t.Errorf("got %q, want /%s/", got, rest)
	}
}

func TestWithoutATerminalThereIsNoProgressLine(t *testing.T) {
	var log bytes.Buffer
	p := newProgress(&log)
	p.updated = time.Time{}
	p.step("reading ofac")(1, 2)
	p.end()
	if log.Len() > 0 {
		t.Errorf("got %q", &log)
	}
	for name, shown := range map[string]bool{os.DevNull: true, filepath.Join(t.TempDir(), "log"): false} {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if p := newProgress(file); (p.w == file) != shown { // a character device, as a terminal is
			t.Errorf("%s: a line is shown: %t", name, !shown)
		}
		file.Close()
		if p := newProgress(file); p.w != nil {
			t.Errorf("%s is shown a line after it was closed", name)
		}
	}
}
