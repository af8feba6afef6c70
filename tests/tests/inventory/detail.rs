//! `GET /resources/{resourceId}`: the Resource shape, field by field.

use muster_tests::{Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::{create, detail, integer, keys, text, timestamp};

both_backends![
    the_integration_that_it_came_from_is_named,
    only_documented_fields_and_their_types,
    written_attributes_are_read,
    network_cards_are_read_as_documented,
    cloud_attributes_are_in_properties,
    absent_values_are_empty_or_omitted,
    times_are_kept,
    unknown_resources_are_404s,
    a_change_by_any_writer_is_read_at_once,
    a_writer_reads_its_own_changes,
];

const FIELDS: [&str; 23] = [
    "id",
    "type",
    "ipAddress",
    "extResourceId",
    "state",
    "source",
    "agentInstalled",
    "status",
    "location",
    "components",
    "tags",
    "bios",
    "cpus",
    "generalInfo",
    "consoles",
    "networkCardDetails",
    "installedApp",
    "properties",
    "metricTypes",
    "clientUniqueId",
    "appRoles",
    "wsusSettings",
    "metaData",
];

const GENERAL: [&str; 18] = [
    "systemUID",
    "name",
    "osName",
    "make",
    "description",
    "hostName",
    "dns",
    "resourceType",
    "keyboardType",
    "encodingType",
    "physicalMemory",
    "resourceName",
    "aliasName",
    "createdTime",
    "updatedTime",
    "agentDeploytime",
    "assetManagedTime",
    "firstAssetManagedTime",
];

fn full() -> Value {
    json!({
        "type": "DEVICE", "resourceType": "Linux", "name": "web-01", "hostName": "web-01", "resourceName": "Web 1",
        "aliasName": "front", "dnsName": "web-01.example.com", "ipAddress": "10.9.8.7", "serialNumber": "SN-1",
        "systemUID": "UID-1", "extResourceId": "ext-1", "source": "import", "status": "UP", "agentInstalled": true,
        "os": "Debian GNU/Linux 12", "make": "Dell Inc.", "model": "R650", "description": "front end",
        "tags": [{"name": "env", "value": "prod"}], "appRoles": [{"name": "nginx"}],
        "cpus": [{"name": "Xeon", "cores": 8}], "metaData": {"rack": "B7"},
        "bios": {"systemSerial": "SN-1", "systemModel": "R650"},
    })
}

fn the_integration_that_it_came_from_is_named(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let body = json!({"displayName": "Cloud account"});
    let installed = client.post("/integrations/install/CUSTOM", &body).ok();
    let foreign = other.post("/integrations/install/CUSTOM", &body).ok();
    let app = |id: &Value| {
        let made = create(&client, &json!({"hostName": unique("host"), "installedIntgId": id}));
        detail(&client, &made)["installedApp"].clone()
    };
    let expected = json!({"id": installed["id"], "displayName": "Cloud account",
        "integration": {"id": "CUSTOM", "name": "Custom"}});
    assert_eq!(app(&installed["id"]), expected);
    assert_eq!(app(&foreign["id"]), json!({"id": foreign["id"]}), "nobody is told of another tenant's");
}

fn only_documented_fields_and_their_types(server: &Server) {
    let client = server.new_client();
    let found = detail(&client, &create(&client, &full()));
    for name in keys(&found) {
        assert!(FIELDS.contains(&name), "{name} is not documented");
    }
    for name in keys(&found["generalInfo"]) {
        assert!(GENERAL.contains(&name), "generalInfo.{name} is not documented");
        assert!(found["generalInfo"][name].is_string(), "generalInfo.{name}: {}", found["generalInfo"][name]);
    }
    for name in ["components", "tags", "cpus", "consoles", "networkCardDetails", "metricTypes", "appRoles"] {
        assert!(found.get(name).is_none_or(Value::is_array), "{name}: {}", found[name]);
    }
    for name in ["location", "bios", "generalInfo", "installedApp", "properties"] {
        assert!(found.get(name).is_none_or(Value::is_object), "{name}: {}", found[name]);
    }
    for name in ["id", "ipAddress", "extResourceId", "state", "source", "status", "clientUniqueId", "wsusSettings"] {
        assert!(found.get(name).is_none_or(Value::is_string), "{name}: {}", found[name]);
    }
    assert!(found["agentInstalled"].is_boolean());
}

fn written_attributes_are_read(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &full());
    let found = detail(&client, &id);
    for (name, expected) in [
        ("id", json!(id)),
        ("ipAddress", json!("10.9.8.7")),
        ("extResourceId", json!("ext-1")),
        ("state", json!("active")),
        ("source", json!("import")),
        ("status", json!("UP")),
        ("agentInstalled", json!(true)),
        ("clientUniqueId", json!(client.tenant_id())),
        ("appRoles", json!([{"name": "nginx"}])),
        ("cpus", json!([{"name": "Xeon", "cores": 8}])),
        ("bios", json!({"systemSerial": "SN-1", "systemModel": "R650"})),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
    assert_eq!(found["tags"][0]["name"], json!("env"));
    assert_eq!(found["tags"][0]["value"], json!("prod"));
    for (name, expected) in [
        ("name", "web-01"),
        ("hostName", "web-01"),
        ("resourceName", "Web 1"),
        ("aliasName", "front"),
        ("dns", "web-01.example.com"),
        ("osName", "Debian GNU/Linux 12"),
        ("make", "Dell Inc."),
        ("description", "front end"),
        ("resourceType", "Linux"),
    ] {
        assert_eq!(found["generalInfo"][name], json!(expected), "generalInfo.{name}");
    }
}

fn network_cards_are_read_as_documented(server: &Server) {
    let client = server.new_client();
    let card = json!({
        "networkName": "eth0", "status": "up", "ipAddress": "10.0.0.1", "macAddress": "00:11:22:33:44:55",
        "dhcpEnabled": true, "linkMode": "1000", "aliasIps": "10.0.0.2,10.0.0.3",
    });
    let id = create(&client, &json!({"name": "a", "networkCardDetails": [card]}));
    let found = detail(&client, &id)["networkCardDetails"][0].clone();
    integer(&found["id"]);
    for name in keys(&card) {
        assert_eq!(found[name], card[name], "{name}");
    }
}

fn cloud_attributes_are_in_properties(server: &Server) {
    let client = server.new_client();
    let attributes = json!({
        "provider": "AWS", "instanceId": "i-1", "instanceState": "running", "instanceType": "m5.large",
        "publicIp": "203.0.113.9", "ami": "ami-1", "launchDate": "2026-01-02T03:04:05+0000", "owner": "o-1",
        "privateDns": "ip-10.internal", "privateIp": "10.0.0.9", "zone": "eu-west-1a", "monitoringState": "enabled",
    });
    let mut flat = attributes.clone();
    flat["name"] = json!("flat");
    let nested = json!({"name": "nested", "properties": attributes});
    for body in [flat, nested] {
        let found = detail(&client, &create(&client, &body))["properties"].clone();
        for name in keys(&attributes) {
            assert_eq!(found[name], attributes[name], "{name}");
        }
    }
}

fn absent_values_are_empty_or_omitted(server: &Server) {
    let client = server.new_client();
    let found = detail(&client, &create(&client, &json!({"name": "bare"})));
    assert!(!found.to_string().contains("null"), "absent is never null: {found}");
    assert_eq!(found["state"], json!("active"));
    assert_eq!(found["agentInstalled"], json!(false));
    for name in ["agentDeploytime", "hostName", "aliasName"] {
        let value = found["generalInfo"].get(name);
        assert!(value.is_none_or(|value| *value == json!("")), "generalInfo.{name}: {value:?}");
    }
}

fn times_are_kept(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "a"}));
    let info = || detail(&client, &id)["generalInfo"].clone();
    let created = timestamp(&info()["createdTime"]);
    assert_eq!(timestamp(&info()["firstAssetManagedTime"]), created, "created active is managed from the start");
    super::next_second();
    client.post(&format!("/resources/{id}"), &json!({"aliasName": "b"})).ok();
    assert_eq!(timestamp(&info()["createdTime"]), created);
    assert!(timestamp(&info()["updatedTime"]) > created);
}

