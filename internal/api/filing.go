package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// filedReport is the schema FiledReport.
type filedReport struct {
	wholeReport
	receipt
}

// briefFiledReport is the schema BriefFiledReport.
type briefFiledReport struct {
	briefReport
	receipt

	report tocsin.Report
}

// reports implements reporting.
func (f briefFiledReport) reports() []tocsin.Report { return []tocsin.Report{f.report} }

// receipt is what only the filer of a report gets.
type receipt struct {
	ManageToken string  `json:"manageToken,omitempty"`
	Duplicate   bool    `json:"duplicate,omitempty"`
	Notice      *string `json:"notice"`
}

func (s *Server) fileReport(c *call) (any, error) {
	draft, err := c.draft(s.now())
	if err != nil {
		return nil, err
	}
	by, err := s.caller(c.Request)
	if err != nil {
		return nil, err
	}
	filing := store.Filing{
		Draft:          draft,
		By:             by,
		Network:        front.Of(c.Context()).Network(),
		IdempotencyKey: c.input.Text("Idempotency-Key"),
	}
	filed, err := s.File(c.Context(), filing)
	if err != nil {
		return nil, err
	}
	report := s.withURL(filed.Report)
	proof := receipt{filed.ManageToken, filed.Duplicate, s.notice(c, filing, filed)}
	value := any(filedReport{toWhole(report), proof})
	if c.compact() {
		value = briefFiledReport{toBrief(report), proof, report}
	}
	if filed.Duplicate {
		return value, nil
	}
	c.responseHeader.Set("Location", report.URL)
	return created{value}, nil
}

// notice says what the filer of a report may not have meant: that the loss was taken as US dollars, that the report was
// on record already, and of an anonymous one that it was filed without the key that came with it, and that its
// Idempotency-Key does not give the token again. It is nil if there is nothing to say.
func (s *Server) notice(c *call, filing store.Filing, filed store.Filed) *string {
	notices := ofLoss(filed)
	me, idempotencyKey := "GET "+s.contract.Base+"/me", "Idempotency-Key"
	if c.tool != nil {
		me, idempotencyKey = "my_stats", "idempotencyKey"
	}
	if filed.Duplicate && filed.ManageToken == "" {
		notices = append(notices, "This report was on record already. Its manageToken is in the response to its first "+
			"filing; if that had an "+idempotencyKey+", the same request with the same one gives it again.")
	}
	anonymous := filing.By == nil
	if wrong := deadKey(c.Header); anonymous && wrong != "" {
		notice := wrong + ", so this report is anonymous and does not count for your agent. Check the key with " + me + "."
		if filed.ManageToken != "" {
			notice += " To file under it, withdraw this report with its manageToken, and send it again with the right key."
		}
		notices = append(notices, notice)
	}
	if anonymous && filing.IdempotencyKey != "" && !filing.Derives() {
		notices = append(notices,
			"Without an API key, only an "+idempotencyKey+" of at least 16 characters gives the manageToken again.")
	}
	if notices == nil {
		return nil
	}
	text := strings.Join(notices, " ")
	return &text
}

// dollars are the currencies of which one is about a US dollar.
var dollars = []string{"USD", "USDT", "USDC", "DAI", "BUSD", "PYUSD", "TUSD", "USDE", "USDS"}

// ofLoss says that a loss was taken as US dollars, if it may have been meant in the currency that was lost.
func ofLoss(filed store.Filed) []string {
	lost, currency := filed.Report.AmountLost, filed.Report.Currency
	if lost == nil || slices.Contains(dollars, currency) {
		return nil
	}
	says := fmt.Sprintf("amountLost is in US dollars, whatever the currency: "+
		"this report says that %s worth $%.2f was lost.", currency, float64(*lost)/100)
	if filed.ManageToken != "" {
		says += " If that is wrong, withdraw it with its manageToken, and send it again with the loss in US dollars."
	}
	return []string{says}
}

// File records a report. The error is a [*Later] if its network, its key or all networks
// together have filed too much within the hour.
func (s *Server) File(ctx context.Context, filing store.Filing) (filed store.Filed, err error) {
	defer func() { s.config.Count().Filed(filingOutcome(filed, err)) }()
	return s.file(ctx, filing)
}

// filingOutcome is what became of a filing, for [front.Meter].
func filingOutcome(filed store.Filed, err error) string {
	var later *Later
	var fault *tocsin.Error
	switch {
	case err == nil && filed.Duplicate:
		return "duplicate"
	case err == nil:
		return "filed"
	case errors.As(err, &later):
		return string(later.Fault.Code)
	case errors.As(err, &fault):
		return string(fault.Code)
	}
	return "unavailable"
}

func (s *Server) file(ctx context.Context, filing store.Filing) (store.Filed, error) {
	var undo func()
	var refusal error
	s.budgets.Exactly(ctx, func() { undo, refusal = s.takeFiling(filing) })
	if refusal != nil {
		// A client that lost the response to its last filing must still get it.
		first, found, err := s.db.FiledBefore(ctx, filing)
		if err != nil || found {
			return first, err
		}
		state, err := s.db.FilingState(ctx)
		if err == nil {
			err = state.Refuse(filing.By != nil)
		}
		return store.Filed{}, cmp.Or(err, refusal) // when filing is closed, to wait would not help
	}
	filed, err := s.db.FileReport(ctx, filing)
	if err != nil || filed.Duplicate {
		undo() // only what was recorded counts
	}
	return filed, err
}

