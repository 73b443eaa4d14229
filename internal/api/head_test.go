package api

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"tocsin/internal/x402/x402test"
)

// head makes a call on a connection of its own, and returns the status line and the headers of the response as they
// were sent.
func (s *service) head(method, path string, headers ...string) string {
	s.t.Helper()
	c, err := net.Dial("tcp", s.http.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n",
		method, s.api.contract.Base+path)
	for _, h := range headers {
		fmt.Fprint(c, h+"\r\n")
	}
	fmt.Fprint(c, "\r\n")
	var b strings.Builder
	r := textproto.NewReader(bufio.NewReaderSize(c, 64<<10))
	for {
		line, err := r.ReadLine()
		if err != nil {
			s.t.Fatal(err)
		}
		b.WriteString(line + "\r\n")
		if line == "" {
			return b.String()
		}
	}
}

// TestTheHeadOfEvery402FitsIntoOneBufferOfAProxy: nginx reads a head into 4,096 bytes, and answers 502 to a longer one.
func TestTheHeadOfEvery402FitsIntoOneBufferOfAProxy(t *testing.T) {
	for about, base := range map[string]string{
		"usual": baseURL,
		"long":  "https://" + strings.Repeat("subdomain.", 24) + "tocsin.example:65535",
	} {
		t.Run(about, func(t *testing.T) {
			s := openShop(t, func(c *Config) { c.BaseURL = base })
			s.facilitator.OfferSolana(feePayer)
			if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
				t.Fatal(trouble)
			}
			id := "X-Request-Id: " + strings.Repeat("i", 64)
			spent := "x-api-key: " + s.key(0)
			biggest := 0
			fits := func(about, head string) {
				t.Helper()
				if !strings.HasPrefix(head, "HTTP/1.1 402 ") || !strings.Contains(head, "\r\nPayment-Required: ") {
					t.Errorf("%s: %s", about, head)
				}
				if biggest = max(biggest, len(head)); len(head) >= 4096 {
					t.Errorf("%s: the head has %d bytes", about, len(head))
				}
			}
			for _, path := range []string{"/screen/" + thief, "/screen/" + strings.Repeat("x", 3000),
				"/domains/check/uniswaplp.com", "/domains/check/https:%2F%2Fevil.example%2F" + strings.Repeat("%20", 1000),
				"/community-reports/search?q=ronin%20bridge", "/community-reports"} {
				fits(path, s.head("GET", path, id))
				fits("exhausted: "+path, s.head("GET", path, id, spent))
			}
			fits("POST", s.head("POST", "/check", id))
			want(t, "both networks", s.get("/community-reports").count("accepts"), 2)
			if names := s.get("/community-reports").in("extensions").(map[string]any); about == "usual" && len(names) != 3 {
				t.Errorf("it has %d extensions", len(names))
			}
			s.facilitator.Do(func() {
				s.facilitator.Verifying = x402test.Status(http.StatusOK,
					`{"isValid":false,"invalidReason":"`+strings.Repeat("insufficient_", 300)+`"}`)
			})
			payment := s.sign("GET", "/community-reports")
			fits("refused", s.head("GET", "/community-reports", id, spent, "PAYMENT-SIGNATURE: "+payment))
			t.Logf("the biggest head has %d bytes", biggest)
		})
	}
}
