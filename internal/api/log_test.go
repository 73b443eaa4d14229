package api

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/evm"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

// logTo makes a service write its log to a buffer, without the time of each line.
func logTo(log *lockedBuffer) func(*Config) {
	return func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			},
		}))
	}
}

// holds reports whether a text was written since the log was taken.
func (b *lockedBuffer) holds(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Contains(b.text.String(), text)
}

// TestTheLogSaysWhatBecameOfEachPayment: it is what an operator has when a payer complains.
func TestTheLogSaysWhatBecameOfEachPayment(t *testing.T) {
	log := new(lockedBuffer)
	node := newNode(t)
	s := openShop(t, logTo(log), func(c *Config) {
		base, err := evm.NewNode(node.URL, 8453, tocsintest.Patience)
		tocsintest.Must(t, err)
		c.Payments.Chains = map[string]Chain{x402.Base: x402.NewEVMChain(base)}
	})
	const path = "/screen/" + thief
	refuse := x402test.Status(200, `{"isValid":false,"invalidReason":"insufficient_funds"}`)
	unsettled := x402test.Status(200, `{"success":false,"errorReason":"invalid_exact_evm_payload_signature"}`)
	failed := x402test.Status(200,
		`{"success":false,"errorReason":"invalid_exact_evm_transaction_failed","transaction":"0x2"}`)
	pay := func(id string) {
		s.paid(s.sign("GET", path), "GET", path, nil, "X-Request-Id: "+id)
	}
	const whole = ` operation=screenAddress network=eip155:8453 amount=10000 payer=PAYER transaction=`
	for about, c := range map[string]struct {
		verifying func(http.ResponseWriter) bool
		settling  func(http.ResponseWriter) bool
		lines     []string
	}{
		"settled": {lines: []string{`INFO msg=payment id=ID outcome=settled` + whole + `0x\w{64} reason=""`}},
		"refused": {verifying: refuse, lines: []string{
			`INFO msg=payment id=ID outcome=refused operation=screenAddress network=eip155:8453 payer=PAYER ` +
				`reason=insufficient_funds`}},
		"unsettled": {settling: unsettled, lines: []string{
			`INFO msg=payment id=ID outcome=refused` + whole + `"" reason=invalid_exact_evm_payload_signature`}},
		"pending": {settling: failed, lines: []string{
			`WARN msg=chain id=ID error=".+"`,
			`INFO msg=payment id=ID outcome=pending` + whole + `0x2 reason=invalid_exact_evm_transaction_failed`}},
		"not verified": {verifying: x402test.Status(500, "oops"), lines: []string{
			`WARN msg=facilitator id=ID call=verify error="status 500 without a result: .*oops.*"`}},
		"not answered": {settling: x402test.Status(500, "oops"), lines: []string{
			`WARN msg=chain id=ID error=".+"`,
			`INFO msg=payment id=ID outcome=pending` + whole + `"" reason=facilitator_error`,
			`WARN msg=facilitator id=ID call=settle error="status 500 without a result: .*oops.*"`}},
		"turned away": {settling: x402test.Status(400, "no"), lines: []string{
			`INFO msg=payment id=ID outcome=unsent` + whole + `"" reason=facilitator_error`,
			`WARN msg=facilitator id=ID call=settle error="status 400 without a result: .*no.*"`}},
	} {
		s.facilitator.Do(func() {
			s.facilitator.Verifying, s.facilitator.Settling = c.verifying, nil
			if c.settling != nil {
				s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool { return !moved && c.settling(w) }
			}
		})
		id := strings.ReplaceAll(about, " ", "-")
		log.take()
		pay(id)
		got := slices.DeleteFunc(strings.Split(strings.TrimSpace(log.take()), "\n"), func(line string) bool {
			return strings.Contains(line, "msg=call ") || strings.Contains(line, " msg=request ") // of the front door
		})
		words := strings.NewReplacer("ID", `\S+`, "PAYER", "(?i:"+s.wallet.Address+")")
		if len(got) != len(c.lines) {
			t.Errorf("%s: the log is %q", about, got)
			continue
		}
		for i, line := range c.lines {
			if !regexp.MustCompile(`^level=` + words.Replace(line) + `$`).MatchString(got[i]) {
				t.Errorf("%s: line %d is\n%s, want\n%s", about, i, got[i], line)
			}
		}
	}
}

// TestTheLogSaysWhatTheFacilitatorCannotDo when it is asked at the start, and after each change.
func TestTheLogSaysWhatTheFacilitatorCannotDo(t *testing.T) {
	log := new(lockedBuffer)
	s := openShop(t, logTo(log))
	log.take()
	s.api.logFacilitator(&x402.FacilitatorError{Err: "it is away"}, nil)
	want(t, "away", log.take(), `level=ERROR msg="the facilitator does not say what it supports" error="it is away" `+
		`remedy="Free calls go on, and payments as soon as it answers. See what its operator says, and the network to it; `+
		`-facilitator names another one"`+"\n")
	if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	s.api.logFacilitator(nil, []string{x402.Base})
	want(t, "there", log.take(), `level=INFO msg="the facilitator answers" networks=[eip155:8453]`+"\n"+
		`level=WARN msg="the facilitator does not settle payments on this network, so that nobody can pay there" `+
		"network="+x402.Solana+"\n")
}

