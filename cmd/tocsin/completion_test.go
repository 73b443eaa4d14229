package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tocsin/internal/tocsintest"
)

// completed is what a shell proposes for the last word of a command line.
var completed = []struct{ line, proposes string }{
	{"tocsin ke", "key"},
	{"tocsin key c", "create"},
	{"tocsin report hide -sa", "-same-source"},
	{"tocsin serve -tr", "-trusted-proxies"},
	{"tocsin import scamsn", "scamsniffer"},
	{"tocsin filing k", "keys-only"},
	{"tocsin completion z", "zsh"},
	{"tocsin help clo", "clock"},
}

// scriptOf writes the completion of a shell into a file.
func (m *machine) scriptOf(shell string) string {
	m.Helper()
	path := filepath.Join(m.dir, "completion."+shell)
	tocsintest.Must(m, os.WriteFile(path, []byte(m.must("completion", shell)), 0o600))
	return path
}

// shell returns the path of a program, and skips the test without it.
func shell(t *testing.T, name string) string {
	t.Helper()
	at, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return at
}

func TestBashCompletesCommandsFlagsAndNames(t *testing.T) {
	m := newMachine(t)
	bash := shell(t, "bash")
	script := m.scriptOf("bash")
	for _, c := range completed {
		// As the shell calls the function that `complete` has named.
		words := strings.Fields(c.line)
		out, err := exec.Command(bash, append([]string{"--norc", "-c", `. "$0"
			complete -p tocsin | grep -q -- '-F _tocsin' || exit 3
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _tocsin; echo "${COMPREPLY[*]}"`, script}, words...)...).CombinedOutput()
		tocsintest.Want(t, c.line, strings.TrimSpace(string(out)), c.proposes)
		tocsintest.Must(t, err)
	}
}

func TestFishCompletesCommandsFlagsAndNames(t *testing.T) {
	m := newMachine(t)
	fish := shell(t, "fish")
	script := m.scriptOf("fish")
	for _, c := range completed {
		run := exec.Command(fish, "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, c.line)
		run.Env = []string{"HOME=" + m.dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
		run.Dir = t.TempDir()
		out, err := run.CombinedOutput()
		first, _, _ := strings.Cut(string(out), "\t")
		tocsintest.Want(t, c.line, strings.TrimSpace(first), c.proposes)
		tocsintest.Must(t, err)
	}
}

func TestZshReadsItsCompletion(t *testing.T) {
	m := newMachine(t)
	zsh := shell(t, "zsh")
	script := m.scriptOf("zsh")
	out, err := exec.Command(zsh, "-f", "-c", `autoload -U compinit; compinit -u -d "$1.dump"; . "$1"
		print -r -- $_comps[tocsin]`, "zsh", script).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "_tocsin" {
		t.Errorf("zsh: %s %v", out, err)
	}
}

// TestTheManualPageHasEveryCommandAndFlag, and nothing that mandoc finds wrong, where it is installed.
func TestTheManualPageHasEveryCommandAndFlag(t *testing.T) {
	m := newMachine(t)
	var page bytes.Buffer
	tocsintest.Must(t, printManual(&page, described(), "2026-11-23"))
	for _, c := range described().Commands {
		_, section, found := strings.Cut(page.String(), "\n.SS tocsin "+roff(c.Name))
		section, _, _ = strings.Cut(section, "\n.SS ")
		for _, f := range c.Flags {
			found = found && strings.Contains(section, "\n.B \\-"+roff(f.Name))
		}
		if !found {
			t.Errorf("the page lacks %s or one of its flags", c.Name)
		}
	}
	path := filepath.Join(m.dir, "tocsin.1")
	tocsintest.Must(t, os.WriteFile(path, page.Bytes(), 0o600))
	if out, err := exec.Command(shell(t, "mandoc"), "-Tlint", "-Wwarning", path).CombinedOutput(); err != nil {
		t.Errorf("mandoc: %v\n%s", err, out)
	}
}

func TestHealthAsksAServer(t *testing.T) {
	m := socketMachine(t)
	s := m.serveAt("-listen", "unix:t.sock", "-base-url", "https://tocsin.example")
	m.want("alive", m.must("health", "-listen", "unix:"+filepath.Join(m.dir, "t.sock")), "ok\n")
	m.soon("ready", func() bool { return m.run("health", "-ready", "-listen", "unix:t.sock").status == exitOK })
	tocsintest.Must(t, os.Rename(filepath.Join(m.dir, "tocsin.db"), filepath.Join(m.dir, "away.db")))
	m.soon("not ready", func() bool {
		r := m.run("health", "-ready", "-listen", "unix:t.sock")
		return r.status == exitFailure && strings.Contains(r.err, "/readyz answers 503: ") && r.out == ""
	})
	front, err := net.Listen("unix", filepath.Join(m.dir, "proxy.sock")) // such as a proxy that knows no such path
	tocsintest.Must(t, err)
	proxy := http.Server{Handler: http.NotFoundHandler()}
	go proxy.Serve(front)
	defer proxy.Close()
	m.fails(exitFailure, `^tocsin health: /healthz answers 404: `, "health", "-listen", "unix:proxy.sock")
	m.want("still alive", m.run("health", "-listen", "unix:t.sock").status, exitOK)
	s.end(syscall.SIGTERM)
	m.fails(exitFailure, `^tocsin health: no answer on unix:t.sock \(-listen names another address\): `,
		"health", "-listen", "unix:t.sock")
	m.fails(exitUsage, `-listen "here" is not like`, "health", "-listen", "here")
}
