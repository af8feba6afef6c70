//! `sites`: create, search, minimal, get, update, delete.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{create, detail, integer, names};

both_backends![
    a_site_lives_through_all_operations,
    sites_are_searched_and_listed,
    names_are_unique_and_required,
    a_resource_shows_its_site,
    a_place_and_a_launch_date_can_be_taken_away,
    a_place_named_for_the_first_time_must_exist,
];

fn a_site_lives_through_all_operations(server: &Server) {
    let client = server.new_client();
    let created = client.post("/sites", &json!({"name": "Berlin", "city": "Berlin"})).ok();
    let path = format!("/sites/{}", integer(&created["id"]));
    let read = client.get(&path);
    assert_eq!((&read.ok()["name"], &read.ok()["id"]), (&json!("Berlin"), &created["id"]));
    let tag = read.header("ETag").unwrap_or_default().to_owned();
    assert!(!tag.is_empty(), "{read}");
    client.post(&path, &json!({"name": "Potsdam"})).ok();
    assert_eq!(client.get(&path).ok()["name"], json!("Potsdam"));
    assert_eq!(client.get(&path).ok()["city"], json!("Berlin"), "what an update leaves out stays");
    let stale = client.request("POST", &path).header("If-Match", &tag).json(&json!({"name": "x"})).send();
    stale.problem(412, "0004");
    assert_eq!(client.delete(&path).ok(), json!({}));
    client.get(&path).not_found();
    client.delete(&path).not_found();
    client.post(&path, &json!({"name": "x"})).not_found();
}

fn sites_are_searched_and_listed(server: &Server) {
    let client = server.new_client();
    for name in ["Oslo", "Bergen", "Oslo North"] {
        client.post("/sites", &json!({"name": name})).ok();
    }
    let listed = client.get("/sites/minimal").list();
    assert_eq!(names(&listed), ["Bergen", "Oslo", "Oslo North"]);
    assert!(listed.iter().all(|site| site["id"].is_i64()));
    let page = client.get("/sites/search?pageSize=2").page();
    assert_eq!(page["totalResults"], json!(3));
    let page = client.search("/sites/search", "name:oslo").page();
    assert_eq!(page["totalResults"], json!(2), "{page}");
}

fn names_are_unique_and_required(server: &Server) {
    let client = server.new_client();
    for body in [json!({}), json!({"name": ""}), json!({"name": 7})] {
        client.post("/sites", &body).invalid(&["name"]);
    }
    client.post("/sites", &json!({"name": "Rome"})).ok();
    client.post("/sites", &json!({"name": "Rome"})).problem(409, "0004");
    server.new_client().post("/sites", &json!({"name": "Rome"})).ok();
    assert_eq!(client.get("/sites/minimal").list().len(), 1);
}

fn a_resource_shows_its_site(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Kyoto", "city": "Kyoto City"})).ok()["id"].clone();
    let id = create(&client, &json!({"name": "a", "location": {"id": site}}));
    let location = || detail(&client, &id)["location"].clone();
    assert_eq!((&location()["id"], &location()["name"]), (&site, &json!("Kyoto")));
    assert_eq!(location()["city"], json!("Kyoto City"));
    assert_eq!(location()["clientId"], json!(client.tenant_number()));
    assert_eq!(location()["mspId"], json!(1));
    client.post(&format!("/sites/{site}"), &json!({"name": "Kyoto East"})).ok();
    assert_eq!(location()["name"], json!("Kyoto East"), "a renamed site is renamed everywhere");
}

fn a_place_and_a_launch_date_can_be_taken_away(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Kyoto"})).ok()["id"].clone();
    let launched = "2026-03-04T05:06:07+0000";
    let body = json!({"name": "a", "location": {"id": site}, "launchDate": launched});
    let id = create(&client, &body);
    let path = format!("/resources/{id}");
    let place_and_date = || {
        let now = detail(&client, &id);
        (now["location"]["name"].clone(), now["properties"]["launchDate"].clone())
    };
    client.post(&path, &json!({"location": null, "launchDate": null})).ok();
    assert_eq!(place_and_date(), (json!("Kyoto"), json!(launched)), "null is the same as leaving out");
    let refused = client.post(&path, &json!({"location": {"city": "Kyoto"}})).problem(400, "0002");
    assert!(refused["errors"].to_string().contains("location.id"), "{refused}");
    client.post(&path, &json!({"location": {}, "properties": {"launchDate": ""}})).ok();
    assert_eq!(place_and_date(), (Value::Null, Value::Null));
    client.delete(&format!("/sites/{site}")).ok();
}

fn a_place_named_for_the_first_time_must_exist(server: &Server) {
    let client = server.new_client();
    for location in [json!({"name": "Atlantis"}), json!({"id": 123_456}), json!({"id": "x"}), json!("Atlantis")] {
        let refused = client.post("/resources", &json!({"name": "a", "location": location})).problem(400, "0002");
        assert!(refused["errors"].to_string().contains("location"), "{refused}");
    }
    assert!(client.get("/resources/minimal?state=all").list().is_empty());
}
