package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
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

// leaseImport takes the lease of a list. While another process holds it, it waits, after held was called once; an error
// of held ends that.
func leaseImport(ctx context.Context, db *store.DB, list string, held func() error) (*store.ImportLease, error) {
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

// importing is one try to import a list.
type importing struct {
	env
	db     *store.DB
	lease  *store.ImportLease
	source feed.Source
	from   string // "" for upstream
	force  bool
	older  bool
	by     store.Operator
	byHand bool // and not because the list is due
	random *rand.Rand

	known feed.Validators // of what is on record
	stage string          // what fails, if it fails now
}

// try imports the list and records how that ended. With every it does so only if the list is due, and has changed.
func (i *importing) try(ctx context.Context, every time.Duration) error {
	old, err := i.db.ImportTry(ctx, i.source.Name)
	if err != nil {
		return err
	}
	if every > 0 {
		read, err := i.db.ListRead(ctx, i.source.Name)
		if err != nil {
			return err
		}
		if due := old.DueAt(i.db.Now(), every, read); i.db.Now().Std().Before(due) {
			_, err := fmt.Fprintf(i.stdout, "%s: not due before %s\n", i.source.Name, seconds(tocsin.TimeOf(due)))
			return err
		}
		if i.known, err = i.validators(ctx); err != nil {
			return err
		}
	}
	// A process that ends in the middle, perhaps since it needs too much memory, must not begin again at once.
	if err := i.lease.Begin(ctx, old, i.next(old, every, old.Failures+1)); err != nil {
		return err
	}
	result := store.ImportTry{List: old.List, Tries: old.Tries + 1, Failed: old.Failed}
	begun := time.Now()
	failure := i.importChanged(ctx, &result, every > 0)
	result.Lasted = time.Since(begun).Round(time.Millisecond)
	ended := "it"
	if failure != nil {
		ended = "it failed, and"
	}
	fmt.Fprintf(i.stderr, "%s: %s %s\n", i.source.Name, ended, took(begun))
	switch {
	case failure == nil:
		result.Next = i.next(old, every, 0)
	case ctx.Err() != nil:
		return errors.Join(failure, i.lease.Abandon(ctx, old))
	default:
		switch result.Reason = i.stage; {
		case errors.Is(failure, store.ErrShrunk):
			result.Reason = store.FailedShrunk
		case errors.Is(failure, store.ErrOlder):
			result.Reason = store.FailedOlder
		case errors.Is(failure, store.ErrUndated):
			result.Reason = store.FailedUndated
		}
		result.Failed, result.Failures = old.Failed+1, old.Failures+1
		result.Next = i.next(old, every, result.Failures)
	}
	return errors.Join(failure, i.lease.End(ctx, result))
}

// next returns when the list is refreshed next, after so many failures. Without every it is as it was planned.
func (i *importing) next(old store.ImportTry, every time.Duration, failures int) *tocsin.Time {
	if every == 0 {
		return old.Next
	}
	at := tocsin.TimeOf(i.db.Now().Std().Add(feed.NextRefresh(every, failures, i.random)))
	return &at
}

// importChanged imports the list, with ifChanged only if it has changed.
func (i *importing) importChanged(ctx context.Context, result *store.ImportTry, ifChanged bool) error {
	if i.stage = store.FailedDownload; i.from != "" && !strings.Contains(i.from, "://") {
		i.stage = store.FailedRead
	}
	client := &http.Client{Timeout: downloadTimeout}
	if ifChanged && i.known != nil && !i.source.Changed(ctx, client, i.known) {
		i.stage = store.FailedWrite
		if result.Unchanged = true; ctx.Err() != nil {
			return ctx.Err()
		}
		if err := i.lease.Unchanged(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintf(i.stdout, "%s: not changed since it was imported last\n", i.source.Name)
		return err
	}
	return i.importAll(ctx, client, result)
}

// importAll imports the list, whether it has changed or not.
func (i *importing) importAll(ctx context.Context, client *http.Client, result *store.ImportTry) error {
	name := i.source.Name
	bar := newProgress(i.stderr)
	defer bar.end()
	files := feed.Starter()
	var found feed.Validators
	var err error
	switch {
	case i.from != "":
		files, err = i.source.Open(ctx, i.from, client, bar.step("reading "+name))
	case i.source.Upstream != "":
		files, found, err = i.source.Download(ctx, client, i.known, bar.step("reading "+name))
	}
	if err != nil {
		return err
	}
	before, err := i.db.Imported(ctx, name)
	if err != nil {
		return err
	}
	im, err := i.db.Import(ctx, i.source.List)
	if err != nil {
		return err
	}
	defer im.Close()
	if i.byHand {
		im.By(i.by)
	}
	im.Under(i.lease)
	if name == feed.Safelist { // of the operator
		im.Dated()
	}
	switch {
	case name == feed.StarterList && i.from != "":
		im.Validators([]byte(ownStarter))
	case name == feed.StarterList:
		im.Validators([]byte(feed.StarterDigest()))
	case found != nil:
		text, err := json.Marshal(validatorsOnRecord{Program: programID(), Files: found})
		if err != nil {
			return err
		}
		im.Validators(text)
	}
	i.stage = store.FailedRead
	var refused refusals
	if name == feed.OFAC { // what is missing there must be known
		refused.examplesEach = tocsin.MaxUntaken
	}
	var missing []string
	read, err := i.source.Read(ctx, files, i.db.Now().Std(), feed.Sink{
		Entry:    im.Add,
		Refuse:   refused.add,
		Progress: bar.step("reading " + name),
		Missing: func(file string) {
			im.Partial()
			missing = append(missing, file)
		},
	})
	if err != nil {
		refused.print(i.stderr, i.stderr)
		return err
	}
	im.Version(read)
	if i.older {
		im.AllowOlder()
	}
	i.stage = store.FailedWrite
	written := bar.step("writing " + name)
	counts, err := im.Finish(ctx, i.force, func(done, total int) { written(int64(done), int64(total)) })
	if err != nil {
		return err
	}
	bar.end()
	result.Added, result.Withdrawn, result.Refused = counts.Added, counts.Withdrawn, refused.total
	of := "" // a story and what it names are entries of their own
	if counts.Reports > 0 {
		of = fmt.Sprintf(" (%s, %s)", counted(counts.Reports, "report"), counted(counts.Added-counts.Reports, "listing"))
	}
	fmt.Fprintf(i.stdout, "%s: added %d%s, unchanged %d, withdrawn %d, refused %d\n",
		name, counts.Added, of, counts.Unchanged, counts.Withdrawn, refused.total)
	if read.Date != nil {
		fmt.Fprintf(i.stdout, "  the list of %s, %d of %d entries\n", read.Day(), read.Entries, read.Entries+refused.total)
	}
	refused.print(i.stdout, i.stderr)
	printHeld(i.env, im.Held())
	if len(missing) > 0 {
		age := ""
		if before {
			age = ", and the list is as old as before"
		}
		fmt.Fprintf(i.stderr, "Only part of the list was read: no file matches %s. Nothing was withdrawn%s.\n",
			strings.Join(missing, ", "), age)
	}
	return nil
}

// validatorsOnRecord are the validators of a list in the database. Another build of the program may read the same files
// otherwise, so that they say nothing to it.
type validatorsOnRecord struct {
	Program string          `json:"program"`
	Files   feed.Validators `json:"files"`
}

// programID names the build of the program.
func programID() string {
	commit, _ := build()
	return version + " " + commit
}

// validators returns those of what is on record; nil if they are not known.
func (i *importing) validators(ctx context.Context) (feed.Validators, error) {
	text, err := i.db.Validators(ctx, i.source.Name)
	if text == nil || err != nil {
		return nil, err
	}
	var kept validatorsOnRecord
	if err := json.Unmarshal(text, &kept); err != nil || kept.Program != programID() {
		return nil, nil // the list is read again
	}
	return kept.Files, nil
}
