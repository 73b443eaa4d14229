package web

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/explorer"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// find redirects what was typed into a search field to its page.
func (s *Site) find(req *request) (*page, error) {
	q := strings.TrimSpace(req.URL.Query().Get("q"))
	if q == "" {
		q = strings.TrimSpace(req.URL.Query().Get("url")) // of what is shared with the app: see manifest
	}
	if q == "" {
		return &page{Location: "/"}, nil
	}
	return s.found(req, q)
}

// look answers what a search field has sent. It is posted, so that what is known to be a recovery phrase or a private
// key, and a hash, which a key may look like, is in no address, history or log of a proxy. Anything else has a page of
// its own, unless it is too long for the header of a response, of which proxies take 4 KB.
func (s *Site) look(req *request) (*page, error) {
	const longest = 2000
	q := strings.TrimSpace(req.PostFormValue("q"))
	box, at := paste.ReadBox(q), findPath(q)
	secret := []paste.Kind{paste.Secret, paste.MaybeKey, paste.TransactionHash}
	switch {
	case box.Aside, box.Problem != nil && slices.Contains(secret, box.Problem.Kind), tocsin.FindSecret(q) != nil,
		len(at) > longest:
		return s.found(req, q)
	}
	return &page{Location: at}, nil
}

// found is the page about what was typed, or a redirect to it.
func (s *Site) found(req *request, q string) (*page, error) {
	p, err := s.notASubject(req, q)
	if err == nil && strings.HasPrefix(p.Location, "/screen/") {
		p.Location = withQuery(p.Location, url.Values{asked: {"1"}})
	}
	return p, err
}

// asked is the parameter of a page that a search field redirects to. What was typed counts as a look-up, also where
// a link would not ([request.followed]).
const asked = "asked"

// beside is the parameter of the page of a subject beside which a transaction was typed, or a private key, which looks
// the same. The number itself is in no address of ours.
const beside = "beside"

// reportID is the id of a report, and likeReportID what is meant for one.
var (
	reportID     = regexp.MustCompile(`^rep_[a-z2-7]{16}$`)
	likeReportID = regexp.MustCompile(`(?i)^rep_[a-z0-9]{1,40}$`)
)

// notASubject answers a text that is not the canonical text of a subject: with the page of the subject or report in
// it, with a search of the reports for what has no score, or with what is wrong and what to do instead.
func (s *Site) notASubject(req *request, q string) (*page, error) {
	if likeReportID.MatchString(q) {
		return &page{Location: "/reports/" + strings.ToLower(q)}, nil
	}
	box := paste.ReadBox(q)
	broken := brokenScheme.MatchString(q) && !strings.Contains(q, "://")
	if site := meantSite(q); site != "" && (broken || len(box.Subjects) == 0) {
		return meantPage(req.lang, q, site), nil
	}
	many := max(len(box.Subjects), len(box.Parts)) + len(box.Handles)
	problem, lure := box.Problem, paste.LureIn(box.Text)
	toSearch := problem != nil && problem.Kind.Searchable() && len(box.Handles) > 0
	switch {
	case len(box.Subjects) > maxSeveral:
		return &page{Location: bulkPath(box)}, nil
	case len(box.Subjects)+len(box.Parts) > 0 && many > 1, slices.ContainsFunc(box.Parts, needsLead),
		toSearch && (many > 1 || box.Aside),
		(lure != "" || paste.HasIBAN(box.Text)) && len(box.Subjects)+len(box.Handles) > 0 && (problem == nil || toSearch):
		return s.several(req, box)
	case lure != "" && problem != nil && problem.Kind.Searchable():
		return lurePage(req.lang, q), nil
	case len(box.Subjects) > 0 && !box.Subjects[0].IsAddress() && tocsin.OfUsers(box.Subjects[0].Value):
		return s.sharedPage(req.lang, q, box.Subjects[0].Value), nil
	case len(box.Subjects) > 0:
		return &page{Location: typedPath(box.Subjects[0], q, box.Aside)}, nil
	}
	if box.Aside {
		q = box.Text
	}
	switch problem.Kind {
	case paste.MaybeKey:
		return s.transactionOrKeyPage(req, problem.Text)
	case paste.ENSName:
		return s.resolved(req, problem.Text, "")
	case paste.ExplorerPage:
		return explorerPage(req.lang, q, problem.Text), nil
	case paste.OnlyTransaction, paste.TransactionHash:
		return s.resolved(req, problem.Text, chainIn(q))
	case paste.OtherChain:
		return otherChainPage(req.lang, q, problem.Text), nil
	case paste.WalletName:
		return walletNamePage(req.lang, problem.Text), nil
	case paste.ConnectRequest:
		return connectRequestPage(req.lang), nil
	case paste.IPAddress:
		return numberPage(req.lang, problem.Text), nil
	case paste.SharedDomain:
		return s.sharedPage(req.lang, q, problem.Text), nil
	case paste.CheckoutPage:
		return checkoutPage(req.lang, q, problem.Text), nil
	case paste.Piece:
		return piecePage(req.lang, q, problem.Text), nil
	}
	if problem.Kind.Searchable() {
		if toSearch {
			return &page{Location: handlePath(box.Handles[0])}, nil
		}
		if _, fault := tocsin.ParseQuery(q); fault != nil {
			return nothingFoundPage(req.lang, q), nil
		}
		return &page{Location: "/reports?" + url.Values{"q": {q}, "asked": {"1"}}.Encode()}, nil
	}
	if problem.Kind == paste.Secret {
		return secretPage(req, q), nil
	}
	m, err := s.mistake(req, cmp.Or(problem.Address, q))
	if err != nil {
		return nil, err
	}
	return m.page(req.lang, q, *problem), nil
}

