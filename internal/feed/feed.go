// Package feed reads public lists in their upstream formats and turns them
// into listings and reports. It knows files and formats; what is done with the
// entries is the store's affair.
//
// Every bad row is refused by itself and counted. A file that is not what it
// should be (an error page, an empty or cut-off download) is an error, so that
// nothing is ever withdrawn because a download went wrong.
package feed

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"tocsin"
)

// Source is a public list that Tocsin knows how to read.
type Source struct {
	tocsin.List
	Title    string        // its name as people write it
	Names    []tocsin.Kind // of subject that it names
	About    string        // one line for `tocsin import -list`: what it holds, licence
	Upstream string        // where it is downloaded from: the URL that its file names are joined to; "" if it has none
	Files    []string      // the files to download, relative to Upstream
	Default  string        // what a single file is taken for when its own name tells nothing; "" leaves it its name

	folder string // where a clone of the upstream repository keeps Files
	index  string // the one of Files that names further files: a JSON array of names
	each   string // the path of such a file, with %s for its name
	parts  []part // what is read, in this order
}

// part is one kind of file within a list.
type part struct {
	glob      string // of paths relative to Upstream
	read      func(r *reading, body io.Reader) error
	aside     bool // tells something about entries, such as their dates, and has none of its own
	otherwise bool // the same as a part before it in another form: read only if none of them is there
}

// Sink takes what a reader finds.
type Sink struct {
	Entry    func(tocsin.Entry) error         // an error ends the reading
	Refuse   func(row, reason, detail string) // one bad row: what it is, a reason to count by, particulars; may be nil
	Progress func(done, total int64)          // bytes read so far, of how many; may be nil
	Missing  func(file string)                // a file of the list that is not there; may be nil
}

// Names of the sources that belong together in [Starter].
const (
	OFAC        = "ofac"
	StarterList = "starter"
)

//go:embed starter
var starter embed.FS

// StarterDate is the day of which the sanctions of [Starter] are.
const StarterDate = "2026-08-20"

// Starter returns the files with which an empty database begins. They are read
// by the sources OFAC and StarterList: the sanctions stand under the name of
// the real list, so that importing that one later withdraws what was delisted.
func Starter() fs.FS {
	files, err := fs.Sub(starter, "starter")
	if err != nil {
		panic(err) // the path is a constant
	}
	return files
}

// Find returns the source of that name.
func Find(name string) (Source, bool) {
	for _, s := range Sources() {
		if s.Name == name {
			return s, true
		}
	}
	return Source{}, false
}

// Sources returns every source, sorted by name.
func Sources() []Source {
	all := slices.Concat(addressLists(), domainLists(), mixedLists(), safelists(), ownForms())
	slices.SortFunc(all, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Read reads the list from files that lie as upstream has them, whether from
// the root of its repository or from the folder that holds the list, and gives
// every entry to the sink. Some files may be missing, not all. Reports that are
// dated after now are refused.
func (s Source) Read(ctx context.Context, files fs.FS, now time.Time, out Sink) error {
	if err := s.readAll(ctx, files, now, out); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

// found is a file that is there, and the part that it belongs to.
type found struct {
	part
	name string
}

func (s Source) readAll(ctx context.Context, files fs.FS, now time.Time, out Sink) error {
	plan, err := s.plan(files)
	if err != nil {
		return err
	}
	if len(plan) == 0 && s.folder != "" {
		if files, err = fs.Sub(files, s.folder); err != nil {
			return err
		}
		if plan, err = s.plan(files); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(plan, func(f found) bool { return !f.aside }) {
		var globs []string
		for _, p := range s.parts {
			if !p.aside {
				globs = append(globs, p.glob)
			}
		}
		return fmt.Errorf("no file of this list is there (%s)", strings.Join(globs, ", "))
	}

	if out.Missing != nil && !slices.ContainsFunc(plan, func(f found) bool { return f.otherwise }) {
		for _, p := range s.parts {
			if !p.aside && !p.otherwise && !slices.ContainsFunc(plan, func(f found) bool { return f.glob == p.glob }) {
				out.Missing(p.glob)
			}
		}
	}
	r := &reading{source: &s, out: out, now: now}
	m := &meter{ctx: ctx, r: r}
	for _, f := range plan {
		if info, err := fs.Stat(files, f.name); err == nil {
			m.total += info.Size()
		}
	}
	for _, f := range plan {
		if err := r.readFile(files, f, m); err != nil {
			return err
		}
	}
	r.classify()
	if r.err == nil && r.entries == 0 {
		return fmt.Errorf("not one entry could be read, %d rows were refused", r.refused)
	}
	return r.err
}

// plan finds the files to read.
func (s Source) plan(files fs.FS) ([]found, error) {
	var plan []found
	for _, p := range s.parts {
		if p.otherwise && slices.ContainsFunc(plan, func(f found) bool { return !f.aside }) {
			continue
		}
		names, err := fs.Glob(files, p.glob)
		if err != nil {
			return nil, err
		}
		slices.Sort(names)
		for _, name := range names {
			plan = append(plan, found{p, name})
		}
	}
	return plan, nil
}

func (r *reading) readFile(files fs.FS, f found, m *meter) error {
	file, err := files.Open(f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	m.file = file
	body, err := text(m)
	if err == nil {
		r.file, r.rows = f.name, 0
		err = f.read(r, body)
	}
	if r.err != nil {
		return r.err
	}
	if err == nil && r.rows == 0 && !f.aside {
		err = errors.New("there is no row in it")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path.Base(f.name), err)
	}
	return nil
}

// text refuses what is no list at all, and drops a byte order mark.
func text(m io.Reader) (io.Reader, error) {
	body := bufio.NewReaderSize(m, 64<<10)
	head, err := body.Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if mark := []byte("\ufeff"); bytes.HasPrefix(head, mark) {
		_, _ = body.Discard(len(mark)) // it has just been peeked at
		head = head[len(mark):]
	}
	switch head = bytes.TrimSpace(head); {
	case len(head) == 0 && err == io.EOF:
		return nil, errors.New("it is empty")
	case bytes.HasPrefix(head, []byte("<")):
		return nil, errors.New("it is a web page, not a list")
	}
	return body, nil
}

// meter counts what is read of the open file, and ends the reading when the
// caller has gone or the sink has had enough.
type meter struct {
	ctx         context.Context
	r           *reading
	file        io.Reader
	done, total int64
}

func (m *meter) Read(p []byte) (int, error) {
	if m.r.err != nil {
		return 0, m.r.err
	}
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.file.Read(p)
	m.done += int64(n)
	if m.r.out.Progress != nil && n > 0 {
		m.r.out.Progress(m.done, m.total)
	}
	return n, err
}
