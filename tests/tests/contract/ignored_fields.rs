//! `X-Ignored-Fields` names what of a body meant nothing.

use muster_tests::{Client, Response, Server, both_backends, unique};
use serde_json::{Value, json};

both_backends![
    unknown_fields_are_named_by_their_paths,
    an_update_that_is_laid_over_what_is_stored_names_them_too,
    a_preview_reads_its_range_in_the_body,
    a_repeated_request_names_them_again,
    names_are_bounded_and_safe,
    an_alert_says_so_in_its_warnings,
    what_is_known_is_not_named,
    a_write_without_a_body_names_all_of_one,
    an_alert_inside_of_a_body_is_named_by_its_place,
];

#[track_caller]
fn ignored(answer: &Response) -> &str {
    assert_eq!(answer.status, 200, "{answer}");
    answer.header("X-Ignored-Fields").unwrap_or_default()
}

fn post(client: &Client, path: &str, body: &Value) -> String {
    ignored(&client.post(path, body)).to_owned()
}

fn unknown_fields_are_named_by_their_paths(server: &Server) {
    let client = server.new_client();
    let site = json!({"name": unique("site"), "city": "Graz", "state": "Styria", "zipCode": "8010", "phone": null});
    assert_eq!(post(&client, "/sites", &site), "state, zipCode");
    let resource = json!({"hostName": unique("host"), "colour": "red",
        "tags": [{"name": "a", "value": "b", "scope": 1}], "metaData": {"anything": {"goes": 1}},
        "bios": {"systemSerial": "1", "vendor": "x"}});
    assert_eq!(post(&client, "/resources", &resource), "colour, bios.vendor, tags[0].scope");
    // Of two names of one field, the second is not read.
    let twice = json!({"hostName": unique("host"), "os": "Debian", "osName": "Linux", "uid": "1", "serial": "2",
        "serialNumber": "3", "resourceType": "Linux", "deviceType": "Windows"});
    assert_eq!(post(&client, "/resources", &twice), "osName, serial, deviceType");
    let groups = json!([{"name": unique("one")}, {"name": unique("two"), "owner": 7}]);
    assert_eq!(post(&client, "/deviceGroups", &groups), "[1].owner");
    assert_eq!(post(&client, "/kb/category", &json!({"name": unique("kb"), "color": "blue"})), "color");
    let install = json!({"displayName": unique("hook"), "category": "CUSTOM", "inboundConfig": {"authentication": {}}});
    assert_eq!(post(&client, "/integrations/install/CUSTOM", &install), "category, inboundConfig");
    let window = json!({"name": unique("window"), "deviceGroups": [{"name": groups[0]["name"]}], "colour": 1,
        "schedule": {"type": "One-Time", "startTime": "2030-01-01T00:00:00Z", "endTime": "2030-01-02T00:00:00Z",
            "pattern": {"type": "daily"}}});
    assert_eq!(post(&client, "/scheduleMaintenances", &window), "colour, schedule.pattern");
    // Also where the request is refused afterwards.
    let taken = client.post("/sites", &json!({"name": site["name"], "nick": "x"}));
    assert_eq!((taken.status, taken.header("X-Ignored-Fields")), (409, Some("nick")));
}

