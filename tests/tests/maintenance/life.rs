//! Windows during their life: states follow from schedule and clock.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{NOON, always, create, resource, text, times, window};

both_backends![
    an_occurrence_that_was_skipped_is_in_nobodys_way,
    a_read_is_never_not_modified,
    a_window_is_suspended_and_resumed,
    a_window_is_suspended_for_a_time,
    an_occurrence_is_skipped,
    a_skip_is_taken_back,
    what_was_closed_opens_again,
    the_open_occurrence_is_extended,
    a_window_is_ended,
    the_occurrence_under_way_is_ended,
];

#[track_caller]
fn state(client: &Client, path: &str) -> String {
    text(&client.get(path).ok()["state"])
}

/// Open now, and for days.
fn long() -> Value {
    json!({"type": "One-Time", "startTime": "2026-01-01T00:00:00Z", "endTime": "2090-01-01T00:00:00Z"})
}

fn is_active(client: &Client, id: &str) -> bool {
    let page = client.get(&format!("/scheduleMaintenances/active?resourceId={id}")).ok();
    page["totalResults"] == 1
}

fn a_window_is_suspended_and_resumed(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, long()));
    assert_eq!((state(&client, &path).as_str(), is_active(&client, &id)), ("Active", true));
    let unchanged = client.post_empty(&format!("{path}/resume"));
    assert_eq!((unchanged.status, unchanged.header("ETag")), (200, Some("\"1\"")));
    client.post(&format!("{path}/suspend"), &json!({})).invalid(&["pattern"]);
    client.post(&format!("{path}/suspend"), &json!({"pattern": "later"})).invalid(&["pattern"]);
    let suspended = client.post(&format!("{path}/suspend"), &json!({"pattern": "NOW"})).ok();
    assert_eq!((&suspended["state"], &suspended["current"]), (&json!("Suspended"), &Value::Null));
    assert_eq!(suspended["suspensions"].as_array().map(Vec::len), Some(1));
    assert!(!is_active(&client, &id));
    client.post(&format!("{path}/suspend"), &json!({"pattern": "now"})).problem(409, "0004");
    let resumed = client.post_empty(&format!("{path}/resume")).ok();
    assert_eq!((&resumed["state"], &resumed["suspensions"]), (&json!("Active"), &Value::Null));
    assert!(is_active(&client, &id));
}

fn a_window_is_suspended_for_a_time(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let suspend = |start: &str, end: &str| {
        client.post(&format!("{path}/suspend"), &json!({"pattern": "range", "startDate": start, "endDate": end}))
    };
    suspend("2031-05-05T10:00:00Z", "2031-05-05T10:00:00Z").invalid(&["endDate"]);
    suspend("2020-05-05T10:00:00Z", "2020-05-05T11:00:00Z").invalid(&["endDate"]);
    client.post(&format!("{path}/suspend"), &json!({"pattern": "range"})).invalid(&["startDate", "endDate"]);
    let other_names =
        json!({"pattern": "range", "startTime": "2031-05-05T10:00:00Z", "endTime": "2031-05-05T10:00:00Z"});
    client.post(&format!("{path}/suspend"), &other_names).invalid(&["endTime"]);
    suspend("2031-05-05T10:00:00Z", "2031-05-06T11:00:00Z").ok();
    suspend("2026-01-01T00:00:00Z", "2031-05-05T11:00:00Z").ok();
    assert_eq!(
        suspend("2026-01-01T00:00:00Z", "2031-05-06T11:00:00Z").ok()["state"],
        "Suspended",
        "it may be so longer"
    );
    client.post_empty(&format!("{path}/resume")).ok();
    client.post(&format!("{path}/suspend"), &json!({"pattern": "now"})).ok();
    suspend("2031-05-05T10:00:00Z", "2031-05-06T11:00:00Z").problem(409, "0004");
    client.post_empty(&format!("{path}/resume")).ok();
    suspend("2031-05-05T10:00:00Z", "2031-05-06T11:00:00Z").ok();
    let found = client.get(&format!("{path}/occurrences?from=2031-05-05T00:00:00Z&to=2031-05-07T00:00:00Z")).ok();
    assert_eq!(times(&found), ["05-05T00:00/05-05T10:00", "05-06T11:00/05-06T23:59"]);
    let at_noon = client.get(&format!("/scheduleMaintenances/active?at={NOON}")).ok();
    assert_eq!(at_noon["totalResults"], 0);
    client.post_empty(&format!("{path}/resume")).ok();
    let at_noon = client.get(&format!("/scheduleMaintenances/active?at={NOON}")).ok();
    assert_eq!(at_noon["totalResults"], 1);
}

