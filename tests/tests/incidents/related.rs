//! `GET /incidents/{incidentId}/related`: the windows, articles and jobs that help with an incident.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{category, text};

both_backends![an_incident_of_an_alert_has_what_helps, records_of_other_tenants_are_not_related];

/// A machine, in an open window, that a job runs on; its host name.
fn machine(client: &Client) -> String {
    let host = unique("db");
    let id = text(&client.post("/resources", &json!({"name": host, "hostName": host})).ok()["resourceUUID"]);
    let schedule = json!({"type": "One-Time", "startTime": "2026-01-01T00:00:00+0000",
        "endTime": "2099-01-01T00:00:00+0000", "timezone": "GMT"});
    // Its alerts are none of its business.
    let conditions =
        json!({"matchingType": "ALL", "rules": [{"key": "metric", "operator": "Equals", "value": "none"}]});
    let window = json!({"name": "Patches", "description": "x", "devices": [{"hostName": host}], "schedule": schedule,
        "alertConditions": conditions});
    client.post("/scheduleMaintenances", &window).ok();
    let job = json!({"name": "Clean up", "script": {"jobType": "antivirus"}, "resources": [{"id": id}],
        "schedule": {"startDate": "2099-01-01T00:00:00Z", "pattern": {"type": "daily"}}});
    client.post("/jobs", &job).ok();
    host
}

fn article(client: &Client, title: &str, content: &str, state: &str) -> String {
    let shelf = client.post("/kb/category", &json!({"name": unique("shelf")})).ok()["id"].clone();
    let body = json!({"title": title, "content": content, "category": {"id": shelf}, "state": state});
    text(&client.post("/kb/article", &body).ok()["id"])
}

/// An incident for a new alert of a machine.
fn incident(client: &Client, host: &str, mut body: Value) -> String {
    let report = json!({"currentState": "Critical", "subject": "Disk is full", "metric": "disk.usage",
        "component": "/var", "app": unique("app"), "tags": [{"name": "team", "value": "Storage"}],
        "device": {"hostName": host}});
    body["alerts"] = json!([{"id": client.post("/alert", &report).ok()["id"]}]);
    text(&client.post("/incidents", &body).ok()["id"])
}

fn titles(related: &Value) -> Vec<String> {
    related["articles"].as_array().into_iter().flatten().map(|one| text(&one["title"])).collect()
}

fn an_incident_of_an_alert_has_what_helps(server: &Server) {
    let client = server.new_client();
    let host = machine(&client);
    article(&client, "When a disk is full", "Look at disk.usage first.", "ACTIVE");
    article(&client, "Storage", "Who they are.", "ACTIVE");
    article(&client, "Old: disk.usage", "As it was.", "INACTIVE");
    article(&client, "Databases", "All of them.", "ACTIVE");
    article(&client, "Printers", "None of it.", "ACTIVE");
    let databases = category(&client, "Databases", None);
    let id = incident(&client, &host, json!({"category": {"uniqueId": databases}}));
    let related = client.get(&format!("/incidents/{id}/related")).ok();
    let window = &related["windows"][0];
    assert_eq!((&window["name"], &window["resource"]["hostName"]), (&json!("Patches"), &json!(host)));
    assert_eq!(
        (&window["start"], &window["end"]),
        (&json!("2026-01-01T00:00:00+0000"), &json!("2099-01-01T00:00:00+0000"))
    );
    assert_eq!(titles(&related), ["Databases", "When a disk is full", "Storage"], "the category first, then the alert");
    assert_eq!(related["jobs"].as_array().map(Vec::len), Some(1), "{related}");
    assert_eq!(
        (&related["jobs"][0]["name"], &related["jobs"][0]["jobType"]),
        (&json!("Clean up"), &json!("antivirus"))
    );
    // One about nothing has nothing.
    let id = text(&client.post("/incidents", &json!({"subject": "Mail"})).ok()["id"]);
    let nothing = client.get(&format!("/incidents/{id}/related")).ok();
    assert_eq!(nothing, json!({"windows": [], "articles": [], "jobs": []}));
}

fn records_of_other_tenants_are_not_related(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    for one in [&client, &other] {
        article(one, &format!("disk.usage at {}", one.tenant_id()), "x", "ACTIVE");
    }
    let mine = machine(&client);
    let theirs = machine(&other);
    let id = incident(&client, &mine, json!({}));
    incident(&other, &theirs, json!({}));
    for caller in [client.clone(), server.admin()] {
        let related = caller.get(&format!("/incidents/{id}/related")).ok();
        assert_eq!(titles(&related), [format!("disk.usage at {}", client.tenant_id())]);
        assert_eq!(
            (related["jobs"].as_array().map(Vec::len), related["windows"].as_array().map(Vec::len)),
            (Some(1), Some(1))
        );
    }
    other.get(&format!("/incidents/{id}/related")).not_found();
}
