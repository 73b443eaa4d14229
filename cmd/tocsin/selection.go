package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// selectionFlags say which reports a command is about.
type selectionFlags struct {
	source, agent, since, until, text, status, subject, sameSource string
}

func (f *selectionFlags) register(set *flag.FlagSet) {
	set.StringVar(&f.source, "source", "", "only reports of this `SOURCE`: community, or the name of a list")
	set.StringVar(&f.agent, "agent", "", "only reports that this `AGENT` filed: its id (agt_…) or its wallet (0x…)")
	set.StringVar(&f.since, "since", "", "only reports recorded since `WHEN`: a date, a time, or an age such as 7d")
	set.StringVar(&f.until, "until", "", "only reports recorded before `WHEN`")
	set.StringVar(&f.text, "text", "", "only reports with these `WORDS` in this order, in any field or evidence URL")
	set.StringVar(&f.status, "status", "", "only reports of this `STATUS`: published, hidden, withdrawn, banned, erased "+
		"or gone (from its list)")
	set.StringVar(&f.subject, "subject", "", "only reports that name this `SUBJECT`, an address or a domain")
	set.StringVar(&f.sameSource, "same-source", "", "only anonymous reports from the same network as the report `ID`; "+
		"it is known until the end of the next day (UTC)")
}

// given reports whether the flags narrow the selection at all.
func (f *selectionFlags) given() bool { return *f != selectionFlags{} }

// parse reads the flags. An agent has to exist.
func (f *selectionFlags) parse(ctx context.Context, db *store.DB) (store.Selection, error) {
	sel := store.Selection{Source: f.source, SameSource: f.sameSource, Text: f.text, Status: tocsin.Status(f.status)}
	switch sel.Status {
	case "", tocsin.Published, tocsin.Hidden, tocsin.Withdrawn, tocsin.Banned, tocsin.Erased, tocsin.Removed:
	default:
		return sel, usage("-status %q is not published, hidden, withdrawn, banned, erased or gone", f.status)
	}
	for _, when := range []struct {
		name, text string
		into       **tocsin.Time
	}{{"-since", f.since, &sel.Since}, {"-until", f.until, &sel.Until}} {
		if when.text == "" {
			continue
		}
		at, err := parseWhen(when.name, when.text, time.Now())
		if err != nil {
			return sel, err
		}
		*when.into = &at
	}
	if f.subject != "" {
		subject, fault := tocsin.ParseSubject(f.subject)
		if fault != nil {
			return sel, usageError{tocsin.Faults(fault.In("-subject"))}
		}
		sel.Subject = &subject
	}
	if f.sameSource != "" && !strings.HasPrefix(f.sameSource, "rep_") {
		return sel, usage("-same-source %q is not the id of a report (rep_…)", f.sameSource)
	}
	if f.agent != "" {
		agent, err := db.FindAgent(ctx, f.agent)
		if err != nil {
			return sel, err
		}
		sel.Agent = agent.ID
	}
	return sel, nil
}

// find returns what is selected, with the first reports. If the source of a report is not known, the error says by what
// else reports can be selected.
func (f *selectionFlags) find(ctx context.Context, db *store.DB, sel store.Selection, n int) (store.Selected, error) {
	found, err := db.Select(ctx, sel, n)
	var fault *tocsin.Error
	if f.sameSource != "" && errors.As(err, &fault) && fault.Code == tocsin.Invalid {
		err = fmt.Errorf("%w. Select by other flags, such as -agent, -source, -text or -since", err)
	}
	return found, err
}
