package web

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/paste"
)

// form is a report on its way in, as somebody types it.
type form struct {
	Fields  []*formField
	Notice *notice // why nothing was filed, though nothing is wrong with what was typed
	Name   string  // of the visitor who is signed in
	HasKey  bool    // the report will stand under a key
	LastDay string  // the last day that can have happened

	items        map[paste.Field][]item
	unreportable bool // it names something that a report cannot be about
}

// box is one field of the form, and what was typed into it.
type formField struct {
	Name, Label string
	Text        string
	Problems    []problem // the first ones
	MoreProblems      int       // how many more there are
	holds       paste.Field
	secret      bool // it held a secret, and is shown empty
}

// maxTold is how many problems of lines are shown for a box.
const maxShown = 5

// problem is what is wrong with a box, or with a line of it.
type problem struct {
	Line  int    // 0: no line in particular
	Brief string // for the summary
	Text  string
}

// notice says that the report was not taken.
type notice struct{ Title, Text string }

// item is a value, and the box into which it was typed.
type item struct {
	paste.Item
	from *formField
}

// choice is one crime type to choose.
type choice struct {
	Type tocsin.CrimeType
	Name string
}

// Choices are the crime types, the most frequent first.
func (f *form) Choices() (choices []choice) {
	for _, c := range []tocsin.CrimeType{
		tocsin.Phishing, tocsin.PigButchering, tocsin.InvestmentScam, tocsin.AddressPoison, tocsin.Impersonation,
		tocsin.RomanceScam, tocsin.RugPull, tocsin.Hack, tocsin.Ransomware, tocsin.MoneyLaundering, tocsin.Scam,
		tocsin.OtherCrime,
	} {
		choices = append(choices, choice{c, c.Name()})
	}
	choices[len(choices)-2].Name = "Another scam" // a scam that is none of those before it
	return choices
}

// The names of the boxes.
const (
	crimeField     = "crimeType"
	addressField   = "scammerAddresses"
	domainField    = "reportedDomains"
	titleField     = "title"
	storyField     = "description"
	amountField    = "amountLost"
	currencyField  = "currency"
	dateField      = "incidentDate"
	projectField   = "subjectProjectName"
	hashField      = "transactionHashes"
	linkField      = "urls"
	whatsappField  = "whatsapp"
	telegramField  = "telegram"
	facebookField  = "facebook"
	otherField = "other"
)

// newForm takes what was typed, so far as it may be shown again: without control
// and bidirectional characters.
func newForm(typed url.Values) *form {
	f := &form{items: map[paste.Field][]item{}, Fields: []*formField{
		{Name: crimeField, Label: "What happened"},
		{Name: addressField, Label: "Addresses", holds: paste.Addresses},
		{Name: domainField, Label: "Websites", holds: paste.Domains},
		{Name: projectField, Label: "Project"},
		{Name: titleField, Label: "In one line"},
		{Name: storyField, Label: "What happened, in your words"},
		{Name: amountField, Label: "Amount"},
		{Name: currencyField, Label: "What was lost"},
		{Name: dateField, Label: "When"},
		{Name: hashField, Label: "Transactions", holds: paste.Transactions},
		{Name: linkField, Label: "Links", holds: paste.Links},
		{Name: telegramField, Label: "Telegram"},
		{Name: whatsappField, Label: "WhatsApp"},
		{Name: facebookField, Label: "Facebook"},
		{Name: otherField, Label: "Another account"},
	}}
	for _, b := range f.Fields {
		b.Text = tocsin.CleanText(typed.Get(b.Name))
	}
	return f
}

// Box returns the box of that name.
func (f *form) Field(name string) *formField {
	for _, b := range f.Fields {
		if b.Name == name {
			return b
		}
	}
	panic("there is no box " + name) // a fault of the program
}

// Wrong counts the problems.
func (f *form) ProblemCount() (n int) {
	for _, b := range f.Fields {
		n += b.problemCount()
	}
	return n
}

// Verdict is the title of the summary of problems.
func (f *form) ProblemTitle() string {
	if n := f.ProblemCount(); n != 1 {
		return number(n) + " things need another look"
	}
	return "1 thing needs another look"
}

// wrongs counts the problems.
func (b *formField) problemCount() int { return len(b.Problems) + b.MoreProblems }

// Rows is how high the box is: as high as what was typed is on a phone, within reason.
func (b *formField) Rows() int {
	rows := 1
	for line := range strings.SplitSeq(b.Text, "\n") {
		if rows += 1 + len(line)/38; rows > 12 {
			break
		}
	}
	return min(max(3, rows), 12)
}

