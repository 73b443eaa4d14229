package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
)

// userAgent is what servers of lists see.
const userAgent = "tocsin"

// maxRedirects is how many redirections of a download are followed.
const maxRedirects = 5

// Validators are what servers said of the files of a list when they were downloaded, by their URLs. They tell whether
// one has changed since (RFC 9110, section 8.8).
type Validators map[string]Validator

// Validator is what a server said of one file.
type Validator struct {
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"` // its Last-Modified
}

// maxValidator is the maximum of a validator that is kept, in bytes.
const maxValidator = 512

// Download downloads the files of a list from upstream, as [Source.Open] does, and returns their validators; nil if
// they do not suffice to tell whether the list has changed. Known are those of the last time, or nil: a file that only
// helps to read the others, and was there then, must not fail now, since entries would seem to have left the list.
func (s Source) Download(
	ctx context.Context, client *http.Client, known Validators, progress func(done, total int64),
) (fs.FS, Validators, error) {
	if s.Upstream == "" {
		return nil, nil, fmt.Errorf("%s has no upstream: name a file with -from", s.Name)
	}
	d := download{client: upstreamClient(client), progress: progress, files: memFS{}, found: Validators{},
		single: len(s.Files)+len(s.also) == 1}
	names := slices.Clone(s.Files)
	for i := 0; i < len(names); i++ {
		fileURL, err := url.JoinPath(s.Upstream, names[i])
		if err != nil {
			return nil, nil, err
		}
		if err := d.get(ctx, fileURL, names[i]); err != nil {
			return nil, nil, err
		}
		if names[i] != s.indexFile {
			continue
		}
		further, err := s.indexed(d.files[s.indexFile].text)
		if err != nil {
			return nil, nil, fmt.Errorf("GET %s: %w", fileURL, err)
		}
		names = append(names, further...)
	}
	for _, fileURL := range s.also {
		name := path.Base(fileURL)
		err := d.get(ctx, fileURL, name)
		if _, helped := known[fileURL]; err != nil && helped && !d.absent {
			return nil, nil, err
		}
		if err != nil || len(bytes.TrimSpace(d.files[name].text)) == 0 {
			delete(d.files, name) // what it would have helped to read is refused and counted
			d.unnamed = true
		}
	}
	if d.unnamed {
		d.found = nil
	}
	return d.files, d.found, ctx.Err()
}

// indexed returns the paths of the files that an index names.
func (s Source) indexed(index []byte) (names []string, err error) {
	var further rows[string]
	if err := json.Unmarshal(index, &further); err != nil || len(further.faults) > 0 {
		return nil, errors.New("the index is not a list of files")
	}
	if len(further.values) > maxFiles {
		return nil, fmt.Errorf("the index names more than %d files", maxFiles)
	}
	for _, name := range further.values {
		if name = fmt.Sprintf(s.pathFormat, name); fs.ValidPath(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// keep keeps the validator of a file.
func (d *download) keep(fileURL string, header http.Header) {
	v := Validator{ETag: header.Get("ETag"), Modified: header.Get("Last-Modified")}
	if v == (Validator{}) || len(v.ETag)+len(v.Modified) > maxValidator {
		d.unnamed = true
	} else if d.found != nil {
		d.found[fileURL] = v
	}
}

// Changed asks the servers whether a file of the list has changed since known was learned. Whatever is not clearly
// unchanged has changed: the download says then what is wrong.
func (s Source) Changed(ctx context.Context, client *http.Client, known Validators) bool {
	client = upstreamClient(client)
	for _, name := range s.Files { // a newer program may read others than the one that has imported the list
		if fileURL, err := url.JoinPath(s.Upstream, name); err != nil || known[fileURL] == (Validator{}) {
			return true
		}
	}
	for _, fileURL := range s.also {
		if known[fileURL] == (Validator{}) {
			return true
		}
	}
	for fileURL, v := range known {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, fileURL, nil)
		if err != nil {
			return true
		}
		q.Header.Set("User-Agent", userAgent)
		if v.ETag != "" {
			q.Header.Set("If-None-Match", v.ETag)
		}
		if v.Modified != "" {
			q.Header.Set("If-Modified-Since", v.Modified)
		}
		a, err := client.Do(q)
		if err != nil {
			return true
		}
		a.Body.Close()
		if a.StatusCode != http.StatusNotModified {
			return true
		}
	}
	return false
}

// upstreamClient returns a client for the URLs of lists, which follows few redirections, and none from https to http.
func upstreamClient(client *http.Client) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	bounded := *client
	bounded.CheckRedirect = func(q *http.Request, before []*http.Request) error {
		switch {
		case len(before) > maxRedirects:
			return fmt.Errorf("more than %d redirections", maxRedirects)
		case q.URL.Scheme != before[0].URL.Scheme:
			return errors.New("a redirection to another scheme")
		}
		return nil
	}
	return &bounded
}
