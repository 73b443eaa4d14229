package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// searchPage is the schema SearchPage.
type searchPage struct {
	Query string `json:"query"`
	Count int    `json:"count"`
	page
}

func parseSearch(c *call) ([]tocsin.Term, error) {
	terms, fault := tocsin.ParseQuery(c.input.Text("q"))
	if fault != nil {
		return nil, tocsin.Faults(fault.In("q"))
	}
	return terms, nil
}

func (s *Server) searchReports(c *call, terms []tocsin.Term) (any, error) {
	found, err := s.db.Search(c.Context(), terms, "", c.page())
	if err != nil {
		return nil, err
	}
	return &searchPage{c.input.Text("q"), len(found.Reports), s.page(c, found.Reports, found.NextCursor)}, nil
}

// reportPage is the schema ReportPage.
type reportPage struct {
	Count int `json:"count"`
	page
	NextSince *tocsin.Time `json:"nextSince"`
}

func parseFilter(c *call) (store.Filter, error) {
	f := store.Filter{
		CrimeType: tocsin.CrimeType(c.input.Text("crimeType")),
		Source:    c.input.Text("source"),
		Page:      c.page(),
	}
	if text := c.input.Text("since"); text != "" {
		since, fault := tocsin.ParseTime(text)
		if fault != nil {
			return f, tocsin.Faults(fault.In("since"))
		}
		if f.Cursor != "" {
			return f, tocsin.Faults([]tocsin.Fault{{
				Field:  "cursor",
				Reason: "cursor goes back in time, since goes forward",
				Fix:    "send one of them; nextSince continues since",
			}})
		}
		f.Since = &since
	}
	return f, nil
}

func (s *Server) listReports(c *call, f store.Filter) (any, error) {
	found, err := s.db.Reports(c.Context(), f)
	if err != nil {
		return nil, err
	}
	page := &reportPage{len(found.Reports), s.page(c, found.Reports, found.NextCursor), nil}
	if f.Since != nil {
		page.NextSince = &found.NextSince
	}
	return page, nil
}

// filedReport is the schema FiledReport.
type filedReport struct {
	tocsin.Report
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
	ManageToken string `json:"manageToken,omitempty"`
	Duplicate   bool   `json:"duplicate,omitempty"`
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
	filed, err := s.File(c.Context(), store.Filing{
		Draft:          draft,
		By:             by,
		Network:        front.Of(c.Context()).Network(),
		IdempotencyKey: c.input.Text("Idempotency-Key"),
	})
	if err != nil {
		return nil, err
	}
	report, proof := s.withURL(filed.Report), receipt{filed.ManageToken, filed.Duplicate}
	value := any(filedReport{report, proof})
	if c.compact() {
		value = briefFiledReport{toBrief(report), proof, report}
	}
	if filed.Duplicate {
		return value, nil
	}
	c.responseHeader.Set("Location", report.URL)
	return created{value}, nil
}