// TestTheLogHasOneLineForEachCallOfATool, without its arguments.
func TestTheLogHasOneLineForEachCallOfATool(t *testing.T) {
	log := new(lockedBuffer)
	s := openShop(t, logTo(log))
	for _, c := range []struct {
		call   ToolCall
		name   string
		status int
	}{
		{ToolCall{Operation: "screenAddress", Parameters: map[string]string{"address": thief}}, "check_address", 402},
		{ToolCall{Operation: "me"}, "my_stats", 200},
	} {
		log.take()
		s.call(c.call)
		line := fmt.Sprintf(`level=INFO msg=call id=\S+ method=CALL path=mcp://tool/%s status=%d us=\d+`, c.name, c.status)
		got := log.take()
		found := regexp.MustCompile(line).MatchString(got)
		if !found || strings.Count(got, "method=CALL") != 1 || strings.Contains(got, thief) {
			t.Errorf("%s: the log is\n%s, want\n%s", c.name, got, line)
		}
	}
}

// TestTheReconcilerWorksUntilItIsStopped, by itself.
func TestTheReconcilerWorksUntilItIsStopped(t *testing.T) {
	log := new(lockedBuffer)
	s := openShop(t, logTo(log))
	const path = "/screen/" + thief
	s.facilitator.Do(func() { s.facilitator.Settling = x402HangAlways })
	payment := s.sign("GET", path)
	s.waits("lost", s.paid(payment, "GET", path, nil), 504, "facilitator_timeout")
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	s.Sleep(time.Minute)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.api.Reconcile(ctx)
	}()
	for _, line := range []string{"msg=payment id=reconciler outcome=settled", `msg="the facilitator answers"`} {
		tocsintest.Eventually(t, line, func() bool { return log.holds(line) })
	}
	tocsintest.Eventually(t, "the caller is back", func() bool { // when the reconciler has left the payment
		return s.paid(payment, "GET", path, nil).status == http.StatusOK
	})
	s.Sleep(100 * 24 * time.Hour)
	tocsintest.Eventually(t, "its answer is dropped", func() bool {
		return s.paid(payment, "GET", path, nil).status == http.StatusPaymentRequired
	})
	stop()
	<-ended
	want(t, "moved", s.facilitator.Counts().Moved, 1)
	want(t, "errors in the log", log.holds("level=ERROR"), false)
	start(t).api.Reconcile(t.Context()) // without payments it ends at once
}

// writerFunc is a log.
type writerFunc func(line []byte) (int, error)

func (f writerFunc) Write(line []byte) (int, error) { return f(line) }

// TestTheReconcilerEndsWhenAllItsWorkHas: what it works with is closed then.
func TestTheReconcilerEndsWhenAllItsWorkHas(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	log := func(line []byte) (int, error) {
		if bytes.Contains(line, []byte("the facilitator answers")) {
			stop()
			select {
			case <-ended:
				t.Error("it has ended, and still logs")
			case <-time.After(100 * time.Millisecond): // as long as it takes to be noticed on most machines
			}
		}
		return len(line), nil
	}
	s := openShop(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(writerFunc(log), nil)) })
	s.api.Reconcile(ctx)
	close(ended)
}

// TestAnErrorOfOursIsLoggedAndSaysWhetherToTryAgain, but not what it is.
func TestAnErrorOfOursIsLoggedAndSaysWhetherToTryAgain(t *testing.T) {
	log := new(lockedBuffer)
	s := start(t, logTo(log))
	db, err := sql.Open("sqlite", ":memory:") // the driver came with internal/store
	tocsintest.Must(t, err)
	defer db.Close()
	_, full := db.Exec("PRAGMA max_page_count = 1; CREATE TABLE a (b)")
	_, wrong := db.Exec("nonsense")
	for about, c := range map[string]struct {
		err         error
		status      int
		code, retry string
		line        string
		detail      string
	}{
		"the disk is full": {full, 503, "unavailable", "5", `msg="database unavailable" id=\S+ error=".*full`,
			"The disk of this service is full. Nothing was recorded"},
		"the caller has gone": {fmt.Errorf("read: %w", context.Canceled), 503, "unavailable", "1", "",
			"The call was cancelled before it was answered"},
		"a wrong statement": {wrong, 500, "internal_error", "", `msg="internal error" id=\S+ error=".*nonsense`,
			"Something failed on our side; tell the operator the requestId"},
		"a deadline": {context.DeadlineExceeded, 500, "internal_error", "", `msg="internal error" id=\S+ error=`,
			"Something failed on our side; tell the operator the requestId"},
		"not our fault": {&tocsin.Error{Code: unauthorized, Detail: "no"}, 401, "unauthorized", "", "", "no"},
	} {
		s.api.operations["revokeKey"].endpoint.run = func(*call) (any, error) { return nil, c.err }
		log.take()
		a := s.do("DELETE", "/me/key", nil, "X-Request-Id: mine")
		want(t, about, []any{a.status, a.text("code"), a.header.Get("Retry-After"), a.text("title"), a.text("type"),
			a.text("detail")}, []any{c.status, c.code, c.retry, http.StatusText(c.status), "urn:tocsin:problem:" + c.code,
			c.detail})
		text := log.take()
		if !regexp.MustCompile(c.line).MatchString(text) || strings.Count(text, "level=ERROR") != min(1, len(c.line)) {
			t.Errorf("%s: the log is %s, want %s", about, text, c.line)
		}
	}
}
