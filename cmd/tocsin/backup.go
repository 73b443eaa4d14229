package main

import (
	"context"
	"fmt"
)

func newBackup(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error { return backup(ctx, e, c) }
}

func backup(ctx context.Context, e env, c *commandLine) error {
	if len(c.args) != 1 || c.args[0] == "" {
		return usage("name the new file to write")
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	copied, err := db.Backup(ctx, c.args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s: %s, %s, %s, %s, %s; %.1f MB, checked\n", c.args[0],
		counted(copied.Reports, "report"), counted(copied.Listings, "listing"), counted(copied.Agents, "agent"),
		counted(copied.Keys, "key"), counted(copied.Payments, "payment"), float64(copied.Bytes)/1e6)
	return err
}
