package api

import (
	"net/http"

	"tocsin/internal/front"
)

// cors is what pages of other origins may send and read. It lists what clients
// of x402 send and read; they send Access-Control-Expose-Headers, too.
var cors = front.CORS{
	Methods: "GET, HEAD, POST, DELETE, OPTIONS",
	Headers: "Content-Type, x-api-key, x-manage-token, Idempotency-Key, X-Request-Id, Authorization, X-PAYMENT, " +
		"PAYMENT-SIGNATURE, SIGN-IN-WITH-X, Access-Control-Expose-Headers, " +
		"MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name",
	Exposed: "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, X-RateLimit-Remaining-Day, " +
		"X-Free-Tier-Exhausted, Retry-After, X-Request-Id, Location, ETag",
}

// AllowOrigins lets pages of every origin call, and reports whether the request
// is a preflight. The API and the MCP endpoint share it.
func AllowOrigins(h http.Header, r *http.Request) (preflight bool) {
	// A shared cache must not hand one caller's paid answer to another.
	h.Set("Vary", "x-api-key, Authorization, PAYMENT-SIGNATURE, X-PAYMENT, SIGN-IN-WITH-X")
	return cors.Apply(h, r)
}
