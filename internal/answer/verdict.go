package answer

import (
	"slices"

	"tocsin"
	"tocsin/internal/locale"
)

// Verdict is a screening in words: what it comes to, the main reason, and the answers to three questions.
type Verdict struct {
	Title, Lead       string
	Found, Sure, ToDo Message
}

// Message is a heading, and a sentence or two.
type Message struct{ Head, Text string }

// Verdict returns the answer in words.
func (a Answer) Verdict() Verdict {
	v := Verdict{Lead: a.reason(), Found: a.foundText(), Sure: a.confidenceText()}
	switch {
	case a.LeadsOn() && a.Result == tocsin.NoReports:
		v.leadsOn(a)
	case a.KnownGood():
		v.knownGood(a)
	case a.RiskLevel == tocsin.Critical, a.RiskLevel == tocsin.High:
		v.alarm(a)
	case a.Suspicious() && a.Subject.IsAddress():
		v.imitation(a)
	case a.Suspicious():
		v.suspicious(a)
	case a.RiskLevel == tocsin.Medium && a.liftedByDigits():
		v.Title = a.Lang.Text("Somebody warns of this address, and it looks like another one. Wait.")
		v.ToDo = a.say("Wait, and find out more",
			"Read the reports below. Ask somebody you trust, by voice, before you go on.")
	case a.RiskLevel == tocsin.Medium && a.liftedByName():
		v.Title = a.Lang.Text("Somebody warns of this site, and its name looks like those of scams. Wait.")
		v.ToDo = a.say("Wait, and find out more",
			"Read the reports below. Ask somebody you trust, by voice, before you go on.")
	case a.RiskLevel == tocsin.Medium:
		switch a.provenReporters() {
		case 0:
			v.Title = a.of("Several reports warn of this address. Wait.", "Several reports warn of this site. Wait.")
		case 1:
			v.Title = a.of("Somebody whose earlier reports were confirmed warns of this address. Wait.",
				"Somebody whose earlier reports were confirmed warns of this site. Wait.")
		default:
			v.Title = a.of("Reporters whose earlier reports were confirmed warn of this address. Wait.",
				"Reporters whose earlier reports were confirmed warn of this site. Wait.")
		}
		v.ToDo = a.say("Wait, and find out more",
			"Read the reports below. Ask somebody you trust, by voice, before you go on.")
	case a.Safelisted && a.Result == tocsin.Caution && a.underReview():
		v.Title = a.of("Somebody warns of this address. The operator looks into an objection.",
			"Somebody warns of this site. The operator looks into an objection.")
		v.ToDo = a.say("Read what is said against it", "Nothing has been decided. Wait until it is.")
	case a.Safelisted && a.Result == tocsin.Caution:
		v.Title = a.of("This address is on a safelist, and somebody warns of it.",
			"This site is on a safelist, and somebody warns of it.")
		v.ToDo = a.say("Read what is said against it",
			"Well-known names are imitated: make sure that this is the one that you mean.")
	case a.Held:
		v.Title = a.of("This address is well known. One list warns of it, and no other.",
			"This site is well known. One list warns of it, and no other.")
		v.ToDo = a.say("Read what is said against it",
			"Lists name known sites by mistake, and fraudulent sites can become known. Wait until it is clear which this is.")
	case a.RiskLevel == tocsin.Low && a.ReportCount == 1:
		v.Title = a.of("One person warns of this address. Nobody has confirmed it.",
			"One person warns of this site. Nobody has confirmed it.")
		v.ToDo = Message{a.of("Send nothing before you have read it", "Pay nothing before you have read it"),
			a.Lang.Text("Ask around, too. A single report can be a mistake or a grudge. It can also be the first.")}
	case a.RiskLevel == tocsin.Low:
		v.Title = a.of("A few reports warn of this address. Nobody has confirmed them.",
			"A few reports warn of this site. Nobody has confirmed them.")
		v.ToDo = Message{a.of("Send nothing before you have read them", "Pay nothing before you have read them"),
			a.Lang.Text("Ask around, too. All of them may be by one person, so they weigh little, however many they are. " +
				"They can still be right.")}
	case a.Result == tocsin.Caution: // a report names it without a score
		v.Title = a.of("This address is named in a report that does not call it bad.",
			"This site is named in a report that does not call it bad.")
		v.ToDo = a.say("Read the report", "It may be a victim's, or a part of the story. Decide for yourself.")
	default:
		v.Title = a.of("Nobody has reported this address. That is not the same as safe.",
			"Nobody has reported this site. That is not the same as safe.")
		if chain := a.Subject.Chain(); chain != "" {
			v.Title = a.Lang.Text("Nobody has reported this %s address. That is not the same as safe.", a.Subject.ChainName())
		}
		if a.Lapsed {
			v.Title = a.Lang.Text("Nothing on record warns of it now. That is not the same as safe.")
		}
		v.ToDo = a.say("Check it yourself", "Checks that take a minute are below. Do them before you go on.")
		switch known := a.knownElsewhere(); {
		case known != "":
			v.namesake(a, known)
		case a.NameFindings != nil && a.SameWord != "":
			v.ToDo.Text = a.Lang.Text("If you want %s, type its name. Other checks that take a minute are below.", a.SameWord)
		case a.Resembled() != nil: // one that lists warn of: either may be the honest one
			v.ToDo = a.say("Send nothing yet", compareAgain)
		}
	}
	if check := a.beforeUnblocking(); check != "" && !a.Misplaced() {
		v.ToDo = a.say("Check it elsewhere", check)
	}
	return v
}

