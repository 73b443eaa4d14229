package web

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
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
	// bulkField is the name of the field with the subjects, fileField that of the file with them, and rowField that of
	// the fields with a line each.
	bulkField, fileField, rowField = "subjects", "file", "row"
	// columnField is the name of the fields with the columns that are read, shownField that of the one with what was
	// read when the page said what it costs, separatorField that of what separates the cells, restField that of the first
	// row that was not read, and solanaField that of the box to read addresses without a prefix as those of Solana.
	columnField, shownField, separatorField, restField, solanaField = "col", "shown", "sep", "rest", "solana"
	// maxKept is the longest text, in bytes, that is kept in the page with all the columns of a table. With the numbers
	// of the lines it fits into a form.
	maxKept = maxTyped - 16<<10
	// maxNumber is the highest number of a line.
	maxNumber = 20 * maxBulk
)

// bulkPage is the page where many subjects are looked up together.
type bulkPage struct {
	Text   string // what was typed; with commas between cells once it was read
	Wrong  string // with it; "" for nothing
	Step   string // "" to type, "ask" before the charge, "done"
	HasKey bool
	Quota  int    // free calls a day of the key or, without one, of any key
	Left   int    // of them, today
	Why    string // none is left though the key has some
	BadKey string // what is wrong with the key that was pasted; "" for nothing
	Daily  int    // look-ups a day of the network
	Own    int    // of them, today
	Most   int    // lines
	Each   int    // subjects that a call screens
	Lines  []bulkLine
	AsOf   tocsin.Time // of the table
	Rest   int         // the first row that is not in it, because there are too many; 0 for none

	Compared    *sheet.Comparison // with an earlier table; nil without one
	BadEarlier  string            // what is wrong with it; "" for nothing
	changesText string            // the changes as CSV

	Sections []bulkSection // of the table, in its order
	Brief    bool          // sections of what nobody warns of have only the numbers of their lines

	sheet.Layout
	Count    int      // rows that were read
	Dropped  bool     // there were more columns, but they were too long to keep
	AsSolana bool     // addresses without a prefix are read as those of Solana
	OnRecord int      // addresses without a prefix that are read as those of Solana because they are on record
	Key      int      // the column that identifies the rows; negative for none
	KeyName  string   // its name, such as that of the customer; "" for none
	Shown    string   // what was read, for shownField
	Stats    stats    // of the lists
	Stale    []string // public lists that are out of date

	Sanctioned []leftAccount // the sanctioned of the accounts that are not screened, without those that are elsewhere
	Named      int           // different subjects
	New        int           // of them, those that the visitor has not looked up today
	Repeated   int           // lines with a subject that an earlier line has
	Faults     int           // lines without a subject
	Misspelled int           // of them, those that mean a sanctioned account
	Handles    int           // of them, those with a handle: a name, a phone number, an e-mail address
	Hits       int           // lines with a sanctioned subject
	Formerly   int           // lines with one that was sanctioned and is no longer
	Spent      int           // lines for which neither a call nor a look-up was left
	Unread     int           // of them, those that were compared with sanctions alone
	Problems   []problemGroup
	Counts     []levelCount
	Alike      []alikePair // addresses that look alike, the first few pairs
	Pairs      int         // how many pairs there are
}

// bulkLine is a line of what was typed, with the answer.
type bulkLine struct {
	sheet.Line
	Key    string         // what the row has in the column of [bulkPage.KeyName]
	Secret bool           // it looked like a private key or a recovery phrase
	Hash   bool           // of a Secret: it had the form of a transaction as well
	Answer *answer.Answer // nil before the charge, and if nothing was left for it
	Reason string         // of the answer; "" without one
	Past   bool           // a list has named the subject, and does so no longer
	Unread bool           // nothing was left to look whether it is an alarm, either: only sanctions were
	Alarm  *answer.Answer // of the account that a line without a subject means; nil unless it warns

	Formerly bool // of Past: by a list of sanctions that has dropped it
}

// Path is the path of the page about the subject.
func (l bulkLine) Path() string { return screenPath(l.Subject) }

// Name is the subject as it is shown, whole: this table is printed, and compared with others.
func (l bulkLine) Name() string {
	switch {
	case l.Fault != nil:
		return l.Text
	case l.Subject.IsAddress():
		return l.Subject.Plain()
	}
	return defang(l.Subject.Value)
}

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

