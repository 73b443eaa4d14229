package main

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/importer"
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
	older       bool
	every       time.Duration
}

func newImport(c *commandLine) runFunc {
	f := &importFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	f.StringVar(&f.from, "from", "", "read from this `FILE, DIR or URL` instead of downloading from upstream")
	f.StringVar(&f.as, "as", "", "list `NAME` for your own reports (ndjson, csv); "+
		"reports under different names count as different origins; everybody can read their titles and descriptions")
	f.BoolVar(&f.list, "list", false, "show the lists that can be imported")
	f.BoolVar(&f.force, "force", false, "import the list even if it has lost more than half of its entries, or "+
		"your safelist lacks what safelist add made, and take what it has lost for right")
	f.BoolVar(&f.older, "older", false, "import the list even if it is older than the one on record, or has no date "+
		"to tell")
	f.DurationVar(&f.every, "every", 0, "import only if the last try was so `LONG` ago, such as 6h (less after "+
		"a failure), and only if the list has changed; as serve -refresh does")
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
	if f.every != 0 && (f.every < 0 || f.from != "" || source.Upstream == "" || f.force || f.older) {
		return usage("-every is for lists that are downloaded, and neither for -from nor for -force or -older")
	}
	by, err := f.by(e)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(importMemory, debug.SetMemoryLimit(-1))))
	open := func(ctx context.Context) (*store.DB, error) { return f.openOrCreate(ctx, e) }
	if f.every > 0 { // for a server, which has one: where it was moved away no empty one must take its place
		open = f.open
	}
	db, err := open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	bar := newProgress(e.stderr)
	defer bar.end()
	try := importer.Try{DB: db, Source: source, From: f.from, Force: f.force, Older: f.older, By: by, Every: f.every,
		Program: programID(), Held: f.held(e, source.Name), Step: bar.step, Now: time.Now,
		Random: rand.New(rand.NewChaCha8(seed()))}
	r, err := try.Run(ctx)
	bar.end()
	if errors.Is(err, store.ErrImporting) {
		_, err := fmt.Fprintf(e.stdout, "%s: another process imports it\n", source.Name)
		return err
	}
	err = errors.Join(err, printImport(e, source.Name, &r, err != nil))
	if folder, _ := os.Stat(f.from); err == nil && len(r.Missing) > 0 && folder != nil && folder.IsDir() {
		return errReported // a folder is meant to have all files of the list; a single file may be meant as one of them
	}
	return err
}

// held returns what an import does while another process imports the list: one for a server leaves it to that.
func (f *importFlags) held(e env, list string) func() error {
	return func() error {
		if f.every > 0 {
			return store.ErrImporting
		}
		_, err := fmt.Fprint(e.stderr, waiting(list))
		return err
	}
}

// waiting is what is said once while another process has the lease of a list.
func waiting(list string) string {
	return fmt.Sprintf("Waiting for another process, which imports %s. If that was killed, this goes on within two "+
		"minutes.\n", list)
}

// seed is a random seed.
func seed() (s [32]byte) {
	cryptorand.Read(s[:]) // it never fails
	return s
}

