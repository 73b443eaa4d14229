package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tocsin"
)

func TestEveryFlagOfServeIsAnEnvironmentVariableAndTheCommandLineWins(t *testing.T) {
	m := newMachine(t)
	m.env = strings.Fields(`TOCSIN_LISTEN=127.0.0.1:0 TOCSIN_DB=env.db TOCSIN_BASE_URL=https://tocsin.example/
		TOCSIN_QUOTA=3 TOCSIN_FILINGS=1 TOCSIN_TRUSTED_PROXIES=10.0.0.0/8,127.0.0.1
		TOCSIN_FIRST_KEY=true TOCSIN_NONSENSE=1 TOCSIN_=x`)
	for _, c := range []struct {
		args         []string
		db, url      string
		quota, first int
	}{
		{nil, "env.db", "https://tocsin.example", 3, http.StatusTooManyRequests},
		{strings.Fields("-db flag.db -base-url http://[::1]:80 -quota 4 -filings 2"),
			"flag.db", "http://[::1]:80", 4, http.StatusCreated},
	} {
		s := m.start(m.command(append([]string{"serve"}, c.args...)...))
		s.url = s.says(&s.out, `http://127\.0\.0\.1:\d+`)
		key := strings.TrimSpace(s.printed(`\n  toc_[a-z2-7]{38}\n`))
		a := s.call("/community-reports", "", story("The first", address(1)))
		m.want("its address", a.body["url"], c.url+base+"/community-reports/"+a.body["id"].(string))
		m.want("status of a second filing", s.call("/community-reports", "", story("The second", address(1))).status, c.first)
		m.want("quota", s.call("/me", key, nil).body["freeCalls"].(map[string]any)["limit"], c.quota)
		if _, err := os.Stat(filepath.Join(m.dir, c.db)); err != nil {
			t.Error(err)
		}
	}
	m.env = append(m.env, "TOCSIN_LISTEN=nonsense")
	m.serve() // whose command line says -listen
}

func TestEveryFlagOfTheOtherCommandsIsAnEnvironmentVariable(t *testing.T) {
	m := newMachine(t)
	generated := m.must("generate", "-reports", "5", "-seed", "9")
	m.want("TOCSIN_REPORTS, TOCSIN_SEED", m.with("TOCSIN_REPORTS=5", "TOCSIN_SEED=9").must("generate"), generated)
	m.write("reports.ndjson", strings.Split(strings.TrimSpace(generated), "\n")...)
	imports := m.with("TOCSIN_DB=env.db", "TOCSIN_FROM=reports.ndjson", "TOCSIN_AS=partner", "TOCSIN_FORCE=1")
	imports.must("import", "ndjson")
	table := m.must("report", "list", "-db", "env.db", "-source", "partner")
	m.want("TOCSIN_DB, TOCSIN_FROM, TOCSIN_AS", strings.Count(table, "\n"), 6)
	m.write("reports.ndjson", line("1", "The only one", address(1)))
	m.fails(exitFailure, "-force", "import", "ndjson", "-db", "env.db", "-as", "partner", "-from", "reports.ndjson")
	imports.must("import", "ndjson")
	m.want("TOCSIN_FORCE", strings.Count(m.must("report", "list", "-db", "env.db", "-source", "partner"), "\n"), 2)
	m.want("TOCSIN_LIST", m.with("TOCSIN_LIST=true").must("import"), m.must("import", "-list"))
	m.write("subjects", address(1))
	out := m.with("TOCSIN_DB=env.db", "TOCSIN_F=subjects", "TOCSIN_JSON=true").must("screen")
	if !strings.HasPrefix(out, `{"subject":"`+address(1)+`",`) || !strings.Contains(out, `"reportCount":1,`) {
		t.Errorf("TOCSIN_F, TOCSIN_JSON: %s", out)
	}
	table = m.with("TOCSIN_DB=env.db", "TOCSIN_SOURCE=community").must("report", "list")
	m.want("TOCSIN_SOURCE", strings.Count(table, "\n"), 1)
	m.with("TOCSIN_NAME=Ada", "TOCSIN_ADDRESS="+example, "TOCSIN_QUOTA=55", "TOCSIN_KEY_QUOTA=77").must("key", "create")
	table = m.must("key", "list")
	if !strings.Contains(table, " Ada ") || !strings.Contains(table, "0x098B…2f96") || !strings.Contains(table, " 77 ") {
		t.Errorf("TOCSIN_NAME, TOCSIN_ADDRESS, TOCSIN_QUOTA: %s", table)
	}
	m.must("key", "create")
	m.want("an empty one is not set", strings.Count(m.with("TOCSIN_LIMIT=", "TOCSIN_DB=").must("key", "list"), "\n"), 3)
	table = m.with("TOCSIN_DB=env.db", "TOCSIN_LIMIT=1").must("report", "list", "-limit", "2")
	m.want("TOCSIN_LIMIT", strings.Count(table, "\n"), 2)
}

