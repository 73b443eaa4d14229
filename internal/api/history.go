package api

import (
	"bytes"
	"encoding/json"

	"tocsin"
)

// listHistories are what lists say and have said of some subjects, each as JSON. They are nil if nobody asked.
type listHistories []json.RawMessage

// of returns the history of the subject at a position; nil if nobody asked.
func (all listHistories) of(i int) json.RawMessage {
	if all == nil {
		return nil
	}
	return all[i]
}

// histories reads what lists say and have said of subjects, in order, if the caller asks for it, in the query or, of a
// batch, in the body. It is a query of its own, for all of them: the read model has only what is in force
// (docs/decisions/0057-the-history-of-listings-on-request.md).
func (s *Server) histories(c *call, subjects []tocsin.Subject) (listHistories, error) {
	body, _ := c.value.(map[string]any) // of a batch
	if !c.input.Is("history") && body["history"] != true {
		return nil, nil
	}
	found, err := s.db.ListHistories(c.Context(), subjects)
	if err != nil {
		return nil, err
	}
	all := make(listHistories, len(found))
	for i, history := range found {
		var b bytes.Buffer
		if err := encodeJSON(&b, append([]tocsin.DatedListing{}, history...)); err != nil {
			return nil, err
		}
		all[i] = b.Bytes()
	}
	return all, nil
}
