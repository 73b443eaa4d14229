// Command tocsin is the whole of Tocsin: the service and the operator's tools.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// version is that of the program; the API's stands in its contract.
const version = "0.4.0"

// Exit statuses, for scripts.
const (
	ok     = 0
	failed = 1 // it was asked for rightly and could not be done
	misuse = 2 // it was asked for wrongly
)

func main() {
	os.Exit(run(context.Background(), world{os.Stdin, os.Stdout, os.Stderr, os.LookupEnv}, os.Args[1:]))
}

// untilSignal is for commands that have something to finish: its context ends
// with the first SIGINT or SIGTERM, and the second one kills. The other
// commands are killed by the first, whatever they are waiting for.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// world is what a command sees of the machine.
type world struct {
	in  io.Reader
	out io.Writer // results
	err io.Writer // everything else
	env func(string) (string, bool)
}

// command is one word of the command line.
type command struct {
	name  string // "key create"
	args  string // for the usage
	about string
	run   func(ctx context.Context, w world, f *flags) error
	flags func(f *flags)
}

func commands() []command {
	return []command{
		{"serve", "", "serves the API, the site and MCP until SIGTERM", serve, serveFlags},
		{"import", "FEED", "imports a public list; -list shows them", importList, importFlags},
		{"screen", "[SUBJECT…]", "screens addresses and domains from arguments, a file or standard input", screen, screenFlags},
		{"mcp", "", "serves the tools to one MCP client on standard input and output, on a local database", serveClient, mcpFlags},
		{"key create", "", "makes an API key and prints it, alone and once", keyCreate, keyCreateFlags},
		{"key list", "", "lists the API keys", keyList, nil},
		{"key revoke", "KEY-OR-PREFIX", "revokes an API key", keyRevoke, nil},
		{"report list", "", "lists the newest reports, hidden ones included", reportList, reportListFlags},
		{"report show", "ID", "shows a report whatever its status", reportShow, nil},
		{"report hide", "ID…", "takes reports out of sight and out of every score", reportHide, nil},
		{"report restore", "ID…", "brings hidden reports back", reportRestore, nil},
		{"payments", "", "lists the payments and what they came to", listPayments, listPaymentsFlags},
		{"generate", "", "writes synthetic reports as ndjson, for measuring", generate, generateFlags},
		{"version", "", "prints the version", printVersion, nil},
		{"help", "[COMMAND]", "explains", nil, nil},
	}
}

// wrongUse is the error of somebody who asked wrongly.
type wrongUse struct{ error }

func usage(format string, args ...any) error { return wrongUse{fmt.Errorf(format, args...)} }

// run finds the command, reads its flags and runs it.
func run(ctx context.Context, w world, args []string) int {
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		if len(args) > 1 {
			return explain(w, strings.Join(args[1:], " "))
		}
		if len(args) == 0 {
			explain(world{out: w.err}, "")
			return misuse
		}
		return explain(w, "")
	}
	if args[0] == "-version" || args[0] == "--version" {
		args[0] = "version"
	}
	c, rest := find(args)
	if c == nil && len(args) == 2 && slices.Contains([]string{"-h", "-help", "--help"}, args[1]) {
		return explain(w, args[0])
	}
	if c == nil {
		about := ""
		for _, known := range commands() {
			if strings.HasPrefix(known.name, args[0]+" ") {
				about = " " + args[0]
			}
		}
		if about != "" && len(args) == 1 {
			fmt.Fprintf(w.err, "tocsin %s: say which\nTry: tocsin help%s\n", args[0], about)
			return misuse
		}
		fmt.Fprintf(w.err, "tocsin: there is no command %q\nTry: tocsin help%s\n", strings.Join(args[:min(2, len(args))], " "), about)
		return misuse
	}
	f := newFlags(c)
	err := f.parse(w.env, rest)
	if errors.Is(err, flag.ErrHelp) {
		return explain(w, c.name)
	}
	if err == nil {
		err = c.run(ctx, w, f)
	}
	var wrong wrongUse
	switch {
	case err == nil:
		return ok
	case errors.As(err, &wrong):
		fmt.Fprintf(w.err, "tocsin %s: %v\n", c.name, err)
		if len(f.env) > 0 {
			fmt.Fprintf(w.err, "The environment sets %s\n", strings.Join(f.env, ", "))
		}
		fmt.Fprintf(w.err, "Try: tocsin help %s\n", c.name)
		return misuse
	case errors.Is(err, errSilent):
		return failed
	}
	fmt.Fprintf(w.err, "tocsin %s: %v\n", c.name, err)
	return failed
}

