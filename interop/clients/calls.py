"""Calls a Tocsin with the client that openapi-generator made of its contract: python calls.py URL KEY."""
import sys
import uuid

import openapi_client as made
from openapi_client.exceptions import ApiException

url, key = sys.argv[1:]
thief = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
api = made.ApiClient(made.Configuration(host=url, api_key={"apiKey": key}))
screening, reports, keys, service = made.ScreeningApi(api), made.ReportsApi(api), made.KeysApi(api), made.ServiceApi(api)


def same(about, got, want):
    assert got == want, f"{about}: {got!r}, not {want!r}"


def fails(about, status, code, call):
    try:
        call()
    except ApiException as refused:
        same(about, (refused.status, code in refused.body), (status, True))
    else:
        raise AssertionError(f"{about}: it is answered")


one = screening.screen_address(thief)
same("screening", (one.recommendation, one.risk_score, sum(f.points for f in one.factors)), ("block", 100, 100))
same("a listing", (one.listings[0].list, one.listings[0].since.year), ("starter", 2022))
same("a report", "Ronin" in one.reports[0].actual_instance.title, True)
brief = screening.screen_address(thief, view="compact")
same("without words", type(brief.reports[0].actual_instance).__name__, "BriefReport")
batch = screening.check_addresses(made.Batch(addresses=[thief, "0x" + "1" * 40]))
same("a batch", [r.recommendation for r in batch.results], ["block", "proceed"])
same("no date", batch.results[1].first_reported_at, None)
site = screening.check_domain("https://uniswaplp.com/claim")
same("a URL", (site.registrable_domain, site.matches[0].match), ("uniswaplp.com", "exact"))
same("found", reports.search_reports(q="ronin bridge").count >= 1, True)
page = reports.list_reports(limit=2)
same("a page", (page.count, page.next_since), (2, None))
since = reports.list_reports(since="2020-01-01T00:00:00Z", limit=1)
same("since", reports.list_reports(since=since.next_since.isoformat(), limit=1).count, 1)

once = str(uuid.uuid4())
draft = made.ReportDraft(crime_type="phishing", title="Met by a generated client " + once, description="It took it.",
                         scammer_addresses=["0x" + "ab" * 20], amount_lost=1234567.89, incident_date="2026-01-31")
filed = reports.file_report(draft, idempotency_key=once).actual_instance
same("filed", (filed.amount_lost, filed.source, filed.created_at.tzinfo is not None), (1234567.89, "community", True))
same("read", reports.get_report(filed.id).actual_instance.title, draft.title)


def withdraw(token):
    own = made.ApiClient(made.Configuration(host=url, api_key={"manageToken": token}))
    return made.ReportsApi(own).withdraw_report(filed.id)


fails("another token", 403, "forbidden", lambda: withdraw("man_" + "a" * 38))
same("withdrawn", withdraw(filed.manage_token).status, "withdrawn")
fails("gone", 410, "report_withdrawn", lambda: reports.get_report(filed.id))
fails("no address", 400, "invalid_input", lambda: made.ScreeningApi(api).check_domain("localhost"))
fails("no key", 402, "payment_required",
      lambda: made.ScreeningApi(made.ApiClient(made.Configuration(host=url))).screen_address(thief))
me = service.me()
same("me", (me.authenticated, me.free_calls.used >= 7), (True, True))
bearer = made.ApiClient(made.Configuration(host=url, access_token=key))
same("by a bearer token", made.ServiceApi(bearer).me().authenticated, True)
same("stats", service.stats().lists[0].name, "ofac")
same("leaderboard", service.leaderboard().count >= 0, True)
same("payments", service.payment_status().x402_version, 2)
same("nonce", len(keys.sign_in_nonce().nonce), 32)
print("answered as the contract says")
