//! When windows are open: the rules of time, through HTTP.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{create, resource, times, window};

both_backends![
    the_examples_of_local_time_hold,
    a_nightly_window_whose_end_lies_years_back_covers_tonight,
    every_kind_of_pattern_takes_place,
    a_pattern_is_answered_as_it_was_sent,
    a_window_that_would_never_open_is_refused,
    a_monthly_window_may_last_days,
    what_says_nothing_is_named,
    a_range_must_be_one,
];

fn daily(zone: &str, start: &str, end: &str) -> Value {
    json!({"type": "recurring", "startTime": start, "endTime": end, "timezone": zone,
        "pattern": {"type": "Daily", "dayFrequency": "EveryDay"}, "endBy": "never"})
}

fn the_examples_of_local_time_hold(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    for (zone, start, end, range, expected) in [
        // 00:00 to 08:00.
        ("Atlantic/Azores", "2026-03-01T01:00:00Z", "2026-03-01T09:00:00Z", "2026-03-29", "03-29T01:00/03-29T08:00"),
        ("Atlantic/Azores", "2026-03-01T01:00:00Z", "2026-03-01T09:00:00Z", "2026-10-25", "10-25T00:00/10-25T09:00"),
        // 02:30 to 03:30.
        ("Europe/Paris", "2026-03-01T01:30:00Z", "2026-03-01T02:30:00Z", "2026-03-29", "03-29T01:00/03-29T01:30"),
        // 02:00 to 03:00, which the clocks skip.
        ("Europe/Berlin", "2027-03-01T01:00:00Z", "2027-03-01T02:00:00Z", "2027-03-28", "03-28T01:00/03-28T02:00"),
        // 22:00 to 06:00.
        ("America/St_Johns", "2026-03-08T01:30:00Z", "2026-03-07T09:30:00Z", "2026-03-08", "03-08T01:30/03-08T08:30"),
    ] {
        let body = window(&id, daily(zone, start, end));
        let day = |hour: &str| format!("{range}T{hour}:00Z");
        // What began the evening before is over by noon, and what begins in the evening is not asked for.
        let query = format!("from={}&to={}", day("00:00"), day("12:00"));
        let path = create(&client, &body);
        let stored = client.get(&format!("{path}/occurrences?{query}")).ok();
        assert_eq!(times(&stored), [expected], "{zone}");
        let preview = client.post(&format!("/scheduleMaintenances/preview?{query}"), &body).ok();
        assert_eq!(preview, stored, "{zone}");
    }
}

fn a_pattern_is_answered_as_it_was_sent(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    for pattern in [
        json!({"type": "daily", "dayFrequency": "everyday", "repeatFrequency": 1}),
        json!({"type": "daily", "dayFrequency": "everyday"}),
        json!({"type": "weekly", "weekDays": "Sunday,Saturday"}),
        json!({"type": "weekly", "weekDays": "Sunday,Saturday", "repeatFrequency": 2}),
        json!({"type": "monthly", "dayOfMonth": "1"}),
        json!({"type": "yearly", "months": "May", "dayOfMonth": "1"}),
    ] {
        let mut schedule = daily("America/Sao_Paulo", "2026-11-01T22:00:00+0000", "2026-11-01T23:00:00+0000");
        schedule["pattern"] = pattern.clone();
        let path = create(&client, &window(&id, schedule));
        let read = client.get(&path).ok();
        assert_eq!(read["schedule"]["pattern"], pattern);
        assert_eq!(read["schedule"]["timezone"], "America/Sao_Paulo");
        let unchanged = client.post(&path, &json!({"schedule": read["schedule"]})).ok();
        assert_eq!(unchanged["schedule"], read["schedule"]);
    }
}