// errSilent is the failure of a command that has already said what is wrong.
var errSilent = errors.New("failed")

func find(args []string) (*command, []string) {
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if c.run != nil && len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return &c, args[len(words):]
		}
	}
	return nil, nil
}

// flags are the flags of one command, and the arguments that are left.
type flags struct {
	*flag.FlagSet
	args []string
	env  []string // the variables that set some of them

	db string // path of the database

	listen, baseURL, proxies string
	contact, contentSignal   string
	quota, filings, lookups  int
	firstKey                 bool

	payTo, payToSolana, network, asset string
	facilitator, rpcURL, rpcURLSolana  string
	facilitatorTimeout                 time.Duration

	since string

	from, as    string
	list, force bool

	file           string
	json           bool
	address, name  string
	ownQuota       *int
	limit, reports int
	seed           uint64
}

func newFlags(c *command) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(c.name, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	if !slices.Contains([]string{"version", "help"}, c.name) {
		f.StringVar(&f.db, "db", "tocsin.db", "`FILE` of the database")
	}
	if c.flags != nil {
		c.flags(f)
	}
	return f
}

// parse reads the flags, first from the environment, then from the arguments;
// they may stand before, between and behind the other arguments.
func (f *flags) parse(env func(string) (string, bool), args []string) error {
	var wrong error
	f.VisitAll(func(known *flag.Flag) {
		name := "TOCSIN_" + strings.ToUpper(strings.ReplaceAll(known.Name, "-", "_"))
		if f.Name() == "key create" && known.Name == "quota" {
			name = "TOCSIN_KEY_QUOTA" // TOCSIN_QUOTA is the server's, which keys follow
		}
		if value, found := env(name); found && value != "" {
			f.env = append(f.env, name)
			if err := f.Set(known.Name, value); err != nil && wrong == nil {
				wrong = usage("the environment variable %s is %q: %w", name, value, err)
			}
		}
	})
	if wrong != nil {
		return wrong
	}
	for {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		if err != nil {
			return wrongUse{err}
		}
		rest := f.Args()
		if len(rest) == 0 {
			return nil
		}
		if consumed := len(args) - len(rest); consumed > 0 && args[consumed-1] == "--" {
			f.args = append(f.args, rest...)
			return nil
		}
		f.args, args = append(f.args, rest[0]), rest[1:]
	}
}

// none refuses arguments to a command that takes none.
func (f *flags) none() error {
	if len(f.args) > 0 {
		return usage("%q is one argument too many", f.args[0])
	}
	return nil
}

// open opens the database of the command.
func (f *flags) open(ctx context.Context) (*store.DB, error) {
	begins := f.Name() == "serve" || f.Name() == "import" || f.Name() == "key create"
	return store.Open(ctx, f.db, store.Options{MustExist: !begins})
}

// explain prints how to use Tocsin, or one command.
func explain(w world, name string) int {
	out := w.out
	if name == "" {
		fmt.Fprint(out, "Tocsin screens EVM addresses and domain names against fraud reports and public lists.\n\nUsage: tocsin COMMAND [FLAGS] [ARGUMENTS]\n\n")
		for _, c := range commands() {
			fmt.Fprintf(out, "  %-28s %s\n", c.name+" "+c.args, c.about)
		}
		fmt.Fprint(out, "\nEvery flag is also an environment variable: -base-url is TOCSIN_BASE_URL.\nMore about a command and its flags: tocsin help COMMAND\n")
		return ok
	}
	shown := 0
	for _, c := range commands() {
		if c.name != name && !strings.HasPrefix(c.name, name+" ") {
			continue
		}
		shown++
		f := newFlags(&c)
		fmt.Fprintf(out, "%s\n\n%s %s.\n", strings.TrimSpace("Usage: tocsin "+c.name+" [FLAGS] "+c.args), "It", c.about)
		any := false
		f.VisitAll(func(*flag.Flag) { any = true })
		if any {
			fmt.Fprintln(out, "\nFlags:")
			f.SetOutput(out)
			f.PrintDefaults()
		}
		fmt.Fprintln(out)
	}
	if shown == 0 {
		fmt.Fprintf(w.err, "tocsin: there is no command %q\nTry: tocsin help\n", name)
		return misuse
	}
	return ok
}

func printVersion(_ context.Context, w world, f *flags) error {
	if err := f.none(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w.out, "tocsin %s (score version %s)\n", version, tocsin.ScoreVersion)
	return err
}
