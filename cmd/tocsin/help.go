package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"tocsin"
)

func newHelp(c *commandLine) runFunc {
	return func(_ context.Context, e env) error {
		name := strings.Join(c.args, " ")
		if name == "" {
			printOverview(e.stdout)
		} else if !printHelp(e.stdout, name) {
			return usage("there is no command %q%s", name, didYouMean(nearCommands(c.args)))
		}
		return nil
	}
}

// printOverview prints what the program is, and all commands.
func printOverview(out io.Writer) {
	fmt.Fprint(out, "Tocsin screens crypto accounts and domain names against fraud reports and public lists.\n\n"+
		"Usage: tocsin COMMAND [FLAGS] [ARGUMENTS]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(out, "  %-28s %s\n", c.name+" "+c.args, c.about)
	}
	fmt.Fprint(out, "\nEvery flag can also be set in the environment: -base-url as TOCSIN_BASE_URL, or as\n"+
		"TOCSIN_BASE_URL_FILE, the path of a file that has it.\n"+
		"For a command and its flags: tocsin help COMMAND\n\n"+
		"Exit status: 0 it is done; 1 it failed, and standard error says why; 2 the command line or the environment is\n"+
		"wrong, and nothing was done. Results are on standard output, everything else is on standard error.\n")
}

// printHelp prints how to use the commands of a name: "key create", or "key" for
// all that begin with it. It reports whether there are any.
func printHelp(out io.Writer, name string) (found bool) {
	for _, c := range commands() {
		if c.name != name && !strings.HasPrefix(c.name, name+" ") {
			continue
		}
		found = true
		line := newCommandLine(&c)
		c.setUp(line)
		fmt.Fprintf(out, "%s\n\n%s.\n", strings.TrimSpace("Usage: tocsin "+c.name+" [FLAGS] "+c.args), c.about)
		printFlags(out, line.FlagSet, c.groups)
		if c.notes != "" {
			fmt.Fprintf(out, "\n%s\n", c.notes)
		}
		fmt.Fprintln(out)
	}
	return found
}

func newVersion(c *commandLine) runFunc {
	return func(_ context.Context, e env) error {
		if err := c.noArgs(); err != nil {
			return err
		}
		commit, compiler := build()
		_, err := fmt.Fprintf(e.stdout, "tocsin %s (score version %s, commit %s, %s)\n",
			version, tocsin.ScoreVersion, commit, compiler)
		return err
	}
}