// typedPath is the path of the page about a subject that was typed, with the chain that was typed with it. Aside means
// that a transaction, or what may be one, was left out.
func typedPath(subject tocsin.Subject, q string, aside bool) string {
	with := url.Values{}
	if chain := chainIn(q); subject.Kind == tocsin.EVM && chain != "" && chain != "eip155:1" { // whose explorer is first
		with.Set(resolvedOn, chain)
	}
	if aside {
		with.Set(beside, "1")
	}
	return withQuery(screenPath(subject), with)
}

// Links are those of the answer, that of the chain that was typed first.
func (v screenPage) Links() []answer.Link {
	links := v.Answer.Links()
	e, known := explorer.Of(v.On)
	if !known || v.Subject.Kind != tocsin.EVM {
		return links
	}
	first := answer.Link{Name: e.Name, URL: e.Account(v.Subject.Plain())}
	return append([]answer.Link{first}, slices.DeleteFunc(links, func(l answer.Link) bool { return l == first })...)
}

// screenPath is the path of the page about a subject.
func screenPath(subject tocsin.Subject) string {
	return "/screen/" + url.PathEscape(subject.String())
}

// mistypedPage is what was typed and cannot be looked up.
type mistypedPage struct {
	Typed, Wrong string
	mistake
}

// Known is what is known of the account that was meant.
func (p mistypedPage) Known() unreadPart { return unreadPart{mistake: p.mistake} }

// screenPage is the page about a subject.
type screenPage struct {
	answer.Answer
	Verdict   answer.Verdict
	Steps     []answer.Step
	Reports   []reportRow
	Next      string // the path of the next page of reports; "" for none
	First     bool   // it is the first page of reports
	Related   folded[relatedRow]
	Same      sameParty
	Handles   folded[link]     // searches for handles that the same reports name
	Timeline  *answer.Timeline // nil for none
	Sums      *answer.Sums     // nil for none
	Stats     stats
	Stale     []string // public lists that are out of date
	Permalink string
	Manual    string      // the page of the documentation about the same operation
	Name      string      // the subject, shortened
	On        string      // the chain that was typed with it; "" for none
	Many      bool        // a domain under which anybody can have a page
	Pays      bool        // a domain where anybody can take payments
	From      *resolution // what was asked about, if it was not the subject itself
	Beside    bool        // a transaction, or what may be one, was typed with it
	FewLeft   string      // how many look-ups are left; "" if there are many
}

// Feed is the path of the feed of its reports.
func (v screenPage) Feed() string { return feedOf("", v.Subject.String()) }

