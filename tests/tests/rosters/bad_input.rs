//! What is refused, by the path of each field; nothing of it is stored.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{daily, roster, shift, user};

both_backends![
    every_mandatory_field_is_named,
    what_is_wrong_in_form_and_who_is_unknown_are_told_together,
    every_range_is_named,
];

fn every_mandatory_field_is_named(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let good = roster("GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    for field in ["name", "description", "timeZone", "shiftDetails"] {
        let mut body = good.clone();
        body[field] = Value::Null;
        client.post("/rosters", &body).invalid(&[field]);
    }
    for field in ["name", "schedule", "users", "userGroups"] {
        let mut body = good.clone();
        body["shiftDetails"][0][field] = Value::Null;
        client.post("/rosters", &body).invalid(&[&format!("shiftDetails[0].{field}")]);
    }
    for field in ["type", "startDate", "startTime", "endTime", "pattern", "endPattern"] {
        let mut body = good.clone();
        body["shiftDetails"][0]["schedule"][field] = Value::Null;
        client.post("/rosters", &body).invalid(&[&format!("shiftDetails[0].schedule.{field}")]);
    }
    client.post("/rosters", &json!({})).invalid(&["name", "description", "timeZone", "shiftDetails"]);
    assert_eq!(client.get("/rosters/search").page()["totalResults"], json!(0));
}

