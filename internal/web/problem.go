package web

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// addPasteProblem adds a problem of what was pasted, in words.
func (field *formField) addPasteProblem(p paste.Problem) {
	brief, text := problemText(field.holds, p)
	field.addLineProblem(p.Line, brief, text)
}

// problemText describes a problem of a line that was typed into a field: in brief, and
// as a sentence that begins with "This" or "Line 2".
func problemText(field paste.Field, p paste.Problem) (brief, text string) {
	short := tocsin.Shorten(p.Text, 40)
	switch p.Kind {
	case paste.TooMany:
		return "more than we can read", "is more than we can read at once: over 1,000 lines or words. " +
			"Leave the best of it, and send the rest in a second report."
	case paste.TooLong:
		return "too long", "has something in it that is longer than any address or link. " +
			"Paste what is theirs, and nothing else."
	case paste.CutShort:
		return "the middle is missing", "is cut short. Paste the whole address: " +
			"only its middle tells it from a look-alike."
	case paste.WrongDigit:
		return "a character that no address has", fmt.Sprintf(
			"has the character “%s”, which no address has: its digits are 0 to 9 and A to F.", p.Text)
	case paste.WrongLength:
		return addressLength(p)
	case paste.TransactionHash:
		return "a transaction, not an address", "has 64 digits after 0x, so it is a transaction; an address has 40. " +
			"If it is a private key, take it out and move what is left to a new wallet."
	case paste.WrongAccount:
		return "an address with a mistake", "looks like an address of " + p.Text + ", and is not one: " +
			p.Fault.Fields[0].Reason + ". Copy it again from where you have it."
	case paste.MaybeSolana:
		return "an address of Solana?", "may be an address of Solana, where an address has no checksum that could tell. " +
			"If it is one, write solana: before it."
	case paste.SeveralAddresses:
		return "a link with more than one address", "is a link with more than one address in it. " +
			"Paste the one that is theirs."
	case paste.AddressInQuery:
		return "whose address is it?", "is a link with an address behind its question mark, which may be your own. " +
			"Paste the address alone if it is theirs."
	case paste.ENSName:
		return "a name, not an address", fmt.Sprintf("is an ENS name: %s. "+
			"Paste the 0x address that it points to: your wallet shows it.", tocsin.Shorten(p.Text, 60))
	case paste.NotDomain:
		return "no website", "is not the name of a website, or a link to one: " +
			tocsin.Shorten(p.Fault.Fields[0].Reason, 160) + "."
	case paste.IPAddress:
		return "a number, not a name", fmt.Sprintf("is the number of a computer, %s. "+
			"Paste the name of the site that was shown.", short)
	case paste.SharedDomain:
		return p.Text + " belongs to many", fmt.Sprintf("names %s, where unrelated people have pages and names "+
			"of their own. Give the whole name of the site, such as someone.%[1]s. Or put the link to the page under links, "+
			"below, and name something else that is theirs.", p.Text)
	case paste.ChatName:
		return "a name in a chat", fmt.Sprintf("is a name in a chat: %s.", p.Text)
	case paste.MailAddress:
		return "no e-mail address", fmt.Sprintf("looks like an e-mail address, and is not one: %s.",
			tocsin.Shorten(p.Text, 60))
	case paste.NoCountryCode:
		return "a number without its country", fmt.Sprintf("has a phone number without its country code: %s. "+
			"Write it with + and the code, such as +44 for the United Kingdom.", short)
	case paste.HashLength:
		return fmt.Sprintf("%d digits, not 64", p.Count), fmt.Sprintf(
			"has %d digits after 0x; the hash of a transaction has 64.", p.Count)
	case paste.EVMAddress:
		return "an address, not a transaction", "has 40 digits after 0x, so it is an address; a transaction has 64. " +
			"If it is theirs, put it into the first field."
	case paste.LinkWithoutHash:
		return "a link without a transaction", "is a link without a transaction in it. Put it under links, below."
	case paste.Missing0x:
		return "the 0x is missing", "lacks the 0x with which the hash of a transaction begins. " +
			"One of another chain goes into your story."
	}
	return nothingFound(field, short)
}