fn unknown_resources_are_404s(server: &Server) {
    let client = server.new_client();
    let id = uuid();
    let refused = client.get(&format!("/resources/{id}")).not_found();
    assert_eq!(text(&refused["message"]), format!("No Resource found with UUID : {id}"));
    client.get(&format!("/resources/{id}/applications")).not_found();
    let known = create(&client, &json!({"name": "a"}));
    assert_eq!(client.get(&format!("/resources/{}", known.to_uppercase())).ok()["id"], json!(known));
    client.get(&format!("/resources/{known}?fields=all")).invalid(&["fields"]);
}

/// A change is read at once, even after many reads on several connections: a change of the machine, of a record that it
/// names, and by another process.
fn a_change_by_any_writer_is_read_at_once(server: &Server) {
    let client = server.new_client();
    let site = integer(&client.post("/sites", &json!({"name": "Graz"})).json()["id"]);
    let id = create(&client, &json!({"name": "a", "location": {"id": site}}));
    let others: Vec<_> = (0..6).map(|_| client.at(server.base())).collect();
    let read = |name: &str, place: &str| {
        for client in others.iter().chain(&others) {
            let seen = detail(client, &id);
            assert_eq!([text(&seen["generalInfo"]["name"]), text(&seen["location"]["name"])], [name, place]);
        }
    };
    read("a", "Graz");
    client.post(&format!("/sites/{site}"), &json!({"name": "Linz"})).ok();
    read("a", "Linz");
    client.post(&format!("/resources/{id}"), &json!({"name": "b"})).ok();
    read("b", "Linz");
    server.sql(&format!("UPDATE resources SET name = 'c' WHERE id = '{id}'"));
    read("c", "Linz");
    client.delete(&format!("/resources/{id}")).ok();
    for client in others {
        client.get(&format!("/resources/{id}")).not_found();
    }
}

fn a_writer_reads_its_own_changes(server: &Server) {
    let client = server.new_client();
    let ids: Vec<String> = (0..4).map(|number| create(&client, &json!({"name": format!("m{number}")}))).collect();
    std::thread::scope(|scope| {
        for id in &ids {
            let client = client.at(server.base());
            scope.spawn(move || {
                for step in 0..100 {
                    let alias = format!("step {step}");
                    client.post(&format!("/resources/{id}"), &json!({"aliasName": alias})).ok();
                    assert_eq!(text(&detail(&client, id)["generalInfo"]["aliasName"]), alias);
                }
            });
        }
    });
}
