package main

import (
	"context"
	"fmt"
	"strconv"

	"tocsin"
)

type keyCreateFlags struct {
	*commandLine
	operatorFlags
	address, name string
	quota         *int // nil: the server's
}

func newKeyCreate(c *commandLine) runFunc {
	f := &keyCreateFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
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
	by, err := f.by(e)
	if err != nil {
		return err
	}
	db, err := f.openOrCreate(ctx, e)
	if err != nil {
		return err
	}
	defer db.Close()
	created, err := db.IssueKey(ctx, by, wallet, name, f.quota)
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
	t := newTable(2, "PREFIX", "AGENT", "NAME", "WALLET", "QUOTA", "USED TODAY", "CREATED", "REVOKED")
	for _, k := range keys {
		quota, revoked, wallet := "server's", "-", "-"
		if k.Quota != nil {
			quota = strconv.Itoa(*k.Quota)
		}
		if k.Revoked != nil {
			revoked = minutes(*k.Revoked)
		}
		if a := k.Agent.Address; a != nil { // whole in the list of agents
			wallet = (*a)[:6] + "…" + (*a)[len(*a)-4:]
		}
		t.add(k.Prefix, k.Agent.ID, dash(k.Agent.Name), wallet, quota, strconv.Itoa(k.Used), minutes(k.Created), revoked)
	}
	return t.print(e.stdout)
}

type keyRevokeFlags struct {
	*commandLine
	operatorFlags
}

func newKeyRevoke(c *commandLine) runFunc {
	f := &keyRevokeFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	return f.run
}

func (f *keyRevokeFlags) run(ctx context.Context, e env) error {
	if len(f.args) != 1 || f.args[0] == "" { // every key has an empty prefix
		return usage("name one key, or its prefix")
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
	prefix, err := db.RevokeKey(ctx, by, f.args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "revoked %s…\n", prefix)
	return err
}

// seconds formats an instant without its fraction.
func seconds(t tocsin.Time) string { return t.String()[:19] + "Z" }
