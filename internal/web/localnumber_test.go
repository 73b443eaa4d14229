package web

import (
	"net/url"
	"slices"
	"testing"
)

// TestANumberWithoutItsCountryIsOfferedWithIt, by the country that the browser names, and found then.
func TestANumberWithoutItsCountryIsOfferedWithIt(t *testing.T) {
	s := start(t)
	v := s.visitor()
	s.storedReport(v.post("/report", aForm.with(fields{thingsField: "+44 7700 900123",
		whoseField: "theirs +447700900123"})))
	look := v.get("/screen?q=" + url.QueryEscape("07700 900123")).header.Get("Location")
	p := v.get(look, "Accept-Language: en-GB")
	p.says("If it is a phone number, look up +44 7700 900123.")
	at := "/screen?q=" + url.QueryEscape("+44 7700 900123")
	want(t, "its link", slices.Contains(p.links(), at), true)
	v.get(v.get(at).header.Get("Location")).says("1 report mentions")
	v.get(look, "Accept-Language: en").says("in place of the 0. For example: +44 7700 900123 · +49 7700 900123")
	look = v.get("/screen?q=" + url.QueryEscape("0151 23456789")).header.Get("Location")
	p = v.get(look, "Accept-Language: en-US")
	p.says("in place of the 0. For example: +49 151 23456789")
	lacks(t, p, "+1 151")
	v.get(look, "Accept-Language: en-GB").says("+49 151 23456789") // which has a digit too many for a British one
	look = v.get("/screen?q=" + url.QueryEscape("612 345 678")).header.Get("Location")
	v.get(look, "Accept-Language: en").says("write the country code before it")
}
