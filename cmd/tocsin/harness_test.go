package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

// program is the program itself. The tests of this package run it as users do:
// as a process, on a database file, over HTTP.
var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

// watched is whether the race detector watches the program: where it watches these tests, and where TOCSIN_RACE has the
// flags to build the program with. The latter leaves out the commands that run in the process of a test (test.sh).
var watched = tocsintest.Race() || os.Getenv("TOCSIN_RACE") != ""

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tocsin")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "tocsin")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, ".")
	if watched { // it exits with 66 at a race
		build.Args = slices.Insert(build.Args, 2, "-race")
	}
	if flags := os.Getenv("TOCSIN_RACE"); flags != "" {
		build.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS="+flags)
	}
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	debug.SetMemoryLimit(importMemory) // as every import in this process does, of which several may run at once
	// Most of the time a test waits for a process. The flag -parallel says otherwise: it is read by Run.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	return m.Run()
}

// patience is how long a command may take, on a machine that is busy.
const patience = tocsintest.Patience

// machine is an empty directory to work in, and an environment that holds
// nothing but env (and what a program under the race detector is told).
type machine struct {
	*testing.T
	dir string
	env []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	t.Parallel()
	return &machine{T: t, dir: t.TempDir()}
}

// with returns the same machine with another environment.
func (m *machine) with(env ...string) *machine { return &machine{m.T, m.dir, env} }

func (m *machine) command(args ...string) *exec.Cmd {
	longest := patience
	if slices.Contains(args, "serve") {
		longest *= 4 // it works until the test ends it
	}
	ctx, cancel := context.WithTimeout(m.Context(), longest) // its end kills the process
	m.Cleanup(cancel)
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Env = m.dir, append([]string{"GORACE=halt_on_error=1 atexit_sleep_ms=0"}, m.env...)
	return c
}

// result is what a command that has ended left behind.
type result struct {
	status   int
	out, err string
}

