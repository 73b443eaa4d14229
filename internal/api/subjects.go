package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// accountFindings are the fields of AccountScreening before its reports.
type accountFindings struct {
	Account string      `json:"account"`
	Kind    tocsin.Kind `json:"kind"`
	Chain   *string     `json:"chain"`
	Address string      `json:"address"`
	tocsin.Screening
}

// misplaced are the faults of a subject in the path. If another operation takes it, the fix names that call: of a
// payment request the one for who would get the money.
func (c *call) misplaced(parameter string, fault *tocsin.Error) []tocsin.Fault {
	faults, text := fault.In(parameter), c.PathValue(parameter)
	subject, unread := paste.Cell(text)
	switch {
	case unread != nil && strings.Contains(text, ":"): // a URI: what is wrong with it says more
		return unread.In(parameter)
	case unread != nil || len(faults) != 1:
		return faults
	}
	faults[0].Fix = "screen it with " + c.callOf(subject)
	return faults
}

// paymentParameters are those of payment requests, one of which nearly all have: BIP 21 and those after it, EIP-681.
var paymentParameters = []string{"amount", "tx_amount", "value", "address", "uint256", "label", "message"}

// unencoded is the fault of a payment request in the path whose query was taken for that of the call. The fix names the
// call for who would get the money. It is nil if there is none.
func (c *call) unencoded() error {
	asks := func(name string) bool { return c.URL.Query().Has(name) }
	if !slices.ContainsFunc(paymentParameters, asks) { // a parameter of the call, with a fault of its own
		return nil
	}
	for _, parameter := range []string{"address", "account"} {
		text := c.PathValue(parameter)
		if !strings.Contains(text, ":") {
			continue
		}
		if subject, fault := paste.Cell(text + "?" + c.URL.RawQuery); fault == nil {
			return tocsin.Faults([]tocsin.Fault{{
				Field:  parameter,
				Reason: "the query of the URI in the path is not percent-encoded",
				Fix:    "screen it with " + c.callOf(subject),
			}})
		}
	}
	return nil
}

// callOf names the call that screens a subject: of a tool for a tool, of HTTP for HTTP.
func (c *call) callOf(subject tocsin.Subject) string {
	tool, path, argument := "check_account", "/accounts/", "account"
	switch subject.Kind {
	case tocsin.EVM:
		tool, path, argument = "check_address", "/screen/", "address"
	case tocsin.DNS:
		tool, path, argument = "check_domain", "/domains/check/", "domain"
	}
	if c.tool != nil {
		return tool + ", with the " + argument + " " + subject.String()
	}
	return "GET " + path + url.PathEscape(subject.String())
}

func (s *Server) parseAccount(c *call) (tocsin.Subject, error) {
	return s.parseOne(c, "account", tocsin.ParseAccount)
}

// parseOne parses the subject in the path.
func (s *Server) parseOne(
	c *call, field string, parse func(string) (tocsin.Subject, *tocsin.Error),
) (tocsin.Subject, error) {
	text := c.PathValue(field)
	subject, fault := parse(text)
	meant, err := s.meant(c.Context(), text)
	switch m := meant[0]; {
	case err != nil:
		return subject, err
	case m != nil && (fault != nil || subject.Kind == tocsin.Solana):
		return tocsin.Subject{}, tocsin.Faults(m.named(fault).In(field))
	case fault == nil:
		return subject, nil
	}
	known, err := s.knownAccounts(c.Context(), text)
	if account, ok := known[text]; ok || err != nil {
		return account, err
	}
	s.askedInVain(c.Context(), text)
	return subject, tocsin.Faults(c.misplaced(field, fault))
}

// knownAccounts are the accounts that some texts name of which only the database can tell it: those of
// [Server.bareAccounts], and who would get the money by a payment request in a known token.
func (s *Server) knownAccounts(ctx context.Context, texts ...string) (map[string]tocsin.Subject, error) {
	known, err := s.bareAccounts(ctx, texts...)
	for _, text := range texts {
		t, ok := paste.ReadTransfer(text)
		if !ok || err != nil {
			continue
		}
		var token bool
		if token, err = s.db.KnownToken(ctx, t.Token, t.Chain); token {
			known[text] = t.Payee
		}
	}
	return known, err
}