// source returns the source that the arguments and -as name.
func (f *importFlags) source() (feed.Source, error) {
	if len(f.args) != 1 {
		return feed.Source{}, usage("name one list; tocsin import -list shows the lists")
	}
	source, found := feed.Find(f.args[0])
	if !found {
		return source, usage("there is no list %q%s (tocsin import -list shows all)", f.args[0],
			didYouMean(nearLists(f.args[0], false)))
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

// nearLists are the lists, or those that are downloaded, that a wrong name may mean.
func nearLists(wrong string, downloaded bool) (near []string) {
	for _, s := range feed.Sources() {
		if isNear(wrong, s.Name) && (s.Upstream != "" || !downloaded) {
			near = append(near, s.Name)
		}
	}
	return near
}

// programID names the build of the program.
func programID() string {
	commit, _ := build()
	return version + " " + commit
}

// printImport says what became of a try to import a list.
func printImport(e env, list string, r *importer.Result, failed bool) error {
	switch {
	case r.NotBefore != nil:
		_, err := fmt.Fprintf(e.stdout, "%s: not due before %s\n", list, seconds(*r.NotBefore))
		return err
	case r.Finished:
		of := "" // a story and what it names are entries of their own
		if n := r.Counts.Reports; n > 0 {
			of = fmt.Sprintf(" (%s, %s)", counted(n, "report"), counted(r.Counts.Added-n, "listing"))
		}
		fmt.Fprintf(e.stdout, "%s: added %d%s, unchanged %d, withdrawn %d, refused %d\n",
			list, r.Counts.Added, of, r.Counts.Unchanged, r.Counts.Withdrawn, r.Refused.Total)
		if v := r.Version; v.Date != nil {
			fmt.Fprintf(e.stdout, "  the list of %s, %d of %d entries\n", v.Day(), v.Entries, v.Entries+r.Refused.Total)
		}
		printRefused(&r.Refused, e.stdout, e.stderr)
		printIgnored(r, e.stderr)
		printTakenOff(e, r.TakenOff)
		printHeld(e, r.Held)
		if r.Loss > 0 {
			by := ""
			if !r.Lost {
				by = " by an earlier import"
			}
			if !r.Lost && r.LostAt != nil {
				by += ", of " + seconds(*r.LostAt)
			}
			fmt.Fprintf(e.stderr, "Warning: %d %% of the list was withdrawn%s. If the file was not whole, import a whole one; "+
				"if it was, import it with -force, and this warning ends.\n", r.Loss, by)
		}
		if len(r.Missing) > 0 {
			age := ""
			if r.Stale {
				age = ", and the list is as old as before"
			}
			fmt.Fprintf(e.stderr, "Only part of the list was read: no file matches %s. Nothing was withdrawn%s.\n",
				strings.Join(r.Missing, ", "), age)
		}
	case r.Unchanged && !failed:
		fmt.Fprintf(e.stdout, "%s: not changed since it was imported last\n", list)
	default:
		printRefused(&r.Refused, e.stderr, e.stderr)
		printIgnored(r, e.stderr)
	}
	ended, kept := "it", ""
	if failed {
		ended = "it failed, and"
	}
	if r.Kept {
		kept = "; what the list said last is kept"
	}
	if r.Lasted > 0 {
		fmt.Fprintf(e.stderr, "%s: %s took %s%s\n", list, ended, r.Lasted.Round(time.Millisecond), kept)
	}
	return nil
}

// printIgnored prints which columns of a file were not read, and which are.
func printIgnored(r *importer.Result, out io.Writer) {
	const most = 20
	switch n := len(r.Ignored); {
	case n == 1:
		fmt.Fprintf(out, "Warning: the column “%s” is not read.", r.Ignored[0])
	case n > 1:
		fmt.Fprintf(out, "Warning: these columns are not read: “%s”", strings.Join(r.Ignored[:min(n, most)], "”, “"))
		if n > most {
			fmt.Fprintf(out, " and %d more", n-most)
		}
		fmt.Fprint(out, ".")
	default:
		return
	}
	fmt.Fprintf(out, " Columns that are read: %s.\n", strings.Join(r.Columns, ", "))
}

// printRefused prints why rows were refused, and examples for each reason.
func printRefused(r *importer.Refusals, counts, examples io.Writer) {
	for _, reason := range r.Reasons() {
		fmt.Fprintf(counts, "  refused %d: %s\n", r.Counts[reason], reason)
		for _, row := range r.Examples[reason] {
			fmt.Fprintf(examples, "    %s\n", row)
		}
	}
}

// printTakenOff names what a file took off the operator's own safelist.
func printTakenOff(e env, subjects []string) {
	if len(subjects) == 0 {
		return
	}
	fmt.Fprintf(e.stdout, "  taken off %d: no longer on your safelist, since the file lacks them\n", len(subjects))
	for _, subject := range subjects[:min(len(subjects), maxHeld)] {
		fmt.Fprintf(e.stderr, "    %s\n", subject)
	}
	if len(subjects) > maxHeld {
		fmt.Fprintf(e.stderr, "    and %d more\n", len(subjects)-maxHeld)
	}
}

// maxHeld is how many of the entries held, or taken off, are named.
const maxHeld = 50

// printHeld prints how many entries of risk lists score at most LOW because of a safelist, and which.
func printHeld(e env, held []store.Held) {
	if len(held) == 0 {
		return
	}
	fmt.Fprintf(e.stdout, "  held %d: on a safelist, so at most LOW\n", len(held))
	for _, h := range held[:min(len(held), maxHeld)] {
		fmt.Fprintf(e.stderr, "    %s: on %s\n", h.Subject, strings.Join(safelists(h.By), ", "))
	}
	if len(held) > maxHeld {
		fmt.Fprintf(e.stderr, "    and %d more\n", len(held)-maxHeld)
	}
}

// safelists names lists that hold entries.
func safelists(lists []string) (names []string) {
	for _, list := range lists {
		if list == feed.Safelist {
			names = append(names, "your own safelist")
		} else {
			names = append(names, "the safelist "+list)
		}
	}
	return names
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