fn an_occurrence_is_skipped(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let skip = |body: Value| client.post(&format!("{path}/skip"), &body);
    skip(json!({"start": "2031-05-05T00:00:00Z"})).ok();
    skip(json!({"start": "2031-05-05T00:00:00Z"})).invalid(&["start"]);
    skip(json!({"start": "2031-05-05T00:00:01Z"})).invalid(&["start"]);
    skip(json!({"start": "2026-05-05T00:00:00Z"})).invalid(&["start"]);
    let found = client.get(&format!("{path}/occurrences?from=2031-05-04T00:00:00Z&to=2031-05-07T00:00:00Z")).ok();
    assert_eq!(times(&found), ["05-04T00:00/05-04T23:59", "05-06T00:00/05-06T23:59"]);

    // The one that is open closes.
    let other = create(&client, &window(&id, long()));
    client.post(&format!("{other}/skip"), &json!({})).ok();
    assert_eq!(state(&client, &other), "Completed");
    client.post(&format!("{other}/skip"), &json!({})).problem(409, "0004");
}

fn a_skip_is_taken_back(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let skip = |start: &str| client.post(&format!("{path}/skip"), &json!({"start": start})).ok();
    let unskip = |body: Value| client.post(&format!("{path}/unskip"), &body);
    let days =
        || times(&client.get(&format!("{path}/occurrences?from=2031-05-05T00:00:00Z&to=2031-05-07T00:00:00Z")).ok());
    let all = days();
    skip("2031-05-06T00:00:00Z");
    let told = skip("2031-05-05T00:00:00Z");
    let first = json!({"start": "2031-05-05T00:00:00+0000", "end": "2031-05-05T23:59:59+0000"});
    assert_eq!((&told["skipped"][0], told["skipped"].as_array().map(Vec::len)), (&first, Some(2)));
    assert_eq!(client.get(&path).ok()["skipped"], told["skipped"]);
    assert_eq!(days(), Vec::<String>::new());
    // The one that is named, and then, without a name, the first; again it changes nothing.
    assert_eq!(unskip(json!({"start": "2031-05-06T00:00:00Z"})).ok()["skipped"], json!([first]));
    let back = client.post_empty(&format!("{path}/unskip"));
    assert_eq!(back.ok()["skipped"], Value::Null);
    assert_eq!(days(), all);
    for body in [json!({"start": "2031-05-06T00:00:00Z"}), json!({})] {
        let again = unskip(body);
        assert_eq!((again.status, again.header("ETag")), (200, back.header("ETag")), "{again}");
    }
    unskip(json!({"start": "2031-05-05T00:00:01Z"})).invalid(&["start"]);
    unskip(json!({"start": "2026-05-05T00:00:00Z"})).invalid(&["start"]);
    // It takes the version that was read, and is on record.
    skip("2031-05-05T00:00:00Z");
    let stale = client.request("POST", &format!("{path}/unskip")).header("If-Match", back.header("ETag").unwrap());
    stale.json(&json!({})).send().problem(412, "0004");
    unskip(json!({})).ok();
    let window_id = path.rsplit('/').next().unwrap();
    let log = client.search("/auditLog/search", &format!("entityId:{window_id}")).page();
    let [undone, done] = [0, 1].map(|place| log["results"][place]["changes"]["holds.ends"].clone());
    assert_eq!((&undone["before"], done["after"].as_array().map(Vec::len)), (&done["after"], Some(1)), "{log}");
    // What is left of a window that takes place once comes back with it.
    let later = json!({"type": "One-Time", "startTime": "2089-01-01T00:00:00Z", "endTime": "2089-01-02T00:00:00Z"});
    let once = create(&client, &window(&id, later));
    assert_eq!(client.post(&format!("{once}/skip"), &json!({})).ok()["state"], "Completed");
    assert_eq!(client.post(&format!("{once}/unskip"), &json!({})).ok()["state"], "Pending");
    // An end of the window is for good.
    client.post(&format!("{once}/skip"), &json!({})).ok();
    client.post(&format!("{path}/end"), &json!({"pattern": "all"})).ok();
    unskip(json!({})).problem(409, "0004");
}

fn what_was_closed_opens_again(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    for closing in ["skip", "end"] {
        let path = create(&client, &window(&id, long()));
        client.post(&format!("{path}/{closing}"), &json!({})).ok();
        assert_eq!((state(&client, &path).as_str(), is_active(&client, &id)), ("Completed", false), "{closing}");
        let open = client.post(&format!("{path}/unskip"), &json!({})).ok();
        assert_eq!((&open["state"], &open["current"]["end"]), (&json!("Active"), &json!("2090-01-01T00:00:00+0000")));
        assert!(is_active(&client, &id), "{closing}");
        client.post(&format!("{path}/end"), &json!({"pattern": "all"})).ok();
    }
    // Days that touch: into the next, which was skipped, the one of today was extended.
    let whole = json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z",
        "timezone": "GMT", "pattern": {"type": "daily"}, "endBy": "NEVER"});
    let path = create(&client, &window(&id, whole));
    let next = client.get(&path).ok()["next"]["start"].clone();
    client.post(&format!("{path}/skip"), &json!({"start": next})).ok();
    client.post(&format!("{path}/extend"), &json!({"minutes": 5})).ok();
    client.post(&format!("{path}/unskip"), &json!({"start": next})).problem(409, "0004");
}

