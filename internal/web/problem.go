package web

import (
	"regexp"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// hint is a problem in words: in brief, as a sentence, and what to do about it.
type hint struct{ Brief, Text, Advice string }

// addPasteProblem adds a problem of what was pasted, in words.
func (field *formField) addPasteProblem(p paste.Problem) {
	says := problemText(field.lang, field.holds, p)
	field.addLineProblem(p.Line, says.Brief, says.Text, says.Advice)
}

// problemText describes a problem of a line that was typed into a field.
func problemText(p *locale.Printer, field paste.Field, wrong paste.Problem) hint {
	short, t := tocsin.Shorten(wrong.Text, 40), p.Text
	switch wrong.Kind {
	case paste.TooMany:
		return hint{t("more than we can read"), t("This is more than we can read at once: over 1,000 lines or words."),
			t("Leave the best of it, and send the rest in a second report.")}
	case paste.TooLong:
		return hint{t("too long"), t("This has something in it that is longer than any address or link."),
			t("Paste what is theirs, and nothing else.")}
	case paste.CutShort:
		return hint{t("the middle is missing"), t("This is cut short."),
			t("Paste the whole address: only its middle tells it from a look-alike.")}
	case paste.WrongDigit:
		return hint{t("a character that no address has"), t("This has the character “%s”, which no address has: "+
			"its digits are 0 to 9 and A to F.", wrong.Text), ""}
	case paste.ForeignLetter:
		return hint{t("a letter of another alphabet"), t("This has a letter of another alphabet, %s, which only looks like "+
			"one of an address.", wrong.Text), ""}
	case paste.ForeignName:
		return hint{t("a letter of another alphabet"), subjectText(p, wrong), ""}
	case paste.WrongLength:
		return addressLength(p, wrong)
	case paste.TransactionHash:
		return hint{t("a transaction, not an address"),
			t("This has 64 digits after 0x, so it is a transaction; an address has 40."),
			p.Sentences(t(whereItWent), t("If it is a private key, take it out and move what is left to a new wallet."))}
	case paste.WrongAccount:
		if wrong.Fault.Fields[0].Cause == tocsin.WrongChecksum {
			return hint{t("an address with a mistake"), accountText(p, wrong), t(copyAgain)}
		}
		return hint{t("an address with a mistake"), t("This looks like an address of %s, and is not one: %s.", wrong.Text,
			faultReason(p, wrong.Fault.Fields[0], 160)), t(copyAgain)}
	case paste.MaybeSolana:
		return hint{t("an address of Solana?"), t("This may be an address of Solana, where an address has no checksum " +
			"that could tell."), t("If it is one, write solana: before it.")}
	case paste.SeveralAddresses:
		return hint{t("a link with more than one address"), t("This is a link with more than one address in it."),
			t("Paste the one that is theirs.")}
	case paste.AddressInQuery:
		return hint{t("whose address is it?"), t("This is a link with an address behind its question mark, which may be " +
			"your own."), t("Paste the address alone if it is theirs.")}
	case paste.OwnAddress, paste.OwnContact:
		return ownText(p, wrong.Kind, short)
	case paste.ENSName:
		return hint{t("a name, not an address"), t("This is an ENS name: %s.", tocsin.Shorten(wrong.Text, 60)),
			t("Paste the 0x address that it points to: your wallet shows it.")}
	case paste.OtherChain:
		return hint{t("a chain that is not screened"), otherChainText(p, wrong.Text), ""}
	case paste.WalletName:
		return hint{t("a name, not an address"), t("This is a name that a wallet turns into an address: %s.",
			tocsin.Shorten(wrong.Text, 60)), t("Paste the address that it stands for: your wallet shows it.")}
	case paste.NotDomain:
		return hint{t("no website"), t("This is not the name of a website, or a link to one: %s.",
			faultReason(p, wrong.Fault.Fields[0], 160)), ""}
	case paste.IPAddress:
		return hint{t("a number, not a name"), t("This is the number of a computer, %s.", short),
			t("Paste the name of the site that was shown.")}
	case paste.SharedDomain:
		return hint{t("%s belongs to many", wrong.Text), t("This names %s, where unrelated people have pages and names of "+
			"their own.", wrong.Text), t("Give the whole name of the site, such as someone.%s. Or put the link to the page "+
			"under links, below, and name something else that is theirs.", wrong.Text)}
	case paste.ExplorerPage:
		shows := explorerTitle(p, wrong.Text)
		return hint{shows, t("%s.", shows), explorerText(p, wrong.Text)}
	case paste.CheckoutPage:
		host := hostOf(wrong.Text)
		return hint{t("%s belongs to many", host), t("Anyone can take payments on %s: who gets it?", host),
			t("Put the link to the page under links, below, and name something that is theirs.")}
	case paste.ChatName:
		return hint{t("a name in a chat"), t("This is a name in a chat: %s.", wrong.Text), ""}
	case paste.MailAddress:
		return hint{t("no e-mail address"), t("This looks like an e-mail address, and is not one: %s.",
			tocsin.Shorten(wrong.Text, 60)), t("If it names a bank account, as a UPI ID does, write it into the story.")}
	case paste.BankNumber:
		return hint{t("a bank account or a card"), t(bankNumber), t("Nobody can look it up here, so we do not take it in " +
			"this field. If it is theirs, move it into your story, and give it to your bank and to the police. If it " +
			"is yours, take it out.")}
	case paste.SpaceInName:
		return hint{t("a space in the name"), t("Did you mean %s?", short), t("Then write it without the space.")}
	case paste.NoCountryCode:
		return hint{t("a number without its country"), t("This has a phone number without its country code: %s.", short),
			t("Write it with + and the code, such as +44 for the United Kingdom.")}
	case paste.HashLength:
		return hint{t("%s digits, not 64", p.Number(int64(wrong.Count))),
			t("This has %s digits after 0x; the hash of a transaction has 64.", p.Number(int64(wrong.Count))), ""}
	case paste.EVMAddress:
		return hint{t("an address, not a transaction"),
			t("This has 40 digits after 0x, so it is an address; a transaction has 64."),
			t("If it is theirs, put it into the first field.")}
	case paste.LinkWithoutHash:
		return hint{t("a link without a transaction"), t("This is a link without a transaction in it."),
			t("Put it under links, below.")}
	case paste.MaybeKey:
		return hint{t("a transaction or a private key?"), t("This may be the hash of a transaction, or a private key: both " +
			"look the same."), t("If it is a transaction, say so below. If it is a key, delete it here, and move what is left " +
			"to a new wallet.")}
	}
	return nothingFound(p, field, short)
}

// addressLength describes an address with too many or too few digits.
func addressLength(p *locale.Printer, wrong paste.Problem) hint {
	switch wrong.Count {
	case 41:
		return hint{p.Text("one digit too many"), p.Text("This has 41 digits after 0x; an address has 40."),
			p.Text("Was the last “%s” meant to be there?", wrong.Text)}
	case 39:
		return hint{p.Text("one digit too few"), p.Text("This has 39 digits after 0x; an address has 40."),
			p.Text("Was one lost when you copied it?")}
	}
	return hint{p.Text("%d digits, not 40", wrong.Count), p.Text("This has %d digits after 0x; an address has 40.",
		wrong.Count), ""}
}

// nothingFound describes a line with words only, of which one is quoted.
func nothingFound(p *locale.Printer, field paste.Field, word string) hint {
	switch field {
	case paste.Things:
		return hint{p.Text("nothing that we know"),
			p.Text("This has no address, website or account: “%s” is none of them.", word), p.Text("Before an account write " +
				"its service, such as telegram: lena_trades88. Before a name write name: Lena Gold.")}
	case paste.Transactions:
		return hint{p.Text("no transaction"), p.Text("This has no transaction: “%s” is not one.", word),
			p.Text("Its hash is 0x and 64 digits.")}
	case paste.Links:
		return hint{p.Text("no link"), p.Text("This has no link: “%s” is not one.", word),
			p.Text("It begins with https://")}
	}
	return hint{p.Text("no address"), p.Text("This has no address: “%s” is not one.", word),
		p.Text("An address is 0x and 40 digits from 0 to 9 and A to F.")}
}

// amountText describes what is wrong with an amount.
func amountText(p *locale.Printer, wrong paste.Problem) string {
	switch wrong.Kind {
	case paste.Negative:
		return p.Text("Write what was lost without a minus.")
	case paste.NoNumber:
		return p.Text("Write a number, such as %s or %s, or leave it empty.", p.Number(12400), p.Decimal(1250.5, 2))
	case paste.Ambiguous:
		return p.Text("%s can be read in two ways. Choose what you mean.", wrong.Text)
	case paste.UnclearCurrency:
		return p.Text("Is %s in rupees? Then write the currency with it: %s. If it is in dollars, choose that.",
			tocsin.Shorten(wrong.Text, 40), tocsin.Shorten(wrong.Text, 40)+" INR")
	case paste.UnclearAmount:
		return p.Text("We cannot tell what %s is. Write it with nothing else, such as %s.", tocsin.Shorten(wrong.Text, 40),
			p.Decimal(12400.5, 2))
	}
	return p.Text("Write a number of US dollars, or one with its currency, such as %s or %s.", p.Number(12400),
		p.Decimal(1250.5, 2)+" EUR")
}

// bankNumber says what a number or a name of a bank is.
const bankNumber = "This looks like a bank account, a card, or a name to pay to at a bank, such as a UPI ID."

// What to do with an address that was mistyped: in a report, and before a payment.
const (
	copyAgain = "Copy it again from where you have it."
	notSent   = "Do not send. Copy it again from where you have it."
)

// accountText says what is wrong with an address of a chain other than Ethereum’s.
func accountText(p *locale.Printer, wrong paste.Problem) string {
	if wrong.Fault.Fields[0].Cause == tocsin.WrongChecksum {
		return p.Text("This looks like an address of %s, but its checksum does not hold: at least one character is wrong.",
			wrong.Text)
	}
	return p.Text("This looks like an address of %s, but it is not one. %s", wrong.Text,
		faultSentence(p, wrong.Fault.Fields[0]))
}

// subjectText describes why a text cannot be looked up.
func subjectText(p *locale.Printer, wrong paste.Problem) string {
	switch wrong.Kind {
	case paste.TooMany:
		return p.Text("That is too long. Paste the address or the site alone.")
	case paste.Secret:
		return p.Text("It looks like a recovery phrase, a private key or a transaction. We kept nothing and do not show " +
			"it again. Anyone who has a phrase or a key has the money: if anybody saw it, move what is left to a new wallet " +
			"first. If it is a transaction, write tx before it.")
	case paste.BankNumber:
		return p.Sentences(p.Text(bankNumber), p.Text("We do not look such numbers up. Did you pay to it? Call your bank "+
			"now: it may still stop the payment. Then give the number to the police."))
	case paste.OnlyHandle:
		return handleAdvice(p, wrong.Text)
	case paste.OnlyTransaction, paste.TransactionHash:
		return p.Sentences(p.Text("A transaction has no score."), p.Text(whereItWent))
	case paste.ChatName:
		return handleAdvice(p, "name:"+wrong.Text)
	case paste.CheckoutPage:
		return p.Sentences(p.Text("Anyone can take payments on %s: who gets it?", hostOf(wrong.Text)), checkoutText(p))
	case paste.ExplorerPage:
		return p.Sentences(p.Text("%s.", explorerTitle(p, wrong.Text)), explorerText(p, wrong.Text))
	case paste.ConnectRequest:
		return p.Sentences(p.Text("This is a wallet’s connect request."),
			p.Text("It does not say which site asks. Paste the address of the site that showed it to you."),
			p.Text("Do not share it."))
	case paste.SeveralSubjects:
		return p.Text("There is more than one address or site in it. Paste the one you mean.")
	case paste.CutShort:
		return p.Text("The middle of this address is missing. Paste the whole address: only its middle tells it from a " +
			"look-alike.")
	case paste.WrongAccount:
		return p.Sentences(p.Text(notSent), accountText(p, wrong))
	case paste.LightningOrder:
		return p.Text("This is a Lightning invoice. We cannot look it up. Ask the shop, by another way than it came, who " +
			"gets the money.")
	case paste.ForeignName:
		return p.Text("This only looks like %s: a letter is from another alphabet. Do not send.",
			tocsin.Shorten(wrong.Text, 60))
	case paste.WrongLength, paste.WrongDigit, paste.ForeignLetter:
		return p.Sentences(p.Text(notSent), problemText(p, paste.Addresses, wrong).Text)
	case paste.NotDomain:
		return p.Text("This is no link to a website: %s Paste the link as you have it, or the name of the site, such as "+
			"example[.]com.", faultSentence(p, wrong.Fault.Fields[0]))
	case paste.Invalid:
		if wrong.WrongCase() {
			return p.Sentences(p.Text(notSent), p.Text(wrongCase))
		}
		return explain(p, wrong.Fault)
	}
	return problemText(p, paste.Addresses, wrong).Text
}

// handleAdvice describes why a handle cannot be looked up, and what to do with it.
func handleAdvice(p *locale.Printer, handle string) string {
	if site := siteOfMail(handle); site != "" {
		return p.Text("This is an e-mail address, which has no score. Its domain is %s: look that up instead.", site)
	}
	if service, _, _ := strings.Cut(handle, ":"); service == "phone" || service == "whatsapp" {
		return p.Text("This is a phone number, which has no score. Search the reports for it instead.")
	}
	return p.Text("This is a handle, a name on a service such as Telegram, which has no score. Search the reports for " +
		"it instead.")
}

// siteOfMail is the domain of a handle that is an e-mail address; "" for another handle.
func siteOfMail(handle string) string {
	service, name, _ := strings.Cut(handle, ":")
	_, site, _ := strings.Cut(name, "@")
	if service != "email" {
		return ""
	}
	return site
}

// problemOf is why a text names no subject, with a handle told from other words; nil if it names one.
func problemOf(text string) *paste.Problem {
	_, problem := paste.Subject(text)
	if problem == nil || !problem.Kind.Searchable() {
		return problem
	}
	for _, item := range paste.Read(paste.Things, text).Items {
		if item.Field == paste.Handles {
			return &paste.Problem{Kind: paste.OnlyHandle, Text: item.Text}
		}
	}
	return problem
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
	if fault.Cause == tocsin.HoldsSecret {
		field.clearSecret(tocsin.OnlyTokens(field.Text))
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
	t := f.lang.Text
	switch field.Name {
	case crimeField:
		field.Text = ""
		field.addProblem(t("choose one"), t("Choose what comes closest. If nothing does, choose “Something else”."))
	case titleField:
		if field.Text == "" {
			field.addProblem(t("it is empty"), t("Say in one line what happened, as you would tell a friend."))
			return
		}
		field.addProblem(t("too long"), f.lang.Sentences(faultSentence(f.lang, fault),
			t("Shorten it; the rest can go into your story.")))
	case storyField:
		if field.Text == "" {
			field.addProblem(t("it is empty"), t("Write what happened, in a sentence or two at least."))
			return
		}
		field.addProblem(t("too long"), f.lang.Sentences(faultSentence(f.lang, fault),
			t("Shorten it, or write the rest in a second report.")))
	case currencyField:
		field.addProblem(t("not a short name"),
			t("Write the short name of what was lost, such as USDT, ETH or EUR: 2 to 10 letters or digits."))
	case dateField:
		if fault.Cause == tocsin.InFuture {
			field.addProblem(t("it lies in the future"), t("This day lies in the future. When did it happen?"))
			return
		}
		field.addProblem(t("not a date"),
			t("Write the day as year, month and day, such as 2026-01-31, so that nobody takes the month for the day."))
	case amountField:
		if len(field.Problems) == 0 {
			field.addProblem(t("more than we can keep"), t("This is not between 0 and a trillion US dollars."))
		}
	default:
		field.addProblem(faultReason(f.lang, fault, 160),
			f.lang.Sentences(faultSentence(f.lang, fault), fixSentence(f.lang, fault)))
	}
}

// addFault adds a fault that the rules found in an item to the line it was typed on.
func (i item) addFault(fault tocsin.Fault) {
	t := i.from.lang.Text
	switch reason := faultReason(i.from.lang, fault, 160); {
	case fault.Cause == tocsin.WrongCase:
		i.from.addLineProblem(i.Line, t("a digit may be mistyped"),
			t(wrongCase),
			t("Compare it with where you have it from. If every digit is right, write it in small letters."))
	case i.Field == paste.Links:
		i.from.addLineProblem(i.Line, t("no link"), t("This is not a link that we can keep: %s.", reason), "")
	default:
		i.from.addLineProblem(i.Line, faultReason(i.from.lang, fault, 80), t("This does not work: %s.", reason), "")
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
				typed.from.addLineProblem(typed.Line, f.lang.Text("%s is a well-known site", name),
					f.lang.Text("This names %s, a site that many honest people use, so it cannot be reported as a whole.", name),
					f.lang.Text("If the fraud was a page or an account there, put the link to it under links, below, and name "+
						"an address or a website of theirs."))
				break
			}
		}
	}
}