// alarm sets the words about a subject of level High or Critical.
func (v *Verdict) alarm(a Answer) {
	critical := a.RiskLevel == tocsin.Critical
	switch {
	case !a.Subject.IsAddress() && critical:
		v.Title = a.Lang.Text("Stay away from this site.")
		v.ToDo = a.say("Close it: pay nothing, connect nothing",
			"If you gave it your card: call your bank today. If you connected a wallet: take back what you approved, and move "+
				"what is left to a new wallet.")
	case !a.Subject.IsAddress():
		v.Title = a.warning()
		v.ToDo = a.say("Close it: pay nothing, connect nothing",
			"Give it neither your card nor a password. Never type a recovery phrase into a web page: no wallet maker asks for "+
				"one.")
	case !critical:
		v.Title = a.warning()
		v.ToDo = a.say("Send nothing", "If you already have: stop, keep the transaction hash, and tell your exchange.")
	default:
		v.Title = a.Lang.Text("Do not send anything to this address.")
		v.ToDo = a.say("Send nothing, accept nothing",
			"If you already have: stop, keep the transaction hash, and tell your exchange.")
		if len(a.Sanctions) > 0 {
			v.ToDo.Text = a.Lang.Text("If you already have: stop, keep the transaction hash, and tell your exchange. " +
				"In many countries such a payment is illegal.")
		}
	}
	if a.SignsIn() {
		v.ToDo.Head = a.Lang.Text("Close it: do not log in, and pay nothing")
	}
	if a.Unconfirmed() { // it is checked first
		v.ToDo = Message{a.of("Send nothing yet", "Pay nothing yet, connect nothing"),
			a.of("Ask the person for the address again, by voice. If you have never met them, stop here.",
				"Close it, unless you came by a bookmark of your own. If somebody sent you the link, stop here.")}
		if a.SignsIn() {
			v.ToDo.Head = a.Lang.Text("Pay nothing yet, do not log in")
		}
	}
}

