package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tocsin/internal/feed"
	"tocsin/internal/importer"
	"tocsin/internal/store"
)

// listRemoveFlags are those of list remove.
type listRemoveFlags struct {
	*commandLine
	operatorFlags
	yes bool
}

func newListRemove(c *commandLine) runFunc {
	f := &listRemoveFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	f.BoolVar(&f.yes, "yes", false, "do it; without this, it is only said what would be withdrawn")
	return f.run
}

func (f *listRemoveFlags) run(ctx context.Context, e env) (err error) {
	if len(f.args) != 1 || f.args[0] == "" {
		return usage("name one list; /status and tocsin import -list show the lists")
	}
	name := f.args[0]
	if name == feed.StarterList || name == feed.OFAC {
		return usage("%s comes with the program, and the next start would load it again", name)
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
	if !f.yes {
		return f.preview(ctx, e, db, name)
	}
	lease, err := importer.Lease(ctx, db, name, func() error {
		_, err := fmt.Fprint(e.stderr, waiting(name))
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	read, err := db.Imported(ctx, name)
	if err != nil {
		return err
	}
	begun := time.Now()
	bar := newProgress(e.stderr)
	defer bar.end()
	step := bar.step("withdrawing " + name)
	counts, err := db.RemoveList(ctx, by, lease, func(done, total int) { step(int64(done), int64(total)) })
	bar.end()
	if err != nil {
		return err
	}
	if !read {
		_, err := fmt.Fprintf(e.stdout, "forgot the failed imports of %s; nothing of it was on record\n", name)
		return err
	}
	fmt.Fprintf(e.stdout, "removed %s: withdrawn %d, %s\n", name, counts.Withdrawn, took(begun))
	if source, known := feed.Find(name); known && source.Upstream != "" {
		fmt.Fprintf(e.stderr, "Take it out of -lists and of timers as well, or the next import brings it back.\n")
	}
	return nil
}

// preview says what would be withdrawn.
func (f *listRemoveFlags) preview(ctx context.Context, e env, db *store.DB, name string) error {
	st, err := db.Stats(ctx)
	if err != nil {
		return err
	}
	for _, l := range st.Lists {
		if l.Name == name {
			_, err := fmt.Fprintf(e.stdout, "Of %s would be withdrawn: %s, %s. Nothing of it would count any more.\n"+
				"\nNothing was changed. Add -yes to do it.\n", name, counted(l.Listings, "listing"), counted(l.Reports, "report"))
			return err
		}
	}
	for _, t := range st.Tries {
		if t.List == name {
			_, err := fmt.Fprintf(e.stdout, "Nothing of %s is on record. Its failed imports would be forgotten.\n"+
				"\nNothing was changed. Add -yes to do it.\n", name)
			return err
		}
	}
	return fmt.Errorf("there is no list %q on record; /status shows those that are", name)
}
