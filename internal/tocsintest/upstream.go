package tocsintest

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

// Upstream stands for the servers of lists: it answers with files, each with a validator.
type Upstream struct {
	mu    sync.Mutex
	files map[string]string // by the end of their path
	how   func(w http.ResponseWriter, r *http.Request) (done bool)
	asked []string // paths and statuses
}

// NewUpstream returns the servers of files, which are named by the end of their path.
func NewUpstream(files map[string]string) *Upstream { return &Upstream{files: files} }

// Set changes a file, or with "" none, and how it is answered before; nil for as always.
func (u *Upstream) Set(file, text string, how func(w http.ResponseWriter, r *http.Request) (done bool)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.how = how; file != "" {
		u.files[file] = text
	}
}

// ServeHTTP implements [http.Handler].
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	how, text, found := u.how, "", false
	for end, is := range u.files {
		if strings.HasSuffix(r.URL.Path, "/"+end) {
			text, found = is, true
		}
	}
	u.mu.Unlock()
	note := func(status int) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.asked = append(u.asked, fmt.Sprint(path.Base(r.URL.Path), " ", status))
	}
	tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256([]byte(text)))
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	switch {
	case how != nil && how(w, r):
		note(0)
	case !found:
		note(http.StatusNotFound)
		http.NotFound(w, r)
	case r.Header.Get("If-None-Match") == tag:
		note(http.StatusNotModified)
		w.WriteHeader(http.StatusNotModified)
	default:
		note(http.StatusOK)
		w.Header().Set("ETag", tag)
		io.WriteString(w, text)
	}
}

// Requests returns what was asked since it was called last, without the files that only help to read others.
func (u *Upstream) Requests() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	asked := slices.DeleteFunc(u.asked, func(one string) bool { return strings.HasPrefix(one, "sanctioned_addresses_") })
	u.asked = nil
	return strings.Join(asked, ", ")
}
