package web

import (
	"strings"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// nextStep is what a victim does next.
type nextStep struct{ Title, Text string }

// loss is how money was lost, which decides what the victim can do.
type loss struct {
	paste.Loss
	kind string // of the crime: payment, unpaid, mistake, ransom or approval
}

// lossOf reads how money was lost from the crime, from what the report names and from its words.
func lossOf(d tocsin.Draft) loss {
	code := d.Currency
	if code == "USD" && (d.AmountLost == nil || *d.AmountLost == 0) {
		code = "" // which nobody typed, or nothing was lost
	}
	coin := len(d.ScammerAddresses)+len(d.ScammerAccounts)+len(d.Evidence.TransactionHashes) > 0
	l := loss{Loss: paste.ReadLoss(d.Title+"\n"+d.Description, code, coin), kind: "approval"}
	lost := d.AmountLost != nil && *d.AmountLost != 0 || len(d.Evidence.TransactionHashes) > 0
	switch d.CrimeType {
	case tocsin.RecoveryScam:
		if l.kind = "payment"; !lost {
			l.kind = "unpaid"
		}
	case tocsin.PigButchering, tocsin.InvestmentScam, tocsin.RomanceScam, tocsin.Impersonation, tocsin.Scam,
		tocsin.RugPull:
		l.kind = "payment"
	case tocsin.AddressPoison:
		l.kind = "mistake"
	case tocsin.Ransomware:
		l.kind = "ransom"
	}
	return l
}

// What a step depends on, apart from the kind of crime.
func (l loss) ofPhrase() bool      { return l.Phrase }
func (l loss) ofBank() bool        { return l.Bank && !l.Crypto }
func (l loss) maybeBank() bool     { return l.Bank && l.Crypto } // which it may have been bought with
func (l loss) ofExchange() bool    { return len(l.Exchanges) > 0 }
func (l loss) ofWallet() bool      { return l.Crypto || !l.Bank }
func (l loss) maybePhrase() bool   { return l.ofWallet() && !l.Phrase }
func (l loss) maybeExchange() bool { return l.ofWallet() && !l.ofExchange() }

// nextSteps are all steps in their order: first what money can still be stopped by, within hours or minutes, then the
// police, whose file number the bank and the exchange may need. A wallet comes last, unless it is how the money went.
var nextSteps = []struct {
	kinds string          // of losses that it is for; "" for all
	when  func(loss) bool // nil for always
	title locale.Key      // may have a %s, for the names of the exchanges
	texts []locale.Key
}{
	{when: loss.ofPhrase, title: "Move what is left to a new wallet now.",
		texts: []locale.Key{"Whoever has your recovery phrase or private key can take all that is under it, on " +
			"every chain. Make a new wallet with a new phrase, and use the old one no more."}},
	{kinds: "unpaid", title: "Pay nothing, and block them.",
		texts: []locale.Key{"Nobody who asks for a fee, a tax or a deposit first brings lost money back. If you have " +
			"paid them, the next steps are for that payment."}},
	{when: loss.ofBank, title: "Call your bank now; ask it to recall the transfer.", texts: []locale.Key{callBank}},
	{when: loss.maybeBank,
		title: "If you paid by card or bank transfer, call your bank today and ask to recall the payment.",
		texts: []locale.Key{callBank}},
	{when: loss.ofExchange, title: "Tell %s now.",
		texts: []locale.Key{"In its app, or at the address that you type yourself, choose “report fraud”. Give " +
			"it the transaction, and the address that the money went to. It can stop a withdrawal that is still pending, " +
			"and freeze what reaches it."}},
	{kinds: "ransom", title: "Do not pay, and do not answer.",
		texts: []locale.Key{"Paying proves that you pay, and brings nothing back for certain."}},
	{kinds: "ransom", title: "Cut the machine off, and wipe nothing.",
		texts: []locale.Key{"Unplug its network. What it holds is evidence, and for some ransomware there are " +
			"free keys: ask the police, or No More Ransom, which they run."}},
	{kinds: "approval", title: takeBack,
		texts: []locale.Key{revoke}},
	{kinds: "approval", when: loss.maybePhrase, title: moveRest,
		texts: []locale.Key{"If you typed a recovery phrase, nothing under that phrase is safe any longer. Make " +
			"a new one."}},
	{kinds: "payment unpaid mistake", when: loss.maybeExchange, title: "Tell the exchange at once.",
		texts: []locale.Key{"The one you sent from, and the one it went to if a block explorer names it. It can " +
			"freeze what reaches it, for as long as it has not left."}},
	{kinds: "approval", title: "Tell the police and your exchange.",
		texts: []locale.Key{"Today, if you can. An exchange can freeze what reaches it, for as long as it has " +
			"not left."}},
	{kinds: "payment unpaid mistake ransom", title: "Tell the police.",
		texts: []locale.Key{"Today, if you can. They need what you kept, and your bank may need their file " +
			"number."}},
	{kinds: "payment", title: "Pay nothing more.",
		texts: []locale.Key{"No fee, tax or deposit frees your money. Anyone who asks for one steals that too."}},
	{kinds: "mistake", title: "Copy no address from your history.",
		texts: []locale.Key{"The look-alike is still there. Take the right one from where you first had it, and " +
			"compare its middle."}},
	{title: "Keep the traces.",
		texts: []locale.Key{"Transaction hashes, the site’s address, screenshots, the chat. Print this page; it " +
			"is made for paper."}},
	{kinds: "payment unpaid", when: loss.ofWallet, title: takeBack,
		texts: []locale.Key{"This matters if you ever connected a wallet to their site.", revoke}},
	{kinds: "payment unpaid", when: loss.maybePhrase, title: moveRest,
		texts: []locale.Key{"If you told them a recovery phrase, or let them onto your screen, nothing under " +
			"that phrase is safe any longer. Make a new one."}},
}

// Texts of more than one step.
const (
	callBank locale.Key = "Call the number on your card or in the bank’s app, and say that it was fraud. A transfer can " +
		"be recalled within hours, seldom after days. If you paid by card, ask to block it and to dispute the payment: " +
		"that is often possible for months."
	takeBack locale.Key = "Take back what you approved."
	moveRest locale.Key = "Move what is left to a new wallet."
	revoke   locale.Key = "Revoke on the wallet’s own page of approvals, or with the token approval checker of a block " +
		"explorer whose name you type yourself; on every chain you used. Until then the thief can come again."
)

// NextSteps are what the victim does next, by how the money went: see [lossOf].
func (p *reportPage) NextSteps() (steps []nextStep) {
	l := lossOf(p.Draft)
	for _, one := range nextSteps {
		if !strings.Contains(one.kinds, l.kind) && one.kinds != "" || one.when != nil && !one.when(l) {
			continue
		}
		var said []string
		for _, text := range one.texts {
			said = append(said, p.lang.Text(text))
		}
		step := nextStep{Text: p.lang.Sentences(said...)}
		if strings.Contains(string(one.title), "%s") {
			step.Title = p.lang.Text(one.title, p.lang.List(l.Exchanges...))
		} else {
			step.Title = p.lang.Text(one.title)
		}
		steps = append(steps, step)
	}
	return steps
}
