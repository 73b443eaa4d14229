package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin/internal/front"
	"tocsin/internal/lookalike"
	"tocsin/internal/tocsintest"
)

// logged returns a log, and what has been written there since it was asked last, without the times.
func logged() (log *slog.Logger, said func() string) {
	var text tocsintest.Buffer
	seen := 0
	return slog.New(slog.NewTextHandler(&text, nil)), func() string {
		lines := strings.SplitAfter(text.String()[seen:], "\n")
		seen = len(text.String())
		for i, line := range lines {
			_, lines[i], _ = strings.Cut(line, " ")
		}
		return strings.Join(lines, "")
	}
}

func TestAStartIsOneLineOfTheLog(t *testing.T) {
	log, said := logged()
	commit, compiler := build()
	for admin, more := range map[string]string{"": "", ":8403": " admin=:8403"} {
		logStart(log, "a.db", "127.0.0.1:1", "https://b.example", admin)
		tocsintest.Want(t, "the line", said(), fmt.Sprintf("level=INFO msg=\"tocsin %s\" commit=%s go=%s database=a.db "+
			"listen=127.0.0.1:1 baseURL=https://b.example%s\n", version, commit, compiler, more))
	}
}

// TestWhereAServerIsIsSaidOnce: on standard output, or in a log of JSON; the key in any case on standard output.
func TestWhereAServerIsIsSaidOnce(t *testing.T) {
	for _, c := range []struct{ form, key, out, log string }{
		{"text", "", "Tocsin " + version + " serves on here\n", ""},
		{"text", "key\n", "Tocsin " + version + " serves on here\nkey\n", ""},
		{"json", "", "", "level=INFO msg=serving on=here\n"}, {"json", "key\n", "key\n", "level=INFO msg=serving on=here\n"},
	} {
		log, said := logged()
		var out tocsintest.Buffer
		err := (&serverLog{form: c.form}).announce(env{stdout: &out}, log, "here", c.key)
		tocsintest.Want(t, c.form+c.key, []any{out.String(), said(), err}, []any{c.out, c.log, nil})
	}
	log, _ := logged()
	err := (&serverLog{}).announce(env{stdout: broken{}}, log, "here", "")
	tocsintest.Want(t, "nobody reads the address", err, nil)
	err = (&serverLog{}).announce(env{stdout: broken{}}, log, "here", "key\n")
	tocsintest.Want(t, "nobody reads the key", fmt.Sprint(err), "print the key: it is broken")
}

func TestAServerThatRefreshesNothingSaysSo(t *testing.T) {
	log, said := logged()
	new(refreshFlags).begin(t.Context(), nil, nil, nil, &upkeepLog{log: log})
	tocsintest.Want(t, "the log", said(), "level=INFO msg=\"lists are not refreshed: set -refresh 6h, or run `tocsin "+
		"import` from a timer\"\n")
	tocsintest.Want(t, "an import", importArgs(90*time.Minute, "ofac"), []string{"import", "-every", "1h30m0s", "ofac"})
	tocsintest.Want(t, "a training", trainArgs(&nameFlags{}, ""), []string{"train", "-every", "24h0m0s"})
	tocsintest.Want(t, "a training with files", trainArgs(&nameFlags{model: "m", brands: "b"}, "i"),
		[]string{"train", "-every", "24h0m0s", "-model", "m", "-brands", "b", "-benign", "i"})
}

// TestWithoutACollectorNoSpanIsMade, and nothing is sent.
func TestWithoutACollectorNoSpanIsMade(t *testing.T) {
	log, said := logged()
	var d front.Deployment
	made, err := newTraces(lookup(nil), log, &d)
	tocsintest.Must(t, err)
	made.run(t.Context()) // returns at once
	sent, dropped, known := made.counts()
	tocsintest.Want(t, "counts", []any{sent, dropped, known, d.Trace == nil, said()},
		[]any{int64(0), int64(0), false, true, ""})
	made, err = newTraces(lookup(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}), log, &d)
	tocsintest.Must(t, err)
	_, _, known = made.counts()
	tocsintest.Want(t, "with one", []any{known, d.Trace != nil, said()},
		[]any{true, true, "level=INFO msg=\"a span of each request is sent to a collector of OpenTelemetry\"\n"})
}

