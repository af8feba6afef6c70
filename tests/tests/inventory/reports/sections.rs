//! Whole reports replace all sections, partial ones only their own; vanished items are removed.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{PATH, applications, only_machine, report, send_xml, xml};
use crate::inventory::{found, next_second, text};

both_backends![
    vanished_software_is_gone,
    an_unchanged_application_keeps_its_dates,
    a_new_version_replaces_the_old_one,
    a_partial_report_touches_only_its_sections,
    a_partial_report_of_an_unknown_machine_makes_it,
    nothing_duplicates,
    roles_follow_the_software,
    manual_entries_stay,
];

fn softwares(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"name": name, "version": "1"})).collect()
}

fn send(client: &Client, content: Value) {
    client.post(PATH, &report("dev-1", &content)).ok();
}

fn partial(client: &Client, content: Value) {
    let mut body = report("dev-1", &content);
    body["partial"] = json!(true);
    client.post(PATH, &body).ok();
}

fn vanished_software_is_gone(server: &Server) {
    let client = server.new_client();
    send(&client, json!({"hardware": {"name": "m"}, "softwares": softwares(&["a", "b", "c"])}));
    assert_eq!(applications(&client, &only_machine(&client)), ["a", "b", "c"]);
    send(&client, json!({"hardware": {"name": "m"}, "softwares": softwares(&["b", "d"])}));
    assert_eq!(applications(&client, &only_machine(&client)), ["b", "d"]);
    send(&client, json!({"hardware": {"name": "m"}, "softwares": []}));
    assert!(applications(&client, &only_machine(&client)).is_empty());
    let names = ["a", "b"].map(|name| format!("<SOFTWARES><NAME>{name}</NAME></SOFTWARES>")).concat();
    send_xml(&client, &xml("dev-1", &format!("<HARDWARE><NAME>m</NAME></HARDWARE>{names}")));
    assert_eq!(applications(&client, &only_machine(&client)), ["a", "b"]);
}

#[track_caller]
fn application(client: &Client, name: &str) -> Value {
    let path = format!("/resources/{}/applications", text(&only_machine(client)["id"]));
    let listed = client.get(&path).list();
    listed.into_iter().find(|application| application["name"] == name).unwrap_or_default()
}

fn an_unchanged_application_keeps_its_dates(server: &Server) {
    let client = server.new_client();
    send(&client, json!({"hardware": {"name": "m"}, "softwares": softwares(&["a"])}));
    let before = application(&client, "a");
    next_second();
    send(&client, json!({"hardware": {"name": "m"}, "softwares": softwares(&["a", "b"])}));
    let after = application(&client, "a");
    assert_eq!((&after["id"], &after["createdDate"]), (&before["id"], &before["createdDate"]));
}

fn a_new_version_replaces_the_old_one(server: &Server) {
    let client = server.new_client();
    for version in ["1.0", "2.0"] {
        send(&client, json!({"hardware": {"name": "m"}, "softwares": [{"name": "a", "version": version}]}));
    }
    assert_eq!(applications(&client, &only_machine(&client)), ["a"]);
    assert_eq!(application(&client, "a")["version"], json!("2.0"));
}

fn whole() -> Value {
    json!({
        "hardware": {"name": "m", "memory": 1024}, "bios": {"smanufacturer": "ACME", "smodel": "X1", "ssn": "S-99"},
        "operatingsystem": {"name": "Debian", "full_name": "Debian 12", "kernel_name": "linux"},
        "cpus": [{"name": "Xeon"}], "softwares": softwares(&["nginx"]),
        "networks": [{"description": "eth0", "mac": "00:e0:4c:68:01:db", "ipaddress": "10.0.0.1", "type": "ethernet"}],
        "antivirus": [{"name": "Shield", "version": "1", "uptodate": true}],
    })
}

fn a_partial_report_touches_only_its_sections(server: &Server) {
    let client = server.new_client();
    send(&client, whole());
    let before = only_machine(&client);
    partial(&client, json!({"softwares": softwares(&["redis"])}));
    let after = only_machine(&client);
    assert_eq!(applications(&client, &after), ["redis"], "its section is replaced");
    for name in ["id", "ipAddress", "bios", "cpus", "networkCardDetails", "agentInstalled", "state"] {
        assert_eq!(after[name], before[name], "{name}");
    }
    for name in ["name", "hostName", "osName", "make", "physicalMemory", "resourceType"] {
        assert_eq!(after["generalInfo"][name], before["generalInfo"][name], "generalInfo.{name}");
    }
    assert_eq!(client.get("/resources/antivirus/search").page()["totalResults"], json!(1));
    partial(&client, json!({"cpus": [{"name": "EPYC"}]}));
    let last = only_machine(&client);
    assert!(last["cpus"].to_string().contains("EPYC") && !last["cpus"].to_string().contains("Xeon"));
    assert_eq!(applications(&client, &last), ["redis"]);
}

fn a_partial_report_of_an_unknown_machine_makes_it(server: &Server) {
    let client = server.new_client();
    partial(&client, json!({"hardware": {"name": "m"}, "softwares": softwares(&["a"])}));
    assert_eq!(applications(&client, &only_machine(&client)), ["a"]);
}

fn nothing_duplicates(server: &Server) {
    let client = server.new_client();
    for _ in 0..3 {
        send(&client, whole());
    }
    let machine = only_machine(&client);
    for (name, expected) in [("cpus", 1), ("networkCardDetails", 1), ("appRoles", 1)] {
        assert_eq!(machine[name].as_array().map(Vec::len), Some(expected), "{name}: {machine}");
    }
    assert_eq!(applications(&client, &machine), ["nginx"]);
    assert_eq!(client.get("/resources/antivirus/search").page()["totalResults"], json!(1));
    // A list that names a package twice holds it once.
    send(&client, json!({"hardware": {"name": "m"}, "softwares": softwares(&["a", "a"])}));
    assert_eq!(applications(&client, &only_machine(&client)), ["a"]);
}

fn roles_follow_the_software(server: &Server) {
    let client = server.new_client();
    send(&client, json!({"hardware": {"name": "m"}, "softwares": softwares(&["nginx"])}));
    assert_eq!(found(&client, "appRoles:nginx").len(), 1);
    send(&client, json!({"hardware": {"name": "m"}, "softwares": softwares(&["redis-server"])}));
    assert!(found(&client, "appRoles:nginx").is_empty());
    assert_eq!(found(&client, "appRoles:redis").len(), 1);
}

/// A report changes the attributes that the agent knows; attributes entered by people stay.
fn manual_entries_stay(server: &Server) {
    let client = server.new_client();
    send(&client, whole());
    let id = text(&only_machine(&client)["id"]);
    client.post("/sites", &json!({"name": "Berlin"})).ok();
    let written = json!({
        "aliasName": "the old one", "resourceName": "Rack 7", "location": {"name": "Berlin"},
        "tags": [{"name": "owner", "value": "ops"}],
    });
    client.post(&format!("/resources/{id}"), &written).ok();
    client.post_empty(&format!("/devices/{id}/unmanage")).ok();
    send(&client, whole());
    let machine = only_machine(&client);
    assert_eq!(machine["generalInfo"]["aliasName"], json!("the old one"));
    assert_eq!(machine["generalInfo"]["resourceName"], json!("Rack 7"));
    assert_eq!(machine["location"]["name"], json!("Berlin"));
    assert!(machine["tags"].to_string().contains("owner"), "{machine}");
    assert_eq!(machine["state"], json!("inactive"), "only people manage and unmanage");
}
