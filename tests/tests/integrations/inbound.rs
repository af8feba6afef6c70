//! Integrations that report alerts, with credentials of their own.

use muster_tests::{Client, Response, Server, both_backends};
use serde_json::{Value, json};

use super::{install, path, text};

both_backends![
    each_kind_of_credentials_reports_and_does_nothing_else,
    new_credentials_end_the_former_ones,
    credentials_end_with_their_integration,
    credentials_that_ended_elsewhere_are_not_shown,
    what_is_no_kind_is_refused,
];

#[track_caller]
fn admit(client: &Client, installed: &Value, kind: &str) -> Value {
    let answer = client.post(&format!("{}/inbound/authentication", path(installed)), &json!({"authType": kind}));
    assert_eq!(answer.header("Cache-Control"), Some("no-store"), "{answer}");
    let made = answer.ok();
    let shown = client.get(&path(installed)).ok();
    let now = &made["inboundConfig"]["authentication"];
    let later = &shown["inboundConfig"]["authentication"];
    assert_eq!(later, &json!({"authType": kind, "id": now["id"]}), "its secrets are shown once");
    now.clone()
}

fn alert() -> Value {
    json!({"subject": "full", "metric": "disk", "device": {"hostName": "h"}, "currentState": "Critical"})
}

/// Reports an alert with these credentials.
fn report(server: &Server, client: &Client, credentials: &Value) -> Response {
    if let Some(token) = credentials["token"].as_str() {
        return server.request("POST", &format!("/api/v2/inbound/{token}")).json(&alert()).send();
    }
    let pair = &credentials["apiKeyPairs"][0];
    let alerts = format!("/api/v2/tenants/{}/alert", client.tenant_id());
    server.request("POST", &alerts).basic(&text(&pair["key"]), &text(&pair["secret"])).json(&alert()).send()
}

fn each_kind_of_credentials_reports_and_does_nothing_else(server: &Server) {
    for kind in ["OAUTH2", "BASIC", "WEBHOOK"] {
        let client = server.new_client();
        let installed = install(&client, "https://example.net");
        let credentials = admit(&client, &installed, kind);
        report(server, &client, &credentials).ok();
        assert_eq!(client.get("/alerts/search").page()["totalResults"], json!(1), "{kind}");
        let Some(pair) = credentials["apiKeyPairs"].get(0) else {
            let url = text(&credentials["url"]);
            assert_eq!(url, format!("{}/api/v2/inbound/{}", server.base(), text(&credentials["token"])));
            continue;
        };
        let token = server.token(&text(&pair["key"]), &text(&pair["secret"]));
        let reporter = client.with_token(&token);
        reporter.post("/alert", &alert()).ok();
        reporter.get("/alerts/search").forbidden();
        reporter.post("/incidents", &json!({"subject": "s", "note": "n"})).forbidden();
    }
}

fn new_credentials_end_the_former_ones(server: &Server) {
    let client = server.new_client();
    let installed = install(&client, "https://example.net");
    let mut former: Option<Value> = None;
    for kind in ["BASIC", "BASIC", "WEBHOOK", "WEBHOOK", "OAUTH2"] {
        let credentials = admit(&client, &installed, kind);
        report(server, &client, &credentials).ok();
        if let Some(former) = former.replace(credentials) {
            report(server, &client, &former).unauthenticated();
        }
    }
    let rows = client.search("/auditLog/search", &format!("entityId:{}", text(&installed["id"]))).page();
    let changes = rows["results"].to_string();
    assert!(changes.contains("inboundConfig.authentication"), "{changes}");
}

fn credentials_end_with_their_integration(server: &Server) {
    let client = server.new_client();
    for kind in ["BASIC", "WEBHOOK"] {
        let installed = install(&client, "https://example.net");
        let credentials = admit(&client, &installed, kind);
        client.delete(&path(&installed)).ok();
        report(server, &client, &credentials).unauthenticated();
    }
    // What somebody has ended by hand does not stand in the way.
    let installed = install(&client, "https://example.net");
    let credentials = admit(&client, &installed, "WEBHOOK");
    client.delete(&format!("/inbound/{}", text(&credentials["id"]))).ok();
    shows_none(&client, &installed);
    admit(&client, &installed, "BASIC");
    client.delete(&path(&installed)).ok();
}

/// Nothing that is read of an integration says that it reports, nor is a read of it 304.
#[track_caller]
fn shows_none(client: &Client, installed: &Value) {
    let read = client.get(&path(installed));
    let tag = read.header("ETag").expect("a tag").to_owned();
    assert_eq!(read.ok().get("inboundConfig"), None);
    assert_eq!(client.request("GET", &path(installed)).header("If-None-Match", &tag).send().status, 200);
    let found = client
        .search("/integrations/installed/search", &format!("id:{}", text(&installed["id"]).to_lowercase()))
        .page();
    assert_eq!(found["results"][0].get("inboundConfig"), None, "{found}");
    let changed = client.post(&path(installed), &json!({"description": "changed"})).ok();
    assert_eq!(changed.get("inboundConfig"), None);
}

fn credentials_that_ended_elsewhere_are_not_shown(server: &Server) {
    let client = server.new_client();
    for kind in ["BASIC", "OAUTH2", "WEBHOOK"] {
        let installed = install(&client, "https://example.net");
        let credentials = admit(&client, &installed, kind);
        let of = if kind == "WEBHOOK" { "inbound" } else { "apiKeys" };
        client.delete(&format!("/{of}/{}", text(&credentials["id"]))).ok();
        shows_none(&client, &installed);
        let disabled = client.post_empty(&format!("{}/disable", path(&installed))).ok();
        assert_eq!(disabled.get("inboundConfig"), None);
        admit(&client, &installed, kind);
    }
}

fn what_is_no_kind_is_refused(server: &Server) {
    let client = server.new_client();
    let installed = install(&client, "https://example.net");
    let at = format!("{}/inbound/authentication", path(&installed));
    for wrong in [json!({}), json!({"authType": "NONE"}), json!({"authType": 1})] {
        client.post(&at, &wrong).invalid(&["authType"]);
    }
    client.post("/integrations/installed/INTG-1/inbound/authentication", &json!({"authType": "BASIC"})).not_found();
    let integrator = server.caller(client.tenant_id(), "integrator");
    integrator.post(&at, &json!({"authType": "BASIC"})).forbidden();
    assert!(client.get(&path(&installed)).ok().get("inboundConfig").is_none());
}
