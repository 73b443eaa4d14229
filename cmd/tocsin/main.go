// Command tocsin is the server and the tools of its operator.
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

	"tocsin"
	"tocsin/internal/store"
)

// version is the version of the program. The API has its own, in its contract.
const version = "0.6.0"

// Exit statuses, for scripts.
const (
	exitOK      = 0
	exitFailure = 1 // the command failed
	exitUsage   = 2 // the command line or the environment is wrong
	// Of screen -compare:
	exitChanged    = 3 // something has changed
	exitSanctioned = 4 // and a subject is newly sanctioned, or a new row is sanctioned
)

func main() {
	e := env{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, lookup: os.LookupEnv, environ: os.Environ}
	os.Exit(run(context.Background(), e, os.Args[1:]))
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. It is
// for commands that have work to finish; a second signal kills them. Any other
// command is killed by the first.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// surviveReaders lets a server go on when nobody reads its output any more: a write to a closed pipe is an error then
// rather than the end of the process. A terminal that closes (SIGHUP) does not end it either; SIGTERM and SIGINT do.
func surviveReaders() { signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP) }

// env is the environment of a command.
type env struct {
	stdin  io.Reader
	stdout io.Writer                   // for results
	stderr io.Writer                   // for everything else
	lookup func(string) (string, bool) // an environment variable
	// environ returns all of them, as NAME=VALUE; nil for nobody to say.
	environ func() []string
}

// runFunc runs a command whose flags have been parsed.
type runFunc func(ctx context.Context, e env) error

// command is a command of the program.
type command struct {
	name   string      // one or two words: "key create"
	args   string      // its arguments, for the usage line
	about  string      // what it does, in one line
	notes  string      // more about it, in its help; "" for nothing
	groups []flagGroup // of its flags, in its help; nil for one
	setUp  func(c *commandLine) runFunc
}

// crimeTypesNote names the types of crime, on lines that fit a terminal.
func crimeTypesNote() string {
	text, line := "", "crimeType is one of"
	for _, crime := range tocsin.CrimeTypes() {
		if len(line)+len(crime) > 95 {
			text, line = text+line+"\n", ""
		}
		line = strings.TrimSpace(line + " " + string(crime) + ",")
	}
	return text + strings.TrimSuffix(line, ",") + ".\n\n"
}

