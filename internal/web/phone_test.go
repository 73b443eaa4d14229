package web

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"net/url"
	"strings"
	"testing"
)

// TestThePhoneFindsItsFiles: each page names them, and each file names only files that are there.
func TestThePhoneFindsItsFiles(t *testing.T) {
	s := start(t)
	named := map[string]string{}
	for _, n := range s.visitor().get("/").all("link") {
		named[attr(n, "rel")] = attr(n, "href")
	}
	want(t, "the manifest", named["manifest"], "/manifest.webmanifest")
	var m struct {
		Icons []struct{ Src, Sizes, Purpose string }
		Share struct {
			Action, Method string
			Params         map[string]string
		} `json:"share_target"`
	}
	w := s.card(named["manifest"])
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	want(t, "its type", w.Header().Get("Content-Type"), "application/manifest+json")
	purposes := []string{}
	for _, i := range m.Icons {
		icon := s.card(i.Src)
		is, err := png.DecodeConfig(bytes.NewReader(icon.Body.Bytes()))
		if size, _, _ := strings.Cut(i.Sizes, "x"); err != nil || size != map[int]string{192: "192", 512: "512"}[is.Width] {
			t.Errorf("%s: %v %v", i.Src, is, err)
		}
		purposes = append(purposes, i.Purpose)
	}
	want(t, "purposes", strings.Join(purposes, " "), "any maskable any")
	for _, path := range []string{"/favicon.ico", named["apple-touch-icon"]} {
		want(t, path, s.card(path).Code, 200)
		tag := s.card(path).Header().Get("ETag")
		want(t, path+" again", s.card(path, "If-None-Match", tag).Code, 304)
	}

	var d struct {
		URL struct {
			Template string `xml:"template,attr"`
		} `xml:"Url"`
	}
	if err := xml.Unmarshal(s.card(named["search"]).Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	at := strings.TrimPrefix(strings.Replace(d.URL.Template, "{searchTerms}", "evil.example", 1), s.base)
	want(t, "a search", s.visitor().get(at).header.Get("Location"), "/screen/evil.example?asked=1")
	// What is shared with the app.
	for shared, to := range map[string]string{
		"text=" + url.QueryEscape("Look at this: https://evil.example/claim?x=1"): "/screen/evil.example",
		"url=" + url.QueryEscape("https://evil.example/"):                         "/screen/evil.example",
		"text=&url=" + url.QueryEscape("https://evil.example/"):                   "/screen/evil.example",
		"text=" + url.QueryEscape("send it to "+nobody):                           "/screen/" + nobody,
		"text=" + url.QueryEscape("https://evil.example/") + "&url=evil.example":  "/screen/evil.example",
	} {
		values, err := url.ParseQuery(shared)
		if err != nil {
			t.Fatal(err)
		}
		sent := url.Values{}
		for name, field := range m.Share.Params {
			if values.Has(name) {
				sent.Set(field, values.Get(name))
			}
		}
		at := s.visitor().get(m.Share.Action + "?" + sent.Encode()).header.Get("Location")
		want(t, m.Share.Method+" "+shared, at, to+"?asked=1")
	}
}