func TestWrongUseIsExplainedAndEndsWithTwo(t *testing.T) {
	m := newMachine(t)
	for args, complaint := range map[string]string{
		"":                                      `Usage: tocsin COMMAND`,
		"nonsense":                              `no command "nonsense"`,
		"key":                                   `choose one of: key create, key list, key revoke`,
		"key nonsense":                          `no command "key nonsense"`,
		"help nonsense":                         `no command "nonsense"`,
		"serve -nonsense":                       `-nonsense(.|\n)*Try: tocsin help serve`,
		"log -limit x":                          `log: invalid value "x" for flag -limit: it is not a number\n`,
		"serve -refresh abc":                    `"abc" for flag -refresh: it is not a duration like 6h`,
		"check tocsin.db":                       `name the database with -db tocsin.db`,
		"serve now":                             `"now" is one argument too many`,
		"serve -quota x":                        `"x" for flag -quota`,
		"serve -quota -1":                       `"-1" for flag -quota: it is not a whole number from 0`,
		"serve -connections 99999999999":        `-connections: it is not a whole number from 0`,
		"serve -listen nonsense":                `-listen "nonsense" is not like`,
		"serve -base-url nonsense":              `-base-url "nonsense" is not like`,
		"serve -base-url https://a.example/sub": `is not like https://tocsin.example: an origin, without a path`,
		"serve -base-url https://u:p@a.example": `-base-url`,
		"serve -base-url https://a.example:99999":         `-base-url`,
		"serve -base-url https://exämple.org":             `-base-url`,
		"serve -base-url http://%zz":                      `-base-url`,
		"serve -rpc-url http://127.0.0.1:1 -network base": `-network "base" is not like eip155:8453`,
		"serve -trusted-proxies x":                        `-trusted-proxies`,
		"migrate":                                         `name the database file with -from`,
		"migrate -from a.db":                              `name the PostgreSQL database with -to`,
		"migrate -from a.db -to b.db":                     `name the PostgreSQL database with -to`,
		"migrate -from postgres://a/b -to postgres://c/d": `name the database file with -from`,
		"serve -db":                 `needs an argument: -db`,
		"version now":               `too many`,
		"version -db x":             `-db`,
		"key create now":            `too many`,
		"key list now":              `too many`,
		"report list now":           `too many`,
		"generate now":              `too many`,
		"screen -json=maybe a.com":  `-json`,
		"report list -limit":        `needs an argument: -limit`,
		"report hide -nonsense rep": `-nonsense`,
		"serv":                      `there is no command "serv"; did you mean serve?`,
		"help backups":              `there is no command "backups"; did you mean backup?`,
		"reports list":              `there is no command "reports list"; did you mean report list?`,
		"report lst":                `there is no command "report lst"; did you mean report list?`,
		"keys":                      `did you mean key?`,
		"xyz":                       `there is no command "xyz"`,
	} {
		m.fails(exitUsage, complaint, strings.Fields(args)...)
	}
	m.fails(exitUsage, "name the new file", "backup", "")
	m.fails(exitUsage, "name one key", "key", "revoke", "")
	m.with("TOCSIN_REFRESH=abc").fails(exitUsage, `"abc": it is not a duration like 6h`, "serve")
	m.with("TOCSIN_FILINGS=x", "TOCSIN_QUOTA=y").fails(exitUsage, "variable TOCSIN_FILINGS is", "serve")
	m.fails(exitFailure, "there is no database", "migrate", "-from", "none.db", "-to", "postgres://127.0.0.1:1/x")
	for variable, command := range map[string]string{
		"TOCSIN_QUOTA=x": "serve", "TOCSIN_QUOTA=-1": "serve", "TOCSIN_FILINGS=many": "serve",
		"TOCSIN_FIRST_KEY=maybe": "serve", "TOCSIN_BASE_URL=nonsense": "serve", "TOCSIN_LISTEN=nonsense": "serve",
		"TOCSIN_KEY_QUOTA=none": "key create", "TOCSIN_ADDRESS=0x12": "key create",
		"TOCSIN_LIMIT=0": "report list", "TOCSIN_FORCE=2": "import ofac",
	} {
		name, _, _ := strings.Cut(variable, "=")
		m.with(variable).fails(exitUsage, name, strings.Fields(command)...)
	}
	if files, _ := os.ReadDir(m.dir); len(files) > 0 {
		t.Errorf("wrong use has left %v", files)
	}
}

