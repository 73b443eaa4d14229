package answer

import (
	"cmp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
)

// KnownGood reports whether lists know the subject, and nothing speaks against it. The level is that of an unknown
// subject; the words are not.
func (a Answer) KnownGood() bool {
	return a.Result == tocsin.NoReports && len(a.goodListings()) > 0
}

// Misplaced reports whether a known account is one to which nobody should send anything: what arrives there is lost.
func (a Answer) Misplaced() bool { return a.KnownGood() && a.Unpayable != "" }

// What safelists mean by their categories, of accounts and of sites.
var (
	accountIs = map[string]locale.Key{
		tocsin.TokenContract: "a token contract",
		"exchange":           "an account of an exchange",
		"dex":                "a contract of a decentralised exchange",
		"bridge":             "a contract of a bridge",
		"contract":           "a well-known contract",
		"project":            "a contract of a well-known project",
		tocsin.BurnAddress:   "an address to which nobody holds the key",
	}
	siteIs = map[string]locale.Key{
		tocsin.TopSite:   "a popular site",
		tocsin.TokenSite: "the site of a token",
		"authority":      "the site of an authority",
		"bank":           "the site of a bank",
		"dapp":           "a well-known crypto application",
		"exchange":       "the site of an exchange",
		"explorer":       "a block explorer",
		"project":        "the site of a well-known project",
		"software":       "the site of a maker of software",
		"university":     "the site of a university",
		"wallet":         "the site of a wallet",
	}
)

// whatItMeans says what a safelist means by a listing, such as "a token contract".
func whatItMeans(l tocsin.Listing) locale.Key {
	switch {
	case l.Kind == tocsin.Shared:
		return "a service that unrelated people share"
	case isUnderReview(l):
		return "under review by the operator"
	case l.Subject.IsAddress() && OfOperator(l.List):
		return cmp.Or(accountIs[l.Category], "an address that the operator of this service has checked")
	case l.Subject.IsAddress():
		return cmp.Or(accountIs[l.Category], "a known address")
	case OfOperator(l.List) && l.Vouches():
		return cmp.Or(siteIs[l.Category], "a site that the operator of this service has checked")
	}
	return cmp.Or(siteIs[l.Category], "a well-known site")
}

// KnownAs says what a subject that lists know is, such as "a token contract"; "" of any other.
func (a Answer) KnownAs() locale.Key {
	if !a.KnownGood() {
		return ""
	}
	return whatItMeans(a.knownBy())
}

// knownBy is what says the most of a subject that lists know: a listing with a name, and ours are written as people
// write them.
func (a Answer) knownBy() tocsin.Listing {
	good := a.goodListings()
	l := good[0]
	for _, other := range good {
		if other.Name != "" && (l.Name == "" || other.List == feed.StarterList) {
			l = other
		}
	}
	return l
}