fn an_update_that_is_laid_over_what_is_stored_names_them_too(server: &Server) {
    let client = server.new_client();
    let made = client.post("/integrations/install/CUSTOM", &json!({"displayName": unique("hook")})).ok();
    let path = format!("/integrations/installed/{}", made["id"].as_str().expect("an id"));
    assert_eq!(post(&client, &path, &json!({"description": "x", "colour": "red"})), "colour");
    // The body is the notifier, so its fields are named as they stand there.
    let at = format!("{path}/notifier");
    client.post(&at, &json!({"type": "FOO", "colour": "red"})).invalid(&["type", "baseURI"]);
    let notifier = json!({"type": "REST_API", "baseURI": "https://example.net/", "authType": "NONE", "colour": "red"});
    assert_eq!(post(&client, &at, &notifier), "colour");
    let unsaved = json!({"entity": "INCIDENT", "eventType": "CREATE", "eventPayload": "x", "colour": "red"});
    let test = json!({"event": unsaved, "object": {}, "shade": 1});
    let answer = client.post(&format!("{path}/event/test"), &test);
    let mut named: Vec<&str> = ignored(&answer).split(", ").collect();
    named.sort_unstable();
    assert_eq!(named, ["event.colour", "shade"]);
    let event = json!({"name": "e", "entity": "INCIDENT", "eventType": "CREATE", "eventPayload": "x", "colour": "red",
        "notifier": {"type": "REST_API", "baseURI": "https://example.net/", "authType": "NONE", "shade": 1},
        "filterCriteria": {"matchType": "ALL",
            "rules": [{"key": "Subject", "operator": "Contains", "value": "a", "hue": 1}]}});
    let created = client.post(&format!("{path}/event"), &event);
    assert_eq!(ignored(&created), "colour, filterCriteria.rules[0].hue, notifier.shade");
    let id = created.ok()["id"].clone();
    let at = format!("{path}/event/{}", id.as_str().expect("an id"));
    assert_eq!(post(&client, &at, &json!({"name": "f"})), "");
    assert_eq!(post(&client, &at, &json!({"name": "f", "shade": "dark"})), "shade");
    // What was stored and means nothing any more was not sent.
    let basic = json!({"notifier": {"authType": "BASIC", "userName": "u", "password": "p"}});
    assert_eq!(post(&client, &at, &basic), "");
    assert_eq!(post(&client, &at, &json!({"notifier": {"authType": "NONE", "tint": 1}})), "notifier.tint");
}

fn a_preview_reads_its_range_in_the_body(server: &Server) {
    let client = server.new_client();
    let shift = json!({"name": "Day", "users": [], "userGroups": [], "schedule": {"type": "one-time",
        "startDate": "2030-01-01T00:00:00Z", "endDate": "2030-01-02T00:00:00Z"}});
    let roster = json!({"name": "R", "description": "d", "timeZone": {"name": "GMT"}, "shiftDetails": [shift],
        "from": "2030-01-01T00:00:00Z", "to": "2030-01-02T00:00:00Z", "until": 1});
    assert_eq!(post(&client, "/rosters/preview", &roster), "until");
}

fn a_repeated_request_names_them_again(server: &Server) {
    let client = server.new_client();
    let key = unique("key");
    let body = json!({"name": unique("site"), "planet": "Mars"});
    let send = || client.request("POST", "/sites").header("Idempotency-Key", &key).json(&body).send();
    let first = send();
    let second = send();
    assert_eq!(second.header("Idempotency-Replayed"), Some("true"));
    assert_eq!((ignored(&first), ignored(&second)), ("planet", "planet"));
}

fn names_are_bounded_and_safe(server: &Server) {
    let client = server.new_client();
    let mut body = json!({"name": unique("site"), "a\r\nSet-Cookie: x=1, y": 1, "gr\u{fc}n": 1});
    assert_eq!(post(&client, "/sites", &body), "a??Set-Cookie:?x?1??y, gr?n");
    body["name"] = json!(unique("site"));
    for number in 0..5_000 {
        body[format!("{number:0>4}{}", "x".repeat(300))] = json!(number);
    }
    let named = post(&client, "/sites", &body);
    let names: Vec<&str> = named.split(", ").collect();
    assert_eq!((names.len(), names[20]), (21, "..."), "{named}");
    assert!(names.iter().all(|name| name.len() <= 64), "{named}");
}

fn an_alert_says_so_in_its_warnings(server: &Server) {
    let client = server.new_client();
    let alert = |more: &str| json!({"currentState": "Critical", "subject": unique("alert"), more: {"x": 1}});
    let alone = client.post("/alert", &alert("flavour"));
    assert_eq!(ignored(&alone), "flavour");
    let warnings = |result: &Value| result["warnings"].to_string();
    assert!(warnings(&alone.ok()).contains("ignored: flavour"), "{alone}");
    let many = client.post("/alerts", &json!([alert("taste"), alert("description")]));
    let results = client.post("/alerts", &json!([alert("taste"), {"currentState": "Ok", "subject": "s"}])).list();
    assert_eq!(many.list()[1]["result"], "invalid", "{many}");
    assert!(
        warnings(&results[0]).contains("ignored: taste") && !warnings(&results[1]).contains("taste"),
        "{results:?}"
    );
}