// bareAccounts returns which of some texts are an address of Solana without its prefix that is on record. Such an
// address has no checksum, so that other texts are refused; but what a list of sanctions names must be found as a
// wallet shows it. It asks the database once, and not at all without such a text, or when the network of the call has
// asked in vain too often: its texts are refused then as those that are not on record.
func (s *Server) bareAccounts(ctx context.Context, texts ...string) (map[string]tocsin.Subject, error) {
	bare, subjects := bareSolana(texts)
	if len(subjects) == 0 || s.budgets.Hints.Full(front.Of(ctx).Network()) > 0 {
		return map[string]tocsin.Subject{}, nil
	}
	onRecord, err := s.db.OnRecord(ctx, subjects...)
	if err != nil {
		return nil, err
	}
	known := map[string]tocsin.Subject{}
	for i, has := range onRecord {
		if has {
			known[bare[i]] = subjects[i]
		}
	}
	return known, nil
}

// askedInVain counts the addresses of Solana among the texts of a call that is refused. The refusal costs nothing and
// says that they are not on record, which is what others pay for.
func (s *Server) askedInVain(ctx context.Context, texts ...string) {
	_, bare := bareSolana(texts)
	for range bare {
		s.budgets.Hints.Take(front.Of(ctx).Network())
	}
}

// bareSolana returns which of some texts are an address of Solana without its prefix, and the accounts.
func bareSolana(texts []string) (bare []string, accounts []tocsin.Subject) {
	for _, text := range texts {
		if account, ok := tocsin.BareSolana(text); ok {
			bare, accounts = append(bare, text), append(accounts, account)
		}
	}
	return bare, accounts
}

func (s *Server) screenAccount(c *call, account tocsin.Subject) (any, error) {
	now := s.asOf(s.now())
	d, err := s.db.AboutSubject(c.Context(), account, c.page())
	if err != nil {
		return nil, err
	}
	judged, err := s.Judged(c.Context(), []tocsin.Subject{account}, []*store.Dossier{d}, nil)
	if err != nil {
		return nil, err
	}
	sc, err := split(accountFindings{
		Account:   account.String(),
		Kind:      account.Kind,
		Chain:     optional(account.Chain()),
		Address:   account.Plain(),
		Screening: s.screen(judged[0], now),
	}, tocsin.TimeOf(now))
	if err != nil {
		return nil, err
	}
	return s.screeningPage(c, account, d, sc)
}

// Judged returns dossiers with what their subjects say by themselves, in order: the name of a domain, with the signals
// that are known of it, and the digits of an address, which are compared with the contacts as well (see
// [store.DB.AddressFindings]).
func (s *Server) Judged(
	ctx context.Context, subjects []tocsin.Subject, dossiers []*store.Dossier, contacts []tocsin.Address,
) ([]*tocsin.Dossier, error) {
	found, err := s.db.AddressFindings(ctx, subjects, dossiers, contacts)
	if err != nil {
		return nil, err
	}
	judged := make([]*tocsin.Dossier, len(dossiers))
	for i, d := range dossiers {
		judged[i] = s.config.Names.About(subjects[i], withFindings(&d.Dossier, found[i]))
		if n := judged[i].Name; n != nil && n.Near {
			if domain, fault := tocsin.ParseDomain(subjects[i].Value); fault == nil {
				s.addSignals(judged[i], domain)
			}
		}
	}
	return judged, nil
}

// subjectScreening is the schema SubjectScreening.
type subjectScreening struct {
	Subject string      `json:"subject"`
	Kind    tocsin.Kind `json:"kind"`
	tocsin.Screening
	History json.RawMessage `json:"listHistory,omitempty"`
}

// subjectBatch is the schema SubjectBatchScreening.
type subjectBatch struct {
	Count   int                 `json:"count"`
	Results []*subjectScreening `json:"results"` // in the order asked; nil for what is in Errors
	Errors  []subjectError      `json:"errors"`
}

