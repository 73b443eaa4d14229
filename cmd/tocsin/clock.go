package main

import (
	"context"
	"fmt"
)

type clockMendFlags struct {
	*commandLine
	operatorFlags
	yes bool
}

func newClockMend(c *commandLine) runFunc {
	f := &clockMendFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	f.BoolVar(&f.yes, "yes", false, "do it; without this, the dates are only counted")
	return f.run
}

func (f *clockMendFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	by, err := f.by(e)
	if err != nil {
		return err
	}
	f.acceptClock = true // that it is right, and the records are not, is what the command is for
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	m, err := db.MendDates(ctx, by, !f.yes)
	if err != nil {
		return err
	}
	done := "Were corrected"
	if !f.yes {
		done = "Would be corrected"
	}
	fmt.Fprintf(e.stdout, "The clock says %s. Of the dates later than that:\n", seconds(db.Now()))
	fmt.Fprintf(e.stdout, "%s: reports %d, listings %d, others %d. Sessions and nonces to end: %d.\n",
		done, m.Reports, m.Listings, m.Others, m.Sessions)
	if !f.yes {
		fmt.Fprintln(e.stdout, "Nothing was changed. If the clock is right, say: tocsin clock mend -yes")
	}
	return db.Close()
}
