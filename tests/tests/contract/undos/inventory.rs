//! Groups, machines and sites are as they were.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{delete, left, newest, send, undo, undone};
use crate::contract::text;

both_backends![
    a_group_that_moved_since_is_named,
    a_group_that_was_moved_goes_back,
    a_machine_that_changed_and_went_comes_back_as_it_was,
    a_machine_goes_back_to_history_for_the_reason_that_it_had,
    a_machine_comes_back_to_its_site_where_that_is_there,
    free_parts_of_a_machine_have_their_former_names,
    tags_have_their_former_sources,
    a_type_comes_back_beside_others_of_its_name,
    a_site_that_a_report_made_goes_with_its_machine,
];

/// Creates a device group at the top; gives its unique id.
fn group(client: &Client, name: &str) -> String {
    text(&client.post("/deviceGroups", &json!({"name": name})).ok()["uniqueId"])
}

#[track_caller]
fn parent(client: &Client, group: &str) -> Value {
    client.get(&format!("/deviceGroups/{group}")).ok()["parent"]["uniqueId"].clone()
}

fn a_group_that_moved_since_is_named(server: &Server) {
    let client = server.new_client();
    let [one, other, moved] = ["One", "Other", "Moved"].map(|name| group(&client, name));
    let name = unique("move");
    send(&client, &name, &format!("/deviceGroups/{moved}"), &json!({"parent": {"uniqueId": one}}));
    client.post(&format!("/deviceGroups/{other}/childs"), &json!([{"id": moved}])).ok();
    let problem = undo(&client, &newest(&client, &name)).problem(409, "0004");
    assert_eq!(problem["errors"][0]["fieldName"], json!(format!("DeviceGroup {moved}")), "{problem}");
    assert_eq!(parent(&client, &moved), json!(other));
}

fn a_group_that_was_moved_goes_back(server: &Server) {
    let client = server.new_client();
    let [one, other, moved] = ["One", "Other", "Moved"].map(|name| group(&client, name));
    client.post(&format!("/deviceGroups/{one}/childs"), &json!([{"id": moved}])).ok();
    let name = unique("move");
    send(&client, &name, &format!("/deviceGroups/{other}/childs"), &json!([{"id": moved}]));
    let set = newest(&client, &name);
    let (objects, first) = undone(&client, &set);
    assert_eq!((objects, parent(&client, &moved)), (1, json!(one)));
    undone(&client, &first);
    assert_eq!(parent(&client, &moved), json!(other));
    client.request("DELETE", &format!("/deviceGroups/{other}/childs")).json(&json!([{"id": moved}])).send().ok();
    assert_eq!(parent(&client, &moved), Value::Null);
    undone(&client, &newest(&client, ""));
    assert_eq!(parent(&client, &moved), json!(other));
}

/// What people said of a machine, as it is read.
#[track_caller]
fn told(client: &Client, path: &str) -> Value {
    let mut now = client.get(path).ok();
    for moved in ["updatedDate", "updatedTime"] {
        now.as_object_mut().expect("an object").remove(moved);
        now["generalInfo"].as_object_mut().expect("an object").remove(moved);
    }
    now
}

fn a_machine_that_changed_and_went_comes_back_as_it_was(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Graz"})).ok()["id"].clone();
    let body = json!({"hostName": "web-01", "name": "nm", "tags": [{"name": "a", "value": "1"}],
        "location": {"id": site}, "metaData": {"k": 1, "e": {}}, "serialNumber": "7XK9PL2", "make": "Dell"});
    let path = format!("/resources/{}", text(&client.post("/resources", &body).ok()["resourceUUID"]));
    let before = told(&client, &path);
    let name = unique("prune");
    let change = json!({"name": "other", "tags": [{"name": "b", "value": "2"}], "description": "new",
        "metaData": {"k": 2, "n": {"m": 3}}, "managementProfile": {"p": 1}, "serialNumber": "",
        "appRoles": [{"name": "redis"}]});
    send(&client, &name, &path, &change);
    send(&client, &name, &format!("{path}/decommission"), &json!({"reason": "old"}));
    let (_, first) = undone(&client, &newest(&client, &name));
    assert_eq!(told(&client, &path), before);
    let taken = json!({"hostName": "other", "serialNumber": "7XK9PL2", "make": "Dell"});
    client.post("/resources", &taken).problem(409, "0004");
    undone(&client, &first);
    client.get(&path).not_found();
}

fn a_machine_goes_back_to_history_for_the_reason_that_it_had(server: &Server) {
    let client = server.new_client();
    let name = unique("prune");
    let reasons = [Some("replaced"), Some("end of lease"), None];
    let made = reasons.map(|reason| {
        let id = text(&client.post("/resources", &json!({"hostName": unique("host")})).ok()["resourceUUID"]);
        send(&client, &name, &format!("/resources/{id}/decommission"), &json!({"reason": reason}));
        (id, reason)
    });
    let (_, back) = undone(&client, &newest(&client, &name));
    undone(&client, &back);
    for (id, reason) in &made {
        let record = client.get(&format!("/history/resources/{id}")).ok();
        assert_eq!(record["history"]["decommissionReason"], json!(reason), "{record}");
    }
}

