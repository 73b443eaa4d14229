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
	Boxes  []*box
	Notice *notice // why nothing was filed, though nothing is wrong with what was typed
	Name   string  // of the visitor who is signed in
	Keyed  bool    // the report will stand under a key
	Latest string  // the last day that can have happened

	items        map[paste.Field][]item
	unreportable bool // it names something that a report cannot be about
}

// box is one field of the form, and what was typed into it.
type box struct {
	Name, Label string
	Text        string
	Problems    []problem // the first ones
	Untold      int       // how many more there are
	holds       paste.Field
	secret      bool // it held a secret, and is shown empty
}

// maxTold is how many problems of lines are shown for a box.
const maxTold = 5

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
	from *box
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
	crimeBox     = "crimeType"
	addressBox   = "scammerAddresses"
	domainBox    = "reportedDomains"
	titleBox     = "title"
	storyBox     = "description"
	amountBox    = "amountLost"
	currencyBox  = "currency"
	dateBox      = "incidentDate"
	projectBox   = "subjectProjectName"
	hashBox      = "transactionHashes"
	linkBox      = "urls"
	whatsappBox  = "whatsapp"
	telegramBox  = "telegram"
	facebookBox  = "facebook"
	elsewhereBox = "other"
)

// newForm takes what was typed, so far as it may be shown again: without control
// and bidirectional characters.
func newForm(typed url.Values) *form {
	f := &form{items: map[paste.Field][]item{}, Boxes: []*box{
		{Name: crimeBox, Label: "What happened"},
		{Name: addressBox, Label: "Addresses", holds: paste.Addresses},
		{Name: domainBox, Label: "Websites", holds: paste.Domains},
		{Name: projectBox, Label: "Project"},
		{Name: titleBox, Label: "In one line"},
		{Name: storyBox, Label: "What happened, in your words"},
		{Name: amountBox, Label: "Amount"},
		{Name: currencyBox, Label: "What was lost"},
		{Name: dateBox, Label: "When"},
		{Name: hashBox, Label: "Transactions", holds: paste.Transactions},
		{Name: linkBox, Label: "Links", holds: paste.Links},
		{Name: telegramBox, Label: "Telegram"},
		{Name: whatsappBox, Label: "WhatsApp"},
		{Name: facebookBox, Label: "Facebook"},
		{Name: elsewhereBox, Label: "Another account"},
	}}
	for _, b := range f.Boxes {
		b.Text = tocsin.CleanText(typed.Get(b.Name))
	}
	return f
}

// Box returns the box of that name.
func (f *form) Box(name string) *box {
	for _, b := range f.Boxes {
		if b.Name == name {
			return b
		}
	}
	panic("there is no box " + name) // a fault of the program
}

// Wrong counts the problems.
func (f *form) Wrong() (n int) {
	for _, b := range f.Boxes {
		n += b.wrongs()
	}
	return n
}

// Verdict is the title of the summary of problems.
func (f *form) Verdict() string {
	if n := f.Wrong(); n != 1 {
		return number(n) + " things need another look"
	}
	return "1 thing needs another look"
}

// wrongs counts the problems.
func (b *box) wrongs() int { return len(b.Problems) + b.Untold }

// Rows is how high the box is: as high as what was typed is on a phone, within reason.
func (b *box) Rows() int {
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
func (b *box) wrong(line int, brief, text string) {
	if len(b.Problems) >= maxTold {
		b.Untold++
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
func (b *box) say(brief, text string) {
	b.Problems = append(b.Problems, problem{0, brief, text})
}

// Place is the label and the line, for the summary.
func (b *box) Place(p problem) string {
	if p.Line > 0 {
		return fmt.Sprintf("%s, line %d", b.Label, p.Line)
	}
	return b.Label
}

// conceal empties a box that holds a secret, so that the answer does not have it.
func (b *box) conceal() {
	if b.secret {
		return
	}
	b.secret = true
	b.Text, b.Problems, b.Untold = "", nil, 0
	b.say("it held a recovery phrase or a private key", "There was a recovery phrase or a private key in it. We kept nothing and do not show it again. "+
		"Whoever has it has the money: if anybody saw it, move what is left to a new wallet first. Your browser’s Back button may bring your text back; take the secret out before you send it.")
}

// parse reads the form. Unless Wrong is 0 the draft is worth nothing.
func (f *form) parse(now time.Time) tocsin.Draft {
	for _, b := range f.Boxes {
		if paste.ContainsSecret(b.holds, b.Text) {
			b.conceal()
		}
		found := paste.Read(b.holds, b.Text)
		for _, i := range found.Items {
			f.items[i.Field] = append(f.items[i.Field], item{i, b})
		}
		for _, p := range found.Problems {
			b.pasted(p)
			f.unreportable = f.unreportable || p.Kind.Unreportable()
		}
	}
	text := func(name string) string { return f.Box(name).Text }
	optional := func(name string) *string {
		if t := text(name); t != "" {
			return &t
		}
		return nil
	}
	d := tocsin.Draft{
		CrimeType: tocsin.CrimeType(text(crimeBox)), Title: text(titleBox), Description: text(storyBox),
		ScammerAddresses: f.texts(paste.Addresses), ReportedDomains: f.texts(paste.Domains),
		Currency: strings.TrimPrefix(text(currencyBox), "$"), IncidentDate: optional(dateBox), SubjectProjectName: optional(projectBox),
		SocialMedia: tocsin.SocialMedia{WhatsApp: optional(whatsappBox), Telegram: optional(telegramBox), Facebook: optional(facebookBox), Other: optional(elsewhereBox)},
		Evidence:    tocsin.Attachments{URLs: f.texts(paste.Links), TransactionHashes: f.texts(paste.Transactions)},
	}
	if typed := text(amountBox); typed != "" {
		amount, problem := paste.Amount(typed)
		if problem != nil {
			f.Box(amountBox).say("it is not clear how much", amountText(*problem))
		}
		d.AmountLost = &amount
	}
	named := len(f.items[paste.Addresses]) + len(f.items[paste.Domains])
	d, err := d.Parse(now)
	var faults *tocsin.Error
	if errors.As(err, &faults) {
		for _, fault := range faults.Fields {
			if fault.Field == addressBox && named == 0 {
				f.namesNobody()
				continue
			}
			f.blame(fault)
		}
	}
	return d
}

// namesNobody is what is wrong with a report without a subject, unless what is
// wrong with the boxes of subjects says so already.
func (f *form) namesNobody() {
	b := f.Box(addressBox)
	if !f.unreportable && b.wrongs()+f.Box(domainBox).wrongs() > 0 {
		return
	}
	b.say("neither an address nor a website that we can file", "Name at least one address that begins with 0x, or one website of theirs: by these a report is found. "+
		"If you know neither, we cannot take your report yet, and are sorry. "+f.Elsewhere())
}

// Elsewhere says who helps where we cannot.
func (f *form) Elsewhere() string {
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
