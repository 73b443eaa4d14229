package main

import (
	"context"
	"fmt"
	"strconv"

	"tocsin/internal/store"
)

type agentListFlags struct {
	*commandLine
	banned bool
	limit  int
	json   bool
}

func newAgentList(c *commandLine) runFunc {
	f := &agentListFlags{commandLine: c}
	f.BoolVar(&f.banned, "banned", false, "only those that are banned")
	f.IntVar(&f.limit, "limit", 50, "list at most `N` agents")
	f.BoolVar(&f.json, "json", false, "print one JSON object per line")
	return f.run
}

func (f *agentListFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	if f.limit < 1 {
		return usage("-limit %d is less than one", f.limit)
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	agents, err := db.Agents(ctx, f.banned, f.limit)
	if err != nil {
		return err
	}
	if f.json {
		return printLines(e, agents)
	}
	t := newTable(1, "AGENT", "NAME", "WALLET", "SINCE", "KEYS", "REPORTS", "BANNED")
	for _, a := range agents {
		banned := "-"
		if a.Banned != nil {
			banned = a.Banned.String()[:10]
		}
		t.add(a.ID, dash(a.Name), dash(a.Address), a.Created.String()[:10], strconv.Itoa(a.Keys),
			fmt.Sprintf("%d of %d", a.Published, a.Reports), banned)
	}
	return t.print(e.stdout)
}

// banFlags are those of agent ban and agent unban.
type banFlags struct {
	*commandLine
	operatorFlags

	bans          bool
	done, reports string // what it says of the agent, and of its reports
	change        func(*store.DB, context.Context, store.Operator, string) (int, error)
}

func newAgentBan(c *commandLine) runFunc {
	return newBan(&banFlags{commandLine: c, bans: true, done: "banned", reports: "taken out of every score",
		change: (*store.DB).Ban})
}

func newAgentUnban(c *commandLine) runFunc {
	return newBan(&banFlags{commandLine: c, done: "unbanned", reports: "published again", change: (*store.DB).Unban})
}

func newBan(f *banFlags) runFunc {
	f.operatorFlags.register(f.FlagSet)
	return f.run
}

func (f *banFlags) run(ctx context.Context, e env) error {
	if len(f.args) != 1 {
		return usage(oneAgent)
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
	agent, err := db.FindAgent(ctx, f.args[0])
	if err != nil {
		return err
	}
	reports, err := f.change(db, ctx, by, agent.ID)
	if err != nil {
		return err
	}
	if reports == 0 && f.bans == (agent.Banned != nil) {
		was := "was not banned"
		if f.bans {
			was = "was banned already"
		}
		_, err = fmt.Fprintf(e.stdout, "%s %s\n", agent.ID, was)
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s %s: %s %s\n", f.done, agent.ID, counted(reports, "report"), f.reports)
	return err
}
