//! Feeds of windows for calendar programs.

use muster_tests::{Backend, Server, both_backends, unique};
use serde_json::json;

use super::{always, create, resource, text, window};
use crate::rosters::calendars::{age, calendar, check_same, path_of, read, sequence, uids, wait_for_end};

both_backends![
    a_feed_has_the_occurrences_of_a_window,
    a_revoked_address_is_unknown,
    an_address_ends_with_its_maker,
    an_address_ends_after_366_days,
    an_admin_finds_all_addresses,
];

fn a_feed_has_the_occurrences_of_a_window(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let mut body = window(&id, always());
    body["name"] = json!("Patches, nightly");
    body["description"] = json!("one\ntwo");
    let path = create(&client, &body);
    let address = client.post_empty(&format!("{path}/calendars")).ok();
    assert_eq!(text(&address["token"]).len(), 64);
    let first = calendar(server, &address);
    assert!(first.starts_with("BEGIN:VCALENDAR\r\n") && first.ends_with("END:VCALENDAR\r\n"));
    assert!(first.contains("SUMMARY:Patches\\, nightly\r\n") && first.contains("DESCRIPTION:one\\ntwo\r\n"));
    assert!((455..=458).contains(&uids(&first).len()), "{}", uids(&first).len());
    check_same(server, &address);
    client.post(&format!("{path}/suspend"), &json!({"pattern": "now"})).ok();
    let after = calendar(server, &address);
    assert!(sequence(&after) > sequence(&first));
    // What has been stays, and what would come does not.
    assert!((90..=92).contains(&uids(&after).len()), "{}", uids(&after).len());
    assert!(uids(&after).iter().all(|uid| uids(&first).contains(uid)));
}

fn a_revoked_address_is_unknown(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let made = client.post_empty(&format!("{path}/calendars")).ok();
    let listed = client.get(&format!("{path}/calendars")).ok();
    let mut shown = made.clone();
    shown.as_object_mut().unwrap().retain(|name, _| !["url", "token"].contains(&name.as_str()));
    assert_eq!(listed, json!([shown]));
    assert_eq!(shown.as_object().unwrap().len(), 4, "{shown}");
    let bare = path_of(&made).split('?').next().unwrap_or_default().to_owned();
    for query in ["", "?token=", "?token=0", &format!("?token={}x", text(&made["token"]))] {
        assert_eq!(server.get(&format!("{bare}{query}")).status, 404, "{query}");
    }
    // The token opens this one window.
    let second = create(&client, &window(&id, always()));
    let elsewhere = path_of(&made)
        .replace(path.rsplit('/').next().unwrap_or_default(), second.rsplit('/').next().unwrap_or_default());
    assert_eq!(server.get(&elsewhere).status, 404);
    let one = format!("{path}/calendars/{}", text(&made["id"]));
    other.delete(&one).not_found();
    assert_eq!(read(server, &made).status, 200);
    client.delete(&one).ok();
    assert_eq!(read(server, &made).status, 404);
    client.delete(&one).not_found();
    let log = client.search("/auditLog/search", &format!("entityId:{}", text(&made["id"]))).page();
    let window = path.rsplit('/').next().unwrap_or_default();
    for (entry, side) in [(0, "before"), (1, "after")] {
        let changes = &log["results"][entry]["changes"];
        assert_eq!((&changes["id"][side], &changes["windowId"][side]), (&made["id"], &json!(window)), "{changes}");
    }
}

fn an_address_ends_with_its_maker(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let key = client.post("/apiKeys", &json!({"name": unique("maker"), "role": "operator"})).ok();
    let maker = client.with_token(&server.token(&text(&key["key"]), &text(&key["secret"])));
    let theirs = maker.post_empty(&format!("{path}/calendars")).ok();
    let ours = client.post_empty(&format!("{path}/calendars")).ok();
    calendar(server, &theirs);
    client.delete(&format!("/apiKeys/{}", text(&key["id"]))).ok();
    read(server, &theirs).not_found();
    calendar(server, &ours);
}

fn an_address_ends_after_366_days(backend: Backend) {
    let mut server = Server::start(backend);
    let client = server.new_client();
    let other = server.new_client();
    let [(ends, path), (stays, _)] = [&client, &other].map(|client| {
        let path = create(client, &window(&resource(client).0, always()));
        (client.post_empty(&format!("{path}/calendars")).ok(), path)
    });
    age(&mut server, "maintenance_calendars", &other);
    let client = client.at(server.base());
    let listed = client.get(&format!("{path}/calendars")).list();
    assert_eq!((listed.len(), &listed[0]["id"]), (1, &ends["id"]));
    wait_for_end(&server, &ends, &listed[0]["expiresTime"]);
    calendar(&server, &stays);
    assert!(client.get(&format!("{path}/calendars")).list().is_empty(), "it has ended");
    let next = client.post_empty(&format!("{path}/calendars")).ok();
    calendar(&server, &next);
    assert_eq!(client.get("/scheduleMaintenances/calendars").page()["results"][0]["id"], next["id"]);
}

fn an_admin_finds_all_addresses(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let paths = [create(&client, &window(&id, always())), create(&client, &window(&id, always()))];
    let made = paths.each_ref().map(|path| client.post_empty(&format!("{path}/calendars")).ok());
    let page = client.get("/scheduleMaintenances/calendars").page();
    assert_eq!(page["totalResults"], json!(2));
    for (number, (path, made)) in paths.iter().zip(&made).enumerate() {
        let listed = &page["results"][number];
        assert_eq!((&listed["id"], &listed["tenant"]), (&made["id"], &json!(client.tenant_id())));
        assert!(path.ends_with(&text(&listed["of"])) && listed.get("token").is_none(), "{listed}");
    }
    for role in ["viewer", "operator", "integrator"] {
        server.caller(client.tenant_id(), role).get("/scheduleMaintenances/calendars").forbidden();
    }
}
