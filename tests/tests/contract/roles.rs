//! Deny by default: a viewer reads, an operator writes the inventory, an admin writes all.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{device, stores_nothing, text};

both_backends![
    a_viewer_reads,
    a_viewer_writes_nothing,
    an_operator_writes_the_inventory,
    only_an_admin_makes_tenants_and_keys,
    a_role_given_at_the_partner_holds_at_its_clients,
];

const WRITES: [(&str, &str); 15] = [
    ("POST", "/resources"),
    ("POST", "/resources/{id}"),
    ("DELETE", "/resources/{id}"),
    ("POST", "/resources/{id}/decommission"),
    ("POST", "/devices/{id}/manage"),
    ("POST", "/devices/{id}/unmanage"),
    ("POST", "/sites"),
    ("POST", "/sites/{site}"),
    ("DELETE", "/sites/{site}"),
    ("POST", "/deviceGroups"),
    ("POST", "/deviceGroups/{group}"),
    ("POST", "/deviceGroups/{group}/childs"),
    ("DELETE", "/deviceGroups/{group}/childs"),
    ("DELETE", "/deviceGroups/{group}"),
    ("POST", "/serviceGroups"),
];

fn a_viewer_reads(server: &Server) {
    let client = server.new_client();
    let id = device(&client, "seen");
    let viewer = server.caller(client.tenant_id(), "viewer");
    for path in ["/resources/minimal", "/resourceType/minimal", "/sites/minimal", "/deviceGroups/minimal"] {
        viewer.get(path).list();
    }
    for path in ["/history/resources", "/resources/search", "/resources/antivirus/search"] {
        viewer.get(path).page();
    }
    viewer.get(&format!("/resources/{id}")).ok();
    viewer.get(&format!("/resources/{id}/applications")).list();
}

fn a_viewer_writes_nothing(server: &Server) {
    let client = server.new_client();
    let viewer = server.caller(client.tenant_id(), "viewer");
    let id = device(&client, "kept");
    let site = client.post("/sites", &json!({"name": "kept"})).ok()["id"].to_string();
    let group = client.post("/deviceGroups", &json!({"name": "kept"})).ok()["id"].to_string();
    for (method, path) in WRITES {
        let path = path.replace("{id}", &id).replace("{site}", &site).replace("{group}", &group);
        // Neither a good body nor a bad one changes the answer.
        for body in [json!({"name": "mischief"}), json!([]), json!({"state": 7})] {
            viewer.request(method, &path).json(&body).send().forbidden();
        }
    }
    let report = json!({"action": "inventory", "deviceid": "d", "content": {"hardware": {"name": "mischief"}}});
    viewer.post("/agents/reports", &report).forbidden();
    let left: Vec<Value> = client.get("/resources/minimal?state=all").list();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["name"], json!("kept"));
    assert_eq!(left[0]["id"], json!(id));
}

fn an_operator_writes_the_inventory(server: &Server) {
    let client = server.new_client();
    for role in ["operator", "integrator", "admin"] {
        let caller = server.caller(client.tenant_id(), role);
        let id = device(&caller, role);
        caller.post(&format!("/resources/{id}"), &json!({"description": role})).ok();
        caller.post("/sites", &json!({"name": role})).ok();
        caller.post("/deviceGroups", &json!({"name": role})).ok();
        caller.delete(&format!("/resources/{id}")).ok();
    }
    stores_nothing(&client);
}

fn only_an_admin_makes_tenants_and_keys(server: &Server) {
    for role in ["viewer", "operator", "integrator"] {
        let caller = server.caller("msp_1", role);
        caller.post("/clients", &json!({"name": "mine"})).forbidden();
        caller.post("/apiKeys", &json!({"name": "mine", "role": "admin"})).forbidden();
        caller.get("/apiKeys").forbidden();
    }
    let client = server.new_client();
    let admin = server.caller(client.tenant_id(), "admin");
    text(&admin.post("/apiKeys", &json!({"name": "mine", "role": "viewer"})).ok()["secret"]);
}

fn a_role_given_at_the_partner_holds_at_its_clients(server: &Server) {
    let client = server.new_client();
    let viewer = server.caller("msp_1", "viewer").tenant(client.tenant_id());
    viewer.get("/resources/minimal").list();
    viewer.post("/resources", &json!({"name": "x"})).forbidden();
    let operator = server.caller("msp_1", "operator").tenant(client.tenant_id());
    device(&operator, "made-by-the-partner");
    stores_nothing(&server.new_client());
}
