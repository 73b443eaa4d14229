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
	Title, Says string
	URL         string // where to object; "" if nobody but the operator of the service can help
	How         string // what the list asks for
	Read        string // how long ago the list was read; "" if unknown
}

// objectPage says how to object to what is on record about a subject.
type objectPage struct {
	answer.Answer
	Asked   bool // a subject was given
	Wrong   string
	Typed   string
	Name    string // the subject, shortened
	Lists   []objection
	Reports []reportRow // the newest of those that name it
	Contact string      // a URL of the operator, with a subject for a mail; "" for none
}

// maxObjected is how many reports the page names one by one. The page of the answer has all of them.
const maxObjected = 5

// Path is the path of the page about the subject.
func (p objectPage) Path() string { return screenPath(p.Subject) }

// Sanctioned reports whether an authority names the subject.
func (p objectPage) Sanctioned() bool { return len(p.Sanctions) > 0 }

// object shows how to object to what is on record about a subject. It is a look-up like any other.
func (s *Site) object(req *request) (*page, error) {
	text := strings.TrimSpace(req.URL.Query().Get("subject"))
	v := objectPage{Typed: redisplay(text), Contact: contactAbout(s.config.Contact, "")}
	p := &page{
		Template:    "object",
		Title:       req.lang.Text("Is it yours?"),
		Description: req.lang.Text("What to do if an honest address or site is named here by mistake."),
	}
	if text == "" {
		p.Body = v
		return p, nil
	}
	subject, fault := tocsin.ParseSubject(text)
	if fault != nil {
		v.Wrong = req.lang.Text("We cannot read this as an address or a site. Paste it as it is on its page here.")
		p.Status = http.StatusBadRequest
		p.Body = v
		return p, nil
	}
	var st store.Stats
	err := s.lookUp(req, lookUpOf(subject, ""), func() (alarm bool, err error) {
		if v.Answer, err = s.answer(req, subject, store.Page{Limit: maxObjected}); err != nil {
			return false, err
		}
		st, err = s.db.Stats(req.Context())
		return v.Alarm(), err
	})
	if err != nil {
		return nil, err
	}
	read := map[string]string{}
	for _, l := range st.Lists {
		read[l.Name] = req.lang.Span(s.db.Now().Std().Sub(l.Imported.Std()))
	}
	v.Asked, v.Name = true, short(subject)
	v.Contact = contactAbout(s.config.Contact, "Objection: "+v.Name)
	v.Lists, v.Reports = objections(v.Answer, read), reportRows(req.lang, v.Dossier.Reports, false)
	p.Title, p.Body = req.lang.Text("Is it yours? %s", v.Name), v
	return p, nil
}

// objections are the lists that speak against the subject, each once. read has how long ago each was read.
func objections(sc answer.Answer, read map[string]string) (list []objection) {
	seen := map[string]bool{}
	for _, l := range sc.Dossier.Listings {
		if seen[l.List] || l.Kind != tocsin.Risk && l.Kind != tocsin.Sanction {
			continue
		}
		seen[l.List] = true
		o := objection{Title: answer.ListTitle(sc.Lang, l.List), Read: read[l.List],
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

// contactAbout is the URL of the operator; of a mail it sets the subject line.
func contactAbout(contact, subject string) string {
	if !strings.HasPrefix(contact, "mailto:") || subject == "" || strings.Contains(contact, "?") {
		return contact
	}
	return contact + "?subject=" + strings.ReplaceAll(url.QueryEscape(subject), "+", "%20")
}
