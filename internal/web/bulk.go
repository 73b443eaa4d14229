package web

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/sheet"
)

const (
	// maxBulk is how many lines can be looked up together.
	maxBulk = 500
	// perCall is how many subjects a call screens, as POST /subjects/check does.
	perCall = 50
	// bulkField is the name of the field with the subjects, and fileField that of the file with them.
	bulkField, fileField = "subjects", "file"
)

// bulkPage is the page where many subjects are looked up together.
type bulkPage struct {
	Text   string // what was typed; as a table of one column once it was read
	Wrong  string // with it; "" for nothing
	Step   string // "" to type, "ask" before the charge, "done"
	HasKey bool
	SignIn string // the path where the visitor signs in and comes back
	Quota  int    // free calls a day of the key or, without one, of any key
	Left   int    // of them, today
	Why    string // none is left though the key has some
	Daily  int    // look-ups a day of the network
	Own    int    // of them, today
	Most   int    // lines
	Each   int    // subjects that a call screens
	Lines  []bulkLine
	Named  int // different subjects
	New    int // of them, those that the visitor has not looked up today
	Faults int // lines without a subject
	Spent  int // lines for which neither a call nor a look-up was left
	Counts []levelCount
}

// bulkLine is a line of what was typed, with the answer.
type bulkLine struct {
	sheet.Line
	Wrong  locale.Key     // why it names no subject; "" if it does
	Answer *answer.Answer // nil before the charge, and if nothing was left for it
}

// Path is the path of the page about the subject.
func (l bulkLine) Path() string { return screenPath(l.Subject) }

// weight orders the table: the highest score first, and lines without an answer before those without a finding.
func (l bulkLine) weight() int {
	switch {
	case l.Answer == nil:
		return 0
	case l.Answer.Result == tocsin.NoReports:
		return -1
	}
	return l.Answer.RiskScore
}

// Because explains the score.
func (l bulkLine) Because() string {
	p, parts := l.Answer.Lang, []string{}
	for _, step := range l.Answer.Steps() {
		parts = append(parts, p.Text("%s (%s)", step.Name, step.Signed()))
	}
	switch {
	case len(parts) > 0:
		return p.List(parts...)
	case l.Answer.Safelisted:
		return p.Text("On a safelist")
	case l.Answer.Result == tocsin.Caution:
		return p.Text("Reports on record, which score nothing by themselves")
	}
	return p.Text("Nothing on record, which does not make it safe")
}

// whyNoSubject says why a line names no subject.
func whyNoSubject(fault *tocsin.Error) locale.Key {
	if strings.Contains(sheet.Reason(fault), "checksum") {
		return "A character may be wrong: the checksum of the address does not add up."
	}
	return "This is no address and no website that we can read."
}

// Answered is how many lines have an answer.
func (b bulkPage) Answered() int { return len(b.Lines) - b.Faults - b.Spent }

// levelCount is how many lines have a level.
type levelCount struct {
	Level tocsin.Level
	Count int
}

// Calls is how many calls the subjects take.
func (b bulkPage) Calls() int { return (b.New + perCall - 1) / perCall }

// Enough reports whether there are calls for all of them.
func (b bulkPage) Enough() bool { return b.Calls() <= b.Left }

// Affordable is how many new subjects are looked up at least: alarms take no look-up.
func (b bulkPage) Affordable() int { return min(b.New, b.Left*perCall+b.Own) }

// Short reports whether some may not be looked up.
func (b bulkPage) Short() bool { return b.Affordable() < b.New }

// bulkPath is the path of the page with some texts filled in.
func bulkPath(texts ...string) string {
	return "/bulk?" + url.Values{bulkField: {strings.Join(texts, "\n")}}.Encode()
}

// severalSubjects are the texts of the subjects in a text with more than one.
func severalSubjects(q string) (texts []string) {
	for _, item := range paste.Read(paste.Addresses, tocsin.CleanText(q)).Items {
		if _, fault := tocsin.ParseSubject(item.Text); fault == nil {
			texts = append(texts, item.Text)
		}
	}
	return texts
}

// bulk shows an empty form, or one that a link has filled.
func (s *Site) bulk(req *request) (*page, error) {
	text := req.URL.Query().Get(bulkField)
	if tocsin.FindSecret(text) != nil {
		text = ""
	}
	return s.bulkPage(req, bulkPage{Text: text}, http.StatusOK), nil
}

// bulkPage completes the page with what the visitor has left.
func (s *Site) bulkPage(req *request, b bulkPage, status int) *page {
	b.Most, b.Each, b.Quota, b.Daily = maxBulk, perCall, s.config.Quota, s.config.Limits.Lookups
	b.Own = s.api.Budgets().Lookups.Left(front.Of(req.Context()).Network().String())
	if caller := req.caller(); caller != nil {
		b.HasKey, b.Quota = true, s.api.Quota(caller)
		b.Left, b.Why = s.freeLeft(req, caller, s.db.Used(caller))
	} else if b.SignIn = signInPath(bulkPath(b.Text)); b.Text == "" || b.SignIn == "/account" {
		b.SignIn = signInPath("/bulk")
	}
	return &page{
		Template:    "bulk",
		Title:       req.lang.Text("Look up many at once"),
		Description: req.lang.Text("Paste or upload up to %d addresses and websites. Download the answers as CSV.", maxBulk),
		Status:      status,
		Body:        b,
	}
}

