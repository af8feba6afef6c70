//! `POST /resources`, `POST /resources/{id}`, `DELETE /resources/{id}` and `/decommission`.

use muster_tests::{Server, both_backends, uuid};
use serde_json::{Value, json};

use super::{create, detail, found, keys, text};

both_backends![
    a_create_answers_the_ids,
    an_update_changes_only_its_fields,
    lists_are_replaced_as_a_whole,
    an_update_is_checked_like_a_create,
    an_update_moves_it_through_the_filters,
    delete_and_decommission_move_it_to_history,
    a_second_delete_is_a_404,
    a_refused_write_changes_nothing,
    elements_of_a_wrong_type_are_named,
    long_values_are_refused_or_kept_whole,
];

fn a_create_answers_the_ids(server: &Server) {
    let client = server.new_client();
    let answer = client.post("/resources", &json!({"name": "a"})).ok();
    let mut fields = keys(&answer);
    fields.sort_unstable();
    assert_eq!(fields, ["resourceUUID", "tenantID"]);
    assert_eq!(answer["tenantID"], json!(client.tenant_id()));
    assert_eq!(found(&client, &format!("id:{}", text(&answer["resourceUUID"]))), ["a"]);
}

fn an_update_changes_only_its_fields(server: &Server) {
    let client = server.new_client();
    let body = json!({
        "name": "a", "hostName": "h", "aliasName": "old", "ipAddress": "10.0.0.1", "state": "inactive",
        "tags": [{"name": "t", "value": "v"}], "appRoles": [{"name": "redis"}], "properties": {"zone": "z"},
        "bios": {"systemSerial": "S", "systemModel": "M"}, "make": "ACME",
    });
    let id = create(&client, &body);
    let mut before = detail(&client, &id);
    client.post(&format!("/resources/{id}"), &json!({"aliasName": "new"})).ok();
    let mut after = detail(&client, &id);
    assert_eq!(after["generalInfo"]["aliasName"], json!("new"));
    for found in [&mut before, &mut after] {
        found["generalInfo"]["aliasName"] = Value::Null;
        found["generalInfo"]["updatedTime"] = Value::Null;
    }
    assert_eq!(after, before);
}

fn lists_are_replaced_as_a_whole(server: &Server) {
    let client = server.new_client();
    let tag = |name: &str| json!({"name": name, "value": "v"});
    let id = create(&client, &json!({"name": "a", "tags": [tag("x"), tag("y")], "appRoles": [{"name": "nginx"}]}));
    client.post(&format!("/resources/{id}"), &json!({"tags": [tag("z")], "appRoles": []})).ok();
    let read = detail(&client, &id);
    assert_eq!(read["tags"].as_array().map(Vec::len), Some(1), "{read}");
    assert_eq!(read["tags"][0]["name"], json!("z"));
    for (query_string, expected) in [("tags:x", 0), ("tags:z", 1), ("appRoles:nginx", 0)] {
        assert_eq!(found(&client, query_string).len(), expected, "{query_string}");
    }
}

fn an_update_is_checked_like_a_create(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "a"}));
    let before = detail(&client, &id);
    let path = format!("/resources/{id}");
    for (body, field) in [
        (json!({"state": "asleep"}), "state"),
        (json!({"agentInstalled": 7}), "agentInstalled"),
        (json!({"appRoles": [{"name": "minesweeper"}]}), "appRoles"),
        (json!({"launchDate": "yesterday"}), "launchDate"),
        (json!({"location": {"name": "Atlantis"}}), "location"),
    ] {
        let refused = client.post(&path, &body).problem(400, "0002");
        assert!(refused["errors"].to_string().contains(field), "{field}: {refused}");
    }
    for blank in ["", "  ", "\u{a0}"] {
        client.post("/resources", &json!({"name": blank})).invalid(&["name"]);
        client.post("/resources", &json!({"name": blank, "hostName": blank})).invalid(&["name"]);
        client.post(&path, &json!({"name": blank})).invalid(&["name"]);
    }
    assert_eq!(detail(&client, &id), before);
    let named = create(&client, &json!({"name": "  ", "hostName": "web-01"}));
    let listed = client.search("/resources/search", &format!("id:{named}")).page();
    assert_eq!(listed["results"][0]["name"], json!("web-01"));
    client.post(&format!("/resources/{}", uuid()), &json!({"name": "b"})).not_found();
}

