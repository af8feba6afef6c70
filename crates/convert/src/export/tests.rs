use serde_json::json;

use super::*;

fn names(export: &Export, path: &str) -> Vec<String> {
    export.list(path).iter().map(|one| one["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn lists_are_found_however_an_answer_wraps_them() {
    let mut export = Export::default();
    let one = |name: &str| json!({"name": name});
    export.add("users", json!({"data": [one("a")], "paging": {}}));
    export.add("users", json!([one("b"), one("c")]));
    export.add("escalation_policies", json!({"escalation_policies": [one("d")], "more": false}));
    export.add("heartbeats", json!({"data": {"heartbeats": [one("e")]}}));
    export.add("pages", json!([{"results": [one("f")], "next": null}, {"results": [one("g")]}]));
    export.add("teams", json!({"data": {"teams": {"nodes": [one("h")]}}}));
    export.add("teams/1", json!({"data": one("i")}));
    export.add("teams/1/members", json!([]));
    assert_eq!(names(&export, "users"), ["a", "b", "c"]);
    assert_eq!(names(&export, "escalation_policies"), ["d"]);
    assert_eq!(names(&export, "heartbeats"), ["e"]);
    assert_eq!(names(&export, "pages"), ["f", "g"]);
    assert_eq!(names(&export, "teams"), ["h"]);
    assert_eq!(export.object("teams/1").unwrap()["name"], "i");
    assert_eq!(export.below("teams").collect::<Vec<_>>(), ["teams/1"]);
    assert!(names(&export, "none").is_empty() && !export.has("none"));
}

#[test]
fn an_answer_that_is_none_is_told_from_one() {
    let list = json!([{"id": "u1", "message": "Disk full"}]);
    for good in [
        json!({"data": list, "took": 0.1}),
        list.clone(),
        json!([{"message": "Disk full", "tinyId": "1"}]),
        json!([{"results": list, "next": null}]),
        json!({"data": {"users": {"nodes": list}}, "errors": []}),
        json!({"id": "u1", "message": "Disk full"}),
        json!([]),
    ] {
        assert!(check(&good, "users").is_ok(), "{good}");
    }
    for (bad, words) in [
        (json!({"message": "API Key is not allowed", "requestId": "1"}), "API Key is not allowed"),
        (json!({"error": {"message": "Invalid Input", "code": 2001}}), "Invalid Input"),
        (json!({"detail": "Invalid token"}), "Invalid token"),
        (json!({"errors": [{"message": "unauthorized"}], "data": null}), "unauthorized"),
        (json!({"errors": [{"message": "in part"}], "data": {"users": {"nodes": list}}}), "in part"),
        (json!([{"results": list}, {"error": "gone"}]), "gone"),
        (json!([1, null, "x", {"id": 5}]), "holds 1"),
        (json!({"data": [{"id": 5}, "x"]}), "holds \"x\""),
        (json!("x"), "holds \"x\""),
        (json!(null), "holds null"),
    ] {
        let error = check(&bad, "users").unwrap_err().to_string();
        assert!(error.contains(words), "{bad}: {error}");
    }
}

#[test]
fn a_last_page_says_that_another_follows() {
    let of_graph = |more: bool| json!({"data": {"users": {"nodes": [], "pageInfo": {"hasNextPage": more}}}});
    let mut export = Export::default();
    for (path, page) in [
        ("users", of_graph(true)),
        ("teams", of_graph(true)),
        ("teams", of_graph(false)),
        ("services", json!({"services": [], "more": true})),
        ("dcim/devices", json!({"results": [], "next": "https://netbox/api/dcim/devices/?offset=50"})),
        ("dcim/sites", json!([{"results": [], "next": "…"}, {"results": [], "next": null}])),
        ("schedules", json!({"data": [{"next": "not of the page"}], "paging": {"next": "https://…"}})),
        ("escalations", json!({"data": [{"next": "not of the page"}], "paging": {"first": "https://…"}})),
    ] {
        export.add(path, page);
    }
    assert_eq!(export.unfinished(), ["dcim/devices", "schedules", "services", "users"]);
}

#[test]
fn pages_of_files_are_in_the_order_of_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("users.json", r#"[{"name": "a"}]"#);
    write("users.10.json", r#"[{"name": "c"}]"#);
    write("users.2.json", r#"[{"name": "b"}]"#);
    write("schedules/ab.cd/overrides.json", r#"{"data": []}"#);
    write(".hidden/users.json", "not JSON");
    let export = Export::read(folder.path()).unwrap();
    assert_eq!(names(&export, "users"), ["a", "b", "c"]);
    assert!(export.has("schedules/ab.cd/overrides"));
    write("broken.json", "{");
    assert!(format!("{:#}", Export::read(folder.path()).unwrap_err()).contains("broken.json is not JSON"));
    assert!(Export::read(&folder.path().join("none")).is_err());
}
