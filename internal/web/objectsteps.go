package web

import (
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// objectStep is what an owner does, in order.
type objectStep struct {
	Head, Text string
	Path, Link string        // where to do it, and what the link says; "" for none
	Copies     []answer.Link // of the site, at other services; nil for none
}

// Advice says what a program that asks about the subject is advised to do.
func (p objectPage) Advice() string {
	switch p.Recommendation {
	case tocsin.Block:
		return p.Lang.Text("Wallets and programs that ask us are advised to block it.")
	case tocsin.Review:
		return p.Lang.Text("Wallets and programs that ask us are advised to have a person look at it first.")
	}
	return p.Lang.Text("Wallets and programs that ask us get no advice against it.")
}

// ObjectSteps are what the owner of the subject does, the first thing first.
func (p objectPage) ObjectSteps() (steps []objectStep) {
	if p.OnPage != "" {
		return p.pageSteps()
	}
	add := func(head, text locale.Key, to ...string) {
		step := objectStep{Head: p.Lang.Text(head), Text: p.Lang.Text(text)}
		if len(to) == 2 {
			step.Path, step.Link = to[0], to[1]
		}
		steps = append(steps, step)
	}
	if len(p.Under) > 0 || !p.Subject.IsAddress() && !p.Unreported() {
		add("Find out whether it is true",
			"Perhaps somebody broke into the site, took over an old subdomain, or had the name before you. Ask your host, and "+
				"look at copies of the site from that time. If it is true, clean it, and write down what you did and when, or "+
				"since when the name is yours.")
		if p.Host != "" {
			steps[0].Text = p.Lang.Text("Perhaps somebody broke into the site, or had the same name at %s before you. Look at "+
				"copies of the site from that time. If it is true, clean it, and write down what you did and when, or since "+
				"when the name is yours.", defang(p.Host))
		}
		steps[0].Copies = p.Links()
	}
	if len(p.Under) > 0 {
		add("Go through the names under it",
			"A wallet can warn of the whole site because of one of them. Each has a page like this one.",
			"#h-under", p.Lang.Text("Names under it"))
	}
	if p.Clear() {
		add("Find out who warns of it",
			"A wallet or a browser that warns has its own source, and usually names it: ask there.")
		if last := &steps[len(steps)-1]; len(p.WalletLists()) > 0 {
			last.Text = p.Lang.Sentences(last.Text, p.Lang.Text("Below are the pages of lists that wallets read."))
		}
		if len(p.Earlier()) > 0 {
			add("Send them the case file",
				"It says that nothing here speaks against it any more, and when each list dropped it.")
		} else {
			add("Send them the case file", "It says that nothing here spoke against it at this time.")
		}
		for _, ask := range p.operatorRequests() {
			steps = append(steps, ask.objectStep)
		}
		return steps
	}
	if p.Unreported() && p.Resembled() != nil {
		add("Give those who pay you the whole address",
			"If they copy it from a history of transfers, they may pay the other "+
				"one. Ask them to compare all of it.")
	}
	how := p.Lang.Text("How each list does it")
	if len(p.Sanctions) > 0 {
		add("Ask the authority that imposed the sanction",
			"Only it can end it. A lawyer who knows sanctions can help. "+
				"Until then the level stays Critical: no safelist and no operator changes that.", "#h-lists", how)
	}
	if len(p.askable()) > 0 {
		add("Ask each list to remove it",
			"Only those who keep a list can remove an entry. Each has its own way.", "#h-lists", how)
	}
	if p.Contact == "" && p.filedHere() {
		add("Ask those who reported it to withdraw it",
			"This service has no contact to write to. A report ends at once when "+
				"the person who filed it withdraws it, with the code from the receipt.")
	}
	asks := p.operatorRequests()
	if p.Contact == "" && len(asks) > 0 {
		add("Find the operator", "", "#procedure", p.Lang.Text("A text to copy"))
		steps[len(steps)-1].Text = p.WhereOperator()
	}
	for _, ask := range asks {
		steps = append(steps, ask.objectStep)
	}
	switch {
	case p.Subject.IsAddress():
		add("Have ready what shows that it is yours",
			"A message that you sign with the address: write in it what it is for, and the date. A signature sends "+
				"nothing and costs nothing. Never give away a recovery phrase or a private key: nobody who may help needs one.")
		last := &steps[len(steps)-1]
		if slices.Contains([]tocsin.Kind{tocsin.EVM, tocsin.Tron, tocsin.TON, tocsin.Solana}, p.Subject.Kind) {
			last.Text = p.Lang.Sentences(last.Text, p.Lang.Text("For a contract, sign with the account that made it."))
		}
		if p.Subject.Kind == tocsin.EVM {
			last.Path, last.Link = signAt, p.Lang.Text("Sign and publish it at Etherscan")
		}
		add("Is it an address of an exchange?",
			"Then you cannot sign with it, and it may not be yours alone: what is said of it can be about somebody else. "+
				"Ask the support of the exchange to confirm to the list and the operator whose it is. "+
				"Take payments at another address until then.")
	case p.Host != "":
		add("Have ready what shows that it is yours", "A file or a text on the page, with words that they choose.")
	default:
		add("Have ready what shows that it is yours",
			"A DNS record or a file on the site with a text that they choose, "+
				"or a mail from a mailbox of the domain.")
	}
	add("Look here again",
		"The operator may answer your mail; the service itself sends nothing, so this page is how you see what has "+
			"changed. What a list or the operator has ended adds nothing to the score.")
	if len(p.Lists) > 0 {
		last := &steps[len(steps)-1]
		last.Text = p.Lang.Sentences(last.Text, p.keptText())
	}
	return steps
}

// signAt is the page of Etherscan where a message is signed, published and verified.
const signAt = "https://etherscan.io/verifiedSignatures"

// AloneText says what would be left of the score without any list and any report, and why; "" for nothing.
func (p objectPage) AloneText() string {
	alone := p.NameAlone()
	if alone == nil {
		return ""
	}
	return p.Lang.Sentences(p.Lang.Text("Without any list and any report the score would still be %s of 100, %s.",
		p.Lang.Number(int64(alone.Score)), p.Lang.Text(answer.LevelName(alone.Level))), alone.Says)
}

// keptText says for how long the page shows what a list has dropped.
func (p objectPage) keptText() string {
	if p.Kept == 0 {
		return p.Lang.Text("What a list has dropped is shown as Earlier for good: the operator deletes no history.")
	}
	return p.Lang.Text("What a list has dropped is shown as Earlier for %d days: so long the operator keeps history.",
		p.KeptDays())
}

// filedHere reports whether a report that was filed here names the subject.
func (p objectPage) filedHere() bool {
	return slices.ContainsFunc(p.Reports, func(r contested) bool { return r.Source == tocsin.Community })
}

// hides reports whether the operator has hidden what a list says of the subject.
func (p objectPage) hides(list string) bool {
	return slices.ContainsFunc(p.HiddenEntries, func(e store.HiddenEntry) bool { return e.List == list })
}

// WalletLists are the lists that wallets read, and where they take objections.
func (p objectPage) WalletLists() (lists []objection) {
	names := []string{"eth-phishing-detect", "phantom", "scamsniffer"}
	if p.Subject.Kind == tocsin.EVM {
		names = []string{"etherscan-labels", "scamsniffer"}
	} else if p.Subject.IsAddress() {
		return nil
	}
	for _, name := range names {
		if source, known := feed.Find(name); known {
			o := objection{List: name, Title: answer.ListTitle(p.Lang, name), Names: p.Subject, Entry: p.OnPage, Host: p.Host,
				How: p.Lang.Text(howToObject(name))}
			for i, read := range p.Stats.Lists {
				if read.Name == name && !p.hides(name) {
					o.Read = &p.Stats.Lists[i].Imported
				}
			}
			lists = append(lists, o.at(source))
		}
	}
	return lists
}