// knownGood sets the words about a subject that lists know, while nothing speaks against it.
func (v *Verdict) knownGood(a Answer) {
	good, t, l := a.goodListings(), a.Lang.Text, a.knownBy()
	list, name := ListTitle(a.Lang, l.List), a.Subject.Plain()
	if readable := a.Subject.Unicode(); readable != "" {
		name += " (" + readable + ")"
	}
	switch {
	case slices.ContainsFunc(good, isShared) && a.Subject.IsAddress():
		v.Title = t("Unrelated people share this address. Nobody warns of it.")
		v.Lead = t("It is a service that many use (%s). That says nothing about the one who gave it to you.", list)
		v.ToDo = a.say("Ask who gave it to you", "Compare the whole address with a source that you trust.")
	case slices.ContainsFunc(good, isShared):
		v.Title = t("Anyone can put a page on %s. Look up the full name.", name)
		v.Lead = t("Nobody has reported %s itself, a service that unrelated people share (%s). "+
			"What one page there does says nothing about the others.", name, list)
		if a.HasPages() {
			v.Title = t("%s.", t("Anyone can have a page on %s", name))
			v.ToDo = a.say("Find out whose page it is", "Its users have pages, for example %s/someone. No page has a score: "+
				"search the reports for the whole link.", name)
			return
		}
		v.ToDo = a.say("Look up the full name", "That is all that the address bar shows before the first slash, "+
			"for example someone.%s.", name)
	case a.underReview():
		v.Title = t("Nothing on record warns of it now. The operator looks into an objection.")
		v.Lead = a.undecided()
		if v.ToDo = toKnownAccount(a, ""); !a.Subject.IsAddress() {
			v.ToDo = a.say("Compare the name letter by letter",
				"Make sure the name in your address bar is exactly this one. Well-known names are imitated.")
		}
	case a.Subject.IsAddress():
		what, called := whatItMeans(l), tocsin.Clip(l.Name, 60)
		switch {
		case l.Category == tocsin.BurnAddress:
			v.Title = t("Do not send to this address: nobody holds its key.")
		case l.Category == tocsin.TokenContract && called != "":
			v.Title = t("Do not send to this address: it is the contract of %s, not a person.", called)
		case l.Category == tocsin.TokenContract:
			v.Title = t("Do not send to this address: it is the contract of a token, not a person.")
		case l.Category == "exchange" && called != "" && !strings.ContainsAny(called, ":0123456789"): // no label of it alone
			v.Title = t("This is an account of %s, an exchange. Nobody warns of it.", called)
		case called != "":
			v.Title = t("This is %s, %s. Nobody warns of it.", called, what)
		default:
			v.Title = t("This is %s. Nobody warns of it.", what)
		}
		v.ToDo = toKnownAccount(a, l.Category)
		v.Lead = t("Source: %s. The address is known; that says nothing about who gave it to you.", list)
	case OfOperator(l.List) && l.Vouches():
		v.Title = t("The operator of this service has checked %s. Nobody has reported it.", l.Subject.Value)
		v.Lead = t("It is on the operator’s own safelist. That is the word of the operator, not of a public list.")
		v.ToDo = a.say("Compare the name letter by letter",
			"Make sure the name in your address bar is exactly this one. Well-known names are imitated.")
	default:
		v.Title = t("%s is a well-known site. Nobody has reported it.", name)
		known := name
		if l.Subject != a.Subject {
			known = l.Subject.Value
			v.Title = t("%s belongs to %s, a well-known site. Nobody has reported it.", name, known)
		}
		if v.Lead = t("%s is listed as %s (%s).", known, whatItMeans(l), list); !l.Vouches() {
			v.Lead = a.Lang.Sentences(v.Lead, t("The list says that it is known, not that it is honest."))
		}
		v.ToDo = a.say("Compare the name letter by letter",
			"Make sure the name in your address bar is exactly this one. Well-known names are imitated.")
	}
}

// LeadsOn reports whether the subject is a host of links that lead to any site: short ones, or into a wallet.
func (a Answer) LeadsOn() bool {
	d := a.host()
	return d.Shortens() || d.OpensWallets() ||
		slices.ContainsFunc(a.Listings, func(l tocsin.Listing) bool { return isShared(l) && l.Category == "url-shortener" })
}

// leadsOn sets the words about such a host of which nobody warns.
func (v *Verdict) leadsOn(a Answer) {
	host := a.Subject.Value
	v.Lead = a.Lang.Text("That %s is known says nothing about where a link leads.", host)
	if a.host().OpensWallets() {
		v.Title = a.Lang.Text("Links on %s open a wallet, which then shows any site.", host)
		v.ToDo = a.say("Paste the whole link", "The answer is then about the site that it leads to.")
		return
	}
	v.Title = a.Lang.Text("Links on %s are shortened. They can lead to any site.", host)
	v.ToDo = a.say("Find out where the link leads", "Do that before you open it, and look up that site here.")
}

