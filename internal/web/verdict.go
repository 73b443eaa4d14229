package web

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

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

// noun is "site", "address", or "Bitcoin address" of an account that is of one chain.
func (sc screening) noun() string {
	switch {
	case !sc.subject.IsAddress():
		return "site"
	case sc.subject.Chain() != "":
		return sc.subject.ChainName() + " address"
	}
	return "address"
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

// verdict describes the screening.
func (sc screening) verdict() verdict {
	thing := sc.noun()
	v := verdict{Lead: sc.reason(), Found: sc.foundText(), Sure: sc.confidenceText()}
	switch {
	case sc.RiskLevel == tocsin.Critical && !sc.subject.IsAddress():
		v.Title = "Stay away from this site."
		v.ToDo = message{"Close it, and connect nothing",
			"If you already have: take back what you approved, and move what is left to a new wallet."}
	case sc.RiskLevel == tocsin.Critical:
		v.Title = "Do not send anything to this address."
		v.ToDo = message{"Send nothing, accept nothing",
			"If you already have: stop, keep the transaction hash, and tell your exchange."}
		if len(sc.Sanctions) > 0 {
			v.ToDo.Text += " In many countries such a payment is illegal."
		}
	case sc.RiskLevel == tocsin.High && !sc.subject.IsAddress():
		v.Title = "Very likely a scam. Do not connect a wallet."
		v.ToDo = message{"Close it, and connect nothing",
			"Never type a recovery phrase into a web page. No wallet maker asks for one."}
	case sc.RiskLevel == tocsin.High:
		v.Title = "Very likely a scam. Do not send anything."
		v.ToDo = message{"Send nothing", "If you already have: stop, keep the transaction hash, and tell your exchange."}
	case sc.RiskLevel == tocsin.Medium:
		switch sc.provenReporters() {
		case 0:
			v.Title = "Several reports warn of this " + thing + ". Wait."
		case 1:
			v.Title = "Somebody whose earlier reports were confirmed warns of this " + thing + ". Wait."
		default:
			v.Title = "Reporters whose earlier reports were confirmed warn of this " + thing + ". Wait."
		}
		v.ToDo = message{"Wait, and find out more",
			"Read the reports below. Ask somebody you trust, by voice, before you go on."}
	case sc.Safelisted && sc.Result == tocsin.Caution:
		v.Title = fmt.Sprintf("This %s is on a safelist, and somebody warns of it.", thing)
		v.ToDo = message{"Read what is said against it",
			"Well-known names are imitated: make sure that this is the one that you mean."}
	case sc.Held:
		v.Title = fmt.Sprintf("This %s is well known. One list warns of it, and no other.", thing)
		v.ToDo = message{"Read what is said against it",
			"Lists name known sites by mistake, and fraudulent sites can become known. Wait until it is clear which this is."}
	case sc.RiskLevel == tocsin.Low && sc.ReportCount == 1:
		v.Title = fmt.Sprintf("One person warns of this %s. Nobody has confirmed it.", thing)
		v.ToDo = message{"Read it, and ask around",
			"A single report can be a mistake or a grudge. It can also be the first."}
	case sc.RiskLevel == tocsin.Low:
		v.Title = fmt.Sprintf("A few reports warn of this %s. Nobody has confirmed them.", thing)
		v.ToDo = message{"Read them, and ask around",
			"All of them may be by one person, so they weigh little, however many they are. They can still be right."}
	case sc.Result == tocsin.Caution: // a report names it without a score
		v.Title = fmt.Sprintf("This %s is named in a report that does not call it bad.", thing)
		v.ToDo = message{"Read the report", "It may be a victim's, or a part of the story. Decide for yourself."}
	case sc.KnownGood():
		v.knownGood(sc)
	default:
		v.Title = fmt.Sprintf("Nobody has reported this %s. That is not the same as safe.", thing)
		v.ToDo = message{"Check it yourself", "Three checks that take a minute are below. Do them before you go on."}
	}
	return v
}

// reason is the evidence that counts most, in a sentence.
func (sc screening) reason() string {
	risky := sc.riskLists()
	switch {
	case len(sc.Sanctions) > 0 && len(risky) > 0:
		return fmt.Sprintf("It is on a sanctions list (%s), and %s warns of it as well.",
			listTitle(sc.Sanctions[0].List), risky[0])
	case len(sc.Sanctions) > 0 && sc.ReportCount == 1:
		return fmt.Sprintf("It is on a sanctions list (%s), and one report names it.", listTitle(sc.Sanctions[0].List))
	case len(sc.Sanctions) > 0 && sc.ReportCount > 1:
		return fmt.Sprintf("It is on a sanctions list (%s), and %s reports name it.", listTitle(sc.Sanctions[0].List),
			number(sc.ReportCount))
	case len(sc.Sanctions) > 0:
		return fmt.Sprintf("It is on a sanctions list: %s.", listTitle(sc.Sanctions[0].List))
	case len(risky) > 0:
		return sc.listedText(risky)
	case sc.Result == tocsin.Caution && len(sc.Factors) < 2: // no sum says who reported it
		return strings.TrimSpace("No list names it. " + sc.reportersText())
	case sc.Result == tocsin.Caution:
		return "No list names it."
	case sc.subject.IsAddress():
		return "Most scam addresses are days old and are reported after the damage. No warning does not mean safe."
	}
	return "Most scam sites are days old and are reported after the damage. No warning does not mean safe."
}

// listedText says which lists warn of the subject, and of what the first one does.
func (sc screening) listedText(risky []string) string {
	crime := ""
	for _, l := range sc.Listings {
		c := tocsin.CrimeType(l.Category)
		if l.Kind == tocsin.Risk && listTitle(l.List) == risky[0] && c != tocsin.OtherCrime {
			crime = c.Name()
			break
		}
	}
	switch more := len(risky) - 1; {
	case more == 0 && crime == "":
		return risky[0] + " warns of it."
	case more == 0:
		return fmt.Sprintf("%s warns of it: %s.", risky[0], crime)
	case crime == "":
		return fmt.Sprintf("%s and %s warn of it.", risky[0], plural(more, "more list"))
	default:
		return fmt.Sprintf("%s and %s warn of it: %s.", risky[0], plural(more, "more list"), crime)
	}
}

// sources counts the sanctions and the lists that name the subject.
func (sc screening) sources() (parts []string) {
	if n := len(sc.Sanctions); n == 1 {
		parts = append(parts, "1 sanctions entry")
	} else if n > 1 {
		parts = append(parts, number(n)+" sanctions entries")
	}
	if n := len(sc.riskLists()); n > 0 {
		parts = append(parts, plural(n, "list"))
	}
	return parts
}

// foundText says what is on record.
func (sc screening) foundText() message {
	parts := sc.sources()
	if sc.ReportCount > 0 {
		parts = append(parts, plural(sc.ReportCount, "report"))
	}
	head := strings.Join(parts, ", ")
	switch {
	case sc.KnownGood():
		return message{"Nothing against it", "No sanctions entry, no list of scams, no report."}
	case len(parts) == 0:
		return message{"Nothing", "No sanctions entry, no list, no report. No safelist knows it either."}
	case sc.ReportCount > 0:
		return message{head, sc.reportDates()}
	case len(sc.Factors) == 1 && len(sc.Sanctions) > 0:
		return message{head, "One sanctions entry lifts any score to 100. Nobody has reported it here yet."}
	case len(sc.Factors) == 1:
		return message{head, fmt.Sprintf("Being on a curated scam list counts most, after sanctions: %d points. "+
			"Nobody has reported it here yet.", sc.RiskScore)}
	}
	return message{head, "Nobody has reported it here yet."}
}

// reportDates says when the subject was reported last. Its line of time shows the others.
func (sc screening) reportDates() string {
	switch one := sc.ReportCount == 1; {
	case one && sc.LastReportedAt == nil:
		return "The date of the report is unknown."
	case one:
		return fmt.Sprintf("The report is of %s.", day(*sc.LastReportedAt))
	case sc.LastReportedAt == nil:
		return "The dates of the reports are unknown."
	case day(*sc.FirstReportedAt) == day(*sc.LastReportedAt):
		return fmt.Sprintf("The reports are of %s.", day(*sc.LastReportedAt))
	}
	return fmt.Sprintf("The last report is of %s.", day(*sc.LastReportedAt))
}

// confidenceText says what the confidence means.
func (sc screening) confidenceText() message {
	switch {
	case len(sc.Sanctions) > 0:
		return message{"Very sure", "An authority has named it."}
	case sc.KnownGood():
		return message{"Known, not checked", "A list knows it. We have not examined it ourselves."}
	case sc.Result == tocsin.NoReports:
		return message{"We do not know",
			"The absence of reports proves nothing. It may be new, or imitate a known name."}
	case sc.Held && !sc.Safelisted:
		return message{"Sure that it is a known site", "One list warns of it, which for such sites is mostly a mistake."}
	case sc.Safelisted && sc.isVouchedFor():
		return message{"Sure that it is the known " + sc.noun(), "What is said against it is probably a mistake."}
	case sc.Safelisted:
		return message{"Sure that a safelist knows it", "What is said against it is not confirmed."}
	case sc.Confidence >= 0.95:
		return message{"Very sure", "Sources that do not copy each other agree."}
	case sc.Confidence >= 0.8:
		return message{"Sure", "A curated list or several proven reporters support it."}
	case sc.Confidence >= 0.4:
		return message{"Fairly sure", "There is some independent evidence, not much."}
	case sc.Confidence > 0:
		return message{"Not sure", "There is little independent evidence."}
	}
	return message{"Not at all", "No independent evidence supports it."}
}

// factorText is the detail of a factor, with the titles of lists in place of their names.
func (sc screening) factorText(x tocsin.Factor) string {
	var names []string
	switch x.Code {
	case "reports":
		return sc.accountsText()
	case "anonymous_reports":
		return sc.anonymousText()
	case "list", "list_again", "safelisted", "known_site", "sanctioned":
		for _, l := range sc.dossier.Listings {
			names = append(names, l.List, listTitle(l.List))
		}
	}
	text := tocsin.Sentence(strings.NewReplacer(names...).Replace(x.Detail))
	text = isoDay.ReplaceAllStringFunc(text, func(iso string) string {
		if t, err := time.Parse(time.DateOnly, iso); err == nil {
			return day(tocsin.TimeOf(t))
		}
		return iso
	})
	if x.Code == "sanctioned" {
		text += " One entry lifts any score to 100."
	}
	return text
}

// isoDay matches a day as the API writes it.
var isoDay = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)

// factorNames are the names of the factors (docs/risk.md).
var factorNames = map[string]string{
	"reports":           "Reports by accounts",
	"reports_age":       "Age of the reports",
	"anonymous_reports": "Anonymous reports",
	"anonymous_age":     "Age of the anonymous reports",
	"reports_unproven":  "Not confirmed yet",
	"reports_cap":       "Reports alone stay below Critical",
	"list":              "Named by a list",
	"list_again":        "Named by another list, independently",
	"cap":               "Only a sanctioned subject can reach 100",
	"safelisted":        "Known as good",
	"known_site":        "A well-known site",
	"sanctioned":        "Sanctions",
}

func factorName(code string) string {
	if name := factorNames[code]; name != "" {
		return name
	}
	return code
}
