package web

import (
	"fmt"
	"slices"
	"strings"

	"tocsin"
)

// words are what the site says of a screening, for people: one sentence to act
// on, one reason, and four questions answered. They are made from the same facts
// as the API's answer and say nothing that it does not.
type verdict struct {
	Title, Lead            string
	Found, Sure, Why, ToDo message
}

// phrase is an answer in a few words, and one sentence more.
type message struct{ Head, Text string }

// facts are what the words are made of.
type screening struct {
	subject tocsin.Subject
	dossier *tocsin.Dossier
	tocsin.Screening
}

// thing is what the subject is called.
func (f screening) noun() string {
	if !f.subject.IsAddress() {
		return "site"
	}
	return "address"
}

// risky returns the lists that call the subject bad.
func (f screening) riskLists() (lists []string) {
	for _, l := range f.Listings {
		if l.Kind == tocsin.Risk {
			lists = append(lists, listTitle(l.List))
		}
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

// known returns the listings that know the subject as a good one, or as a
// service that strangers share.
func (f screening) goodListings() (good []tocsin.Listing) {
	for _, l := range f.Listings {
		if l.Kind != tocsin.Risk {
			good = append(good, l)
		}
	}
	return good
}

// proven counts those who reported the subject and whom a list has confirmed before.
func (f screening) provenReporters() (n int) {
	for _, o := range f.dossier.Reporters {
		if o.Proven {
			n++
		}
	}
	return n
}

func (f screening) verdict() verdict {
	thing := f.noun()
	w := verdict{Found: f.foundText(), Sure: f.confidenceText(), Why: f.reasonText()}
	switch {
	case f.RiskLevel == tocsin.Critical && !f.subject.IsAddress():
		w.Title = "Stay away from this site."
		w.ToDo = message{"Close it, and connect nothing", "If you already have: take back what you approved, and move what is left to a new wallet."}
	case f.RiskLevel == tocsin.Critical:
		w.Title = "Do not send anything to this address."
		w.ToDo = message{"Send nothing, accept nothing", "If you already have: stop, keep the transaction hash, and tell your exchange."}
		if len(f.Sanctions) > 0 {
			w.ToDo.Text += " In many countries the law forbids the payment."
		}
	case f.RiskLevel == tocsin.High && !f.subject.IsAddress():
		w.Title = "Very likely a scam. Do not connect a wallet."
		w.ToDo = message{"Close it, and connect nothing", "Never type a recovery phrase into a web page. No wallet maker asks for one."}
	case f.RiskLevel == tocsin.High:
		w.Title = "Very likely a scam. Do not send anything."
		w.ToDo = message{"Send nothing", "If you already have: stop, keep the transaction hash, and tell your exchange."}
	case f.RiskLevel == tocsin.Medium:
		switch f.provenReporters() {
		case 0:
			w.Title = "Several reports warn of this " + thing + ". Wait."
		case 1:
			w.Title = "Somebody who was right before warns of this " + thing + ". Wait."
		default:
			w.Title = "Several people warn of this " + thing + ". Wait."
		}
		w.ToDo = message{"Wait, and find out more", "Read the reports below. Ask somebody you trust, by voice, before you go on."}
	case f.Safelisted && f.Result == tocsin.Caution:
		w.Title = fmt.Sprintf("%s knows this %s, and somebody warns of it.", listTitle(f.goodListings()[0].List), thing)
		w.ToDo = message{"Read what is said against it", "A good name can be borrowed: make sure that this is what you meant to deal with."}
	case f.RiskLevel == tocsin.Low && f.ReportCount == 1:
		w.Title = fmt.Sprintf("One person warns of this %s. Nobody has confirmed it.", thing)
		w.ToDo = message{"Read it, and ask around", "A single report can be a mistake or a grudge. It can also be the first."}
	case f.RiskLevel == tocsin.Low:
		w.Title = fmt.Sprintf("A few reports warn of this %s. Nobody has confirmed them.", thing)
		w.ToDo = message{"Read them, and ask around", "All of them may be by one person, so they weigh little, however many they are. They can still be right."}
	case f.Result == tocsin.Caution: // told in a report, and no score from it
		w.Title = fmt.Sprintf("This %s is named in a report that does not call it bad.", thing)
		w.ToDo = message{"Read the report", "It may be a victim's, or a part of the story. Decide for yourself."}
	case len(f.goodListings()) > 0:
		w.Title = fmt.Sprintf("Nobody has reported this %s. That is not the same as safe.", thing)
		w.ToDo = message{"Make sure it is the one you mean", "Compare all of it, not its ends, with a source of your own."}
	default:
		w.Title = fmt.Sprintf("Nobody has reported this %s. That is not the same as safe.", thing)
		w.ToDo = message{"Check it yourself", "Three checks that take a minute are below. Do them before you go on."}
	}
	w.Lead = f.reason()
	return w
}

// lead is the one reason that counts most.
func (f screening) reason() string {
	thing := f.noun()
	risky := f.riskLists()
	switch {
	case len(f.Sanctions) > 0 && len(risky) > 0:
		return fmt.Sprintf("It is on a sanctions list (%s), and %s names it as well.", listTitle(f.Sanctions[0].List), risky[0])
	case len(f.Sanctions) > 0 && f.ReportCount > 0:
		return fmt.Sprintf("It is on a sanctions list (%s), and %s of it.", listTitle(f.Sanctions[0].List), tells(f.ReportCount))
	case len(f.Sanctions) > 0:
		return fmt.Sprintf("It is on a sanctions list: %s.", listTitle(f.Sanctions[0].List))
	case len(risky) > 1:
		return fmt.Sprintf("%s and %s name it%s.", risky[0], plural(len(risky)-1, "more list"), f.forCrime())
	case len(risky) == 1:
		return fmt.Sprintf("%s names it%s.", risky[0], f.forCrime())
	case f.Result == tocsin.Caution && f.ReportCount > 0:
		return fmt.Sprintf("%s of it, the last one on %s. No list names it.", capital(tells(f.ReportCount)), day(*f.LastReportedAt))
	case len(f.goodListings()) > 0:
		l := f.goodListings()[0]
		if l.Kind == tocsin.Shared {
			return fmt.Sprintf("%s knows it as a service that strangers share (%s). What one of them does there says nothing of the others.", listTitle(l.List), l.Category)
		}
		what := l.Category
		if l.Name != "" {
			what = l.Name + ", " + l.Category
		}
		return fmt.Sprintf("%s knows it: %s. The bell is silent; that a name is known does not mean that all is well.", listTitle(l.List), what)
	case !f.subject.IsAddress():
		return "Most scam sites are days old and are reported after the damage. The bell is silent; it has not said that all is well."
	}
	return "Most scam " + thing + "es are days old and are reported after the damage. The bell is silent; it has not said that all is well."
}

func tells(reports int) string {
	if reports == 1 {
		return "one report tells"
	}
	return number(reports) + " reports tell"
}

// kinds says what a subject is called bad for.
func (f screening) forCrime() string {
	if len(f.CrimeTypes) == 0 || f.CrimeTypes[0] == tocsin.OtherCrime {
		return ""
	}
	return " for " + strings.ToLower(f.CrimeTypes[0].Name())
}

func (f screening) foundText() message {
	var parts []string
	add := func(n int, noun string) {
		if n > 0 {
			parts = append(parts, plural(n, noun))
		}
	}
	if n := len(f.Sanctions); n == 1 {
		parts = append(parts, "1 sanctions entry")
	} else if n > 1 {
		parts = append(parts, number(n)+" sanctions entries")
	}
	add(len(f.riskLists()), "list")
	add(f.ReportCount, "report")
	p := message{strings.Join(parts, ", "), ""}
	switch {
	case len(parts) == 0 && len(f.goodListings()) > 0:
		return message{"Nothing against it", fmt.Sprintf("No sanctions entry, no list of scams, no report. It is known to %s.", listTitle(f.goodListings()[0].List))}
	case len(parts) == 0:
		return message{"Nothing", "No sanctions entry, no list, no report. It is not on the safelist either."}
	case f.ReportCount > 1:
		p.Text = fmt.Sprintf("The first report is of %s, the last of %s.", day(*f.FirstReportedAt), day(*f.LastReportedAt))
	case f.ReportCount == 1:
		p.Text = fmt.Sprintf("The report is of %s.", day(*f.FirstReportedAt))
	default:
		p.Text = "Nobody has told a story about it here yet."
	}
	return p
}

// sure says what the confidence means.
func (f screening) confidenceText() message {
	c := fmt.Sprintf("Confidence %.2f. ", f.Confidence)
	switch {
	case len(f.Sanctions) > 0:
		return message{"Very sure", c + "An authority has named it."}
	case f.Result == tocsin.NoReports:
		return message{"We cannot be", "That nothing is said against it is no evidence. A good name can be borrowed, and what is new is unknown."}
	case f.Safelisted:
		return message{"Not sure", c + "A good name stands against the warning."}
	case f.Confidence >= 0.95:
		return message{"Very sure", c + "Sources that do not copy each other agree."}
	case f.Confidence >= 0.8:
		return message{"Sure", c + "A curated list, or several proven reporters, stand behind it."}
	case f.Confidence >= 0.4:
		return message{"Fairly sure", c + "There is some independent evidence, not much."}
	case f.Confidence > 0:
		return message{"Not sure", c + "There is little independent evidence."}
	}
	return message{"Not at all", c + "Nothing independent stands behind it."}
}

// why names what decides the score.
func (f screening) reasonText() message {
	var most tocsin.Factor
	for _, x := range f.Factors {
		if x.Points > most.Points {
			most = x
		}
	}
	switch {
	case len(f.Sanctions) > 0:
		return message{"Sanctions decide it", "One sanctions entry lifts any score to 100."}
	case f.Safelisted && f.Result == tocsin.Caution:
		return message{"A good name against a warning", "A safelist keeps the score at Low, whatever else is said."}
	case most.Points == 0:
		return message{"No points to add", "The score is 0 because nothing speaks for more."}
	case most.Code == "list":
		return message{factorName(most.Code), fmt.Sprintf("A curated list is the strongest evidence but a sanction: %d points.", most.Points)}
	}
	return message{factorName(most.Code), f.factorText(most)}
}

// detail says what a factor rests on, with the lists called as people call them.
func (f screening) factorText(x tocsin.Factor) string {
	var names []string
	switch x.Code {
	case "list", "list_again", "safelisted", "sanctioned":
		for _, l := range f.dossier.Listings {
			names = append(names, l.List, listTitle(l.List))
		}
	}
	text := tocsin.Sentence(strings.NewReplacer(names...).Replace(x.Detail))
	if x.Code == "sanctioned" {
		text += " One entry lifts any score to 100."
	}
	return text
}

// factorNames are the steps of a score (docs/risk.md) in words.
var factorNames = map[string]string{
	"reports":           "Reports with a key",
	"reports_age":       "Age of the reports",
	"anonymous_reports": "Reports without a key",
	"anonymous_age":     "Age of the reports without a key",
	"reports_unproven":  "Not confirmed yet",
	"reports_cap":       "Reports alone stay below Critical",
	"list":              "Named by a list",
	"list_again":        "Named by another list, independently",
	"cap":               "Without a sanction the scale ends at 99",
	"safelisted":        "Known as good",
	"sanctioned":        "Sanctions",
}

func factorName(code string) string {
	if name := factorNames[code]; name != "" {
		return name
	}
	return code
}