// addressLength describes an address with too many or too few digits.
func addressLength(p paste.Problem) (brief, text string) {
	switch p.Count {
	case 41:
		return "one digit too many", fmt.Sprintf(
			"has 41 digits after 0x; an address has 40. Was the last “%s” meant to be there?", p.Text)
	case 39:
		return "one digit too few", "has 39 digits after 0x; an address has 40. Was one lost when you copied it?"
	}
	return fmt.Sprintf("%d digits, not 40", p.Count), fmt.Sprintf(
		"has %d digits after 0x; an address has 40.", p.Count)
}

// nothingFound describes a line with words only, of which one is quoted.
func nothingFound(field paste.Field, word string) (brief, text string) {
	switch field {
	case paste.Things:
		return "nothing that we know", fmt.Sprintf("has no address, website or account: “%s” is none of them. "+
			"Before an account write its service, such as telegram: lena_trades88. Before a name write name: Lena Gold.", word)
	case paste.Transactions:
		return "no transaction", fmt.Sprintf("has no transaction: “%s” is not one. Its hash is 0x and 64 digits.", word)
	case paste.Links:
		return "no link", fmt.Sprintf("has no link: “%s” is not one. It begins with https://", word)
	}
	return "no address", fmt.Sprintf("has no address: “%s” is not one. "+
		"An address is 0x and 40 digits from 0 to 9 and A to F.", word)
}

// amountText describes what is wrong with an amount.
func amountText(p paste.Problem) string {
	switch p.Kind {
	case paste.Negative:
		return "Write what was lost without a minus."
	case paste.NoNumber:
		return "Write a number, such as 12,400 or 1250.50, or leave it empty."
	case paste.Ambiguous:
		before, after, _ := strings.Cut(p.Text, ".")
		return fmt.Sprintf("%s can be read in two ways. Write %s%s if it was thousands, or %s.%s if it was not.",
			p.Text, before, after, before, after[:2])
	case paste.UnclearAmount:
		return fmt.Sprintf("We cannot tell what %s is. Write it with a point before the cents and nothing else, "+
			"such as 12400.50.", tocsin.Shorten(p.Text, 40))
	}
	return "Write a number of US dollars and nothing else, such as 12,400 or 1250.50. Of another currency or a coin, " +
		"write what it was worth in US dollars that day, and the coin in the next field."
}

// subjectText describes why a text cannot be looked up.
func subjectText(l *locale.Printer, typed string, p paste.Problem) string {
	switch p.Kind {
	case paste.TooMany:
		return l.Text("That is too long. Paste the address or the site alone.")
	case paste.Secret:
		return l.Text("It looks like a recovery phrase, a private key or a transaction. We kept nothing and do not show it " +
			"again. Anyone who has a phrase or a key has the money: if anybody saw it, move what is left to a new wallet " +
			"first. If it is a transaction, write tx before it.")
	case paste.SeveralSubjects:
		return l.Text("There is more than one address or site in it. Paste the one you mean.")
	case paste.CutShort:
		return l.Text("The middle of this address is missing. Paste the whole address: only its middle tells it from a " +
			"look-alike.")
	case paste.WrongAccount:
		if strings.Contains(p.Fault.Fields[0].Reason, "checksum") {
			return l.Text("This looks like a %s address, but its checksum does not hold: at least one character is wrong. "+
				"Copy it again from where you have it.", p.Text)
		}
		return l.Text("This looks like a %s address, but it is not one. %s Copy it again from where you have it.", p.Text,
			tocsin.Sentence(p.Fault.Fields[0].Reason))
	case paste.NotDomain:
		return l.Text("This is no link to a website: %s Paste the link as you have it, or the name of the site, such as "+
			"example[.]com.", tocsin.Sentence(tocsin.Shorten(p.Fault.Fields[0].Reason, 160)))
	case paste.Invalid:
		return explain(p.Fault)
	}
	field := &formField{Text: tocsin.CleanText(typed), holds: paste.Addresses}
	field.addPasteProblem(p)
	text, _, _ := strings.Cut(field.Problems[0].Text, ". ") // the advice after it is for reports
	return l.Text("%s An address is 0x and 40 digits from 0 to 9 and A to F; a site is a name such as example[.]com, "+
		"or a link to it.", tocsin.Sentence(text))
}

// faultField matches the field of a fault, such as evidence.urls[3].
var faultField = regexp.MustCompile(`^(?:evidence\.|socialMedia\.)?(\w+)(?:\[(\d+)\])?$`)