// Why says why the line has no answer.
func (l bulkLine) Why(p *locale.Printer) string {
	if l.Fault == nil {
		why := p.Text("No look-up was left for it. We looked for warnings: it is not Medium, High or Critical.")
		if l.Unread {
			why = p.Text("No look-up was left for it. We looked for sanctions alone, and found none: it may be High or " +
				"Critical.")
		}
		if note := l.Note(p); note != "" {
			why = p.Sentences(why, note)
		}
		return why
	}
	if l.Hash {
		return hashText(p)
	}
	if l.Secret {
		return p.Text(secretText)
	}
	return UnreadLine(p, l.Line, l.Alarm)
}

// Answered is how many rows have an answer.
func (b bulkPage) Answered() (n int) {
	last := 0
	for _, l := range b.Lines {
		if l.Answer != nil && l.Number != last {
			n, last = n+1, l.Number
		}
	}
	return n
}

// Sources are the columns that are read.
func (b bulkPage) Sources() []sheet.Column {
	return b.columns(func(c sheet.Column) bool { return c.Read })
}

// Chains are the names of the columns that say on which chain the addresses are.
func (b bulkPage) Chains() (names []string) {
	for _, c := range b.columns(func(c sheet.Column) bool { return c.Chain }) {
		names = append(names, c.Name)
	}
	return names
}

// ContraryLines are the numbers of the lines that say another chain than that of their address.
func (b bulkPage) ContraryLines() (numbers []int) {
	for _, l := range b.Lines {
		if l.Chain != "" && l.Fault == nil {
			numbers = append(numbers, l.Number)
		}
	}
	return slices.Compact(numbers)
}

func (b bulkPage) columns(has func(sheet.Column) bool) []sheet.Column {
	return slices.DeleteFunc(slices.Clone(b.Columns), func(c sheet.Column) bool { return !has(c) })
}

// Choices are the columns that can be read: those with a subject.
func (b bulkPage) Choices() []sheet.Column {
	return b.columns(func(c sheet.Column) bool { return c.Read || c.Subjects() > 0 })
}

// Missed are the columns with accounts that are not screened.
func (b bulkPage) Missed() []sheet.Column {
	return b.columns(func(c sheet.Column) bool { return c.Beside > 0 })
}

// Separator is what separates the cells, for its field.
func (b bulkPage) Separator() string {
	switch b.Comma {
	case 0:
		return ""
	case '\t':
		return "tab"
	}
	return string(b.Comma)
}

// Unknown is how many lines have neither a subject nor a handle.
func (b bulkPage) Unknown() int { return b.Faults - b.Handles }

// Calls is how many calls the subjects take.
func (b bulkPage) Calls() int { return (b.New + perCall - 1) / perCall }

// Charge is how many calls are charged at most.
func (b bulkPage) Charge() int { return min(b.Calls(), b.Left) }

// Enough reports whether there are calls for all of them.
func (b bulkPage) Enough() bool { return b.Calls() <= b.Left }

// Affordable is how many new subjects are looked up at least: alarms take no look-up.
func (b bulkPage) Affordable() int { return min(b.New, b.Left*perCall+b.Own) }

// Ready is how many subjects are shown without a look-up: the visitor has looked them up today.
func (b bulkPage) Ready() int { return b.Named - b.New }

// Short reports whether some may not be looked up.
func (b bulkPage) Short() bool { return b.Affordable() < b.New }

// bulkPath is the path of the page with what was typed into the box filled in.
func bulkPath(box paste.Box) string {
	var texts []string
	for _, subject := range box.Subjects {
		texts = append(texts, subject.String())
	}
	for _, part := range box.Parts {
		if part.Problem != nil && part.Problem.Kind != paste.ConnectRequest {
			texts = append(texts, part.Text)
		}
	}
	return "/bulk?" + url.Values{bulkField: {strings.Join(append(texts, box.Handles...), "\n")}}.Encode()
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
	}
	if st, err := s.db.Stats(req.Context()); err == nil { // without them it says nothing about lists
		b.Stats = stats{st}
		b.Stale = staleLists(req.lang, st, s.db.Now())
	}
	form := ""
	if b.Step == "" { // later a table has its rows, and the way back to it is short
		form = "list"
	}
	return &page{
		Template:    "bulk",
		Form:        form,
		Title:       req.lang.Text("Look up many at once"),
		Description: req.lang.Text("Paste or upload up to %d addresses and websites. Download the answers as CSV.", maxBulk),
		Status:      status,
		Heavy:       b.Step != "",
		Body:        b,
	}
}

