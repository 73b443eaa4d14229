package feed

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"tocsin"
)

// maxDownload is the limit for all downloads of one source, in bytes. The largest
// source has 20 MB.
const maxDownload = 64 << 20

// maxFiles is the maximum of files that an index names. The longest names 49.
const maxFiles = 2000

// Open returns the files of a list. If from is empty, they are downloaded from
// upstream; otherwise it is a directory, a single file, or the URL of a single
// file. Downloads are complete when Open returns, so that a truncated one fails
// before anything is imported. A nil client is [http.DefaultClient]. Progress may
// be nil; it is called with the bytes received, and with a total of 0 while the
// total is unknown.
func (s Source) Open(
	ctx context.Context, from string, client *http.Client, progress func(done, total int64),
) (fs.FS, error) {
	switch {
	case from == "":
		files, _, err := s.Download(ctx, client, nil, progress)
		return files, err
	case isURL(from):
		d := download{client: cmp.Or(client, http.DefaultClient), progress: progress, files: memFS{}}
		u, err := url.Parse(from)
		if err != nil {
			return nil, errors.New("the URL is malformed")
		}
		d.single = true
		return d.files, d.get(ctx, from, s.listFile(path.Clean(u.Path)))
	}
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, absent("there is no file or folder " + from)
	}
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return os.DirFS(from), nil
	}
	from, err = filepath.Abs(from)
	if err != nil {
		return nil, err
	}
	return renamedFile{os.DirFS(filepath.Dir(from)), filepath.Base(from), s.listFile(filepath.ToSlash(from))}, nil
}

// absent says in words that files are not there. It is [fs.ErrNotExist].
type absent string

// Error implements error.
func (a absent) Error() string { return string(a) }

// Is implements what [errors.Is] asks for.
func (absent) Is(target error) bool { return target == fs.ErrNotExist }

func isURL(from string) bool {
	return strings.HasPrefix(from, "https://") || strings.HasPrefix(from, "http://")
}

// listFile returns the path within the list that a single file is read as: the
// one of Files that its path ends with, the first of the same base name, one that
// a part matches, or Default.
func (s Source) listFile(file string) string {
	base := path.Base(file)
	for _, f := range s.Files {
		if strings.HasSuffix(file, "/"+f) {
			return f
		}
	}
	for _, f := range s.Files {
		if path.Base(f) == base && f != s.indexFile {
			return f
		}
	}
	for _, p := range s.parts {
		if ok, _ := path.Match(path.Base(p.glob), base); ok && !p.auxiliary {
			return path.Join(path.Dir(p.glob), base)
		}
	}
	if s.Default != "" {
		return s.Default
	}
	return base
}

// download is the state of the downloads of one list.
type download struct {
	client   *http.Client
	progress func(done, total int64)
	files    memFS
	size     int64 // of all files so far, in bytes
	single   bool  // there is one file, so that its Content-Length is the total

	found   Validators
	unnamed bool // a file has no validator
	absent  bool // the server said of the last file that there is none
}

// get downloads one file.
func (d *download) get(ctx context.Context, fileURL, name string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, fileURL, nil)
	if err != nil {
		return errors.New("the URL is malformed")
	}
	whole := fileURL
	fileURL = withoutSecrets(q.URL)
	q.Header.Set("User-Agent", userAgent)
	a, err := d.client.Do(q)
	if err != nil {
		var withURL *url.Error // which may hold a password, also of a redirection
		if errors.As(err, &withURL) {
			err = withURL.Err
		}
		return fmt.Errorf("GET %s: %w", fileURL, err)
	}
	defer a.Body.Close()
	d.absent = a.StatusCode == http.StatusNotFound || a.StatusCode == http.StatusGone
	if a.StatusCode != http.StatusOK { // the words behind the code are the server's
		return fmt.Errorf("GET %s: %d %s", fileURL, a.StatusCode, http.StatusText(a.StatusCode))
	}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return fmt.Errorf("GET %s: the response is a web page, not a list", fileURL)
	}
	var total int64
	if d.single {
		total = max(0, a.ContentLength)
	}
	var body bytes.Buffer
	_, err = io.Copy(&body, countingReader{io.LimitReader(a.Body, maxDownload-d.size+1), func(n int64) {
		d.size += n
		if d.progress != nil {
			d.progress(d.size, total)
		}
	}})
	if err == nil && d.size > maxDownload {
		err = fmt.Errorf("the list is larger than %d MiB", maxDownload>>20)
	}
	if err != nil {
		return fmt.Errorf("GET %s: %w", fileURL, err)
	}
	d.files[name] = memText{body.Bytes(), modified(a.Header), framed(a)}
	d.keep(whole, a.Header)
	return nil
}

// framed reports whether the end of a response was sent, rather than seen in the end of its connection (RFC 9112,
// section 6.3): a body that has been cut off is an error then.
func framed(a *http.Response) bool {
	return a.ProtoMajor > 1 || a.ContentLength >= 0 || len(a.TransferEncoding) > 0 || a.Uncompressed
}

// withoutSecrets returns a URL for messages: without user information and query, which
// may hold passwords and keys.
func withoutSecrets(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return shown.String()
}

// countingReader calls count with the size of each read.
type countingReader struct {
	io.Reader
	count func(n int64)
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.count(int64(n))
	return n, err
}

// renamed is a file system of one file, which has another name outside.
type renamedFile struct {
	dir           fs.FS
	outside, name string
}

func (f renamedFile) Open(name string) (fs.File, error) {
	if name != f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.dir.Open(f.outside)
}

func (f renamedFile) Glob(pattern string) ([]string, error) {
	return matching(pattern, f.name)
}

// memory is a file system of what was downloaded.
type memFS map[string]memText

// memText is a file that was downloaded.
type memText struct {
	text     []byte
	modified *tocsin.Time // its Last-Modified; nil if the server does not say
	whole    bool         // nothing of it can be missing
}

// File is a file system with one file, for [Source.Read].
func File(name string, text []byte) fs.FS { return memFS{name: {text: text}} }

func (m memFS) Open(name string) (fs.File, error) {
	file, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return memFile{bytes.NewReader(file.text), path.Base(name), file}, nil
}

func (m memFS) Glob(pattern string) ([]string, error) {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	return matching(pattern, names...)
}

func matching(pattern string, names ...string) ([]string, error) {
	var match []string
	for _, name := range names {
		ok, err := path.Match(pattern, name)
		if err != nil {
			return nil, err
		}
		if ok {
			match = append(match, name)
		}
	}
	return match, nil
}

// memFile is an open file of memory, and its own description.
type memFile struct {
	*bytes.Reader
	name string
	memText
}

func (f memFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f memFile) Close() error               { return nil }
func (f memFile) Name() string               { return f.name }
func (f memFile) Mode() fs.FileMode          { return 0o444 }
func (f memFile) ModTime() time.Time         { return time.Time{} }
func (f memFile) IsDir() bool                { return false }
func (f memFile) Sys() any                   { return nil }
