package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"

	"tocsin"
)

type keyCreateFlags struct {
	*commandLine
	address, name string
	quota         *int // nil: the server's
}

func newKeyCreate(c *commandLine) runFunc {
	f := &keyCreateFlags{commandLine: c}
	f.StringVar(&f.address, "address", "", "wallet `ADDRESS` that owns the key; a new key replaces the wallet's old one")
	f.StringVar(&f.name, "name", "", "public `NAME` of the agent")
	f.Func("quota", "`N` free calls per day for this key (default: the server's -quota)", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a number of calls", s)
		}
		f.quota = &n
		return nil
	})
	return f.run
}

func (f *keyCreateFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	var wallet *tocsin.Address
	if f.address != "" {
		a, fault := tocsin.ParseAddress(f.address)
		if fault != nil {
			return usageError{tocsin.Faults(fault.In("-address"))}
		}
		wallet = &a
	}
	name := tocsin.CleanText(f.name)
	if len([]rune(name)) > 100 {
		return usage("-name has more than 100 characters")
	}
	db, err := f.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	created, err := db.CreateKey(ctx, wallet, name, f.quota)
	if err != nil {
		return err
	}
	if created.Replaced > 0 {
		fmt.Fprintf(e.stderr, "It replaces the key that %s had.\n", *created.Agent.Address)
	}
	if _, err := fmt.Fprintln(e.stdout, created.Key); err != nil {
		return fmt.Errorf("the key %s… was created but could not be printed; revoke it: %w", created.Key.Prefix(), err)
	}
	return nil
}

func newKeyList(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error { return keyList(ctx, e, c) }
}

func keyList(ctx context.Context, e env, c *commandLine) error {
	if err := c.noArgs(); err != nil {
		return err
	}
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	keys, err := db.Keys(ctx)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PREFIX\tAGENT\tNAME\tADDRESS\tQUOTA\tUSED TODAY\tCREATED\tREVOKED")
	for _, k := range keys {
		quota, revoked := "server's", "-"
		if k.Quota != nil {
			quota = strconv.Itoa(*k.Quota)
		}
		if k.Revoked != nil {
			revoked = seconds(*k.Revoked)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", k.Prefix, k.Agent.ID, dash(k.Agent.Name),
			dash(k.Agent.Address), quota, k.Used, seconds(k.Created), revoked)
	}
	return t.Flush()
}

func newKeyRevoke(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error { return keyRevoke(ctx, e, c) }
}

func keyRevoke(ctx context.Context, e env, c *commandLine) error {
	if len(c.args) != 1 || c.args[0] == "" { // every key has an empty prefix
		return usage("name one key, or its prefix")
	}
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	prefix, err := db.RevokeKey(ctx, c.args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "revoked %s…\n", prefix)
	return err
}

// seconds formats an instant without its fraction.
func seconds(t tocsin.Time) string { return t.String()[:19] + "Z" }

// dash returns a text for a table, "-" for an empty one.
func dash(s *string) string {
	if s == nil || *s == "" {
		return "-"
	}
	return oneLine(*s, 60)
}
