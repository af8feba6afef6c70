//! Undoing change sets: objects are as they were before, unless something else changed them since.

mod articles;
mod incidents;
mod inventory;
mod jobs;
mod order;
mod origins;
mod rosters;
mod windows;

use std::{
    fmt::Debug,
    time::{Duration, Instant},
};

use muster_tests::{Client, Response, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{device, text};

both_backends![
    a_set_is_undone_and_the_undo_is_undone,
    what_changed_since_is_named_and_nothing_is_undone,
    machines_that_were_decommissioned_come_back,
    fields_of_machines_have_their_former_values,
    a_category_leaves_the_trash_and_goes_back,
    groups_are_as_they_were,
    a_policy_is_there_again_under_its_id,
    a_route_is_there_again_with_its_rules,
    a_rule_that_keeps_an_object_from_being_restored_is_told,
    what_cannot_be_undone_is_named,
    an_import_is_undone_while_others_write,
    only_an_admin_of_the_tenant_undoes,
];

pub(super) fn send(client: &Client, name: &str, path: &str, body: &Value) -> Value {
    client.request("POST", path).header("X-Change-Set", name).json(body).send().ok()
}

/// Deletes what is at a path, as a part of a set.
#[track_caller]
pub(super) fn delete(client: &Client, name: &str, path: &str) {
    client.request("DELETE", path).header("X-Change-Set", name).send().ok();
}

/// Undoes a set of many objects. It may take longer than a request may: under its key it goes on all the same.
#[track_caller]
fn undone_under_a_key(client: &Client, set: &str) -> i64 {
    let key = unique("undo");
    for _ in 0..600 {
        let request = client.request("POST", &format!("/changeSets/{set}/undo")).header("Idempotency-Key", &key);
        let answer = request.send();
        if answer.status == 200 {
            return answer.ok()["objects"].as_i64().expect("objects");
        }
        assert!([409, 503].contains(&answer.status), "{answer}");
        std::thread::sleep(Duration::from_millis(200));
    }
    panic!("the set {set} is not undone");
}

/// The id of the newest set, or of the one with this name.
#[track_caller]
pub(super) fn newest(client: &Client, name: &str) -> String {
    let filter = if name.is_empty() { String::new() } else { format!("name:{name}") };
    text(&client.search("/changeSets/search", &filter).page()["results"][0]["id"])
}

/// What an undo would do.
#[track_caller]
fn preview(client: &Client, set: &str) -> Value {
    client.post_empty(&format!("/changeSets/{set}/undo?preview=true")).ok()
}

pub(super) fn undo(client: &Client, set: &str) -> Response {
    client.post_empty(&format!("/changeSets/{set}/undo"))
}

/// What a preview says to stay of the first object that it names.
#[track_caller]
pub(super) fn left(client: &Client, set: &str) -> Value {
    preview(client, set)["notUndone"][0]["fields"].clone()
}

/// The reason why an undo is refused, which names this object first.
#[track_caller]
pub(super) fn refused(client: &Client, set: &str, object: &str) -> String {
    let problem = undo(client, set).problem(409, "0004");
    assert_eq!(problem["errors"][0]["fieldName"], json!(object), "{problem}");
    text(&problem["errors"][0]["message"])
}

#[track_caller]
pub(super) fn undone(client: &Client, set: &str) -> (i64, String) {
    let answer = undo(client, set).ok();
    (answer["objects"].as_i64().expect("objects"), text(&answer["changeSet"]))
}

/// A set that changed what is at a path is undone, and done again; once that changed again, it cannot be undone.
#[track_caller]
fn goes_back_and_forth<T: Debug + PartialEq>(
    client: &Client,
    set: &str,
    (path, again): (&str, &Value),
    before: &T,
    told: impl Fn() -> T,
) {
    let after = told();
    assert_eq!(preview(client, set)["notUndone"], json!([]));
    let (_, first) = undone(client, set);
    assert_eq!(told(), *before);
    undone(client, &first);
    assert_eq!(told(), after);
    client.post(path, again).ok();
    undo(client, set).problem(409, "0004");
}

fn a_set_is_undone_and_the_undo_is_undone(server: &Server) {
    let client = server.new_client();
    let kept =
        client.post("/sites", &json!({"name": "Graz", "city": "Graz", "description": "old"})).ok()["id"].to_string();
    let gone = client.post("/sites", &json!({"name": "Gone", "country": "Austria"})).ok()["id"].to_string();
    let name = unique("deploy");
    send(&client, &name, &format!("/sites/{kept}"), &json!({"city": "Linz", "description": ""}));
    send(&client, &name, &format!("/sites/{kept}"), &json!({"city": "Wels"}));
    client.request("DELETE", &format!("/sites/{gone}")).header("X-Change-Set", &name).send().ok();
    let new = send(&client, &name, "/sites", &json!({"name": "New"}))["id"].to_string();
    let set = newest(&client, &name);

    let preview = preview(&client, &set);
    assert_eq!((&preview["objects"], &preview["preview"]), (&json!(3), &json!(true)), "{preview}");
    assert_eq!((&preview["changedSince"], &preview["notUndone"]), (&json!([]), &json!([])), "{preview}");
    let undo_path = format!("/changeSets/{set}/undo");
    assert_eq!(client.post(&undo_path, &json!({"preview": "true"})).ok(), preview);
    client.post(&undo_path, &json!({"preview": "yes"})).invalid(&["preview"]);
    client.get(&format!("/sites/{new}")).ok();

    let (objects, first) = undone(&client, &set);
    assert_eq!(objects, 3);
    let site = |id: &str| client.get(&format!("/sites/{id}")).ok();
    assert_eq!((&site(&kept)["city"], &site(&kept)["description"]), (&json!("Graz"), &json!("old")));
    assert_eq!((&site(&gone)["name"], &site(&gone)["country"]), (&json!("Gone"), &json!("Austria")));
    client.get(&format!("/sites/{new}")).not_found();
    undo(&client, &set).problem(409, "0004");
    let listed = client.search("/changeSets/search", &format!("id:{first}")).page()["results"][0].clone();
    assert_eq!((&listed["undoes"], &listed["objects"]), (&json!(set), &json!(3)), "{listed}");

    let (objects, _) = undone(&client, &first);
    assert_eq!(objects, 3);
    assert_eq!((&site(&kept)["city"], site(&kept).get("description")), (&json!("Wels"), None));
    assert_eq!(site(&new)["name"], json!("New"));
    client.get(&format!("/sites/{gone}")).not_found();
}

fn what_changed_since_is_named_and_nothing_is_undone(server: &Server) {
    let client = server.new_client();
    let name = unique("deploy");
    let one = send(&client, &name, "/sites", &json!({"name": "One"}))["id"].to_string();
    let two = send(&client, &name, "/sites", &json!({"name": "Two"}))["id"].to_string();
    client.post(&format!("/sites/{one}"), &json!({"city": "Graz"})).ok();
    let set = newest(&client, &name);
    let preview = preview(&client, &set);
    assert_eq!(preview["changedSince"][0]["entityId"], json!(one), "{preview}");
    let refused = undo(&client, &set).problem(409, "0004");
    assert_eq!(refused["errors"][0]["fieldName"], json!(format!("Site {one}")), "{refused}");
    client.get(&format!("/sites/{two}")).ok();
}

fn machines_that_were_decommissioned_come_back(server: &Server) {
    let client = server.new_client();
    let name = unique("decommission");
    let body = json!({"hostName": "web-01", "serialNumber": "7XK9PL2", "make": "Dell", "state": "inactive",
        "tags": [{"name": "env", "value": "test"}]});
    let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
    let rule = json!({"key": "hostName", "operator": "Contains", "value": "web"});
    let group = json!({"name": "web", "filterCriteria": {"rules": [rule]}});
    let group = client.post("/deviceGroups", &group).ok()["id"].to_string();
    send(&client, &name, &format!("/resources/{id}/decommission"), &json!({"reason": "old"}));
    client.get(&format!("/resources/{id}")).not_found();
    let set = newest(&client, &name);
    let preview = preview(&client, &set);
    assert!(preview["notUndone"][0]["fields"].to_string().contains("applications"), "{preview}");
    let (_, first) = undone(&client, &set);
    let back = client.get(&format!("/resources/{id}")).ok();
    assert_eq!((&back["state"], &back["tags"][0]["value"]), (&json!("inactive"), &json!("test")), "{back}");
    let members = client.get(&format!("/deviceGroups/{group}/childs")).page();
    assert_eq!(members["totalResults"], json!(1), "{members}");
    assert_eq!(client.search("/resources/search?state=all", "hostName:web-01").page()["totalResults"], json!(1));
    assert_eq!(client.get("/history/resources").page()["totalResults"], json!(0));
    // It is known by its serial number again.
    client
        .post("/resources", &json!({"hostName": "other", "serialNumber": "7XK9PL2", "make": "Dell"}))
        .problem(409, "0004");
    undone(&client, &first);
    client.get(&format!("/resources/{id}")).not_found();
    // Another one with that serial number keeps it from coming back.
    client.post("/resources", &json!({"hostName": "other", "serialNumber": "7XK9PL2", "make": "Dell"})).ok();
    let refused = undo(&client, &newest(&client, "")).status;
    assert_eq!(refused, 200, "the newest set made the other machine");
}

fn fields_of_machines_have_their_former_values(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Graz"})).ok()["id"].clone();
    let other = client.post("/sites", &json!({"name": "Linz"})).ok()["id"].clone();
    let body = json!({"hostName": "db-01", "description": "before", "location": {"id": site},
        "tags": [{"name": "a.b", "value": "1"}], "bios": {"systemSerial": "S1"}, "cpus": [{"model": "Xeon"}]});
    let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
    let path = format!("/resources/{id}");
    let name = unique("change");
    let change = json!({"description": "after", "aliasName": "new", "location": {"id": other}, "state": "inactive",
        "tags": [{"name": "c", "value": "2"}], "bios": {"systemSerial": "S2"}, "cpus": [{"model": "Epyc"}],
        "credential": {"port": 443}});
    let before = client.get(&path).ok();
    send(&client, &name, &path, &change);
    let set = newest(&client, &name);
    let preview = preview(&client, &set);
    assert_eq!(preview["notUndone"][0]["fields"], json!(["credential"]), "{preview}");
    undone(&client, &set);
    let after = client.get(&path).ok();
    for field in ["description", "aliasName", "location", "state", "tags", "bios", "cpus"] {
        assert_eq!(after[field], before[field], "{field}: {after}");
    }
}

fn a_category_leaves_the_trash_and_goes_back(server: &Server) {
    let client = server.new_client();
    let create =
        |name: &str| text(&client.post("/kb/category", &json!({"name": name, "description": name})).ok()["id"]);
    let (one, other) = (create("One"), create("Other"));
    let state = |id: &str| client.get(&format!("/kb/category/{id}")).ok()["state"].clone();
    let name = unique("tidy");
    let to = json!({"name": "Renamed", "parentCategory": {"id": other}});
    send(&client, &name, &format!("/kb/category/{one}"), &to);
    client.request("DELETE", &format!("/kb/category/{other}")).header("X-Change-Set", &name).send().ok();
    let new = text(&send(&client, &name, "/kb/category", &json!({"name": "New"}))["id"]);
    let (_, first) = undone(&client, &newest(&client, &name));
    assert_eq!((state(&one), state(&other), state(&new)), (json!("ACTIVE"), json!("ACTIVE"), json!("TRASH")));
    let shown = client.get(&format!("/kb/category/{one}")).ok();
    assert_eq!((&shown["name"], shown.get("parentCategory")), (&json!("One"), None), "{shown}");
    undone(&client, &first);
    assert_eq!((state(&other), state(&new)), (json!("TRASH"), json!("ACTIVE")));
    assert_eq!(client.get(&format!("/kb/category/{one}")).ok()["name"], json!("Renamed"));
}

fn a_policy_is_there_again_under_its_id(server: &Server) {
    let client = server.new_client();
    let user = text(&client.post("/users", &json!({"loginName": unique("ann"), "lastName": "Lee"})).ok()["id"]);
    let body = json!({"name": "Web", "description": "before", "repeat": 2, "ackTimeout": "30m",
        "steps": [{"targets": [{"user": {"id": user}}], "wait": "10m"}]});
    let made = client.post("/escalationPolicies", &body).ok();
    let path = format!("/escalationPolicies/{}", text(&made["id"]));
    let name = unique("change");
    send(&client, &name, &path, &json!({"description": "after", "repeat": 0, "ackTimeout": ""}));
    undone(&client, &newest(&client, &name));
    let fields = ["id", "name", "description", "repeat", "ackTimeout", "steps", "atEnd"];
    let told = |policy: &Value| fields.map(|field| policy[field].clone());
    assert_eq!(told(&client.get(&path).ok()), told(&made));
    client.delete(&path).ok();
    let gone = newest(&client, "");
    undone(&client, &gone);
    assert_eq!(told(&client.get(&path).ok()), told(&made));
}

fn groups_are_as_they_were(server: &Server) {
    let client = server.new_client();
    device(&client, "web-01");
    device(&client, "db-01");
    let rules =
        |text: &str| json!({"matchType": "ANY", "rules": [{"key": "hostName", "operator": "Contains", "value": text}]});
    let create = |body: Value| client.post("/deviceGroups", &body).ok();
    let top = create(json!({"name": "Top"}));
    let made = create(
        json!({"name": "Web", "description": "before", "parent": {"id": top["id"]}, "filterCriteria": rules("web")}),
    );
    let path = format!("/deviceGroups/{}", made["id"]);
    let members = || client.get(&format!("{path}/childs")).page()["results"][0]["name"].clone();
    let name = unique("change");
    let change = json!({"name": "Databases", "description": "", "parent": {}, "filterCriteria": rules("db")});
    send(&client, &name, &path, &change);
    assert_eq!(members(), json!("db-01"));
    let (_, first) = undone(&client, &newest(&client, &name));
    let told = |group: &Value| {
        ["id", "uniqueId", "name", "description", "parent", "filterCriteria"].map(|field| group[field].clone())
    };
    assert_eq!((told(&client.get(&path).ok()), members()), (told(&made), json!("web-01")));
    undone(&client, &first);
    assert_eq!((&client.get(&path).ok()["name"], members()), (&json!("Databases"), json!("db-01")));
    client.post(&path, &json!({"filterCriteria": {"rules": []}})).ok();
    undone(&client, &newest(&client, ""));
    assert_eq!(members(), json!("db-01"));
    let now = client.get(&path).ok();
    client.delete(&path).ok();
    undone(&client, &newest(&client, ""));
    assert_eq!((told(&client.get(&path).ok()), members()), (told(&now), json!("db-01")));
}

fn a_route_is_there_again_with_its_rules(server: &Server) {
    let client = server.new_client();
    let user = text(&client.post("/users", &json!({"loginName": unique("ann"), "lastName": "Lee"})).ok()["id"]);
    let policy = |name: &str| {
        let body = json!({"name": name, "steps": [{"targets": [{"user": {"id": user}}]}]});
        client.post("/escalationPolicies", &body).ok()["id"].clone()
    };
    let (one, other) = (policy("One"), policy("Other"));
    let rule = |value: &str| json!([{"key": "subject", "operator": "Equals", "value": value}]);
    let body = json!({"name": "Web", "matchingType": "ANY", "rules": rule("a"), "policy": {"id": one}, "position": 7});
    let made = client.post("/alertRoutes", &body).ok();
    let path = format!("/alertRoutes/{}", text(&made["id"]));
    let told = |route: &Value| {
        ["id", "name", "matchingType", "rules", "policy", "position", "isDefault"].map(|field| route[field].clone())
    };
    let name = unique("change");
    send(&client, &name, &path, &json!({"name": "DB", "rules": rule("b"), "policy": {"id": other}}));
    undone(&client, &newest(&client, &name));
    assert_eq!(told(&client.get(&path).ok()), told(&made));
    // With the policy that it leads to.
    let both = unique("delete");
    for gone in [path.clone(), format!("/escalationPolicies/{}", text(&one))] {
        client.request("DELETE", &gone).header("X-Change-Set", &both).send().ok();
    }
    assert_eq!(undone(&client, &newest(&client, &both)).0, 2);
    assert_eq!(told(&client.get(&path).ok()), told(&made));
}

fn a_rule_that_keeps_an_object_from_being_restored_is_told(server: &Server) {
    let client = server.new_client();
    let name = unique("deploy");
    let site = client.post("/sites", &json!({"name": "Graz"})).ok()["id"].to_string();
    client.request("DELETE", &format!("/sites/{site}")).header("X-Change-Set", &name).send().ok();
    let new = send(&client, &name, "/sites", &json!({"name": "Linz"}))["id"].to_string();
    client.post("/sites", &json!({"name": "graz"})).ok();
    let refused = undo(&client, &newest(&client, &name)).problem(409, "0004");
    assert_eq!(refused["errors"][0]["fieldName"], json!(format!("Site {site}")), "{refused}");
    // In one transaction: the other site is there.
    client.get(&format!("/sites/{new}")).ok();
}

fn what_cannot_be_undone_is_named(server: &Server) {
    let client = server.new_client();
    let name = unique("mixed");
    let site = send(&client, &name, "/sites", &json!({"name": "Graz"}))["id"].to_string();
    let key = send(&client, &name, "/apiKeys", &json!({"name": unique("key"), "role": "viewer"}))["id"].clone();
    let set = newest(&client, &name);
    let preview = preview(&client, &set);
    let named = preview["notUndone"].as_array().expect("an array").iter().any(|one| one["entityId"] == key);
    assert!(named && preview["lasting"].as_str().is_some_and(|text| text.contains("gone out")), "{preview}");
    assert_eq!(undone(&client, &set).0, 1);
    client.get(&format!("/sites/{site}")).not_found();
    client.get(&format!("/apiKeys/{}", text(&key))).ok();
    client.post("/apiKeys", &json!({"name": unique("key"), "role": "viewer"})).ok();
    undo(&client, &newest(&client, "")).problem(409, "0004");
}

#[expect(clippy::print_stdout, reason = "a test that measures says what it measured")]
fn an_import_is_undone_while_others_write(server: &Server) {
    let rows = if std::env::var_os("MUSTER_TESTS_FULL").is_some() { 10_000 } else { 600 };
    let client = server.new_client();
    let lines: String = (0..rows)
        .map(|row| format!("{}\n", json!({"hostName": format!("m{row}"), "serialNumber": format!("S{row}")})))
        .collect();
    let answer = client.request("POST", "/resources/bulk").body("application/x-ndjson", lines).send();
    assert_eq!(answer.status, 200, "{answer}");
    let set = newest(&client, "");
    let other = server.new_client();
    let begun = Instant::now();
    let mut longest = Duration::ZERO;
    std::thread::scope(|scope| {
        let done = scope.spawn(|| undone_under_a_key(&client, &set));
        while !done.is_finished() {
            let asked = Instant::now();
            other.post("/sites", &json!({"name": unique("site")})).ok();
            longest = longest.max(asked.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(done.join().expect("an undo"), rows);
    });
    println!("{rows} rows undone in {:?}; a write of another client took {longest:?} at most", begun.elapsed());
    assert_eq!(client.get("/resources/search?pageSize=1").page()["totalResults"], json!(0));
    let found = client.search("/changeSets/search", "").page()["results"][0].clone();
    assert_eq!((&found["undoes"], &found["objects"], &found["requests"]), (&json!(set), &json!(rows), &json!(1)));
    undo(&client, &set).problem(409, "0004");
    assert_eq!(undone_under_a_key(&client, &text(&found["id"])), rows);
    assert_eq!(client.get("/resources/search?pageSize=1").page()["totalResults"], json!(rows));
}

fn only_an_admin_of_the_tenant_undoes(server: &Server) {
    let client = server.new_client();
    client.post("/sites", &json!({"name": "Graz"})).ok();
    let set = newest(&client, "");
    server.caller(client.tenant_id(), "integrator").post_empty(&format!("/changeSets/{set}/undo")).forbidden();
    undo(&server.new_client(), &set).not_found();
    undo(&client, "CHG-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c").not_found();
    client.post_empty(&format!("/changeSets/{set}/undo?preview=perhaps")).invalid(&["preview"]);
}
