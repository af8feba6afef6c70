//! Which tenants there are, and who sees them.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::text;

both_backends![
    a_malformed_tenant_is_like_one_that_does_not_exist,
    a_token_is_asked_for_before_the_tenant,
    a_partner_sees_its_clients,
    a_client_sees_only_itself,
    clients_are_created_searched_and_listed,
    a_client_needs_a_name,
    api_keys_are_listed_without_secrets_rotated_and_revoked,
    time_zones_are_served,
];

const MALFORMED: [&str; 22] = [
    "msp_0",
    "msp_01",
    "msp_",
    "msp",
    "MSP_1",
    "Client_1",
    "client_-1",
    "client_1x",
    "client_1%20",
    "%20client_1",
    "client_1%00",
    "client_1%0A",
    "client_%D9%A1",
    "client_1234567890123456789",
    "client_99999999999999999999999",
    "tenant_1",
    "msp_1%2Fresources",
    "msp_1;client_1",
    "1",
    "null",
    "%FF",
    "msp__1",
];

fn a_malformed_tenant_is_like_one_that_does_not_exist(server: &Server) {
    let admin = server.admin();
    let unknown = refusal(&admin.tenant("client_999999999"));
    assert_eq!(refusal(&admin.tenant("msp_999999999")), unknown);
    for tenant in MALFORMED {
        assert_eq!(refusal(&admin.tenant(tenant)), unknown, "{tenant}");
    }
}

/// The 404 for a tenant, without its request id.
#[track_caller]
fn refusal(caller: &Client) -> Value {
    let mut body = caller.get("/resources/minimal").not_found();
    assert!(!body.to_string().contains(caller.tenant_id()) || caller.tenant_id() == "1", "{body}");
    body["requestId"] = Value::Null;
    body
}

fn a_token_is_asked_for_before_the_tenant(server: &Server) {
    for tenant in ["msp_1", "client_1", "client_999999999", "nonsense"] {
        let anonymous = server.anonymous().tenant(tenant);
        anonymous.get("/resources/minimal").unauthenticated();
        anonymous.post("/resources", &json!({"name": "x"})).unauthenticated();
        anonymous.delete("/resources/00000000-0000-4000-8000-000000000000").unauthenticated();
    }
}

fn a_partner_sees_its_clients(server: &Server) {
    let admin = server.admin();
    admin.get("/resources/minimal").list();
    admin.tenant("client_1").get("/resources/minimal").list();
    server.new_client().get("/resources/minimal").list();
}

fn a_client_sees_only_itself(server: &Server) {
    let mine = server.new_client();
    let other = server.new_client();
    let caller = server.caller(mine.tenant_id(), "admin");
    caller.get("/resources/minimal").list();
    let unknown = refusal(&caller.tenant("client_999999999"));
    for tenant in [other.tenant_id(), "client_1", "msp_1"] {
        assert_eq!(refusal(&caller.tenant(tenant)), unknown, "{tenant}");
        caller.tenant(tenant).post("/resources", &json!({"name": "x"})).not_found();
        caller.tenant(tenant).get("/apiKeys").not_found();
    }
    caller.tenant("msp_1").post("/clients", &json!({"name": unique("stolen")})).not_found();
}

fn clients_are_created_searched_and_listed(server: &Server) {
    let admin = server.admin();
    let name = unique("acme");
    let created = admin.post("/clients", &json!({"name": name})).ok();
    let unique_id = text(&created["uniqueId"]);
    assert!(unique_id.starts_with("client_"));
    assert_eq!(created["name"], json!(name));
    assert_eq!(created["activated"], json!(true));
    assert_eq!(unique_id, format!("client_{}", created["id"]));

    let read = admin.get(&format!("/clients/{unique_id}")).ok();
    assert_eq!((&read["uniqueId"], &read["name"]), (&json!(unique_id), &json!(name)));
    let facts = admin.absolute("GET", &format!("/api/v2/tenants/{unique_id}")).send().ok();
    assert_eq!(facts["name"], json!(name));
    let listed = admin.get("/clients/minimal").list();
    assert!(listed.iter().any(|client| client["uniqueId"] == unique_id), "{listed:?}");
    let page = admin.search("/clients/search", &format!("name:{name}")).page();
    assert_eq!(page["results"][0]["uniqueId"], json!(unique_id), "{page}");
    admin.get("/clients/client_999999999").not_found();
    admin.post("/clients", &json!({"name": name})).problem(409, "0004");
}

fn a_client_needs_a_name(server: &Server) {
    let admin = server.admin();
    for body in [json!({}), json!({"name": ""}), json!({"name": null}), json!({"name": "  "})] {
        admin.post("/clients", &body).invalid(&["name"]);
    }
}

fn api_keys_are_listed_without_secrets_rotated_and_revoked(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": unique("key"), "role": "operator"});
    let created = client.post("/apiKeys", &body).ok();
    for name in ["id", "key", "secret", "createdDate"] {
        text(&created[name]);
    }
    assert_eq!((&created["name"], &created["role"]), (&body["name"], &body["role"]));
    let key = text(&created["key"]);
    let secret = text(&created["secret"]);
    assert!(key.chars().all(|c| c.is_ascii_alphanumeric()), "{key}");
    assert!(secret.chars().all(|c| c.is_ascii_alphanumeric()), "{secret}");
    assert!(secret.len() >= 43, "256 random bits take 43 alphanumeric characters at least: {}", secret.len());

    let listed = client.get("/apiKeys");
    assert!(listed.text().contains(&key) && !listed.text().contains(&secret), "{listed}");
    let old = client.with_token(&server.token(&key, &secret));
    old.get("/resources/minimal").list();

    let id = text(&created["id"]);
    let rotated = client.post_empty(&format!("/apiKeys/{id}/rotate")).ok();
    let new_secret = text(&rotated["secret"]);
    assert_ne!(new_secret, secret);
    let new = client.with_token(&server.token(&key, &new_secret));
    new.get("/resources/minimal").list();
    server.token(&key, &secret);

    client.delete(&format!("/apiKeys/{id}")).ok();
    old.get("/resources/minimal").unauthenticated();
    new.get("/resources/minimal").unauthenticated();
    client.delete(&format!("/apiKeys/{id}")).not_found();
    client.post("/apiKeys", &json!({"name": "x", "role": "emperor"})).invalid(&["role"]);
    client.post("/apiKeys", &json!({})).invalid(&["name", "role"]);
}

fn time_zones_are_served(server: &Server) {
    let zones = server.admin().absolute("GET", "/api/v2/cfg/timezones").send().list();
    let calcutta = zones.iter().find(|zone| zone["name"] == "Asia/Calcutta").cloned().unwrap_or_default();
    assert_eq!(calcutta["id"], json!("19"));
    assert_eq!(calcutta["code"], json!("IST"));
    assert_eq!(calcutta["label"], json!("GMT +05:30 India"));
    server.anonymous().absolute("GET", "/api/v2/cfg/timezones").send().unauthenticated();
}
