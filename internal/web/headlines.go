package web

import (
	"cmp"
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// headlines says what matters of a text, the worst first. The last may be no more than what the text is.
func (v severalPage) headlines(p *locale.Printer, parts []paste.Part) (all []string) {
	of := func(role paste.Role) int {
		return slices.IndexFunc(parts, func(part paste.Part) bool { return part.Role == role })
	}
	add := func(is bool, headline string) {
		if is {
			all = append(all, headline)
		}
	}
	spender, behind, named := of(paste.Spender), of(paste.Behind), 0
	for _, h := range v.Handles {
		if h.Found > 0 {
			named++
		}
	}
	reported, _ := v.among("", func(a answer.Answer) bool { return a.ReportCount > 0 })
	alarms, _ := v.among("", answer.Answer.Alarm)
	add(alarms > 0, v.alarmText(p))
	add(v.Lure != "", v.Lure)
	mistake := v.mistakeText(p, parts)
	add(mistake != "", mistake)
	if behind >= 0 {
		to := cmp.Or(parts[behind].Subject.Value, tocsin.Shorten(parts[behind].Text, 80))
		add(true, p.Text("This link shows %s but leads to %s. Do not open it.", defang(parts[behind].Shown), defang(to)))
	}
	lost := v.lostText(p)
	add(lost != "", lost)
	add(v.Alike != nil, p.Text("Two of these addresses look alike. Send nothing."))
	wrong := v.wrongChain(p, parts)
	add(wrong != "", wrong)
	add(spender >= 0 && v.endless(parts[spender].Asked), p.Text("It asks for all of your tokens of a kind, without "+
		"limit. A payment does not need this: refuse."))
	doubts := v.doubtText(p)
	add(doubts != "", doubts)
	add(named > 0 && len(v.Cards) > 0, p.Text("Reports name %d of these. Send nothing yet.", named+reported))
	switch {
	case len(all) > 0:
	case spender >= 0:
		add(true, p.Text("This asks for access to your tokens. A payment does not need this: refuse."))
	case v.Pays && v.Payless && slices.ContainsFunc(parts, needsLead):
		add(true, p.Text("This asks you to pay. We cannot tell whom."))
	case v.Pays && v.payment(p, parts) != "":
		add(true, p.Text("This asks you to pay"))
	}
	return all
}

// summary says how many were looked up and what speaks against them, or of one alone what its answer says; "" if none
// was.
func (v severalPage) summary(p *locale.Printer) string {
	all, against, title := 0, 0, ""
	for _, c := range v.Cards {
		if c.Answer != nil {
			all++
			title = c.Verdict.Title
		}
		if c.Answer != nil && (c.Answer.Result != tocsin.NoReports || c.Heed()) {
			against++
		}
	}
	switch {
	case all < 2:
		return title
	case against == 0:
		return p.Sentences(p.Text("%d addresses and websites were looked up.", all),
			p.Text("Nobody warns of these. That is not the same as safe."))
	}
	return p.Sentences(p.Text("%d addresses and websites were looked up.", all),
		p.Text("Something speaks against %d of them.", against))
}

// among counts the cards of which something holds, and reports whether one of them is of a role.
func (v severalPage) among(role paste.Role, holds func(answer.Answer) bool) (n int, has bool) {
	for _, c := range v.Cards {
		if c.Answer != nil && holds(*c.Answer) {
			n++
			has = has || c.part.Role == role
		}
	}
	return n, has
}

// Alarm reports whether one of the answers is an alarm, or is about an account that was meant.
func (v severalPage) Alarm() bool {
	return v.hasAlarm() || slices.ContainsFunc(v.Unread, func(u unreadPart) bool { return u.Alarm != nil })
}

// hasAlarm reports whether one of the answers is an alarm.
func (v severalPage) hasAlarm() bool {
	n, _ := v.among("", answer.Answer.Alarm)
	return n > 0
}

// mistakeText says that an address has a mistake; "" if none has.
func (v severalPage) mistakeText(p *locale.Printer, parts []paste.Part) string {
	payee := slices.IndexFunc(parts, func(part paste.Part) bool {
		return part.Role == paste.Recipient && part.Problem != nil && mistypedTitle(p, *part.Problem) != ""
	})
	switch {
	case slices.ContainsFunc(v.Unread, func(u unreadPart) bool { return u.Sanctioned() }):
		return p.Text("Do not send: written correctly, an address in this is sanctioned.")
	case payee >= 0:
		return mistypedTitle(p, *parts[payee].Problem)
	case slices.ContainsFunc(v.Unread, func(u unreadPart) bool { return u.wrong }):
		return p.Text("Do not send: an address in this is wrong.")
	}
	return ""
}

// alarmText says what we warn of.
func (v severalPage) alarmText(p *locale.Printer) string {
	n, payee := v.among(paste.Recipient, answer.Answer.Alarm)
	_, spender := v.among(paste.Spender, answer.Answer.Alarm)
	switch {
	case payee:
		return p.Text("Stop: do not pay. We warn of who would get the money.")
	case spender:
		return p.Text("Stop: refuse. We warn of who could take your tokens.")
	}
	lesser, _ := v.among("", v.countsAsAlarm)
	return p.Text("Stop: we warn of %d of these.", n+lesser)
}

// countsAsAlarm reports whether an answer is Medium and counts in the headline about alarms: there are some, and we do
// not warn of who would get the money or could take tokens, which is a headline of its own.
func (v severalPage) countsAsAlarm(a answer.Answer) bool {
	warned := func(a answer.Answer) bool { return a.Alarm() || a.RiskLevel == tocsin.Medium }
	_, payee := v.among(paste.Recipient, warned)
	_, spender := v.among(paste.Spender, warned)
	return a.RiskLevel == tocsin.Medium && v.hasAlarm() && !payee && !spender
}

// lostText says that the money would go where nobody can take it out again; "" if not.
func (v severalPage) lostText(p *locale.Printer) string {
	to := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Recipient && c.Heed() })
	beside := slices.IndexFunc(v.Cards, severalCard.Heed)
	switch {
	case beside < 0:
		return ""
	case to < 0 && v.Cards[beside].Answer.Unpayable == tocsin.BurnAddress:
		return p.Text("Do not send to one of these: nobody holds the key to it.")
	case to < 0:
		return p.Text("Do not send to one of these: it is the contract of a token.")
	case v.Cards[to].Answer.Unpayable == tocsin.BurnAddress:
		return p.Text("Stop: the money would go to an address to which nobody holds the key.")
	}
	return p.Text("Stop: the money would go to the contract of a token.")
}