// subjectError is the schema SubjectError.
type subjectError struct {
	Index   int    `json:"index"`
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
	Fix     string `json:"fix"`
	meantAccount
}

// maxEcho is how many characters of an invalid subject are repeated.
const maxEcho = 64

// mixedBatch is the body of an operation that answers the valid ones of a list, whatever the others are.
type mixedBatch[T any] struct {
	asked  int
	valid  []T
	at     []int // their positions
	errors []subjectError
}

func (s *Server) parseSubjects(c *call) (mixedBatch[tocsin.Subject], error) {
	if c.schemaErr != nil { // perhaps of too many
		return mixedBatch[tocsin.Subject]{}, c.schemaErr
	}
	texts := c.texts("subjects")
	known, err := s.knownAccounts(c.Context(), texts...)
	if err != nil {
		return mixedBatch[tocsin.Subject]{}, err
	}
	meant, err := s.meant(c.Context(), texts...)
	if err != nil {
		return mixedBatch[tocsin.Subject]{}, err
	}
	batch, err := parseMixed(c, "subjects", func(text string) (subject tocsin.Subject, fault *tocsin.Error) {
		if subject, ok := known[text]; ok {
			return subject, nil
		}
		subject, fault = paste.Cell(text) // a link to the page of an account at a block explorer is that account
		if m := meant[slices.Index(texts, text)]; m != nil && (fault != nil || subject.Kind == tocsin.Solana) {
			return tocsin.Subject{}, m.named(fault)
		}
		return subject, fault
	})
	if err != nil {
		s.askedInVain(c.Context(), texts...)
	}
	for i, e := range batch.errors { // texts are those that the errors are of, in their order
		if m := meant[e.Index]; m != nil {
			batch.errors[i].meantAccount = *m
		}
	}
	return batch, err
}

// texts are the texts in a list of the body.
func (c *call) texts(field string) (texts []string) {
	body, _ := c.value.(map[string]any) // the schema has named anything else
	list, _ := body[field].([]any)
	for _, value := range list {
		if text, ok := value.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// parseMixed reads a list of the body. It fails if no entry is valid, and names the faults of all then.
func parseMixed[T any](
	c *call, field string, parse func(string) (T, *tocsin.Error),
) (batch mixedBatch[T], err error) {
	if c.schemaErr != nil {
		return batch, c.schemaErr
	}
	list, _ := c.value.(map[string]any)[field].([]any)
	batch.asked, batch.errors = len(list), []subjectError{}
	var faults []tocsin.Fault
	for i, value := range list {
		text, _ := value.(string) // the schema has named anything else
		value, fault := parse(text)
		if fault == nil {
			batch.valid, batch.at = append(batch.valid, value), append(batch.at, i)
			continue
		}
		faults = append(faults, fault.In(fmt.Sprintf("%s[%d]", field, i))...)
		batch.errors = append(batch.errors, subjectError{
			Index:   i,
			Subject: tocsin.Clip(tocsin.CleanText(text), maxEcho), // not what may be a secret
			Reason:  fault.Fields[0].Reason,
			Fix:     fault.Fields[0].Fix,
		})
	}
	if len(batch.valid) == 0 {
		return batch, tocsin.Faults(faults)
	}
	return batch, nil
}

func (s *Server) checkSubjects(c *call, asked mixedBatch[tocsin.Subject]) (any, error) {
	now := s.asOf(s.now())
	dossiers, err := s.db.AboutAll(c.Context(), asked.valid)
	if err != nil {
		return nil, err
	}
	judged, err := s.Judged(c.Context(), asked.valid, dossiers, nil)
	if err != nil {
		return nil, err
	}
	histories, err := s.histories(c, asked.valid)
	if err != nil {
		return nil, err
	}
	batch := subjectBatch{Count: asked.asked, Results: make([]*subjectScreening, asked.asked), Errors: asked.errors}
	for i, subject := range asked.valid {
		batch.Results[asked.at[i]] = &subjectScreening{Subject: subject.String(), Kind: subject.Kind,
			Screening: s.screen(judged[i], now), History: histories.of(i)}
	}
	return batch, nil
}
