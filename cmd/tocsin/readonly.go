package main

import (
	"context"
	"fmt"
)

type readOnlyFlags struct {
	*commandLine
	operatorFlags
}

func newReadOnly(c *commandLine) runFunc {
	f := &readOnlyFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	return f.run
}

func (f *readOnlyFlags) run(ctx context.Context, e env) error {
	if len(f.args) > 1 || len(f.args) == 1 && f.args[0] != "on" && f.args[0] != "off" {
		return usage("say on or off, or nothing to see how it is")
	}
	by, err := f.by(e)
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if len(f.args) == 1 {
		if _, err := db.SetReadOnly(ctx, by, f.args[0] == "on"); err != nil {
			return err
		}
	}
	is, err := db.ReadOnly(ctx)
	if err != nil {
		return err
	}
	says := "It is not read-only: everything is taken."
	if is {
		says = "It is read-only: look-ups and free calls work; reports, keys, sign-ins, payments and imports are refused."
	}
	_, err = fmt.Fprintln(e.stdout, says)
	return err
}
