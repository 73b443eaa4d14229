package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// form is the form that files a report, with what was typed into it.
type form struct {
	Fields  []*formField
	Notice  *notice        // why the report was not filed, if not for a problem in a field
	Closed  bool           // reports are not taken at the moment: there is nothing to fill in
	Nothing bool           // it names nothing by which the report could be found
	Hashes  bool           // something in it may be a transaction or a private key
	Asked   []question     // what in the title, in the story and among their accounts is asked about: whose is it?
	askedAt map[string]int // where in them a key is
	Senders []string       // who writes in a conversation in the story: which of them are the reporter?
	Unnamed bool           // nothing is named as theirs yet, and something in Asked can be
	Aside   []string       // words of the first field that the report leaves out, by line
	Same    bool           // the first field has what another report names
	Moved   bool           // what was typed into the first field is in the story now
	Cut     bool           // a recovery phrase or a private key was taken out of the story
	Tokens  bool           // keys or codes of this service were, and nothing else
	Offered string         // a handle that was looked up before, of which nobody has said whose it is; "" for none
	Sums    []sum          // what the amount may be, to choose from; nil if that is clear
	Refused bool           // what was sent was not taken, because of the state of filing
	SignIn  bool           // they would be with a key
	Name    string         // of the visitor's agent; "" for none
	HasKey  bool           // the visitor has a key, which the report is filed with
	Once    string         // random: the same form sent twice is one filing
	LastDay string         // the latest date that is not in the future everywhere

	Unasked bool // the form had no question for the platform of names such as @lena

	Corrects correction // of a report that is on record

	items   map[paste.Field][]item
	answers map[string]string // whose it is, by the key of what was asked about
	kept    map[string]bool   // the keys of answers that were given before the form was changed
	lang    *locale.Printer
}

// formField is one field of the form.
type formField struct {
	Name         string
	Label        locale.Key
	Text         string    // that was typed
	Problems     []problem // at most maxShown of them are of lines
	MoreProblems int       // problems beyond those
	holds        paste.Field
	secret       bool // a secret was typed, which is not shown again
	lang         *locale.Printer
}

// maxShown is how many problems of lines are shown for a field.
const maxShown = 5

// problem is what is wrong with a field, or with a line of it.
type problem struct {
	Line  int    // 0 for the field as a whole
	Brief string // for the summary
	Text  string
}

// notice says why something was not done.
type notice struct{ Title, Text string }

// item is a value, and the field into which it was typed.
type item struct {
	paste.Item
	from *formField
}

// choice is a crime type to choose.
type choice struct {
	Type tocsin.CrimeType
	Name string
}

// Choices are the crime types, the most frequent first.
func (f *form) Choices() (choices []choice) {
	for _, c := range []tocsin.CrimeType{
		tocsin.Phishing, tocsin.PigButchering, tocsin.InvestmentScam, tocsin.AddressPoison, tocsin.Impersonation,
		tocsin.RomanceScam, tocsin.RecoveryScam, tocsin.RugPull, tocsin.Hack, tocsin.Ransomware, tocsin.MoneyLaundering,
		tocsin.Scam, tocsin.OtherCrime,
	} {
		name, description := answer.CrimeName(f.lang, c), answer.CrimeDescription(f.lang, c)
		choices = append(choices, choice{c, f.lang.Text("%s: %s", name, description)})
	}
	return choices
}

// The names of the fields, which but for the first three and meantField are those of the API.
const (
	thingsField   = "things"   // scammerAddresses, scammerAccounts, reportedDomains and reportedHandles
	platformField = "platform" // the service of names such as @lena: see [form.placeNames]
	hashesField   = "hashes"   // "tx": what may be private keys as well are transactions
	meField       = "me"       // which of [form.Senders] the reporter is, a line each, or [nobodyIsMe]
	crimeField    = "crimeType"
	titleField    = "title"
	storyField    = "description"
	amountField   = "amountLost"
	meantField    = "amountMeant" // which of [form.Sums] it is
	currencyField = "currency"
	dateField     = "incidentDate"
	projectField  = "subjectProjectName"
	hashField     = "transactionHashes"
	linkField     = "urls"
)

