package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"tocsin"
	"tocsin/internal/feed"
)

func importFlags(f *flags) {
	f.StringVar(&f.from, "from", "", "`FILE, DIR or URL` to read instead of downloading from upstream")
	f.StringVar(&f.as, "as", "", "`NAME` under which reports of your own (ndjson, csv) are kept, so that reports of several origins stand apart")
	f.BoolVar(&f.list, "list", false, "show the lists that can be imported")
	f.BoolVar(&f.force, "force", false, "believe a list that has lost more than half of its entries")
}

// listName is what a list of one's own may be called.
var listName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,49}$`)

func importList(ctx context.Context, w world, f *flags) error {
	if f.list {
		if err := f.none(); err != nil {
			return err
		}
		return printSources(w)
	}
	if len(f.args) != 1 {
		return usage("name one list; tocsin import -list shows them")
	}
	source, found := feed.Find(f.args[0])
	if !found {
		return usage("there is no list %q; tocsin import -list shows them", f.args[0])
	}
	if f.as != "" {
		if source.Upstream != "" {
			return usage("-as is for reports of your own; %s has its name", source.Name)
		}
		if _, taken := feed.Find(f.as); taken || f.as == tocsin.Community || !listName.MatchString(f.as) || source.Name == feed.StarterList {
			return usage("-as %q: choose a name of small letters, digits and hyphens that no other source has", f.as)
		}
		source.Name, source.Family = f.as, f.as
	}
	if f.from == "" && source.Upstream == "" && source.Name != feed.StarterList {
		return usage("%s has no upstream: say -from FILE", source.Name)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	bar := newProgress(w.err)
	defer bar.end()
	files := feed.Starter()
	if f.from != "" || source.Upstream != "" {
		if files, err = source.Open(ctx, f.from, &http.Client{Timeout: 10 * time.Minute}, bar.step("reading "+source.Name)); err != nil {
			return err
		}
	}
	im, err := db.Import(ctx, source.List)
	if err != nil {
		return err
	}
	var no refusals
	var missing []string
	err = source.Read(ctx, files, db.Now().Std(), feed.Sink{
		Entry:    im.Add,
		Refuse:   no.add,
		Progress: bar.step("reading " + source.Name),
		Missing: func(file string) {
			im.Partial()
			missing = append(missing, file)
		},
	})
	if err != nil {
		no.print(w.err, w.err)
		return err
	}
	written := bar.step("writing " + source.Name)
	counts, err := im.Finish(ctx, f.force, func(done, total int) { written(int64(done), int64(total)) })
	if err != nil {
		return err
	}
	bar.end()
	fmt.Fprintf(w.out, "%s: added %d, unchanged %d, withdrawn %d, refused %d\n", source.Name, counts.Added, counts.Unchanged, counts.Withdrawn, no.total)
	no.print(w.out, w.err)
	if len(missing) > 0 {
		fmt.Fprintf(w.err, "Only a part of the list was read: %s is not there, and what stands in it was left as it was.\n", strings.Join(missing, ", "))
	}
	return nil
}

// refusals counts the rows that were refused, and keeps some to show.
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

// print tells the reasons, the most frequent first, and what was refused for each.
func (r *refusals) print(counts, examples io.Writer) {
	reasons := slices.SortedFunc(maps.Keys(r.counts), func(a, b string) int {
		return cmp.Or(r.counts[b]-r.counts[a], cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		fmt.Fprintf(counts, "  refused %d: %s\n", r.counts[reason], reason)
		for _, e := range r.examples[reason] {
			fmt.Fprintf(examples, "    %s\n", e)
		}
	}
}

func printSources(w world) error {
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "LIST\tWHAT\tUPSTREAM")
	for _, s := range feed.Sources() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", s.Name, s.About, cmp.Or(s.Upstream, "-"))
	}
	return t.Flush()
}