// sendBulk signs in with the key, if one was pasted, and reads what was typed.
func (s *Site) sendBulk(req *request) (*page, error) {
	if s.choseLanguage(req) {
		text, err := typedBulk(req)
		if err != nil {
			return nil, err
		}
		return s.bulkPage(req, s.readBulk(req, text), http.StatusOK), nil
	}
	do := req.PostFormValue("do")
	if req.PostFormValue(keyField) == "" && do != "key" {
		return s.sendList(req, do != "")
	}
	wrong, err := s.useKey(req)
	if err != nil {
		return nil, err
	}
	text, err := typedBulk(req)
	switch {
	case err != nil:
		return nil, err
	case wrong != "":
		b := s.readBulk(req, text)
		if b.BadKey = wrong; b.Named > 0 {
			b.Step = "ask"
		}
		return s.bulkPage(req, b, http.StatusBadRequest), nil
	case text == "":
		return &page{Location: "/bulk"}, nil
	}
	return s.sendList(req, false)
}

// sendList reads what was typed, says what it costs and, when that was confirmed, looks it up.
func (s *Site) sendList(req *request, confirmed bool) (*page, error) {
	text, err := typedBulk(req)
	if err != nil {
		return nil, err
	}
	b := s.readBulk(req, text)
	do := req.PostFormValue("do")
	switch {
	case b.Wrong != "":
	case len(b.Lines) == 0:
		b.Wrong = req.lang.Text("There is no line with an address or a site in it.")
	case b.Named == 0 && b.Solana == 0 && len(b.Choices()) < 2:
		b.Wrong = req.lang.Text("No line has an address or a site in it. The first one: %s", b.Lines[0].Why(req.lang))
	case confirmed && do == "edit":
		return s.bulkPage(req, b, http.StatusOK), nil
	case confirmed && slices.Contains([]string{"screen", "csv", "compare", "changes"}, do) &&
		(req.PostFormValue(shownField) == b.Shown || req.PostFormValue(shownField) == ""):
		return s.answerBulk(req, b)
	default:
		b.Step = "ask"
		return s.bulkPage(req, b, http.StatusOK), nil
	}
	return s.bulkPage(req, b, http.StatusBadRequest), nil
}

// typedBulk returns the text of the file that was sent or, without one, of the field or of the rows of a table.
func typedBulk(req *request) (string, error) {
	file, _, err := req.FormFile(fileField)
	if err != nil { // it is no form with a file, or none was chosen
		if rows := req.PostForm[rowField]; len(rows) > 0 {
			return typedRows(rows), nil
		}
		return req.PostFormValue(bulkField), nil
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if len(text) > maxForm-6<<10 { // as the page says
		return "", errLargeForm
	}
	if len(text) == 0 {
		return req.PostFormValue(bulkField), err
	}
	return string(text), err
}

// typedRows puts rows in their places. Each begins with the number of its line, because a table shows them in another
// order: there, beside the link with the same subject, a row costs few bytes once the page is compressed.
func typedRows(rows []string) string {
	lines, last := make([]string, maxNumber), 0
	for _, row := range rows {
		number, text, _ := strings.Cut(row, " ")
		number, lower := strings.CutSuffix(number, lowerMark)
		n, _ := strconv.Atoi(number) // 0 of what is none
		if n < 1 || n > maxNumber {
			continue
		}
		if lower {
			text = evmForm.ReplaceAllStringFunc(text, strings.ToLower)
		}
		lines[n-1], last = text, max(last, n)
	}
	return strings.Join(lines[:last], "\n")
}

// carriedList returns the list that a visitor who signs in on the way has sent along, as it is read; nil for none. It
// goes through the forms of the sign-in with the columns that were ticked, so nothing of it is kept here.
func (s *Site) carriedList(req *request) *bulkPage {
	if req.Method != http.MethodPost {
		return nil
	}
	text, err := typedBulk(req)
	if err != nil || text == "" {
		return nil
	}
	b := s.readBulk(req, text)
	b.Step = "done" // all that was chosen goes along in hidden fields
	return &b
}
