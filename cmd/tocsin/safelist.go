package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/importer"
	"tocsin/internal/store"
)

// safelistFlags are those of safelist add and safelist remove.
type safelistFlags struct {
	*commandLine
	operatorFlags
	category, name string // "" of an entry that there is: as it was
	remove         bool
}

func newSafelistAdd(c *commandLine) runFunc {
	f := &safelistFlags{commandLine: c}
	f.StringVar(&f.category, "category", "", "`WHAT` they are, such as shop or exchange, or "+tocsin.UnderReview+
		" while an objection is looked into (default: as it is on the safelist, else checked)")
	f.StringVar(&f.name, "name", "", "the `NAME` of who they belong to, which the site shows to everybody who looks one "+
		"of them up (default: as it is on the safelist)")
	f.operatorFlags.register(f.FlagSet)
	return f.run
}

func newSafelistRemove(c *commandLine) runFunc {
	f := &safelistFlags{commandLine: c, remove: true}
	f.operatorFlags.register(f.FlagSet)
	return f.run
}

func (f *safelistFlags) run(ctx context.Context, e env) (err error) {
	if len(f.args) == 0 {
		return usage("name at least one address or domain")
	}
	if f.category != "" && !vouches(f.category) {
		return usage("-category %s says that a site is known, not that somebody has checked it: choose another word",
			f.category)
	}
	var subjects []tocsin.Subject
	for _, text := range f.args {
		subject, fault := tocsin.ParseSubject(text)
		if fault != nil {
			return usage("%s: %w", oneLine(text, 100), fault)
		}
		subjects = append(subjects, subject)
	}
	by, err := f.by(e)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	source, _ := feed.Find(feed.Safelist)
	lease, err := importer.Lease(ctx, db, source.Name, func() error {
		_, err := fmt.Fprintln(e.stderr, "Waiting for another process, which changes the safelist.")
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	im, err := db.Import(ctx, source.List)
	if err != nil {
		return err
	}
	defer im.Close()
	im.Under(lease)
	var done map[tocsin.Subject]string
	if f.remove {
		err = withdrawSafe(im, by, subjects)
	} else {
		done, err = f.add(ctx, im, source, db, by, subjects)
	}
	if err != nil {
		return err
	}
	if _, err := im.Finish(ctx, false, nil); err != nil {
		return err
	}
	for _, subject := range subjects {
		fmt.Fprintf(e.stdout, "%s: %s\n", subject, cmp.Or(done[subject], "no longer on the safelist"))
	}
	printHeld(e, im.Held())
	if f.remove {
		return nil
	}
	return warnOfSanctions(ctx, e, db, subjects)
}

// warnOfSanctions says of each subject that is sanctioned that a safelist does not change its level.
func warnOfSanctions(ctx context.Context, e env, db *store.DB, subjects []tocsin.Subject) error {
	for _, subject := range subjects {
		d, err := db.AboutSubject(ctx, subject, store.Page{})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(d.Listings, func(l tocsin.Listing) bool { return l.Kind == tocsin.Sanction })
		if i < 0 {
			continue
		}
		fmt.Fprintf(e.stderr, "Warning: %s stays CRITICAL: %s names it as %s, and no safelist outweighs a sanction. "+
			"Only the authority that imposed it can end it. To take the entry off again: tocsin safelist remove %s\n",
			subject, feed.Title(d.Listings[i].List), oneLine(d.Listings[i].Name, 100), subject)
	}
	return nil
}

// add reads the subjects as the rows of a safelist: what a file may not name may not be named here either. What is not
// named of an entry that there is stays. Done says what became of each.
func (f *safelistFlags) add(
	ctx context.Context, im *store.Importing, source feed.Source, db *store.DB, by store.Operator,
	subjects []tocsin.Subject,
) (done map[tocsin.Subject]string, err error) {
	entries, err := db.Entries(ctx, source.Name)
	if err != nil {
		return nil, err
	}
	known := map[string]store.ListEntry{}
	for _, l := range entries {
		if l.Kind == tocsin.Safe && vouches(l.Category) {
			known[l.Subject] = l
		}
	}
	done = map[tocsin.Subject]string{}
	var said []string // in the log of acts
	var file bytes.Buffer
	rows := csv.NewWriter(&file)
	rows.Write([]string{"subject", "category", "name"})
	for _, subject := range subjects {
		before, there := known[subject.String()]
		category := cmp.Or(tocsin.CleanText(f.category), before.Category, "checked")
		name := cmp.Or(tocsin.CleanText(f.name), before.Name)
		rows.Write([]string{subject.String(), category, name})
		words := func(category, name string) string { return strings.TrimSuffix(category+", "+name, ", ") }
		is := words(category, name)
		switch was := words(before.Category, before.Name); {
		case !there || was == is:
			said = append(said, fmt.Sprintf("%s: %s", subject, is))
		default:
			said = append(said, fmt.Sprintf("%s: %s → %s", subject, was, is))
		}
		switch {
		case !there:
			done[subject] = "on the safelist"
		case category == before.Category && name == before.Name:
			done[subject] = "on the safelist already"
		default:
			done[subject] = fmt.Sprintf("changed: %s, %s (before: %s, %s)", category, cmp.Or(name, "-"),
				cmp.Or(before.Category, "-"), cmp.Or(before.Name, "-"))
		}
	}
	rows.Flush()
	var refused []error
	_, err = source.Read(ctx, feed.File(source.Default, file.Bytes()), db.Now().Std(), feed.Sink{
		Entry: im.Add,
		Refuse: func(row, _, detail string) {
			refused = append(refused, fmt.Errorf("%s: %s%s", oneLine(row, 100), detail, siteBelow(row)))
		},
	})
	if len(refused) > 0 {
		return nil, errors.Join(refused...)
	}
	im.Change(by, store.AddedSafe, subjects, nil)
	im.Say(said...)
	return done, err
}

// siteBelow says of a host of many strangers what can be on the safelist instead.
func siteBelow(host string) string {
	d, err := tocsin.ParseDomain(host)
	switch {
	case err != nil || !d.Shared():
		return ""
	case d.HasPages():
		return "; it cannot be on the safelist"
	}
	return "; it cannot be on the safelist. Name the site below it, such as NAME." + d.String()
}

// vouches reports whether a category says that somebody has checked a site, not only that it is known.
func vouches(category string) bool {
	return tocsin.Listing{Kind: tocsin.Safe, Category: category}.Vouches()
}

// withdrawSafe takes subjects off the safelist.
func withdrawSafe(im *store.Importing, by store.Operator, subjects []tocsin.Subject) error {
	missing := im.Change(by, store.RemovedSafe, subjects, subjects)
	if len(missing) == 0 {
		return nil
	}
	var names []string
	for _, subject := range missing {
		names = append(names, subject.String())
	}
	return fmt.Errorf("not on your safelist: %s; nothing was changed", strings.Join(names, ", "))
}

type safelistListFlags struct {
	*commandLine
	json bool
}

func newSafelistList(c *commandLine) runFunc {
	f := &safelistListFlags{commandLine: c}
	f.BoolVar(&f.json, "json", false, "print one JSON object per line")
	return f.run
}

func (f *safelistListFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	entries, err := db.Entries(ctx, feed.Safelist)
	if err != nil {
		return err
	}
	if f.json {
		return printLines(e, entries)
	}
	t := newTable(0, "SUBJECT", "CATEGORY", "NAME", "SINCE")
	for _, l := range entries {
		since := "-"
		if l.Since != nil {
			since = l.Since.String()[:10]
		}
		t.add(l.Subject, cmp.Or(l.Category, "-"), cmp.Or(l.Name, "-"), since)
	}
	return t.print(e.stdout)
}
