// Command clients calls a Tocsin with the two Go clients that were generated from its contract: URL and KEY are its
// arguments. The test generates the packages made and oapi beside it.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"

	"tocsin/interop/clients/made"
	"tocsin/interop/clients/oapi"
)

const thief = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"

func main() {
	log.SetFlags(0)
	url, key := os.Args[1], os.Args[2]
	byOpenAPIGenerator(url, key)
	byOAPICodegen(url, key)
	fmt.Println("answered as the contract says")
}

func same(about string, got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		log.Fatalf("%s: %v, not %v", about, got, want)
	}
}

func must[T any](answer T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

// byOpenAPIGenerator uses the client of openapi-generator. Its answers have a third value, the HTTP response.
func byOpenAPIGenerator(url, key string) {
	config := made.NewConfiguration()
	config.Servers = made.ServerConfigurations{{URL: url}}
	api := made.NewAPIClient(config)
	with := func(scheme, secret string) context.Context {
		return context.WithValue(context.Background(), made.ContextAPIKeys, map[string]made.APIKey{scheme: {Key: secret}})
	}
	ctx := with("apiKey", key)

	one, _, err := api.ScreeningAPI.ScreenAddress(ctx, thief).Execute()
	one = must(one, err)
	sum := int32(0)
	for _, factor := range one.Factors {
		sum += factor.Points
	}
	same("screening", []any{one.Recommendation, one.RiskScore, sum}, "[block 100 100]")
	same("a report", strings.Contains(one.Reports[0].Report.Title, "Ronin"), true)
	brief, _, err := api.ScreeningAPI.ScreenAddress(ctx, thief).View("compact").Execute()
	same("without words", must(brief, err).Reports[0].BriefReport != nil, true)
	batch, _, err := api.ScreeningAPI.CheckAddresses(ctx).Batch(*made.NewBatch([]string{thief, "0x" +
		strings.Repeat("1", 40)})).Execute()
	same("a batch", must(batch, err).Results[1].Recommendation, "proceed")
	site, _, err := api.ScreeningAPI.CheckDomain(ctx, "https://uniswaplp.com/claim").Execute()
	same("a URL", must(site, err).Matches[0].Match, "exact")
	page, _, err := api.ReportsAPI.ListReports(ctx).Limit(2).Execute()
	same("a page", must(page, err).Count, 2)

	draft := made.NewReportDraft("phishing", "Met by a generated Go client", "It took it.")
	draft.ScammerAddresses = []string{"0x" + strings.Repeat("cd", 20)}
	draft.SetAmountLost(1234567.89)
	filed, _, err := api.ReportsAPI.FileReport(ctx).ReportDraft(*draft).Execute()
	report := must(filed, err).FiledReport
	same("filed", fmt.Sprintf("%.2f %v", report.GetAmountLost(), report.CreatedAt.IsZero()), "1234567.89 false")
	gone, _, err := api.ReportsAPI.WithdrawReport(with("manageToken", report.GetManageToken()), report.Id).Execute()
	same("withdrawn", must(gone, err).Status, "withdrawn")
	_, res, err := api.ReportsAPI.GetReport(ctx, report.Id).Execute()
	same("gone", []any{res.StatusCode, err != nil}, "[410 true]")
	_, res, err = api.ScreeningAPI.ScreenAddress(context.Background(), thief).Execute()
	same("no key", []any{res.StatusCode, err != nil}, "[402 true]")
	me, _, err := api.ServiceAPI.Me(context.WithValue(context.Background(), made.ContextAccessToken, key)).Execute()
	same("by a bearer token", must(me, err).Authenticated, true)
	stats, _, err := api.ServiceAPI.Stats(ctx).Execute()
	same("stats", must(stats, err).Lists[0].Name, "ofac")
	payments, _, err := api.ServiceAPI.PaymentStatus(ctx).Execute()
	same("payments", []any{must(payments, err).Enabled, payments.X402Version}, "[true 2]")
}

func byOAPICodegen(url, key string) {
	ctx := context.Background()
	api := must(oapi.NewClientWithResponses(url, oapi.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("x-api-key", key)
			return nil
		})))
	one := must(api.ScreenAddressWithResponse(ctx, thief, nil)).JSON200
	sum := 0
	for _, factor := range one.Factors {
		sum += factor.Points
	}
	same("screening", []any{one.Recommendation, one.RiskScore, sum}, "[block 100 100]")
	report := must(one.Reports[0].AsReport())
	same("a report", []any{strings.Contains(report.Title, "Ronin"), *report.AmountLost}, "[true 6.2e+08]")
	batch := must(api.CheckAddressesWithResponse(ctx, oapi.Batch{Addresses: []string{thief}})).JSON200
	same("a batch", batch.Results[0].RiskLevel, "CRITICAL")
	site := must(api.CheckDomainWithResponse(ctx, "https://uniswaplp.com/claim", nil)).JSON200
	same("a URL", slices.ContainsFunc(site.Matches, func(m oapi.DomainMatch) bool { return m.Match == "exact" }), true)
	lost := 1234567.89
	filed := must(api.FileReportWithResponse(ctx, nil, oapi.ReportDraft{
		CrimeType: "phishing", Title: "Met by another Go client", Description: "It took it.", AmountLost: &lost,
		ReportedDomains: &[]string{"https://oapi-codegen.example/claim"},
	})).JSON201
	mine := must(filed.AsFiledReport())
	same("filed", fmt.Sprintf("%.2f", *mine.AmountLost), "1234567.89")
	refused := must(api.CheckDomainWithResponse(ctx, "localhost", nil))
	same("refused", []any{refused.StatusCode(), refused.ApplicationproblemJSON400.Code}, "[400 invalid_input]")
}
