package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

// learns fills the database with lists of names that can be told apart, and writes a file of cases to measure with.
func (m *machine) learns() (cases string) {
	m.Helper()
	var fraud, popular []string
	rows := []string{"label,domain,source,date"}
	syllables := strings.Fields("ba co di fe gu ha lo mi no pe ra so tu vi")
	word := func(i int) string {
		return syllables[i%14] + syllables[i/14%14] + syllables[i*5/3%14] + syllables[i/196%14]
	}
	for i := range 1300 {
		name := fmt.Sprintf("claim-%s.xyz", word(i))
		if i >= 1200 {
			rows = append(rows, "malicious,"+name+",scamsniffer|other,2026-01-02")
			continue
		}
		fraud = append(fraud, name)
	}
	for i := range 1300 {
		name := word(i) + []string{".com", ".org", ".de"}[i%3]
		if i >= 1200 {
			rows = append(rows, "benign,"+name+",tranco-10k,2026-01-02")
			continue
		}
		popular = append(popular, name)
	}
	for name, list := range map[string]any{
		"scam/domains.json":                       fraud,
		"scam/address.json":                       []string{address(1)},
		"misp/lists/cloudflare-top100k/list.json": map[string]any{"list": popular},
	} {
		text, err := json.Marshal(list)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(m.dir, name)), 0o700)
		}
		if err != nil {
			m.Fatal(err)
		}
		m.write(name, string(text))
	}
	m.must("import", "scamsniffer", "-from", "scam")
	m.must("import", "misp-warninglists", "-from", "misp/lists/cloudflare-top100k/list.json")
	return m.write("cases.csv", append(rows, "benign,good.example,given", "neither,x.example,y")...)
}

func TestTrainWritesAModelThatEvalMeasures(t *testing.T) {
	m := newMachine(t)
	m.fails(exitFailure, "no such file|does not exist|no database", "train")
	cases := m.learns()
	m.fails(exitUsage, "there is no model at .*tocsin.db.model; run tocsin train", "eval", "-domains", filepath.Join(m.dir,
		cases))
	r := m.run("train", "-cutoff", "2030-01-01", "-benign", m.write("own.txt", "# ours", "one.example", "no domain"))
	if !strings.Contains(r.out, "tocsin.db.model: model 2030-01-01-") ||
		!strings.Contains(r.out, " of 1200 fraudulent and ") ||
		!strings.Contains(r.err, "Warning: -benign: 1 of 2 lines are no domain names, such as no domain\n") {
		t.Errorf("%+v", r)
	}
	first, err := os.ReadFile(filepath.Join(m.dir, "tocsin.db.model"))
	if err != nil {
		t.Fatal(err)
	}
	m.must("train", "-cutoff", "2030-01-01", "-benign", "own.txt", "-model", "other.model")
	if again, err := os.ReadFile(filepath.Join(m.dir, "other.model")); err != nil || string(again) != string(first) {
		t.Errorf("the same lists make another model: %v", err)
	}
	for _, args := range [][]string{{}, {"-cutoff", "2030-01-01"}} {
		out := m.must(append([]string{"eval", "-domains", cases}, args...)...)
		for _, row := range []string{`listed by scamsniffer +100 .* 100.00 \[96.30–100.00\]`, `popular sites +100 `,
			`innocent: given +1 `, `crypto phishing, own domains +100 `} {
			if !regexp.MustCompile(row).MatchString(out) {
				t.Errorf("eval %q: no row is like %s:\n%s", args, row, out)
			}
		}
	}
	out := m.must("eval", "-domains", cases, "-highest", "3")
	if !regexp.MustCompile(`\nINNOCENT +SCORE +\n(\S+ +0\.\d{6} .*\n){3}$`).MatchString(out) {
		t.Errorf("the innocent names with the highest scores: %s", out)
	}
	m.write("tocsin.db.model", "damaged")
	m.fails(exitFailure, "not a model, or it is damaged", "eval", "-domains", cases)
	m.fails(exitFailure, "with -force it is replaced", "train")
	m.must("train", "-force")
}

func TestTrainSaysWhatIsMissing(t *testing.T) {
	m := newMachine(t)
	m.must("import", "spmedia", "-from", m.write("list.txt", "one-tocsin.com"))
	m.fails(exitFailure, "too few names to learn from: 1 fraudulent", "train")
	m.fails(exitUsage, "-benign: ", "train", "-benign", "missing.txt", "-db", filepath.Join(m.dir, "tocsin.db"))
	m.fails(exitUsage, "-brands .*: line 1: ", "train", "-brands", filepath.Join(m.dir, m.write("brands.txt", "acme")))
	m.fails(exitUsage, "-cutoff", "train", "-cutoff", "soon")
	m.fails(exitUsage, "name a file with -domains", "eval")
}

// TestHowATrainingEndedIsOnRecord: what was refused, and why, is on the status page of a server.
func TestHowATrainingEndedIsOnRecord(t *testing.T) {
	m := newMachine(t)
	m.must("import", "spmedia", "-from", m.write("list.txt", "one-tocsin.com"))
	m.fails(exitFailure, "too few names", "train")
	s := m.serve()
	training := func() map[string]any {
		return s.call("/status", "", nil).body["names"].(map[string]any)["lastTraining"].(map[string]any)
	}
	m.want("it failed", []any{training()["result"], training()["reason"]}, []any{"failed", "few_names"})
	_, page := s.page("/status")
	m.want("the page says so", strings.Contains(page, "the lists have too few names to learn from"), true)
	m.want("again within a day", strings.Contains(m.must("train", "-every", "24h"), "not due"), true)
	tocsintest.Want(t, "a model", fileExists(filepath.Join(m.dir, "tocsin.db.model")), false)
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
