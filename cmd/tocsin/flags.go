package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// commandLine is the flags and arguments of one command. The flags struct of each
// command embeds it.
type commandLine struct {
	*flag.FlagSet
	given     []string // all arguments
	args      []string // without the flags
	variables []setBy  // what of the environment has set flags

	db          string // the path or URL of the database
	acceptClock bool
}

// setBy is what has set a flag.
type setBy struct{ flag, variable string }

func newCommandLine(c *command) *commandLine {
	line := &commandLine{FlagSet: flag.NewFlagSet(c.name, flag.ContinueOnError)}
	line.SetOutput(io.Discard)
	switch c.name {
	case "completion", "generate", "health", "help", "man", "migrate", "version": // which open none
	default:
		line.StringVar(&line.db, "db", "tocsin.db", "the database: the path of a `FILE`, "+
			"or postgres://user:password@host:5432/name")
		line.BoolVar(&line.acceptClock, "accept-clock", false, "take the clock of this machine for right, "+
			"though the dates on record contradict it")
	}
	return line
}

// parse sets the flags from the environment, and then from the arguments, among
// which flags may stand anywhere before "--".
func (c *commandLine) parse(lookup func(string) (string, bool), args []string) error {
	c.given = args
	if err := c.parseEnvironment(lookup); err != nil {
		return err
	}
	for {
		err := c.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		if err != nil {
			return usageError{c.explain(err)}
		}
		rest := c.Args()
		if len(rest) == 0 {
			return nil
		}
		if parsed := len(args) - len(rest); parsed > 0 && args[parsed-1] == "--" {
			c.args = append(c.args, rest...)
			return nil
		}
		c.args, args = append(c.args, rest[0]), rest[1:]
	}
}

// explain adds to the error of an unknown flag which flag may be meant, see [isNear]: -base-url for -base, -f for
// -file.
func (c *commandLine) explain(err error) error {
	wrong, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		_, name, _ := strings.Cut(err.Error(), "for flag -")
		if name, unparsed := strings.CutSuffix(name, ": parse error"); unparsed {
			if takes, known := c.taken(name); known {
				return errors.New(strings.TrimSuffix(err.Error(), "parse error") + takes)
			}
		}
		return err
	}
	var near []string
	c.VisitAll(func(f *flag.Flag) {
		if isNear(wrong, f.Name) {
			near = append(near, "-"+f.Name)
		}
	})
	return fmt.Errorf("there is no flag -%s%s (tocsin help %s shows all)", tocsin.CleanText(wrong), didYouMean(near),
		c.Name())
}

// isNear reports whether a name may be meant by a wrong one: one begins with the other, or both with the same three
// letters; or one letter is missing, wrong or too many, or two have changed places.
func isNear(wrong, name string) bool {
	same := 0
	for same < min(len(name), len(wrong)) && name[same] == wrong[same] {
		same++
	}
	shorter := min(len(name), len(wrong))
	if near := same > 0 && same >= min(shorter, 3); near || shorter < 3 {
		return near
	}
	a, b := wrong[same:], name[same:]
	swapped := len(a) > 1 && len(b) > 1 && a[:2] == string([]byte{b[1], b[0]}) && a[2:] == b[2:]
	return swapped || a[1:] == b[1:] || a[1:] == b || a == b[1:]
}

// didYouMean says what may be meant, behind what is wrong; "" for nothing.
func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// taken says what is wrong with the value of a flag, of which package flag says no more than that it is wrong.
// The errors of other types of flags say it themselves.
func (c *commandLine) taken(name string) (wrong string, known bool) {
	f := c.Lookup(name)
	if f == nil {
		return "", false
	}
	value, _ := f.Value.(flag.Getter)
	if value == nil {
		return "", false
	}
	switch value.Get().(type) {
	case time.Duration:
		return "it is not a duration like 6h", true
	case bool:
		return "it is neither true nor false", true
	case int:
		return "it is not a number", true
	}
	return "", false
}

// parseEnvironment sets each flag whose variable is set and not empty, or is in a file (see [setting]): -base-url from
// TOCSIN_BASE_URL. A value from a file is in no error.
func (c *commandLine) parseEnvironment(lookup func(string) (string, bool)) (err error) {
	c.VisitAll(func(f *flag.Flag) {
		name := c.variable(f.Name)
		value, by, fault := setting(lookup, name)
		if fault == nil && value == "" {
			return
		}
		c.variables = append(c.variables, setBy{f.Name, by})
		if fault == nil {
			if fault = c.Set(f.Name, value); fault != nil && by == name {
				if takes, known := c.taken(f.Name); known {
					fault = errors.New(takes)
				}
				fault = usage("the environment variable %s is %q: %w", name, value, fault)
			} else if fault != nil {
				fault = usage("%s does not have what -%s takes", by, f.Name)
			}
		}
		err = cmp.Or(err, fault)
	})
	return err
}

