package answer

import (
	"slices"
	"strings"

	"tocsin"
)

// Suspicious reports whether the name of the site, or the digits of the address, are all that speaks against it.
func (a Answer) Suspicious() bool { return a.Result == tocsin.Suspicious }

// Unreported reports whether no report, no list and no sanction names the subject.
func (a Answer) Unreported() bool { return a.Result == tocsin.NoReports || a.Suspicious() }

// imitates is the site that the name imitates for certain; "" if it does not.
func (a Answer) imitates() string {
	if n := a.NameFindings; n != nil && n.Lookalike != nil && n.Lookalike.Sure {
		return n.Lookalike.Of
	}
	return ""
}

// InFront is a name that begins with the whole domain of a known site: what is before the site that it names, that
// site, and the known one.
type InFront struct{ Before, Site, Known string }

// InFront takes such a name apart; nil for another.
func (a Answer) InFront() *InFront {
	if a.NameFindings == nil || a.Lookalike == nil || a.Lookalike.Method != "domain-in-front" {
		return nil
	}
	site := a.host().Registrable()
	return &InFront{strings.TrimSuffix(a.Subject.Value, "."+site), site, a.Lookalike.Evidence.Brand}
}

// looksAlike reports whether the subject is an address that looks like another one, or a name that looks like that of a
// brand.
func (a Answer) looksAlike() bool {
	return a.Subject.IsAddress() || a.NameFindings != nil && a.NameFindings.Lookalike != nil
}

// knownElsewhere is the known site that has the name of a site that is not on record, or nearly its name; "" for none.
func (a Answer) knownElsewhere() string {
	if a.NameFindings == nil || a.Result != tocsin.NoReports || a.KnownGood() {
		return ""
	}
	return a.NameFindings.Known
}

// Caution is what visitors read first of a site that is not on record because a known site has its name, or nearly its
// name, and why; both "" for any other. It costs no points.
func (a Answer) Caution() (read, why string) {
	switch known := a.knownElsewhere(); {
	case known == "":
		return "", ""
	case a.Nearly:
		return unended(a.Verdict().ToDo.Head), a.Lang.Text("its name is nearly that of %s", known)
	case a.Called != "":
		return unended(a.Verdict().Title), a.Lang.Text("its name contains “%s”", a.Called)
	default:
		return unended(a.Verdict().Title), a.Lang.Text("its name contains that of %s", known)
	}
}

// unended is a sentence without its full stop, to be quoted within another one.
func unended(sentence string) string { return strings.TrimRight(sentence, ".。") }

// AboutName says of a site that is not on record which known site has its name, where that is a word, or nearly its
// name, and that anybody gets such a name; "" for neither. It is no suspicion: many words are names of several.
func (a Answer) AboutName() string {
	n := a.NameFindings
	if n == nil || a.Result != tocsin.NoReports || a.KnownGood() {
		return ""
	}
	known, hosted := "", ""
	switch {
	case n.Known == "" && n.SameWord != "":
		known = a.Lang.Text("The site that we know by this name is %s. This is another one.", n.SameWord)
	case n.Nearly:
		known = a.Lang.Text("The known site of nearly this name is %s. This is another.", n.Known)
	}
	if n.Host != "" {
		hosted = a.Lang.Text("Anyone can put a page on %s within minutes.", n.Host)
	}
	return a.Lang.Sentences(known, hosted)
}

// liftedByName reports whether the name has lifted the score.
func (a Answer) liftedByName() bool {
	return slices.ContainsFunc(a.Factors, func(f tocsin.Factor) bool {
		return f.Code == "lookalike" || f.Code == "prediction" || newSite(f)
	})
}

// newSite reports whether a factor says that a site is new.
func newSite(f tocsin.Factor) bool { return f.Code == "registered" || f.Code == "first_certificate" }

// SuspiciousAsNew reports whether the name alone would not be suspicious, and is because the site is new.
func (a Answer) SuspiciousAsNew() bool {
	return a.Suspicious() && len(a.Factors) > 0 && newSite(a.Factors[0])
}

// NameAlone is what a subject would score if no list and no report named it, and why.
type NameAlone struct {
	Score int
	Level tocsin.Level
	Says  string
}

// NameAlone returns what would be left of the score without any list and any report: its name or its digits are
// suspicious. It is nil if nothing would be left, or if there is nothing else.
func (a Answer) NameAlone() *NameAlone {
	if a.Unreported() {
		return nil
	}
	d := *a.Dossier
	d.ReportCount, d.Reporters = 0, nil
	d.Evidence.Listings = slices.DeleteFunc(slices.Clone(d.Evidence.Listings), func(l tocsin.Listing) bool {
		return l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction
	})
	left := New(a.Lang, a.Subject, &d, a.AsOf.Std())
	if !left.Suspicious() || left.RiskScore == 0 {
		return nil
	}
	return &NameAlone{Score: left.RiskScore, Level: left.RiskLevel, Says: left.WhySuspicious()}
}