// doubtText says what less than an alarm speaks against; "" for nothing.
func (v severalPage) doubtText(p *locale.Printer) string {
	doubtful := func(a answer.Answer) bool {
		return !a.Alarm() && !v.countsAsAlarm(a) && a.Result != tocsin.NoReports
	}
	switch n, payee := v.among(paste.Recipient, doubtful); {
	case payee:
		return p.Text("Wait: something speaks against who would get the money.")
	case n > 0:
		return p.Text("Wait: something speaks against %d of these.", n)
	}
	return ""
}

// lead says more about it: what else matters, and what it means.
func (v severalPage) lead(p *locale.Printer, parts []paste.Part, headlines []string) string {
	said := headlines[min(1, len(headlines)):]
	if slices.ContainsFunc(parts, func(part paste.Part) bool { return part.Role == paste.Behind }) {
		said = append(said, p.Text("What is before the @ in a link is not the site. It is a name to sign in with, and can "+
			"be any."))
	}
	if v.Alike != nil {
		said = append(said, p.Text("They begin and end alike, and are not the same. Thieves make such addresses, so that "+
			"somebody copies the wrong one. Take the right one from where you first had it, not from a history of transfers."))
	}
	onward := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Onward })
	if onward >= 0 && len(headlines) > 0 {
		said = append(said, p.Text("%s.", p.Text("This link leads on to %s", short(v.Cards[onward].Subject))))
	}
	if asks := v.payment(p, parts); asks != "" {
		said = append(said, asks)
	}
	return p.Sentences(said...)
}