// Recovery reports whether it is a site with the name of one that offers to bring lost money back.
func (v screenPage) Recovery() bool {
	return !v.Subject.IsAddress() && !v.KnownGood() && paste.IsRecoverySite(v.Subject.Value)
}

// ToCheck reports whether the page has steps to check the subject: nothing is known of it, or one source warns that
// nobody confirms.
func (v screenPage) ToCheck() bool { return v.Unreported() && !v.KnownGood() || v.Unconfirmed() }

// Heed reports whether it says not to send, by no level.
func (v screenPage) Heed() bool { return v.Misplaced() }

// StaleNames are the lists that are out of date.
func (v screenPage) StaleNames() string { return v.Lang.List(v.Stale...) }

// Looked says in a few words which lists were looked at; "" if no list knows such subjects.
func (v screenPage) Looked() string {
	lists := v.ListStats().Lists
	if len(lists) == 0 {
		return ""
	}
	oldest := slices.MinFunc(lists, func(a, b store.ListStats) int { return a.AsOf().Std().Compare(b.AsOf().Std()) })
	return v.Lang.Text("%d lists, the oldest of %s, and the reports of this service", len(lists),
		v.Lang.Day(oldest.AsOf().Std()))
}

// AlikeLooked says whether the address was compared with those that lists know; "" for a subject that is no address.
func (v screenPage) AlikeLooked() string {
	switch {
	case v.Domain() || v.Resembled() != nil:
		return ""
	case v.Subject.Kind != tocsin.EVM:
		return v.Lang.Text("We look for imitations of known addresses on EVM chains only, not on %s. Whether this one "+
			"imitates an address that you know, only you can see: compare every character.", v.Chain())
	}
	return v.Lang.Text("No known address has the same beginning and end. Whether it imitates an address that you know, " +
		"only you can see.")
}

// ListStats are the numbers of the lists that can name such a subject.
func (v screenPage) ListStats() stats { return v.Stats.forKind(v.Subject.Kind) }