// warning is the headline at level High: whose warning it is, since no other source confirms it, and what to do.
func (a Answer) warning() string {
	site := locale.Key("Pay nothing, and connect no wallet.")
	if a.SignsIn() {
		site = "Do not log in, and pay nothing."
	}
	stop := a.of("Do not send anything.", site)
	if a.Unconfirmed() {
		site = "Before you have checked, pay nothing and connect no wallet."
		if a.SignsIn() {
			site = "Before you have checked, pay nothing and do not log in."
		}
		stop = a.of("Send nothing before you have checked.", site)
	}
	return a.Lang.Sentences(a.claim(), stop)
}

// claim says whose warning it is, as it is meant.
func (a Answer) claim() string {
	speaks := a.speaking()
	switch {
	case a.onlyUnkept():
		return a.of("One old list warns of this address.", "One old list warns of this site.")
	case a.onlyOwn():
		return a.of("The operator of this service warns of this address.", "The operator of this service warns of this site.")
	case a.onlyFrozen():
		return a.Lang.Text("A list names this address as frozen by the issuer of a stablecoin.")
	case a.onlyUnsaid():
		return a.of("A list warns of this address, without saying why.", "A list warns of this site, without saying why.")
	case speaks == nil:
		return a.of("Reporters whose earlier reports were confirmed warn of this address.",
			"Reporters whose earlier reports were confirmed warn of this site.")
	case slices.Contains(noScams, speaks.Category):
		return a.of("%s warns of this address.", "%s warns of this site.", ListTitle(a.Lang, speaks.List))
	}
	return a.of("%s calls this address fraudulent.", "%s calls this site a scam.", ListTitle(a.Lang, speaks.List))
}

// noScams are the categories that are no fraud of those who pay, or not certainly.
var noScams = []string{string(tocsin.Hack), string(tocsin.Ransomware), string(tocsin.MoneyLaundering),
	string(tocsin.OtherCrime), tocsin.Frozen}

// reason is the evidence that counts most, in a sentence.
func (a Answer) reason() string {
	t, risky := a.Lang.Text, a.riskLists()
	sanctions := ""
	if len(a.Sanctions) > 0 {
		sanctions = ListTitle(a.Lang, a.Sanctions[0].List)
	}
	switch {
	case len(a.Sanctions) > 0 && len(risky) > 0:
		return t("It is on a sanctions list (%s), and %s warns of it as well.", sanctions, risky[0])
	case len(a.Sanctions) > 0 && a.ReportCount > 0:
		return t("It is on a sanctions list (%s), and %d reports name it.", sanctions, a.ReportCount)
	case len(a.Sanctions) > 0:
		return t("It is on a sanctions list: %s.", sanctions)
	case len(risky) > 0:
		if speaks := a.speaking(); speaks != nil { // the title names it
			first := ListTitle(a.Lang, speaks.List)
			risky = append([]string{first}, slices.DeleteFunc(risky, func(other string) bool { return other == first })...)
		}
		return a.listedText(risky)
	case a.Result == tocsin.Caution && len(a.summed()) < 2: // no sum says who reported it
		return a.Lang.Sentences(t("No list names it."), a.reportersText())
	case a.Result == tocsin.Caution:
		return t("No list names it.")
	case a.OneOff():
		return t("This is a suspicion by the characters alone: all but one are the same.")
	case a.Suspicious() && a.Subject.IsAddress():
		return t("This is a suspicion by the digits alone: the beginning and the end are the same.")
	case a.SuspiciousAsNew():
		return t("This is a suspicion by the name and the age of the site. Nobody has looked at the site itself.")
	case a.Suspicious():
		return t("This is a suspicion by the name alone. Nobody has looked at the site itself.")
	}
	return a.of("Most scam addresses are days old and are reported after the damage. No warning does not mean safe.",
		"Most scam sites are days old and are reported after the damage. No warning does not mean safe.")
}

