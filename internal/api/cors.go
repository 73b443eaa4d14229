package api

import "net/http"

// Any page may call the API: it knows no cookies, so that a page can do nothing
// in the name of its visitor that it could not do itself. What clients of x402
// send and read is listed; they send Access-Control-Expose-Headers, too.
const (
	allowedHeaders = "Content-Type, x-api-key, x-manage-token, Idempotency-Key, X-Request-Id, Authorization, X-PAYMENT, PAYMENT-SIGNATURE, SIGN-IN-WITH-X, " +
		"Access-Control-Expose-Headers, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name"
	exposedHeaders = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, X-RateLimit-Remaining-Day, X-Free-Tier-Exhausted, Retry-After, X-Request-Id, Location, ETag"
)

// CORS sets the headers that let pages of other origins call (CORS, of the Fetch
// standard), and reports whether the request was only the question whether they may.
func CORS(h http.Header, r *http.Request) (preflight bool) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", exposedHeaders)
	// A shared cache must not hand one caller's paid answer to another.
	h.Set("Vary", "x-api-key, PAYMENT-SIGNATURE, X-PAYMENT")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", allowedHeaders)
	h.Set("Access-Control-Max-Age", "86400")
	return true
}
