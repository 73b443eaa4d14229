package web

import (
	"cmp"
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// objection is a list that names a subject as a risk or for sanctions, and what its owner can do about that.
type objection struct {
	List, Title, Says string
	Kind              tocsin.ListingKind
	Names             tocsin.Subject // what the list names: the subject, or a domain above it
	Entry             string         // the same as the list writes it; "" for the text of the subject
	Host              string         // the shared host that this is a page of; "" for none
	Since             *tocsin.Time   // when the list named it; nil if unknown
	Recorded          *tocsin.Time   // since when the entry is on record here; nil if unknown
	RecordedIn        *tocsin.Time   // the date of the version of the list in which it came; nil if unknown
	RecordedFiles     []tocsin.ListFile
	Page              string       // a URL: the page of the list, or about the entry; "" for a list of the operator
	URL               string       // where to object; "" if nobody but the operator of the service can help
	Form              string       // the same with the letter filled in; "" if no link can do that
	Mail              string       // a mail to the list with the letter filled in; "" if it has no address
	Said              string       // a URL: what was written at the list about the subject; "" if that is not public
	How               string       // what the list asks for
	Read, Next        *tocsin.Time // when the list was read, and when it will be; nil if unknown
	Dated             *tocsin.Time // the list's own date; nil if unknown
	OutOfDate         bool         // newer entries and removals of the list are missing here
	Name, Program     string       // of a sanction: whom it is on, and the legal programme
	answer.Share
	With     string       // the titles of the other lists that name it and are of the same origin; "" for none
	Together answer.Share // of all of them
	Summed   int          // points of the list in the sum, which a sanction lifts to 100 with or without it; 0 otherwise
	Held     bool         // a safelist holds the score, whatever the list says
	family   string
}

// objections are the lists that speak against the subject, a page of the shared host or of none, each once.
func objections(sc answer.Answer, host string, st store.Stats) (list []objection) {
	read, next := map[string]*store.ListStats{}, map[string]*tocsin.Time{}
	for i, l := range st.Lists {
		read[l.Name] = &st.Lists[i]
	}
	for _, t := range st.Tries {
		next[t.List] = t.Next
	}
	seen, held := map[string]bool{}, len(sc.Holds()) > 0
	for _, l := range sc.Dossier.Listings {
		if seen[l.List] || l.Kind != tocsin.Risk && l.Kind != tocsin.Sanction {
			continue
		}
		seen[l.List] = true
		entry := listHistory(sc.History).entry(l)
		o := objection{List: l.List, Title: answer.ListTitle(sc.Lang, l.List), Kind: l.Kind, Since: l.Since, Host: host,
			Recorded: entry.Recorded, RecordedIn: entry.RecordedIn, RecordedFiles: entry.RecordedFiles,
			Names: l.Subject, Page: l.URL, Next: next[l.List], Share: sc.WithoutLists(l.List),
			Name: l.Name, Program: l.Program,
			How: sc.Lang.Text("The operator of this service keeps this list."), Held: held, family: l.Family}
		if copied := read[l.List]; copied != nil {
			o.Read, o.Dated, o.OutOfDate = &copied.Imported, copied.Version.Date, copied.OutOfDate(sc.AsOf)
		}
		if l.List == feed.StarterList {
			o.How = sc.Lang.Text("It comes with the program: a public incident, with its sources. " +
				"The operator can hide it here.")
		}
		if source, known := feed.Find(l.List); known && source.Objections() != "" {
			o.How = sc.Lang.Text(cmp.Or(howToObject(l.List), "Its page says where to ask."))
			o = o.at(source)
		}
		if o.Says = answer.RiskName(sc.Lang, l.Category); l.Kind == tocsin.Sanction {
			o.Says = sc.Lang.Text("Sanctions, as %s", l.Name)
		} else if l.Subject != sc.Subject {
			o.Says = sc.Lang.Text("%s (it names %s, above it)", o.Says, defang(l.Subject.Value))
		}
		if l.Kind == tocsin.Risk && !o.Some() && len(sc.Sanctions) > 0 {
			for _, f := range sc.Factors {
				if slices.Contains(f.Lists, l.List) {
					o.Summed = f.Points
				}
			}
		}
		list = append(list, o)
	}
	for i, o := range list {
		names, others := []string{o.List}, []string(nil)
		for _, other := range list {
			if other.List != o.List && other.Kind == o.Kind && other.family == o.family {
				names, others = append(names, other.List), append(others, other.Title)
			}
		}
		if len(others) > 0 {
			list[i].With, list[i].Together = sc.Lang.List(others...), sc.WithoutLists(names...)
		}
	}
	return list
}

// howToObject says what a list asks of somebody who wants to be removed, as far as its own pages say so; "" for a list
// of which we do not know.
func howToObject(list string) locale.Key {
	switch list {
	case feed.OFAC:
		return "Write to OFAC.Reconsideration@treasury.gov with your name and address, the date of the listing, and why it " +
			"should end. Their page says what else to send. They take no requests by telephone."
	case "eth-phishing-detect":
		return "Fill in the form “Request blocklist removal” on GitHub."
	case "polkadot":
		return "Open an issue on GitHub, and say why the site is honest."
	case "phantom":
		return "Write to review@phantom.com, and say what the site is. Phantom named this address on the page of its list " +
			"in March 2025."
	case "scamsniffer":
		return "Open an issue on GitHub, or write to fun@scamsniffer.io. The public list is seven days behind, so it takes " +
			"at least a week until we see that you are off it."
	case "spmedia":
		return "Open an issue on GitHub and state your case. The list asks for that."
	case "mew-ethereum-lists":
		return "Open an issue on GitHub, or a pull request that removes the entry. The list asks for that."
	case "eth-labels", "etherscan-labels", "forta":
		return "The list copies the labels of Etherscan. Ask Etherscan to remove the label: you sign a message with the " +
			"address. Their page says how. The copy follows when it is next made."
	case "revoke-approval-exploits":
		return "Open an issue on GitHub."
	case feed.Unkept:
		return "Nobody keeps this list any more, and requests from 2020 and 2021 have no answer."
	}
	return ""
}
