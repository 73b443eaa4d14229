package front

import (
	"net/http"
	"strconv"
	"strings"
)

// AcceptsGzip reports whether the client takes a response in gzip (RFC 9110, section 12.5.3): it names gzip, or every
// coding, and not with a weight of 0.
func AcceptsGzip(r *http.Request) bool {
	weights := map[string]float64{}
	for _, value := range r.Header.Values("Accept-Encoding") {
		for entry := range strings.SplitSeq(value, ",") {
			coding, parameter, _ := strings.Cut(entry, ";")
			weight := 1.0
			if q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q="); ok {
				weight, _ = strconv.ParseFloat(q, 64)
			}
			weights[strings.ToLower(strings.TrimSpace(coding))] = weight
		}
	}
	if weight, named := weights["gzip"]; named {
		return weight > 0
	}
	return weights["*"] > 0
}

// IsCoded reports whether the body of a request has a content coding (RFC 9110, section 8.4), such as gzip. Nothing
// here decodes one: a few bytes could become a large body.
func IsCoded(r *http.Request) bool {
	for _, coding := range r.Header.Values("Content-Encoding") {
		if coding != "" && !strings.EqualFold(strings.TrimSpace(coding), "identity") {
			return true
		}
	}
	return false
}