fn what_is_wrong_in_form_and_who_is_unknown_are_told_together(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let day = shift("Day", daily("08:00:00", "20:00:00"), &ann);
    let mut body = roster("GMT", &[day.clone(), day.clone(), day]);
    body["description"] = json!(7);
    body["shiftDetails"][1]["schedule"] = json!({"type": "sometimes"});
    body["shiftDetails"][1]["users"] = json!([{"id": ann}, {"id": "USR9999999999"}, {}]);
    body["shiftDetails"][2]["userGroups"] = json!([{"uniqueId": "USRGRP-x"}]);
    let expected = [
        "description",
        "shiftDetails[1].schedule.type",
        "shiftDetails[1].users[2].id",
        "shiftDetails[1].name",
        "shiftDetails[2].name",
        "shiftDetails[1].users[1].id",
        "shiftDetails[2].userGroups[0].uniqueId",
    ];
    let told = client.post("/rosters", &body).invalid(&expected);
    assert_eq!(told["errors"].as_array().map(Vec::len), Some(expected.len()), "each is told once: {told}");
    let previewed: Vec<&str> = expected.into_iter().chain(["to"]).collect();
    client.post("/rosters/preview?from=2026-11-20T00:00:00Z", &body).invalid(&previewed);
    assert_eq!(client.get("/rosters/search").page()["totalResults"], json!(0), "nothing is stored");

    let made = client.post("/rosters", &roster("GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)])).ok();
    let path = format!("/rosters/{}", made["id"].as_str().unwrap_or_default());
    let before = client.get(&path).ok();
    let known = json!({"id": made["shiftDetails"][0]["id"], "users": [{"id": "USR9999999999"}]});
    let body = json!({"name": "", "shiftDetails": [{"id": "ESD-x"}, {"name": "New"}, known]});
    client.post(&path, &body).invalid(&[
        "name",
        "shiftDetails[0].id",
        "shiftDetails[1].schedule",
        "shiftDetails[1].users",
        "shiftDetails[1].userGroups",
        "shiftDetails[2].users[0].id",
    ]);
    // More than are told.
    let many = json!({"shiftDetails": vec![json!({}); 32]});
    for path in [path.clone(), format!("{path}/preview")] {
        let told = client.post(&path, &many).problem(400, "0002");
        assert!(told["errors"].as_array().is_some_and(|errors| errors.len() >= 100), "{told}");
    }
    assert_eq!(client.get(&path).ok(), before, "nothing changes");
}

fn every_range_is_named(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let refused = |field: &str, allowed: &str, change: &dyn Fn(&mut Value)| {
        let first = shift("Day", daily("08:00:00", "20:00:00"), &ann);
        let second = shift("Night", daily("20:00:00", "08:00:00"), &ann);
        let mut body = roster("GMT", &[first, second]);
        change(&mut body);
        let refused = client.post("/rosters", &body).invalid(&[field]);
        let message = refused["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.contains(allowed), "{field}: {message} does not say {allowed}");
    };
    let in_schedule = |field: &str, allowed: &str, change: &dyn Fn(&mut Value)| {
        let path = format!("shiftDetails[1].schedule.{field}");
        refused(&path, allowed, &|body| change(&mut body["shiftDetails"][1]["schedule"]));
    };
    for wrong in [json!(0), json!(11), json!("11"), json!(1.5), json!("x")] {
        let of =
            |kind: &str| json!({"type": kind, "repeatFrequency": wrong, "repeatType": "DAY_OF_MONTH", "dayOfMonth": 1});
        for kind in ["daily", "monthly", "yearly"] {
            in_schedule("pattern.repeatFrequency", "from 1 to 10", &|schedule| schedule["pattern"] = of(kind));
        }
    }
    for wrong in [json!(0), json!(53), json!("53")] {
        let weekly = json!({"type": "weekly", "repeatFrequency": wrong});
        in_schedule("pattern.repeatFrequency", "from 1 to 52", &|schedule| schedule["pattern"] = weekly.clone());
    }
    let monthly =
        |day: Value| json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_MONTH", "dayOfMonth": day});
    for wrong in [json!(32), json!(0), json!("x")] {
        in_schedule("pattern.dayOfMonth", "1 to 31", &|schedule| schedule["pattern"] = monthly(wrong.clone()));
    }
    let weekly = json!({"type": "weekly", "repeatFrequency": 1, "weekDays": "Monday,Tusday"});
    in_schedule("pattern.weekDays", "Sunday, Monday", &|schedule| schedule["pattern"] = weekly.clone());
    let nth = json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_WEEK", "weekIndex": "Fifth",
        "dayOfWeek": "Friday"});
    in_schedule("pattern.weekIndex", "First, Second", &|schedule| schedule["pattern"] = nth.clone());
    in_schedule("pattern.type", "daily, weekly", &|schedule| schedule["pattern"]["type"] = json!("hourly"));
    for wrong in [json!(2_147_483_648_i64), json!(0), json!("many")] {
        let end = json!({"type": "OCCURRENCES", "occurrences": wrong});
        in_schedule("endPattern.occurrences", "1 to 1000000", &|schedule| schedule["endPattern"] = end.clone());
    }
    in_schedule("endPattern.type", "NEVER, OCCURRENCES, DATE", &|schedule| {
        schedule["endPattern"]["type"] = json!("SOON")
    });
    in_schedule("startDate", "1970 to 9998", &|schedule| schedule["startDate"] = json!("9999-01-01T00:00:00Z"));
    in_schedule("startDate", "2026-11-20", &|schedule| schedule["startDate"] = json!("2026-02-30T00:00:00Z"));
    in_schedule("startTime", "00:00:00 to 23:59:59", &|schedule| schedule["startTime"] = json!("24:00:00"));
    let once = |end: &str| json!({"type": "one-time", "startDate": "2026-05-02T00:00:00Z", "endDate": end});
    for end in ["2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"] {
        in_schedule("endDate", "after startDate", &|schedule| *schedule = once(end));
    }
    in_schedule("type", "one-time, recurring", &|schedule| schedule["type"] = json!("sometimes"));
    refused("shiftDetails", "at least one", &|body| body["shiftDetails"] = json!([]));
    refused("shiftDetails[1].name", "unique", &|body| body["shiftDetails"][1]["name"] = json!("DAY"));
    for (zone, near) in
        [("Asia/Kolkatta", "Asia/Kolkata"), ("London", "Europe/London"), ("Europe/Pari", "Europe/Paris")]
    {
        refused("timeZone.name", near, &|body| body["timeZone"]["name"] = json!(zone));
    }
    refused("timeZone.name", "IANA", &|body| body["timeZone"]["name"] = json!("x".repeat(3_000)));
    assert_eq!(client.get("/rosters/search").page()["totalResults"], json!(0), "nothing is stored");
}