fn the_open_occurrence_is_extended(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, long()));
    let extend = |body: Value| client.post(&format!("{path}/extend"), &body);
    extend(json!({})).invalid(&["minutes"]);
    extend(json!({"minutes": 0})).problem(400, "0002");
    extend(json!({"endTime": "2089-01-01T00:00:00Z"})).invalid(&["endTime"]);
    let window_after = extend(json!({"minutes": "30"})).ok();
    assert_eq!(window_after["current"]["end"], "2090-01-01T00:30:00+0000");
    let window_after = extend(json!({"endTime": "2090-01-01T02:00:00Z"})).ok();
    assert_eq!(window_after["current"]["end"], "2090-01-01T02:00:00+0000");
    // The plan that it has already is not another one.
    let again = client.post(&path, &json!({"schedule": long()})).ok();
    assert_eq!(again["current"]["end"], "2090-01-01T02:00:00+0000");
    let page = client.get("/scheduleMaintenances/active?at=2090-01-01T01:30:00Z").ok();
    assert_eq!(page["totalResults"], 1);
    let later = json!({"type": "One-Time", "startTime": "2090-01-01T00:00:00Z", "endTime": "2090-01-02T00:00:00Z"});
    let pending = create(&client, &window(&id, later));
    client.post(&format!("{pending}/extend"), &json!({"minutes": 5})).problem(409, "0004");
    // Days that touch leave no room.
    let whole = json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z",
        "timezone": "GMT", "pattern": {"type": "daily"}, "endBy": "NEVER"});
    let daily = create(&client, &window(&id, whole));
    client.post(&format!("{daily}/extend"), &json!({"minutes": 5})).invalid(&["minutes"]);
}

fn a_window_is_ended(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let all = json!({"pattern": "ALL"});
    client.post(&format!("{path}/end"), &json!({"pattern": "some"})).invalid(&["pattern"]);
    let ended = client.post(&format!("{path}/end"), &all).ok();
    assert_eq!((&ended["state"], &ended["next"], &ended["current"]), (&json!("Completed"), &Value::Null, &Value::Null));
    client.post(&format!("{path}/end"), &all).problem(409, "0004");
    client.post_empty(&format!("{path}/end")).problem(409, "0004");
    client.post_empty(&format!("{path}/resume")).problem(409, "0004");
    client.post(&format!("{path}/suspend"), &json!({"pattern": "now"})).problem(409, "0004");
    let page = client.get(&format!("/scheduleMaintenances/active?at={NOON}")).ok();
    assert_eq!(page["totalResults"], 0);
    // A new plan begins anew.
    let mut schedule = always();
    schedule["timezone"] = json!("Europe/London");
    let again = client.post(&path, &json!({"schedule": schedule})).ok();
    assert_ne!(again["state"], "Completed");
}

fn the_occurrence_under_way_is_ended(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    // Days that touch: one of them is always under way.
    let whole = json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z",
        "timezone": "GMT", "pattern": {"type": "daily"}, "endBy": "NEVER"});
    let path = create(&client, &window(&id, whole));
    let before = client.get(&path).ok();
    let ended = client.post_empty(&format!("{path}/end")).ok();
    assert_eq!((&ended["state"], &ended["current"]), (&json!("Pending"), &Value::Null), "{ended}");
    assert_eq!(ended["next"], before["next"], "the others take place");
    assert!(!is_active(&client, &id));
    let refused = client.post_empty(&format!("{path}/end")).problem(409, "0004");
    assert!(text(&refused["detail"]).contains("all"), "{refused}");
    // Also while it is suspended; one that takes place once is over then.
    let once = create(&client, &window(&id, long()));
    client.post(&format!("{once}/suspend"), &json!({"pattern": "now"})).ok();
    assert_eq!(client.post(&format!("{once}/end"), &json!({})).ok()["state"], "Completed");
    let later = json!({"type": "One-Time", "startTime": "2089-01-01T00:00:00Z", "endTime": "2090-01-01T00:00:00Z"});
    let pending = create(&client, &window(&id, later));
    client.post(&format!("{pending}/end"), &json!({"pattern": "now"})).problem(409, "0004");
    assert_eq!(client.post(&format!("{pending}/end"), &json!({"pattern": "all"})).ok()["state"], "Completed");
}

fn an_occurrence_that_was_skipped_is_in_nobodys_way(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    // Days that touch: one of them is always open.
    let whole = json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z",
        "timezone": "GMT", "pattern": {"type": "daily"}, "endBy": "NEVER"});
    let path = create(&client, &window(&id, whole));
    let next = client.get(&path).ok()["next"]["start"].clone();
    client.post(&format!("{path}/skip"), &json!({"start": next})).ok();
    let longer = client.post(&format!("{path}/extend"), &json!({"minutes": 5})).ok();
    assert_ne!(longer["current"]["end"], next);
    client.post(&format!("{path}/extend"), &json!({"minutes": 1440})).invalid(&["minutes"]);
}

fn a_read_is_never_not_modified(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, always()));
    let tag = client.get(&path).header("etag").expect("a tag").to_owned();
    let again = client.request("GET", &path).header("If-None-Match", &tag).send();
    assert!(again.ok()["state"].is_string());
    client.request("POST", &path).header("If-Match", &tag).json(&json!({"description": "other"})).send().ok();
}