fn what_is_known_is_not_named(server: &Server) {
    let client = server.new_client();
    let name = unique("group");
    let nested = json!({"name": name, "description": "d", "filterCriteria": {"matchType": "ANY", "rules": [
        {"resourceType": "DEVICE", "key": "hostName", "operator": "Contains", "value": "x"}]}});
    assert_eq!(post(&client, "/deviceGroups", &nested), "");
    let resource = json!({"hostName": unique("host"), "resourceType": "Linux", "os": "Debian", "dns": "x.example.net",
        "properties": {"provider": "AWS", "instanceId": unique("i")}, "appRoles": [{"name": "nginx"}],
        "networkCardDetails": [{"networkName": "eth0", "macAddress": ""}], "agentInstalled": "true"});
    assert_eq!(post(&client, "/resources", &resource), "");
    let read = client.get("/resourceType/minimal");
    assert_eq!(read.header("X-Ignored-Fields"), None);
}

fn a_write_without_a_body_names_all_of_one(server: &Server) {
    let client = server.new_client();
    let name = unique("site");
    let site = client.post("/sites", &json!({"name": name})).ok()["id"].clone();
    let path = format!("/sites/{site}");
    let key = unique("key");
    let script = client.post("/jobs/scripts", &json!({"name": unique("script"), "interpreter": "sh", "content": "id"}));
    let script = format!("/jobs/scripts/{}", script.ok()["id"]);
    let user = client.post("/users", &json!({"loginName": unique("u"), "role": "viewer"}));
    let user = format!("/users/{}", user.ok()["id"].as_str().expect("an id"));
    let deactivate = |reason: &str| {
        let request = client.request("POST", &format!("{user}/deactivate")).header("Idempotency-Key", &key);
        request.json(&json!({"reason": reason, "note": null})).send()
    };
    assert_eq!(ignored(&deactivate("left")), "reason");
    assert_eq!(ignored(&deactivate("left")), "reason");
    // The body counts for the key as it does where it is read.
    assert_eq!(deactivate("ill").status, 422);
    // What is no JSON object means nothing, as it always did.
    for body in ["garbage", "{", "[{\"a\": 1}]", "null", "7"] {
        let answer = client.request("POST", &format!("{user}/activate")).body("application/json", body).send();
        assert_eq!(ignored(&answer), "", "{body}");
    }
    let as_text = client.request("POST", &format!("{user}/activate")).body("text/plain", "{\"a\": 1}").send();
    assert_eq!(ignored(&as_text), "");
    assert_eq!(ignored(&client.delete_with(&script, &json!({"reason": "old", "of": {"any": 1}}))), "reason, of");
    let category = client.post("/kb/category", &json!({"name": unique("kb")})).ok()["id"].to_string();
    let by_alias = format!("/kb/category/delete/{}", category.trim_matches('"'));
    assert_eq!(ignored(&client.delete_with(&by_alias, &json!({"colour": 1}))), "colour");
    // Also where it is refused.
    let refused = client.request("DELETE", &path).header("If-Match", "\"99\"").json(&json!({"colour": 1})).send();
    assert_eq!((refused.status, refused.header("X-Ignored-Fields")), (412, Some("colour")));
    let large = client.request("DELETE", &path).body("application/json", " ".repeat((8 << 20) + 1)).send();
    assert_eq!(large.status, 413);
}

fn an_alert_inside_of_a_body_is_named_by_its_place(server: &Server) {
    let client = server.new_client();
    let host = unique("host");
    let id = super::device(&client, &host);
    let device = json!({"hostName": host, "zz": 1});
    let alert = json!({"device": device, "subject": "x", "currentState": "Critical", "colour": 1});
    let mut tried = alert.clone();
    assert_eq!(post(&client, "/scheduleMaintenances/match", &tried), "colour, device.zz");
    let schedule = json!({"type": "One-Time", "startTime": "2030-01-01T00:00:00Z", "endTime": "2030-01-02T00:00:00Z"});
    tried["windows"] = json!([{"name": "w", "devices": [{"uniqueId": id}], "schedule": schedule, "hue": 1}]);
    assert_eq!(post(&client, "/scheduleMaintenances/match", &tried), "windows[0].hue, colour, device.zz");
    let explained = json!({"alert": alert, "shade": 1});
    assert_eq!(post(&client, "/paging/explain", &explained), "shade, alert.colour, alert.device.zz");
    let reports = json!([{"subject": "y", "currentState": "Ok"}, alert]);
    assert_eq!(post(&client, "/alerts", &reports), "[1].colour, [1].device.zz");
}
