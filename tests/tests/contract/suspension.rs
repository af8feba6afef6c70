//! Clients that are renamed, suspended and resumed.

use muster_tests::{Server, both_backends, unique};
use serde_json::json;

use super::{device, text};

both_backends![
    a_suspended_clients_callers_are_shut_out,
    a_suspended_client_stays_in_its_partners_sight,
    a_client_is_renamed,
    clients_have_an_etag,
];

fn a_suspended_clients_callers_are_shut_out(server: &Server) {
    let client = server.new_client();
    let path = format!("/clients/{}", client.tenant_id());
    let body = json!({"name": unique("key"), "role": "admin"});
    let created = client.post("/apiKeys", &body).ok();
    let key = text(&created["key"]);
    let secret = text(&created["secret"]);
    let caller = client.with_token(&server.token(&key, &secret));
    caller.get("/resources/minimal").list();
    let suspended = server.admin().post_empty(&format!("{path}/suspend")).ok();
    assert_eq!((&suspended["activated"], &suspended["suspended"]), (&json!(false), &json!(true)));

    caller.get("/resources/minimal").forbidden();
    caller.post("/resources", &json!({"name": "x"})).forbidden();
    caller.delete("/resources/00000000-0000-4000-8000-000000000000").forbidden();
    caller.get("/users/search").forbidden();
    caller.tenant("msp_1").get("/resources/minimal").forbidden();
    caller.absolute("GET", &format!("/api/v2/tenants/{}", client.tenant_id())).send().forbidden();
    let report = json!({"action": "inventory", "deviceid": "d", "content": {"hardware": {"name": "x"}}});
    let basic = server.request("POST", &format!("/api/v2/tenants/{}/agents/reports", client.tenant_id()));
    basic.basic(&key, &secret).json(&report).send().forbidden();
    let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
    let token = server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form).send();
    assert_eq!((token.status, token.json()["error"].clone()), (403, json!("access_denied")), "{token}");

    server.admin().post_empty(&format!("{path}/resume")).ok();
    caller.get("/resources/minimal").list();
    server.token(&key, &secret);
}

fn a_suspended_client_stays_in_its_partners_sight(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let id = device(&client, "kept");
    let path = format!("/clients/{}", client.tenant_id());
    let suspended = admin.post_empty(&format!("{path}/suspend")).ok();
    assert_eq!(admin.post_empty(&format!("{path}/suspend")).ok(), suspended, "nothing is to change");
    assert_eq!(client.get(&format!("/resources/{id}")).ok()["id"], json!(id));
    device(&client, "added");
    assert_eq!(admin.get(&path).ok(), suspended);
    let query = format!("uniqueId:{}+activated:false", client.tenant_id());
    assert_eq!(admin.search("/clients/search", &query).page()["results"][0]["activated"], json!(false));
    let listed = admin.get("/clients/minimal").list();
    assert!(listed.iter().any(|listed| listed["uniqueId"] == client.tenant_id()));
    // Who is a client's caller suspends nobody, not even itself.
    let other = server.new_client();
    let caller = server.caller(other.tenant_id(), "admin");
    caller.post_empty(&format!("/clients/{}/suspend", other.tenant_id())).problem(400, "0002");
    caller.tenant("msp_1").post_empty(&format!("/clients/{}/suspend", other.tenant_id())).not_found();
    server.caller("msp_1", "integrator").post_empty(&format!("{path}/resume")).forbidden();
    for unknown in ["client_999999999", "msp_1", "nonsense"] {
        admin.post_empty(&format!("/clients/{unknown}/suspend")).not_found();
        admin.post_empty(&format!("/clients/{unknown}/resume")).not_found();
    }
}

fn a_client_is_renamed(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let other = server.new_client();
    let path = format!("/clients/{}", client.tenant_id());
    let name = unique("renamed");
    assert_eq!(admin.post(&path, &json!({"name": name})).ok()["name"], json!(name));
    assert_eq!(client.request("GET", "").send().ok()["name"], json!(name));
    admin.post(&path, &json!({"name": " "})).invalid(&["name"]);
    let other = format!("/clients/{}", other.tenant_id());
    admin.post(&other, &json!({"name": name.to_uppercase()})).problem(409, "0004");
}

fn clients_have_an_etag(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let path = format!("/clients/{}", client.tenant_id());
    let tag = admin.get(&path).header("ETag").map(ToOwned::to_owned).unwrap_or_default();
    let suspend = || admin.request("POST", &format!("{path}/suspend")).header("If-Match", &tag).send();
    suspend().ok();
    suspend().problem(412, "0004");
    let rename = admin.request("POST", &path).header("If-Match", &tag).json(&json!({"name": unique("late")}));
    rename.send().problem(412, "0004");
    admin.post_empty(&format!("{path}/resume")).ok();
}
