package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"

	"tocsin"
)

// response is what a call is answered with. Its body is encoded before the
// call is charged: what cannot be encoded costs nothing.
type response struct {
	status int
	media  string
	body   []byte // in the buffer of the call

	reports []tocsin.Report // whose free text is asked for, apart from the body
}

// run answers a call of an operation: gate, input, endpoint. What it returns is
// encoded and paid for, and only has to be written.
func (s *Server) run(op *operation, c *call) (response, error) {
	if op.Price == "" || c.tool.isLocal() { // the operator asks their own database
		return s.checkAndRun(op, c)
	}
	return s.charge(op, c)
}

// checkAndRun checks the input of a call, runs the endpoint and encodes what that returns.
func (s *Server) checkAndRun(op *operation, c *call) (response, error) {
	if err := c.check(op); err != nil {
		return response{}, err
	}
	return s.runEndpoint(op, c)
}

// check reads the input of a call: by the contract, and as the endpoint wants it.
func (c *call) check(op *operation) (err error) {
	if c.input, err = op.Read(c.Request); err != nil && c.tool == nil {
		err = cmp.Or(c.unencoded(), err)
	}
	err = merge(c.tool.fault(), err)
	if op.TakesBody() {
		if err == nil {
			err = c.checkBody(op.Operation)
		}
		if err != nil {
			return err
		}
	}
	if op.endpoint.parse == nil {
		return err
	}
	return merge(err, op.endpoint.parse(c))
}

// runEndpoint runs the endpoint of a call that was checked, and encodes what that
// returns. A panic is an error like others, so that a payment is free again; one
// elsewhere is for the front door.
func (s *Server) runEndpoint(op *operation, c *call) (res response, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = &panicked{crash, debug.Stack()}
		}
	}()
	value, err := op.endpoint.run(c)
	if err != nil {
		return response{}, err
	}
	return c.encode(value)
}

// panicked is the error of an endpoint that panicked.
type panicked struct {
	value any
	stack []byte
}

// Error implements error.
func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// created is what an endpoint returns that has made something.
type created struct{ body any }

// unchanged is what an endpoint returns to a caller who has the response already.
type unchanged struct{}

// encode makes the response of what an endpoint returned.
func (c *call) encode(value any) (response, error) {
	status := http.StatusOK
	switch v := value.(type) {
	case unchanged:
		return response{status: http.StatusNotModified}, nil
	case created:
		status, value = http.StatusCreated, v.body
	}
	c.out.Reset()
	err := encodeJSON(c.out, value)
	c.out.WriteByte('\n')
	res := response{status: status, media: "application/json", body: c.out.Bytes()}
	if v, ok := value.(reporting); ok && c.apart() {
		res.reports = v.reports()
	}
	return res, err
}

// reporting is a value that holds reports.
type reporting interface {
	reports() []tocsin.Report
}

// encoder is a value that writes its own JSON.
type encoder interface {
	encode(b *bytes.Buffer) error
}

// encodeJSON writes a value, on one line.
func encodeJSON(b *bytes.Buffer, value any) error {
	if own, ok := value.(encoder); ok {
		return own.encode(b)
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n"))
	return nil
}

// write sends a response.
func write(w http.ResponseWriter, res response) {
	h := w.Header()
	if res.status != http.StatusNotModified {
		h.Set("Content-Type", res.media)
		h.Set("Content-Length", strconv.Itoa(len(res.body)))
	}
	w.WriteHeader(res.status)
	w.Write(res.body) // a caller who has gone away is no fault
}
