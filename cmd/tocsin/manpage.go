package main

import (
	"context"
	"io"
	"runtime/debug"
	"strings"
	"text/template"
)

func newMan(c *commandLine) runFunc {
	return func(_ context.Context, e env) error {
		if err := c.noArgs(); err != nil {
			return err
		}
		return printManual(e.stdout, described(), builtOn())
	}
}

// builtOn is the day of the commit that the program was built from, "" if the build does not say.
func builtOn() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			day, _, _ := strings.Cut(s.Value, "T")
			return day
		}
	}
	return ""
}

// printManual prints the manual page in the macros of man(7), of a day.
func printManual(out io.Writer, d description, day string) error {
	return manualPage.Execute(out, struct {
		description
		Day string
	}{d, day})
}

// roff returns a text as roff(7) has it: with nothing that would be a request or an escape.
func roff(text string) string {
	lines := wrap(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.Join(strings.Fields(text), " ")), 78)
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

var manualPage = template.Must(template.New("").Funcs(template.FuncMap{"roff": roff}).Parse(
	`.TH TOCSIN 1 "{{.Day}}" "tocsin {{.Version}}"
.SH NAME
tocsin \- screen crypto accounts and domain names for fraud
.SH SYNOPSIS
.B tocsin
.I command
.RI [ flags ]
.RI [ arguments ]
.SH DESCRIPTION
.B tocsin serve
runs a threat intelligence service: an API, a website and MCP,
with its database in one file or in PostgreSQL.
The other commands are for its operator.
They work on the same database, also while it is served.
.PP
Flags may stand before and after the arguments.
A word behind
.B \-\-
is an argument.
.SH COMMANDS
{{- range .Commands}}
.SS tocsin {{roff .Name}}{{if .Flags}} [flags]{{end}}{{with .Args}} {{roff .}}{{end}}
{{roff .About}}.
{{- with .Notes}}
{{roff .}}
{{- end}}
{{- range .Flags}}
.TP
.B \-{{roff .Name}}{{with .Value}} \fI{{roff .}}\fP{{end}}
{{roff .About}}{{with .Default}} (default: {{roff .}}){{end}}
{{- end}}
{{- end}}
.SH ENVIRONMENT
Every flag can be set by a variable: TOCSIN_ and its name in capitals,
with _ for \-, such as TOCSIN_BASE_URL.
That of the flag quota of
.B tocsin key create
is TOCSIN_KEY_QUOTA, and that of the flag operator of
.B tocsin log
is TOCSIN_LOG_OPERATOR.
With _FILE behind it, the variable names a file that has the value,
for secrets.
A credential of systemd with the name of a variable is read as well,
from CREDENTIALS_DIRECTORY.
A flag on the command line comes first.
.TP
.B CDP_API_KEY_ID, CDP_API_KEY_SECRET
sign every call of the facilitator,
as the Coinbase Developer Platform wants it.
.TP
.B LISTEN_PID, LISTEN_FDS, NOTIFY_SOCKET, WATCHDOG_USEC
are those of systemd; see
.BR sd_listen_fds (3)
and
.BR sd_notify (3).
.SH EXIT STATUS
0: it is done.
1: it failed, and standard error says why.
2: the command line or the environment is wrong, and nothing was done.
.SH EXAMPLES
.TP
.B tocsin serve \-first\-key
serves on http://127.0.0.1:8402, with a new database in ./tocsin.db,
and prints a key.
.TP
.B tocsin import ofac
brings the sanctions up to date.
.TP
.B tocsin screen example.com
screens a domain name.
`))