// listedText says which lists warn of the subject, and of what the first one does.
func (a Answer) listedText(risky []string) string {
	crime := ""
	for _, l := range a.Listings {
		if l.Kind == tocsin.Risk && ListTitle(a.Lang, l.List) == risky[0] && l.Category != string(tocsin.OtherCrime) {
			crime = RiskName(a.Lang, l.Category)
			break
		}
	}
	switch more := len(risky) - 1; {
	case more == 0 && crime == "":
		return a.Lang.Text("%s warns of it.", risky[0])
	case more == 0:
		return a.Lang.Text("%s warns of it: %s.", risky[0], crime)
	case crime == "":
		return a.Lang.Text("%s and %d more lists warn of it.", risky[0], more)
	default:
		return a.Lang.Text("%s and %d more lists warn of it: %s.", risky[0], more, crime)
	}
}

// sources counts the sanctions and the lists that name the subject.
func (a Answer) sources() (parts []string) {
	if n := len(a.Sanctions); n > 0 {
		parts = append(parts, a.Lang.Text("%d sanctions entries", n))
	}
	if n := len(a.riskLists()); n > 0 {
		parts = append(parts, a.Lang.Text("%d lists", n))
	}
	return parts
}

// Layers are the kinds of evidence against a subject, from the weakest to the strongest.
type Layers struct{ Reports, Lists, Sanctions bool }

// Layers says which of them there are.
func (a Answer) Layers() Layers {
	return Layers{Reports: a.ReportCount > 0, Lists: len(a.riskLists()) > 0, Sanctions: len(a.Sanctions) > 0}
}

// foundText says what is on record.
func (a Answer) foundText() Message {
	parts := a.sources()
	if a.ReportCount > 0 {
		parts = append(parts, a.Lang.Text("%d reports", a.ReportCount))
	}
	head, t := a.Lang.List(parts...), a.Lang.Text
	switch {
	case len(parts) == 0 && len(a.Namesakes) > 0:
		return Message{t("The name of a sanctioned party"), a.Lang.Sentences(t("%s.", PartyText(a.Lang, a.Namesakes[0])),
			t("Accounts are compared with sanctions lists, websites are not."), t("No list of scams and no report names it."))}
	case a.Misplaced():
		return a.say("No warning of fraud",
			"No sanctions entry, no list of scams, no report. What is sent to it is lost all the same.")
	case a.KnownGood():
		return a.say("Nothing against it", "No sanctions entry, no list of scams, no report.")
	case len(parts) == 0 && a.Suspicious() && !a.looksAlike():
		return a.say("A suspicious name, nothing else",
			"No sanctions entry, no list, no report. No safelist knows it either.")
	case len(parts) == 0 && a.Suspicious():
		return a.say("A look-alike, nothing else",
			"No sanctions entry, no list, no report. No safelist knows it either.")
	case len(parts) == 0:
		return a.say("Nothing", "No sanctions entry, no list, no report. No safelist knows it either.")
	case a.ReportCount > 0:
		return Message{head, a.reportDates()}
	case len(a.summed()) == 1 && len(a.Sanctions) > 0:
		return Message{head, t("One sanctions entry lifts any score to 100. Nobody has reported it here yet.")}
	case len(a.summed()) == 1 && a.onlyUnsaid():
		return Message{head, t("A list that warns counts most, after sanctions: %d points. "+
			"Nobody has reported it here yet.", a.RiskScore)}
	case len(a.summed()) == 1:
		return Message{head, t("Being on a list of scams counts most, after sanctions: %d points. "+
			"Nobody has reported it here yet.", a.RiskScore)}
	}
	return Message{head, t("Nobody has reported it here yet.")}
}

// reportDates says when the subject was reported last. Its line of time shows the others.
func (a Answer) reportDates() string {
	t, one := a.Lang.Text, a.ReportCount == 1
	if a.LastReportedAt == nil {
		if one {
			return t("The date of the report is unknown.")
		}
		return t("The dates of the reports are unknown.")
	}
	last := a.Lang.Day(a.LastReportedAt.Std())
	switch {
	case one:
		return t("The report is of %s.", last)
	case a.Lang.Day(a.FirstReportedAt.Std()) == last:
		return t("The reports are of %s.", last)
	}
	return t("The last report is of %s.", last)
}