// takeFiling takes a filing from each budget that it is counted in, or from none. Undo gives all of it back.
func (s *Server) takeFiling(filing store.Filing) (undo func(), refusal error) {
	var taken []func()
	undo = func() {
		for _, u := range taken {
			u()
		}
	}
	take := func(code tocsin.Code, wait time.Duration, u func(), what string, args ...any) bool {
		if wait > 0 {
			undo()
			refusal = later(code, wait, fmt.Sprintf(what, args...)+
				"; Retry-After says in how many seconds this one is taken. Nothing was filed.")
			return false
		}
		taken = append(taken, u)
		return true
	}
	b, subjects, size := s.budgets, len(filing.Draft.Subjects()), filing.Draft.Size()
	reports, named := b.Filings, b.Subjects
	if filing.By != nil {
		reports, named = b.KeyedFilings, b.KeyedSubjects
		wait, u := b.AgentSubjects.TakeMany(filing.By.Agent.ID, subjects)
		if !take(tooMany, wait, u, "With this report your key would name more than %d addresses and domains within the hour",
			b.AgentSubjects.Limit()) {
			return nil, refusal
		}
	}
	wait, u := reports.Take(filing.Network)
	if !take(tooMany, wait, u, "Your network has filed many reports within the hour, %d", reports.Limit()) {
		return nil, refusal
	}
	wait, u = named.TakeMany(filing.Network, subjects)
	if !take(tooMany, wait, u, "With this report your network would name more than %d addresses and domains "+
		"within the hour", named.Limit()) {
		return nil, refusal
	}
	wait, u = b.FiledBytes.TakeMany(filing.Network, size)
	if !take(tooMany, wait, u, "With this report your network would file more than %d KB within the hour",
		b.FiledBytes.Limit()>>10) {
		return nil, refusal
	}
	const total = "This service takes no more than %d %s within an hour from all its users together, the last quarter " +
		"of them only %d from each network, and has taken those"
	wait, u = b.TotalFilings.Take(filing.Network, 1)
	all, part := b.TotalFilings.Limit()
	if !take(filingsExhausted, wait, u, total, all, "reports", part) {
		return nil, refusal
	}
	wait, u = b.TotalFiledBytes.Take(filing.Network, size)
	all, part = b.TotalFiledBytes.Limit()
	if !take(filingsExhausted, wait, u, total, all>>10, "KB of reports", part>>10) {
		return nil, refusal
	}
	return undo, nil
}

// draft reads the report of a filing. The error names every fault, by the schema and
// by the rules.
func (c *call) draft(now time.Time) (tocsin.Draft, error) {
	var draft tocsin.Draft
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.body, &fields) != nil || fields == nil {
		return draft, merge(c.schemaErr, &tocsin.Error{Code: tocsin.Invalid, Detail: "The body is not a report"})
	}
	// Fields that the schema refuses are left out, since a wrong type would stop the reading. The rules look at the rest.
	var bad, wrong *tocsin.Error
	if errors.As(c.schemaErr, &bad) {
		for _, f := range bad.Fields {
			delete(fields, f.Field)
		}
	}
	text, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(text, &draft)
	}
	if err != nil && c.schemaErr == nil {
		return draft, &tocsin.Error{Code: tocsin.Invalid, Detail: "The body is not a report"}
	}
	parsed, err := draft.Parse(now)
	in := func(field string) func(tocsin.Fault) bool {
		return func(f tocsin.Fault) bool { return f.Field == field }
	}
	if bad != nil && errors.As(err, &wrong) && slices.ContainsFunc(bad.Fields, in("reportedDomains")) {
		// Whether it names a subject is not known.
		err = tocsin.Faults(slices.DeleteFunc(slices.Clone(wrong.Fields), in("scammerAddresses")))
	}
	return parsed, merge(c.schemaErr, err)
}

// merge joins the faults that the schema and the rules find in a call. Of a field
// that both name it keeps the schema's.
func merge(shape, rules error) error {
	var a, b *tocsin.Error
	if !errors.As(shape, &a) {
		return rules
	}
	a = &tocsin.Error{Code: a.Code, Detail: a.Detail, Fields: slices.Clone(a.Fields)}
	if errors.As(rules, &b) {
		for _, f := range b.Fields {
			if !slices.ContainsFunc(a.Fields, func(known tocsin.Fault) bool { return known.Field == f.Field }) {
				a.Fields = append(a.Fields, f)
			}
		}
	}
	return a
}

// withdrawal is the schema Withdrawal.
type withdrawal struct {
	ID     string        `json:"id"`
	Status tocsin.Status `json:"status"`
}

func (s *Server) withdrawReport(c *call) (any, error) {
	id := c.PathValue("id")
	return withdrawal{id, tocsin.Withdrawn}, s.Withdraw(c.Context(), id, c.Header.Get("x-manage-token"), "")
}

// Withdraw withdraws a report by its manage token, and keeps by which other one it was corrected; "" for none. The
// error is a [*Later] if its network has tried that too often within the hour.
func (s *Server) Withdraw(ctx context.Context, id, token, correctedBy string) error {
	if wait, _ := s.budgets.Withdrawals.Take(front.Of(ctx).Network()); wait > 0 {
		return later(tooManyWithdrawals, wait, "Your network has withdrawn many reports, or tried to, within the hour; "+
			"Retry-After says in how many seconds the next attempt is taken. Nothing was withdrawn.")
	}
	return s.db.Replace(ctx, id, token, correctedBy)
}
