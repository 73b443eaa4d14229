package tocsin

import (
	"strings"
	"testing"
)

func TestEveryCrimeTypeHasItsWords(t *testing.T) {
	seen := map[string]CrimeType{}
	for _, c := range CrimeTypes() {
		if got, err := ParseCrimeType(string(c)); err != nil || got != c {
			t.Errorf("%s is parsed as %s, %v", c, got, err)
		}
		for _, words := range []string{c.Name(), c.About(), c.Description()} {
			if other, twice := seen[words]; words == "" || twice {
				t.Errorf("%s: %q are the words of %s", c, words, other)
			}
			seen[words] = c
		}
		if c.Name() == strings.ReplaceAll(string(c), "_", " ") {
			t.Errorf("%s has no name", c)
		}
	}
	if len(seen) != 3*13 {
		t.Errorf("there are %d crime types", len(seen)/3)
	}
	later := CrimeType("sim_swap")
	if later.Name() != "sim swap" || later.About() != "" || later.Description() != "" {
		t.Errorf("an unknown type is %q, %q, %q", later.Name(), later.About(), later.Description())
	}
	if got, err := ParseCrimeType("Phishing"); err == nil {
		t.Errorf("Phishing is parsed as %s", got)
	}
	_, err := ParseCrimeType("sim_swap")
	if err == nil || !strings.Contains(err.Fields[0].Fix, "pig_butchering, hack, ") {
		t.Errorf("%v", err)
	}
}