func commands() []command {
	return []command{
		{name: "serve", about: "Run the server: the API, the website and MCP", groups: serveGroups, setUp: newServe,
			notes: "A first server needs no flags. One for others needs -base-url, -contact and, behind a proxy,\n" +
				"-trusted-proxies. SIGTERM ends it with 0, after the requests in progress or at most 20 seconds."},
		{name: "import", args: "LIST", about: "Import a public list or your own reports; -list shows the lists",
			notes: "Reports of your own in a file reports.csv are read by tocsin import csv -from reports.csv -as desk.\n" +
				"It begins like this:\n\n" +
				"  crimeType,title,description,scammerAddresses,reportedDomains,publishedAt\n" +
				"  phishing,Fake airdrop,It asked for an approval.,,claim.example,2026-01-31\n\n" +
				crimeTypesNote() +
				"A column that is not read is named by a warning, with those that are. The same fields as JSON, one report on a\n" +
				"line, are read by tocsin import ndjson.",
			setUp: newImport},
		{name: "list status", about: "Show how old each list is, and how its last import ended", setUp: newListStatus},
		{name: "list remove", args: "LIST", about: "Take a whole list out, so that nothing of it counts any more",
			setUp: newListRemove},
		{name: "screen", args: "[SUBJECT…]", about: "Screen addresses and domains from arguments, a file or standard input",
			notes: "The exit status is 0 if every line names a subject, whatever is known about it, and 1 if one does not.\n" +
				"With -csv standard error has the counts. It is 2 if the command is wrong.\n" +
				"With -compare it is 0 if nothing has changed, 3 if something has, 4 if a subject is newly sanctioned or a row\n" +
				"that is new in the list is sanctioned, and 1 only if the command failed. Rows of one subject are told apart by\n" +
				"your own columns: that with the most different values that the same subjects have in both tables, such as a\n" +
				"customer number. Without one, as many rows of a subject are new or gone as there are more or fewer of them.",
			setUp: newScreen},
		{name: "train", about: "Learn from the lists in the database how fraudulent domain names are composed",
			setUp: newTrain},
		{name: "eval", about: "Measure how many fraudulent domain names are found that no list had", setUp: newEval},
		{name: "mcp", about: "Serve MCP on standard input and output to one client on this machine", setUp: newMCP},
		{name: "key create", about: "Create an API key and print it; it cannot be shown again", setUp: newKeyCreate},
		{name: "key list", about: "List the API keys", setUp: newKeyList},
		{name: "key revoke", args: "KEY-OR-PREFIX", about: "Revoke an API key", setUp: newKeyRevoke},
		{name: "agent list", about: "List the agents, the newest first", setUp: newAgentList},
		{name: "agent show", args: "AGENT", about: "Show all that is kept about an agent or its wallet, as JSON",
			setUp: newAgentShow},
		{name: "agent ban", args: "AGENT", about: "Refuse an agent's keys and wallet; its reports stop counting",
			setUp: newAgentBan},
		{name: "agent unban", args: "AGENT", about: "Accept a banned agent again, with the reports that the ban took out",
			setUp: newAgentUnban},
		{name: "agent erase", args: "AGENT", about: "Remove whose an agent is from the database, for good, as its owner asks",
			notes: "It removes the wallet, the name, the keys, the sessions, the calls by day, and which payments came with\n" +
				"its key. Reports stay under its id, and payments with the wallet that paid. The owner of the wallet can sign\n" +
				"in again, and is a new agent then.", setUp: newAgentErase},
		{name: "report list", about: "List the newest reports, hidden ones included", setUp: newReportList},
		{name: "report show", args: "ID", about: "Show a report of any status", setUp: newReportShow},
		{name: "report hide", args: "[ID…]", setUp: newReportHide,
			about: "Hide reports, named or selected by flags, and exclude them from every score",
			notes: "With the report of a list, the entries of that list for all subjects of the report are hidden, unless\n" +
				"another report of the list names them. To clear only one subject: tocsin safelist add SUBJECT."},
		{name: "report restore", args: "[ID…]", about: "Restore hidden reports, named or selected by flags",
			setUp: newReportRestore},
		{name: "report erase", args: "ID…", about: "Remove what reports say from the database, for good",
			setUp: newReportErase},
		{name: "safelist add", args: "SUBJECT…", setUp: newSafelistAdd,
			about: "Put addresses and domains on your own safelist, which keeps them at LOW"},
		{name: "safelist remove", args: "SUBJECT…", about: "Take subjects off your own safelist", setUp: newSafelistRemove},
		{name: "safelist list", about: "List your own safelist", setUp: newSafelistList},
		{name: "filing", args: "[STATE]", setUp: newFiling,
			about: "Show who may file, or change it while serving: open, keys-only, closed"},
		{name: "read-only", args: "[on|off]", setUp: newReadOnly,
			about: "Show whether everything is read-only, or change it while serving, such as to move to another host"},
		{name: "log", about: "List what operators did, the newest last", setUp: newLog},
		{name: "payments", about: "List the payments and the revenue per day", setUp: newPayments},
		{name: "payment close", args: "PAYMENT", setUp: newPaymentClose,
			about: "End a payment by hand of which nobody knows whether it was paid",
			notes: "Look for its amount in the wallet first. With -transaction it counts as settled, and in the totals; one\n" +
				"that is settled without a transaction can get it so. With -not-paid it is deleted: two days after it was made,\n" +
				"when the server has stopped asking. Each needs -reason."},
		{name: "backup", args: "FILE", about: "Write a copy of the database to a new file, also while serving",
			setUp: newBackup},
		{name: "restore", args: "BACKUP", about: "Make a new database file, named with -db, of a backup", setUp: newRestore},
		{name: "check", about: "Check that the database is sound: its pages, and that what is written twice agrees",
			notes: "It also says when a backup ended well last. The exit status is 1 if the database is not sound.",
			setUp: newCheck},
		{name: "migrate", about: "Copy a database file into an empty PostgreSQL database, and prove it", setUp: newMigrate},
		{name: "clock mend", about: "Correct dates that a wrong clock has left in the future; counts them first",
			setUp: newClockMend},
		{name: "generate", about: "Write synthetic reports as NDJSON, for benchmarks", setUp: newGenerate},
		{name: "health", about: "Ask a server on this machine whether it is alive, or with -ready whether it is ready",
			setUp: newHealth},
		{name: "completion", args: "SHELL", about: "Print the completion of a shell: bash, fish or zsh",
			setUp: newCompletion},
		{name: "man", about: "Print the manual page", setUp: newMan},
		{name: "version", about: "Print the version", setUp: newVersion},
		{name: "help", args: "[COMMAND]", about: "Print how to use a command", setUp: newHelp},
	}
}

