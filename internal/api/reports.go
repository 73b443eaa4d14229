package api

import (
	"bytes"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
)

// searchPage is the schema SearchPage.
type searchPage struct {
	Query   string            `json:"query"`
	Count   int               `json:"count"`
	Parties []sanctionedParty `json:"sanctionedParties"`
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
	front.Of(c.Context()).Leave() // searches wait for each other
	found, err := s.db.Search(c.Context(), terms, "", c.page())
	if err != nil {
		return nil, err
	}
	var parties []tocsin.Party
	if c.page().Cursor == "" {
		if parties, _, err = s.db.PartiesNamed(c.Context(), terms, tocsin.FoundPartyAccounts); err != nil {
			return nil, err
		}
	}
	return &searchPage{c.input.Text("q"), len(found.Reports), sanctionedParties(parties),
		s.page(c, found.Reports, found.NextCursor)}, nil
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
		since, _, fault := tocsin.ParseDay(text)
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

func (s *Server) getReport(c *call) (any, error) {
	r, err := s.db.Report(c.Context(), c.PathValue("id"))
	return s.view(r, c.compact()), err
}

// withURL returns a report with its URL.
func (s *Server) withURL(r tocsin.Report) tocsin.Report {
	r.URL = s.config.BaseURL + s.contract.Base + "/community-reports/" + r.ID
	return r
}

// wholeReport is the schema Report. It has the lists that a stored report leaves out where they are empty.
type wholeReport struct {
	tocsin.Report
	ScammerAccounts []string `json:"scammerAccounts"`
	ReportedHandles []string `json:"reportedHandles"`
}

func toWhole(r tocsin.Report) wholeReport {
	return wholeReport{r, notNull(r.ScammerAccounts), notNull(r.ReportedHandles)}
}

// notNull returns the list, which is [] in JSON if it is empty.
func notNull(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// briefReport is the schema BriefReport: a report without its free text (see
// [tocsin.Untrusted]).
type briefReport struct {
	ID               string            `json:"id"`
	CrimeType        tocsin.CrimeType  `json:"crimeType"`
	ScammerAddresses []string          `json:"scammerAddresses"`
	ReportedDomains  []string          `json:"reportedDomains"`
	Domains          int               `json:"reportedDomainCount"`
	ScammerAccounts  []string          `json:"scammerAccounts"`
	AmountLost       *tocsin.USD       `json:"amountLost"`
	Currency         string            `json:"currency"`
	IncidentDate     *string           `json:"incidentDate"`
	Evidence         transactions      `json:"evidence"`
	Status           tocsin.Status     `json:"status"`
	Source           string            `json:"source"`
	Reporter         *namelessReporter `json:"reporter"`
	CreatedAt        tocsin.Time       `json:"createdAt"`
	PublishedAt      *tocsin.Time      `json:"publishedAt"`
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
		ScammerAccounts:  notNull(r.ScammerAccounts),
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
	if c.compact() {
		brief := make([]briefReport, len(reports))
		for i, r := range reports {
			brief[i] = toBrief(s.withURL(r))
		}
		return brief
	}
	whole := make([]wholeReport, len(reports))
	for i, r := range reports {
		whole[i] = toWhole(s.withURL(r))
	}
	return whole
}

// view returns a report as a view shows it, with its URL.
func (s *Server) view(r tocsin.Report, compact bool) any {
	if r = s.withURL(r); compact {
		return toBrief(r)
	}
	return toWhole(r)
}

// Document returns the exact bytes with which GET /community-reports/{id} answers, so that their hashes can be
// compared.
func (s *Server) Document(r tocsin.Report) ([]byte, error) {
	var b bytes.Buffer
	if err := encodeJSON(&b, s.view(r, false)); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
