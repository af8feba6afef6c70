//! Categories, incidents and alerts are as they were, as far as operations set what they are.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{left, newest, preview, refused, send, undo, undone};
use crate::contract::text;

both_backends![
    a_tree_of_categories_is_as_it_was,
    an_incident_is_as_it_was,
    actions_on_alerts_are_taken_back,
    a_category_that_is_gone_keeps_an_incident_as_it_is,
];

fn user(client: &Client, name: &str) -> Value {
    client.post("/users", &json!({"loginName": unique(name), "lastName": name})).ok()["id"].clone()
}

fn category(client: &Client, name: &str, parent: Option<&Value>) -> Value {
    let mut body = json!({"names": [name]});
    if let Some(parent) = parent {
        body["parentCategory"] = json!({"uniqueId": parent});
    }
    client.post("/incidents/categories", &body).ok()[0]["uniqueId"].clone()
}

fn a_tree_of_categories_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let top = category(&client, "Top", None);
    let made = category(&client, "Net", Some(&top));
    let path = format!("/incidents/categories/{}", text(&made));
    let told = || {
        let now = client.get(&path).ok();
        ["uniqueId", "name", "parentCategory"].map(|field| now[field].clone())
    };
    let before = told();
    let name = unique("change");
    send(&client, &name, &path, &json!({"name": "Nets"}));
    send(&client, &name, &format!("{path}/move"), &json!({}));
    let after = told();
    let (_, first) = undone(&client, &newest(&client, &name));
    assert_eq!(told(), before);
    undone(&client, &first);
    assert_eq!(told(), after);
    let first = undone(&client, &newest(&client, "")).1;
    assert_eq!(told(), before);
    // Both are gone, and come back in their order.
    let both = unique("delete");
    for gone in [&path, &format!("/incidents/categories/{}", text(&top))] {
        client.request("DELETE", gone).header("X-Change-Set", &both).send().ok();
    }
    undo(&client, &first).problem(409, "0004");
    let (objects, again) = undone(&client, &newest(&client, &both));
    assert_eq!((objects, told()), (2, before));
    undone(&client, &again);
    client.get(&path).not_found();
    category(&client, "TOP", None);
    undo(&client, &newest(&client, &both)).problem(409, "0004");
    let one = category(&client, "One", None);
    let set = newest(&client, "");
    client.post("/incidents", &json!({"subject": "x", "category": {"uniqueId": one}})).ok();
    let reason = refused(&client, &set, &format!("IncidentCategory {}", text(&one)));
    assert!(reason.contains("has incidents"), "{reason}");
}

fn an_incident_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let (ann, bob) = (user(&client, "Ann"), user(&client, "Bob"));
    let (one, other) = (category(&client, "One", None), category(&client, "Other", None));
    let body = json!({"subject": "Disk is full", "description": "before", "dueDate": "2030-01-01T00:00:00+0000",
        "priority": "High", "assignee": {"id": ann}, "category": {"uniqueId": one}});
    let id = text(&client.post("/incidents", &body).ok()["id"]);
    let created = newest(&client, "");
    let path = format!("/incidents/{id}");
    let told = || {
        let now = client.get(&path).ok();
        ["subject", "description", "dueDate", "priority", "status", "assignee", "category", "requester"]
            .map(|field| now[field].clone())
    };
    let before = told();
    let name = unique("change");
    let change = json!({"subject": "Tape is full", "description": "", "dueDate": "", "priority": "Low",
        "assignee": {"id": bob}, "category": {"uniqueId": other}, "requester": {"id": bob}, "status": "Open",
        "note": "Looked at it."});
    send(&client, &name, &path, &change);
    send(&client, &name, &format!("{path}/close"), &json!({}));
    let after = told();
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), json!(["notes"]));
    let (_, first) = undone(&client, &set);
    assert_eq!(told(), before);
    undone(&client, &first);
    assert_eq!(told(), after);
    // One that is new stays.
    undo(&client, &created).problem(409, "0004");
    let other = client.post("/incidents", &json!({"subject": "New"})).ok()["id"].clone();
    let left = preview(&client, &newest(&client, ""))["notUndone"][0].clone();
    assert_eq!((&left["entityId"], left.get("fields")), (&other, None), "{left}");
    undo(&client, &newest(&client, "")).problem(409, "0004");
    undo(&client, &set).problem(409, "0004");
}

fn actions_on_alerts_are_taken_back(server: &Server) {
    let client = server.new_client();
    let report = json!({"subject": unique("disk"), "currentState": "Critical", "device": {"hostName": "web-01"}});
    let id = text(&client.post("/alert", &report).ok()["id"]);
    let status = || client.get(&format!("/alerts/{id}")).ok()["status"].clone();
    let act = |action: &str, body: &Value| {
        client.post(&format!("/alerts/{id}/actions/{action}"), body).ok();
        newest(&client, "")
    };
    let suppressed = act("suppress", &json!({"until": "2036-11-21T06:00:00+0000"}));
    let (_, first) = undone(&client, &suppressed);
    assert_eq!(status(), json!("New"));
    undone(&client, &first);
    assert_eq!(client.get(&format!("/alerts/{id}")).ok()["suppression"]["until"], json!("2036-11-21T06:00:00+0000"));
    undone(&client, &act("unsuppress", &json!({})));
    assert_eq!(status(), json!("Suppressed"));
    act("unsuppress", &json!({}));
    let (_, first) = undone(&client, &act("acknowledge", &json!({})));
    assert_eq!(status(), json!("New"));
    undone(&client, &first);
    assert_eq!(status(), json!("Acknowledged"));
    undo(&client, &suppressed).problem(409, "0004");
    // One that was closed stays so.
    undo(&client, &act("close", &json!({}))).problem(409, "0004");
    assert_eq!(status(), json!("Closed"));
}

fn a_category_that_is_gone_keeps_an_incident_as_it_is(server: &Server) {
    let client = server.new_client();
    let (one, other) = (category(&client, "One", None), category(&client, "Other", None));
    let id = text(&client.post("/incidents", &json!({"subject": "x", "category": {"uniqueId": one}})).ok()["id"]);
    client.post(&format!("/incidents/{id}"), &json!({"category": {"uniqueId": other}})).ok();
    let set = newest(&client, "");
    client.delete(&format!("/incidents/categories/{}", text(&one))).ok();
    let reason = refused(&client, &set, &format!("INCIDENT {id}"));
    assert!(reason.contains("category.uniqueId"), "{reason}");
}
