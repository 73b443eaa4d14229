package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"tocsin/internal/store"
)

// oneAgent is the error of a command that is about one agent and was given none, or several.
const oneAgent = "name one agent, by its id (agt_…) or its wallet (0x…); tocsin agent list shows them"

func newAgentShow(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error { return agentShow(ctx, e, c) }
}

func agentShow(ctx context.Context, e env, c *commandLine) error {
	if len(c.args) != 1 {
		return usage(oneAgent)
	}
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := db.AgentRecord(ctx, c.args[0])
	if err != nil {
		return err
	}
	acts, err := db.Acts(ctx, store.ActFilter{Object: r.ID, Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(struct {
		store.AgentRecord
		Acts []store.Act `json:"acts"`
	}{r, append([]store.Act{}, acts...)}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", text)
	return err
}

type agentEraseFlags struct {
	*commandLine
	operatorFlags
	reports, yes bool
}

func newAgentErase(c *commandLine) runFunc {
	f := &agentEraseFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	f.BoolVar(&f.reports, "reports", false, "erase its reports as well, as report erase does")
	f.BoolVar(&f.yes, "yes", false, "do it; it cannot be undone. Without this, it is only said what would be erased")
	return f.run
}

func (f *agentEraseFlags) run(ctx context.Context, e env) error {
	if len(f.args) != 1 {
		return usage(oneAgent)
	}
	by, err := f.erases(e, f.yes)
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
	r, err := db.AgentRecord(ctx, f.args[0])
	if err != nil {
		return err
	}
	if err := r.Erasable(); err != nil {
		return err
	}
	if !f.yes {
		fmt.Fprintf(e.stdout, "Would be erased for good of %s: %s\n", r.ID, f.goes(r))
		for _, line := range f.stays(r) {
			fmt.Fprintln(e.stdout, line)
		}
		_, err = fmt.Fprintln(e.stdout, "\nNothing was changed. Add -yes to do it.")
		return err
	}
	if f.reports && len(r.OfReports) > 0 {
		erased, _, err := db.Erase(ctx, by, r.OfReports...)
		for _, id := range erased {
			fmt.Fprintf(e.stdout, "erased %s\n", id)
		}
		if err != nil {
			return err
		}
	}
	if err := db.EraseAgent(ctx, by, r.ID); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(e.stdout, "erased of %s: %s\n", r.ID, f.goes(r)); err != nil {
		return err
	}
	for _, line := range f.stays(r) {
		fmt.Fprintln(e.stderr, line)
	}
	_, err = fmt.Fprint(e.stderr, beyondReach)
	return err
}

// goes says what is erased of an agent.
func (f *agentEraseFlags) goes(r store.AgentRecord) string {
	var parts []string
	if r.Address != nil {
		parts = append(parts, "its wallet "+*r.Address)
	}
	if r.Name != nil {
		parts = append(parts, "its name "+oneLine(*r.Name, maxCell))
	}
	parts = append(parts, counted(len(r.OfKeys), "key"), counted(r.Sessions, "session"),
		"its calls of "+counted(len(r.OfDays), "day"))
	if f.reports {
		parts = append(parts, counted(len(r.OfReports), "report"))
	}
	return strings.Join(parts, ", ")
}

// stays says what an erasure leaves of an agent.
func (f *agentEraseFlags) stays(r store.AgentRecord) (lines []string) {
	if n := len(r.OfReports); n > 0 && !f.reports {
		lines = append(lines, fmt.Sprintf("Stays: %s, under %s without a name, counting as before; -reports erases "+
			"them as well.", counted(n, "report"), r.ID))
	}
	if n := len(r.Payments); n > 0 {
		lines = append(lines, fmt.Sprintf("Stays: %s with the wallet that paid, for bookkeeping, until -keep-payments of "+
			"the server is over.", counted(n, "payment")))
	}
	return lines
}
