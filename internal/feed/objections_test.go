package feed

import (
	"strings"
	"testing"
)

// TestAnybodyOnAListCanObject: each list that others publish has a page for that.
func TestAnybodyOnAListCanObject(t *testing.T) {
	for _, s := range Sources() {
		to := s.Objections()
		if s.Upstream != "" && !strings.HasPrefix(to, "https://") {
			t.Errorf("%s: %q", s.Name, to)
		}
	}
	for name := range objections {
		if _, found := Find(name); !found {
			t.Errorf("%s is no list", name)
		}
	}
	starter, _ := Find(StarterList)
	if to := starter.Objections(); to != "" {
		t.Errorf("the starter set is the operator's: %s", to)
	}
}

// TestObjectionsOfAListOnGitHubAreInItsRepository.
func TestObjectionsOfAListOnGitHubAreInItsRepository(t *testing.T) {
	for name, to := range objections {
		s, _ := Find(name)
		repository, _, found := strings.Cut(strings.TrimPrefix(to, "https://github.com/"), "/issues")
		if found != strings.HasPrefix(to, "https://github.com/") || found && !strings.Contains(s.URL+s.Upstream, repository) {
			t.Errorf("%s: %s is not of %s", name, to, s.URL)
		}
	}
}
