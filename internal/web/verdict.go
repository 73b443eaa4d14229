package web

import (
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
)

// verdict is a screening in words: what it comes to, the main reason, and the answers to three
// questions. It is made from the same data as the response of the API, and says no more.
type verdict struct {
	Title, Lead       string
	Found, Sure, ToDo message
}

// message is a heading, and a sentence or two.
type message struct{ Head, Text string }

// screening is the screening of a subject, with the evidence.
type screening struct {
	lang    *locale.Printer // that says it
	subject tocsin.Subject
	dossier *tocsin.Dossier
	tocsin.Screening
}

// riskLists returns the titles of the lists that name the subject as a risk.
func (sc screening) riskLists() (lists []string) {
	for _, l := range sc.Listings {
		if l.Kind == tocsin.Risk {
			lists = append(lists, listTitle(l.List))
		}
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

// goodListings returns the listings that name the subject as safe, or as a service where
// anybody can have a page.
func (sc screening) goodListings() (good []tocsin.Listing) {
	for _, l := range sc.Listings {
		if l.Kind != tocsin.Risk {
			good = append(good, l)
		}
	}
	return good
}

// isVouchedFor reports whether a safelist vouches for the subject itself, which no number of reports and lists ends.
func (sc screening) isVouchedFor() bool {
	return slices.ContainsFunc(sc.Listings, func(l tocsin.Listing) bool {
		return l.Vouches() && l.Subject == sc.subject
	})
}

// provenReporters counts the reporters of the subject whose reports lists have mostly confirmed.
func (sc screening) provenReporters() (n int) {
	for _, o := range sc.dossier.Reporters {
		if o.Proven(sc.AsOf.Std()) {
			n++
		}
	}
	return n
}

// say is a message in the visitor's language.
func (sc screening) say(head, text locale.Key, args ...any) message {
	return message{sc.lang.Text(head), sc.lang.Text(text, args...)}
}

// of is the sentence about an address or about a site, in the visitor's language.
func (sc screening) of(address, site locale.Key, args ...any) string {
	if sc.subject.IsAddress() {
		return sc.lang.Text(address, args...)
	}
	return sc.lang.Text(site, args...)
}

// verdict describes the screening.
func (sc screening) verdict() verdict {
	v := verdict{Lead: sc.reason(), Found: sc.foundText(), Sure: sc.confidenceText()}
	switch {
	case sc.KnownGood():
		v.knownGood(sc)
	case sc.RiskLevel == tocsin.Critical, sc.RiskLevel == tocsin.High:
		v.alarm(sc)
	case sc.RiskLevel == tocsin.Medium:
		switch sc.provenReporters() {
		case 0:
			v.Title = sc.of("Several reports warn of this address. Wait.", "Several reports warn of this site. Wait.")
		case 1:
			v.Title = sc.of("Somebody whose earlier reports were confirmed warns of this address. Wait.",
				"Somebody whose earlier reports were confirmed warns of this site. Wait.")
		default:
			v.Title = sc.of("Reporters whose earlier reports were confirmed warn of this address. Wait.",
				"Reporters whose earlier reports were confirmed warn of this site. Wait.")
		}
		v.ToDo = sc.say("Wait, and find out more",
			"Read the reports below. Ask somebody you trust, by voice, before you go on.")
	case sc.Safelisted && sc.Result == tocsin.Caution:
		v.Title = sc.of("This address is on a safelist, and somebody warns of it.",
			"This site is on a safelist, and somebody warns of it.")
		v.ToDo = sc.say("Read what is said against it",
			"Well-known names are imitated: make sure that this is the one that you mean.")
	case sc.Held:
		v.Title = sc.of("This address is well known. One list warns of it, and no other.",
			"This site is well known. One list warns of it, and no other.")
		v.ToDo = sc.say("Read what is said against it",
			"Lists name known sites by mistake, and fraudulent sites can become known. Wait until it is clear which this is.")
	case sc.RiskLevel == tocsin.Low && sc.ReportCount == 1:
		v.Title = sc.of("One person warns of this address. Nobody has confirmed it.",
			"One person warns of this site. Nobody has confirmed it.")
		v.ToDo = sc.say("Read it, and ask around",
			"A single report can be a mistake or a grudge. It can also be the first.")
	case sc.RiskLevel == tocsin.Low:
		v.Title = sc.of("A few reports warn of this address. Nobody has confirmed them.",
			"A few reports warn of this site. Nobody has confirmed them.")
		v.ToDo = sc.say("Read them, and ask around",
			"All of them may be by one person, so they weigh little, however many they are. They can still be right.")
	case sc.Result == tocsin.Caution: // a report names it without a score
		v.Title = sc.of("This address is named in a report that does not call it bad.",
			"This site is named in a report that does not call it bad.")
		v.ToDo = sc.say("Read the report", "It may be a victim's, or a part of the story. Decide for yourself.")
	default:
		v.Title = sc.of("Nobody has reported this address. That is not the same as safe.",
			"Nobody has reported this site. That is not the same as safe.")
		if chain := sc.subject.Chain(); chain != "" {
			v.Title = sc.lang.Text("Nobody has reported this %s address. That is not the same as safe.", sc.subject.ChainName())
		}
		v.ToDo = sc.say("Check it yourself", "Three checks that take a minute are below. Do them before you go on.")
	}
	return v
}

// alarm sets the words about a subject of level High or Critical.
func (v *verdict) alarm(sc screening) {
	critical := sc.RiskLevel == tocsin.Critical
	switch {
	case !sc.subject.IsAddress() && critical:
		v.Title = sc.lang.Text("Stay away from this site.")
		v.ToDo = sc.say("Close it, and connect nothing",
			"If you already have: take back what you approved, and move what is left to a new wallet.")
	case !sc.subject.IsAddress():
		v.Title = sc.lang.Text("Very likely a scam. Do not connect a wallet.")
		v.ToDo = sc.say("Close it, and connect nothing",
			"Never type a recovery phrase into a web page. No wallet maker asks for one.")
	case !critical:
		v.Title = sc.lang.Text("Very likely a scam. Do not send anything.")
		v.ToDo = sc.say("Send nothing", "If you already have: stop, keep the transaction hash, and tell your exchange.")
	default:
		v.Title = sc.lang.Text("Do not send anything to this address.")
		v.ToDo = sc.say("Send nothing, accept nothing",
			"If you already have: stop, keep the transaction hash, and tell your exchange.")
		if len(sc.Sanctions) > 0 {
			v.ToDo.Text = sc.lang.Text("If you already have: stop, keep the transaction hash, and tell your exchange. " +
				"In many countries such a payment is illegal.")
		}
	}
}

// reason is the evidence that counts most, in a sentence.
func (sc screening) reason() string {
	t, risky := sc.lang.Text, sc.riskLists()
	switch {
	case len(sc.Sanctions) > 0 && len(risky) > 0:
		return t("It is on a sanctions list (%s), and %s warns of it as well.", listTitle(sc.Sanctions[0].List), risky[0])
	case len(sc.Sanctions) > 0 && sc.ReportCount > 0:
		return t("It is on a sanctions list (%s), and %d reports name it.", listTitle(sc.Sanctions[0].List), sc.ReportCount)
	case len(sc.Sanctions) > 0:
		return t("It is on a sanctions list: %s.", listTitle(sc.Sanctions[0].List))
	case len(risky) > 0:
		return sc.listedText(risky)
	case sc.Result == tocsin.Caution && len(sc.Factors) < 2: // no sum says who reported it
		return strings.TrimSpace(t("No list names it.") + " " + sc.reportersText())
	case sc.Result == tocsin.Caution:
		return t("No list names it.")
	}
	return sc.of("Most scam addresses are days old and are reported after the damage. No warning does not mean safe.",
		"Most scam sites are days old and are reported after the damage. No warning does not mean safe.")
}

// listedText says which lists warn of the subject, and of what the first one does.
func (sc screening) listedText(risky []string) string {
	crime := ""
	for _, l := range sc.Listings {
		c := tocsin.CrimeType(l.Category)
		if l.Kind == tocsin.Risk && listTitle(l.List) == risky[0] && c != tocsin.OtherCrime {
			crime = crimeName(sc.lang, c)
			break
		}
	}
	switch more := len(risky) - 1; {
	case more == 0 && crime == "":
		return sc.lang.Text("%s warns of it.", risky[0])
	case more == 0:
		return sc.lang.Text("%s warns of it: %s.", risky[0], crime)
	case crime == "":
		return sc.lang.Text("%s and %d more lists warn of it.", risky[0], more)
	default:
		return sc.lang.Text("%s and %d more lists warn of it: %s.", risky[0], more, crime)
	}
}

// sources counts the sanctions and the lists that name the subject.
func (sc screening) sources() (parts []string) {
	if n := len(sc.Sanctions); n > 0 {
		parts = append(parts, sc.lang.Text("%d sanctions entries", n))
	}
	if n := len(sc.riskLists()); n > 0 {
		parts = append(parts, sc.lang.Text("%d lists", n))
	}
	return parts
}

// foundText says what is on record.
func (sc screening) foundText() message {
	parts := sc.sources()
	if sc.ReportCount > 0 {
		parts = append(parts, sc.lang.Text("%d reports", sc.ReportCount))
	}
	head, t := sc.lang.List(parts...), sc.lang.Text
	switch {
	case sc.KnownGood():
		return sc.say("Nothing against it", "No sanctions entry, no list of scams, no report.")
	case len(parts) == 0:
		return sc.say("Nothing", "No sanctions entry, no list, no report. No safelist knows it either.")
	case sc.ReportCount > 0:
		return message{head, sc.reportDates()}
	case len(sc.Factors) == 1 && len(sc.Sanctions) > 0:
		return message{head, t("One sanctions entry lifts any score to 100. Nobody has reported it here yet.")}
	case len(sc.Factors) == 1:
		return message{head, t("Being on a curated scam list counts most, after sanctions: %d points. "+
			"Nobody has reported it here yet.", sc.RiskScore)}
	}
	return message{head, t("Nobody has reported it here yet.")}
}

// reportDates says when the subject was reported last. Its line of time shows the others.
func (sc screening) reportDates() string {
	t, one := sc.lang.Text, sc.ReportCount == 1
	if sc.LastReportedAt == nil {
		if one {
			return t("The date of the report is unknown.")
		}
		return t("The dates of the reports are unknown.")
	}
	last := sc.lang.Day(sc.LastReportedAt.Std())
	switch {
	case one:
		return t("The report is of %s.", last)
	case sc.lang.Day(sc.FirstReportedAt.Std()) == last:
		return t("The reports are of %s.", last)
	}
	return t("The last report is of %s.", last)
}

// confidenceText says what the confidence means.
func (sc screening) confidenceText() message {
	switch {
	case len(sc.Sanctions) > 0:
		return sc.say("Very sure", "An authority has named it.")
	case sc.KnownGood():
		return sc.say("Known, not checked", "A list knows it. We have not examined it ourselves.")
	case sc.Result == tocsin.NoReports:
		return sc.say("We do not know",
			"The score is 0 because we have no evidence either way. It may be new, or imitate a known name.")
	case sc.Held && !sc.Safelisted:
		return sc.say("Sure that it is a known site", "One list warns of it, which for such sites is mostly a mistake.")
	case sc.Safelisted && sc.isVouchedFor():
		return message{sc.of("Sure that it is the known address", "Sure that it is the known site"),
			sc.lang.Text("What is said against it is probably a mistake.")}
	case sc.Safelisted:
		return sc.say("Sure that a safelist knows it", "What is said against it is not confirmed.")
	case sc.Confidence >= 0.95:
		return sc.say("Very sure", "Sources that do not copy each other agree.")
	case sc.Confidence >= 0.8:
		return sc.say("Sure", "A curated list or several proven reporters support it.")
	case sc.Confidence >= 0.4:
		return sc.say("Fairly sure", "There is some independent evidence, not much.")
	case sc.Confidence > 0:
		return sc.say("Not sure", "There is little independent evidence.")
	}
	return sc.say("Not at all", "No independent evidence supports it.")
}
