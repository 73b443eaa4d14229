package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/locale"
)

// TestNoSpaceIsBetweenSentencesInChinese: the templates have one there. What people wrote keeps theirs.
func TestNoSpaceIsBetweenSentencesInChinese(t *testing.T) {
	s, pages := full(t)
	const chinese, written = "Accept-Language: zh-CN", "我先签了名。 然后钱就没了， 都没了。"
	one := s.file(draft{"reportedDomains": []string{"shop.example"}, "description": written})
	pages["/reports/"+one.ID], pages["/object?subject="+thief], pages["/object?subject=shop.example"] = 200, 200, 200
	pages["/screen?q=https%3A%2F%2Fgithub.io%2Fa"] = 200
	spaced := regexp.MustCompile(`[。，！？：；](</[a-z]+>)* +[^ <]{0,20}`)
	v := s.visitor()
	for path := range pages {
		if strings.HasPrefix(path, "/docs") {
			continue
		}
		p := v.do(http.MethodGet, path, nil, chinese)
		if found := spaced.FindString(strings.ReplaceAll(p.html, written, "")); found != "" {
			t.Errorf("%s: %q", path, found)
		}
		if strings.Contains(p.html, endMark) {
			t.Errorf("%s has a mark", path)
		}
	}
	if p := v.do(http.MethodGet, "/reports/"+one.ID, nil, chinese); !strings.Contains(p.html, written) {
		t.Error("the story was changed")
	}
}

// TestTheSpaceBehindATextIsTakenAway where it ends with a mark that has one, also behind the end of an element.
func TestTheSpaceBehindATextIsTakenAway(t *testing.T) {
	chinese := allLanguages().Choose("zh-Hans", "")
	var page strings.Builder
	for _, text := range []string{"一。", "二！", "三？", "四：", "五；", "六，", "七", "八.", "<strong>九。</strong>"} {
		page.WriteString(ended(chinese, text) + "  ")
	}
	for _, tag := range []string{"a", "strong", "b", "span", "p"} {
		page.WriteString("<" + tag + ">" + ended(chinese, "十。") + "</" + tag + "> ")
	}
	text := dense([]byte(page.String() + ended(english(), "End。") + " "))
	want(t, "the page", text.String(), "一。二！三？四：五；六，七  八.  <strong>九。</strong><a>十。</a><strong>十。</strong>"+
		"<b>十。</b><span>十。</span><p>十。</p> End。 ")
}

func TestListsAndChainsAreNamedInTheLanguage(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed.example")
	s.list("partner", "partner", tocsin.Risk, "phishing", "listed.example")
	v := s.visitor()
	for path, says := range map[string][]string{
		"/screen/listed.example": {"Lista de phishing de Polkadot", "partner"}, "/status": {"Lista de phishing de Polkadot"},
		"/object?subject=listed.example": {"Lista de phishing de Polkadot"},
	} {
		v.do(http.MethodGet, path, nil, "Accept-Language: es").says(says...)
	}
	es, _ := locale.Load("es")
	want(t, "a chain", []string{chainName(es.English(), "eip155:7777"), chainName(es.English(), "eip155:1")},
		[]string{"Cadena EVM 7777", "Ethereum"})
}
