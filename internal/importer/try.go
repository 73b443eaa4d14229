// Package importer imports lists: one try with its lease, its validators and its record, and which list is due when.
// It prints nothing: what became of a try is a [Result].
package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// downloadTimeout is how long the download of one file may take.
const downloadTimeout = 10 * time.Minute

// leaseWait is how long a process waits before it asks again for a lease that another one holds.
const leaseWait = time.Second

// Lease takes the lease of a list. While another process holds it, it waits, after held was called once; an error of
// held ends that.
func Lease(ctx context.Context, db *store.DB, list string, held func() error) (*store.ImportLease, error) {
	for first := true; ; first = false {
		lease, err := db.LeaseImport(ctx, list)
		if !errors.Is(err, store.ErrImporting) {
			return lease, err
		}
		if first {
			if err := held(); err != nil {
				return nil, err
			}
		}
		select {
		case <-time.After(leaseWait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Try is one try to import a list.
type Try struct {
	DB      *store.DB
	Source  feed.Source
	From    string                                    // "" for upstream
	Force   bool                                      // also if more than half is gone
	Older   bool                                      // also if it is older than the one on record
	By      store.Operator                            // who imports it, unless it is due
	Every   time.Duration                             // import it only if it is due, and has changed; 0 in any case
	Program string                                    // names the build: another one may read the same files otherwise
	Held    func() error                              // see [Lease]
	Step    func(name string) func(done, total int64) // begins to show how far a step is
	Now     func() time.Time                          // of the clock that says how long it took
	Random  *rand.Rand                                // see [feed.NextRefresh]
	Through http.RoundTripper                         // of downloads; nil for the default

	lease *store.ImportLease
	known feed.Validators // of what is on record
	stage string          // what fails, if it fails now
}

// Result is what became of a try, as far as it came.
type Result struct {
	NotBefore *tocsin.Time  // the list is not due before; nothing was done
	Lasted    time.Duration // 0 if it was not begun
	Unchanged bool          // the list has not changed since it was imported last, so it was not read
	Refused   Refusals
	Ignored   []string // columns of the operator's own file that were not read, cleaned
	Columns   []string // those that are read from it; empty if none was ignored
	Kept      bool     // it failed, and what the list said before stays on record
	Finished  bool     // what follows is of an import that was written

	Counts   store.Counts
	Before   int          // entries on record before
	Entries  int          // of the list, as far as it was read
	Loss     int          // percent of the list; see [tocsin.ListSize.UnusualLoss]
	Lost     bool         // they were lost by this import
	LostAt   *tocsin.Time // when they were lost; nil if that is not known
	Version  tocsin.ListVersion
	Held     []store.Held // see [store.Importing.Held]
	TakenOff []string     // see [store.Importing.TakenOff]
	Missing  []string     // the patterns of files that were not there: what they list stays on record
	Stale    bool         // some are missing, and the list is as old as before
}

// ErrInterrupted is the error of a try that was ended from outside, such as by a signal.
var ErrInterrupted = errors.New("the import was interrupted")

// Run imports the list under its lease, and records how that ended. While another process imports it, Held says whether
// to wait.
func (t *Try) Run(ctx context.Context) (r Result, err error) {
	if t.lease, err = Lease(ctx, t.DB, t.Source.Name, t.Held); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, t.lease.Release(ctx)) }()
	old, err := t.DB.ImportTry(ctx, t.Source.Name)
	if err != nil {
		return r, err
	}
	if t.Every > 0 {
		read, err := t.DB.ListRead(ctx, t.Source.Name)
		if err != nil {
			return r, err
		}
		if due := old.DueAt(t.DB.Now(), t.Every, read); t.DB.Now().Std().Before(due) {
			at := tocsin.TimeOf(due)
			r.NotBefore = &at
			return r, nil
		}
		if t.known, err = t.validators(ctx); err != nil {
			return r, err
		}
	}
	// A process that ends in the middle, perhaps since it needs too much memory, must not begin again at once.
	if err := t.lease.Begin(ctx, old, t.next(old, old.Failures+1)); err != nil {
		return r, err
	}
	begun := t.Now()
	failure := t.importChanged(ctx, &r)
	r.Lasted = max(1, t.Now().Sub(begun))
	if failure != nil {
		r.Kept, _ = t.DB.Imported(context.WithoutCancel(ctx), t.Source.Name)
	}
	record := store.ImportTry{List: old.List, Tries: old.Tries + 1, Failed: old.Failed, Unchanged: r.Unchanged,
		Added: r.Counts.Added, Withdrawn: r.Counts.Withdrawn, Upstream: t.From == "", ListSize: old.ListSize,
		Shrunk: old.Shrunk, Lasted: r.Lasted.Round(time.Millisecond)}
	if now := t.DB.Now(); r.Finished && len(r.Missing) == 0 {
		record.ListSize = old.Read(r.Before, r.Entries, t.Force, now)
		r.Lost = record.LostAt != nil && *record.LostAt == now
	}
	if r.Loss, r.LostAt = record.UnusualLoss(), record.LostAt; r.Lost {
		record.Shrunk++
	}
	switch {
	case failure == nil:
		record.Next, record.Refused = t.next(old, 0), r.Refused.Total
	case ctx.Err() != nil: // whatever could not be read then
		return r, errors.Join(ErrInterrupted, t.lease.Abandon(ctx, old))
	case t.wrongFile(failure): // which is not the list's fault
		return r, errors.Join(failure, t.lease.Abandon(ctx, old))
	default:
		switch record.Reason = t.stage; {
		case errors.Is(failure, store.ErrShrunk):
			record.Reason = store.FailedShrunk
		case errors.Is(failure, store.ErrOlder):
			record.Reason = store.FailedOlder
		case errors.Is(failure, store.ErrUndated):
			record.Reason = store.FailedUndated
		}
		record.Failed, record.Failures = old.Failed+1, old.Failures+1
		record.Next = t.next(old, record.Failures)
	}
	return r, errors.Join(failure, t.lease.End(ctx, record))
}

// wrongFile reports whether an import has failed because of which file From names: it is not there, is or may be older
// than what is on record, or lacks what the operator added by hand. Only who named it needs to know.
func (t *Try) wrongFile(failure error) bool {
	return t.From != "" && slices.ContainsFunc([]error{fs.ErrNotExist, store.ErrOlder, store.ErrUndated,
		store.ErrAddedByHand}, func(of error) bool { return errors.Is(failure, of) })
}

// next returns when the list is refreshed next, after so many failures. By hand it is as it was planned.
func (t *Try) next(old store.ImportTry, failures int) *tocsin.Time {
	if t.Every == 0 {
		return old.Next
	}
	at := tocsin.TimeOf(t.DB.Now().Std().Add(feed.NextRefresh(t.Every, failures, t.Random)))
	return &at
}

// importChanged imports the list, unless it is due and has not changed.
func (t *Try) importChanged(ctx context.Context, r *Result) error {
	if t.stage = store.FailedDownload; t.From != "" && !strings.Contains(t.From, "://") {
		t.stage = store.FailedRead
	}
	client := &http.Client{Timeout: downloadTimeout, Transport: t.Through}
	if t.known != nil && !t.Source.Changed(ctx, client, t.known) {
		t.stage = store.FailedWrite
		if r.Unchanged = true; ctx.Err() != nil {
			return ctx.Err()
		}
		return t.lease.Unchanged(ctx)
	}
	return t.importAll(ctx, client, r)
}

// importAll imports the list, whether it has changed or not.
func (t *Try) importAll(ctx context.Context, client *http.Client, r *Result) error {
	name := t.Source.Name
	files := feed.Starter()
	var found feed.Validators
	var err error
	switch {
	case t.From != "":
		files, err = t.Source.Open(ctx, t.From, client, t.Step("reading "+name))
	case t.Source.Upstream != "":
		files, found, err = t.Source.Download(ctx, client, t.known, t.Step("reading "+name))
	}
	if err != nil {
		return err
	}
	before, err := t.DB.Imported(ctx, name)
	if err != nil {
		return err
	}
	im, err := t.DB.Import(ctx, t.Source.List)
	if err != nil {
		return err
	}
	defer im.Close()
	if t.Every == 0 {
		im.By(t.By)
	}
	im.Under(t.lease)
	if name == feed.Safelist { // of the operator
		im.Dated()
	}
	switch {
	case name == feed.StarterList && t.From != "":
		im.Validators([]byte(ownStarter))
	case name == feed.StarterList:
		im.Validators([]byte(feed.StarterDigest()))
	case found != nil:
		text, err := json.Marshal(validatorsOnRecord{Program: t.Program, Files: found})
		if err != nil {
			return err
		}
		im.Validators(text)
	}
	t.stage = store.FailedRead
	if name == feed.OFAC { // what is missing there must be known
		r.Refused.each = tocsin.MaxUntaken
	}
	r.Version, err = t.Source.Read(ctx, files, t.DB.Now().Std(), feed.Sink{
		Entry:    im.Add,
		Refuse:   r.Refused.add,
		Progress: t.Step("reading " + name),
		Ignored:  r.ignored,
		Missing: func(file string) {
			im.Partial()
			r.Missing = append(r.Missing, file)
		},
	})
	if err != nil {
		return err
	}
	im.Version(r.Version)
	if t.Older {
		im.AllowOlder()
	}
	t.stage = store.FailedWrite
	written := t.Step("writing " + name)
	counts, err := im.Finish(ctx, t.Force, func(done, total int) { written(int64(done), int64(total)) })
	if err != nil {
		return err
	}
	r.Finished, r.Counts, r.Held = true, counts, im.Held()
	r.TakenOff = im.TakenOff()
	r.Before, r.Entries = im.Sizes()
	r.Stale = before && len(r.Missing) > 0
	return nil
}

// validatorsOnRecord are the validators of a list in the database. Another build of the program may read the same files
// otherwise, so that they say nothing to it.
type validatorsOnRecord struct {
	Program string          `json:"program"`
	Files   feed.Validators `json:"files"`
}

// validators returns those of what is on record; nil if they are not known.
func (t *Try) validators(ctx context.Context) (feed.Validators, error) {
	text, err := t.DB.Validators(ctx, t.Source.Name)
	if text == nil || err != nil {
		return nil, err
	}
	var kept validatorsOnRecord
	if err := json.Unmarshal(text, &kept); err != nil || kept.Program != t.Program {
		return nil, nil // the list is read again
	}
	return kept.Files, nil
}

// ignored notes the columns of a file that are not read.
func (r *Result) ignored(columns, read []string) {
	r.Columns = read
	for _, name := range columns {
		r.Ignored = append(r.Ignored, tocsin.Shorten(tocsin.CleanText(name), 60))
	}
}

// Refusals are the rows that were refused.
type Refusals struct {
	Total    int
	Counts   map[string]int      // by reason
	Examples map[string][]string // the first of each reason, each in one line without control characters

	each int // examples; 0 means three
}

func (r *Refusals) add(row, reason, detail string) {
	if r.Counts == nil {
		r.Counts, r.Examples = map[string]int{}, map[string][]string{}
	}
	r.Total++
	if r.Counts[reason]++; r.Counts[reason] <= cmp.Or(r.each, 3) {
		line := strings.Join(strings.Fields(tocsin.CleanText(row+": "+detail)), " ")
		r.Examples[reason] = append(r.Examples[reason], tocsin.Shorten(line, 400))
	}
}

// Reasons returns why rows were refused, the most frequent reason first.
func (r *Refusals) Reasons() []string {
	return slices.SortedFunc(maps.Keys(r.Counts), func(a, b string) int {
		return cmp.Or(r.Counts[b]-r.Counts[a], cmp.Compare(a, b))
	})
}
