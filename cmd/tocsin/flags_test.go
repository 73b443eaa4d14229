package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestTheHelpIsAsItWasRead: of all commands, with the variable and the default of each flag, on which scripts rely.
func TestTheHelpIsAsItWasRead(t *testing.T) {
	var b strings.Builder
	printOverview(&b)
	for _, c := range commands() {
		fmt.Fprintf(&b, "=== tocsin %s\n", c.name)
		printHelp(&b, c.name)
		line := newCommandLine(&c)
		c.setUp(line)
		line.VisitAll(func(f *flag.Flag) { fmt.Fprintf(&b, "%s=%q\n", line.variable(f.Name), f.DefValue) })
	}
	tocsintest.Golden(t, "testdata/help.txt", b.String())
}

// fields are the values of the fields of a struct, by their paths. Pointers are left out.
func fields(of reflect.Value, path string, into map[string]string) map[string]string {
	for i := range of.NumField() {
		name, value := path+of.Type().Field(i).Name, of.Field(i)
		switch value.Kind() {
		case reflect.Struct:
			fields(value, name+".", into)
		case reflect.Pointer:
		default:
			into[name] = fmt.Sprint(value)
		}
	}
	return into
}

// TestEachFlagSetsItsOwnField, and no other.
func TestEachFlagSetsItsOwnField(t *testing.T) {
	line := func(name string) *commandLine { return newCommandLine(&command{name: name}) }
	serve := serveFlags{commandLine: line("serve")}
	serve.register()
	selection, selects := selectionFlags{}, line("report list")
	selection.register(selects.FlagSet)
	operator, acts := operatorFlags{}, line("key revoke")
	operator.register(acts.FlagSet)
	learns := learnFlags{nameFlags: nameFlags{commandLine: line("train")}}
	learns.register()
	for _, c := range []struct {
		into  any
		flags *flag.FlagSet
		want  string // flags and fields, in turn
	}{
		{&serve, serve.FlagSet, `listen listen admin admin base-url baseURL contact contact content-signal contentSignal
			trusted-proxies proxies quota quota connections connections network-calls limits.NetworkCalls
			new-agents limits.NewAgents site-lookups limits.Lookups filings limits.Filings
			total-filings limits.TotalFilings total-filing-mib totalMiB refused-payments limits.RefusedPayments
			rate limits.Rate memory memory log log.form log-level log.level access-log log.access
			log-networks log.networks refresh refresh.every lists refresh.lists benign refresh.benign
			brands names.brands model names.model rdap signals.rdap rdap-bootstrap signals.bootstrap
			ct-search signals.ctSearch resolver signals.resolver read-only readOnly first-key firstKey
			keep-usage keepUsage keep-payments keepPayments keep-history keepHistory
			pay-to paymentFlags.payTo pay-to-solana paymentFlags.payToSolana network paymentFlags.network
			asset paymentFlags.asset facilitator paymentFlags.facilitator
			facilitator-timeout paymentFlags.facilitatorTimeout rpc-url paymentFlags.rpcURL
			rpc-url-solana paymentFlags.rpcURLSolana rpc-url-ethereum paymentFlags.rpcURLEthereum`},
		{&selection, selects.FlagSet, `source source agent agent since since until until text text status status
			subject subject same-source sameSource`},
		{&operator, acts.FlagSet, "operator operator reason reason"},
		{&learns, learns.FlagSet, "benign benign cutoff cutoff brands nameFlags.brands model nameFlags.model"},
	} {
		want, words := map[string]string{}, strings.Fields(c.want)
		for i := 0; i < len(words); i += 2 {
			want[words[i]] = words[i+1]
		}
		c.flags.VisitAll(func(f *flag.Flag) {
			if f.Name == "db" || f.Name == "accept-clock" { // of every command
				return
			}
			before := fields(reflect.ValueOf(c.into).Elem(), "", map[string]string{})
			if !slices.ContainsFunc([]string{"true", "77", "77h", "777MiB", "error"}, func(text string) bool {
				_, yes := f.Value.(interface{ IsBoolFlag() bool })
				return (text == "true") == yes && f.Value.Set(text) == nil
			}) {
				t.Errorf("-%s cannot be set", f.Name)
			}
			after := fields(reflect.ValueOf(c.into).Elem(), "", map[string]string{})
			maps.DeleteFunc(after, func(path, value string) bool { return before[path] == value })
			tocsintest.Want(t, "-"+f.Name, slices.Collect(maps.Keys(after)), []string{want[f.Name]})
			delete(want, f.Name)
		})
		tocsintest.Want(t, "flags that there are not", len(want), 0)
	}
	db := line("check")
	tocsintest.Must(t, db.parse(func(string) (string, bool) { return "", false }, []string{"-db", "a", "-accept-clock"}))
	tocsintest.Want(t, "of every command", []any{db.db, db.acceptClock}, []any{"a", true})
}

func TestHowLongIsKept(t *testing.T) {
	const day = 24 * time.Hour
	tocsintest.Want(t, "each by its flag", (&serveFlags{keepUsage: 1, keepPayments: 2, keepHistory: 3}).keep(),
		store.Keep{Usage: day, Payments: 2 * day, History: 3 * day})
	tocsintest.Want(t, "at most", (&serveFlags{keepUsage: 100_000, keepPayments: 100_001, keepHistory: 1 << 30}).keep(),
		store.Keep{Usage: 100_000 * day, Payments: 100_000 * day, History: 100_000 * day})
}

