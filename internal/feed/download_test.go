package feed

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"tocsin/internal/tocsintest"
)

// TestAListHasChangedUnlessItsServersSayThatNoFileHas: a download says what is wrong.
func TestAListHasChangedUnlessItsServersSayThatNoFileHas(t *testing.T) {
	var asked []string
	elsewhere := httptest.NewTLSServer(http.NotFoundHandler())
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+" "+r.Header.Get("If-None-Match")+" "+r.Header.Get("If-Modified-Since"))
		switch {
		case r.URL.Path == "/lists/moved":
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
		case r.Header.Get("If-None-Match") == `"a"`, r.Header.Get("If-Modified-Since") == "Mon, 02 Mar 2026 00:00:00 GMT":
			w.WriteHeader(http.StatusNotModified)
		}
	}))
	defer server.Close()
	source := Source{Upstream: server.URL + "/lists", Files: []string{"one",
		"two"}, also: []string{server.URL + "/more"}}
	at := server.URL + "/lists/"
	more := server.URL + "/more"
	tagged, dated := Validator{ETag: `"a"`}, Validator{Modified: "Mon, 02 Mar 2026 00:00:00 GMT"}
	and := func(fileURL string, v Validator) Validators {
		return Validators{at + "one": tagged, at + "two": dated, more: tagged, fileURL: v}
	}
	for about, c := range map[string]struct {
		known   Validators
		changed bool
	}{
		"no file has":                    {and(at+"one", tagged), false},
		"nothing is known":               {nil, true},
		"one file is not known":          {Validators{at + "one": tagged, more: tagged}, true},
		"what helps is not known":        {Validators{at + "one": tagged, at + "two": dated}, true},
		"the tag is another":             {and(at+"one", Validator{ETag: `"b"`}), true},
		"the date is another":            {and(at+"two", Validator{Modified: "Mon, 02 Mar 2025 00:00:00 GMT"}), true},
		"a further file has changed":     {and(at+"three", Validator{ETag: "z"}), true},
		"the server is gone":             {and("http://127.0.0.1:1/", tagged), true},
		"a URL is none":                  {and("http://[", tagged), true},
		"it has moved to another scheme": {and(at+"moved", tagged), true},
	} {
		tocsintest.Want(t, about, source.Changed(t.Context(), nil, c.known), c.changed)
	}
	asked = nil
	source.Changed(t.Context(), nil, Validators{at + "one": tagged, at + "two": tagged, more: tagged})
	if len(asked) != 3 {
		t.Errorf("asked for %q", asked)
	}
}

// TestWhatHelpedAndIsGoneHoldsUpNoList: a file elsewhere that was taken down is read without. One that cannot be
// downloaded now ends the download, so that the list keeps what it read with its help.
func TestWhatHelpedAndIsGoneHoldsUpNoList(t *testing.T) {
	status := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/more" {
			w.WriteHeader(status)
			return
		}
		w.Write([]byte("x"))
	}))
	defer server.Close()
	more := server.URL + "/more"
	source := Source{Upstream: server.URL + "/lists", Files: []string{"one"}, also: []string{more}}
	for _, c := range []struct {
		status int
		known  Validators
		works  bool
	}{
		{http.StatusNotFound, Validators{more: {ETag: "a"}}, true},
		{http.StatusInternalServerError, Validators{more: {ETag: "a"}}, false},
		{http.StatusInternalServerError, nil, true}, // it has not helped yet
	} {
		status = c.status
		_, _, err := source.Download(t.Context(), server.Client(), c.known, nil)
		if works := err == nil; works != c.works {
			t.Errorf("%d, known %v: %v", c.status, c.known, err)
		}
	}
}