// confidenceText says what the confidence means.
func (a Answer) confidenceText() Message {
	switch {
	case len(a.Sanctions) > 0:
		return a.say("Very sure", "An authority has named it.")
	case a.underReview():
		return Message{a.Lang.Text("Under review"), a.undecided()}
	case a.KnownGood() && a.isVouchedFor() && a.byOperator():
		return a.say("Checked by the operator", "The operator of this service vouches for it. Nobody else has checked it.")
	case a.KnownGood():
		return a.say("Known, not checked", "A list knows it. We have not examined it ourselves.")
	case a.Result == tocsin.NoReports && a.Lapsed: // a suspicion would be all that is left of what was taken back
		return a.say("We do not know", "Nothing is on record, for it or against it.")
	case a.Result == tocsin.NoReports:
		return Message{a.Lang.Text("We do not know"),
			a.of("The score is 0 because we have no evidence either way. It may be new, or imitate a known address.",
				"The score is 0 because we have no evidence either way. It may be new, or imitate a known name.")}
	case a.Suspicious() && a.Subject.IsAddress():
		return a.say("A suspicion", "Only its digits speak against it. Two addresses are seldom so alike by chance.")
	case a.SuspiciousAsNew():
		return a.say("A suspicion", "Only the name and the age of the site speak against it. Every honest site was new once.")
	case a.Suspicious():
		return a.say("A suspicion", "Only the name speaks against it. Seldom, but now and then, an honest site is suspected.")
	case a.Held && !a.Safelisted:
		return a.say("Sure that it is a known site", "One list warns of it, which for such sites is mostly a mistake.")
	case a.Safelisted && a.isVouchedFor() && a.byOperator():
		return a.say("The operator vouches for it",
			"The operator of this service has checked it, so what is said against it is probably a mistake.")
	case a.Safelisted && a.isVouchedFor():
		return Message{a.of("Sure that it is the known address", "Sure that it is the known site"),
			a.Lang.Text("What is said against it is probably a mistake.")}
	case a.Safelisted:
		return a.say("Sure that a safelist knows it", "What is said against it is not confirmed.")
	case a.onlyUnkept() && a.Listings[0].Since == nil:
		return a.doubted("Not sure", "One list says so. Nobody keeps it any more, and the entry has no date.")
	case a.onlyUnkept():
		return a.doubted("Not sure", "One list says so, and nobody keeps it any more.")
	case a.onlyOwn():
		return a.doubted("Not confirmed", "No list but the operator’s own names it.")
	case a.Confidence >= 0.95 && a.mayHaveOneSource():
		return a.say("Sure", "Lists that are made separately name it. We do not know whether they had it from one source.")
	case a.Confidence >= 0.95:
		return a.say("Very sure", "Sources that do not copy each other agree.")
	case a.Confidence >= 0.8 && a.onlyFrozen():
		return a.say("Sure",
			"A list copies the label from a block explorer. Why the issuer froze it, the label does not say.")
	case a.Confidence >= 0.8:
		return a.say("Sure", "A curated list or several proven reporters support it.")
	case a.Confidence >= 0.4:
		return a.say("Fairly sure", "There is some independent evidence, not much.")
	case a.Confidence > 0:
		return a.say("Not sure", "There is little independent evidence.")
	}
	return a.say("Not at all", "No independent evidence supports it.")
}

// doubted says how sure an answer is that only such a list supports, and perhaps reports.
func (a Answer) doubted(head, text locale.Key) Message {
	m := a.say(head, text)
	if len(a.Dossier.Reporters) > 0 {
		m.Text = a.Lang.Sentences(m.Text, a.Lang.Text("Nobody has confirmed what was reported here."))
	}
	return m
}