// newForm makes a form with what was typed, without control and bidirectional characters.
func newForm(lang *locale.Printer, typed url.Values) *form {
	f := &form{lang: lang, Corrects: correctionOf(typed), items: map[paste.Field][]item{}}
	f.answers, f.kept = answersOf(typed)
	f.Fields = []*formField{
		{Name: thingsField, Label: "What you have", holds: paste.Things},
		{Name: platformField, Label: "Platform"},
		{Name: hashesField, Label: "Transactions"},
		{Name: meField, Label: "What happened"},
		{Name: crimeField, Label: "Kind of fraud"},
		{Name: titleField, Label: "In one line"},
		{Name: storyField, Label: "What happened"},
		{Name: amountField, Label: "Amount"},
		{Name: meantField, Label: "Amount"},
		{Name: currencyField, Label: "What was lost"},
		{Name: dateField, Label: "When"},
		{Name: projectField, Label: "Project"},
		{Name: hashField, Label: "Transactions", holds: paste.Transactions},
		{Name: linkField, Label: "Links", holds: paste.Links},
	}
	for _, field := range f.Fields {
		field.lang, field.Text = lang, tocsin.CleanText(typed.Get(field.Name))
	}
	f.Field(meField).Text = tocsin.CleanText(strings.Join(typed[meField], "\n"))
	f.Field(thingsField).Text, f.Offered = tocsin.CleanText(thingsOf(typed)), offeredBy(typed)
	if sure := f.Field(hashesField); sure.Text != "tx" {
		sure.Text = ""
	}
	if meant := f.Field(meantField); strings.Trim(meant.Text, "0123456789") != "" {
		meant.Text = ""
	}
	if place := f.Field(platformField); !slices.Contains(platforms, place.Text) {
		place.Text = ""
	}
	f.Unasked = !typed.Has(platformField)
	if once := typed.Get(onceField); len(once) <= 64 {
		f.Once = once
	}
	return f
}

// Field returns the field of a name.
func (f *form) Field(name string) *formField {
	for _, field := range f.Fields {
		if field.Name == name {
			return field
		}
	}
	panic("no field " + name) // names are constants
}

// ProblemCount counts the problems of all fields.
func (f *form) ProblemCount() (n int) {
	for _, field := range f.Fields {
		n += field.problemCount()
	}
	return n
}

// More reports whether what is optional is shown: something is typed there, or wrong.
func (f *form) More() bool {
	for _, name := range []string{amountField, currencyField, dateField, projectField, hashField, linkField} {
		if field := f.Field(name); field.Text != "" || field.problemCount() > 0 {
			return true
		}
	}
	return false
}

// ProblemTitle is the title of the summary of problems.
func (f *form) ProblemTitle() string {
	if f.Nothing && f.ProblemCount() == 1 {
		return f.lang.Text("We cannot publish this yet")
	}
	return f.lang.Text("%d things need another look", f.ProblemCount())
}

func (field *formField) problemCount() int { return len(field.Problems) + field.MoreProblems }

// Rows is the height of the text area: that of the text on a phone, between 3 and 12 lines.
func (field *formField) Rows() int {
	rows := 1
	for line := range strings.SplitSeq(field.Text, "\n") {
		if rows += 1 + len(line)/38; rows > 12 {
			break
		}
	}
	return min(max(3, rows), 12)
}

// addLineProblem adds a problem of a line. The advice may be empty.
func (field *formField) addLineProblem(line int, brief, text, advice string) {
	if len(field.Problems) >= maxShown {
		field.MoreProblems++
		return
	}
	if line > 0 && strings.Contains(field.Text, "\n") {
		text = field.lang.Text("Line %s: %s", field.lang.Number(int64(line)), text)
	} else {
		line = 0
	}
	text = field.lang.Sentences(text, advice)
	field.Problems = append(field.Problems, problem{Line: line, Brief: brief, Text: text})
}

// addProblem adds a problem of the field as a whole.
func (field *formField) addProblem(brief, text string) {
	field.Problems = append(field.Problems, problem{Brief: brief, Text: text})
}

// Location is where a problem is, for the summary.
func (field *formField) Location(p problem) string {
	if p.Line > 0 {
		return field.lang.Text("%s, line %s", field.Label, field.lang.Number(int64(p.Line)))
	}
	return field.lang.Text(field.Label)
}

// clearSecret empties a field with a secret, so that the page does not repeat it: tokens of this service, or another.
func (field *formField) clearSecret(tokens bool) {
	if field.secret {
		return
	}
	field.secret = true
	field.Text, field.Problems, field.MoreProblems = "", nil, 0
	if t := field.lang.Text; tokens {
		field.addProblem(t("it held an API key or the code of a report"),
			field.lang.Sentences(t(looksLikeToken), t(whatTokensOpen)))
		return
	}
	field.addProblem(field.lang.Text("it held a recovery phrase or a private key"),
		field.lang.Text("There was a recovery phrase or a private key in it. We kept nothing and do not show it again. "+
			"Anyone who has it has the money: if anybody saw it, move what is left to a new wallet first. "+
			"Your browser’s Back button may bring your text back; take the secret out before you send it."))
}

