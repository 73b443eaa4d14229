package main

import (
	"flag"
	"os/user"
	"unicode/utf8"

	"tocsin"
	"tocsin/internal/store"
)

// operatorFlags are the flags of commands that the log of acts shows.
type operatorFlags struct{ operator, reason string }

func (f *operatorFlags) register(set *flag.FlagSet) {
	set.StringVar(&f.operator, "operator", "", "your `NAME` for the log (default: your user name on this machine)")
	set.StringVar(&f.reason, "reason", "", "`WHY`, for the log; do not repeat the text of reports here")
}

// by returns who acts and why. Without -operator that is the user of the system:
// with sudo, the one who called it.
func (f *operatorFlags) by(e env) (store.Operator, error) {
	by := store.Operator{Name: tocsin.CleanText(f.operator), Reason: tocsin.CleanText(f.reason)}
	if utf8.RuneCountInString(by.Name) > 60 {
		return by, usage("-operator has more than 60 characters")
	}
	if utf8.RuneCountInString(by.Reason) > 500 {
		return by, usage("-reason has more than 500 characters")
	}
	if by.Name == "" {
		by.Name = systemUser(e)
	}
	return by, nil
}

// erases returns who erases for good, and why: with yes, a reason is needed.
func (f *operatorFlags) erases(e env, yes bool) (store.Operator, error) {
	by, err := f.by(e)
	if err == nil && yes && by.Reason == "" {
		err = usage("say why with -reason, for the log of acts; do not repeat there what is to be erased")
	}
	return by, err
}

// systemUser returns the name of who runs the program, "unknown" if the system does
// not say.
func systemUser(e env) string {
	if name, ok := e.lookup("SUDO_USER"); ok && name != "" {
		return tocsin.Shorten(tocsin.CleanText(name), 60)
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return tocsin.Shorten(tocsin.CleanText(u.Username), 60)
	}
	return "unknown"
}
