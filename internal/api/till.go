package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// Payments is how the operator is paid. Without accounts he takes none.
type Payments struct {
	Accounts    []x402.Account    // at most one a network; clients that can use several take the first
	Facilitator *x402.Facilitator // verifies and settles; nil without accounts
	Chain       *x402.Chain       // asked what became of a payment when the facilitator does not tell; or nil
	Timeout     time.Duration     // of a call of the facilitator
}

// How many paid calls may be in progress at once: of one payer, so that none
// can wear the facilitator out, and of all, so that a facilitator that hangs
// costs a bounded number of connections.
const (
	paidCallsOfOne = 16
	paidCallsOfAll = 512
)

// till counts the paid calls in progress.
type till struct {
	mu     sync.Mutex
	payers map[string]int
	all    int
}

// enter admits a paid call of a payer, or says that there are too many.
func (t *till) enter(payer string) (leave func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all >= paidCallsOfAll || t.payers[payer] >= paidCallsOfOne {
		return nil, false
	}
	if t.payers == nil {
		t.payers = map[string]int{}
	}
	t.all++
	t.payers[payer]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.all--
		if t.payers[payer]--; t.payers[payer] == 0 {
			delete(t.payers, payer)
		}
	}, true
}

// offers returns the ways to pay for an operation. On Solana one needs to know
// who pays the fees; with recent, those count as well that clients may have been told before.
func (s *Server) offers(op *operation, recent bool) []x402.Requirements {
	offers := []x402.Requirements{}
	for _, a := range s.config.Payments.Accounts {
		switch {
		case !a.IsSolana():
			offers = append(offers, a.Requirements(op.atomic, ""))
		case recent:
			for _, feePayer := range s.config.Payments.Facilitator.FeePayers(a.ID) {
				offers = append(offers, a.Requirements(op.atomic, feePayer))
			}
		default:
			if feePayer := s.config.Payments.Facilitator.FeePayer(a.ID); feePayer != "" {
				offers = append(offers, a.Requirements(op.atomic, feePayer))
			}
		}
	}
	return offers
}

// paymentHeader returns the payment that came with a call, "" for none.
func paymentHeader(h http.Header) (string, error) {
	var found []string
	for _, name := range []string{x402.PaymentHeader, x402.PaymentHeaderV1} {
		values := h.Values(name)
		if len(values) > 1 {
			return "", &tocsin.Error{Code: badPayment, Detail: "The header " + name + " stands twice; send one payment"}
		}
		if len(values) == 1 && values[0] != "" {
			found = append(found, strings.TrimSpace(values[0]))
		}
	}
	switch {
	case len(found) == 0:
		return "", nil
	case len(found) == 2 && found[0] != found[1]:
		return "", &tocsin.Error{Code: badPayment, Detail: x402.PaymentHeader + " and " + x402.PaymentHeaderV1 + " hold different payments; send one"}
	}
	return found[0], nil
}

// fingerprint tells the request that a payment pays for from all others.
func (c *call) fingerprint() [32]byte {
	body := sha256.Sum256(c.raw)
	query := c.URL.RawQuery
	if values, err := url.ParseQuery(query); err == nil {
		query = values.Encode() // in order, so that it is the same request however a client writes it
	}
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%x", c.Method, c.URL.EscapedPath(), query, body))
}

// kept is an answer as it was encoded.
type kept []byte

func (k kept) encode(b *bytes.Buffer) error {
	_, err := b.Write(k)
	return err
}