// parse reads the form. The draft is valid only if ProblemCount is 0 afterwards.
func (f *form) parse(now time.Time) tocsin.Draft {
	f.toStory()
	for _, field := range f.Fields {
		if field.Name == storyField || field.Name == thingsField && field.holds == paste.Prose {
			f.cutSecrets(field)
		} else if paste.ContainsSecret(field.holds, field.Text) {
			field.clearSecret(tocsin.OnlyTokens(field.Text))
		}
		found := paste.Read(field.holds, field.Text)
		f.Aside = append(f.Aside, found.Aside...)
		for _, i := range found.Items {
			f.items[i.Field] = append(f.items[i.Field], item{i, field})
		}
		for _, p := range found.Problems {
			if p.Kind == paste.MaybeKey {
				f.Hashes = true
				if f.Field(hashesField).Text != "" {
					one := paste.Item{Field: paste.Transactions, Line: p.Line, Text: p.Text}
					f.items[paste.Transactions] = append(f.items[paste.Transactions], item{one, field})
					continue
				}
			}
			field.addPasteProblem(p)
		}
	}
	f.placeNames()
	named := len(f.items[paste.Addresses]) + len(f.items[paste.Domains]) + len(f.items[paste.Handles])
	f.askWhose()
	f.Unnamed = named == 0 && f.canName()
	text := func(name string) string { return f.Field(name).Text }
	optional := func(name string) *string {
		if t := text(name); t != "" {
			return &t
		}
		return nil
	}
	d := tocsin.Draft{
		CrimeType:          tocsin.CrimeType(text(crimeField)),
		Title:              text(titleField),
		Description:        text(storyField),
		ScammerAccounts:    f.texts(paste.Addresses), // of all chains: those of the EVM find their place
		ReportedDomains:    f.texts(paste.Domains),
		Currency:           strings.TrimPrefix(text(currencyField), "$"),
		IncidentDate:       optional(dateField),
		SubjectProjectName: optional(projectField),
		ReportedHandles:    f.texts(paste.Handles),
		Evidence:           tocsin.Attachments{URLs: f.texts(paste.Links), TransactionHashes: f.texts(paste.Transactions)},
	}
	if typed := text(amountField); typed != "" {
		d.AmountLost = f.amount(typed, &d)
	}
	d, err := d.Parse(now)
	var faults *tocsin.Error
	if errors.As(err, &faults) {
		for _, fault := range faults.Fields {
			if fault.Field == "scammerAddresses" && named == 0 {
				if !f.Unnamed {
					f.addNoSubject()
				}
				continue
			}
			f.addFault(fault)
		}
	}
	return d
}

// addNoSubject adds the problem of a report without a subject, unless a problem of the field for subjects explains it.
func (f *form) addNoSubject() {
	field := f.Field(thingsField)
	if field.problemCount() > 0 {
		return
	}
	f.Nothing = true
	text := f.lang.Text("Write at least one thing of theirs: an address, a website, an account, a phone number. " +
		"By it a report is found.")
	if len(f.items[paste.Transactions]) > 0 {
		text = f.lang.Text("A transaction alone is not enough. Open it in a block explorer, and copy the address that it " +
			"went to.")
	}
	field.addProblem(f.lang.Text("it names nothing of theirs"), text)
}

// texts returns the items of one kind, from all fields.
func (f *form) texts(field paste.Field) (list []string) {
	for _, i := range f.items[field] {
		list = append(list, i.Text)
	}
	return list
}

// Names of the buttons of the page that shows a report before it is published. The other one of the form asks for it.
const (
	publishField = "publish"
	nextField    = "next" // in its place while something is asked
	changeField  = "change"
)

// AsideList names the first of the words in Aside; "" for none.
func (f *form) AsideList() string {
	var list []string
	for _, words := range f.Aside[:min(len(f.Aside), maxShown)] {
		list = append(list, tocsin.Shorten(words, 60))
	}
	return f.lang.List(list...)
}

// AsksPlatform reports whether a name such as @lena was typed, and no platform could be chosen yet.
func (f *form) AsksPlatform() bool { return f.Unasked && f.Nameless() != "" }

// Typed are the fields with a text, apart from the answers that the page before publishing asks for.
func (f *form) Typed() (typed []*formField) {
	for _, field := range f.Fields {
		asked := field.Name == meField && f.AsksMe() || field.Name == platformField && f.AsksPlatform()
		if !asked && (field.Text != "" || field.Name == platformField) {
			typed = append(typed, field)
		}
	}
	return typed
}

// onceField is the hidden field that tells two sendings of one form from two forms.
const onceField = "once"

// idempotencyKey is that of the filing of a draft by this form; "" if it has none. A form that was changed and sent
// again is another filing.
func (f *form) idempotencyKey(draft *tocsin.Draft) string {
	if len(f.Once) < 16 {
		return ""
	}
	text, err := json.Marshal(draft)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(append([]byte(f.Once+" "), text...))
	return hex.EncodeToString(sum[:])
}
