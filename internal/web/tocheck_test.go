package web

import (
	"net/url"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/feed"
)

// TestWhatOneOldListNamesCanBeChecked: its page has the steps of an unknown subject, and a link to them.
func TestWhatOneOldListNamesCanBeChecked(t *testing.T) {
	s := start(t)
	s.list(feed.Unkept, feed.Unkept, tocsin.Risk, "scam", thief, "old.example")
	s.list("forta", "forta", tocsin.Risk, "scam", nobody)
	v := s.visitor()
	p := v.get("/screen/" + thief)
	p.says("One old list warns of this address.", "Send nothing yet", "How to check it", "Before you send anything",
		"Ask for it again, in another way.", "Compare with the one I know")
	v.get("/screen/old.example").says("Pay nothing yet, connect nothing", "Before you pay or connect anything")
	lacks(t, v.get("/screen/"+nobody), "Before you send anything", "How to check it")
}

// TestALinkToSeveralAnswersSaysHowManyWarn, in its title, its description and its picture.
func TestALinkToSeveralAnswersSaysHowManyWarn(t *testing.T) {
	s := start(t)
	s.list("forta", "forta", tocsin.Risk, "scam", thief)
	v := s.visitor()
	p := v.get("/screen?q=" + url.QueryEscape(thief+"\ngood.example\n"+nobody))
	want(t, "said", []any{p.status, p.meta("og:title"), p.meta("og:description")}, []any{200,
		"Stop: we warn of one of these.",
		"3 addresses and websites were looked up. Something speaks against one of them."})
	image, link := p.meta("og:image"), p.meta("og:url")
	want(t, "a picture of its own", strings.HasPrefix(image, s.base+"/screen.png?"), true)
	want(t, "drawn", s.card(image).Code, 200)
	want(t, "its address", strings.HasPrefix(link, s.base+"/screen?q="), true)
	p = v.get("/screen?q=" + url.QueryEscape("good.example\n"+nobody) + "&lang=es")
	want(t, "in Spanish", []any{p.meta("og:description"), strings.Contains(p.meta("og:url"), "?lang=")}, []any{
		"Se consultaron 2 direcciones y sitios web. Nadie advierte de estos. Eso no significa que sean seguros.", false})
}
