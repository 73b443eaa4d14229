package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
)

// makeAnswer answers the request, and makes the response of it.
func (p *sale) makeAnswer() error {
	p.call.paid = true
	res, err := p.server.runEndpoint(p.op, p.call)
	if err != nil {
		return err
	}
	p.claim.Answer = bytes.Clone(res.body)
	return p.decodeAnswer()
}

// findAnswer makes the response of the answer that is kept with a payment that was sent. If a report that was in it
// has been erased since, the request is answered again, and that answer is kept: the payer may have been charged.
func (p *sale) findAnswer(ctx context.Context) error {
	if p.claim.Answer != nil {
		return p.decodeAnswer()
	}
	if err := p.makeAnswer(); err != nil {
		return err
	}
	return p.server.db.KeepAnswer(ctx, p.claim)
}

// decodeAnswer makes the response of the answer that is kept with the claim. An
// answer is on disk only if that succeeds: it is called before money moves, so
// that nothing can fail between a payment and its response.
func (p *sale) decodeAnswer() (err error) {
	if len(p.claim.Answer) == 0 {
		return errors.New("a payment without an answer")
	}
	p.response = response{status: http.StatusOK, media: "application/json", body: p.claim.Answer}
	if p.call.paid = false; p.call.apart() {
		p.response.body, p.response.reports, err = compactPage(p.claim.Answer)
	}
	return err
}