// sell answers a call that a payment came with. The order is what makes that
// safe for both sides (decision 8): the payment is claimed for this one request
// before anybody is asked about it; the answer is made before money moves, and
// given after it did; and from the moment that money may move until it is known
// whether it did, everything that is needed to find out is on disk.
func (s *Server) sell(op *operation, header string, caller *store.Caller, h http.Header, c *call, next endpoint) (any, error) {
	payment, err := x402.Decode(header)
	if err != nil {
		return nil, &tocsin.Error{Code: badPayment, Detail: "The payment cannot be read: " + err.Error()}
	}
	wanted, ok := payment.Match(s.offers(op, true))
	if !ok {
		return nil, s.refused(op, c, &x402.Refusal{Reason: "No matching payment requirements", Detail: "accepted is none of the ways to pay for this operation; take an entry of accepts, unchanged"})
	}
	refusal := payment.Check(wanted, s.now())
	if refusal != nil && !refusal.Late {
		return nil, s.refused(op, c, refusal)
	}
	if op.body != nil {
		if err := c.readRaw(); err != nil {
			return nil, err
		}
	}
	amount, err := strconv.ParseInt(wanted.Amount, 10, 64)
	if err != nil {
		return nil, err
	}
	end := payment.End
	if end.IsZero() {
		end = s.now().Add(x402.Timeout * time.Second)
	}
	claim := &store.Claim{ID: payment.ID, Request: c.fingerprint(), Operation: op.id, Network: wanted.Network, Asset: wanted.Asset, Amount: amount,
		Payer: payment.Payer, PayTo: wanted.PayTo, Caller: caller, Identifier: payment.Identifier, Expires: tocsin.TimeOf(end)}
	// From here on the caller's hanging up must not stop the accounts halfway.
	ctx := context.WithoutCancel(c.Context())
	hold, err := s.db.Claim(ctx, claim, refusal == nil)
	if err != nil {
		return nil, err
	}
	switch hold {
	case store.Answered:
		return handOver(h, claim), nil
	case store.Resumed:
		return s.settle(ctx, op, h, c, claim)
	case store.Busy:
		return nil, inProgress()
	case store.Taken:
		return nil, s.refused(op, c, &x402.Refusal{Reason: "payment_already_used", Detail: "This payment was used for another request, or so long ago that its answer is no longer kept; sign a new one"})
	case store.Reused:
		return nil, &tocsin.Error{Code: identifierReuse, Detail: "Another payment came with the id " + payment.Identifier + " before: repeat that one, or choose another id"}
	case store.Absent:
		return nil, s.refused(op, c, refusal)
	}

	free := true
	defer func() {
		if !free {
			return
		}
		if err := s.db.Release(ctx, claim); err != nil {
			s.log.LogAttrs(ctx, slog.LevelError, "release payment", slog.String("id", c.id), slog.String("error", err.Error()))
		}
	}()
	payer := payment.Payer
	if !payment.Proven {
		payer += " perhaps" // whoever writes another's name on a payment does not use up the other's places
	}
	leave, ok := s.till.enter(payer)
	if !ok {
		return nil, &later{tocsin.Error{Code: crowded, Detail: "Too many paid calls are in progress; try again with the same payment"}, 0}
	}
	defer leave()
	claim.Payment = payment.Order(wanted)
	verdict, err := s.config.Payments.Facilitator.Verify(ctx, claim.Payment, payment.Proven)
	if err != nil {
		return nil, s.trouble(ctx, c.id, "verify", err)
	}
	if !verdict.Valid {
		return nil, s.refused(op, c, &x402.Refusal{Reason: verdict.Reason})
	}
	answer, err := next(h, c)
	if err != nil {
		return nil, err
	}
	var encoded bytes.Buffer
	if err := encodeJSON(&encoded, answer); err != nil {
		return nil, err
	}
	if err := c.Context().Err(); err != nil {
		return nil, err // the caller has gone; so far he has paid nothing
	}
	claim.Answer = encoded.Bytes()
	held, err := s.db.Settling(ctx, claim)
	if err != nil {
		return nil, err
	}
	if !held {
		return nil, inProgress() // this took so long that another call has taken the payment over
	}
	free = false
	return s.settle(ctx, op, h, c, claim)
}

func inProgress() error {
	return &later{tocsin.Error{Code: beingPaid, Detail: "This payment is being dealt with; send the same request with the same payment again"}, 0}
}

// handOver gives the payer his answer, with the receipt.
func handOver(h http.Header, c *store.Claim) any {
	h.Set(x402.ReceiptHeader, x402.Receipt{Success: true, Transaction: c.Transaction, Network: c.Network, Payer: c.Payer}.Header())
	return kept(c.Answer)
}

// settle moves the money for a call, and answers it if it moved.
func (s *Server) settle(ctx context.Context, op *operation, h http.Header, c *call, claim *store.Claim) (any, error) {
	fate, trouble := s.move(ctx, c.id, claim)
	if fate == settled {
		return handOver(h, claim), nil
	}
	failed := x402.Receipt{ErrorReason: claim.Reason, Transaction: claim.Transaction, Network: claim.Network, Payer: claim.Payer}
	switch {
	case fate == refused:
		h.Set(x402.ReceiptHeader, failed.Header())
		return nil, s.refused(op, c, &x402.Refusal{Reason: claim.Reason})
	case trouble != nil:
		return nil, s.trouble(ctx, c.id, "settle", trouble)
	}
	h.Set(x402.ReceiptHeader, failed.Header())
	return nil, &later{tocsin.Error{Code: undecided, Detail: "Whether the payment went through is not known yet. Do not sign another: send the same request with the same payment again"}, 0}
}