// itemsOf returns what the items of a field of a draft were found as.
func itemsOf(field string) paste.Field {
	switch field {
	case "scammerAddresses", "scammerAccounts":
		return paste.Addresses
	case "reportedDomains":
		return paste.Domains
	case "reportedHandles":
		return paste.Handles
	case hashField:
		return paste.Transactions
	case linkField:
		return paste.Links
	}
	return paste.Prose
}

// addFault adds a fault that the rules found to the field it was typed into.
func (f *form) addFault(fault tocsin.Fault) {
	m := faultField.FindStringSubmatch(fault.Field)
	name := m[1]
	switch name {
	case "scammerAddresses", "scammerAccounts", "reportedDomains", "reportedHandles":
		name = thingsField
	}
	field := f.Field(name)
	if strings.HasPrefix(fault.Reason, "it seems to contain a ") { // FindSecret
		field.clearSecret()
		return
	}
	if field.secret {
		return // it is empty because it was cleared
	}
	if items := f.items[itemsOf(m[1])]; m[2] != "" && field.holds != paste.Prose {
		i, _ := strconv.Atoi(m[2]) // digits
		items[i].addFault(fault)
		return
	}
	switch field.Name {
	case crimeField:
		field.Text = ""
		field.addProblem("choose one", "Choose what comes closest. If nothing does, choose “Something else”.")
	case titleField:
		if field.Text == "" {
			field.addProblem("it is empty", "Say in one line what happened, as you would tell a friend.")
			return
		}
		field.addProblem("too long", tocsin.Sentence(fault.Reason)+" Shorten it; the rest can go into your story.")
	case storyField:
		if field.Text == "" {
			field.addProblem("it is empty", "Write what happened, in a sentence or two at least.")
			return
		}
		field.addProblem("too long", tocsin.Sentence(fault.Reason)+" Shorten it, or tell the rest in a second report.")
	case currencyField:
		field.addProblem("not a short name",
			"Write the short name of what was lost, such as USDT, ETH or EUR: 2 to 10 letters or digits.")
	case dateField:
		if strings.Contains(fault.Reason, "future") {
			field.addProblem("it lies in the future", "This day lies in the future. When did it happen?")
			return
		}
		field.addProblem("not a date",
			"Write the day as year, month and day, such as 2026-01-31, so that nobody takes the month for the day.")
	case amountField:
		if len(field.Problems) == 0 {
			field.addProblem("more than we can keep", "This is not between 0 and a trillion US dollars.")
		}
	default:
		field.addProblem(fault.Reason, tocsin.Sentence(fault.Reason)+" "+tocsin.Sentence(fault.Fix))
	}
}

// addFault adds a fault that the rules found in an item to the line it was typed on.
func (i item) addFault(fault tocsin.Fault) {
	switch reason := tocsin.Shorten(fault.Reason, 160); {
	case strings.Contains(fault.Reason, "EIP-55"):
		i.from.addLineProblem(i.Line, "a digit may be mistyped",
			"does not add up: its capital letters are a checksum, and say that a digit was mistyped. "+
				"Compare it with where you have it from. If every digit is right, write it in small letters.")
	case i.Field == paste.Links:
		i.from.addLineProblem(i.Line, "no link", "is not a link that we can keep: "+reason+".")
	default:
		i.from.addLineProblem(i.Line, tocsin.Shorten(fault.Reason, 80), "does not work: "+reason+".")
	}
}

// addStoreFaults adds the faults that the store found: well-known sites. They are looked up
// by name, because the parsed draft has no duplicates and so other indexes.
func (f *form) addStoreFaults(parsed tocsin.Draft, fault *tocsin.Error) {
	for _, one := range fault.Fields {
		m := faultField.FindStringSubmatch(one.Field)
		if m == nil || itemsOf(m[1]) != paste.Domains || m[2] == "" {
			f.Field(storyField).addProblem(one.Reason, tocsin.Sentence(one.Reason)+" "+tocsin.Sentence(one.Fix))
			continue
		}
		i, _ := strconv.Atoi(m[2])
		name := parsed.ReportedDomains[i]
		for _, typed := range f.items[paste.Domains] {
			if d, fault := tocsin.ParseDomain(typed.Text); fault == nil && d.String() == name {
				typed.from.addLineProblem(typed.Line, name+" is a well-known site",
					"names "+name+", a site that many honest people use, so it cannot be reported as a whole. "+
						"If the fraud was a page or an account there, put the link to it under links, below, "+
						"and name an address or a website of theirs.")
				break
			}
		}
	}
}
