package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/explorer"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// namedTitle says how many reports name a transaction.
func namedTitle(p *locale.Printer, reports int) string {
	return p.Text("%d reports name this transaction", reports)
}

// namedTransaction says what it means that a report names a transaction.
func namedTransaction(p *locale.Printer) string {
	return p.Text("People have reported it. Read what happened to them. If you were asked to pay there too, send nothing.")
}

// namingTransaction returns the newest reports that name a transaction; none for another text. What may be a private
// key is looked for by its beginning alone. A search that has to wait finds nothing here.
func (s *Site) namingTransaction(req *request, hash string) (rows []reportRow, err error) {
	terms := []tocsin.Term{{Text: hash}}
	switch isEVM := isHash.MatchString(strings.ToLower(hash)); {
	case isHashOrKey(hash):
		terms = []tocsin.Term{{Text: hash[:10], Prefix: true}}
	case !isEVM:
		return nil, nil
	}
	found, err := s.search(req, terms, "", store.Page{Limit: perPage})
	if unsearched(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, row := range reportRows(req.lang, found.Reports, true) {
		text := strings.Join(slices.Concat(row.Evidence.TransactionHashes, row.Evidence.URLs,
			[]string{row.Title, row.Description}), " ")
		if strings.Contains(strings.ToLower(text), strings.ToLower(hash)) && len(rows) < maxSeveral {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// transactionSteps say how to get from a transaction to an address.
func transactionSteps(p *locale.Printer) []string {
	return []string{
		p.Text("Open the transaction in a block explorer."),
		p.Text("Copy the address behind “To”. If tokens were sent, copy the one that received the tokens instead."),
		p.Text("Paste it here."),
	}
}

// transactionOrKeyPage answers for what has the form of a transaction of a chain like Tron, and of a private key as
// wallets export it. It is asked of no node, and looked for in the reports by its beginning alone.
func (s *Site) transactionOrKeyPage(req *request, text string) (*page, error) {
	named, err := s.namingTransaction(req, text)
	if err != nil {
		return nil, err
	}
	p := req.lang
	body := insteadPage{
		Text: p.Text(noScore),
		Warn: p.Text("A private key looks the same. If this is one, follow no link on this page and paste it nowhere: " +
			"anyone who has it has the money. We did not store it or log it, and looked in the reports for its first ten " +
			"characters alone. If anybody saw it, move what is left to a new wallet first."),
		Steps:  transactionSteps(p),
		Links:  transactionLinks(p, text, ""),
		Report: "tx " + text,
	}
	title := p.Text("This looks like a transaction")
	if len(named) > 0 { // so it is public, and no key
		title, body.Named, body.Warn, body.Text = namedTitle(p, len(named)), named, "", namedTransaction(p)
	}
	return &page{Template: "instead", Title: title, Body: body}, nil
}

// noScore says of a transaction that something else has a score, and leads over to [transactionSteps].
const noScore = "A transaction has no score. The address that received it has one: this is how you find it."

// transactionTexts say why we do not know where a transaction leads.
var transactionTexts = map[unresolved]locale.Key{
	"":        noScore,
	noNode:    noScore,
	noAddress: "We found no payment with this hash on the chains that we can read. Look up the address that received it.",
	nodesSilent: "We could not find out where it went: the node does not answer. Try again in a minute, or look up the " +
		"address that received it.",
	tooManyAsked: "Many names and transactions were looked up within the last hour, so we cannot look up this one. " +
		"Look up the address that received it.",
}

// transactionLinks are explorers of a transaction: that of its chain, or of the chains that people use most.
func transactionLinks(p *locale.Printer, hash, chain string) (links []link) {
	chains := []string{"eip155:1", "eip155:8453", "eip155:56", "eip155:137", "eip155:42161"}
	switch _, known := explorer.Of(chain); {
	case len(hash) != 64 && !strings.HasPrefix(hash, "0x"):
		chains = []string{tocsin.Subject{Kind: tocsin.Solana}.Chain()}
	case !strings.HasPrefix(hash, "0x"):
		chains = []string{tocsin.Subject{Kind: tocsin.Tron}.Chain(), tocsin.Subject{Kind: tocsin.Bitcoin}.Chain()}
	case known:
		chains = []string{chain}
	}
	for _, c := range chains {
		e, _ := explorer.Of(c)
		links = append(links, link{p.Text("%s, for %s", e.Name, e.ChainName), e.Transaction(hash)})
	}
	if len(hash) == 64 {
		all := explorer.OfAnyTransaction()
		links = append(links, link{p.Text("%s, for other chains", all.Name), all.Transaction(hash)})
	}
	return links
}

// whereItWent says how to get from a transaction to an address.
const whereItWent = "Open it in a block explorer, copy the address behind “To” or, if tokens were sent, the one that " +
	"received them, and look that up."

// isHashOrKey reports whether a text is what may be a transaction or a private key, and nothing else.
func isHashOrKey(text string) bool {
	_, problem := paste.Subject(text)
	return problem != nil && problem.Kind == paste.MaybeKey
}

// hashText says what to do with such a text.
func hashText(p *locale.Printer) string {
	return p.Sentences(p.Text("%s.", p.Text("This looks like a transaction")),
		p.Text("A transaction has no score."), p.Text(whereItWent),
		p.Text("A private key looks the same. We did not store it, log it or search for it. If it is one and anybody saw "+
			"it, move what is left to a new wallet first."))
}

// What is said of keys and codes of this service.
const (
	looksLikeToken locale.Key = "It looks like an API key or the code of a report. We kept nothing and do not show it " +
		"again."
	whatTokensOpen locale.Key = "Anyone who has the key can make your calls. Anyone who has the code can withdraw the " +
		"report."
)

// secretPage answers for a recovery phrase or a private key: with what to do about it, and without it.
// That it may be a transaction is said of digits alone. A key of this service has other advice.
func secretPage(req *request, q string) *page {
	p := req.lang
	title := p.Text("Is this your recovery phrase?")
	text := p.Text("It looks like a recovery phrase or a private key. We kept nothing and do not show it again.")
	warn := p.Text("Anyone who has a phrase or a key has the money. Never type it into a web page or a chat, and give " +
		"it to nobody who offers help.")
	steps := []string{
		p.Text("If anybody saw it: make a new wallet with a new phrase, and move there what is left. Do that first."),
	}
	if tocsin.OnlyTokens(q) {
		title = p.Text("Is this your key or your code?")
		text = p.Text(looksLikeToken)
		warn = p.Text(whatTokensOpen)
		steps = []string{p.Text("If anybody saw the key: sign in with your wallet and replace it.")}
	}
	if req.Method != http.MethodPost {
		steps = append(steps,
			p.Text("Delete this page from the history of your browser: what you typed is in its address."))
	}
	if maybeHash.MatchString(q) {
		text = p.Text("It looks like a recovery phrase, a private key or a transaction. We kept nothing and do not show it " +
			"again.")
		steps = append(steps, p.Text("If it is a transaction, write tx before it, and look it up again."))
	}
	return &page{Template: "instead", Title: title, Status: http.StatusBadRequest,
		Body: insteadPage{Text: text, Warn: warn, Steps: steps}}
}

// maybeHash matches the digits that a private key and the hash of a transaction have.
var maybeHash = regexp.MustCompile(`(?i)(?:^|[^0-9a-z])(?:0x)?[0-9a-f]{64}(?:$|[^0-9a-z])`)