func TestHelpIsAResult(t *testing.T) {
	m := newMachine(t)
	all := m.must("help")
	for _, args := range []string{"-h", "-help", "--help"} {
		m.want(args, m.must(args), all)
	}
	for _, c := range commands() {
		if !strings.Contains(all, "\n  "+c.name+" ") {
			t.Errorf("%s is not in %s", c.name, all)
		}
		one := m.must(append([]string{"help"}, strings.Fields(c.name)...)...)
		if !strings.HasPrefix(one, "Usage: tocsin "+c.name+" ") || !strings.Contains(one, c.about) {
			t.Errorf("help %s: %s", c.name, one)
		}
		m.want(c.name+" takes -db", strings.Contains(one, "-db"),
			!slices.Contains([]string{"completion", "generate", "health", "help", "man", "migrate", "version"}, c.name))
		m.want("-h of "+c.name, m.must(append(strings.Fields(c.name), "-h")...), one)
	}
	m.want("commands about keys", strings.Count(m.must("help", "key"), "Usage: "), 3)
	for _, args := range []string{"version", "-version", "--version"} {
		m.want(args, m.must(args), "tocsin "+version+" (score version "+tocsin.ScoreVersion+", commit unknown, "+
			runtime.Version()+")\n") // the tests build without the commit
	}
	m.want("of a group", m.must("key", "-h"), m.must("help", "key"))
}

// TestTheHelpOfServeBeginsWithWhatPeopleNeed, and has each flag once.
func TestTheHelpOfServeBeginsWithWhatPeopleNeed(t *testing.T) {
	m := newMachine(t)
	help := m.must("help", "serve")
	var titles, flags []string
	for line := range strings.Lines(help) {
		if title, ok := strings.CutSuffix(line, ":\n"); ok {
			titles = append(titles, title)
		}
		if strings.HasPrefix(line, "  -") {
			flags = append(flags, strings.Fields(line)[0])
		}
	}
	m.want("the first flags", fmt.Sprint(flags[:3]), "[-db -listen -base-url]")
	m.want("the last flag", flags[len(flags)-1], "-accept-clock")
	m.want("the groups", titles[0]+", "+titles[len(titles)-1], "To begin with, Seldom needed")
	m.want("flags that are there twice", len(slices.Compact(slices.Sorted(slices.Values(flags)))), len(flags))
	line := newCommandLine(&command{name: "serve"})
	newServe(line)
	all := 0
	line.VisitAll(func(*flag.Flag) { all++ })
	m.want("flags", len(flags), all)
	m.want("the exit statuses", strings.Contains(m.must("help"), "Exit status: 0 it is done; 1 it failed"), true)
}

func TestFlagsMayAlsoStandBehindArgumentsAndEndWithTwoHyphens(t *testing.T) {
	m := newMachine(t)
	m.fails(exitFailure, "there is no database", "screen", "a.com") // and none is begun, to say that nothing is known
	m.must("key", "create")
	m.want("a flag behind", strings.Contains(m.must("screen", "a.com", "-json", "b.com"), `{"subject":"b.com"`), true)
	r := m.run("screen", "-json", "--", "-json")
	m.want("a subject like a flag", strings.Contains(r.out, `"subject":"-json"`), true)
}

func TestAKeyThatCannotBePrintedIsAFailure(t *testing.T) {
	m := newMachine(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full on this machine")
	}
	defer full.Close()
	for _, args := range [][]string{
		{"key", "create"}, {"serve", "-first-key", "-db", "new.db", "-listen", "127.0.0.1:0"},
	} {
		c := m.command(args...)
		c.Stdout = full
		c.Run()
		m.want(args[0], c.ProcessState.ExitCode(), exitFailure)
	}
}
