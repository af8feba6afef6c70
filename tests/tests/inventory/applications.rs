//! `GET /resources/{resourceId}/applications`; the applications come with agent reports.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{create, integer, keys, text, timestamp};

both_backends![a_resource_without_applications_has_none, applications_have_the_documented_shape];

fn a_resource_without_applications_has_none(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "a"}));
    let answer = client.get(&format!("/resources/{id}/applications"));
    assert!(answer.list().is_empty());
    client.get(&format!("/resources/{id}/applications?pageNo=1")).invalid(&["pageNo"]);
}

fn applications_have_the_documented_shape(server: &Server) {
    let client = server.new_client();
    let softwares = json!([
        {"name": "nginx", "publisher": "Debian", "version": "1.22.1-9", "install_date": "2026-03-04"},
        {"name": "tzdata", "version": "2026a"},
        {"name": "unversioned"},
    ]);
    let report = json!({
        "action": "inventory", "deviceid": "apps-1",
        "content": {"hardware": {"name": "apps"}, "softwares": softwares},
    });
    client.post("/agents/reports", &report).ok();
    let id = text(&client.get("/resources/minimal").list()[0]["id"]);
    let mut listed: Vec<Value> = client.get(&format!("/resources/{id}/applications")).list();
    listed.sort_by_key(|application| text(&application["name"]));
    assert_eq!(super::names(&listed), ["nginx", "tzdata", "unversioned"]);
    for application in &listed {
        integer(&application["id"]);
        for name in keys(application) {
            let documented = ["id", "name", "vendor", "version", "installedDate", "createdDate", "modifiedDate"];
            assert!(documented.contains(&name), "{name} is not documented");
        }
        timestamp(&application["createdDate"]);
        timestamp(&application["modifiedDate"]);
    }
    assert_eq!((&listed[0]["vendor"], &listed[0]["version"]), (&json!("Debian"), &json!("1.22.1-9")));
    assert_eq!(timestamp(&listed[0]["installedDate"]), "2026-03-04T00:00:00+0000");
    assert!(listed[1].get("installedDate").is_none_or(|value| *value == json!("")));
}