// wrong notes a problem. The text goes on after "Line 2", or after "This" where
// there is but one line.
func (b *formField) addLineProblem(line int, brief, text string) {
	if len(b.Problems) >= maxShown {
		b.MoreProblems++
		return
	}
	where := "This "
	if line > 0 && strings.Contains(b.Text, "\n") {
		where = fmt.Sprintf("Line %d ", line)
	} else {
		line = 0
	}
	b.Problems = append(b.Problems, problem{line, brief, where + text})
}

// say notes a problem of the whole box.
func (b *formField) addProblem(brief, text string) {
	b.Problems = append(b.Problems, problem{0, brief, text})
}

// Place is the label and the line, for the summary.
func (b *formField) Location(p problem) string {
	if p.Line > 0 {
		return fmt.Sprintf("%s, line %d", b.Label, p.Line)
	}
	return b.Label
}

// conceal empties a box that holds a secret, so that the answer does not have it.
func (b *formField) clearSecret() {
	if b.secret {
		return
	}
	b.secret = true
	b.Text, b.Problems, b.MoreProblems = "", nil, 0
	b.addProblem("it held a recovery phrase or a private key", "There was a recovery phrase or a private key in it. We kept nothing and do not show it again. "+
		"Whoever has it has the money: if anybody saw it, move what is left to a new wallet first. Your browser’s Back button may bring your text back; take the secret out before you send it.")
}

// parse reads the form. Unless Wrong is 0 the draft is worth nothing.
func (f *form) parse(now time.Time) tocsin.Draft {
	for _, b := range f.Fields {
		if paste.ContainsSecret(b.holds, b.Text) {
			b.clearSecret()
		}
		found := paste.Read(b.holds, b.Text)
		for _, i := range found.Items {
			f.items[i.Field] = append(f.items[i.Field], item{i, b})
		}
		for _, p := range found.Problems {
			b.addPasteProblem(p)
			f.unreportable = f.unreportable || p.Kind.Unreportable()
		}
	}
	text := func(name string) string { return f.Field(name).Text }
	optional := func(name string) *string {
		if t := text(name); t != "" {
			return &t
		}
		return nil
	}
	d := tocsin.Draft{
		CrimeType: tocsin.CrimeType(text(crimeField)), Title: text(titleField), Description: text(storyField),
		ScammerAddresses: f.texts(paste.Addresses), ReportedDomains: f.texts(paste.Domains),
		Currency: strings.TrimPrefix(text(currencyField), "$"), IncidentDate: optional(dateField), SubjectProjectName: optional(projectField),
		SocialMedia: tocsin.SocialMedia{WhatsApp: optional(whatsappField), Telegram: optional(telegramField), Facebook: optional(facebookField), Other: optional(otherField)},
		Evidence:    tocsin.Attachments{URLs: f.texts(paste.Links), TransactionHashes: f.texts(paste.Transactions)},
	}
	if typed := text(amountField); typed != "" {
		amount, problem := paste.Amount(typed)
		if problem != nil {
			f.Field(amountField).addProblem("it is not clear how much", amountText(*problem))
		}
		d.AmountLost = &amount
	}
	named := len(f.items[paste.Addresses]) + len(f.items[paste.Domains])
	d, err := d.Parse(now)
	var faults *tocsin.Error
	if errors.As(err, &faults) {
		for _, fault := range faults.Fields {
			if fault.Field == addressField && named == 0 {
				f.addNoSubject()
				continue
			}
			f.addFault(fault)
		}
	}
	return d
}

// namesNobody is what is wrong with a report without a subject, unless what is
// wrong with the boxes of subjects says so already.
func (f *form) addNoSubject() {
	b := f.Field(addressField)
	if !f.unreportable && b.problemCount()+f.Field(domainField).problemCount() > 0 {
		return
	}
	b.addProblem("neither an address nor a website that we can file", "Name at least one address that begins with 0x, or one website of theirs: by these a report is found. "+
		"If you know neither, we cannot take your report yet, and are sorry. "+f.OtherHelp())
}

// Elsewhere says who helps where we cannot.
func (f *form) OtherHelp() string {
	return "The police, and the exchange or bank that your money went through, can act on what you have: tell them today. " +
		"The block explorer of a chain takes reports of an address, the service of a chat those of a name."
}

// texts returns what was typed as one kind of item, from whichever box.
func (f *form) texts(field paste.Field) (list []string) {
	for _, i := range f.items[field] {
		list = append(list, i.Text)
	}
	return list
}
