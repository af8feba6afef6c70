//! What is another tenant's is answered exactly like what does not exist, in every operation.

use muster_tests::{Backend, Client, Response, Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::{device, text};

both_backends![
    a_foreign_resource_is_like_none,
    a_foreign_history_record_is_like_none,
    foreign_sites_and_groups_are_like_none,
    foreign_references_are_refused_like_unknown_ones,
    lists_hold_nothing_foreign,
    ids_do_not_count_what_others_make,
];

/// Status, headers and body, but for what differs between any two requests and for the id asked for.
fn essence(answer: &Response, id: &str) -> (u16, Vec<(String, String)>, String) {
    let mut body: Value = answer.json();
    body["requestId"] = Value::Null;
    for name in ["detail", "message"] {
        body[name] = Value::from(body[name].to_string().replace(id, "ID"));
    }
    let headers = ["content-type", "allow", "www-authenticate", "etag", "cache-control", "content-length"]
        .map(|name| (name.to_owned(), answer.header(name).unwrap_or_default().to_owned()));
    (answer.status, headers.to_vec(), body.to_string())
}

/// All operations on one entity, as `call(method, path, body)`.
#[track_caller]
fn alike(caller: &Client, operations: &[(&str, &str, Value)], foreign: &str, unknown: &str) {
    for (method, path, body) in operations {
        let call = |id: &str| {
            let request = caller.request(method, &path.replace("{id}", id));
            let answer = if body.is_null() { request.send() } else { request.json(body).send() };
            answer.not_found();
            essence(&answer, id)
        };
        assert_eq!(call(foreign), call(unknown), "{method} {path}");
    }
}

fn a_foreign_resource_is_like_none(server: &Server) {
    let mine = server.new_client();
    let other = server.new_client();
    let id = device(&other, "not-yours");
    let operations = [
        ("GET", "/resources/{id}", Value::Null),
        ("GET", "/resources/{id}/applications", Value::Null),
        ("POST", "/resources/{id}", json!({"name": "stolen"})),
        ("POST", "/resources/{id}", json!({"agentInstalled": "perhaps"})),
        ("POST", "/resources/{id}/decommission", json!({"reason": "mischief"})),
        ("POST", "/devices/{id}/manage", Value::Null),
        ("POST", "/devices/{id}/unmanage", Value::Null),
        ("GET", "/history/resources/{id}", Value::Null),
        ("DELETE", "/resources/{id}", Value::Null),
    ];
    let caller = server.caller(mine.tenant_id(), "admin");
    // A wrong body may be refused before the id is looked up, but then for both alike.
    for (method, path, body) in &operations {
        let call = |id: &str| {
            let request = caller.request(method, &path.replace("{id}", id));
            essence(&if body.is_null() { request.send() } else { request.json(body).send() }, id)
        };
        let unknown = uuid();
        let foreign = call(&id);
        let none = call(&unknown);
        assert_eq!(foreign, none, "{method} {path}");
        assert!(foreign.0 == 404 || (foreign.0 == 400 && body.get("agentInstalled").is_some()), "{method} {path}");
    }
    let detail = other.get(&format!("/resources/{id}")).ok();
    assert_eq!(detail["generalInfo"]["name"], json!("not-yours"));
    let message = caller.get(&format!("/resources/{id}")).not_found()["message"].clone();
    assert_eq!(message, json!(format!("No Resource found with UUID : {id}")));
}

fn a_foreign_history_record_is_like_none(server: &Server) {
    let mine = server.new_client();
    let other = server.new_client();
    let id = device(&other, "gone");
    other.delete(&format!("/resources/{id}")).ok();
    let caller = server.caller(mine.tenant_id(), "admin");
    let operations = [("GET", "/history/resources/{id}", Value::Null), ("GET", "/resources/{id}", Value::Null)];
    alike(&caller, &operations, &id, &uuid());
    assert_eq!(caller.search("/history/resources", &format!("id:{id}")).page()["totalResults"], json!(0));
}

fn foreign_sites_and_groups_are_like_none(server: &Server) {
    let mine = server.new_client();
    let other = server.new_client();
    let caller = server.caller(mine.tenant_id(), "admin");
    for kind in ["sites", "deviceGroups", "serviceGroups"] {
        let created = other.post(&format!("/{kind}"), &json!({"name": "theirs"})).ok();
        let id = created["id"].to_string();
        let one = format!("/{kind}/{{id}}");
        let members = format!("/{kind}/{{id}}/childs");
        let mut operations = vec![
            ("GET", one.as_str(), Value::Null),
            ("POST", one.as_str(), json!({"name": "stolen"})),
            ("DELETE", one.as_str(), Value::Null),
        ];
        if kind != "sites" {
            operations.push(("GET", members.as_str(), Value::Null));
            operations.push(("POST", members.as_str(), json!([{"id": uuid()}])));
        }
        alike(&caller, &operations, &id, "987654321");
        if let Some(unique_id) = created["uniqueId"].as_str() {
            alike(&caller, &operations, unique_id, &format!("{}{}", &unique_id[..4], uuid()));
        }
        assert_eq!(other.get(&format!("/{kind}/{id}")).ok()["name"], json!("theirs"));
        assert!(caller.get(&format!("/{kind}/minimal")).list().is_empty());
        assert_eq!(caller.get(&format!("/{kind}/search")).page()["totalResults"], json!(0));
    }
}

fn foreign_references_are_refused_like_unknown_ones(server: &Server) {
    let mine = server.new_client();
    let other = server.new_client();
    let site = other.post("/sites", &json!({"name": "their-site"})).ok()["id"].clone();
    let group = other.post("/deviceGroups", &json!({"name": "their-group"})).ok()["id"].clone();
    let theirs = device(&other, "theirs");
    let essence = |answer: Response, id: &str| {
        assert!([400, 404].contains(&answer.status), "{answer}");
        essence(&answer, id)
    };
    let at = |location: Value| mine.post("/resources", &json!({"name": "x", "location": location}));
    let unknown = essence(at(json!({"id": 987_654_321})), "987654321");
    let foreign = essence(at(json!({"id": site})), &site.to_string());
    assert_eq!((foreign.0, unknown.0), (400, 400));
    assert_eq!(foreign.2, unknown.2);
    at(json!({"name": "their-site"})).problem(400, "0002");
    super::stores_nothing(&mine);

    let own = mine.post("/deviceGroups", &json!({"name": "own"})).ok()["id"].clone();
    let add = |id: &str| mine.post(&format!("/deviceGroups/{own}/childs"), &json!([{"id": id}]));
    let nobody = uuid();
    assert_eq!(essence(add(&theirs), &theirs).2, essence(add(&nobody), &nobody).2);
    let nested = mine.post("/deviceGroups", &json!({"name": "nested", "parent": {"id": group}}));
    nested.problem(400, "0002");
    assert!(mine.get(&format!("/resources/minimal?deviceGroupId={group}")).list().is_empty());
    assert!(mine.get(&format!("/resources/minimal?locationId={site}")).list().is_empty());
}

fn lists_hold_nothing_foreign(server: &Server) {
    let mine = server.new_client();
    let other = server.new_client();
    let id = device(&other, "theirs");
    let body = json!({"name": "odd", "hostName": "odd", "resourceType": format!("Type of {}", other.tenant_id())});
    other.post("/resources", &body).ok();
    let caller = server.caller(mine.tenant_id(), "viewer");
    assert!(caller.get("/resources/minimal?state=all").list().is_empty());
    assert!(caller.search("/resources/minimal", &format!("id:{id}")).list().is_empty());
    assert_eq!(caller.get("/resources/search").page()["totalResults"], json!(0));
    let types = caller.get("/resourceType/minimal").list();
    let names: Vec<String> = types.iter().map(|kind| text(&kind["name"])).collect();
    assert!(!names.iter().any(|name| name.ends_with(other.tenant_id())), "{names:?}");
}

/// Ids ascend with the time. One that counted would tell how many incidents, users and articles all tenants have made.
///
/// On a server of its own: where more than ten a second are made, ids run ahead of the time.
fn ids_do_not_count_what_others_make(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    let makers: [(&str, Value); 4] = [
        ("/users", json!({"loginName": ""})),
        ("/sites", json!({"name": ""})),
        ("/kb/category", json!({"name": ""})),
        ("/incidents", json!({"subject": ""})),
    ];
    for (path, body) in makers {
        let make = || {
            let mut body = body.clone();
            body.as_object_mut().expect("an object").values_mut().for_each(|value| *value = json!(unique("x")));
            let made = client.post(path, &body).ok();
            let id = made["id"].as_str().map_or_else(|| made["id"].to_string(), str::to_owned);
            let digits = id.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            digits.parse::<i64>().unwrap_or_else(|_| panic!("{path}: {made}"))
        };
        let ids: Vec<i64> = (0..8).map(|_| make()).collect();
        assert!(ids.windows(2).all(|two| two[0] < two[1]), "{path}: they ascend: {ids:?}");
        assert!(ids.windows(2).any(|two| two[1] - two[0] > 1), "{path}: and do not count: {ids:?}");
    }
}
