package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

const (
	// minRefresh is the shortest time after which lists are refreshed: their servers are those of volunteers.
	minRefresh = 10 * time.Minute
	// refreshLook is how often it is looked whether a list is due: other processes and operators import lists too.
	refreshLook = 30 * time.Second
	// refreshStop is how long an import may take to end when the server ends.
	refreshStop = 10 * time.Second
)

// refreshFlags say which lists are refreshed, and how often.
type refreshFlags struct {
	every  time.Duration // 0: never
	lists  string
	benign string // a file of innocent names, for the model of names
}

func (f *refreshFlags) register(c *commandLine) {
	c.DurationVar(&f.every, "refresh", 0, "import lists by itself every so `OFTEN`, such as 6h, at least 10m "+
		"(default: never)")
	c.StringVar(&f.lists, "lists", strings.Join(feed.Refreshed(), ","), "`LISTS` that -refresh imports, "+
		"comma-separated; sanctions come first")
	c.StringVar(&f.benign, "benign", "", "with -refresh: a `FILE` of innocent names, one a line, from which the model of "+
		"names learns too")
}

// names returns the lists to refresh, sanctions first, none if they are not refreshed.
func (f *refreshFlags) names() (names []string, err error) {
	if f.every == 0 {
		return nil, nil
	}
	if f.every < minRefresh {
		return nil, usage("-refresh %v is less than %v", f.every, minRefresh)
	}
	for _, name := range strings.FieldsFunc(f.lists, func(r rune) bool { return r == ',' || r == ' ' }) {
		if source, found := feed.Find(name); !found || source.Upstream == "" {
			return nil, usage("-lists: there is no list %q that can be downloaded; tocsin import -list shows the lists",
				name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, usage("-lists names no list")
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch feed.OFAC {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return names, nil
}

// refresher imports lists when they are due, one after the other, each in a process of its own: the memory and the time
// of the processor that an import takes are not those of the server, and it can be killed.
type refresher struct {
	db    *store.DB
	every time.Duration
	lists []string
	log   *slog.Logger
	run   func(ctx context.Context, list string) error // imports a list if it is due
	look  <-chan time.Time                             // when to look whether one is due
	ended func(list string, at tocsin.Time) bool       // notes that the end of a try is logged; nil for nobody to tell

	trainer *trainer // of the model of names; nil for none

	failed map[string]failedRun // those that could not even record why
}

// failedRun is a list whose import has ended without a record.
type failedRun struct {
	times int
	until time.Time // it is not run again before
}

// refresh works until the context ends.
func (r *refresher) refresh(ctx context.Context) {
	r.failed = map[string]failedRun{}
	for ctx.Err() == nil {
		list, err := r.due(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			r.log.Warn("refresh: the database does not say which lists are due", "error", printable(err))
		case list != "":
			r.importList(ctx, list)
			continue
		default:
			r.trainIfDue(ctx)
		}
		select {
		case <-r.look:
		case <-ctx.Done():
		}
	}
}

// due returns the first list that is due; "" if none is.
func (r *refresher) due(ctx context.Context) (string, error) {
	if halted, err := r.db.ReadOnly(ctx); halted || err != nil {
		return "", err
	}
	tries, err := r.db.ImportTries(ctx)
	if err != nil {
		return "", err
	}
	now := r.db.Now()
	for _, list := range r.lists {
		var last store.ImportTry
		if i := slices.IndexFunc(tries, func(t store.ImportTry) bool { return t.List == list }); i >= 0 {
			last = tries[i]
		}
		read, err := r.db.ListRead(ctx, list)
		if err != nil {
			return "", err
		}
		at := last.DueAt(now, r.every, read)
		if until := r.failed[list].until; until.After(at) {
			at = until
		}
		if !last.Running && !now.Std().Before(at) {
			return list, nil
		}
	}
	return "", nil
}

// importList imports a list and logs how that ended.
func (r *refresher) importList(ctx context.Context, list string) {
	before, _ := r.db.ImportTry(ctx, list)
	began := r.db.Now()
	err := r.run(ctx, list)
	if ctx.Err() != nil {
		return
	}
	try, unread := r.db.ImportTry(ctx, list)
	if r.ended != nil && unread == nil && !try.Running {
		r.ended(list, try.At)
	}
	switch {
	case unread != nil || try.Running || try.At == before.At: // nothing was recorded
		f := r.failed[list]
		f.times++
		f.until = began.Std().Add(min(time.Minute<<min(f.times-1, 20), r.every))
		r.failed[list] = f
		if err == nil { // another process does it
			return
		}
		r.log.Warn("refresh: the import has ended", "list", list, "error", printable(err))
		return
	case try.Reason != "":
		r.log.Warn("refresh: the import of a list failed; what it said last is kept", "list", list,
			"reason", try.Reason, "failures", try.Failures, "next", nextTry(try), "error", said(err))
	default:
		if r.trainer != nil && try.Added+try.Withdrawn > 0 {
			r.trainer.changed = true
		}
		r.log.Info("refreshed", "list", list, "unchanged", try.Unchanged, "added", try.Added, "withdrawn", try.Withdrawn,
			"refused", try.Refused, "next", nextTry(try))
	}
	delete(r.failed, list)
}

// nextTry is when a list is tried again, for the log.
func nextTry(try store.ImportTry) string {
	if try.Next == nil {
		return ""
	}
	return seconds(*try.Next)
}

// said is what a process said of its failure, "" if it did not fail.
func said(err error) string {
	if err == nil {
		return ""
	}
	return printable(err)
}

// begin refreshes the lists until the context ends, if that is asked for.
func (f *refreshFlags) begin(
	ctx context.Context, lists []string, db *store.DB, names *nameFlags, upkeep *upkeepLog,
) {
	log := upkeep.log
	if len(lists) == 0 {
		log.Info("lists are not refreshed: set -refresh 6h, or run `tocsin import` from a timer")
		return
	}
	tick := time.NewTicker(refreshLook)
	defer tick.Stop()
	r := &refresher{db: db, every: f.every, lists: lists, log: log, look: tick.C, ended: upkeep.first,
		run:     importProcess(names.commandLine, f.every),
		trainer: &trainer{model: upkeep.model, run: trainProcess(names, f.benign)}}
	log.Info("lists are refreshed", "every", f.every.String(), "lists", strings.Join(lists, ","))
	r.refresh(ctx)
}

// importProcess returns how a list is imported in a process of its own.
func importProcess(line *commandLine, every time.Duration) func(ctx context.Context, list string) error {
	return func(ctx context.Context, list string) error {
		return childProcess(ctx, importEnvironment(os.Environ(), line), "import", "-every", every.String(), list)
	}
}

// trainProcess returns how a model of names is trained in a process of its own: on one core, and behind all else.
func trainProcess(names *nameFlags, benign string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		args := []string{"train", "-every", retrainEvery.String()}
		for flag, value := range map[string]string{"-model": names.model, "-brands": names.brands, "-benign": benign} {
			if value != "" {
				args = append(args, flag, value)
			}
		}
		return childProcess(ctx, append(importEnvironment(os.Environ(), names.commandLine), "GOMAXPROCS=1"), args...)
	}
}

// childProcess runs a command of this program, and returns its last words if it fails.
func childProcess(ctx context.Context, environment []string, args ...string) error {
	program, err := thisProgram()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, program, args...)
	c.Env = environment
	c.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return c.Process.Kill()
		}
		return c.Process.Signal(syscall.SIGTERM)
	}
	c.WaitDelay = refreshStop
	var complaint lastWords
	c.Stderr = &complaint
	if err := c.Start(); err != nil {
		return err
	}
	yield(c.Process.Pid)
	err = c.Wait()
	if text := strings.TrimPrefix(complaint.String(), "tocsin "+args[0]+": "); err != nil && text != "" {
		return errors.New(text)
	}
	return err
}

// importEnvironment is the environment of an import: that of the server without its flags and what a supervisor gave
// it. The database is named there rather than among the arguments, which all users of a machine can see.
func importEnvironment(environ []string, line *commandLine) []string {
	environ = slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		for _, prefix := range []string{"TOCSIN_", "CDP_", "LISTEN_", "NOTIFY_SOCKET=", "WATCHDOG_", "CREDENTIALS_"} {
			if strings.HasPrefix(variable, prefix) {
				return true
			}
		}
		return false
	})
	environ = append(environ, "TOCSIN_DB="+line.db)
	if line.acceptClock {
		environ = append(environ, "TOCSIN_ACCEPT_CLOCK=true")
	}
	return environ
}

// lastWords keeps the last line that was written, up to a kilobyte.
type lastWords struct{ text []byte }

// Write implements [io.Writer].
func (w *lastWords) Write(p []byte) (int, error) {
	w.text = append(w.text, p...)
	w.text = w.text[max(0, len(w.text)-1024):]
	return len(p), nil
}

// String returns the line.
func (w *lastWords) String() string {
	text := strings.TrimSpace(string(w.text))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
