//! Maintenance windows: their field names, search variables and content.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{column, found, text};

both_backends![
    fields_have_both_names,
    windows_are_found_by_their_coverage,
    windows_are_found_by_their_states_and_dates,
    a_name_of_several_things_is_refused,
    the_targets_of_a_window_are_listed,
];

const SEARCH: &str = "/scheduleMaintenances/search";

fn schedule(start: &str, end: &str) -> Value {
    json!({"type": "One-Time", "startTime": start, "endTime": end})
}

/// A window in the year 2031; gives its id.
#[track_caller]
fn window(client: &Client, name: &str, targets: Value) -> String {
    let mut body = json!({"name": name, "schedule": schedule("2031-05-05T22:00:00Z", "2031-05-06T02:00:00Z")});
    for (kind, list) in targets.as_object().unwrap() {
        body[kind] = list.clone();
    }
    text(&client.post("/scheduleMaintenances", &body).ok()["uniqueId"])
}

#[track_caller]
fn resource(client: &Client, host: &str) -> String {
    text(&client.post("/resources", &json!({"hostName": host})).ok()["resourceUUID"])
}

fn fields_have_both_names(server: &Server) {
    let client = server.new_client();
    let machine = resource(&client, "web-01");
    let id = window(&client, "Patches", json!({"devices": [{"uniqueId": machine}]}));
    let at = format!("/scheduleMaintenances/{id}");
    for shown in [client.get(&at).ok(), client.get(SEARCH).page()["results"][0].clone()] {
        for (one, other) in [("state", "status"), ("createdDate", "createdTime"), ("updatedDate", "updatedTime")] {
            assert!(shown[one].is_string(), "{one}: {shown}");
            assert_eq!(shown[one], shown[other], "{one} and {other}: {shown}");
        }
    }
    let suspended = client.post(&format!("{at}/suspend"), &json!({"pattern": "now"})).ok();
    assert_eq!((&suspended["state"], &suspended["status"]), (&json!("Suspended"), &json!("Suspended")));
}

fn windows_are_found_by_their_coverage(server: &Server) {
    let client = server.new_client();
    let web = resource(&client, "web-01");
    let mail = resource(&client, "mail-01");
    let group = client.post("/deviceGroups", &json!({"name": "Web servers"})).ok();
    client.post(&format!("/deviceGroups/{}/childs", group["id"]), &json!([{"id": web}])).ok();
    let site = client.post("/sites", &json!({"name": "Pune"})).ok()["id"].clone();
    client.post(&format!("/sites/{site}/members"), &json!([{"id": mail}])).ok();
    window(&client, "by group", json!({"deviceGroups": [{"id": group["id"]}]}));
    window(&client, "by host", json!({"devices": [{"hostName": "mail-01"}]}));
    window(&client, "by site", json!({"locations": [{"id": site}]}));
    let group_id = text(&group["uniqueId"]);
    for (query, expected) in [
        ("hostName:WEB-01".to_owned(), vec!["by group"]),
        ("deviceName:mail-01".to_owned(), vec!["by host", "by site"]),
        ("hostName:web-01,mail-01".to_owned(), vec!["by group", "by host", "by site"]),
        ("hostName:web".to_owned(), vec![]),
        (format!("deviceUniqueId:{mail}"), vec!["by host", "by site"]),
        (format!("deviceGroupId:{}", group["id"]), vec!["by group"]),
        (format!("deviceGroupId:{}", group_id.to_lowercase()), vec!["by group"]),
        ("deviceGroupName:web servers".to_owned(), vec!["by group"]),
        ("deviceGroup:Web servers,Others".to_owned(), vec!["by group"]),
        ("deviceGroupName:web".to_owned(), vec![]),
        (format!("siteId:{site}"), vec!["by site"]),
        ("siteName:pune".to_owned(), vec!["by site"]),
        ("site:Pune+deviceName:mail-01".to_owned(), vec!["by site"]),
        ("site:Pune+deviceName:web-01".to_owned(), vec![]),
        ("site:Pune+deviceGroup:Web servers".to_owned(), vec![]),
        ("siteId:987654321".to_owned(), vec![]),
    ] {
        assert_eq!(found(&client, SEARCH, &query), expected, "{query}");
    }
    // Records of another tenant are not there.
    let other = server.new_client();
    for query in ["hostName:web-01", "site:Pune", &format!("deviceGroupId:{group_id}")] {
        assert!(found(&other, SEARCH, query).is_empty(), "{query}");
    }
}

