package web

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// keptLanguage is the language that the URL of a page names, if the page has it for that reason alone: its links, its
// forms and redirects must name it too, or the next page would be in another one. Otherwise it is "".
func (s *Site) keptLanguage(req *http.Request) string {
	if req.URL.Query().Get(langParameter) == "" {
		return ""
	}
	without := req.Clone(req.Context())
	without.URL.RawQuery = ""
	tag := s.languageOf(req).Tag // also if the URL names it in another way, as in zh
	if s.languageOf(without).Tag == tag {
		return ""
	}
	return tag
}

var (
	// ownLink matches a link within the site, and its target.
	ownLink = regexp.MustCompile(`<a\b[^>]*? href="(/[^"/][^"]*|/|\?[^"]*)"`)
	// ownForm matches the beginning of a form, its attributes, and the path of its page.
	ownForm = regexp.MustCompile(`<form\b([^>]*?) action="(/[^"]*)"[^>]*>`)
	// ownAction matches the page that a button sends its form to.
	ownAction = regexp.MustCompile(` formaction="(/[^"]*)"`)
)

// keepLanguage names a language in the links and forms of a document.
func keepLanguage(document []byte, tag string) (b bytes.Buffer) {
	parameter := langParameter + "=" + url.QueryEscape(tag)
	target := func(at string) string {
		at, fragment, marked := strings.Cut(at, "#")
		if strings.Contains(at, "?") {
			at += "&amp;" + parameter
		} else {
			at += "?" + parameter
		}
		if marked {
			at += "#" + fragment
		}
		return at
	}
	replace := func(form *regexp.Regexp, with func(all string, parts []string) string) {
		document = form.ReplaceAllFunc(document, func(found []byte) []byte {
			return []byte(with(string(found), form.FindStringSubmatch(string(found))))
		})
	}
	inTarget := func(all string, parts []string) string {
		at := parts[len(parts)-1]
		return strings.Replace(all, `"`+at+`"`, `"`+target(at)+`"`, 1)
	}
	replace(ownLink, inTarget)
	replace(ownAction, inTarget)
	replace(ownForm, func(all string, parts []string) string {
		switch {
		case parts[2] == "/language":
			return all
		case strings.Contains(all, `method="post"`):
			return inTarget(all, parts)
		}
		// A browser drops the parameters of such a form.
		return all + `<input type="hidden" name="` + langParameter + `" value="` + tag + `">`
	})
	b.Write(document)
	return b
}

// redirected is where a redirect leads, with the language of the page that it comes from.
func redirected(at, tag string) string {
	to, err := url.Parse(at)
	if err != nil || tag == "" || to.IsAbs() || to.Host != "" || to.Query().Has(langParameter) {
		return at
	}
	if to.RawQuery != "" {
		to.RawQuery += "&"
	}
	to.RawQuery += langParameter + "=" + url.QueryEscape(tag)
	return to.String()
}