// toKnownAccount says what to do with an account on a safelist, by its category.
func toKnownAccount(a Answer, category string) Message {
	switch category {
	case tocsin.BurnAddress:
		return a.say("Send nothing to it",
			"What is sent there is gone for good. If somebody gave it to you to pay them, ask for their own address.")
	case tocsin.TokenContract:
		return a.say("Do not send tokens to the contract itself",
			"They would be lost. To pay somebody, use the address of that person.")
	case "exchange":
		return a.say("Send only to your own deposit address",
			"It is on your page at the exchange. What arrives elsewhere may not be credited to you.")
	case "dex", "bridge", "contract", "project":
		return a.say("Do not send tokens to it by hand",
			"They would probably be lost. Use it through the project’s own site.")
	}
	return a.say("Make sure it is the one you mean",
		"Compare all of it, not only its beginning and end, with a source that you trust.")
}

// Names are what lists call the subject itself, at most three: of a sanctioned one what the list of sanctions does,
// and else first those that warn of it. What the operator's own safelist calls it is there only if no other list has a
// name.
func (a Answer) Names() (names []string) {
	operator := a.CalledByOperator()
	listings := slices.DeleteFunc(slices.Clone(a.Dossier.Listings), func(l tocsin.Listing) bool {
		return l.Subject != a.Subject || len(a.Sanctions) > 0 && l.Kind != tocsin.Sanction ||
			!operator && l.Vouches() && OfOperator(l.List)
	})
	rank := func(l tocsin.Listing) int {
		return slices.Index([]tocsin.ListingKind{tocsin.Sanction, tocsin.Risk, tocsin.Safe, tocsin.Shared}, l.Kind)
	}
	slices.SortStableFunc(listings, func(a, b tocsin.Listing) int { return rank(a) - rank(b) })
	for _, l := range listings {
		name := tocsin.Clip(strings.TrimSpace(l.Name), 60)
		if l.Kind == tocsin.Sanction {
			name = unshout(name)
		}
		if name == "" || len(names) == 3 ||
			slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// SanctionsTitle is the title of the list of sanctions that names the subject; "" for none.
func (a Answer) SanctionsTitle() string {
	if all := a.SanctionListings(); len(all) > 0 {
		return ListTitle(a.Lang, all[0].List)
	}
	return ""
}

// CalledByOperator reports whether the [Answer.Names] are those of the operator's own safelist, and of no other list.
func (a Answer) CalledByOperator() bool {
	return !slices.ContainsFunc(a.Dossier.Listings, func(l tocsin.Listing) bool {
		return l.Name != "" && l.Subject == a.Subject && !(l.Vouches() && OfOperator(l.List))
	})
}

// unshout writes words of capitals as names are written: "LAZARUS GROUP" is "Lazarus Group". Short ones may be
// abbreviations.
func unshout(name string) string {
	words := strings.Fields(name)
	for i, w := range words {
		if len(strings.Trim(w, ",;")) > 3 && w == strings.ToUpper(w) && !strings.Contains(w, ".") {
			words[i] = w[:1] + strings.ToLower(w[1:])
		}
	}
	return strings.Join(words, " ")
}

// NoListsText says of a subject without findings that no list has subjects of its kind.
func (a Answer) NoListsText() string {
	if chain := a.Chain(); chain != "" {
		return a.Lang.Text("No report names it. None of our lists has %s addresses.", chain)
	}
	return a.of("No report names it. None of our lists has such addresses.",
		"No report names it. None of our lists has sites.")
}

func isShared(l tocsin.Listing) bool { return l.Kind == tocsin.Shared }

// Registry reports whether many sites have their names under the subject, and not everybody can get one.
func (a Answer) Registry() bool { return a.NameFindings != nil && a.NameFindings.Registry }

// HasPages reports whether the users of the subject have pages there, and no names under it.
func (a Answer) HasPages() bool { return a.host().HasPages() }

// host is the subject as a domain; the zero value of an account.
func (a Answer) host() (d tocsin.Domain) {
	if a.Domain() {
		d, _ = tocsin.ParseDomain(a.Subject.Value)
	}
	return d
}