fn windows_are_found_by_their_states_and_dates(server: &Server) {
    let client = server.new_client();
    let machine = resource(&client, "web-01");
    let id = window(&client, "later", json!({"devices": [{"uniqueId": machine}]}));
    let held = window(&client, "held", json!({"devices": [{"uniqueId": machine}]}));
    client.post(&format!("/scheduleMaintenances/{held}/suspend"), &json!({"pattern": "now"})).ok();
    let shown = client.get(&format!("/scheduleMaintenances/{id}")).ok();
    let created = text(&shown["createdTime"]);
    let updated = text(&shown["updatedTime"]);
    for (query, expected) in [
        ("status:pending".to_owned(), vec!["later"]),
        ("status:Suspended,Completed".to_owned(), vec!["held"]),
        (format!("uniqueId:{id}"), vec!["later"]),
        (
            "startDate:2031-05-06T00:00:00+0000+endDate:2031-05-07T00:00:00+0000+status:Pending".to_owned(),
            vec!["later"],
        ),
        ("startDate:2031-06-01T00:00:00+0000".to_owned(), vec![]),
        (format!("startCreationDate:{created}+endCreationDate:{created}+uniqueId:{id}"), vec!["later"]),
        (format!("startUpdationDate:{updated}+endUpdationDate:{updated}+uniqueId:{id}"), vec!["later"]),
        ("endCreationDate:2020-01-01T00:00:00+0000".to_owned(), vec![]),
        ("startUpdationDate:2090-01-01T00:00:00+0000".to_owned(), vec![]),
    ] {
        assert_eq!(found(&client, SEARCH, &query), expected, "{query}");
    }
    assert_eq!(column(&client.get(&format!("{SEARCH}?status=Suspended")).page(), "name"), ["held"]);
    for query in ["status:asleep", "status:Active+state:Active", "startCreationDate:yesterday", "owner:me"] {
        client.search(SEARCH, query).invalid(&["queryString"]);
    }
}

fn a_name_of_several_things_is_refused(server: &Server) {
    let client = server.new_client();
    let host = unique("twin");
    let first = resource(&client, &host);
    resource(&client, &host);
    window(&client, "one of two", json!({"devices": [{"uniqueId": first}]}));
    // Only some of what has the name would be looked at.
    let refused = client.search(SEARCH, &format!("hostName:{host}")).invalid(&["queryString"]);
    assert!(text(&refused["detail"]).contains("names more than one"), "{refused}");
    assert_eq!(found(&client, SEARCH, &format!("resourceId:{first}")), ["one of two"]);
}

fn the_targets_of_a_window_are_listed(server: &Server) {
    let client = server.new_client();
    let machines: Vec<String> = (0..3).map(|number| resource(&client, &format!("web-{number}"))).collect();
    let group = client.post("/deviceGroups", &json!({"name": "Web servers"})).ok();
    let site = client.post("/sites", &json!({"name": "Pune"})).ok()["id"].clone();
    let devices: Vec<Value> = machines.iter().map(|id| json!({"uniqueId": id})).collect();
    let targets = json!({"devices": devices, "deviceGroups": [{"id": group["id"]}], "locations": [{"id": site}]});
    let id = window(&client, "all", targets);
    let at = format!("/scheduleMaintenances/{id}/resources");
    let listed = client.get(&format!("{at}/resources")).page();
    let mut ids = machines.clone();
    ids.sort();
    assert_eq!(column(&listed, "id"), ids);
    let one = &listed["results"][0];
    assert_eq!((&one["uniqueId"], &one["resourceType"]), (&one["id"], &json!("Other")), "{one}");
    assert!(text(&one["hostName"]).starts_with("web-"), "{one}");
    let groups = client.get(&format!("{at}/deviceGroups")).page();
    assert_eq!(groups["results"], json!([{"id": group["id"], "uniqueId": group["uniqueId"], "name": "Web servers"}]));
    assert_eq!(client.get(&format!("{at}/sites")).page()["results"], json!([{"id": site, "name": "Pune"}]));
    let first = client.get(&format!("{at}/resources?pageSize=2")).page();
    let next = client.get(&format!("{at}/resources?pageSize=2&cursor={}", text(&first["nextCursor"]))).ok();
    assert_eq!([column(&first, "id"), column(&next, "id")].concat(), ids);
    assert_eq!(column(&client.get(&format!("{at}/resources?pageSize=2&pageNo=2")).page(), "id"), ids[2..]);
    client.get(&format!("/scheduleMaintenances/SM-{}/resources/sites", muster_tests::uuid())).not_found();
    client.get(&format!("{at}/everything")).not_found();
}
