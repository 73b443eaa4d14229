package main

import (
	"context"
	"fmt"

	"tocsin"
)

// paymentCloseFlags are those of payment close.
type paymentCloseFlags struct {
	*commandLine
	operatorFlags
	transaction string
	notPaid     bool
}

func newPaymentClose(c *commandLine) runFunc {
	f := &paymentCloseFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	f.StringVar(&f.transaction, "transaction", "", "it was paid: the `HASH` of the transaction that brought the money, "+
		"of Solana its signature")
	f.BoolVar(&f.notPaid, "not-paid", false, "it was not paid: it is deleted")
	return f.run
}

func (f *paymentCloseFlags) run(ctx context.Context, e env) error {
	if len(f.args) != 1 {
		return usage("name one payment, like pay_0123456789abcdef; tocsin payments shows them")
	}
	if f.notPaid == (f.transaction != "") {
		return usage("say either -transaction HASH or -not-paid")
	}
	by, err := f.by(e)
	if err != nil {
		return err
	}
	if by.Reason == "" {
		return usage("say why with -reason, such as \"not in the wallet\": the log of acts keeps it")
	}
	if f.transaction != "" {
		hash, fault := tocsin.ParseHash(f.transaction)
		if fault != nil {
			return usageError{tocsin.Faults(fault.In("-transaction"))}
		}
		f.transaction = hash
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	p, err := db.ClosePayment(ctx, by, f.args[0], f.transaction)
	if err != nil {
		return err
	}
	how := "not paid, and deleted"
	if f.transaction != "" {
		how = "paid in " + f.transaction
	}
	_, err = fmt.Fprintf(e.stdout, "closed %s, %s of %s on %s: %s\n", p.ID, coins(p.Amount), p.Payer, p.Network,
		how)
	return err
}
