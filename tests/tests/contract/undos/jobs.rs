//! Jobs and scripts are as they were.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{goes_back_and_forth, left, newest, preview, refused, send, undo, undone};
use crate::contract::{device, text};

both_backends![
    a_job_is_as_it_was,
    whether_a_job_is_queued_is_as_it_was_or_named,
    a_job_and_its_script_come_back_together,
    a_text_that_the_log_does_not_keep_is_named,
    a_script_that_is_gone_keeps_a_job_as_it_is,
];

fn script(client: &Client, content: &str) -> i64 {
    let body = json!({"name": unique("script"), "description": "before", "platforms": ["LINUX"], "content": content});
    client.post("/jobs/scripts", &body).ok()["id"].as_i64().expect("a number")
}

/// Creates a job of a script on a machine; gives its path.
fn create(client: &Client, script: i64) -> String {
    let body = json!({"name": "Clean up", "description": "before", "labels": ["linux"], "maximumLateness": 600,
        "resources": [{"id": device(client, &unique("web"))}], "misfirePolicy": "once",
        "schedule": {"startDate": "2026-01-01T02:00:00+0000", "timeZone": {"name": "Europe/Paris"},
            "pattern": {"type": "daily", "frequency": "recurrence", "repeatFrequency": 1, "repeatType": "days"}},
        "script": {"customScript": {"id": script}, "userType": 1, "parameters": {"path": "/tmp"}}});
    format!("/jobs/{}", text(&client.post("/jobs", &body).ok()["id"]))
}

/// What people said of a job, as it is read.
#[track_caller]
fn told(client: &Client, path: &str) -> Vec<Value> {
    let now = client.get(path).ok();
    let fields = ["id", "name", "description", "schedule", "script", "entities", "labels", "maximumLateness", "active"];
    fields.iter().chain(&["overlapPolicy", "timeLimit", "alertOnFailure"]).map(|field| now[field].clone()).collect()
}

fn a_job_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let path = create(&client, script(&client, "true"));
    let before = told(&client, &path);
    let name = unique("change");
    let change = json!({"name": "Other", "description": "", "labels": [], "maximumLateness": null, "active": false,
        "resources": [], "schedule": {"startDate": "2026-02-01T02:00:00+0000", "cron": "0 3 * * *"},
        "script": {"jobType": "tempfilesreport"}, "overlapPolicy": "queue", "timeLimit": 60, "alertOnFailure": true});
    send(&client, &name, &path, &change);
    let set = newest(&client, &name);
    goes_back_and_forth(&client, &set, (&path, &json!({"description": "since"})), &before, || told(&client, &path));
}

fn whether_a_job_is_queued_is_as_it_was_or_named(server: &Server) {
    let client = server.new_client();
    let path = create(&client, script(&client, "true"));
    let queued = || client.get(&path).ok()["jobQueued"].clone();
    for given in [true, false] {
        client.post(&path, &json!({"jobQueued": given})).ok();
    }
    undone(&client, &newest(&client, ""));
    assert_eq!(queued(), json!(true));
    client.delete(&path).ok();
    let set = newest(&client, "");
    assert_eq!(left(&client, &set), json!(["jobQueued", "runs"]));
    undone(&client, &set);
    assert_eq!(queued(), json!(false), "no run waits");
}

fn a_job_and_its_script_come_back_together(server: &Server) {
    let client = server.new_client();
    let number = script(&client, "true");
    let created = newest(&client, "");
    let library = format!("/jobs/scripts/{number}");
    let path = create(&client, number);
    undo(&client, &created).problem(409, "0004");
    let before = (told(&client, &path), client.get(&library).ok()["content"].clone());
    let name = unique("delete");
    for gone in [&path, &library] {
        client.request("DELETE", gone).header("X-Change-Set", &name).send().ok();
    }
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), json!(["runs"]));
    let (objects, first) = undone(&client, &set);
    assert_eq!(objects, 2);
    assert_eq!((told(&client, &path), client.get(&library).ok()["content"].clone()), before);
    // What would have been due before is not made up for.
    assert_eq!(client.get(&format!("{path}/runs")).page()["totalResults"], json!(0));
    undone(&client, &first);
    client.get(&path).not_found();
    client.get(&library).not_found();

    let number = script(&client, "true");
    let library = format!("/jobs/scripts/{number}");
    client.post(&library, &json!({"description": "after", "platforms": [], "content": "false"})).ok();
    let (_, first) = undone(&client, &newest(&client, ""));
    let shown = |path: &str| {
        let now = client.get(path).ok();
        ["description", "platforms", "content"].map(|field| now[field].clone())
    };
    assert_eq!(shown(&library), [json!("before"), json!(["LINUX"]), json!("true")]);
    undone(&client, &first);
    assert_eq!(shown(&library), [json!("after"), json!([]), json!("false")]);
}

fn a_text_that_the_log_does_not_keep_is_named(server: &Server) {
    let client = server.new_client();
    let name = unique("delete");
    let site = client.post("/sites", &json!({"name": "Graz"})).ok()["id"].to_string();
    let number = script(&client, &"x".repeat(3_000)).to_string();
    let library = format!("/jobs/scripts/{number}");
    client.post(&library, &json!({"content": "short", "description": "after"})).ok();
    let changed = newest(&client, "");
    assert_eq!(left(&client, &changed), json!(["content"]));
    undone(&client, &changed);
    let now = client.get(&library).ok();
    assert_eq!((&now["content"], &now["description"]), (&json!("short"), &json!("before")));
    client.post(&library, &json!({"content": "y".repeat(3_000)})).ok();
    for gone in [&library, &format!("/sites/{site}")] {
        client.request("DELETE", gone).header("X-Change-Set", &name).send().ok();
    }
    let set = newest(&client, &name);
    let left = preview(&client, &set)["notUndone"][0].clone();
    assert_eq!((&left["entityId"], left.get("fields")), (&json!(number), None), "{left}");
    assert_eq!(undone(&client, &set).0, 1);
    client.get(&format!("/sites/{site}")).ok();
    client.get(&library).not_found();
}

fn a_script_that_is_gone_keeps_a_job_as_it_is(server: &Server) {
    let client = server.new_client();
    let number = script(&client, "true");
    let path = create(&client, number);
    client.post(&path, &json!({"script": {"jobType": "tempfilesreport"}})).ok();
    let set = newest(&client, "");
    client.delete(&format!("/jobs/scripts/{number}")).ok();
    let id = path.rsplit('/').next().expect("an id");
    let reason = refused(&client, &set, &format!("Job {id}"));
    assert!(reason.contains("names no script"), "{reason}");
}
