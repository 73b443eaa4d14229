package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxDownload bounds what one source may download. The largest takes 20 MB.
const maxDownload = 256 << 20

// Open gives access to the files of a list: downloaded from upstream if from is
// empty, otherwise a directory, a single file, or the URL of a single file. All
// that is downloaded is there before Open returns, so that an answer that was
// cut off is found before anything has been imported. Progress, if not nil,
// hears of the bytes that have come; total is 0 while nobody knows it.
func (s Source) Open(ctx context.Context, from string, client *http.Client, progress func(done, total int64)) (fs.FS, error) {
	d := download{client: client, progress: progress, files: memory{}}
	if client == nil {
		d.client = http.DefaultClient
	}
	switch {
	case from == "":
		if s.Upstream == "" {
			return nil, fmt.Errorf("%s is not downloaded from anywhere: say with -from where it is", s.Name)
		}
		d.alone = len(s.Files) == 1
		return d.files, s.download(ctx, &d)
	case isURL(from):
		u, err := url.Parse(from)
		if err != nil {
			return nil, err
		}
		d.alone = true
		return d.files, d.get(ctx, from, s.nameOf(path.Clean(u.Path)))
	}
	info, err := os.Stat(from)
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
	return renamed{os.DirFS(filepath.Dir(from)), filepath.Base(from), s.nameOf(filepath.ToSlash(from))}, nil
}

func isURL(from string) bool {
	return strings.HasPrefix(from, "https://") || strings.HasPrefix(from, "http://")
}

// nameOf tells which file of the list a single file is: the one that its path
// ends with, the first of that base name, one that a part of the list reads, or
// what the source takes unknown files for.
func (s Source) nameOf(file string) string {
	base := path.Base(file)
	for _, f := range s.Files {
		if strings.HasSuffix(file, "/"+f) {
			return f
		}
	}
	for _, f := range s.Files {
		if path.Base(f) == base && f != s.index {
			return f
		}
	}
	for _, p := range s.parts {
		if ok, _ := path.Match(path.Base(p.glob), base); ok && !p.aside {
			return path.Join(path.Dir(p.glob), base)
		}
	}
	if s.Default != "" {
		return s.Default
	}
	return base
}

// download is the files that have come so far.
type download struct {
	client   *http.Client
	progress func(done, total int64)
	files    memory
	size     int64
	alone    bool // there is one file, whose length is the total
}

func (s Source) download(ctx context.Context, d *download) error {
	names := slices.Clone(s.Files)
	for i := 0; i < len(names); i++ {
		address, err := url.JoinPath(s.Upstream, names[i])
		if err != nil {
			return err
		}
		if err := d.get(ctx, address, names[i]); err != nil {
			return err
		}
		if names[i] != s.index {
			continue
		}
		var further []string
		if err := json.Unmarshal(d.files[s.index], &further); err != nil {
			return fmt.Errorf("GET %s: it is not a list of files: %w", address, err)
		}
		for _, name := range further {
			if name = fmt.Sprintf(s.each, name); fs.ValidPath(name) {
				names = append(names, name)
			}
		}
	}
	return nil
}

// get downloads one file.
func (d *download) get(ctx context.Context, address, name string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	q.Header.Set("User-Agent", "tocsin")
	a, err := d.client.Do(q)
	if err != nil {
		return err // it names method and URL
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", address, a.Status)
	}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return fmt.Errorf("GET %s: the answer is a web page, not a list", address)
	}
	var total int64
	if d.alone {
		total = max(0, a.ContentLength)
	}
	var body bytes.Buffer
	_, err = io.Copy(&body, counter{io.LimitReader(a.Body, maxDownload-d.size+1), func(n int64) {
		d.size += n
		if d.progress != nil {
			d.progress(d.size, total)
		}
	}})
	if err == nil && d.size > maxDownload {
		err = fmt.Errorf("over %d MiB", maxDownload>>20)
	}
	if err != nil {
		return fmt.Errorf("GET %s: %w", address, err)
	}
	d.files[name] = body.Bytes()
	return nil
}

// counter tells how much is read.
type counter struct {
	io.Reader
	count func(n int64)
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.count(int64(n))
	return n, err
}

// renamed is a file system of one file, which has another name outside.
type renamed struct {
	dir           fs.FS
	outside, name string
}

func (f renamed) Open(name string) (fs.File, error) {
	if name != f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.dir.Open(f.outside)
}

func (f renamed) Glob(pattern string) ([]string, error) {
	return matching(pattern, f.name)
}

// memory is a file system of what was downloaded.
type memory map[string][]byte

func (m memory) Open(name string) (fs.File, error) {
	text, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return memoryFile{bytes.NewReader(text), path.Base(name)}, nil
}

func (m memory) Glob(pattern string) ([]string, error) {
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

// memoryFile is an open file of memory, and its own description.
type memoryFile struct {
	*bytes.Reader
	name string
}

func (f memoryFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f memoryFile) Close() error               { return nil }
func (f memoryFile) Name() string               { return f.name }
func (f memoryFile) Mode() fs.FileMode          { return 0o444 }
func (f memoryFile) ModTime() time.Time         { return time.Time{} }
func (f memoryFile) IsDir() bool                { return false }
func (f memoryFile) Sys() any                   { return nil }
