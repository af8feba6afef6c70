//! Windows made, read, changed and deleted.

use muster_tests::{Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::{always, create, group, resource, text, window};

both_backends![
    a_window_is_written_back_as_it_was_read,
    one_mistake_is_told_once,
    a_window_reads_back_as_it_was_made,
    everything_wrong_is_listed,
    a_rule_with_a_key_that_no_alert_has_is_refused,
    what_is_wrong_in_form_and_what_is_unknown_are_told_together,
    targets_must_exist_for_the_tenant_and_be_few,
    one_invalid_field_changes_nothing,
    targets_come_and_go,
    two_who_edit_are_told,
    a_search_finds_by_name_state_resource_and_time,
    a_deleted_window_is_unknown,
    the_author_is_shown_as_everywhere,
];

fn a_window_reads_back_as_it_was_made(server: &Server) {
    let client = server.new_client();
    let (id, host) = resource(&client);
    let (number, name) = group(&client, &[]);
    let site = client.post("/sites", &json!({"name": unique("site")})).ok();
    let body = json!({
        "name": " Patches ", "description": "Tuesday",
        "devices": [{"hostName": host.to_uppercase()}, {"uniqueId": id}],
        "deviceGroups": [{"name": name}, {"id": number.to_string()}], "locations": [{"id": site["id"]}],
        "schedule": {"type": "one-time", "startTime": "2031-11-20T22:00:00Z", "endTime": "2031-11-21T00:30:00+0100"},
        "runRBA": "true", "installPatch": true, "runEscalateAction": "False",
        "alertConditions": {"matchingType": "any", "rules": [
            {"key": "subject", "operator": "startsWith", "value": "Disk"},
            {"key": "metric", "operator": "NOTEQUALS", "value": "cpu"},
        ]},
    });
    let path = create(&client, &body);
    let answer = client.get(&path);
    assert_eq!(answer.header("ETag"), Some("\"1\""));
    let window = answer.ok();
    let expected = json!({
        "name": "Patches", "description": "Tuesday", "state": "Pending", "clientUniqueId": client.tenant_id(),
        "devices": [{"uniqueId": id, "hostName": host}], "locations": [{"id": site["id"], "name": site["name"]}],
        "schedule": {"type": "One-Time", "startTime": "2031-11-20T22:00:00+0000",
            "endTime": "2031-11-20T23:30:00+0000"},
        "next": {"start": "2031-11-20T22:00:00+0000", "end": "2031-11-20T23:30:00+0000"},
        "runRBA": true, "installPatch": true, "runEscalationAction": false,
        "alertConditions": {"matchingType": "ANY", "rules": [
            {"key": "subject", "operator": "Startswith", "value": "Disk"},
            {"key": "metric", "operator": "NotEquals", "value": "cpu"},
        ]},
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&window[field], value, "{field}");
    }
    assert_eq!(window["deviceGroups"][0]["name"], json!(name));
    assert_eq!(window["deviceGroups"].as_array().map(Vec::len), Some(1), "named twice, it is one");
    let shorter = client.get(&create(&client, &super::window(&id, always()))).ok();
    assert_eq!((&shorter["runEscalationAction"], &shorter["runRBA"]), (&json!(true), &json!(false)));
    assert_eq!((&shorter["alertConditions"], &shorter["suspensions"]), (&Value::Null, &Value::Null));
}

fn a_rule_with_a_key_that_no_alert_has_is_refused(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let with = |key: &str| {
        let mut body = window(&id, always());
        body["alertConditions"] = json!({"rules": [{"key": key, "operator": "Contains", "value": "disk"}]});
        body
    };
    for key in ["subjct", "device.hostnme", "tag", "resource.name"] {
        let problem = client.post("/scheduleMaintenances", &with(key)).invalid(&["alertConditions.rules[0].key"]);
        let message = problem["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("must be one of: id, ") && message.contains("device.hostName"), "{message}");
    }
    for key in ["SUBJECT", "device.hostName", "tags.kubernetes.io/name", "maintenance.name", "sender"] {
        let mut body = with(key);
        body["name"] = json!(unique("window"));
        client.post("/scheduleMaintenances", &body).ok();
    }
}

fn everything_wrong_is_listed(server: &Server) {
    let client = server.new_client();
    let wrong = |body: Value, fields: &[&str]| {
        client.post("/scheduleMaintenances", &body).invalid(fields);
    };
    wrong(json!({}), &["name", "schedule", "devices"]);
    let rules =
        json!([{"key": "subject", "operator": "Regex", "value": "a(b"}, {"key": "x", "operator": "Is", "value": "y"}]);
    let body = json!({"name": "n", "devices": [{"colour": "red"}, 7], "locations": [{"name": ""}],
        "schedule": {"type": "Recurring", "startTime": "today", "endTime": "2026-01-01T00:00:00Z",
            "timezone": "Europe/Londn", "pattern": {"type": "hourly"}},
        "runRBA": "perhaps", "runEscalationAction": true, "runEscalateAction": false,
        "alertConditions": {"matchingType": "NONE", "rules": rules}});
    let problem = client.post("/scheduleMaintenances", &body).problem(400, "0002");
    let errors = problem["errors"].as_array().unwrap();
    let of = |field: &str| errors.iter().find(|error| error["fieldName"] == field).unwrap_or_else(|| panic!("{field}"));
    for field in [
        "schedule.startTime",
        "schedule.timezone",
        "schedule.pattern.type",
        "runRBA",
        "runEscalateAction",
        "alertConditions.matchingType",
        "alertConditions.rules[1].operator",
        "devices[0].hostName",
        "devices[1]",
        "locations[0].name",
    ] {
        of(field);
    }
    let message = text(&of("alertConditions.rules[0].value")["message"]);
    assert!(message.ends_with("at character 2"), "{message}");
    assert!(text(&of("schedule.timezone")["message"]).contains("Europe/London"));
}

fn what_is_wrong_in_form_and_what_is_unknown_are_told_together(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let body = json!({
        "name": " ", "runRBA": "maybe",
        "devices": [{"uniqueId": id}, {"hostName": "nowhere"}, {}, 7], "locations": [{"id": 987_654_321}],
        "schedule": {
            "type": "Recurring", "startTime": "2026-11-20T22:00:00Z", "endTime": "2026-11-20T23:00:00Z",
            "timezone": "GMT", "pattern": {"type": "weekly", "weekDays": "Monday", "repeatFrequency": 1}
        },
    });
    let expected =
        ["name", "runRBA", "devices[2].hostName", "devices[3]", "schedule", "devices[1].hostName", "locations[0].id"];
    let told = client.post("/scheduleMaintenances", &body).invalid(&expected);
    assert_eq!(told["errors"].as_array().map(Vec::len), Some(expected.len()), "each is told once: {told}");
    let previewed: Vec<&str> = expected.into_iter().chain(["to"]).collect();
    client.post("/scheduleMaintenances/preview?from=2026-11-20T00:00:00Z", &body).invalid(&previewed);
    assert_eq!(client.get("/scheduleMaintenances/search").page()["totalResults"], json!(0), "nothing is stored");

    let path = create(&client, &window(&id, always()));
    let before = client.get(&path).ok();
    let change = json!({"name": "", "installPatch": 7, "deviceGroups": [{"name": "nowhere"}]});
    client.post(&path, &change).invalid(&["name", "installPatch", "deviceGroups[0].name"]);
    let targets = json!({"devices": [{"hostName": "nowhere"}, {}]});
    let both = ["devices[0].hostName", "devices[1].hostName"];
    client.post(&format!("{path}/resources"), &targets).invalid(&both);
    client.delete_with(&format!("{path}/resources"), &targets).invalid(&both);
    assert_eq!(client.get(&path).ok(), before, "nothing changes");
}

fn targets_must_exist_for_the_tenant_and_be_few(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let (mine, host) = resource(&client);
    let (foreign, foreign_host) = resource(&other);
    let (foreign_group, foreign_name) = group(&other, &[]);
    let try_with = |field: &str, targets: Value| {
        let mut body = window(&mine, always());
        body[field] = targets;
        client.post("/scheduleMaintenances", &body)
    };
    try_with("devices", json!([{"hostName": host}, {"uniqueId": foreign}])).invalid(&["devices[1].uniqueId"]);
    try_with("devices", json!([{"hostName": foreign_host}, {"uniqueId": uuid()}]))
        .invalid(&["devices[0].hostName", "devices[1].uniqueId"]);
    try_with("deviceGroups", json!([{"id": foreign_group}, {"name": foreign_name}]))
        .invalid(&["deviceGroups[0].id", "deviceGroups[1].name"]);
    try_with("locations", json!([{"name": "nowhere"}])).invalid(&["locations[0].name"]);
    try_with("devices", json!([])).invalid(&["devices"]);
    let many: Vec<Value> = (0..100).map(|_| json!({"hostName": host})).collect();
    try_with("devices", json!(many)).ok();
    let mut body = window(&mine, always());
    body["devices"] = json!(many);
    body["locations"] = json!([{"id": 1}]);
    client.post("/scheduleMaintenances", &body).invalid(&["devices"]);
    let many: Vec<Value> = (0..101).map(|_| json!({"hostName": "nowhere"})).collect();
    let path = create(&client, &window(&mine, always()));
    client.post(&path, &json!({"devices": many})).invalid(&["devices"]);
    client.delete(&path).ok();
    // Two of one name name nobody.
    client.post("/resources", &json!({"hostName": host})).ok();
    try_with("devices", json!([{"hostName": host}])).invalid(&["devices[0].hostName"]);
    assert_eq!(client.get("/scheduleMaintenances/search").ok()["totalResults"], 1, "what is refused stores nothing");
}

fn one_invalid_field_changes_nothing(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let before = client.get(&path).ok();
    let change = json!({"name": "other", "description": "other", "installPatch": true, "runRBA": 7});
    client.post(&path, &change).invalid(&["runRBA"]);
    let change = json!({"name": "other", "devices": [{"uniqueId": uuid()}]});
    client.post(&path, &change).invalid(&["devices[0].uniqueId"]);
    client.post(&path, &json!({"name": "other", "endBy": "NEVER"})).invalid(&["schedule"]);
    client.post(&path, &json!({"devices": []})).invalid(&["devices"]);
    assert_eq!(client.get(&path).ok(), before);

    let change = json!({"description": "other",
        "alertConditions": {"rules": [{"key": "subject", "operator": "Contains", "value": "b"}]}});
    let after = client.post(&path, &change).ok();
    assert_eq!((&after["description"], &after["name"]), (&json!("other"), &before["name"]));
    assert_eq!(after["alertConditions"]["matchingType"], "ALL");
    let after = client.post(&path, &json!({"alertConditions": {"rules": []}})).ok();
    assert_eq!(after["alertConditions"], Value::Null);
    let once = json!({"type": "One-Time", "startTime": "2031-01-01T00:00:00Z", "endTime": "2031-01-02T00:00:00Z"});
    let after = client.post(&path, &json!({"schedule": once})).ok();
    assert_eq!((&after["state"], &after["schedule"]["type"]), (&json!("Pending"), &json!("One-Time")));
    assert_eq!(after["devices"], before["devices"]);
}

fn targets_come_and_go(server: &Server) {
    let client = server.new_client();
    let (one, _) = resource(&client);
    let (two, two_host) = resource(&client);
    let (number, _) = group(&client, &[]);
    let path = create(&client, &window(&one, always()));
    let targets = format!("{path}/resources");
    let more = json!({"devices": [{"hostName": two_host}, {"uniqueId": one}], "deviceGroups": [{"id": number}]});
    let window = client.post(&targets, &more).ok();
    let devices: Vec<&Value> = window["devices"].as_array().unwrap().iter().map(|device| &device["uniqueId"]).collect();
    assert_eq!(devices, [&json!(one), &json!(two)]);
    assert_eq!(window["deviceGroups"][0]["id"], json!(number));
    client.post(&targets, &json!({"devices": [{"uniqueId": uuid()}]})).invalid(&["devices[0].uniqueId"]);
    client.post(&targets, &json!({})).invalid(&["devices"]);

    // What is gone is shown by its id, and can be removed by it.
    client.delete(&format!("/resources/{two}")).ok();
    let window = client.get(&path).ok();
    assert_eq!(window["devices"][1], json!({"uniqueId": two}));
    let fewer = json!({"devices": [{"uniqueId": two}], "deviceGroups": [{"id": number}]});
    let window = client.delete_with(&targets, &fewer).ok();
    assert_eq!((window["devices"].as_array().map(Vec::len), &window["deviceGroups"]), (Some(1), &json!([])));
    client.delete_with(&targets, &json!({"devices": [{"uniqueId": one}]})).invalid(&["devices"]);
    assert_eq!(client.get(&path).ok()["devices"][0]["uniqueId"], json!(one));
}

fn two_who_edit_are_told(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let edit = |tag: &str, sub: &str, body: &Value| {
        client.request("POST", &format!("{path}{sub}")).header("If-Match", tag).json(body).send()
    };
    let first = edit("\"1\"", "", &json!({"description": "mine"}));
    assert_eq!((first.status, first.header("ETag")), (200, Some("\"2\"")));
    assert_eq!(edit("\"1\"", "", &json!({"description": "yours"})).status, 412);
    assert_eq!(edit("\"1\"", "/suspend", &json!({"pattern": "now"})).status, 412);
    assert_eq!(edit("\"2\"", "/suspend", &json!({"pattern": "now"})).status, 200);
    let deleted = client.request("DELETE", &path).header("If-Match", "\"2\"").send();
    assert_eq!(deleted.status, 412);
    let window = client.get(&path).ok();
    assert_eq!((&window["description"], &window["state"]), (&json!("mine"), &json!("Suspended")));
}

fn a_search_finds_by_name_state_resource_and_time(server: &Server) {
    let client = server.new_client();
    let (one, _) = resource(&client);
    let (two, _) = resource(&client);
    let (number, _) = group(&client, &[&two]);
    let named = |name: &str, body: Value| {
        let mut body = body;
        body["name"] = json!(name);
        create(&client, &body)
    };
    let once = |start: &str, end: &str| json!({"type": "One-Time", "startTime": start, "endTime": end});
    named("alpha", window(&one, always()));
    named("beta", window(&one, once("2031-01-01T00:00:00Z", "2031-01-02T00:00:00Z")));
    named("gamma", window(&one, once("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")));
    let mut grouped = window(&one, always());
    grouped.as_object_mut().unwrap().remove("devices");
    grouped["deviceGroups"] = json!([{"id": number}]);
    let path = named("delta", grouped);
    client.post(&format!("{path}/suspend"), &json!({"pattern": "now"})).ok();
    let found = |query: &str| {
        let page = client.get(&format!("/scheduleMaintenances/search?{query}")).page();
        let names: Vec<String> = page["results"].as_array().unwrap().iter().map(|one| text(&one["name"])).collect();
        names.join(" ")
    };
    assert_eq!(found(""), "alpha beta delta gamma");
    assert_eq!(found("isDescendingOrder=true&name=L"), "delta alpha");
    assert!(found("isDescendingOrder=true&sortName=startTime").starts_with("beta "));
    assert_eq!(found("state=pending"), "beta");
    assert_eq!(found("state=Completed"), "gamma");
    assert_eq!(found("state=Suspended"), "delta");
    assert_eq!(found("queryString=state:Active,Suspended"), "alpha delta");
    assert_eq!(found(&format!("resourceId={one}")), "alpha beta gamma");
    assert_eq!(found(&format!("resourceId={two}")), "delta");
    assert_eq!(found(&format!("resourceId={}", uuid())), "");
    assert_eq!(found("startTime=2031-01-01T12:00:00Z&endTime=2031-01-01T13:00:00Z"), "alpha beta");
    assert_eq!(found("endTime=2026-01-01T06:00:00Z&queryString=name:gam%2BisEquals:false"), "gamma");
    client.get("/scheduleMaintenances/search?state=Open").invalid(&["state"]);
    client.get("/scheduleMaintenances/search?queryString=state:Open").invalid(&["queryString"]);
    client.get("/scheduleMaintenances/search?colour=red").invalid(&["colour"]);

    // Pages, by number and by cursor, also of what has to be worked out.
    for filter in ["", "&startTime=2025-01-01T00:00:00Z"] {
        let mut names = Vec::new();
        let mut next = "pageNo=1".to_owned();
        loop {
            let page = client.get(&format!("/scheduleMaintenances/search?pageSize=2&{next}{filter}")).page();
            names.extend(page["results"].as_array().unwrap().iter().map(|one| text(&one["name"])));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            next = format!("cursor={cursor}");
        }
        assert_eq!(names, ["alpha", "beta", "delta", "gamma"], "{filter}");
        let second = found(&format!("pageSize=3&pageNo=2{filter}"));
        assert_eq!(second, "gamma", "{filter}");
    }
}

fn a_deleted_window_is_unknown(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    other.get(&path).not_found();
    other.delete(&path).not_found();
    assert_eq!(client.delete(&path).ok(), json!({}));
    client.get(&path).not_found();
    client.get(&format!("{path}/occurrences?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z")).not_found();
    client.post_empty(&format!("{path}/end")).not_found();
}

fn a_window_is_written_back_as_it_was_read(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let (kept, _) = resource(&client);
    let mut body = window(&id, always());
    body["devices"] = json!([{"uniqueId": id}, {"uniqueId": kept}]);
    let path = create(&client, &body);
    client.post(&format!("/resources/{id}/decommission"), &json!({"reason": "replaced"})).ok();
    let read = client.get(&path).ok();
    let written = client.post(&path, &json!({"devices": read["devices"], "description": "other"})).ok();
    assert_eq!(written["devices"], read["devices"]);
    client.post(&path, &json!({"devices": [{"uniqueId": uuid()}]})).invalid(&["devices[0].uniqueId"]);
}

fn one_mistake_is_told_once(server: &Server) {
    let client = server.new_client();
    let mut body = window("x", always());
    body["devices"] = json!(["web-01"]);
    client.post("/scheduleMaintenances", &body).invalid(&["devices[0]"]);
    body["devices"] = json!("web-01");
    client.post("/scheduleMaintenances", &body).invalid(&["devices"]);
    body["devices"] = json!([]);
    client.post("/scheduleMaintenances", &body).invalid(&["devices"]);
    body["name"] = json!("");
    client
        .post("/scheduleMaintenances/preview?from=x&to=2031-01-01T00:00:00Z", &body)
        .invalid(&["from", "name", "devices"]);
}

fn the_author_is_shown_as_everywhere(server: &Server) {
    let client = server.new_client();
    let author = client.post("/incidents", &json!({"subject": "x"})).ok()["createdBy"].clone();
    assert!(author["loginName"].is_string(), "{author}");
    let path = create(&client, &window(&resource(&client).0, always()));
    let address = client.post_empty(&format!("{path}/calendars")).ok();
    for shown in [
        client.get(&path).ok(),
        client.get("/scheduleMaintenances/search").page()["results"][0].clone(),
        client.post(&path, &json!({"description": "other"})).ok(),
        client.get(&format!("{path}/calendars")).ok()[0].clone(),
        address,
    ] {
        assert_eq!(shown["createdBy"], author, "{shown}");
    }
}