fn a_nightly_window_whose_end_lies_years_back_covers_tonight(server: &Server) {
    let client = server.new_client();
    let (id, host) = resource(&client);
    let mut body = window(&id, daily("Europe/London", "2026-11-01T22:00:00+0000", "2019-07-01T01:00:00+0000"));
    // Beside the schedule is as good, and capitals.
    body["schedule"].as_object_mut().unwrap().remove("endBy");
    body["endBy"] = json!("NEVER");
    let path = create(&client, &body);
    let window = client.get(&path).ok();
    assert_eq!(window["schedule"]["endBy"], "NEVER", "{window}");
    let covers = |at: &str| {
        let page = client.get(&format!("/scheduleMaintenances/active?resourceId={id}&at={at}")).ok();
        page["results"].as_array().cloned().unwrap_or_default()
    };
    let tonight = covers("2031-12-24T23:00:00Z");
    let expected = json!([{"window": {"uniqueId": window["uniqueId"], "name": window["name"]},
        "resource": {"id": id, "hostName": host}, "via": "device",
        "since": "2031-12-24T22:00:00+0000", "until": "2031-12-25T02:00:00+0000"}]);
    assert_eq!(json!(tonight), expected);
    assert_eq!(covers("2031-12-25T02:00:00Z"), [json!(null); 0]);
    // An hour earlier in summer, by the clocks of London.
    assert_eq!(covers("2031-07-24T21:00:00Z").len(), 1);
    assert_eq!(covers("2031-07-24T20:59:59Z").len(), 0);
}

fn every_kind_of_pattern_takes_place(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let occurrences = |pattern: Value, from: &str, to: &str| {
        let schedule = json!({"type": "Recurring", "startTime": "2026-01-05T22:00:00Z",
            "endTime": "2027-12-31T23:00:00Z", "timezone": "GMT", "pattern": pattern});
        let path = format!("/scheduleMaintenances/preview?from={from}T00:00:00Z&to={to}T00:00:00Z");
        let found = times(&client.post(&path, &window(&id, schedule)).ok());
        found.iter().map(|one| one[..5].to_owned()).collect::<Vec<_>>().join(" ")
    };
    let january = |pattern: Value| occurrences(pattern, "2026-01-01", "2026-02-01");
    assert_eq!(january(json!({"type": "daily", "repeatFrequency": "10"})), "01-05 01-15 01-25");
    let weekdays = json!({"type": "daily", "dayFrequency": "every weekday"});
    assert_eq!(occurrences(weekdays, "2026-01-08", "2026-01-14"), "01-08 01-09 01-12 01-13");
    let weekly = json!({"type": "weekly", "weekDays": "Saturday,Sunday", "repeatFrequency": 2});
    assert_eq!(january(weekly), "01-10 01-18 01-24");
    let monthly = json!({"type": "monthly", "dayOfMonth": "1,31"});
    assert_eq!(occurrences(monthly, "2026-02-01", "2026-04-01"), "02-01 02-28 03-01 03-31");
    let last = json!({"type": "monthly", "weekIndex": "Last", "dayOfWeek": "Friday"});
    assert_eq!(occurrences(last, "2026-01-01", "2026-04-01"), "01-30 02-27 03-27");
    let yearly = json!({"type": "yearly", "months": "March,December", "dayOfMonth": "24"});
    assert_eq!(occurrences(yearly, "2026-01-01", "2027-01-01"), "03-24 12-24");
}

fn a_window_that_would_never_open_is_refused(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let schedule = json!({"type": "Recurring", "startTime": "2026-01-05T22:00:00Z", "endTime": "2026-01-07T23:00:00Z",
        "timezone": "GMT", "pattern": {"type": "weekly", "weekDays": "Sunday"}});
    client.post("/scheduleMaintenances", &window(&id, schedule)).invalid(&["schedule"]);
}

