//! What is refused, by the path of each field; nothing of it is stored.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{FAR_AHEAD, create, everyday, job, script};

both_backends![
    every_wrong_field_is_named,
    what_is_wrong_in_form_and_what_is_unknown_are_told_together,
    queries_are_read_strictly,
    foreign_scripts_are_unknown,
];

fn every_wrong_field_is_named(server: &Server) {
    let client = server.new_client();
    client.post("/jobs", &json!({})).invalid(&["name", "schedule", "script"]);
    let refused = |field: &str, change: &dyn Fn(&mut Value)| {
        let mut body = job(FAR_AHEAD, everyday());
        change(&mut body);
        client.post("/jobs", &body).invalid(&[field]);
    };
    refused("name", &|body| body["name"] = json!("x".repeat(201)));
    refused("schedule.startDate", &|body| body["schedule"]["startDate"] = json!("2026-02-30T00:00:00Z"));
    refused("schedule.startDate", &|body| body["schedule"]["startDate"] = json!("9999-01-01T00:00:00Z"));
    refused("schedule.pattern", &|body| body["schedule"]["pattern"] = Value::Null);
    refused("schedule.pattern.type", &|body| body["schedule"]["pattern"]["type"] = json!("yearly"));
    refused("schedule.pattern.frequency", &|body| body["schedule"]["pattern"]["frequency"] = json!("hourly"));
    refused("schedule.timeZone.name", &|body| body["schedule"]["timeZone"] = json!({"name": "Asia/Kolkatta"}));
    refused("script.jobType", &|body| body["script"] = json!({"jobType": "format"}));
    refused("script.customScript", &|body| body["script"] = json!({"jobType": "custom"}));
    refused("script.customScript.id", &|body| body["script"] = json!({"customScript": {"id": 987_654_321}}));
    refused("script.configParams", &|body| body["script"]["configParams"] = json!({}));
    refused("misfirePolicy", &|body| body["misfirePolicy"] = json!("sometimes"));
    refused("overlapPolicy", &|body| body["overlapPolicy"] = json!("sometimes"));
    refused("maximumLateness", &|body| body["maximumLateness"] = json!(0));
    refused("timeLimit", &|body| body["timeLimit"] = json!(86_401));
    refused("resources", &|body| body["resources"] = json!("all"));
    refused("labels", &|body| body["labels"] = json!(vec!["x"; 21]));
    assert_eq!(client.get("/jobs/search").page()["totalResults"], json!(0), "nothing is stored");
    client.post("/jobs/runs/claim", &json!({"limit": 21, "leaseSeconds": 1, "jobTypes": ["x"]})).invalid(&[
        "jobTypes",
        "limit",
        "leaseSeconds",
    ]);
}

fn what_is_wrong_in_form_and_what_is_unknown_are_told_together(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": " ", "schedule": {}, "overlapPolicy": "sometimes",
        "script": {"customScript": {"id": 987_654_321}, "userType": -1}, "resources": [{"id": "x"}, 7, {}]});
    let expected = [
        "name",
        "schedule.startDate",
        "schedule.pattern",
        "script.userType",
        "resources[1]",
        "resources[2].id",
        "overlapPolicy",
        "script.customScript.id",
        "resources[0].id",
    ];
    let told = client.post("/jobs", &body).invalid(&expected);
    assert_eq!(told["errors"].as_array().map(Vec::len), Some(expected.len()), "each is told once: {told}");
    let path = format!("/jobs/{}", create(&client, &job(FAR_AHEAD, everyday())));
    let before = client.get(&path).ok();
    let body = json!({"description": "d", "timeLimit": 0, "devices": [{"uniqueId": "x"}]});
    client.post(&path, &body).invalid(&["timeLimit", "devices[0].uniqueId"]);
    assert_eq!(client.get(&path).ok(), before, "nothing is stored");
}

fn queries_are_read_strictly(server: &Server) {
    let client = server.new_client();
    client.get("/jobs/search?sortName=status").invalid(&["sortName"]);
    client.get("/jobs/search?pageSize=1001").invalid(&["pageSize"]);
    client.get("/jobs/search?page=1").invalid(&["page"]);
    for query in ["jobType:none", "jobQueued:maybe", "owner:me", "name"] {
        client.search("/jobs/search", query).invalid(&["queryString"]);
    }
    for path in ["/jobs/x", "/jobs/%FF", "/jobs/x/runs", "/jobs/x/next", "/jobs/runs/x", "/jobs/scripts/x"] {
        client.get(path).not_found();
    }
}

fn foreign_scripts_are_unknown(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let mut body = job(FAR_AHEAD, everyday());
    body["script"] = json!({"customScript": {"id": script(&other, "exit 0")}});
    client.post("/jobs", &body).invalid(&["script.customScript.id"]);
    body["script"] = json!({"customScript": {"id": script(&server.admin(), "exit 0")}});
    let made = client.post("/jobs", &body).ok();
    assert!(made["script"]["customScript"]["name"].is_string(), "a client may run what its partner has: {made}");
}
