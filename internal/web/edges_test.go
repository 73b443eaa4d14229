package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestAFormThatNoBrowserSendsIsRefused, and says what to do.
func TestAFormThatNoBrowserSendsIsRefused(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for _, body := range []string{"theme=%zz", "theme=a;b"} {
		res, err := v.client.Post(s.base+"/theme", "application/x-www-form-urlencoded", strings.NewReader(body))
		tocsintest.Must(t, err)
		res.Body.Close()
		want(t, body, res.StatusCode, http.StatusBadRequest)
	}
	p := v.do(http.MethodPost, "/theme", nil, "Accept-Language: es", "Content-Type: multipart/form-data")
	p.says("El formulario no se envió como lo envía un navegador.")
}

// TestWhatIsPastedIntoAPathIsFound as in a search field.
func TestWhatIsPastedIntoAPathIsFound(t *testing.T) {
	v := start(t).visitor()
	for text, to := range map[string]string{
		"My address is " + thief:           "/screen/" + thief,
		"send it to evil.example, now":     "/screen/evil.example",
		strings.ToLower(thief):             "/screen/" + thief,
		"HTTPS://Evil.example:443/a?b=c#d": "/screen/evil.example",
	} {
		p := v.get("/screen/" + url.PathEscape(text))
		want(t, text, []any{p.status, p.header.Get("Location")}, []any{http.StatusSeeOther, to})
	}
}

// TestPagesOfUsersAreNoLinks, on a well-known site or below it.
func TestPagesOfUsersAreNoLinks(t *testing.T) {
	links := []evidenceLink{{Host: "github.com"}, {Host: "gist.github.com"}, {Host: "notgithub.com"},
		{Host: "gist.github.com", Reason: warnedOf}, {Host: "gist.github.com", Reason: notVouched}}
	unlinkUsers(links)
	var reasons []string
	for _, l := range links {
		reasons = append(reasons, string(l.Reason))
	}
	want(t, "reasons", reasons, []string{ofStrangers, ofStrangers, "", ofStrangers, notVouched})
}

// TestWordsForWhatIsNotUsual are still words.
func TestWordsForWhatIsNotUsual(t *testing.T) {
	want(t, "a URL without a scheme", defangURL("evil.example"), "evil[.]example")
	want(t, "a search for nothing", len(searchTerms([]tocsin.Term{{Text: "?!"}, {Text: "a"}})), 1)
	long := newForm(english(), url.Values{onceField: {strings.Repeat("x", 65)}})
	kept := newForm(english(), url.Values{onceField: {strings.Repeat("x", 64)}})
	want(t, "tickets", []int{len(long.Once), len(kept.Once)}, []int{0, 64})
}

// TestATagIsSaidToBeNoPartOfTheAccount: it is dropped, and the page does not drop it in silence.
func TestATagIsSaidToBeNoPartOfTheAccount(t *testing.T) {
	const says = "A destination tag is not part of the account."
	v := start(t).visitor()
	at := v.get("/screen?q=rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY-495").header.Get("Location")
	v.get(at).says(says)
	want(t, "of another chain", strings.Contains(v.get("/screen/"+nobody).main(), says), false)
}