fn a_monthly_window_may_last_days(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let schedule = json!({"type": "Recurring", "startTime": "2030-03-29T18:55:27+0000",
        "endTime": "2030-03-31T18:55:27+0000", "timezone": "GMT", "pattern": {"type": "monthly", "dayOfMonth": "5"}});
    let path = create(&client, &window(&id, schedule.clone()));
    let read = client.get(&path).ok();
    assert_eq!(read["schedule"], schedule, "{read}");
    assert_eq!(read["next"]["start"], json!("2030-04-05T18:55:27+0000"), "{read}");
    assert_eq!(read["next"]["end"], json!("2030-04-07T18:55:27+0000"), "{read}");
    let found = client.get(&format!("{path}/occurrences?from=2030-01-01T00:00:00Z&to=2030-12-31T00:00:00Z")).ok();
    assert_eq!(times(&found).len(), 9, "{found}");
    let covered = |at: &str| {
        let page = client.get(&format!("/scheduleMaintenances/active?resourceId={id}&at={at}")).ok();
        page["results"].as_array().map(Vec::len)
    };
    assert_eq!((covered("2031-01-06T12:00:00Z"), covered("2031-01-08T12:00:00Z")), (Some(1), Some(0)));
    // With a date of the pattern before the end, that is the end of all.
    let mut until = schedule;
    until["startTime"] = json!("2030-03-04T18:00:00Z");
    until["endTime"] = json!("2030-03-06T20:00:00Z");
    let path = create(&client, &window(&id, until));
    let found = client.get(&format!("{path}/occurrences?from=2030-01-01T00:00:00Z&to=2030-12-31T00:00:00Z")).ok();
    assert_eq!(times(&found), ["03-05T18:00/03-05T20:00"]);
}

fn what_says_nothing_is_named(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let ignored = |body: &Value| {
        let answer = client.post("/scheduleMaintenances", body);
        let named = answer.header("X-Ignored-Fields").map(ToOwned::to_owned);
        answer.ok();
        named
    };
    let named = |names: &str| Some(names.to_owned());
    let far = daily("GMT", "2030-01-01T22:00:00Z", "2019-07-01T01:00:00Z");
    assert_eq!(ignored(&window(&id, far)), named("schedule.endTime"));
    let mut beside = window(&id, daily("GMT", "2030-01-01T22:00:00Z", "2030-01-01T23:00:00Z"));
    beside["schedule"].as_object_mut().unwrap().remove("endBy");
    assert_eq!(ignored(&beside), None, "the end is one");
    beside["endBy"] = json!("NEVER");
    assert_eq!(ignored(&beside), named("schedule.endTime"));
    let mut inside = beside.clone();
    inside.as_object_mut().unwrap().remove("endBy");
    inside["schedule"]["pattern"]["endBy"] = json!("never");
    assert_eq!(ignored(&inside), named("schedule.endTime"));
    let once = json!({"type": "One-Time", "startTime": "2030-01-01T22:00:00Z", "endTime": "2030-01-02T22:00:00Z"});
    let mut once = window(&id, once);
    once["endBy"] = json!("NEVER");
    assert_eq!(ignored(&once), named("endBy"));
    for (pattern, name) in [
        (json!({"type": "daily", "weekDays": "Monday"}), "schedule.pattern.weekDays"),
        (json!({"type": "weekly", "dayFrequency": "everyday"}), "schedule.pattern.dayFrequency"),
        (json!({"type": "weekly", "dayOfMonth": "1"}), "schedule.pattern.dayOfMonth"),
        (json!({"type": "monthly", "dayOfMonth": "1", "months": "May"}), "schedule.pattern.months"),
        (json!({"type": "monthly", "dayOfMonth": "1", "weekDays": "Monday"}), "schedule.pattern.weekDays"),
        (json!({"type": "yearly", "weekDays": "Monday"}), "schedule.pattern.weekDays"),
    ] {
        let mut schedule = daily("GMT", "2030-01-01T22:00:00Z", "2031-06-01T23:00:00Z");
        schedule["pattern"] = pattern;
        schedule.as_object_mut().unwrap().remove("endBy");
        assert_eq!(ignored(&window(&id, schedule)), named(name));
    }
}

fn a_range_must_be_one(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    let path = create(&client, &window(&id, super::always()));
    let occurrences = |query: &str| client.get(&format!("{path}/occurrences?{query}"));
    occurrences("").invalid(&["from", "to"]);
    occurrences("from=2026-01-01T00:00:00Z&to=2025-01-01T00:00:00Z").invalid(&["to"]);
    occurrences("from=2026-01-01T00:00:00Z&to=2027-03-01T00:00:00Z").invalid(&["to"]);
    let year = occurrences("from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z").ok();
    assert_eq!(times(&year).len(), 365);
}
