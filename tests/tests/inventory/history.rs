//! `GET /history/resources` and `GET /history/resources/{id}`: the records.

use muster_tests::{Server, both_backends, uuid};
use serde_json::{Value, json};

use super::{create, keys, text, timestamp};

both_backends![
    a_record_has_the_documented_fields,
    fields_without_a_value_are_omitted,
    the_list_is_paged,
    it_answers_only_decommissioned_resources,
    one_record_is_read_by_its_id,
];

const FIELDS: [&str; 29] = [
    "id",
    "hostName",
    "ipAddress",
    "dns",
    "updatedDate",
    "deviceType",
    "devicePath",
    "type",
    "state",
    "macAddress",
    "make",
    "model",
    "osName",
    "osArchitecture",
    "serialNumber",
    "systemUID",
    "description",
    "agentInstalled",
    "aliasName",
    "name",
    "resourceName",
    "resourceType",
    "attributes",
    "managementProfile",
    "tags",
    "history",
    "clientUniqueId",
    "createdDate",
    "decommissionedDate",
];

fn a_record_has_the_documented_fields(server: &Server) {
    let client = server.new_client();
    let attributes = json!({
        "provider": "AWS", "instanceId": "i-1", "instanceState": "running", "instanceType": "m5.large",
        "publicIp": "203.0.113.9", "ami": "ami-1", "launchDate": "2026-01-02T03:04:05+0000", "owner": "o-1",
        "privateDns": "ip-10.internal", "privateIp": "10.0.0.9", "zone": "eu-west-1a", "monitoringState": "enabled",
    });
    let body = json!({
        "name": "n", "hostName": "h", "ipAddress": "10.0.0.9", "dnsName": "h.example.com", "resourceType": "Linux",
        "make": "Dell Inc.", "model": "R650", "os": "Debian", "serialNumber": "S1", "systemUID": "U1",
        "description": "d", "agentInstalled": true, "aliasName": "al", "resourceName": "rn",
        "tags": [{"name": "env", "value": "prod"}], "properties": attributes,
    });
    let id = create(&client, &body);
    client.post(&format!("/resources/{id}/decommission"), &json!({"reason": "replaced"})).ok();
    let record = client.search("/history/resources", "state:DECOMMISSIONED").page()["results"][0].clone();
    // The last three are not part of the interface; more of them would be noise.
    for name in keys(&record) {
        assert!(FIELDS.contains(&name), "{name} is not documented");
    }
    timestamp(&record["updatedDate"]);
    for (name, expected) in [
        ("id", json!(id)),
        ("hostName", json!("h")),
        ("ipAddress", json!("10.0.0.9")),
        ("dns", json!("h.example.com")),
        ("deviceType", json!("Linux")),
        ("devicePath", json!("Server >> Linux")),
        ("type", json!("DEVICE")),
        ("state", json!("Decommissioned")),
        ("make", json!("Dell Inc.")),
        ("model", json!("R650")),
        ("osName", json!("Debian")),
        ("serialNumber", json!("S1")),
        ("systemUID", json!("U1")),
        ("description", json!("d")),
        ("agentInstalled", json!(true)),
        ("aliasName", json!("al")),
        ("name", json!("n")),
        ("resourceName", json!("rn")),
        ("resourceType", json!("Linux")),
        ("tags", json!([{"name": "env", "value": "prod"}])),
        ("history", json!({"decommissionReason": "replaced"})),
    ] {
        assert_eq!(record[name], expected, "{name}");
    }
    for name in keys(&attributes) {
        assert!(record["attributes"][name].is_string(), "attributes.{name}: {record}");
    }
    assert_eq!(record["attributes"]["instanceId"], json!("i-1"));
}

fn fields_without_a_value_are_omitted(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "bare"}));
    client.delete(&format!("/resources/{id}")).ok();
    let record = client.get("/history/resources").page()["results"][0].clone();
    assert!(!record.to_string().contains("null"), "{record}");
    for name in keys(&record) {
        let value = &record[name];
        assert!(*value != json!("") && *value != json!([]) && *value != json!({}), "{name} has no value: {record}");
    }
    for name in ["history", "hostName", "serialNumber", "tags", "attributes", "managementProfile", "macAddress"] {
        assert!(record.get(name).is_none(), "{name}: {record}");
    }
}

fn the_list_is_paged(server: &Server) {
    let client = server.new_client();
    for number in 0..5 {
        let id = create(&client, &json!({"name": format!("n{number}")}));
        client.delete(&format!("/resources/{id}")).ok();
    }
    let mut seen: Vec<String> = Vec::new();
    for number in 1..=3 {
        let page = client.get(&format!("/history/resources?pageSize=2&pageNo={number}")).page();
        assert_eq!(page["totalResults"], json!(5));
        let items: Vec<Value> = page["results"].as_array().cloned().unwrap_or_default();
        seen.extend(items.iter().map(|item| text(&item["name"])));
    }
    seen.sort();
    assert_eq!(seen, ["n0", "n1", "n2", "n3", "n4"]);
}

fn it_answers_only_decommissioned_resources(server: &Server) {
    let client = server.new_client();
    for state in ["active", "inactive", "discovered"] {
        create(&client, &json!({"name": state, "state": state}));
    }
    assert_eq!(client.get("/history/resources").page()["totalResults"], json!(0));
    assert_eq!(client.search("/history/resources", "state:decommissioned").page()["totalResults"], json!(0));
    client.search("/history/resources", "state:active").invalid(&["queryString"]);
}

fn one_record_is_read_by_its_id(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "a"}));
    client.get(&format!("/history/resources/{id}")).not_found();
    client.get(&format!("/history/resources/{}", uuid())).not_found();
    client.delete(&format!("/resources/{id}")).ok();
    let one = client.get(&format!("/history/resources/{id}"));
    assert!(one.header("ETag").is_some(), "{one}");
    assert_eq!(one.ok(), client.get("/history/resources").page()["results"][0]);
}