func TestWhichListsAreRefreshed(t *testing.T) {
	for _, c := range []struct {
		every     time.Duration
		lists, is string
	}{
		{0, "nosuch", "[] <nil>"}, {minRefresh, "spmedia,ofac", "[ofac spmedia] <nil>"},
		{6 * time.Hour, "spmedia, polkadot ofac,,spmedia", "[ofac spmedia polkadot] <nil>"},
		{minRefresh - 1, "ofac", "[] -refresh 9m59.999999999s is less than 10m0s"},
		{time.Hour, " , ", "[] -lists names no list"},
		{time.Hour, "ofac,nosuch", "[] -lists: there is no list \"nosuch\" that can be downloaded (tocsin import -list " +
			"shows all)"},
		{time.Hour, "phantm", "[] -lists: there is no list \"phantm\" that can be downloaded; did you mean phantom? " +
			"(tocsin import -list shows all)"},
		{time.Hour, "ndjson", "[] -lists: there is no list \"ndjson\" that can be downloaded (tocsin import -list shows " +
			"all)"},
	} {
		names, err := (&refreshFlags{every: c.every, lists: c.lists}).names()
		tocsintest.Want(t, c.lists, fmt.Sprint(names, " ", err), c.is)
	}
}

func TestTheFormOfTheAccessLog(t *testing.T) {
	for text, is := range map[string]string{"all": "1 all", "none": "-1 none", "1": "1 all", "2": "2 2", "0": "wrong",
		"-1": "wrong", "some": "wrong", "": "wrong", "2147483647": "2147483647 2147483647", "2147483648": "wrong"} {
		var a accessLog
		got := "wrong"
		if err := a.Set(text); err == nil {
			got = fmt.Sprint(int(a), " ", a.String())
		}
		tocsintest.Want(t, text, got, is)
	}
	tocsintest.Want(t, "at first", accessLog(0).String(), "all")
	for form, is := range map[string]string{"text": "{false WARN} <nil>", "json": "{true WARN} <nil>",
		"": `{false INFO} -log "" is neither text nor json`} {
		l := serverLog{form: form}
		tocsintest.Must(t, l.level.UnmarshalText([]byte("warn")))
		o, err := l.options()
		tocsintest.Want(t, form, fmt.Sprint(o, " ", err), is)
	}
}

// TestAnUnknownFlagIsExplainedByItsNeighbours: those that begin with it or that it begins with, and those that begin
// with the same three letters.
func TestAnUnknownFlagIsExplainedByItsNeighbours(t *testing.T) {
	for wrong, near := range map[string]string{
		"base": "-base-url", "file": "-f", "fi": "-f", "bas": "-base-url", "bax": "", "basx": "-base-url", "zz": "",
		"quotas": "-quota", "q": "-quota", "baz-url": "",
	} {
		line := newCommandLine(&command{name: "try"})
		for _, name := range []string{"base-url", "f", "quota"} {
			line.String(name, "", "")
		}
		err := line.parse(func(string) (string, bool) { return "", false }, []string{"-" + wrong})
		says := "there is no flag -" + wrong
		if near != "" {
			says += "; did you mean " + near + "?"
		}
		tocsintest.Want(t, wrong, fmt.Sprint(err), says+" (tocsin help try shows all)")
	}
}

// TestSomeVariablesHaveNamesOfTheirOwn, or a log would leave out acts because of who asks for it.
func TestSomeVariablesHaveNamesOfTheirOwn(t *testing.T) {
	for c, want := range map[[2]string]string{
		{"key create", "quota"}: "TOCSIN_KEY_QUOTA", {"serve", "quota"}: "TOCSIN_QUOTA",
		{"log", "operator"}: "TOCSIN_LOG_OPERATOR", {"key create", "operator"}: "TOCSIN_OPERATOR",
		{"log", "since"}: "TOCSIN_SINCE", {"serve", "total-filing-mib"}: "TOCSIN_TOTAL_FILING_MIB",
	} {
		tocsintest.Want(t, fmt.Sprint(c), newCommandLine(&command{name: c[0]}).variable(c[1]), want)
	}
}

// TestWhyACommandFailedIsOneLineOfJSONWhereTheLogIs, and a wrong command line is for people.
func TestWhyACommandFailedIsOneLineOfJSONWhereTheLogIs(t *testing.T) {
	failure := errors.New("disk\x1b[31m full")
	for _, c := range []struct {
		form      string
		err, want error
		says      string
	}{
		{"json", failure, errReported, `"level":"ERROR","msg":"the server has failed","error":"disk[31m full"}`},
		{"text", failure, failure, ""}, {"json", nil, nil, ""},
		{"json", errUsage, errUsage, ""},
	} {
		var log tocsintest.Buffer
		l := serverLog{form: c.form}
		err := l.logged(func(context.Context, env) error { return c.err })(t.Context(), env{stderr: &log, stdout: io.Discard})
		if err != c.want || !strings.Contains(log.String(), c.says) || (c.says == "") != (log.String() == "") {
			t.Errorf("%s, %v: %v, %s", c.form, c.err, err, &log)
		}
	}
}

// errUsage is some error of a command line.
var errUsage = usage("wrong")

// TestAMistypedVariableIsFound, and those of Kubernetes and the files of known ones are not mistyped.
func TestAMistypedVariableIsFound(t *testing.T) {
	found := unknownVariables(func() []string {
		return []string{"TOCSIN_REFESH=6h", "TOCSIN_REFRESH=6h", "TOCSIN_DB_FILE=x", "TOCSIN_KEY_QUOTA=1", "PATH=x",
			"TOCSIN_SERVICE_HOST=x", "TOCSIN_PORT_8402_TCP=x", "TOCSIN_A"}
	})
	tocsintest.Want(t, "unknown", found, []string{"TOCSIN_A", "TOCSIN_REFESH"})
	tocsintest.Want(t, "nobody says", len(unknownVariables(nil)), 0)
}
