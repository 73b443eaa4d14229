package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAServerJudgesNamesByTheModelBesideItsDatabase, as soon as it is there. A damaged one that
// takes its place changes nothing.
func TestAServerJudgesNamesByTheModelBesideItsDatabase(t *testing.T) {
	m := newMachine(t)
	m.learns()
	key := m.newKey()
	s := m.serve()
	const learnt, imitates = "claim-bacoba.xyz", "metamask-login.io"
	m.want("rules alone", s.screen(imitates, key).body["result"], "suspicious")
	m.want("without a model", s.screen(learnt+".example.com", key).body["notPredicted"], "no_model")
	names := func() map[string]any { return s.call("/status", "", nil).body["names"].(map[string]any) }
	inUse := func() (version string) {
		if model, ok := names()["model"].(map[string]any); ok {
			version, _ = model["version"].(string)
		}
		return version
	}
	m.must("train", "-cutoff", "2030-01-01")
	m.soon("the model is in use", func() bool { return strings.HasPrefix(inUse(), "2030-01-01-") })
	m.write("new.model", "damaged")
	if err := os.Rename(filepath.Join(m.dir, "new.model"), filepath.Join(m.dir, "tocsin.db.model")); err != nil {
		t.Fatal(err)
	}
	m.soon("the status says what was refused", func() bool { return names()["refused"] == "damaged" })
	judged := s.screen("claim-comila.example", key).body["prediction"].(map[string]any)
	m.want("the model in use", judged["modelVersion"], inUse())
	if out := m.must("screen", imitates, "uniswap.org"); !strings.Contains(out, "Resembles metamask.io (+25)") {
		t.Error(out)
	}
}

// TestScreenNamesFurtherBrands of the operator beside the sites of the starter set, and says which lines of their file
// are wrong.
func TestScreenNamesFurtherBrands(t *testing.T) {
	m := newMachine(t)
	m.must("import", "spmedia", "-from", m.write("list.txt", "one-tocsin.com"))
	brands := filepath.Join(m.dir, m.write("brands.txt", "acmebank  acmebank.example"))
	for _, args := range [][]string{{}, {"-brands", brands}} {
		out := m.must(append([]string{"screen", "-csv", "acmebank-login.com", "zoll.de.pay-x.com"}, args...)...)
		m.want("zoll.de.pay-x.com", strings.Contains(out, "MEDIUM,25,review,suspicious,Resembles zoll.de"), true)
		m.want("acmebank-login.com", strings.Contains(out, "MEDIUM,25,review,suspicious,Resembles acmebank.example"),
			len(args) > 0)
	}
	m.fails(exitUsage, "-brands .*: line 1: ", "screen", "one.com", "-brands",
		filepath.Join(m.dir, m.write("wrong.txt", "acme")))
	m.fails(exitUsage, "-brands: ", "serve", "-brands", "missing")
}