fn an_update_moves_it_through_the_filters(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "a", "hostName": "before", "ipAddress": "10.0.0.1"}));
    client.post(&format!("/resources/{id}"), &json!({"hostName": "after", "ipAddress": "10.0.0.2"})).ok();
    for (query_string, expected) in [
        ("hostName:before", 0),
        ("hostName:after", 1),
        ("hostName:fte", 1),
        ("ipAddress:10.0.0.1", 0),
        ("ipAddress:10.0.0.2", 1),
        ("ipAddress:10.0.0.2/32", 1),
    ] {
        assert_eq!(found(&client, query_string).len(), expected, "{query_string}");
    }
}

fn delete_and_decommission_move_it_to_history(server: &Server) {
    let client = server.new_client();
    let a = create(&client, &json!({"name": "a"}));
    let b = create(&client, &json!({"name": "b"}));
    assert_eq!(client.delete(&format!("/resources/{a}")).ok(), json!({}));
    client.post(&format!("/resources/{b}/decommission"), &json!({"reason": "end of lease"})).ok();
    for id in [&a, &b] {
        client.get(&format!("/resources/{id}")).not_found();
        client.get(&format!("/resources/{id}/applications")).not_found();
        assert_eq!(client.get(&format!("/history/resources/{id}")).ok()["state"], json!("Decommissioned"));
    }
    assert!(client.get("/resources/minimal?state=all").list().is_empty());
    assert_eq!(client.get("/resources/search?state=all").page()["totalResults"], json!(0));
    let record = client.get(&format!("/history/resources/{b}")).ok();
    assert_eq!(record["history"], json!({"decommissionReason": "end of lease"}));
}

fn a_second_delete_is_a_404(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "a"}));
    client.delete(&format!("/resources/{id}")).ok();
    client.delete(&format!("/resources/{id}")).not_found();
    client.post(&format!("/resources/{id}"), &json!({"name": "b"})).not_found();
    client.post(&format!("/resources/{id}/decommission"), &json!({"reason": "again"})).not_found();
    client.post_empty(&format!("/devices/{id}/manage")).not_found();
    assert_eq!(client.get("/history/resources").page()["totalResults"], json!(1));
}

fn a_refused_write_changes_nothing(server: &Server) {
    let client = server.new_client();
    let tags: Vec<Value> = (0..50).map(|n| json!({"name": format!("t{n}"), "value": "v"})).collect();
    let mut wrong = tags.clone();
    wrong.push(json!({"name": 7}));
    client
        .post("/resources", &json!({"name": "a", "resourceType": "Half Written", "tags": wrong}))
        .problem(400, "0002");
    assert!(client.get("/resources/minimal?state=all").list().is_empty());
    let types = client.get("/resourceType/minimal").list();
    assert!(!types.iter().any(|kind| kind["name"] == "Half Written"));
}

fn elements_of_a_wrong_type_are_named(server: &Server) {
    let client = server.new_client();
    let wrong = json!({"hostName": "a", "cpus": ["x", {}, 5], "consoles": [1], "locationUuids": [{}, "b"]});
    client.post("/resources", &wrong).invalid(&["cpus[0]", "cpus[2]", "consoles[0]", "locationUuids[0]"]);
    let id = create(&client, &json!({"hostName": "a", "cpus": [{"name": "Xeon"}]}));
    client
        .post(&format!("/resources/{id}"), &json!({"cpus": {}, "consoles": [null]}))
        .invalid(&["cpus", "consoles[0]"]);
    assert_eq!(detail(&client, &id)["cpus"], json!([{"name": "Xeon"}]));
}

fn long_values_are_refused_or_kept_whole(server: &Server) {
    let client = server.new_client();
    for length in [255, 4_000, 100_000] {
        let name = "é".repeat(length);
        let answer = client.post("/resources", &json!({"name": name}));
        if answer.status == 200 {
            let id = text(&answer.ok()["resourceUUID"]);
            assert_eq!(text(&detail(&client, &id)["generalInfo"]["name"]), name, "cut at {length}");
        } else {
            answer.invalid(&["name"]);
        }
    }
}
