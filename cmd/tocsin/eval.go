package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
)

type evalFlags struct {
	learnFlags
	domains string
	highest int
}

func newEval(c *commandLine) runFunc {
	f := &evalFlags{learnFlags: learnFlags{nameFlags: nameFlags{commandLine: c}}}
	f.register()
	f.StringVar(&f.domains, "domains", "", "measure with this CSV `FILE` (or .csv.gz): "+
		"label (malicious or benign), domain, source, and by their names in the first row registered, firstCertificate, "+
		"resolves and asOf")
	f.count(&f.highest, "highest", 0, "list so many innocent names, those with the highest scores")
	return f.run
}

// classes are what the sources of innocent names are counted under, by how a source begins. Others count under their
// own name.
var classes = []struct{ class, sources string }{
	{"crypto token sites", "crypto-token token-site"},
	{"dapps", "epd-dapps x402-ecosystem mew-lightlist dapp"},
	{"innocent look-alikes", "epd-allowlist cleared"},
	{lookalike.Popular, "cisco cloudflare majestic tranco moz top-site umbrella popular"},
	{"universities", "misp-university university"},
	{"banks", "misp-bank bank"},
	{"tenants", "doc-link-shared-hosting tenant"},
	{"shared hosts", "shared phantom-whitelist"},
}

// cryptoSources are the sources of fraudulent names that are about crypto-currencies.
var cryptoSources = []string{"scamsniffer", "polkadot", "spmedia"}

// groups returns what a case is counted under, by its sources.
func groups(fraud bool, sources []string) (names []string) {
	if fraud {
		names = append(names, "all fraudulent")
		if slices.ContainsFunc(sources, func(s string) bool { return slices.Contains(cryptoSources, s) }) {
			names = append(names, "crypto phishing")
		}
		for _, s := range sources {
			names = append(names, "listed by "+s)
		}
		return names
	}
	for _, c := range classes {
		for _, source := range sources {
			for _, begin := range strings.Fields(c.sources) {
				if strings.HasPrefix(source, begin) {
					return []string{c.class}
				}
			}
		}
	}
	return []string{"innocent: " + sources[0]}
}

// signalColumns are the columns of a file with what services say about a domain, by their names in its first row: dates
// or times, and resolves as true or false. asOf is when the services were asked; without it, it is now.
type signalColumns struct {
	at  map[string]int
	now time.Time
}

// read reads the signals of a row into a case. Empty fields are not known.
func (s signalColumns) read(row []string, c *lookalike.Case) error {
	if len(s.at) == 0 {
		return nil
	}
	c.At = s.now
	c.Signals = &tocsin.Signals{}
	for name, i := range s.at {
		if i >= len(row) || row[i] == "" {
			continue
		}
		if name == "resolves" {
			yes, err := strconv.ParseBool(row[i])
			if err != nil {
				return fmt.Errorf("%s: resolves %q is neither true nor false", c.Domain, row[i])
			}
			c.Signals.Resolves = &yes
			continue
		}
		at, _, fault := tocsin.ParseDay(row[i])
		if fault != nil {
			return fmt.Errorf("%s: %s %q is neither a date nor a time", c.Domain, name, row[i])
		}
		switch name {
		case "registered":
			c.Signals.RegisteredAt = &at
		case "firstCertificate":
			c.Signals.FirstCertificateAt = &at
		case "asOf":
			c.At = at.Std()
		}
	}
	return nil
}

