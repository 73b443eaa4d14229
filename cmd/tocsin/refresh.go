package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"tocsin/internal/feed"
	"tocsin/internal/importer"
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
			return nil, usage("-lists: there is no list %q that can be downloaded%s (tocsin import -list shows all)", name,
				didYouMean(nearLists(name, true)))
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
	log.Info("lists are refreshed", "every", f.every.String(), "lists", strings.Join(lists, ","))
	(&importer.Schedule{
		DB:     db,
		Every:  f.every,
		Lists:  lists,
		Log:    log,
		Import: importProcess(names.commandLine, f.every),
		Look:   tick.C,
		Ended:  upkeep.first,
		Train:  trainProcess(names, f.benign),
		Model:  upkeep.model.detector.Model,
	}).Run(ctx)
}

// importProcess returns how a list is imported in a process of its own: what it takes of memory and time is not the
// server's, and it can be killed.
func importProcess(line *commandLine, every time.Duration) func(ctx context.Context, list string) error {
	return func(ctx context.Context, list string) error {
		return childProcess(ctx, importEnvironment(os.Environ(), line), importArgs(every, list)...)
	}
}

// trainProcess returns how a model of names is trained in a process of its own: on one core, and behind all else.
func trainProcess(names *nameFlags, benign string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		environment := append(importEnvironment(os.Environ(), names.commandLine), "GOMAXPROCS=1")
		return childProcess(ctx, environment, trainArgs(names, benign)...)
	}
}

// importArgs is the command line of an import.
func importArgs(every time.Duration, list string) []string {
	return []string{"import", "-every", every.String(), list}
}

// trainArgs is the command line of a training, with the files that the server was given.
func trainArgs(names *nameFlags, benign string) []string {
	args := []string{"train", "-every", importer.RetrainEvery.String()}
	for _, file := range [][2]string{{"-model", names.model}, {"-brands", names.brands}, {"-benign", benign}} {
		if file[1] != "" {
			args = append(args, file[:]...)
		}
	}
	return args
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