// process runs a command in a process of its own.
func (m *machine) process(stdin string, args ...string) result {
	m.Helper()
	var out, err bytes.Buffer
	c := m.command(args...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &err
	if fault := c.Run(); fault != nil && c.ProcessState == nil {
		m.Fatal(fault)
	}
	return result{c.ProcessState.ExitCode(), out.String(), err.String()}
}

// feed runs a command with a standard input, in this process if it can: to start one takes longer than most commands. A
// server changes its process, and only a process takes a proxy from its environment.
func (m *machine) feed(stdin string, args ...string) result {
	m.Helper()
	if len(args) > 0 && (args[0] == "serve" || args[0] == "mcp" || args[0] == "import" && strings.Contains(
		strings.Join(m.env, " "), "HTTPS_PROXY=")) {
		return m.process(stdin, args...)
	}
	return m.inProcess(stdin, args...)
}

func (m *machine) inProcess(stdin string, args ...string) result {
	m.Helper()
	var out bytes.Buffer
	status, complaint := m.here(strings.NewReader(stdin), &out, m.inDir(args)...)
	clean := strings.NewReplacer(m.dir+"/", "").Replace
	return result{status, clean(out.String()), clean(complaint)}
}

// inDir returns a command line whose files are those in the directory of the machine.
func (m *machine) inDir(args []string) []string {
	c, _ := findCommand(args)
	if c == nil {
		return args
	}
	line := newCommandLine(c)
	c.setUp(line)
	namesFile := func(arg string) bool { // the help says so, but for one
		f := line.Lookup(strings.TrimLeft(arg, "-"))
		return arg[0] == '-' && f != nil && (strings.Contains(f.Usage, "`FILE") || f.Name == "compare")
	}
	args = slices.Clone(args)
	for i, arg := range args {
		socket, is := strings.CutPrefix(arg, "unix:")
		copies := i > 0 && (c.name == "backup" || c.name == "restore") && args[i-1][0] != '-' && !strings.HasPrefix(arg, "-")
		switch {
		case is:
			args[i] = "unix:" + m.at(socket)
		case i > 0 && args[i-1] != "" && namesFile(args[i-1]) || copies:
			args[i] = m.at(arg)
		}
	}
	return args
}

// at returns where a file is that is named from the directory of the machine.
func (m *machine) at(file string) string {
	if file == "" || file == "-" || filepath.IsAbs(file) || strings.ContainsAny(file, ":@") {
		return file
	}
	return filepath.Join(m.dir, file)
}

// here runs a command line in this process, with the database of the machine or the one that its environment names. It
// is for what does not depend on a process: to start one takes longer than most commands.
func (m *machine) here(stdin io.Reader, out io.Writer, args ...string) (status int, complaint string) {
	m.Helper()
	ctx, cancel := context.WithTimeout(m.Context(), patience)
	defer cancel()
	var err bytes.Buffer
	lookup := func(name string) (value string, found bool) {
		for _, variable := range m.env {
			if variable, is := strings.CutPrefix(variable, name+"="); is {
				value, found = variable, true
			}
		}
		switch name {
		case "TOCSIN_DB":
			value, found = m.at(cmp.Or(value, "tocsin.db")), true
		case "TOCSIN_FROM", "TOCSIN_F":
			value = m.at(value)
		}
		return value, found
	}
	status = run(ctx, env{stdin: stdin, stdout: out, stderr: &err, lookup: lookup}, args)
	return status, err.String()
}

func (m *machine) run(args ...string) result {
	m.Helper()
	return m.feed("", args...)
}

// must runs a command that succeeds, and returns what it prints.
func (m *machine) must(args ...string) string {
	m.Helper()
	r := m.run(args...)
	if r.status != exitOK {
		m.Fatalf("tocsin %q: status %d: %s", args, r.status, r.err)
	}
	return r.out
}

// fails runs a command that ends with the status, says why on standard error, where pattern is found, and prints
// nothing on standard output. Wrong use needs no process.
func (m *machine) fails(status int, pattern string, args ...string) {
	m.Helper()
	run := m.run
	if status == exitUsage {
		run = func(args ...string) result { return m.inProcess("", args...) }
	}
	r := run(args...)
	if r.status != status || r.out != "" || !regexp.MustCompile(pattern).MatchString(r.err) {
		m.Errorf("tocsin %q %q: got status %d, output %q, complaint %q; want status %d and /%s/",
			m.env, args, r.status, r.out, r.err, status, pattern)
	}
}

func (m *machine) newKey(args ...string) string {
	m.Helper()
	return strings.TrimSpace(m.must(append([]string{"key", "create"}, args...)...))
}

// write makes a file of lines.
func (m *machine) write(name string, lines ...string) string {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		m.Fatal(err)
	}
	return name
}

// sqlite changes a database file behind the program's back.
func (m *machine) sqlite(name, statement string) {
	m.Helper()
	db, err := sql.Open("sqlite", filepath.Join(m.dir, name)) // the driver came with internal/store
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		m.Fatal(err)
	}
}

// soon waits for what a running server notices after a command.
func (m *machine) soon(about string, holds func() bool) {
	m.Helper()
	tocsintest.Eventually(m, about, holds)
}

func (m *machine) want(about string, got, want any) {
	m.Helper()
	tocsintest.Want(m, about, got, want)
}

// story is a report in our own shape.
func story(title string, subjects ...string) map[string]any {
	d := map[string]any{"crimeType": "phishing", "title": title, "description": "It took all that I had."}
	for _, subject := range subjects {
		field := "reportedDomains"
		if strings.HasPrefix(subject, "0x") {
			field = "scammerAddresses"
		}
		named, _ := d[field].([]string)
		d[field] = append(named, subject)
	}
	return d
}

// line is a story as it stands in an ndjson file.
func line(key, title string, subjects ...string) string {
	d := story(title, subjects...)
	d["key"] = key
	text, _ := json.Marshal(d) // it holds only texts
	return string(text)
}

// address is one that nobody knows.
func address(n int) string { return fmt.Sprintf("0x%040x", 0xbad0000+n) }
