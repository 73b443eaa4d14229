package web

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tocsin"
)

// form is a report on its way in, as somebody types it.
type form struct {
	Boxes  []*box
	Notice *notice // why nothing was filed, though nothing is wrong with what was typed
	Name   string  // of the visitor who is signed in
	Keyed  bool    // the report will stand under a key
	Latest string  // the last day that can have happened

	addresses, domains, urls, hashes []item
	foreign                          bool // it names something that we cannot file
}

// box is one field of the form, and what was typed into it.
type box struct {
	Name, Label string
	Text        string
	Problems    []problem // those that are told
	Untold      int       // how many are not
	secret      bool      // it held a secret, and is shown empty
}

// maxTold is how many problems of the lines of a box are told.
const maxTold = 5

// problem is what is wrong with a box, or with a line of it.
type problem struct {
	Line  int    // 0: no line in particular
	Brief string // for the summary
	Text  string
}

// notice says that the report was not taken.
type notice struct{ Title, Text string }

// item is one of the values of a box, and where it stood. What belongs into
// another box is moved there, and knows where it came from.
type item struct {
	from *box
	line int
	text string
}

// choice is one crime type to choose, in the words of somebody whom it befell.
type choice struct {
	Type        tocsin.CrimeType
	Name, About string
}

// Choices are the crime types, the most frequent first.
func (f *form) Choices() []choice {
	return []choice{
		{tocsin.Phishing, "Phishing", "A page or message took an approval or a recovery phrase"},
		{tocsin.PigButchering, "Pig butchering", "A new friend, weeks of talk, then a trading site"},
		{tocsin.InvestmentScam, "Investment scam", "Promised returns; paying out always needs one more fee"},
		{tocsin.AddressPoison, "Address poisoning", "I copied a look-alike address from my own history"},
		{tocsin.Impersonation, "Impersonation", "Posed as support, a company, or someone I know"},
		{tocsin.RomanceScam, "Romance scam", "Love first, then money"},
		{tocsin.RugPull, "Rug pull", "The project’s makers left with the money"},
		{tocsin.Hack, "Hack", "A contract, wallet or service was broken into"},
		{tocsin.Ransomware, "Ransomware or extortion", "Pay, or lose your files or your name"},
		{tocsin.MoneyLaundering, "Money laundering", "Moves or hides what others stole"},
		{tocsin.Scam, "Another scam", "It was fraud, and none of these fits"},
		{tocsin.OtherCrime, "Something else", "Tell us below in your own words"},
	}
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
	f := &form{}
	for _, b := range []struct{ name, label string }{
		{crimeBox, "What happened"}, {addressBox, "Addresses"}, {domainBox, "Websites"}, {projectBox, "Project"}, {titleBox, "In one line"},
		{storyBox, "What happened, in your words"}, {amountBox, "Amount"}, {currencyBox, "What was lost"}, {dateBox, "When"}, {hashBox, "Transactions"}, {linkBox, "Links"},
		{telegramBox, "Telegram"}, {whatsappBox, "WhatsApp"}, {facebookBox, "Facebook"}, {elsewhereBox, "Another account"},
	} {
		f.Boxes = append(f.Boxes, &box{Name: b.name, Label: b.label, Text: tocsin.CleanText(typed.Get(b.name))})
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
		if hasSecret(b) {
			b.conceal()
		}
	}
	f.sort(f.Box(addressBox))
	f.sort(f.Box(domainBox))
	f.readHashes()
	f.readLinks()
	text := func(name string) string { return f.Box(name).Text }
	optional := func(name string) *string {
		if t := text(name); t != "" {
			return &t
		}
		return nil
	}
	d := tocsin.Draft{
		CrimeType: tocsin.CrimeType(text(crimeBox)), Title: text(titleBox), Description: text(storyBox),
		ScammerAddresses: texts(f.addresses), ReportedDomains: texts(f.domains),
		Currency: strings.TrimPrefix(text(currencyBox), "$"), IncidentDate: optional(dateBox), SubjectProjectName: optional(projectBox),
		SocialMedia: tocsin.SocialMedia{WhatsApp: optional(whatsappBox), Telegram: optional(telegramBox), Facebook: optional(facebookBox), Other: optional(elsewhereBox)},
		Evidence:    tocsin.Attachments{URLs: texts(f.urls), TransactionHashes: texts(f.hashes)},
	}
	if typed := text(amountBox); typed != "" {
		amount, why := parseAmount(typed)
		if why != "" {
			f.Box(amountBox).say("it is not clear how much", why)
		}
		d.AmountLost = &amount
	}
	named := len(f.addresses) + len(f.domains)
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
	if !f.foreign && b.wrongs()+f.Box(domainBox).wrongs() > 0 {
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

// hasSecret looks for a secret in what was typed. What holds no prose is looked
// at a second time with everything between words taken for a space, as in links.
func hasSecret(b *box) bool {
	text := b.Text
	switch b.Name {
	case hashBox: // here the digits of a hash are no key, unless a word before them says so
		if tocsin.FindSecret("transaction "+strings.ReplaceAll(text, "\n", "\ntransaction ")) != nil {
			return true
		}
		text = hash.ReplaceAllString(text, " ")
	case addressBox, domainBox:
		words, err := url.PathUnescape(text)
		if err != nil {
			words = text
		}
		text += "\n" + spaced.Replace(words)
	}
	return tocsin.FindSecret(text) != nil
}

var spaced = strings.NewReplacer("/", " ", "=", " ", "&", " ", "+", " ", "-", " ", "_", " ")

func texts(items []item) (list []string) {
	for _, i := range items {
		list = append(list, i.text)
	}
	return list
}

// field is the name of a field in a fault of the rules: evidence.urls[3].
var field = regexp.MustCompile(`^(?:evidence\.|socialMedia\.)?(\w+)(?:\[(\d+)\])?$`)

// blame puts a fault that the rules found where it was typed.
func (f *form) blame(fault tocsin.Fault) {
	m := field.FindStringSubmatch(fault.Field)
	b := f.Box(m[1])
	if strings.HasPrefix(fault.Reason, "it seems to contain a ") { // FindSecret
		b.conceal()
		return
	}
	if b.secret {
		return // that it is empty now is no news
	}
	if m[2] != "" {
		i, _ := strconv.Atoi(m[2]) // digits
		one := map[string][]item{addressBox: f.addresses, domainBox: f.domains, hashBox: f.hashes, linkBox: f.urls}[b.Name][i]
		switch {
		case strings.Contains(fault.Reason, "EIP-55"):
			one.from.wrong(one.line, "a digit may be mistyped", "does not add up: its capital letters are a checksum, and say that a digit was mistyped. Compare it with where you have it from. If every digit is right, write it in small letters.")
		case b.Name == linkBox:
			one.from.wrong(one.line, "no link", "is not a link that we can keep: "+clipped(fault.Reason, 160)+".")
		default:
			one.from.wrong(one.line, clipped(fault.Reason, 80), "does not work: "+clipped(fault.Reason, 160)+".")
		}
		return
	}
	switch b.Name {
	case crimeBox:
		b.Text = ""
		b.say("choose one", "Choose what comes closest. If nothing does, choose “Something else”.")
	case titleBox:
		if b.Text == "" {
			b.say("it is empty", "Say in one line what happened, as you would tell a friend.")
			return
		}
		b.say("too long", tocsin.Sentence(fault.Reason)+" Shorten it; the rest can go into your story.")
	case storyBox:
		if b.Text == "" {
			b.say("it is empty", "Tell what happened, in a sentence or two at least.")
			return
		}
		b.say("too long", tocsin.Sentence(fault.Reason)+" Shorten it, or tell the rest in a second report.")
	case currencyBox:
		b.say("not a short name", "Write the short name of what was lost, such as USDT, ETH or EUR: 2 to 10 letters or digits.")
	case dateBox:
		if strings.Contains(fault.Reason, "future") {
			b.say("it lies in the future", "This day lies in the future. When did it happen?")
			return
		}
		b.say("not a date", "Write the day as year, month and day, such as 2026-01-31, so that nobody takes the month for the day.")
	case amountBox:
		if len(b.Problems) == 0 {
			b.say("more than we can keep", "This is not between 0 and a trillion US dollars.")
		}
	default:
		b.say(fault.Reason, tocsin.Sentence(fault.Reason)+" "+tocsin.Sentence(fault.Fix))
	}
}

// refused puts the faults of the store where they were typed: sites that
// everybody uses. It knows them by their name, since doubles were dropped.
func (f *form) refused(parsed tocsin.Draft, fault *tocsin.Error) {
	for _, one := range fault.Fields {
		m := field.FindStringSubmatch(one.Field)
		if m == nil || m[1] != domainBox || m[2] == "" {
			f.Box(storyBox).say(one.Reason, tocsin.Sentence(one.Reason)+" "+tocsin.Sentence(one.Fix))
			continue
		}
		i, _ := strconv.Atoi(m[2])
		name := parsed.ReportedDomains[i]
		for _, typed := range f.domains {
			if d, fault := tocsin.ParseDomain(typed.text); fault == nil && d.String() == name {
				typed.from.wrong(typed.line, name+" is a well-known site", fmt.Sprintf("names %s, a site that many honest people use, so it cannot be reported as a whole. If the fraud was a page or an account there, put the link to it under links, below, and name an address or a website of theirs.", name))
				break
			}
		}
	}
}
