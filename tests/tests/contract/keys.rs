//! API keys over time: rotated, revoked, and the last of their kind.

use std::time::{Duration, Instant};

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::text;

both_backends![
    a_key_has_two_secrets_and_tokens_die_with_theirs,
    a_leaked_secret_is_dropped_at_once,
    a_rotation_needs_no_body_and_no_other_tenant,
    the_user_of_a_key_lives_as_long_as_the_key,
    a_narrow_key_does_what_it_names,
    a_narrow_key_hands_out_no_wider_one,
    a_narrow_key_lets_nobody_report_what_it_may_not,
    a_key_ends_when_it_says,
    a_key_is_read_and_says_when_it_was_used,
];

struct Key {
    id: String,
    key: String,
    secret: String,
}

fn new_key(client: &Client) -> Key {
    let created = client.post("/apiKeys", &json!({"name": unique("key"), "role": "viewer"})).ok();
    Key { id: text(&created["id"]), key: text(&created["key"]), secret: text(&created["secret"]) }
}

#[track_caller]
fn rotate(client: &Client, key: &Key, body: &Value) -> String {
    let answer = client.post(&format!("/apiKeys/{}/rotate", key.id), body);
    assert!(answer.header("Cache-Control").is_some_and(|value| value.contains("no-store")), "{answer}");
    let rotated = answer.ok();
    assert_eq!((&rotated["id"], &rotated["key"]), (&json!(key.id), &json!(key.key)));
    text(&rotated["secret"])
}

#[track_caller]
fn is_refused(server: &Server, key: &str, secret: &str) {
    let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
    let answer = server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form).send();
    assert_eq!(answer.status, 401, "{answer}");
}

fn a_key_has_two_secrets_and_tokens_die_with_theirs(server: &Server) {
    let client = server.new_client();
    let key = new_key(&client);
    let of_first = client.with_token(&server.token(&key.key, &key.secret));
    let second = rotate(&client, &key, &json!({}));
    let of_second = client.with_token(&server.token(&key.key, &second));
    server.token(&key.key, &key.secret);
    of_first.get("/resources/minimal").list();
    let third = rotate(&client, &key, &json!({"revokePrevious": false}));
    is_refused(server, &key.key, &key.secret);
    of_first.get("/resources/minimal").unauthenticated();
    of_second.get("/resources/minimal").list();
    server.token(&key.key, &second);
    server.token(&key.key, &third);
}

fn a_leaked_secret_is_dropped_at_once(server: &Server) {
    let client = server.new_client();
    let key = new_key(&client);
    let second = rotate(&client, &key, &json!({}));
    let caller = client.with_token(&server.token(&key.key, &second));
    let third = rotate(&client, &key, &json!({"revokePrevious": "true"}));
    is_refused(server, &key.key, &key.secret);
    is_refused(server, &key.key, &second);
    caller.get("/resources/minimal").unauthenticated();
    server.token(&key.key, &third);
}

fn a_rotation_needs_no_body_and_no_other_tenant(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let key = new_key(&client);
    let path = format!("/apiKeys/{}/rotate", key.id);
    client.post(&path, &json!({"revokePrevious": 7})).invalid(&["revokePrevious"]);
    client.post(&path, &json!([])).invalid(&["body"]);
    client.post_text(&path, "{").problem(400, "0002");
    client.request("POST", &path).body("text/plain", "{}").send().problem(415, "0002");
    other.post_empty(&path).not_found();
    server.admin().post_empty(&path).not_found();
    client.post_empty("/apiKeys/KEY-00000000-0000-4000-8000-000000000000/rotate").not_found();
    server.caller(client.tenant_id(), "integrator").post_empty(&path).forbidden();
    // Nothing of this changed the key.
    server.token(&key.key, &key.secret);
    assert_eq!(client.get("/apiKeys").list()[0]["previousSecretValid"], json!(false));
    client.post_empty(&path).ok();
    assert_eq!(client.get("/apiKeys").list()[0]["previousSecretValid"], json!(true));
}

fn the_user_of_a_key_lives_as_long_as_the_key(server: &Server) {
    let client = server.new_client();
    let created = client.post("/apiKeys", &json!({"name": unique("key"), "role": "viewer"})).ok();
    let user = format!("/users/{}", text(&created["userId"]));
    assert_eq!(client.get(&user).ok()["firstName"], created["name"]);
    client.post_empty(&format!("{user}/deactivate")).problem(409, "0004");
    client.post(&user, &json!({"role": "operator"})).problem(409, "0004");
    client.delete(&format!("/apiKeys/{}", text(&created["id"]))).ok();
    let login = unique("former");
    let changed = client.post(&user, &json!({"role": "operator", "loginName": login})).ok();
    assert_eq!((&changed["role"], &changed["loginName"]), (&json!("operator"), &json!(login)));
    client.post_empty(&format!("{user}/deactivate")).ok();
}

