package web

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/sheet"
)

// answerBulk looks the lines up, and shows the answers or sends them as CSV.
func (s *Site) answerBulk(req *request, b bulkPage) (*page, error) {
	answers, unread, err := s.screenAll(req, b.Lines)
	if err != nil {
		return nil, err
	}
	if b.Misspelled, err = s.addMeant(req, b.Lines); err != nil {
		return nil, err
	}
	b.groupProblems(req.lang) // which say it
	histories, err := s.histories(req, answers)
	if err != nil {
		return nil, err
	}
	counts := map[string]*levelCount{}
	for i := range b.Lines {
		l := &b.Lines[i]
		if a, ok := answers[l.Subject]; ok {
			a.AddHistory(histories[l.Subject])
			l.Answer = &a
			group := groupOf(l.Answer)
			if counts[group] == nil {
				counts[group] = &levelCount{Answer: l.Answer}
			}
			counts[group].Count++
			b.Hits += min(len(a.Sanctions), 1)
			l.Past = len(a.Former(histories[l.Subject])) > 0
			if l.Formerly = a.FormerlySanctioned(histories[l.Subject]); l.Formerly {
				b.Formerly++
			}
			l.Reason = strings.Join(a.Reasons(histories[l.Subject], req.lang.Day), "; ")
		} else if l.Fault == nil {
			b.Spent++
			if l.Unread = unread[l.Subject]; l.Unread {
				b.Unread++
			}
		}
	}
	st, err := s.db.Stats(req.Context())
	if err != nil {
		return nil, err
	}
	b.Stats = stats{st}
	switch do := req.PostFormValue("do"); do {
	case "csv":
		return s.bulkCSV(b, histories)
	case "compare", "changes":
		if err := s.compareBulk(req, &b, histories); err != nil {
			return nil, err
		}
		if do == "changes" && b.Compared != nil {
			return s.csvPage("changes-", b.changesText), nil
		}
	}
	for _, c := range counts {
		b.Counts = append(b.Counts, *c)
	}
	slices.SortFunc(b.Counts, func(x, y levelCount) int {
		return cmp.Or(cmp.Compare(x.rank(), y.rank()), cmp.Compare(y.Count, x.Count),
			cmp.Compare(groupOf(x.Answer), groupOf(y.Answer)))
	})
	b.AsOf, b.Step = s.db.Now(), "done"
	return s.bulkTable(req, b), nil
}

// bulkTable is the page with the table. If it is too heavy, what nobody warns of is listed by its lines alone and, if
// that does not help, the columns that are not read are left out.
func (s *Site) bulkTable(req *request, b bulkPage) *page {
	b.Sections = b.sections()
	brief := func(b bulkPage) *page {
		b.Brief = true
		return s.bulkPage(req, b, http.StatusOK)
	}
	p, dropped := s.bulkPage(req, b, http.StatusOK), b
	p.Lighter = []func() *page{
		func() *page { return brief(b) },
		func() *page {
			dropped.Lines = slices.Clone(b.Lines)
			dropped.dropColumns()
			dropped.groupProblems(req.lang)
			dropped.Sections = dropped.sections()
			return s.bulkPage(req, dropped, http.StatusOK)
		},
		func() *page { return brief(dropped) },
	}
	return p
}

