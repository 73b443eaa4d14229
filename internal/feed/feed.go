// Package feed reads public lists in their upstream formats and turns them into
// listings and reports. It knows files and formats; the store decides what an
// entry changes.
//
// A bad row is refused and counted, and does not end the import. A file that is
// not the list at all (an error page, an empty or truncated download) is an
// error, so that a failed download never withdraws an entry.
package feed

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
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
	Title    string        // its name for people
	Kinds    []tocsin.Kind // the kinds of subject that it lists
	About    string        // one line for `tocsin import -list`: contents and licence
	Upstream string        // the base URL of its downloads, with a slash at the end; "" if there is none
	Files    []string      // the files to download, relative to Upstream
	Default  string        // the file that a single file of unknown name is read as; "" keeps the name

	also       []string // URLs of files elsewhere that help to read these; one that cannot be downloaded is left out
	folder     string   // the folder of Files in a clone of the upstream repository
	indexFile  string   // the one of Files that is a JSON array of the names of further files
	pathFormat string   // the path of such a further file, with %s for its name
	parts      []part   // what is read, in this order
}

// part is one kind of file within a list.
type part struct {
	glob      string // matches paths relative to Upstream
	read      func(r *reader, body io.Reader) error
	auxiliary bool // it has no entries of its own, but facts about entries, such as their dates
	fallback  bool // another form of the parts before it, read only if no file of those is present
	unended   bool // upstream writes no line break behind its last line
}

// Sink receives what is found in a list. Only Entry is required.
type Sink struct {
	Entry    func(tocsin.Entry) error         // an error ends the reading
	Refuse   func(row, reason, detail string) // a bad row; reason is one of few, to be counted by
	Progress func(done, total int64)          // bytes that were read, and bytes of all files
	Missing  func(file string)                // a file of the list that is not present
	Ignored  func(columns, read []string)     // columns of the operator's own CSV that are not read, and those that are
}

// Names of the two sources that read the files of [Starter].
const (
	OFAC        = tocsin.SanctionsList
	StarterList = "starter"
)

// Unkept is a list that nobody keeps any more: its page for objections leads nowhere.
const Unkept = "cryptoscamdb"

// Safelist is the name of the operator's own safelist.
const Safelist = "safelist"

//go:embed starter
var starter embed.FS

// StarterDate is the date of the sanctions in [Starter].
const StarterDate = "2026-08-20"

// Starter returns the files that a database begins with. The sources
// OFAC and StarterList read them. The sanctions carry the name of the real list,
// so that a later import of that list withdraws addresses that were delisted.
func Starter() fs.FS {
	files, err := fs.Sub(starter, "starter")
	if err != nil {
		panic(err) // the path is a constant
	}
	return files
}

// StarterSites returns the domains that [StarterList] knows as good; not those that unrelated people share.
func StarterSites() (sites []string) {
	starter, _ := Find(StarterList)
	_, err := starter.Read(context.Background(), Starter(), time.Time{}, Sink{Entry: func(e tocsin.Entry) error {
		if l := e.Listing; l != nil && l.Kind == tocsin.Safe && l.Subject.Kind == tocsin.DNS {
			sites = append(sites, l.Subject.Value)
		}
		return nil
	}})
	if err != nil {
		panic(err) // it is embedded
	}
	return sites
}

