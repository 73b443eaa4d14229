package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// importMemory is the memory that the runtime keeps an import under, in bytes, as far as its limits on files allow. A
// lower limit of the environment (GOMEMLIMIT) is kept.
const importMemory = 320 << 20

type importFlags struct {
	*commandLine
	operatorFlags
	from, as    string
	list, force bool
}

func newImport(c *commandLine) runFunc {
	f := &importFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	f.StringVar(&f.from, "from", "", "read from this `FILE, DIR or URL` instead of downloading from upstream")
	f.StringVar(&f.as, "as", "", "list `NAME` for your own reports (ndjson, csv); "+
		"reports under different names count as different origins")
	f.BoolVar(&f.list, "list", false, "show the lists that can be imported")
	f.BoolVar(&f.force, "force", false, "import the list even if it has lost more than half of its entries")
	return f.run
}

// listName matches the names that an operator may give to a list.
var listName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,49}$`)

func (f *importFlags) run(ctx context.Context, e env) (err error) {
	if f.list {
		if err := f.noArgs(); err != nil {
			return err
		}
		return printSources(e)
	}
	source, err := f.source()
	if err != nil {
		return err
	}
	by, err := f.by(e)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(importMemory, debug.SetMemoryLimit(-1))))
	db, err := f.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	stage := "download"
	defer func() { noteImport(ctx, db, source.Name, stage, err) }()
	bar := newProgress(e.stderr)
	defer bar.end()
	files := feed.Starter()
	if f.from != "" || source.Upstream != "" {
		client := &http.Client{Timeout: 10 * time.Minute}
		if files, err = source.Open(ctx, f.from, client, bar.step("reading "+source.Name)); err != nil {
			return err
		}
	}
	known, err := db.Imported(ctx, source.Name)
	if err != nil {
		return err
	}
	im, err := db.Import(ctx, source.List)
	if err != nil {
		return err
	}
	defer im.Close()
	im.By(by)
	stage = "read"
	var refused refusals
	var missing []string
	err = source.Read(ctx, files, db.Now().Std(), feed.Sink{
		Entry:    im.Add,
		Refuse:   refused.add,
		Progress: bar.step("reading " + source.Name),
		Missing: func(file string) {
			im.Partial()
			missing = append(missing, file)
		},
	})
	if err != nil {
		refused.print(e.stderr, e.stderr)
		return err
	}
	stage = "write"
	written := bar.step("writing " + source.Name)
	counts, err := im.Finish(ctx, f.force, func(done, total int) { written(int64(done), int64(total)) })
	if err != nil {
		return err
	}
	bar.end()
	of := "" // a story and what it names are entries of their own
	if counts.Reports > 0 {
		of = fmt.Sprintf(" (%s, %s)", counted(counts.Reports, "report"), counted(counts.Added-counts.Reports, "listing"))
	}
	fmt.Fprintf(e.stdout, "%s: added %d%s, unchanged %d, withdrawn %d, refused %d\n",
		source.Name, counts.Added, of, counts.Unchanged, counts.Withdrawn, refused.total)
	refused.print(e.stdout, e.stderr)
	printHeld(e, im.Held())
	if len(missing) > 0 {
		age := ""
		if known {
			age = ", and the list is as old as before"
		}
		fmt.Fprintf(e.stderr, "Only part of the list was read: no file matches %s. Nothing was withdrawn%s.\n",
			strings.Join(missing, ", "), age)
	}
	return nil
}

// noteImport records how the import of a list ended, for /status. One that was interrupted has no result.
func noteImport(ctx context.Context, db *store.DB, list, stage string, failure error) {
	if ctx.Err() != nil {
		return
	}
	if failure == nil {
		stage = ""
	} else if errors.Is(failure, store.ErrShrunk) {
		stage = "shrunk"
	}
	_ = db.NoteImport(ctx, list, stage) // what kept it from being written is the error already
}

// source returns the source that the arguments and -as name.
func (f *importFlags) source() (feed.Source, error) {
	if len(f.args) != 1 {
		return feed.Source{}, usage("name one list; tocsin import -list shows the lists")
	}
	source, found := feed.Find(f.args[0])
	if !found {
		return source, usage("there is no list %q; tocsin import -list shows the lists", f.args[0])
	}
	if f.from == "" && source.Upstream == "" && source.Name != feed.StarterList {
		return source, usage("%s has no upstream: name a file with -from", source.Name)
	}
	if f.as == "" {
		return source, nil
	}
	if source.Upstream != "" {
		return source, usage("-as is for your own reports; a public list keeps its name, %s", source.Name)
	}
	_, taken := feed.Find(f.as)
	if taken || f.as == tocsin.Community || !listName.MatchString(f.as) || source.Name == feed.StarterList {
		return source, usage("-as %q: choose a name of small letters, digits and hyphens that no other source has", f.as)
	}
	source.Name, source.Family = f.as, f.as
	return source, nil
}

// refusals counts the refused rows by reason, and keeps the first three of each.
type refusals struct {
	total    int
	counts   map[string]int // by reason
	examples map[string][]string
}

func (r *refusals) add(row, reason, detail string) {
	if r.counts == nil {
		r.counts, r.examples = map[string]int{}, map[string][]string{}
	}
	r.total++
	if r.counts[reason]++; r.counts[reason] <= 3 {
		r.examples[reason] = append(r.examples[reason], oneLine(row+": "+detail, 200))
	}
}

// print prints the reasons, the most frequent first, and examples for each.
func (r *refusals) print(counts, examples io.Writer) {
	reasons := slices.SortedFunc(maps.Keys(r.counts), func(a, b string) int {
		return cmp.Or(r.counts[b]-r.counts[a], cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		fmt.Fprintf(counts, "  refused %d: %s\n", r.counts[reason], reason)
		for _, row := range r.examples[reason] {
			fmt.Fprintf(examples, "    %s\n", row)
		}
	}
}

// maxHeld is how many of the entries held are named.
const maxHeld = 50

// printHeld prints how many entries of risk lists score at most LOW because of a safelist, and which.
func printHeld(e env, held []store.Held) {
	if len(held) == 0 {
		return
	}
	fmt.Fprintf(e.stdout, "  held %d: on a safelist, so at most LOW\n", len(held))
	for _, h := range held[:min(len(held), maxHeld)] {
		fmt.Fprintf(e.stderr, "    %s: on the safelist %s\n", h.Subject, strings.Join(h.By, ", "))
	}
	if len(held) > maxHeld {
		fmt.Fprintf(e.stderr, "    and %d more\n", len(held)-maxHeld)
	}
}

func printSources(e env) error {
	t := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "LIST\tWHAT")
	for _, s := range feed.Sources() {
		lines := wrap(s.About, lineWidth-len("revoke-approval-exploits")-2)
		if s.Upstream != "" {
			lines = append(lines, s.URL)
		}
		for i, line := range lines {
			fmt.Fprintf(t, "%s\t%s\n", map[bool]string{true: s.Name}[i == 0], line)
		}
	}
	return t.Flush()
}

// wrap breaks a text into lines of at most width characters, between words.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// loadStarter imports the starter set into an empty database. If the program was
// killed before the import was complete, the next start completes it.
func loadStarter(ctx context.Context, db *store.DB) error {
	names := []string{feed.OFAC, feed.StarterList}
	empty, err := db.Empty(ctx, names...)
	if err != nil || !empty {
		return err
	}
	for _, name := range names {
		done, err := db.Imported(ctx, name)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		source, found := feed.Find(name)
		if !found {
			return fmt.Errorf("there is no list %q", name)
		}
		im, err := db.Import(ctx, source.List)
		if err != nil {
			return err
		}
		defer im.Close()
		if name == feed.OFAC {
			at, _, fault := tocsin.ParseDay(feed.StarterDate)
			if fault != nil {
				return fault
			}
			im.AsOf(at) // later sanctions are unknown, and the age of the list must show that
		}
		if err := source.Read(ctx, feed.Starter(), db.Now().Std(), feed.Sink{Entry: im.Add}); err != nil {
			return err
		}
		if _, err := im.Finish(ctx, false, nil); err != nil {
			return err
		}
	}
	return nil
}