// setIn returns what of the environment has set the flags that a complaint names, unless it names that itself or an
// argument has set them.
func (c *commandLine) setIn(complaint string) (variables []string) {
	words := strings.FieldsFunc(complaint, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) })
	for _, set := range c.variables {
		argued := slices.ContainsFunc(c.given, func(arg string) bool {
			name, _, _ := strings.Cut(arg, "=")
			return name == "-"+set.flag || name == "--"+set.flag
		})
		if !argued && slices.Contains(words, "-"+set.flag) && !strings.Contains(complaint, set.variable) {
			variables = append(variables, set.variable)
		}
	}
	return variables
}

// variable returns the environment variable of a flag.
func (c *commandLine) variable(flag string) string {
	if c.Name() == "key create" && flag == "quota" {
		return "TOCSIN_KEY_QUOTA" // TOCSIN_QUOTA is the server's, for keys without their own
	}
	if c.Name() == "log" && flag == "operator" {
		return "TOCSIN_LOG_OPERATOR" // TOCSIN_OPERATOR is who acts: a log must not leave out acts because of it
	}
	return "TOCSIN_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// count is a flag that is a whole number from 0.
type count int

// String implements [flag.Value].
func (n *count) String() string { return strconv.Itoa(int(*n)) }

// Set implements [flag.Value].
func (n *count) Set(text string) error {
	i, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return errors.New("it is not a whole number from 0")
	}
	*n = count(i)
	return nil
}

// count defines a flag that is a whole number from 0.
func (c *commandLine) count(p *int, name string, value int, usage string) {
	*p = value
	c.Var((*count)(p), name, usage)
}

// noArgs refuses arguments of a command that takes none.
func (c *commandLine) noArgs() error {
	if len(c.args) > 0 {
		return usage("%q is one argument too many", c.args[0])
	}
	return nil
}

// parseWhen parses a flag that is a date, an instant, or an age such as 24h or 7d.
// An empty text is the beginning of time.
func parseWhen(flag, text string, now time.Time) (tocsin.Time, error) {
	if text == "" {
		return tocsin.MicroTime(0), nil
	}
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return tocsin.TimeOf(now.AddDate(0, 0, -n)), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return tocsin.TimeOf(now.Add(-ago)), nil
	}
	at, _, fault := tocsin.ParseDay(text)
	if fault != nil {
		return at, usage("%s %q is neither a date (2026-01-31), a time, nor an age (24h, 7d)", flag, text)
	}
	return at, nil
}

// open opens the database, which must exist.
func (c *commandLine) open(ctx context.Context) (*store.DB, error) {
	return store.Open(ctx, c.db, store.Options{MustExist: true, AcceptClock: c.acceptClock})
}

// openOrCreate opens the database. It creates a file if there is none, and says so: it may be the wrong folder.
func (c *commandLine) openOrCreate(ctx context.Context, e env) (*store.DB, error) {
	begins := c.begins()
	db, err := store.Open(ctx, c.db, store.Options{AcceptClock: c.acceptClock})
	if err == nil && begins {
		fmt.Fprintf(e.stderr, "Began a new database, %s.\n", tocsin.CleanText(c.db))
	}
	return db, err
}

// begins reports whether the database is a file that is not there yet, or is empty.
func (c *commandLine) begins() bool {
	info, err := os.Stat(c.db)
	empty := err == nil && info.Mode().IsRegular() && info.Size() == 0
	return (empty || errors.Is(err, fs.ErrNotExist)) && !strings.Contains(c.db, "://")
}

// sanctionsWarning returns a warning if no list of sanctions was imported, so that
// no screening can find one, or if that list is out of date; otherwise "".
func sanctionsWarning(ctx context.Context, db *store.DB) (string, error) {
	l, err := db.ListRead(ctx, feed.OFAC)
	switch {
	case err != nil:
		return "", err
	case l == nil:
		return "no sanctions are on record, so none will be found: run `tocsin import ofac`", nil
	case l.Version.Date == nil:
		return "the sanctions on record, read on " + l.Imported.Std().UTC().Format(time.DateOnly) + ", have no date of " +
			"their own, so newer ones may not be found: run `tocsin import ofac`", nil
	case l.OutOfDate(db.Now()):
		return "the sanctions on record are of " + l.AsOf().Std().UTC().Format(time.DateOnly) +
			", so newer ones will not be found: run `tocsin import ofac`", nil
	}
	return "", nil
}