// cases reads the file of -domains, in which each name counts once.
func (f *evalFlags) cases() (cases []lookalike.Case, err error) {
	file, err := openText(f.domains)
	if err != nil {
		return nil, usage("-domains: %w", err)
	}
	defer file.Close()
	rows := csv.NewReader(file)
	rows.FieldsPerRecord = -1
	seen := map[tocsin.Domain]bool{}
	signals := signalColumns{map[string]int{}, time.Now()}
	for first := true; ; first = false {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("-domains: %w", err)
		}
		for i, name := range row {
			if first && slices.Contains([]string{"registered", "firstCertificate", "resolves", "asOf"}, name) {
				signals.at[name] = i
			}
		}
		if len(row) < 3 || row[0] != "malicious" && row[0] != "benign" {
			continue // the header, and what is of no use
		}
		d, fault := tocsin.ParseDomain(row[1])
		if fault != nil || seen[d] {
			continue
		}
		seen[d] = true
		c := lookalike.Case{Domain: d, Fraud: row[0] == "malicious"}
		c.Groups = groups(c.Fraud, strings.Split(row[2], "|"))
		if d.Registrable() != "" && c.Fraud && slices.Contains(c.Groups, "crypto phishing") {
			kind := "crypto phishing, own domains"
			if lookalike.Hosted(d) {
				kind = "crypto phishing, tenants"
			}
			c.Groups = append(c.Groups, kind)
		}
		if err := signals.read(row, &c); err != nil {
			return nil, fmt.Errorf("-domains: %w", err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, errors.New("-domains: no row has a label, malicious or benign, a domain and a source")
	}
	return cases, nil
}

func (f *evalFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	if f.domains == "" {
		return usage("name a file with -domains")
	}
	o, err := f.options(time.Now())
	if err != nil {
		return err
	}
	cases, err := f.cases()
	if err != nil {
		return err
	}
	if f.cutoff == "" {
		m, err := readModel(f.modelFile())
		if err != nil {
			return err
		}
		if m == nil {
			return usage("there is no model at %s; run tocsin train, or measure a training with -cutoff", f.modelFile())
		}
		return f.print(e.stdout, lookalike.EvaluateModel(cases, lookalike.NewDetector(o.Brands, m)))
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	examples, err := f.examples(ctx, e, db)
	if err != nil {
		return err
	}
	bar := newProgress(e.stderr)
	step := bar.step("training")
	o.Progress = func(done, total int) { step(int64(done), int64(total)) }
	r, err := lookalike.Evaluate(cases, examples, o)
	bar.end()
	if err != nil {
		return err
	}
	return f.print(e.stdout, r)
}

// print prints a table: for each group how many of its names are found at the limits of the model, and at the
// scores that exact shares of popular sites exceed, with intervals.
func (f *evalFlags) print(out io.Writer, r *lookalike.Report) error {
	for _, m := range r.Models {
		fmt.Fprintf(out, "Model %s: %d fraudulent and %d innocent names\n", m.Version, m.Fraud, m.Innocent)
	}
	if len(r.Models) > 1 {
		fmt.Fprintln(out, "Each name was judged by the model that had not learnt its owner.")
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(out, "%d names were left out: the lists had them, or their owner, before the cut-off.\n", r.LeftOut)
	}
	fmt.Fprintln(out, "Shares in percent, with 95 % intervals (Wilson).")
	for _, part := range []struct {
		title string
		at    func(c *lookalike.Count) [3]int
	}{
		{"AT THE LIMITS OF THE MODEL", func(c *lookalike.Count) [3]int { return c.AtLimits }},
		{"AT EXACT SHARES OF POPULAR SITES", func(c *lookalike.Count) [3]int { return c.AtRates }},
	} {
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "\n%s\tNAMES\t0.05 %%\t0.1 %%\t1 %%\n", part.title)
		for _, name := range slices.Sorted(maps.Keys(r.Groups)) {
			c := r.Groups[name]
			fmt.Fprintf(t, "%s\t%d", name, c.Of)
			for _, n := range part.at(c) {
				fmt.Fprint(t, "\t"+share(n, c.Of))
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if err := printSignals(out, r); err != nil || f.highest == 0 {
		return err
	}
	cases, scores := r.Highest(f.highest)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\nINNOCENT\tSCORE\t\n")
	for i, c := range cases {
		fmt.Fprintf(t, "%s\t%.6f\t%s\n", c.Domain, scores[i], c.Groups[0])
	}
	return t.Flush()
}

// share is a part of all in percent, with its interval.
func share(n, of int) string {
	low, high := lookalike.Wilson(n, of)
	return fmt.Sprintf("%.2f [%.2f–%.2f]", 100*float64(n)/float64(max(of, 1)), 100*low, 100*high)
}

// printSignals prints, if the file has signals, how many names are suspicious without them and with them.
func printSignals(out io.Writer, r *lookalike.Report) error {
	dated := 0
	for _, c := range r.Groups {
		dated += c.Dated + c.Unresolved
	}
	if dated == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\nSUSPICIOUS\tNAMES\tWITH A DATE\tBY THE NAME\tWITH SIGNALS\tOF THESE WITHOUT AN ADDRESS\n")
	for _, name := range slices.Sorted(maps.Keys(r.Groups)) {
		c := r.Groups[name]
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%d\n", name, c.Of, c.Dated, share(c.ByName, c.Of), share(c.BySignals, c.Of),
			c.Unresolved)
	}
	return t.Flush()
}