/// A key with these fields besides its name.
#[track_caller]
fn key_with(client: &Client, fields: &Value) -> (Key, Value) {
    let mut body = json!({"name": unique("key")});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let created = client.post("/apiKeys", &body).ok();
    let key = Key { id: text(&created["id"]), key: text(&created["key"]), secret: text(&created["secret"]) };
    (key, created)
}

fn a_narrow_key_does_what_it_names(server: &Server) {
    let client = server.new_client();
    let named = json!({"role": "operator", "operations": ["createSite", "listMinimalSites", "createSite"]});
    let (key, created) = key_with(&client, &named);
    let expected = json!(["createSite", "listMinimalSites"]);
    assert_eq!(created["operations"], expected);
    assert_eq!(client.get(&format!("/apiKeys/{}", key.id)).ok()["operations"], expected);
    assert!(client.get("/apiKeys").list().iter().any(|listed| listed["operations"] == expected));
    let token = client.with_token(&server.token(&key.key, &key.secret));
    token.post("/sites", &json!({"name": "made"})).ok();
    assert_eq!(token.get("/sites/minimal").list().len(), 1);
    let refused = token.get("/resources/minimal").forbidden();
    assert!(text(&refused["detail"]).contains("listMinimalResources"), "{refused}");
    token.post("/resources", &json!({"name": "x"})).forbidden();
    // The role is asked for as before, also at an operation of another tenant's path.
    token.get("/apiKeys").forbidden();
    token.tenant("msp_1").get("/sites/minimal").not_found();
    let basic = |path: &str| {
        let path = format!("/api/v2/tenants/{}{path}", client.tenant_id());
        server.request("GET", &path).basic(&key.key, &key.secret).send()
    };
    basic("/sites/minimal").list();
    basic("/resources/minimal").forbidden();
    // A key without operations says nothing of them.
    assert!(key_with(&client, &json!({"role": "viewer"})).1.get("operations").is_none());

    let refused = |fields: Value| {
        let mut body = json!({"name": "refused", "role": "viewer"});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        client.post("/apiKeys", &body)
    };
    let told = refused(json!({"operations": ["getSite", "flySite"]})).invalid(&["operations[1]"]);
    assert!(told.to_string().contains("flySite"), "{told}");
    let told = refused(json!({"operations": ["createSite"]})).invalid(&["operations[0]"]);
    assert!(told.to_string().contains("operator"), "{told}");
    // A user of another tenant is refused.
    refused(json!({"userId": "USR0000000001"})).invalid(&["userId"]);
    refused(json!({"operations": []})).invalid(&["operations"]);
    refused(json!({"operations": "getSite"})).invalid(&["operations"]);
    refused(json!({"operations": [7]})).invalid(&["operations[0]"]);
    refused(json!({"operations": ["createToken"]})).invalid(&["operations[0]"]);
}

fn a_narrow_key_hands_out_no_wider_one(server: &Server) {
    let client = server.new_client();
    let (key, _) = key_with(&client, &json!({"role": "admin", "operations": ["createApiKey", "rotateApiKey"]}));
    let narrow = client.with_token(&server.token(&key.key, &key.secret));
    for fields in [json!({"role": "admin"}), json!({"role": "viewer"})] {
        let mut body = json!({"name": unique("wider")});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        narrow.post("/apiKeys", &body).forbidden();
    }
    let with = |operations: Value| json!({"name": unique("key"), "role": "admin", "operations": operations});
    narrow.post("/apiKeys", &with(json!(["createApiKey", "getTenant"]))).forbidden();
    let own = narrow.post("/apiKeys", &with(json!(["rotateApiKey"]))).ok();
    narrow.post_empty(&format!("/apiKeys/{}/rotate", text(&own["id"]))).ok();
    let wide = new_key(&client);
    narrow.post_empty(&format!("/apiKeys/{}/rotate", wide.id)).forbidden();
    server.token(&wide.key, &wide.secret);
}