// File records a report. The error is a [*Later] if its network or its key has filed
// too many within the hour, or has named too many subjects.
func (s *Server) File(ctx context.Context, filing store.Filing) (store.Filed, error) {
	undo, refusal := s.takeFiling(filing)
	if refusal != nil {
		// A client that lost the response to its last filing must still get it.
		first, found, err := s.db.FiledBefore(ctx, filing)
		if err != nil || found {
			return store.Filed{Report: first, Duplicate: true}, err
		}
		return store.Filed{}, refusal
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
	take := func(wait time.Duration, u func(), what string, args ...any) bool {
		if wait > 0 {
			undo()
			refusal = later(tooMany, wait, fmt.Sprintf(what, args...)+
				"; Retry-After says in how many seconds this one is taken. Nothing was filed.")
			return false
		}
		taken = append(taken, u)
		return true
	}
	b, subjects := s.budgets, len(filing.Draft.Subjects())
	reports, named := b.Filings, b.Subjects
	if filing.By != nil {
		reports, named = b.KeyedFilings, b.KeyedSubjects
		wait, u := b.AgentSubjects.TakeMany(filing.By.Agent.ID, subjects)
		if !take(wait, u, "With this report your key would name more than %d addresses and domains within the hour",
			b.AgentSubjects.Limit()) {
			return nil, refusal
		}
	}
	wait, u := reports.Take(filing.Network)
	if !take(wait, u, "Your network has filed many reports within the hour, %d", reports.Limit()) {
		return nil, refusal
	}
	wait, u = named.TakeMany(filing.Network, subjects)
	if !take(wait, u, "With this report your network would name more than %d addresses and domains within the hour",
		named.Limit()) {
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
	is := func(field string) func(tocsin.Fault) bool {
		return func(f tocsin.Fault) bool { return f.Field == field }
	}
	if bad != nil && errors.As(err, &wrong) && slices.ContainsFunc(bad.Fields, is("reportedDomains")) {
		// Whether it names a subject is not known.
		err = tocsin.Faults(slices.DeleteFunc(slices.Clone(wrong.Fields), is("scammerAddresses")))
	}
	return parsed, merge(c.schemaErr, err)
}

// merge joins the faults that the schema and the rules find in a body. Of a field
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

func (s *Server) getReport(c *call) (any, error) {
	r, err := s.db.Report(c.Context(), c.PathValue("id"))
	return s.view(r, c.compact()), err
}

// withdrawal is the schema Withdrawal.
type withdrawal struct {
	ID     string        `json:"id"`
	Status tocsin.Status `json:"status"`
}

func (s *Server) withdrawReport(c *call) (any, error) {
	id := c.PathValue("id")
	err := s.db.Withdraw(c.Context(), id, c.Header.Get("x-manage-token"))
	return withdrawal{id, tocsin.Withdrawn}, err
}

// withURL returns a report with its URL.
func (s *Server) withURL(r tocsin.Report) tocsin.Report {
	r.URL = s.config.BaseURL + s.contract.Base + "/community-reports/" + r.ID
	return r
}

// withURLs does so for each. The store may keep its reports, so they are copied.
func (s *Server) withURLs(reports []tocsin.Report) []tocsin.Report {
	linked := make([]tocsin.Report, len(reports))
	for i, r := range reports {
		linked[i] = s.withURL(r)
	}
	return linked
}

// briefReport is the schema BriefReport: a report without its free text (see
// [tocsin.Untrusted]).
type briefReport struct {
	ID               string            `json:"id"`
	CrimeType        tocsin.CrimeType  `json:"crimeType"`
	ScammerAddresses []string          `json:"scammerAddresses"`
	ReportedDomains  []string          `json:"reportedDomains"`
	Domains          int               `json:"reportedDomainCount"`
	AmountLost       *tocsin.USD       `json:"amountLost"`
	Currency         string            `json:"currency"`
	IncidentDate     *string           `json:"incidentDate"`
	Evidence         transactions      `json:"evidence"`
	Status           tocsin.Status     `json:"status"`
	Source           string            `json:"source"`
	Reporter         *namelessReporter `json:"reporter"`
	CreatedAt        tocsin.Time       `json:"createdAt"`
	PublishedAt      tocsin.Time       `json:"publishedAt"`
	URL              string            `json:"url"`
}

type transactions struct {
	TransactionHashes []string `json:"transactionHashes"`
}

type namelessReporter struct {
	ID string `json:"id"`
}

func toBrief(r tocsin.Report) briefReport {
	domains, _ := tocsin.BriefDomains(r.ReportedDomains)
	b := briefReport{
		ID:               r.ID,
		CrimeType:        r.CrimeType,
		ScammerAddresses: r.ScammerAddresses,
		ReportedDomains:  domains,
		Domains:          len(r.ReportedDomains),
		AmountLost:       r.AmountLost,
		Currency:         r.Currency,
		IncidentDate:     r.IncidentDate,
		Evidence:         transactions{r.Evidence.TransactionHashes},
		Status:           r.Status,
		Source:           r.Source,
		CreatedAt:        r.CreatedAt,
		PublishedAt:      r.PublishedAt,
		URL:              r.URL,
	}
	if r.Reporter != nil {
		b.Reporter = &namelessReporter{r.Reporter.ID}
	}
	return b
}

// compact reports whether the response holds no free text of reporters.
func (c *call) compact() bool { return c.input.Text("view") == "compact" || c.apart() }

// apart reports whether the free text of reporters is asked for, and returned apart
// from the response: in a call of a tool. The response that is kept for a payment
// is whole, as over HTTP.
func (c *call) apart() bool { return c.tool != nil && !c.paid && c.input.Text("view") == "full" }

// render returns reports in the view that the call asks for, with their URLs.
func (s *Server) render(c *call, reports []tocsin.Report) any {
	linked := s.withURLs(reports)
	if !c.compact() {
		return linked
	}
	brief := make([]briefReport, len(linked))
	for i, r := range linked {
		brief[i] = toBrief(r)
	}
	return brief
}

// view returns a report as a view shows it, with its URL.
func (s *Server) view(r tocsin.Report, compact bool) any {
	if r = s.withURL(r); compact {
		return toBrief(r)
	}
	return r
}
