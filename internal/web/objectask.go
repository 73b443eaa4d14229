package web

import (
	"cmp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/feed"
)

// at returns the objection with the ways to the list, which have the letter filled in.
func (o objection) at(source feed.Source) objection {
	if o.List == feed.Unkept {
		return o
	}
	name, letter := o.entry(), o.Letter()
	title := "Removal request: " + name
	o.Said = source.Discussions(name)
	o.URL, o.Form = source.Objections(), source.NewObjection(name, title, letter)
	if mailbox := source.Mailbox(); mailbox != "" {
		o.Mail, _ = contactAbout("mailto:"+mailbox, title, strings.ReplaceAll(letter, "\n", "\r\n"))
	}
	return o
}

// Discussed reports whether what was written about the subject can be read at one of its lists.
func (p objectPage) Discussed() bool {
	return slices.ContainsFunc(p.Lists, func(o objection) bool { return o.Said != "" })
}

// FilledIn reports whether a link to one of its lists has the letter filled in.
func (p objectPage) FilledIn() bool {
	return slices.ContainsFunc(p.Lists, func(o objection) bool { return o.Form+o.Mail != "" })
}

// entry is the entry of the list that speaks against the subject.
func (o objection) entry() string { return cmp.Or(o.Entry, o.Names.Plain()) }

// GitHub reports whether objections are public, and need an account at GitHub.
func (o objection) GitHub() bool { return strings.HasPrefix(o.URL, "https://github.com/") }

// Letter is what an owner writes to the list, in English, which those who keep lists read. The owner fills in the rest.
func (o objection) Letter() string {
	if o.Kind == tocsin.Sanction {
		return "Please remove " + o.entry() + " from the entry of " + o.Name + " on the list." +
			"\nProgramme: " + o.Program + "\nDate of the listing: " + o.since("[date]") +
			"\nWho I am: [name and address]\nWhy the listing should end: [reasons, and documents that show them]\n"
	}
	if o.Kind == "" { // it is not known whether the list has it
		return "A warning about " + o.entry() + " names your list as its source: [which wallet or browser, and when]" +
			"\nPlease remove " + o.entry() + " if it is on your list.\nWhat it is: [what it is for, and a link that shows it]\n"
	}
	since, shown := "", "a message signed with the address: [signature]"
	if o.Since != nil {
		since = "\nListed: since " + o.since("")
	}
	wrong := "[why the entry is a mistake, and a link that shows it]"
	if !o.Names.IsAddress() {
		wrong = "[why the entry is a mistake; or: the site was broken into, and what was cleaned and when; " +
			"or: since when the name is mine; and a link that shows it]"
	}
	if o.Entry+o.Host != "" {
		shown = "a file or a text on the page, with words that you choose: [where]"
	} else if !o.Names.IsAddress() {
		shown = "a DNS TXT record of " + o.Names.Value + ", or a file on the site, with a text that you choose: [where]"
	}
	return "Please remove " + o.entry() + " from your list." + since +
		"\nWhat is wrong: " + wrong + "\nHow I show that it is mine: " + shown + "\n"
}

// since is the day of the entry in English, or another text if it is unknown.
func (o objection) since(unknown string) string {
	if o.Since == nil {
		return unknown
	}
	return day(*o.Since)
}