// StarterDigest names the content of [StarterList] in this version of the program: a SHA-256 in hexadecimal.
func StarterDigest() string {
	h := sha256.New()
	for _, name := range []string{"incidents.ndjson", "safelist.csv"} {
		file, err := fs.ReadFile(Starter(), name)
		if err != nil {
			panic(err) // it is embedded
		}
		h.Write(file)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Find returns the source with the given name.
func Find(name string) (Source, bool) {
	for _, s := range Sources() {
		if s.Name == name {
			return s, true
		}
	}
	return Source{}, false
}

// Title returns the title of the list with the given name, or the name if it has none.
func Title(name string) string {
	if name == tocsin.Community {
		return "Community reports"
	}
	if source, found := Find(name); found && source.Title != "" {
		return source.Title
	}
	return name
}

// Safelists are the names of the lists that name subjects to vouch for them or because they are known, never to warn.
func Safelists() []string {
	names := []string{Safelist}
	for _, s := range safelists() {
		names = append(names, s.Name)
	}
	return names
}

// Sources returns every source, sorted by name.
func Sources() []Source {
	all := slices.Concat(addressLists(), domainLists(), storyLists(), labelLists(), safelists(), ownFormats())
	slices.SortFunc(all, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Read reads the list from files and passes every entry to the sink. The paths
// of the files are those of the upstream repository, from its root or from the
// folder that holds the list. Some files may be missing, but not all. Reports
// dated after now are refused. It returns which version of the list it has read.
func (s Source) Read(ctx context.Context, files fs.FS, now time.Time, out Sink) (tocsin.ListVersion, error) {
	v, err := s.readAll(ctx, files, now, out)
	if err != nil {
		return v, fmt.Errorf("%s: %w", s.Name, err)
	}
	return v, nil
}

// partFile is a file that is present, and the part that reads it.
type partFile struct {
	part
	name string
}

func (s Source) readAll(ctx context.Context, files fs.FS, now time.Time, out Sink) (tocsin.ListVersion, error) {
	var v tocsin.ListVersion
	plan, err := s.plan(files)
	if err != nil {
		return v, err
	}
	if len(plan) == 0 && s.folder != "" {
		if files, err = fs.Sub(files, s.folder); err != nil {
			return v, err
		}
		if plan, err = s.plan(files); err != nil {
			return v, err
		}
	}
	if !slices.ContainsFunc(plan, func(f partFile) bool { return !f.auxiliary }) {
		var globs []string
		for _, p := range s.parts {
			if !p.auxiliary {
				globs = append(globs, p.glob)
			}
		}
		return v, absent("no file of this list is present (" + strings.Join(globs, ", ") + ")")
	}

	if out.Missing != nil && !slices.ContainsFunc(plan, func(f partFile) bool { return f.fallback }) {
		for _, p := range s.parts {
			present := slices.ContainsFunc(plan, func(f partFile) bool { return f.glob == p.glob })
			if !present && !p.auxiliary && !p.fallback {
				out.Missing(p.glob)
			}
		}
	}
	r := &reader{source: &s, out: out, now: now}
	m := &meter{ctx: ctx, r: r}
	for _, f := range plan {
		if info, err := fs.Stat(files, f.name); err == nil {
			m.total += info.Size()
		}
	}
	for _, f := range plan {
		if err := r.readFile(files, f, m); err != nil {
			return v, err
		}
	}
	r.emitAccounts()
	if r.err == nil && r.entries == 0 {
		return v, fmt.Errorf("no entry could be read; refused rows: %d", r.refused)
	}
	return r.version(), r.err
}

// plan returns the files to read, in the order of the parts.
func (s Source) plan(files fs.FS) ([]partFile, error) {
	var plan []partFile
	for _, p := range s.parts {
		if p.fallback && slices.ContainsFunc(plan, func(f partFile) bool { return !f.auxiliary }) {
			continue
		}
		names, err := fs.Glob(files, p.glob)
		if err != nil {
			return nil, err
		}
		slices.Sort(names)
		for _, name := range names {
			plan = append(plan, partFile{p, name})
		}
	}
	return plan, nil
}

func (r *reader) readFile(files fs.FS, f partFile, m *meter) error {
	file, err := files.Open(f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	m.file, m.sum, m.lines = file, sha256.New(), 0
	body, err := listBody(m)
	if err == nil {
		r.file, r.rows = f.name, 0
		err = f.read(r, body)
	}
	if r.err != nil {
		return r.err
	}
	if err == nil && r.rows == 0 && !f.auxiliary {
		err = errors.New("the file has no rows")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", listed(files, f.name), err)
	}
	if f.auxiliary {
		return nil
	}
	if _, err := io.Copy(io.Discard, m); err != nil { // what is behind the end of the list is a part of the file
		return err
	}
	of, _ := file.(memFile)
	if !of.whole && !f.unended && r.cutOff(m) {
		return fmt.Errorf("%s: the file does not end with a line break, so it may be cut off in line %d; import a whole "+
			"copy, or add a line break if it is one", listed(files, f.name), m.lines+1)
	}
	r.files = append(r.files, tocsin.ListFile{Name: f.name, SHA256: hex.EncodeToString(m.sum.Sum(nil))})
	r.served = newer(r.served, of.modified, r.now)
	return nil
}

// cutOff reports whether the file that was read does not end with a line break, so that its last name may be a part of
// one. JSON and archives have an end of their own, and files of the operator are written by hand.
func (r *reader) cutOff(m *meter) bool {
	byLines := slices.Contains([]string{".txt", ".csv", ".yaml"}, path.Ext(r.file))
	return byLines && m.last != '\n' && r.source.Upstream != ""
}

// listed names a file of a list as the operator knows it.
func listed(files fs.FS, name string) string {
	if one, renamed := files.(renamedFile); renamed {
		return one.outside
	}
	return path.Base(name)
}

// listBody drops a byte order mark, and refuses what cannot be a list: an empty
// file, or a web page, as servers send one in place of a file.
func listBody(m io.Reader) (io.Reader, error) {
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
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(head, []byte("<")):
		return nil, errors.New("the file is a web page, not a list")
	}
	return body, nil
}

// meter reads the open file and reports the progress over all files. It fails
// when the context ends or the sink has returned an error.
type meter struct {
	ctx         context.Context
	r           *reader
	file        io.Reader
	sum         hash.Hash // of the file
	lines       int       // of the file that have ended
	last        byte      // of the file
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
	m.sum.Write(p[:n])
	m.lines += bytes.Count(p[:n], []byte{'\n'})
	if n > 0 {
		m.last = p[n-1]
	}
	m.done += int64(n)
	if m.r.out.Progress != nil && n > 0 {
		m.r.out.Progress(m.done, m.total)
	}
	return n, err
}
