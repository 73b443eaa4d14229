package feed

import (
	"net/url"
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

// TestAnObjectionIsFilledIn: an issue at GitHub has title and text, the form of MetaMask has its own fields, and a list
// whose page takes neither has no such link.
func TestAnObjectionIsFilledIn(t *testing.T) {
	for name, fields := range map[string]string{
		"polkadot":            "body=my+text&title=My+title",
		"eth-phishing-detect": "domains=shop.example&rationale=my+text&template=02-blocklist-removal.yaml&title=My+title",
		"etherscan-labels":    "",
		OFAC:                  "",
	} {
		s, _ := Find(name)
		want, said := "", ""
		if fields != "" {
			want = s.URL + "/issues/new?" + fields
			said = s.URL + "/issues?q=" + url.QueryEscape(`"shop.example"`)
		}
		if to := s.NewObjection("shop.example", "My title", "my text"); to != want {
			t.Errorf("%s: %s", name, to)
		}
		if to := s.Discussions("shop.example"); to != said {
			t.Errorf("%s: discussions at %s", name, to)
		}
	}
	for name, mailbox := range mailboxes {
		if s, found := Find(name); !found || s.Mailbox() != mailbox || strings.Count(mailbox, "@") != 1 {
			t.Errorf("%s: %q", name, mailbox)
		}
	}
}
