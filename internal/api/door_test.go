package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"tocsin/internal/front"
	"tocsin/internal/tocsintest"
)

func TestWhatTheFrontDoorRefusesIsAProblem(t *testing.T) {
	s := start(t)
	const again = "send the same request again"
	for _, c := range []struct {
		err  error
		says string
	}{
		{front.ErrPathTooLong, "414 path_too_long The path is too long: the path is over 4096 bytes; "},
		{fmt.Errorf("%w: not here", front.ErrForeign), "403 foreign_request Foreign request: not here.; "},
		{front.ErrBusy, "503 unavailable Too many large request bodies are in progress; " + again + "; 5"},
		{front.ErrCrowded, "503 unavailable Too many requests are being answered; " + again + "; 1"},
		{errors.New("oh"), "500 internal_error Something failed on our side; tell the operator the requestId; "},
		{front.TooFast{Wait: 7 * time.Second},
			"429 too_many_requests Too many requests come from your network; " + again + " later; 7"},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/stats", nil)
		s.api.ServeError(w, r.WithContext(front.With(r.Context(), &front.Request{})), c.err)
		var a map[string]any
		tocsintest.Must(t, json.Unmarshal(w.Body.Bytes(), &a))
		want(t, c.err.Error(), fmt.Sprint(w.Code, " ", a["code"], " ", a["detail"], "; ",
			w.Header().Get("Retry-After")), c.says)
		want(t, "kept", w.Header().Get("Cache-Control"), "no-store")
	}
}
