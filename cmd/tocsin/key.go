package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"

	"tocsin"
)

func keyCreateFlags(f *flags) {
	f.StringVar(&f.address, "address", "", "wallet `ADDRESS` that the key belongs to; a wallet has one live key, a new one replaces it")
	f.StringVar(&f.name, "name", "", "public `NAME` of the agent")
	f.Func("quota", "free calls a day `N` of this key (default: the server's -quota)", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a number of calls", s)
		}
		f.ownQuota = &n
		return nil
	})
}

func keyCreate(ctx context.Context, w world, f *flags) error {
	if err := f.none(); err != nil {
		return err
	}
	var wallet *tocsin.Address
	if f.address != "" {
		a, fault := tocsin.ParseAddress(f.address)
		if fault != nil {
			return wrongUse{tocsin.Faults(fault.In("-address"))}
		}
		wallet = &a
	}
	name := tocsin.CleanText(f.name)
	if len([]rune(name)) > 100 {
		return usage("-name has over 100 characters")
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	made, err := db.CreateKey(ctx, wallet, name, f.ownQuota)
	if err != nil {
		return err
	}
	if made.Replaced > 0 {
		fmt.Fprintf(w.err, "It replaces the key that %s had.\n", *made.Agent.Address)
	}
	if _, err := fmt.Fprintln(w.out, made.Key); err != nil {
		return fmt.Errorf("the key %s was made and is lost, revoke it: %w", made.Key.Prefix(), err)
	}
	return nil
}

func keyList(ctx context.Context, w world, f *flags) error {
	if err := f.none(); err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	keys, err := db.Keys(ctx)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PREFIX\tAGENT\tNAME\tADDRESS\tQUOTA\tUSED TODAY\tCREATED\tREVOKED")
	for _, k := range keys {
		quota, revoked := "server's", "-"
		if k.Quota != nil {
			quota = strconv.Itoa(*k.Quota)
		}
		if k.Revoked != nil {
			revoked = k.Revoked.String()[:19] + "Z"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", k.Prefix, k.Agent.ID, dash(k.Agent.Name), dash(k.Agent.Address), quota, k.Used, k.Created.String()[:19]+"Z", revoked)
	}
	return t.Flush()
}

func keyRevoke(ctx context.Context, w world, f *flags) error {
	if len(f.args) != 1 || f.args[0] == "" { // an empty text begins every key
		return usage("name one key, or how it begins")
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	prefix, err := db.RevokeKey(ctx, f.args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "revoked %s…\n", prefix)
	return err
}

func dash(s *string) string {
	if s == nil || *s == "" {
		return "-"
	}
	return oneLine(*s, 60)
}