/// Anyone who has an inbound address may report: so has anyone who makes one.
fn a_narrow_key_lets_nobody_report_what_it_may_not(server: &Server) {
    let client = server.new_client();
    let narrowed = |operations: &[&str]| {
        let (key, _) = key_with(&client, &json!({"role": "admin", "operations": operations}));
        client.with_token(&server.token(&key.key, &key.secret))
    };
    let body = || json!({"name": unique("monitor")});
    let reports = ["reportAlert", "reportAlertmanagerAlerts", "reportAlerts"];
    narrowed(&["createInboundAddress", "reportAlert"]).post("/inbound", &body()).forbidden();
    let made = narrowed(&[&["createInboundAddress"], &reports[..]].concat()).post("/inbound", &body()).ok();
    let installed = client.post("/integrations/install/CUSTOM", &json!({"displayName": unique("custom")})).ok();
    let at = format!("/integrations/installed/{}/inbound/authentication", text(&installed["id"]));
    for kind in ["WEBHOOK", "OAUTH2"] {
        narrowed(&["setInboundAuthentication"]).post(&at, &json!({"authType": kind})).forbidden();
        narrowed(&[&["setInboundAuthentication"], &reports[..]].concat()).post(&at, &json!({"authType": kind})).ok();
    }

    // It acts as a user of its own, who is in use as long as it is.
    let users = client.get("/users/search?pageSize=500").page();
    let own = users["results"].as_array().unwrap().iter().find(|user| user["firstName"] == made["name"]);
    let own = text(&own.unwrap_or_else(|| panic!("{users}"))["id"]);
    assert_eq!(client.post_empty(&format!("/users/{own}/deactivate")).status, 409);
    client.delete(&format!("/inbound/{}", text(&made["id"]))).ok();
    client.post_empty(&format!("/users/{own}/deactivate")).ok();
}

fn a_key_ends_when_it_says(server: &Server) {
    let client = server.new_client();
    let end = instant(std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() + 4);
    for wrong in ["2020-01-01T00:00:00Z", "tomorrow"] {
        let body = json!({"name": "x", "role": "viewer", "expiresAt": wrong});
        client.post("/apiKeys", &body).invalid(&["expiresAt"]);
    }
    let (key, created) = key_with(&client, &json!({"role": "viewer", "expiresAt": end}));
    assert_eq!(text(&created["expiresAt"]), end.replace('Z', "+0000"));
    let form = format!("grant_type=client_credentials&client_id={}&client_secret={}", key.key, key.secret);
    let ask =
        || server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form.clone()).send();
    let token = ask().ok();
    let lives = token["expires_in"].as_i64().unwrap_or_default();
    assert!((0..=4).contains(&lives), "a token ends with its key: {token}");
    let caller = client.with_token(&text(&token["access_token"]));
    caller.get("/resources/minimal").list();
    let path = format!("/api/v2/tenants/{}/resources/minimal", client.tenant_id());
    server.request("GET", &path).basic(&key.key, &key.secret).send().list();
    std::thread::sleep(Duration::from_millis(4_500));
    caller.get("/resources/minimal").unauthenticated();
    server.request("GET", &path).basic(&key.key, &key.secret).send().unauthenticated();
    is_refused(server, &key.key, &key.secret);
    // It is still listed, so that one sees why.
    assert_eq!(client.get(&format!("/apiKeys/{}", key.id)).ok()["expiresAt"], created["expiresAt"]);
}

/// Seconds since 1970 as `2026-11-20T20:37:00Z`.
pub(super) fn instant(seconds: u64) -> String {
    let output = std::process::Command::new("date")
        .args(["-u", "-d", &format!("@{seconds}"), "+%Y-%m-%dT%H:%M:%SZ"])
        .output()
        .unwrap_or_else(|error| panic!("date: {error}"));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn a_key_is_read_and_says_when_it_was_used(server: &Server) {
    let client = server.new_client();
    let key = new_key(&client);
    let path = format!("/apiKeys/{}", key.id);
    let read = client.get(&path);
    let shown = read.ok();
    assert!(shown.get("lastUsedAt").is_none() && shown.get("secret").is_none(), "{shown}");
    let etag = read.header("ETag").map(ToOwned::to_owned).unwrap_or_default();
    client.with_token(&server.token(&key.key, &key.secret)).get("/resources/minimal").list();
    let begun = Instant::now();
    let used = loop {
        let shown = client.get(&path).ok();
        if let Some(used) = shown.get("lastUsedAt") {
            break text(used);
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "a key that was used does not say so: {shown}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(used.ends_with("+0000"), "{used}");
    // A use is not a change of the key.
    assert_eq!(client.get(&path).header("ETag"), Some(etag.as_str()));
    client.request("POST", &format!("{path}/rotate")).header("If-Match", &etag).send().ok();
    client.request("POST", &format!("{path}/rotate")).header("If-Match", &etag).send().problem(412, "0004");
    client.get("/apiKeys/KEY-00000000-0000-4000-8000-000000000000").not_found();
    client.get("/apiKeys/nonsense").not_found();
    server.new_client().get(&path).not_found();
    client.delete(&path).ok();
    client.get(&path).not_found();
}
