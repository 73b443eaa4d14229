package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/importer"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
)

// learnFlags are the flags of commands that learn from the lists in the database.
type learnFlags struct {
	nameFlags
	benign, cutoff string
}

func (f *learnFlags) register() {
	f.StringVar(&f.benign, "benign", "", "learn from the names in this `FILE` too, one a line, as innocent ones")
	f.StringVar(&f.cutoff, "cutoff", "", "learn only what was listed up to this `DATE`")
	f.nameFlags.register()
}

// options returns the settings of a training.
func (f *learnFlags) options(now time.Time) (o lookalike.Options, err error) {
	o = lookalike.Options{Cutoff: now, Workers: runtime.GOMAXPROCS(0)}
	if f.cutoff != "" {
		at, err := parseWhen("-cutoff", f.cutoff, now)
		if err != nil {
			return o, err
		}
		o.Cutoff = at.Std()
	}
	o.Brands, err = readBrands(f.brands)
	return o, err
}

// examples returns what the lists in the database know, and the names of -benign. It warns of lines that are none.
func (f *learnFlags) examples(ctx context.Context, e env, db *store.DB) (examples []lookalike.Example, err error) {
	err = db.ListedSites(ctx, func(s store.ListedSite) {
		d, fault := tocsin.ParseDomain(s.Domain)
		e := lookalike.Example{Domain: d, Fraud: s.Kind == tocsin.Risk}
		switch {
		case fault != nil || s.Kind == tocsin.Sanction || s.Kind == tocsin.Shared && s.Category != "dynamic-dns":
			return
		case s.Kind == tocsin.Shared:
			e.Class = lookalike.ClassHost
		case e.Fraud && s.Since != nil:
			e.Since = s.Since.Std()
		case !e.Fraud && (s.Category == "cleared" || s.Category == "project"):
			e.Class = lookalike.ClassCleared
		case !e.Fraud:
			e.Class = s.Category
		}
		examples = append(examples, e)
	})
	if err != nil || f.benign == "" {
		return examples, err
	}
	file, err := openText(f.benign)
	if err != nil {
		return nil, usage("-benign: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	given, unread, wrong := 0, 0, ""
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		d, fault := tocsin.ParseDomain(text)
		if fault != nil {
			wrong, unread = cmp.Or(wrong, text), unread+1
			continue
		}
		given++
		examples = append(examples, lookalike.Example{Domain: d, Class: "given"})
	}
	if unread > 0 {
		fmt.Fprintf(e.stderr, "Warning: -benign: %d of %d lines are no domain names, such as %s\n", unread, given+unread,
			oneLine(wrong, 60))
	}
	return examples, lines.Err()
}

// openText opens a file, and decompresses it if its name ends with .gz.
func openText(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return file, err
	}
	text, err := gzip.NewReader(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{text, file}, nil
}

type trainFlags struct {
	learnFlags
	every time.Duration // 0: now
	force bool
}

func newTrain(c *commandLine) runFunc {
	f := &trainFlags{learnFlags: learnFlags{nameFlags: nameFlags{commandLine: c}}}
	f.register()
	f.DurationVar(&f.every, "every", 0, "train only if the model is so `OLD`, such as 24h, and no training has failed "+
		"since")
	f.BoolVar(&f.force, "force", false, "write the model even if it finds less of what was listed lately than the former")
	return f.run
}

func (f *trainFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	o, err := f.options(time.Now())
	if err != nil {
		return err
	}
	former, err := readModel(f.modelFile())
	if err != nil && !errors.Is(err, lookalike.ErrOtherModel) && !f.force && f.every == 0 {
		return fmt.Errorf("%w; with -force it is replaced", err)
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if f.every > 0 {
		last, err := db.LastTraining(ctx)
		if err != nil {
			return err
		}
		if !importer.TrainingDue(db.Now(), f.every, former, last) {
			_, err := fmt.Fprintf(e.stdout, "%s: not due\n", f.modelFile())
			return err
		}
	}
	return importer.RecordTraining(ctx, db, func() error { return f.train(ctx, e, db, o, former) })
}

// train trains a model and writes it, unless it is worse than the former.
func (f *trainFlags) train(
	ctx context.Context, e env, db *store.DB, o lookalike.Options, former *lookalike.Model,
) error {
	examples, err := f.examples(ctx, e, db)
	if err != nil {
		return err
	}
	bar := newProgress(e.stderr)
	defer bar.end()
	step := bar.step("training")
	o.Progress = func(done, total int) { step(int64(done), int64(total)) }
	o.Former = former
	m, err := lookalike.Train(examples, o)
	if err != nil {
		return err
	}
	if m.Against.Worse && !f.force {
		return importer.WorseModel(m.Against)
	}
	size, err := replaceFile(f.modelFile(), m, 0o644)
	if err != nil {
		return err
	}
	bar.end()
	_, err = fmt.Fprintf(e.stdout, "%s: model %s of %d fraudulent and %d innocent names, %.1f MB\n"+
		"  of %d names first listed in the 60 days before %s, %s would have been flagged\n"+
		"  of the sites of tokens, %s would be flagged; tenants of %d providers are judged (%s known as innocent)\n",
		f.modelFile(), m.Version, m.Fraud, m.Innocent, float64(size)/1e6, m.Recent,
		m.RecentUntil.Format(time.DateOnly), percent(m.RecentRecall), percent(m.TokenRate), len(m.Parents),
		counted(m.KnownTenants, "tenant"))
	return err
}

// percent writes a share.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
