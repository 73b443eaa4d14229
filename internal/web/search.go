package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// A search on the site costs nothing, so it must not hold up those that are charged. It
// may take searchTime, several times what any usual one does, and waits searchWait for
// its turn.
const (
	searchTime = 200 * time.Millisecond
	searchWait = 2 * time.Second
)

// errSearchBusy is the error of a search that had no turn because of others.
var errSearchBusy = errors.New("other free searches take all the time")

// unsearched reports whether a search was given up because of the time that searches take: a page that says more than
// what it finds is shown without it.
func unsearched(err error) bool {
	return errors.As(err, new(*api.Later)) || errors.Is(err, errSearchBusy) || errors.Is(err, store.ErrSearchTooLong)
}

// search searches the reports, one visitor after the other; networks take turns. Visitors with a key take
// their turn as well: the API charges for a search, this page does not.
func (s *Site) search(
	req *request, terms []tocsin.Term, crime tocsin.CrimeType, p store.Page,
) (found store.Listed, err error) {
	if req.Method == http.MethodHead {
		return found, errHead
	}
	if req.embedded() {
		return found, errCrossSite
	}
	budgets, network := s.api.Budgets(), front.Of(req.Context()).Network()
	if wait, _ := budgets.FreeSearches.Take(network); wait > 0 {
		return found, &api.Later{Wait: wait}
	}
	front.Of(req.Context()).Leave() // searches wait for each other
	turn, cancel := context.WithTimeout(req.Context(), s.searchWait)
	defer cancel()
	leave, err := budgets.FreeSearching.Wait(turn, network)
	if err != nil && req.Context().Err() == nil {
		return found, errSearchBusy
	}
	if err != nil {
		return found, err
	}
	defer leave()
	return s.db.SearchWithin(req.Context(), s.searchTime, terms, crime, p)
}