func TestWhatAnEvaluationPrints(t *testing.T) {
	f := &evalFlags{}
	r := &lookalike.Report{LeftOut: 3, Models: []lookalike.Info{{Version: "v1", Fraud: 1, Innocent: 2}, {Version: "v2"}},
		Groups: map[string]*lookalike.Count{"a": {Of: 4, AtLimits: [3]int{1, 2, 3}, AtRates: [3]int{0, 1, 4}},
			"b": {Of: 2, Dated: 1, ByName: 1, BySignals: 2, Unresolved: 1}}}
	var out strings.Builder
	tocsintest.Must(t, f.print(&out, r))
	tocsintest.Golden(t, "testdata/eval.txt", out.String())
	r.Models, r.LeftOut = r.Models[:1], 0
	delete(r.Groups, "b")
	out.Reset()
	tocsintest.Must(t, f.print(&out, r))
	for _, says := range []string{"left out", "Each name", "SUSPICIOUS"} {
		tocsintest.Want(t, "without "+says, strings.Contains(out.String(), says), false)
	}
	if err := f.print(broken{}, r); !errors.Is(err, errBroken) {
		t.Errorf("nobody reads it: %v", err)
	}
}

// TestTheCasesOfAnEvaluation: each name once, rows of two labels only.
func TestTheCasesOfAnEvaluation(t *testing.T) {
	dir := t.TempDir()
	read := func(text string) (string, error) {
		file := filepath.Join(dir, "cases.csv")
		tocsintest.Must(t, os.WriteFile(file, []byte(text), 0o600))
		cases, err := (&evalFlags{domains: file}).cases()
		var all []string
		for _, c := range cases {
			all = append(all, fmt.Sprintf("%s %v %d %v", c.Domain, c.Fraud, len(c.Groups), c.Signals != nil))
		}
		return strings.Join(all, ", "), err
	}
	for text, want := range map[string]string{
		"label,domain,source\nmalicious,a.com,x\nbenign,b.com,y\nbenign,a.com,y\nother,c.com,x\nbenign,no domain,x\n" +
			"benign,d.com": "a.com true 2 false, b.com false 1 false",
		"malicious,a.com,spmedia":                        "a.com true 4 false",
		"malicious,a.github.io,spmedia":                  "a.github.io true 4 false",
		"label,domain,source,registered\nbenign,a.com,x": "a.com false 1 true",
	} {
		got, err := read(text)
		tocsintest.Want(t, text, []any{got, err}, []any{want, nil})
	}
	for text, want := range map[string]string{
		"":      "-domains: no row has a label, malicious or benign, a domain and a source",
		"a,\"b": "-domains: parse error on line 1, column 5: extraneous or missing \" in quoted-field",
		"label,domain,source,resolves\nbenign,a.com,x,?": `-domains: a.com: resolves "?" is neither true nor false`,
	} {
		if _, err := read(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := (&evalFlags{domains: filepath.Join(dir, "nosuch.csv")}).cases()
	var wrong usageError
	tocsintest.Want(t, "no file", []bool{errors.As(err, &wrong), strings.HasPrefix(fmt.Sprint(err), "-domains: open ")},
		[]bool{true, true})
	if _, err := openText(filepath.Join(dir, "cases.csv")); err != nil {
		t.Error(err)
	}
	tocsintest.Must(t, os.WriteFile(filepath.Join(dir, "plain.gz"), []byte("plain"), 0o600))
	if _, err := openText(filepath.Join(dir, "plain.gz")); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("what is not compressed: %v", err)
	}
}
