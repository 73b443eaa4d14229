//! Calls a Tocsin with the client that openapi-generator made of its contract: URL and KEY are its arguments.
use made::apis::configuration::{ApiKey, Configuration};
use made::apis::{reports_api, screening_api, service_api, Error, ResponseContent};
use made::models::*;

const THIEF: &str = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(calls(&arguments[1], &arguments[2]))?;
    println!("answered as the contract says");
    Ok(())
}

/// The API of the program, with a key or token if there is one. A proxy of the environment is not for 127.0.0.1.
fn at(url: &str, secret: Option<&str>) -> Configuration {
    Configuration {
        base_path: url.into(),
        client: reqwest::Client::builder().no_proxy().build().unwrap(),
        api_key: secret.map(|key| ApiKey { prefix: None, key: key.into() }),
        ..Default::default()
    }
}

/// What a call that must fail is answered: the status, and the body.
fn refused<T, E>(about: &str, answer: Result<T, Error<E>>) -> ResponseContent<E> {
    match answer {
        Err(Error::ResponseError(response)) => response,
        _ => panic!("{about}: it is no answer with an error"),
    }
}

async fn calls(url: &str, key: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (api, nobody) = (at(url, Some(key)), at(url, None));

    // What is free needs no key.
    let stats = service_api::stats(&nobody).await?;
    assert_eq!(stats.lists[0].name, "ofac");
    assert!(stats.as_of > stats.lists[0].imported_at);
    let payments = service_api::payment_status(&nobody).await?;
    assert_eq!((payments.enabled, payments.x402_version as i64), (true, 2));
    assert!(!service_api::me(&nobody).await?.authenticated);

    // With a key, what has a price.
    let one = screening_api::screen_address(&api, THIEF, None, None, None, None, None).await?;
    assert_eq!((one.recommendation, one.risk_level, one.risk_score), (Recommendation::Block, RiskLevel::Critical, 100));
    assert_eq!(one.factors.iter().map(|factor| factor.points).sum::<i32>(), 100);
    assert_eq!((one.listings[0].list.as_str(), one.listings[0].kind), ("starter", ListingKind::Risk));
    assert_eq!(one.listings[0].since.unwrap().to_string(), "2022-03-23 00:00:00 +00:00");
    assert!(matches!(&one.reports[0], ReportView::Report(report) if report.title.contains("Ronin")));
    let brief = screening_api::screen_address(&api, THIEF, None, None, None, Some("compact"), None).await?;
    assert!(matches!(brief.reports[0], ReportView::BriefReport(_)));
    let nothing = format!("0x{}", "1".repeat(40));
    let batch = screening_api::check_addresses(&api, Batch::new(vec![THIEF.into(), nothing])).await?;
    assert_eq!((batch.count, batch.results[1].recommendation), (2, Recommendation::Proceed));
    assert_eq!(batch.results[1].first_reported_at, None);
    let site = screening_api::check_domain(&api, "https://uniswaplp.com/claim", None, None, None, None).await?;
    assert_eq!(site.matches[0].r#match, MatchKind::Exact);
    let page = reports_api::list_reports(&api, Some(2), Some(CrimeType::Hack), None, None, None, None).await?;
    assert_eq!((page.count, page.reports.len(), page.next_since), (2, 2, None));

    // A report is filed, read, withdrawn and gone.
    let mut draft =
        ReportDraft::new(CrimeType::Phishing, "Met by a generated Rust client".into(), "It took it.".into());
    draft.scammer_addresses = Some(Some(vec![format!("0x{}", "ef".repeat(20))]));
    draft.amount_lost = Some(Some(1234567.89));
    draft.incident_date = Some(Some("2026-01-31".into()));
    draft.currency = Some(None);
    let FiledReportView::FiledReport(filed) = reports_api::file_report(&nobody, draft, None, Some("rust-once")).await?
    else {
        panic!("the report that was filed is brief");
    };
    assert_eq!((filed.status, filed.amount_lost, &filed.reporter), (ReportStatus::Published, Some(1234567.89), &None));
    assert!(filed.created_at >= stats.as_of);
    let ReportView::Report(read) = reports_api::get_report(&nobody, &filed.id, None).await? else {
        panic!("the report that was read is brief");
    };
    assert_eq!((&read.title, read.created_at), (&filed.title, filed.created_at));
    let another = at(url, Some(&format!("man_{}", "a".repeat(38))));
    let kept = refused("another token", reports_api::withdraw_report(&another, &filed.id).await);
    assert_eq!(kept.status, 403);
    let own = at(url, filed.manage_token.as_deref());
    assert_eq!(reports_api::withdraw_report(&own, &filed.id).await?.status, withdrawal::Status::Withdrawn);
    let gone = refused("gone", reports_api::get_report(&nobody, &filed.id, None).await);
    assert_eq!((gone.status.as_u16(), gone.content.contains("report_withdrawn")), (410, true));

    // What is refused says why, and what is owed says how to pay it. The types of the generated errors have no tags:
    // the first that fits is taken, which is Problem for a PaymentProblem too.
    let bad = refused("no domain", screening_api::check_domain(&api, "localhost", None, None, None, None).await);
    assert_eq!(bad.status, 400);
    let Some(screening_api::CheckDomainError::Status400(problem)) = bad.entity else {
        panic!("the refusal is no problem: {}", bad.content);
    };
    assert_eq!(problem.code, "invalid_input");
    let owed = refused("no key", screening_api::screen_address(&nobody, THIEF, None, None, None, None, None).await);
    assert_eq!(owed.status, 402);
    let owed: PaymentProblem = serde_json::from_str(&owed.content)?;
    assert_eq!((owed.code.as_str(), owed.x402_version as i64), ("payment_required", 2));
    let offer = &owed.accepts[0];
    assert_eq!(
        (offer.network.as_str(), offer.amount.as_str(), offer.max_timeout_seconds),
        ("eip155:8453", "10000", 300)
    );

    // The key counts what was called with it, and is a bearer token too.
    let bearer = Configuration { bearer_access_token: Some(key.into()), ..at(url, None) };
    let me = service_api::me(&bearer).await?;
    assert_eq!((me.authenticated, me.free_calls.unwrap().used), (true, 5));
    Ok(())
}