// WhySuspicious says in a sentence what is suspicious about a subject that nothing names.
func (a Answer) WhySuspicious() string {
	t := a.Lang.Text
	switch of, name := a.imitates(), a.resembledName(); {
	case a.Subject.IsAddress() && name != "":
		return t("It looks like the address of %s.", name)
	case a.Subject.IsAddress():
		return t("It looks like a well-known address.")
	case of != "":
		return t("Its name resembles %s.", of)
	case a.SuspiciousAsNew():
		return t("It is new, and its name is a little like those of scams.")
	case a.looksAlike():
		return t("Its name looks like that of %s.", a.NameFindings.Lookalike.Of)
	}
	return t("Its name looks like those of scams.")
}

// soFar says that nobody has reported a site, or that nothing warns of it any more.
func (a Answer) soFar() string {
	if a.Lapsed {
		return a.Lang.Text("Nothing on record warns of it now.")
	}
	return a.Lang.Text("Nobody has reported it yet.")
}

// SignsIn reports whether the site that the name imitates is one where people sign in or pay, and connect no wallet.
func (a Answer) SignsIn() bool { return a.NameFindings != nil && a.Use != tocsin.Connects }

// suspicious sets the words about a site whose name alone speaks against it: first what not to do.
func (v *Verdict) suspicious(a Answer) {
	t := a.Lang.Text
	v.Lead = a.Lang.Sentences(a.soFar(), v.Lead) // why it is a suspicion
	not := t("Pay nothing, connect nothing.")
	if a.SignsIn() {
		not = t("Do not log in, and pay nothing.")
	}
	switch front, of := a.InFront(), a.imitates(); {
	case front != nil:
		v.Title = t("This site is %s. It does not belong to %s.", front.Site, front.Known)
		v.Lead = a.Lang.Sentences(not,
			t("Anyone can put any name in front of their own, such as %s here.", front.Before), a.soFar())
	case of != "" && a.SignsIn():
		v.Title = t("Do not log in, and pay nothing: its name resembles %s.", of)
	case of != "":
		v.Title = t("Pay nothing, connect nothing: its name resembles %s.", of)
	case a.SuspiciousAsNew():
		v.Title = t("Pay nothing, connect nothing: it is new, and its name is a little like those of scams.")
	case a.looksAlike() && a.SignsIn():
		v.Title = t("Do not log in, and pay nothing: its name looks like that of %s.", a.NameFindings.Lookalike.Of)
	case a.looksAlike():
		v.Title = t("Pay nothing, connect nothing: its name looks like that of %s.", a.NameFindings.Lookalike.Of)
	default:
		v.Title = t("Pay nothing, connect nothing: its name looks like those of scams.")
	}
	v.ToDo = a.say("Close it, and type nothing in",
		"Do not give it your card, a password or a recovery phrase. Make sure which site you mean: go there by a bookmark "+
			"of your own, or by the name that you know.")
	if of := a.brand(); of != "" {
		v.ToDo.Text = t("Do not give it your card, a password or a recovery phrase. If you want %s, go there by a "+
			"bookmark of your own, or type its name.", of)
	}
}

// namesake sets the words about a site that is not on record and has the name of a known one, or nearly its name.
func (v *Verdict) namesake(a Answer, known string) {
	t := a.Lang.Text
	v.ToDo.Text = t("Use a bookmark of your own, or type the name. If this site belongs to it too, you will " +
		"find a link to it there.")
	switch {
	case a.Nearly && a.Use != tocsin.Connects:
		v.ToDo.Head = t("Do not log in or pay here. Go to %s yourself.", known)
		return
	case a.Nearly:
		v.ToDo.Head = t("Do not connect here. Go to %s yourself.", known)
		return
	case a.Called != "":
		v.Title = t("We do not know this site. Many banks are called %s.", a.Called)
		v.Lead = a.Lang.Sentences(a.soFar(),
			t("Compare the name with the one on your card or a letter of your bank before you log in."))
		v.ToDo = a.say("Compare the name before you log in",
			"Open no link from a message. Type the name that is on your card, or use a bookmark of your own.")
		return
	case a.Use == tocsin.Authority:
		v.Title = t("Do not log in or pay yet: the authority’s site that we know is %s.", known)
	case a.Use == tocsin.SignsIn:
		v.Title = t("Do not log in or pay yet: the site we know by this name is %s.", known)
	default:
		v.Title = t("Do not connect yet: the site we know by this name is %s.", known)
	}
	v.Lead = a.Lang.Sentences(a.soFar(), t("We do not know whether it belongs to %s.", known))
	v.ToDo.Head = t("Go to %s yourself", known)
}

// brand is the site of the brand that the name looks like; "" for none.
func (a Answer) brand() string {
	if front := a.InFront(); front != nil {
		return front.Known
	}
	if n := a.NameFindings; n != nil && n.Lookalike != nil && n.Lookalike.Method != "mixed-scripts" {
		return n.Lookalike.Of
	}
	return ""
}
