package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

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
	Since             *tocsin.Time // when the list named it; nil if unknown
	URL               string       // where to object; "" if nobody but the operator of the service can help
	How               string       // what the list asks for
	Read              string       // how long ago the list was read; "" if unknown
	answer.Share
}

// contested is a report that names a subject, and its part in the score.
type contested struct {
	reportRow
	answer.Share
}

// objectPage says how to object to what is on record about a subject.
type objectPage struct {
	answer.Answer
	Asked   bool // a subject was given
	Wrong   string
	Typed   string
	Name    string // the subject, shortened
	Lists   []objection
	Reports []contested // the newest of those that name it
	Contact string      // a URL of the operator, with a subject and a text for a mail; "" for none
	MadeAt  tocsin.Time
	Worth   answer.Worth // of a report in general
}

// maxObjected is how many reports the page names one by one. The page of the answer has all of them.
const maxObjected = 10

// Path is the path of the page about the subject.
func (p objectPage) Path() string { return screenPath(p.Subject) }

// File is the path of the case file as JSON.
func (p objectPage) File() string {
	return objectFilePath + "?" + url.Values{"subject": {p.Subject.String()}}.Encode()
}

// AllLists is the share of all lists together; nil if there are fewer than two.
func (p objectPage) AllLists() *answer.Share {
	if len(p.Lists) < 2 {
		return nil
	}
	var names []string
	for _, l := range p.Lists {
		names = append(names, l.List)
	}
	all := p.WithoutLists(names...)
	return &all
}

// AllReports is the share of all reports that were filed here; nil if there are fewer than two.
func (p objectPage) AllReports() *answer.Share {
	if p.ReportCount < 2 {
		return nil
	}
	all := p.WithoutReports()
	return &all
}

// object shows how to object to what is on record about a subject. It is a look-up like any other.
func (s *Site) object(req *request) (*page, error) {
	v := objectPage{Typed: redisplay(objected(req)), Contact: s.config.Contact,
		Worth: answer.ReportWorth(s.db.Now().Std())}
	p := &page{
		Template:    "object",
		Title:       req.lang.Text("Is it yours?"),
		Description: req.lang.Text("What to do if an honest address or site is named here by mistake."),
	}
	if objected(req) == "" {
		p.Body = v
		return p, nil
	}
	subject, fault := tocsin.ParseSubject(objected(req))
	if fault != nil {
		v.Wrong = req.lang.Text("We cannot read this as an address or a site. Paste it as it is on its page here.")
		p.Status = http.StatusBadRequest
		p.Body = v
		return p, nil
	}
	if err := s.readObjection(req, subject, &v); err != nil {
		return nil, err
	}
	p.Title, p.Body = req.lang.Text("Is it yours? %s", v.Name), v
	return p, nil
}

// objected is what was asked about.
func objected(req *request) string { return strings.TrimSpace(req.URL.Query().Get("subject")) }

// readObjection looks a subject up, and fills in what its owner needs.
func (s *Site) readObjection(req *request, subject tocsin.Subject, v *objectPage) error {
	var st store.Stats
	err := s.lookUp(req, lookUpOf(subject, ""), func() (alarm bool, err error) {
		if v.Answer, err = s.answer(req, subject, store.Page{Limit: maxObjected}); err != nil {
			return false, err
		}
		st, err = s.db.Stats(req.Context())
		return v.Alarm(), err
	})
	if err != nil {
		return err
	}
	read := map[string]string{}
	for _, l := range st.Lists {
		read[l.Name] = req.lang.Span(s.db.Now().Std().Sub(l.Imported.Std()))
	}
	v.Asked, v.Name, v.MadeAt = true, short(subject), v.AsOf
	v.Lists = objections(v.Answer, read)
	for _, row := range reportRows(req.lang, v.Dossier.Reports, false) {
		v.Reports = append(v.Reports, contested{reportRow: row, Share: v.WithoutReport(row.Report)})
	}
	v.Contact = contactAbout(s.config.Contact, req.lang.Text("Objection: %s", v.Name),
		letter(*v, s.config.BaseURL+screenPath(subject)))
	return nil
}

// objections are the lists that speak against the subject, each once. read has how long ago each was read.
func objections(sc answer.Answer, read map[string]string) (list []objection) {
	seen := map[string]bool{}
	for _, l := range sc.Dossier.Listings {
		if seen[l.List] || l.Kind != tocsin.Risk && l.Kind != tocsin.Sanction {
			continue
		}
		seen[l.List] = true
		o := objection{List: l.List, Title: answer.ListTitle(sc.Lang, l.List), Kind: l.Kind, Since: l.Since,
			Read: read[l.List], Share: sc.WithoutLists(l.List),
			How: sc.Lang.Text("The operator of this service keeps this list.")}
		if source, known := feed.Find(l.List); known && source.Objections() != "" {
			o.How = sc.Lang.Text(cmp.Or(howToObject(l.List), "Its page says where to ask."))
			if l.List != abandoned {
				o.URL = source.Objections()
			}
		}
		if o.Says = answer.CrimeName(sc.Lang, tocsin.CrimeType(l.Category)); l.Kind == tocsin.Sanction {
			o.Says = sc.Lang.Text("Sanctions, as %s", l.Name)
		} else if l.Subject != sc.Subject {
			o.Says = sc.Lang.Text("%s (it names %s, above it)", o.Says, defang(l.Subject.Value))
		}
		list = append(list, o)
	}
	return list
}

// abandoned is a list that nobody keeps any more: its page for objections leads nowhere.
const abandoned = "cryptoscamdb"

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
	case abandoned:
		return "Nobody keeps this list any more, and requests from 2020 and 2021 have no answer."
	}
	return ""
}