// fate is how a settlement ended.
type fate int

const (
	pending   fate = iota // nobody knows yet
	settled               // the money moved
	refused               // it did not and will not; the payment is free again
	untouched             // the facilitator was not even reached; the payment is free again
)

// move has the money of a claim moved, which is on disk and held. Whatever the
// end, the claim is brought up to date. While the end is pending the trouble
// with the facilitator, if there was any, says why.
func (s *Server) move(ctx context.Context, requestID string, c *store.Claim) (fate, error) {
	var end fate
	var trouble error
	for range 2 {
		before := c.Tries > 1 // this payment was sent before: what is said of it may be our own doing
		var got x402.Settlement
		got, trouble = s.config.Payments.Facilitator.Settle(ctx, c.Payment, true)
		var why *x402.Trouble
		again := false
		switch {
		case trouble != nil:
			errors.As(trouble, &why)
			c.Reason = "facilitator_trouble"
			again = why.Cause == x402.Faulty && why.Maybe
			if !before && !why.Maybe {
				end = untouched
			}
		case got.Success:
			end, c.Transaction, c.Reason = settled, got.Transaction, ""
		case got.Pending:
			again, c.Reason = true, got.ErrorReason
			if got.Transaction != "" {
				c.Transaction = got.Transaction
			}
		case !before:
			end, c.Reason, c.Transaction = refused, got.ErrorReason, got.Transaction
		case x402.Spent(got.ErrorReason):
			// We have sent it, and now it is spent: then it was we who spent it.
			end, c.Reason = settled, ""
			if known := s.ask(ctx, requestID, c); known != pending {
				end = known
			}
		default:
			c.Reason = got.ErrorReason
		}
		if end != pending || !again {
			break
		}
		c.Tries++
	}
	if end == pending {
		end = s.ask(ctx, requestID, c)
	}
	var err error
	switch end {
	case settled:
		err = s.db.Settled(ctx, c)
	case refused, untouched:
		err = s.db.Release(ctx, c)
	default:
		err = s.db.Undecided(ctx, c, patience(c.Tries))
	}
	if err != nil {
		// The claim stays as it was: settling. The next one to ask finds out what this one did.
		s.log.LogAttrs(ctx, slog.LevelError, "record payment", slog.String("id", requestID), slog.String("error", err.Error()))
	}
	return end, trouble
}

// ask asks the chain what became of a payment, if the operator has named a node.
func (s *Server) ask(ctx context.Context, requestID string, c *store.Claim) fate {
	chain := s.config.Payments.Chain
	if chain == nil {
		return pending
	}
	fate, transaction, err := chain.Fate(ctx, c.Payment)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "chain", slog.String("id", requestID), slog.String("error", err.Error()))
	}
	switch {
	case fate == x402.Carried:
		c.Transaction, c.Reason = transaction, ""
		return settled
	case fate == x402.Voided, fate == x402.Unspent && s.now().After(c.Expires.Std().Add(time.Minute)):
		return refused
	}
	return pending
}

// patience is how long nobody asks about a payment by himself after so many
// settlements: ever longer, up to an hour, and after a day not at all.
func patience(tries int) time.Duration {
	if tries > 40 {
		return 0
	}
	return min(time.Second<<min(tries-1, 12), time.Hour)
}

// refused is the error of a payment that is not taken: the client may sign another.
func (s *Server) refused(op *operation, c *call, r *x402.Refusal) error {
	detail := "The payment was refused: " + r.Error()
	if r.Detail == "" {
		detail = "The facilitator refused the payment: " + r.Reason + explained(r.Reason)
	}
	err := s.required(op, c, badPay, detail)
	err.required.Error = r.Reason
	return err
}

// explained tells the commonest reasons in words.
func explained(reason string) string {
	for _, known := range [][2]string{
		{"insufficient", " (the wallet holds too little of the token)"},
		{"simulation", " (the transfer would fail: too little of the token, or another network than the wallet's)"},
		{"signature", " (the signature is not that of the payer for this token and network)"},
		{"nonce", " (the payment was carried out before)"},
	} {
		if strings.Contains(reason, known[0]) {
			return known[1]
		}
	}
	return ""
}