// usageError is the error of a wrong command line or environment.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errReported is the error of a command that has already printed what failed.
var errReported = errors.New("failed")

// statusError is the exit status of a command that has said all that there is to say.
type statusError int

func (statusError) Error() string { return "failed" }

// printable returns the text of an error without what would control a terminal. Errors quote servers and files.
func printable(err error) string { return tocsin.CleanText(err.Error()) }

// isHelp reports whether an argument asks for help.
func isHelp(arg string) bool { return slices.Contains([]string{"-h", "-help", "--help"}, arg) }

// run runs a command line and returns the exit status.
func run(ctx context.Context, e env, args []string) int {
	switch {
	case len(args) == 0:
		printOverview(e.stderr)
		return exitUsage
	case isHelp(args[0]):
		args[0] = "help"
	case args[0] == "-version" || args[0] == "--version":
		args[0] = "version"
	case len(args) == 2 && isHelp(args[1]): // "key -h"
		if c, _ := findCommand(args); c == nil {
			args = []string{"help", args[0]}
		}
	}
	c, rest := findCommand(args)
	if c == nil {
		return unknownCommand(e, args)
	}
	line := newCommandLine(c)
	runCommand := c.setUp(line)
	err := line.parse(e.lookup, rest)
	if errors.Is(err, flag.ErrHelp) {
		printHelp(e.stdout, c.name)
		return exitOK
	}
	if err == nil {
		err = runCommand(ctx, e)
	}
	if c.name != "restore" || !store.Damaged(err) { // what is damaged there is a copy
		err = store.Explain(err, line.db)
	}
	var wrong usageError
	var status statusError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &wrong):
		fmt.Fprintf(e.stderr, "tocsin %s: %s\n", c.name, printable(err))
		if variables := line.setIn(err.Error()); len(variables) > 0 {
			fmt.Fprintf(e.stderr, "Set in the environment: %s\n", strings.Join(variables, ", "))
		}
		fmt.Fprintln(e.stderr, strings.TrimSuffix("Try: tocsin help "+c.name, " help"))
		return exitUsage
	case !errors.Is(err, errReported):
		fmt.Fprintf(e.stderr, "tocsin %s: %s\n", c.name, printable(err))
	}
	return exitFailure
}

// findCommand returns the command that args begin with, nil if there is none, and
// the arguments that follow it.
func findCommand(args []string) (*command, []string) {
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return &c, args[len(words):]
		}
	}
	return nil, nil
}

// unknownCommand reports that args do not begin with a command.
func unknownCommand(e env, args []string) int {
	group := "" // " key" if there are commands such as "key create"
	var names []string
	for _, known := range commands() {
		if strings.HasPrefix(known.name, args[0]+" ") {
			group, names = " "+args[0], append(names, known.name)
		}
	}
	if group != "" && len(args) == 1 {
		fmt.Fprintf(e.stderr, "tocsin %s: this is a part of a command; choose one of: %s\n",
			args[0], strings.Join(names, ", "))
	} else {
		fmt.Fprintf(e.stderr, "tocsin: there is no command %q%s\n", strings.Join(args[:min(2, len(args))], " "),
			didYouMean(nearCommands(args)))
	}
	fmt.Fprintf(e.stderr, "Try: tocsin help%s\n", group)
	return exitUsage
}

// nearCommands are the commands that args may mean, or else the first words of such, as "key" of "key create".
func nearCommands(args []string) (near []string) {
	var groups []string
	for _, c := range commands() {
		words := strings.Fields(c.name)
		is := len(args) >= len(words)
		for i := range min(len(words), len(args)) {
			is = is && isNear(args[i], words[i])
		}
		switch {
		case is:
			near = append(near, c.name)
		case isNear(args[0], words[0]) && !slices.Contains(groups, words[0]):
			groups = append(groups, words[0])
		}
	}
	if len(near) == 0 {
		return groups
	}
	return near
}