// screen shows what is on record about a subject.
func (s *Site) screen(req *request) (*page, error) {
	text := req.PathValue("subject")
	if named := s.readPage(req, text); named != text {
		return s.notASubject(req, named)
	}
	subject, fault := tocsin.ParseSubject(text)
	_, handle := tocsin.ParseHandle(text) // a link to an account in a network is no look-up of the network
	if fault != nil || handle == nil || paste.Checkout(text) != "" {
		return s.notASubject(req, text) // as in a search field
	}
	if m, err := s.mistakeIn(req, paste.Part{Subject: subject}); err != nil {
		return nil, err
	} else if m.Meant != (tocsin.Subject{}) {
		return m.page(req.lang, text, paste.Problem{}), nil
	}
	cursor := req.URL.Query().Get("cursor")
	if at := screenPath(subject); req.URL.EscapedPath() != at && text != subject.String() {
		return &page{Location: typedPath(subject, text, false)}, nil // each subject has one path
	}
	var v screenPage
	var outlines []tocsin.Outline
	err := s.lookUp(req, lookUpOf(subject, cursor), func() (alarm bool, err error) {
		page := store.Page{Limit: store.FirstPage, Cursor: cursor}
		if v.Answer, err = s.answer(req, subject, page); err != nil {
			return false, err
		}
		if v.ReportCount > 0 && cursor == "" {
			if outlines, err = s.outlines(req.Context(), v.Answer); err != nil {
				return false, err
			}
		}
		if v.Lapsed, err = s.lapsed(req, v.Answer); err != nil {
			return false, err
		}
		if v.Same, err = s.sameParty(req, v.Answer); err != nil {
			return false, err
		}
		if err = s.addNamesakes(req, &v.Answer); err != nil {
			return false, err
		}
		st, err := s.db.Stats(req.Context())
		v.Stats = stats{st}
		return v.Warns(), err
	})
	if errors.As(err, new(*tocsin.Error)) { // everything but the cursor was checked
		return badCursorPage(req.lang), nil
	}
	if err != nil {
		return nil, err
	}
	v.Verdict, v.Name, v.First = v.Answer.Verdict(), short(subject), cursor == ""
	v.Reports = reportRows(req.lang, v.Dossier.Reports, false)
	v.Stale = v.Stats.staleFor(v.Answer, s.db.Now())
	if next := v.Dossier.NextCursor; next != "" {
		v.Next = screenPath(subject) + "?" + url.Values{"cursor": {next}}.Encode()
	}
	if of := req.URL.Query().Get(resolvedFrom); of != "" {
		if p, err := s.resolve(req, of, req.URL.Query().Get(resolvedOn)); err == nil && p.subject == subject {
			v.From = &p // anybody can write a link that says so
		}
	}
	v.Beside, v.On = req.URL.Query().Has(beside), req.URL.Query().Get(resolvedOn)
	v.FewLeft = s.fewLeft(req)
	v.Permalink, v.Manual = s.config.BaseURL+screenPath(subject), "screen-address"
	if v.Chain() != "" {
		v.Manual = "screen-account"
	}
	if v.Domain() {
		v.Manual = "check-domain"
		if d, fault := tocsin.ParseDomain(subject.Value); fault == nil {
			v.Pays = paste.Checkout(d.String()+"/page") != "" // also with www. before it
			v.Many = d.Shared() || v.Pays
		}
	}
	if v.Result == tocsin.NoReports && v.Looked() == "" {
		v.Verdict.Found.Text = v.NoListsText()
	}
	v.Verdict.Found.Text = v.Lang.Sentences(append([]string{v.Verdict.Found.Text},
		v.FormerTexts(v.History, answer.Formerly, v.Lang.Day)...)...)
	if cursor == "" {
		v.Related = relatedRows(tocsin.NamedTogether(outlines, v.Dossier.ReportedNames(subject)...))
		v.Handles = handleLinks(req.lang, tocsin.HandlesNamed(outlines))
		v.Timeline, v.Sums = v.Answer.Timeline(outlines), v.Answer.Sums(outlines)
	}
	if v.Steps = v.Answer.Steps(); len(v.Steps) < 2 && !v.Answer.Suspicious() { // there is nothing to add up
		v.Steps = nil
	}
	return &page{
		Template:    "screen",
		Title:       req.lang.Text("%s: %s", v.Name, v.State()),
		Description: v.Lang.Sentences(v.Verdict.Title, v.Verdict.Lead),
		Card:        s.answerCard(req, v),
		Feed:        v.Feed(),
		Body:        v,
	}, nil
}

// outlines are those of the reports about a subject, newest first. Only if a page of reports does not hold all of
// them, they are read.
func (s *Site) outlines(ctx context.Context, sc answer.Answer) ([]tocsin.Outline, error) {
	if len(sc.Dossier.Reports) < sc.ReportCount {
		return s.db.Outlines(ctx, sc.Dossier.ReportedNames(sc.Subject))
	}
	var outlines []tocsin.Outline
	for i := range sc.Dossier.Reports {
		outlines = append(outlines, sc.Dossier.Reports[i].Outline())
	}
	return outlines, nil
}

// answer screens a subject, with a page of its reports, and with what lists have said of it.
func (s *Site) answer(req *request, subject tocsin.Subject, reports store.Page) (answer.Answer, error) {
	a, err := s.screened(req, subject, reports)
	if err != nil {
		return a, err
	}
	history, err := s.db.ListHistory(req.Context(), subject)
	a.AddHistory(history)
	return a, err
}

func (s *Site) screened(req *request, subject tocsin.Subject, reports store.Page) (answer.Answer, error) {
	d, err := s.db.AboutSubject(req.Context(), subject, reports)
	if err != nil {
		return answer.Answer{}, err
	}
	judged, err := s.api.Judged(req.Context(), []tocsin.Subject{subject}, []*store.Dossier{d}, nil)
	if err != nil {
		return answer.Answer{}, err
	}
	return answer.New(req.lang, subject, judged[0], s.db.Now().Std()), nil
}

// judge screens a subject whose level is shown, or that decides something, without its
// reports: anybody may have filed large ones.
func (s *Site) judge(req *request, subject tocsin.Subject) (answer.Answer, error) {
	return s.screened(req, subject, store.Page{})
}