// trouble is the error of a call that the facilitator stands in the way of.
// It is no 402, upon which a client would sign another payment.
func (s *Server) trouble(ctx context.Context, requestID, what string, err error) error {
	s.log.LogAttrs(ctx, slog.LevelWarn, "facilitator", slog.String("id", requestID), slog.String("call", what), slog.String("error", err.Error()))
	var t *x402.Trouble
	if !errors.As(err, &t) {
		return err
	}
	e := tocsin.Error{Code: facilitatorAway, Detail: "The payment service that this service relies on cannot be reached"}
	switch t.Cause {
	case x402.TimedOut:
		e = tocsin.Error{Code: facilitatorSlow, Detail: "The payment service that this service relies on did not answer in time"}
	case x402.Faulty:
		e = tocsin.Error{Code: facilitatorFaulty, Detail: "The payment service that this service relies on gave no proper answer"}
	}
	e.Detail += ". Do not sign another payment: send the same request with the same payment again"
	return &later{e, 0}
}

// Reconcile keeps the payments in order until the context ends: it finds out
// what became of those whose settlement did not end, by this process or by one
// that died, and keeps in touch with the facilitator.
func (s *Server) Reconcile(ctx context.Context) {
	if len(s.config.Payments.Accounts) == 0 {
		return
	}
	var working sync.WaitGroup
	defer working.Wait()
	working.Go(func() {
		s.config.Payments.Facilitator.Watch(ctx, func(health x402.Health) {
			for _, a := range s.config.Payments.Accounts {
				if !health.Settles(a.ID) {
					s.log.Warn("the facilitator does not settle payments on this network, so that nobody can pay there", "network", a.ID)
				}
			}
		})
	})
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for forgot := s.now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		due, err := s.db.Unsettled(ctx, 64)
		if err == nil && s.now().Sub(forgot) > time.Minute {
			forgot = s.now()
			err = s.db.ForgetAnswers(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Error("reconcile payments", "error", err)
		}
		var asking sync.WaitGroup
		for _, claim := range due {
			asking.Go(func() { s.reconcile(context.WithoutCancel(ctx), claim) })
		}
		asking.Wait()
	}
}

func (s *Server) reconcile(ctx context.Context, claim *store.Claim) {
	hold, err := s.db.Claim(ctx, claim, false)
	if err != nil || hold != store.Resumed {
		return // somebody was quicker
	}
	end, err := s.move(ctx, "reconcile", claim)
	s.log.LogAttrs(ctx, slog.LevelInfo, "reconciled payment", slog.String("payer", claim.Payer), slog.Bool("settled", end == settled), slog.String("reason", claim.Reason), slog.Any("trouble", err))
}

// paymentStatus is the schema PaymentStatus.
type paymentStatus struct {
	Enabled     bool               `json:"enabled"`
	X402Version int                `json:"x402Version"`
	Networks    []networkStatus    `json:"networks"`
	Facilitator *facilitatorStatus `json:"facilitator"`
	AsOf        tocsin.Time        `json:"asOf"`
}

type networkStatus struct {
	Network  string  `json:"network"`
	Name     string  `json:"name"`
	Asset    string  `json:"asset"`
	PayTo    string  `json:"payTo"`
	Offered  bool    `json:"offered"`
	Settles  *bool   `json:"settles"`
	FeePayer *string `json:"feePayer"`
}

type facilitatorStatus struct {
	URL       string       `json:"url"`
	Reachable *bool        `json:"reachable"`
	AsOf      *tocsin.Time `json:"asOf"`
}

func (s *Server) paymentStatus(http.Header, *call) (any, error) {
	p := s.config.Payments
	status := paymentStatus{Enabled: len(p.Accounts) > 0, X402Version: x402.Version, Networks: []networkStatus{}, AsOf: s.db.Now()}
	if !status.Enabled {
		return status, nil
	}
	health := p.Facilitator.Health()
	status.Facilitator = &facilitatorStatus{URL: p.Facilitator.Origin()}
	if health.Known {
		at := tocsin.TimeOf(health.At)
		status.Facilitator.Reachable, status.Facilitator.AsOf = &health.Reachable, &at
	}
	for _, a := range p.Accounts {
		n := networkStatus{Network: a.ID, Name: a.Name, Asset: a.Asset, PayTo: a.PayTo, Offered: true}
		if health.Networks != nil {
			settles := health.Settles(a.ID)
			n.Settles = &settles
		}
		if a.IsSolana() {
			feePayer := p.Facilitator.FeePayer(a.ID)
			if n.Offered = feePayer != ""; n.Offered {
				n.FeePayer = &feePayer
			}
		}
		status.Networks = append(status.Networks, n)
	}
	return status, nil
}
