package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"

	"tocsin/internal/front"
	"tocsin/internal/store"
)

// formJSON is the form of a log of which each line is an object.
const formJSON = "json"

// serverLog are the flags of the log of a server.
type serverLog struct {
	form     string
	level    slog.Level
	access   accessLog
	networks bool
}

func (l *serverLog) register(f *flag.FlagSet) {
	f.StringVar(&l.form, "log", "text", "`FORM` of the log on standard error: text (key=value) or json")
	f.TextVar(&l.level, "log-level", slog.LevelInfo, "write lines of this `LEVEL` and above: debug, info, warn or error; "+
		"the access log is info")
	f.Var(&l.access, "access-log", "`REQUESTS` that are logged: all, none, or N for one of N; those that end with a "+
		"status from 500 always are (default all)")
	f.BoolVar(&l.networks, "log-networks", false, "name the network of each request in the access log by a keyed hash "+
		"(net=), which does not tell the address")
}

// options returns the form of the log.
func (l *serverLog) options() (o front.LogOptions, err error) {
	switch l.form {
	case "text":
	case formJSON:
		o.JSON = true
	default:
		return o, usage("-log %q is neither text nor json", l.form)
	}
	o.Level = l.level
	return o, nil
}

// apply passes on what the access log shows.
func (l *serverLog) apply(ctx context.Context, db *store.DB, d *front.Deployment) (err error) {
	d.AccessLog = int(l.access)
	if l.networks {
		d.Tag, err = db.NetworkTags(ctx)
	}
	return err
}

// accessLog is front.Deployment.AccessLog as a flag.
type accessLog int

// String implements [flag.Value].
func (a accessLog) String() string {
	switch {
	case a < 0:
		return "none"
	case a > 1:
		return strconv.Itoa(int(a))
	}
	return "all"
}

// Set implements [flag.Value].
func (a *accessLog) Set(text string) error {
	switch text {
	case "all":
		*a = 1
		return nil
	case "none":
		*a = -1
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		return errors.New("it is neither all, none nor a whole number from 1")
	}
	*a = accessLog(n)
	return nil
}

// build says which commit the program was built from, with "+changes" if the files were not those of the commit;
// "unknown" if the build does not say. Go is the version of the compiler.
func build() (commit, compiler string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", "unknown"
	}
	commit = "unknown"
	changes := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	return commit + changes, info.GoVersion
}

// logStart writes the one line with which a server begins. Admin may be "".
func logStart(log *slog.Logger, database, listen, base, admin string) {
	commit, compiler := build()
	line := []any{"commit", commit, "go", compiler, "database", database, "listen", listen, "baseURL", base}
	if admin != "" {
		line = append(line, "admin", admin)
	}
	log.Info("tocsin "+version, line...)
}

// announce says on standard output where a server is, and the key that was made; "" for none. Where the log is JSON and
// nobody looks on, the first is a line of the log: supervisors put both outputs together.
func (l *serverLog) announce(e env, log *slog.Logger, where, key string) error {
	text := fmt.Sprintf("Tocsin %s serves on %s\n", version, where)
	if l.form == formJSON && !isTerminal(e.stdout) {
		log.Info("serving", "on", where)
		text = ""
	}
	// In one write: a reader who sees the address sees the key, too.
	if _, err := io.WriteString(e.stdout, text+key); err != nil && key != "" {
		return fmt.Errorf("print the key: %w", err)
	}
	return nil
}

// logged returns a command that says in the log why it failed, if the log is JSON. A wrong command line is for people.
func (l *serverLog) logged(run runFunc) runFunc {
	return func(ctx context.Context, e env) error {
		err := run(ctx, e)
		if wrong := (usageError{}); err == nil || l.form != formJSON || errors.As(err, &wrong) {
			return err
		}
		front.NewLog(e.stderr, front.LogOptions{JSON: true}).Error("the server has failed", "error", printable(err))
		return errReported
	}
}