// sendBulk reads what was typed, says what it costs and, when that was confirmed, looks it up.
func (s *Site) sendBulk(req *request) (*page, error) {
	text, err := typedBulk(req)
	if err != nil {
		return nil, err
	}
	lines, more := sheet.Read(text, maxBulk)
	b := bulkPage{Lines: make([]bulkLine, len(lines))}
	named := map[tocsin.Subject]bool{}
	for i, l := range lines {
		b.Lines[i].Line = l
		switch {
		case l.Fault == nil:
			if !named[l.Subject] && !s.hasLookedUp(req, l.Subject) {
				b.New++
			}
			named[l.Subject] = true
		case tocsin.FindSecret(l.Text) != nil:
			b.Lines[i].Text, b.Lines[i].Wrong = "…", secretText
			b.Faults++
		default:
			b.Lines[i].Text, b.Lines[i].Wrong = tocsin.Shorten(l.Text, 120), whyNoSubject(l.Fault)
			b.Faults++
		}
	}
	b.Named, b.Text = len(named), column(b.Lines)
	switch {
	case more:
		b.Wrong = req.lang.Text("There are more than %d lines. Those are below; send the rest after them.", maxBulk)
	case len(lines) == 0:
		b.Wrong = req.lang.Text("There is no line with an address or a site in it.")
	case b.Named == 0:
		b.Wrong = req.lang.Text("No line has an address or a site in it. The first one: %s", b.Lines[0].Wrong)
	case req.PostFormValue("do") == "edit":
		return s.bulkPage(req, b, http.StatusOK), nil
	case req.PostFormValue("do") == "":
		b.Step = "ask"
		return s.bulkPage(req, b, http.StatusOK), nil
	default:
		return s.answerBulk(req, b)
	}
	return s.bulkPage(req, b, http.StatusBadRequest), nil
}

// typedBulk returns the text of the file that was sent or, without one, of the field.
func typedBulk(req *request) (string, error) {
	file, _, err := req.FormFile(fileField)
	if err != nil { // it is no form with a file, or none was chosen
		return req.PostFormValue(bulkField), nil
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if len(text) == 0 {
		return req.PostFormValue(bulkField), err
	}
	return string(text), err
}

// column writes lines as a table of one column, in which each has the number that it had.
func column(lines []bulkLine) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	number := 1
	for _, l := range lines {
		w.Flush()
		b.WriteString(strings.Repeat("\n", max(0, l.Number-number)))
		w.Write([]string{l.Text}) // a builder never fails
		number = l.Number + 1
	}
	w.Flush()
	return b.String()
}

// answerBulk looks the lines up, and shows the answers or sends them as CSV.
func (s *Site) answerBulk(req *request, b bulkPage) (*page, error) {
	answers, err := s.screenAll(req, b.Lines)
	if err != nil {
		return nil, err
	}
	counts := map[tocsin.Level]int{}
	for i := range b.Lines {
		l := &b.Lines[i]
		if l.Wrong != "" {
			continue
		}
		if a, ok := answers[l.Subject]; ok {
			l.Answer = &a
			counts[a.RiskLevel]++
			continue
		}
		l.Wrong = "No look-up was left for it."
		b.Spent++
	}
	if req.PostFormValue("do") == "csv" {
		return bulkTable(b.Lines)
	}
	for _, level := range []tocsin.Level{tocsin.Critical, tocsin.High, tocsin.Medium, tocsin.Low, tocsin.Clean} {
		if counts[level] > 0 {
			b.Counts = append(b.Counts, levelCount{level, counts[level]})
		}
	}
	slices.SortStableFunc(b.Lines, func(x, y bulkLine) int { return cmp.Compare(y.weight(), x.weight()) })
	b.Step = "done"
	return s.bulkPage(req, b, http.StatusOK), nil
}

// screenAll screens the subjects of lines. What the visitor has not looked up today takes a call of their key for each
// [perCall] and, when these are used up, a look-up of the network each. For what is missing in the answers neither was
// left, and it was not read (docs/decisions/0042-look-ups-first.md).
func (s *Site) screenAll(req *request, lines []bulkLine) (map[tocsin.Subject]answer.Answer, error) {
	answers := map[tocsin.Subject]answer.Answer{}
	screen := func(subjects []tocsin.Subject) error {
		for _, subject := range subjects {
			sc, err := s.judge(req, subject)
			if err != nil {
				return err
			}
			answers[subject] = sc
		}
		return nil
	}
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
		return nil, err
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
			return nil, err
		}
		for _, subject := range batch {
			lookups.Remember(caller.Agent.ID, lookUpOf(subject, ""))
		}
		asked = asked[len(batch):]
	}
	for _, subject := range asked {
		err := s.takeLookUp(req, lookUpOf(subject, ""), func() (alarm bool, err error) {
			err = screen([]tocsin.Subject{subject})
			return answers[subject].Alarm(), err
		})
		if errors.As(err, new(*quotaError)) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// bulkTable is the answers as CSV.
func bulkTable(lines []bulkLine) (*page, error) {
	var b strings.Builder
	w := sheet.NewWriter(&b)
	for _, l := range lines {
		var err error
		switch {
		case l.Answer != nil:
			err = w.Screened(l.Text, l.Subject, l.Answer.Screening)
		case l.Fault == nil:
			err = w.Skipped(l.Text, l.Subject, string(l.Wrong))
		case l.Wrong == secretText:
			err = w.Failed(l.Text, string(l.Wrong))
		default:
			err = w.Failed(l.Text, sheet.Reason(l.Fault))
		}
		if err != nil {
			return nil, err
		}
	}
	return &page{Text: b.String(), Download: "tocsin.csv"}, nil
}
