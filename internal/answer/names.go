package answer

import (
	"slices"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
)

// levelNames are the levels in words (docs/site.md).
var levelNames = map[tocsin.Level]locale.Key{
	tocsin.Clean:    "No reports",
	tocsin.Low:      "Low",
	tocsin.Medium:   "Medium",
	tocsin.High:     "High",
	tocsin.Critical: "Critical",
}

// LevelName is the name of a level.
func LevelName(l tocsin.Level) locale.Key { return levelNames[l] }

// WordOf is the name of the level of a result. That of the lowest level would be wrong of what a report names.
func WordOf(l tocsin.Level, r tocsin.Result) locale.Key {
	if l == tocsin.Clean && r == tocsin.Caution {
		return "Review"
	}
	return LevelName(l)
}

// whatToDo is what to do with a subject of a level, for somebody who screens many.
var whatToDo = map[tocsin.Level]locale.Key{
	tocsin.Critical: "Do not pay. Block it, and keep the page of its answer, which has the reasons.",
	tocsin.High:     "Do not pay. Block it unless somebody who knows the case has read the reasons.",
	tocsin.Medium:   "Hold it until somebody has read the reasons.",
	tocsin.Low:      "Read the reasons. Nobody has confirmed the warning.",
	tocsin.Clean:    "Nobody warns of it, which is not the same as safe. Your other checks go on.",
}

// WhatToDo is what to do with a subject of a level, for somebody who screens many.
func WhatToDo(l tocsin.Level) locale.Key { return whatToDo[l] }

// ToDo is what to do with the subject, for somebody who screens many.
func (a Answer) ToDo() string {
	switch {
	case a.Misplaced():
		return toKnownAccount(a, a.Unpayable).Head
	case a.OneOff():
		return a.Lang.Text(compareAgain)
	case a.Unsettled():
		return a.Lang.Text(a.beforeUnblocking())
	case a.KnownGood() && !a.Shared:
		return a.Lang.Text("A list knows it, and nobody warns of it. Your other checks go on.")
	case a.Registry() && a.RiskLevel == tocsin.Clean:
		return a.Lang.Text("Look up the full name of the site. Your other checks go on.")
	case a.Shared && a.RiskLevel == tocsin.Clean:
		return a.Lang.Text("Find out whose page it is: anyone can have one there. Your other checks go on.")
	case slices.ContainsFunc(a.Holds(), func(h Hold) bool { return h.Own && h.Vouches }):
		return a.Lang.Text("The operator of this service has accepted it: it is on the operator’s own safelist.")
	case a.NamedOnly() && a.Safelisted:
		return a.Lang.Text("A list knows it, and a report names it. Read the report before you go on.")
	case a.NamedOnly():
		return a.Lang.Text("A report names it, without calling it bad. Read the report before you go on.")
	}
	return a.Lang.Text(WhatToDo(a.RiskLevel))
}

// CrimeName is the name of a crime type.
func CrimeName(p *locale.Printer, c tocsin.CrimeType) string { return p.Text(locale.Key(c.Name())) }

// RiskName is what a list warns of, by the category of its listing: mostly a crime.
func RiskName(p *locale.Printer, category string) string {
	if category == tocsin.Frozen {
		return p.Text("Label “blocked”: the issuer of USDC or USDT has frozen it")
	}
	return CrimeName(p, tocsin.CrimeType(category))
}

// ListTitle is the title of a list in the visitor's language; a list of the operator goes by its name.
func ListTitle(p *locale.Printer, name string) string {
	title := feed.Title(name)
	if title == name {
		return name
	}
	return p.Text(locale.Key(title))
}

// ListTitles are the titles of lists.
func ListTitles(p *locale.Printer, names []string) (titles []string) {
	for _, name := range names {
		titles = append(titles, ListTitle(p, name))
	}
	return titles
}

// SafelistTitles are the titles of the lists that vouch for subjects or know them, and never warn.
func SafelistTitles(p *locale.Printer) []string { return ListTitles(p, feed.Safelists()) }

// CrimeDescription is a crime type in the words of a victim.
func CrimeDescription(p *locale.Printer, c tocsin.CrimeType) string {
	return p.Text(locale.Key(c.Description()))
}
