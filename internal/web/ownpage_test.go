package web

import (
	"net/url"
	"strings"
	"testing"

	"tocsin"
)

// TestALinkOfThisServiceIsReadAsWhatItsPageIsAbout: under its own name and under that which the visitor uses, wherever
// it is pasted. A link to another site stays one.
func TestALinkOfThisServiceIsReadAsWhatItsPageIsAbout(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "evil.example")
	id, v := s.fileLargest(0), s.visitor()
	leads := func(typed string) string {
		at, _, _ := strings.Cut(v.get("/?q="+url.QueryEscape(typed)).header.Get("Location"), "?")
		return at
	}
	for _, host := range []string{"https://tocsin.example", "tocsin.example:8443", "hxxp://TOCSIN[.]example",
		"http://127.0.0.1:1"} {
		for path, about := range map[string]string{
			"/screen/evil.example":                 "evil.example",
			"/screen/evil.example?lang=de#h-lists": "evil.example",
			"/screen/" + thief:                     thief,
			"/object?lang=de&subject=evil.example": "evil.example",
			"/object/case?subject=evil.example":    "evil.example",
			"/reports/" + id:                       id,
			"/reports/" + id + "/case":             id,
		} {
			shown := map[bool]string{true: "/reports/" + id, false: "/screen/" + about}[about == id]
			if host == "http://127.0.0.1:1" { // which only who uses the service under it means
				at := v.get("/?q="+url.QueryEscape(host+path), "host: 127.0.0.1:18080").header.Get("Location")
				at, _, _ = strings.Cut(at, "?")
				want(t, host+path, at, shown)
				continue
			}
			want(t, host+path, leads(host+path), shown)
			p := v.get("/object?subject=" + url.QueryEscape(host+path))
			want(t, "for the owner, "+host+path, p.main(), v.get("/object?subject="+about).main())
		}
	}
	at := v.get("/screen/http:/tocsin.example/screen/evil.example").header.Get("Location")
	want(t, "in a path", strings.HasPrefix(at, "/screen/evil.example"), true)
	v.get("/object?subject=https://tocsin.example/screen/evil.example").says("ScamSniffer")
	want(t, "two at once", v.get("/?q=https://tocsin.example/screen/evil.example+https://tocsin.example/screen/"+thief).
		main(), v.get("/?q=evil.example+"+thief).main())
	p := v.post("/bulk", fields{"subjects": "tocsin.example/screen/evil.example\ntocsin.example/screen/" + thief})
	want(t, "a list", p.main(), v.post("/bulk", fields{"subjects": "evil.example\n" + thief}).main())
	p = v.post("/compare", fields{"address": "https://tocsin.example/screen/" + thief, "known": thief})
	p.says("They are the same address.")
	p = v.post("/report", fields{thingsField: "https://tocsin.example/screen/evil.example"})
	want(t, "a report", p.value(thingsField), "evil.example")

	want(t, "another site", leads("https://tocsin.example.evil.example/screen/good.example"),
		"/screen/tocsin.example.evil.example")
	want(t, "behind another", leads("https://evil.example/tocsin.example/screen/good.example"), "/screen/evil.example")
	want(t, "another page", leads("https://tocsin.example/status"), "/screen/tocsin.example")
	want(t, "the service itself", leads("https://tocsin.example/"), "/screen/tocsin.example")
}
