package front

import "net/http"

// CORS is what pages of other origins may send and read (CORS, of the Fetch
// standard). Every origin is allowed: nothing here reads cookies, so a page can
// do nothing in the name of its visitor that it could not do itself.
type CORS struct {
	Methods string // that a page may use
	Headers string // that a page may send
	Exposed string // headers of the response that a page may read
}

// Apply sets the headers, and reports whether the request is a preflight.
func (c CORS) Apply(h http.Header, r *http.Request) (preflight bool) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", c.Exposed)
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", c.Methods)
	h.Set("Access-Control-Allow-Headers", c.Headers)
	h.Set("Access-Control-Max-Age", "86400")
	return true
}
