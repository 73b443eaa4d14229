package web

import (
	"net/url"
	"regexp"
	"strings"
)

// pasted are the fields into which visitors paste what they look up, report or compare.
var pasted = []string{"q", "url", "subject", "typed", thingsField, bulkField, "address", "known"}

// readOwnPages replaces each link to a page of this service, in what the visitor pasted, by the subject or the report
// of the page: our own address is not what they mean to look up.
func (s *Site) readOwnPages(req *request) {
	if typed := req.URL.Query(); s.readPages(req, typed) {
		at := *req.URL
		at.RawQuery = typed.Encode()
		req.Request = req.WithContext(req.Context()) // what others hold of it stays as it was sent
		req.URL = &at
	}
	s.readPages(req, req.PostForm)
}

// readPages does so in the fields of a form, and reports whether there was such a link.
func (s *Site) readPages(req *request, form url.Values) (found bool) {
	for _, name := range pasted {
		for i, text := range form[name] {
			form[name][i] = s.readPage(req, text)
			found = found || form[name][i] != text
		}
	}
	return found
}

// readPage does so in a text.
func (s *Site) readPage(req *request, text string) string {
	if !strings.Contains(text, "/") {
		return text
	}
	links := s.ownPages(req)
	return links.ReplaceAllStringFunc(text, func(link string) string {
		found := links.FindStringSubmatch(link)
		about, err := url.PathUnescape(found[2])
		if found[3] != "" {
			about, err = url.QueryUnescape(found[3])
		}
		if report, _, _ := strings.Cut(about, "/"); likeReportID.MatchString(report) { // its case file, too
			about = report
		}
		if err != nil || strings.TrimSpace(about) == "" {
			return link
		}
		return found[1] + about
	})
}

// ownPages matches a link to the page of a subject or of a report, under the name of this service or the one that the
// visitor uses, with any scheme and port, also as analysts write it. It ends where a list or a sentence goes on.
func (s *Site) ownPages(req *request) *regexp.Regexp {
	name := func(host string) string {
		name := regexp.QuoteMeta(hostPort.ReplaceAllString(host, ""))
		return strings.ReplaceAll(name, `\.`, `(?:\.|\[\.\])`)
	}
	return regexp.MustCompile(`(?i)(^|[\s<("',;])(?:h(?:tt|xx)ps?:/{1,2})?` +
		"(?:" + name(s.host) + "|" + name(req.Host) + ")" +
		`(?::[0-9]+)?/(?:(?:screen|reports)/([^\s<>"',;?#]+)[^\s<>"',;]*|` +
		`(?:object(?:/case|\.json)?|screen(?:\.png)?|` +
		`reports?)?\?(?:[^\s<>"',;#]*&)?(?:subject|q)=([^\s<>"',;&#]+)[^\s<>"',;]*)`)
}

// hostPort is the port at the end of a host.
var hostPort = regexp.MustCompile(`:[0-9]+$`)