fn a_machine_comes_back_to_its_site_where_that_is_there(server: &Server) {
    let client = server.new_client();
    let site = || client.post("/sites", &json!({"name": unique("site")})).ok()["id"].clone();
    let machine = |host: &str, site: &Value| {
        let body = json!({"hostName": host, "location": {"id": site}});
        format!("/resources/{}", text(&client.post("/resources", &body).ok()["resourceUUID"]))
    };
    let (kept, gone) = (site(), site());
    let (first, second) = (machine("web-01", &kept), machine("web-02", &gone));
    // Both go, the site last, which the set had changed before.
    let name = unique("prune");
    send(&client, &name, &format!("/sites/{kept}"), &json!({"city": "Graz"}));
    send(&client, &name, &format!("{first}/decommission"), &json!({}));
    delete(&client, &name, &format!("/sites/{kept}"));
    let set = newest(&client, &name);
    assert!(!left(&client, &set).to_string().contains("location"));
    undone(&client, &set);
    assert_eq!(client.get(&first).ok()["location"]["id"], kept);
    // The site is gone for good.
    let name = unique("decommission");
    send(&client, &name, &format!("{second}/decommission"), &json!({}));
    client.delete(&format!("/sites/{gone}")).ok();
    let set = newest(&client, &name);
    assert!(left(&client, &set).to_string().contains("location"));
    undone(&client, &set);
    assert_eq!(client.get(&second).ok().get("location"), None);
}

fn free_parts_of_a_machine_have_their_former_names(server: &Server) {
    let client = server.new_client();
    let body = json!({"hostName": "web-01", "metaData": {"a.b": 1, "k": 2, "e": {}, "o": {"x.y": {"z": 1}}},
        "tags": [{"name": "app.version", "value": "1"}]});
    let path = format!("/resources/{}", text(&client.post("/resources", &body).ok()["resourceUUID"]));
    let before = told(&client, &path);
    let name = unique("change");
    let change = json!({"metaData": {"a.b": 5, "k": 2, "n.m": 1, "o": {"x": {"y": 2}}}, "tags": []});
    send(&client, &name, &path, &change);
    let after = told(&client, &path);
    let (_, first) = undone(&client, &newest(&client, &name));
    assert_eq!(told(&client, &path), before);
    undone(&client, &first);
    assert_eq!(told(&client, &path), after);
}

fn tags_have_their_former_sources(server: &Server) {
    let client = server.new_client();
    let tag = |name: &str, value: &str, source: &str| json!({"name": name, "value": value, "tagSource": source});
    let tags = json!([tag("a", "1", "CMDB"), tag("b.c", "2", "API")]);
    let body = json!({"hostName": "web-01", "tags": tags});
    let path = format!("/resources/{}", text(&client.post("/resources", &body).ok()["resourceUUID"]));
    let now = || client.get(&path).ok()["tags"].clone();
    for change in [json!([]), json!([tag("a", "1", "API"), tag("b.c", "2", "SCAN")]), json!([tag("a", "3", "API")])] {
        let name = unique("change");
        send(&client, &name, &path, &json!({"tags": change}));
        let (_, first) = undone(&client, &newest(&client, &name));
        assert_eq!(now(), tags);
        undone(&client, &first);
        assert_eq!(now(), change);
        client.post(&path, &json!({"tags": tags})).ok();
    }
}

fn a_site_that_a_report_made_goes_with_its_machine(server: &Server) {
    let client = server.new_client();
    let device = json!({"type": "Networking", "name": "sw-01", "mac": "00:1b:a9:6e:40:d1", "location": "Room 7"});
    let content = json!({"network_device": device});
    let body = json!({"action": "netinventory", "deviceid": "sw-01", "content": content});
    let name = unique("report");
    client.request("POST", "/agents/reports").header("X-Change-Set", &name).json(&body).send();
    let site = client.search("/sites/search", "name:Room 7").page()["results"][0]["id"].to_string();
    let logged = client.search("/auditLog/search", "entity:Site").page();
    assert_eq!(logged["results"][0]["entityId"], json!(site), "{logged}");
    assert_eq!(undone(&client, &newest(&client, &name)).0, 2);
    client.get(&format!("/sites/{site}")).not_found();
}

fn a_type_comes_back_beside_others_of_its_name(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": "desk", "resourceType": "Workstation >> Linux"});
    let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
    let path = format!("/resources/{id}");
    let of = |kind: &str| {
        let found = client.search("/resources/search", &format!("resourceType:{kind}+id:{id}")).page();
        found["totalResults"] == json!(1)
    };
    for kind in ["Server >> Linux", "Switch", "Camera >> Linux"] {
        let name = unique("type");
        send(&client, &name, &path, &json!({"resourceType": kind}));
        assert!(of(kind), "{kind}");
        let (_, again) = undone(&client, &newest(&client, &name));
        assert!(of("Workstation >> Linux"), "{kind}");
        let (_, back) = undone(&client, &again);
        assert!(of(kind), "{kind} once more");
        undone(&client, &back);
    }
    let name = unique("gone");
    delete(&client, &name, &path);
    undone(&client, &newest(&client, &name));
    assert!(of("Workstation >> Linux"));
}