// screenAll screens the subjects of lines. What the visitor has not looked up today takes a call of their key for each
// [perCall] and, when these are used up, a look-up of the network each. For what is missing in the answers neither was
// left, and it is no alarm unless it is unread: then nothing was left to find that out, and it is not sanctioned
// (docs/decisions/0042-look-ups-first.md).
func (s *Site) screenAll(
	req *request, lines []bulkLine,
) (answers map[tocsin.Subject]answer.Answer, unread map[tocsin.Subject]bool, err error) {
	answers = map[tocsin.Subject]answer.Answer{}
	screen := s.screenInto(req, answers)
	var known, asked []tocsin.Subject
	listed := map[tocsin.Subject]bool{}
	for _, l := range lines {
		switch {
		case l.Fault != nil || listed[l.Subject]:
		case s.hasLookedUp(req, l.Subject):
			known = append(known, l.Subject)
		default:
			asked = append(asked, l.Subject)
		}
		listed[l.Subject] = true
	}
	if err := screen(known); err != nil {
		return nil, nil, err
	}
	caller, lookups := req.caller(), s.api.Budgets().Lookups
	for caller != nil && len(asked) > 0 {
		batch := asked[:min(perCall, len(asked))]
		_, err := s.api.Free(req.Context(), caller, func() error { return screen(batch) })
		if errors.As(err, new(*api.Exhausted)) {
			for _, subject := range batch { // of a call that another one has used up meanwhile
				delete(answers, subject)
			}
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for _, subject := range batch {
			lookups.Remember(caller.Agent.ID, lookUpOf(subject, ""))
		}
		asked = asked[len(batch):]
	}
	for i, subject := range asked {
		err := s.takeLookUp(req, lookUpOf(subject, ""), func() (alarm bool, err error) {
			err = screen([]tocsin.Subject{subject})
			return answers[subject].Warns(), err
		})
		if errors.As(err, new(*quotaError)) {
			unread, err = s.addAlarms(req, asked[i:], answers, screen)
			return answers, unread, err
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return answers, nil, nil
}

// screenInto returns what screens subjects and keeps the answers.
func (s *Site) screenInto(req *request, answers map[tocsin.Subject]answer.Answer) func([]tocsin.Subject) error {
	return func(subjects []tocsin.Subject) error {
		for batch := range slices.Chunk(subjects, perCall) {
			dossiers, err := s.db.AboutAll(req.Context(), batch)
			if err != nil {
				return err
			}
			judged, err := s.api.Judged(req.Context(), batch, dossiers, nil)
			if err != nil {
				return err
			}
			called, err := s.db.PartiesCalled(req.Context(), batch...)
			if err != nil {
				return err
			}
			for i, d := range judged {
				a := answer.New(req.lang, batch[i], d, s.db.Now().Std())
				a.Namesakes = called[batch[i]]
				answers[batch[i]] = a
			}
		}
		return nil
	}
}

// addAlarms screens the subjects for which no look-up was left, and keeps the answers that warn. For each [perCall] of
// them it takes one of what the network may read beside its look-ups. When that is used up, only sanctions are found,
// and it returns the others as unread.
func (s *Site) addAlarms(
	req *request, rest []tocsin.Subject, answers map[tocsin.Subject]answer.Answer, screen func([]tocsin.Subject) error,
) (unread map[tocsin.Subject]bool, err error) {
	unread = map[tocsin.Subject]bool{}
	beside, network := s.api.Budgets().UncountedLookups, front.Of(req.Context()).Network().String()
	for batch := range slices.Chunk(rest, perCall) {
		var what strings.Builder // all of them, or one list would pay for another one
		for _, subject := range batch {
			what.WriteString(lookUpOf(subject, "") + "\n")
		}
		if _, ok := beside.Take(network, what.String()); !ok {
			for _, subject := range batch {
				unread[subject] = true
			}
			if batch, err = s.sanctioned(req, batch); err != nil {
				return nil, err
			}
		}
		if err := screen(batch); err != nil {
			return nil, err
		}
		for _, subject := range batch {
			if !answers[subject].Warns() {
				delete(answers, subject)
			}
		}
	}
	return unread, nil
}

// addMeant screens the accounts that lines without a subject mean, and keeps the answers that warn. They are charged as
// alarms are. It counts the lines that mean a sanctioned one.
func (s *Site) addMeant(req *request, lines []bulkLine) (sanctioned int, err error) {
	var meant []tocsin.Subject
	for _, l := range lines {
		if l.Meant != (tocsin.Subject{}) && !slices.Contains(meant, l.Meant) {
			meant = append(meant, l.Meant)
		}
	}
	alarms, err := s.alarms(req, meant)
	for i := range lines {
		if a, warns := alarms[lines[i].Meant]; warns {
			lines[i].Alarm = &a
			sanctioned += min(len(a.Sanctions), 1)
		}
	}
	return sanctioned, err
}

// alarms are the answers about some subjects that warn.
func (s *Site) alarms(req *request, subjects []tocsin.Subject) (map[tocsin.Subject]answer.Answer, error) {
	answers := map[tocsin.Subject]answer.Answer{}
	_, err := s.addAlarms(req, subjects, answers, s.screenInto(req, answers))
	return answers, err
}

// histories reads what lists say and have said of the subjects that are answered.
func (s *Site) histories(
	req *request, answers map[tocsin.Subject]answer.Answer,
) (map[tocsin.Subject][]tocsin.DatedListing, error) {
	histories := map[tocsin.Subject][]tocsin.DatedListing{}
	for batch := range slices.Chunk(slices.Collect(maps.Keys(answers)), perCall) {
		all, err := s.db.ListHistories(req.Context(), batch)
		if err != nil {
			return nil, err
		}
		for i, subject := range batch {
			histories[subject] = all[i]
		}
	}
	return histories, nil
}

// bulkCSV is the answers as CSV, in English.
func (s *Site) bulkCSV(b bulkPage, histories map[tocsin.Subject][]tocsin.DatedListing) (*page, error) {
	var t strings.Builder
	err := s.writeRows(sheet.NewWriter(&t, b.form()), b, histories)
	return s.csvPage("", t.String()), err
}

// form is the form of the CSV.
func (b bulkPage) form() sheet.Form {
	f := b.Layout.Form()
	f.Mark = false // the page of the CSV has one if it needs one
	f.Recorded, f.Lists = b.Stats.SanctionsRecorded(), b.Stats.ListNames()
	return f
}

// writeRows writes the answers, in English.
func (s *Site) writeRows(
	w *sheet.Writer, b bulkPage, histories map[tocsin.Subject][]tocsin.DatedListing,
) (err error) {
	english := s.langs.English()
	for _, l := range b.Lines {
		switch {
		case l.Answer != nil:
			a := *l.Answer
			a.Lang = english
			err = w.Screened(l.Line, a, histories[l.Subject])
		case l.Fault == nil:
			err = w.Skipped(l.Line, l.Why(english))
		default:
			var meant *answer.Answer
			if l.Alarm != nil {
				of := *l.Alarm
				of.Lang = english
				l.Alarm, meant = &of, &of
			}
			err = w.Failed(l.Line, l.Why(english), meant)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// csvPage is a CSV to save.
func (s *Site) csvPage(name, text string) *page {
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		text = "\ufeff" + text // without it Excel takes it for Windows-1252
	}
	return &page{Text: text, Download: "tocsin-" + name + s.db.Now().Std().UTC().Format(time.DateOnly) + ".csv"}
}
