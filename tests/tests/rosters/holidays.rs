//! Holiday calendars.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, Reply, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{calendars::calendar as feed, create, daily, group, path as roster_path, roster, text, times, user};
use crate::paging::somebody;

both_backends![
    calendars_are_made_changed_and_deleted,
    an_icalendar_text_has_days,
    wrong_calendars_are_refused,
    who_has_holidays_is_of_the_tenant,
    operators_write_calendars_and_viewers_read_them,
    a_calendar_is_undone,
    a_shift_leaves_out_holidays_and_turns_do_not_count_them,
    hours_on_holidays_are_told,
    what_is_entered_later_changes_nothing_that_was,
    rosters_follow_their_calendars,
    a_calendar_that_shifts_have_stays,
    wrong_holidays_of_shifts_are_refused,
    feeds_have_holidays,
    hours_on_holidays_of_a_person_are_told,
    a_url_is_read_again_and_again,
];

const CHRISTMAS: &str = "2036-12-25";

/// A new calendar with these days; gives the id.
#[track_caller]
pub fn holidays(client: &Client, days: &[&str]) -> String {
    let days: Vec<Value> = days.iter().map(|day| json!({"date": day})).collect();
    text(&client.post("/holidayCalendars", &json!({"name": unique("holidays"), "days": days})).ok()["id"])
}

fn path(id: &str) -> String {
    format!("/holidayCalendars/{id}")
}

#[track_caller]
fn found(client: &Client, query: &str) -> Vec<String> {
    let page = client.get(&format!("/holidayCalendars/search{query}")).page();
    page["results"].as_array().into_iter().flatten().map(|one| text(&one["id"])).collect()
}

fn calendars_are_made_changed_and_deleted(server: &Server) {
    let client = server.new_client();
    let (ann, night) = (user(&client, "Ann"), group(&client, &[]));
    let body = json!({"name": "Austria", "users": [{"id": ann}], "userGroups": [{"uniqueId": night}],
        "days": [{"date": "2037-01-01", "name": " New Year "}, {"date": CHRISTMAS}]});
    let made = client.post("/holidayCalendars", &body);
    let tag = made.header("ETag").map(ToOwned::to_owned).unwrap();
    let made = made.ok();
    let days = json!([{"date": CHRISTMAS}, {"date": "2037-01-01", "name": "New Year"}]);
    assert_eq!([&made["name"], &made["days"], &made["dayCount"]], [&json!("Austria"), &days, &json!(2)]);
    assert_eq!(
        [&made["users"][0]["id"], &made["users"][0]["firstName"], &made["userGroups"][0]["uniqueId"]],
        [&json!(ann), &json!("Ann"), &json!(night)]
    );
    let id = text(&made["id"]);
    assert_eq!((client.get(&path(&id)).ok(), client.get(&path(&id)).header("ETag")), (made, Some(&*tag)));
    client.post("/holidayCalendars", &json!({"name": "AUSTRIA", "days": []})).problem(409, "0004");
    let other = holidays(&client, &[]);
    assert_eq!(found(&client, "?name=AUST"), [id.clone()]);
    assert_eq!(found(&client, "?sortName=createdTime&isDescendingOrder=true"), [other.clone(), id.clone()]);
    let listed = client.get("/holidayCalendars/search?name=austria").page()["results"][0].clone();
    assert_eq!((listed.get("days"), &listed["dayCount"], &listed["users"][0]["id"]), (None, &json!(2), &json!(ann)));
    let change = json!({"days": [{"date": CHRISTMAS, "name": "Christmas"}], "users": []});
    let changed = client.request("POST", &path(&id)).header("If-Match", &tag).json(&change).send().ok();
    assert_eq!(changed["days"], json!([{"date": CHRISTMAS, "name": "Christmas"}]));
    assert_eq!([&changed["users"], &changed["userGroups"][0]["uniqueId"]], [&json!([]), &json!(night)]);
    client.request("POST", &path(&id)).header("If-Match", &tag).json(&change).send().problem(412, "0004");
    client.request("DELETE", &path(&id)).header("If-Match", &tag).send().problem(412, "0004");
    let audit = client.get(&format!("/auditLog/search?queryString=entityId:{id}")).page();
    assert_eq!(audit["totalResults"], json!(2));
    client.delete(&path(&id)).ok();
    client.get(&path(&id)).not_found();
    assert_eq!(found(&client, ""), [other]);
    client.post("/holidayCalendars", &json!({"name": "Austria", "days": []})).ok();
}

fn an_icalendar_text_has_days(server: &Server) {
    let client = server.new_client();
    let event = |lines: &str| format!("BEGIN:VEVENT\r\n{lines}\r\nEND:VEVENT\r\n");
    let ics = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}{}{}END:VCALENDAR\r\n",
        event("UID:1\r\nDTSTART;VALUE=DATE:20361225\r\nDTEND;VALUE=DATE:20361227\r\nSUMMARY:Christmas"),
        event("UID:2\r\nDTSTART:20361224T090000Z\r\nSUMMARY:Breakfast"),
        event("UID:3\r\nDTSTART;VALUE=DATE:20200501\r\nRRULE:FREQ=YEARLY\r\nSUMMARY:May Day"),
    );
    let body = json!({"name": unique("ics"), "ics": ics});
    let made = client.post("/holidayCalendars", &body).ok();
    let days: Vec<String> = made["days"].as_array().unwrap().iter().map(|day| text(&day["date"])).collect();
    let christmas: Vec<&String> = days.iter().filter(|day| !day.ends_with("-05-01")).collect();
    assert!(days.len() >= 11, "{days:?}");
    assert!(christmas.is_empty() || christmas == ["2036-12-25", "2036-12-26"], "{days:?}");
    let id = text(&made["id"]);
    let changed = client.post(&path(&id), &json!({"days": [{"date": CHRISTMAS}]})).ok();
    assert_eq!(changed["days"], json!([{"date": CHRISTMAS}]));
    client.post(&path(&id), &json!({"ics": "<html>"})).invalid(&["ics"]);
    let weekly = ics.replace("YEARLY", "WEEKLY");
    client.post(&path(&id), &json!({"ics": weekly})).invalid(&["ics"]);
    let cut = ics.replace("END:VCALENDAR\r\n", "");
    let refused = client.post(&path(&id), &json!({"ics": cut})).invalid(&["ics"]);
    assert!(refused.to_string().contains("is cut off: it has no END:VCALENDAR"), "{refused}");
    let no_date = ics.replace("20361225", "20370230");
    let refused = client.post(&path(&id), &json!({"ics": no_date})).invalid(&["ics"]);
    assert!(refused.to_string().contains("20370230: Christmas"), "{refused}");
    assert_eq!(client.get(&path(&id)).ok()["days"], changed["days"]);
}

fn wrong_calendars_are_refused(server: &Server) {
    let client = server.new_client();
    let at = "/holidayCalendars";
    client.post(at, &json!({})).invalid(&["name", "days"]);
    client.post(at, &json!({"name": "x", "days": [], "ics": "BEGIN:VCALENDAR"})).invalid(&["ics"]);
    client
        .post(at, &json!({"name": "x", "days": [{"date": "2036-02-30"}, {}]}))
        .invalid(&["days[0].date", "days[1].date"]);
    let twice = json!([{"date": CHRISTMAS}, {"date": CHRISTMAS}]);
    client.post(at, &json!({"name": "x", "days": twice})).invalid(&["days[1].date"]);
    let many: Vec<Value> = (0..1_001).map(|_| json!({"date": CHRISTMAS})).collect();
    client.post(at, &json!({"name": "x", "days": many})).invalid(&["days"]);
    client.get(&path("HOL-0")).not_found();
    client.delete(&path("HOL-0")).not_found();
}

fn who_has_holidays_is_of_the_tenant(server: &Server) {
    let client = server.new_client();
    let partner = server.admin();
    let of_partner = user(&partner, "Eve");
    let with = |user: &str| json!({"name": unique("x"), "days": [], "users": [{"id": user}]});
    client.post("/holidayCalendars", &with(&of_partner)).invalid(&["users[0].id"]);
    let group = json!({"name": unique("x"), "days": [], "userGroups": [{"uniqueId": "USRGRP-0"}]});
    client.post("/holidayCalendars", &group).invalid(&["userGroups[0].uniqueId"]);
    let made = text(&partner.post("/holidayCalendars", &with(&of_partner)).ok()["id"]);
    client.get(&path(&made)).not_found();
    let own = holidays(&client, &[CHRISTMAS]);
    assert_eq!(partner.get(&path(&own)).ok()["dayCount"], json!(1), "a partner sees those of its clients");
    partner.delete(&path(&made)).ok();
}

fn operators_write_calendars_and_viewers_read_them(server: &Server) {
    let client = server.new_client();
    let (ann, _) = somebody(server, &client, "viewer");
    let (bob, _) = somebody(server, &client, "operator");
    let id = holidays(&bob, &[CHRISTMAS]);
    assert_eq!(ann.get(&path(&id)).ok()["dayCount"], json!(1));
    ann.post(&path(&id), &json!({"days": []})).forbidden();
    ann.delete(&path(&id)).forbidden();
    ann.post("/holidayCalendars", &json!({"name": "x", "days": []})).forbidden();
    bob.delete(&path(&id)).ok();
}

fn a_calendar_is_undone(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let newest = || text(&client.get("/changeSets/search").page()["results"][0]["id"]);
    let undo = |set: &str| client.post_empty(&format!("/changeSets/{set}/undo")).ok();
    let days = json!([{"date": CHRISTMAS, "name": "Christmas"}, {"date": "2036-12-26"}]);
    let body = json!({"name": unique("undone"), "days": days, "users": [{"id": ann}]});
    let id = text(&client.post("/holidayCalendars", &body).ok()["id"]);
    let told = || {
        let now = client.get(&path(&id)).ok();
        ["name", "days", "users", "userGroups"].map(|field| now[field].clone())
    };
    let before = told();
    let change = json!({"name": unique("other"), "users": [], "days": [{"date": "2036-12-26", "name": "x"}]});
    client.post(&path(&id), &change).ok();
    undo(&newest());
    assert_eq!(told(), before);
    client.delete(&path(&id)).ok();
    undo(&newest());
    assert_eq!(told(), before);
    // The undo of that is undone.
    undo(&newest());
    client.get(&path(&id)).not_found();
    holidays(&client, &[CHRISTMAS]);
    undo(&newest());
    assert_eq!(found(&client, ""), Vec::<String>::new());
}

/// From Monday to Friday.
const WEEK: &str = "from=2037-01-05T00:00:00Z&to=2037-01-10T00:00:00Z";

/// A shift from eight to four in which three users take turns of one occurrence, with this calendar.
fn taking_turns(users: &[String; 3], calendar: &str, on_holidays: &str) -> Value {
    let order: Vec<Value> = users.iter().map(|user| json!({"users": [{"id": user}]})).collect();
    json!({"name": "Day", "schedule": daily("08:00:00", "16:00:00"), "holidays": [{"id": calendar}],
        "onHolidays": on_holidays,
        "rotation": {"order": order, "length": {"occurrences": 1}, "start": "2037-01-05T08:00:00"}})
}

/// Day and first name of each entry.
fn entries(timeline: &Value) -> Vec<String> {
    let of = |one: &Value| {
        let user = one["users"][0]["firstName"].as_str().unwrap_or("nobody");
        format!("{} {user}", one["start"].as_str().and_then(|start| start.get(8..10)).unwrap_or("?"))
    };
    timeline["entries"].as_array().into_iter().flatten().map(of).collect()
}

fn a_shift_leaves_out_holidays_and_turns_do_not_count_them(server: &Server) {
    let client = server.new_client();
    let users = ["Ann", "Bob", "Cem"].map(|name| user(&client, name));
    let calendar = holidays(&client, &["2037-01-07"]);
    let body = roster("Europe/Paris", &[taking_turns(&users, &calendar, "skip")]);
    let previewed = client.post(&format!("/rosters/preview?{WEEK}"), &body).ok();
    let made = client.post("/rosters", &body).ok();
    let shift = &made["shiftDetails"][0];
    assert_eq!([&shift["holidays"], &shift["onHolidays"]], [&json!([{"id": calendar}]), &json!("skip")]);
    let timeline = || client.get(&format!("{}/timeline?{WEEK}", roster_path(&made))).ok();
    let told = timeline();
    let skipped = ["05 Ann", "06 Bob", "08 Cem", "09 Ann"];
    assert_eq!([entries(&told), entries(&previewed)], [skipped, skipped]);
    // The time of the shift that does not take place is not a gap; what is beside it is.
    let gaps = times(&told["gaps"]);
    assert!(gaps.contains(&"01-06T15:00/01-07T07:00".to_owned()), "{gaps:?}");
    assert!(gaps.contains(&"01-07T15:00/01-08T07:00".to_owned()), "{gaps:?}");
    let conflicts = client.get(&format!("/rosters/conflicts?{WEEK}")).ok();
    let starts: Vec<&str> =
        conflicts["results"].as_array().unwrap().iter().filter_map(|one| one["from"].as_str()).collect();
    assert!(
        starts.contains(&"2037-01-07T15:00:00+0000") && !starts.contains(&"2037-01-07T07:00:00+0000"),
        "{starts:?}"
    );
    let on_call = |at: &str| {
        let answer = client.get(&format!("{}/onCall?at={at}", roster_path(&made))).ok();
        answer.to_string().matches("\"Ann\"").count() + answer.to_string().matches("\"Cem\"").count()
    };
    assert!(on_call("2037-01-08T08:00:00Z") > 0);
    // Nothing moves when it takes place.
    let keep = json!({"shiftDetails": [{"id": shift["id"], "onHolidays": "keep"}]});
    let shown = client.post(&format!("{}/preview?{WEEK}", roster_path(&made)), &keep).ok();
    let kept = ["05 Ann", "06 Bob", "07 Cem", "08 Ann", "09 Bob"];
    assert_eq!(
        (entries(&shown["before"]), entries(&shown["after"])),
        (skipped.map(str::to_owned).into(), kept.map(str::to_owned).into())
    );
    client.post(&roster_path(&made), &keep).ok();
    assert_eq!(entries(&timeline()), kept);
    let none = json!({"shiftDetails": [{"id": shift["id"], "holidays": []}]});
    let changed = client.post(&roster_path(&made), &none).ok();
    let shift = &changed["shiftDetails"][0];
    assert_eq!((shift.get("holidays"), shift.get("onHolidays")), (None, None));
}

fn hours_on_holidays_are_told(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let calendar = holidays(&client, &["2037-01-07", "2037-01-10"]);
    let shift = json!({"name": "All", "schedule": daily("00:00:00", "00:00:00"), "users": [{"id": ann}],
        "userGroups": [], "holidays": [{"id": calendar}]});
    create(&client, "Europe/Paris", &[shift]);
    // From Wednesday to Sunday, of which Saturday is a holiday, too.
    let answer = client.get("/rosters/hours?from=2037-01-06T22:00:00Z&to=2037-01-11T23:00:00Z").ok();
    let hours = &answer["results"][0]["hours"];
    let told = ["working", "evening", "night", "weekend", "holiday"].map(|name| hours[name].clone());
    assert_eq!(told, [20.0, 8.0, 21.0, 24.0, 48.0].map(|hours| json!(hours)), "{answer}");
    assert_eq!(answer["results"][0]["total"], json!(121.0));
}

fn what_is_entered_later_changes_nothing_that_was(server: &Server) {
    let client = server.new_client();
    let users = ["Ann", "Bob", "Cem"].map(|name| user(&client, name));
    let calendar = holidays(&client, &["2026-01-07", "2026-01-08"]);
    let mut shift = taking_turns(&users, &calendar, "skip");
    shift["rotation"]["start"] = json!("2026-01-05T08:00:00");
    let made = create(&client, "GMT", &[shift]);
    let week = || client.get(&format!("{}/timeline?{}", roster_path(&made), WEEK.replace("2037", "2026"))).ok();
    let before = week();
    assert_eq!(entries(&before), ["05 Ann", "06 Bob", "07 Cem", "08 Ann", "09 Bob"]);
    client.post(&path(&calendar), &json!({"days": [{"date": "2026-01-06"}]})).ok();
    assert_eq!(week(), before);
}

fn rosters_follow_their_calendars(server: &Server) {
    let client = server.new_client();
    let partner = server.admin();
    let users = ["Ann", "Bob", "Cem"].map(|name| user(&client, name));
    let of_partner = holidays(&partner, &["2037-01-06"]);
    let own = holidays(&client, &[]);
    let mut shift = taking_turns(&users, &of_partner, "skip");
    shift["holidays"] = json!([{"id": own}, {"id": of_partner}]);
    create(&client, "GMT", &[shift]);
    let told = || entries(&client.get(&format!("/rosters/timeline?{WEEK}")).ok()["rosters"][0]);
    assert_eq!(told(), ["05 Ann", "07 Bob", "08 Cem", "09 Ann"]);
    client.post(&path(&own), &json!({"days": [{"date": "2037-01-05"}]})).ok();
    assert_eq!(told(), ["07 Ann", "08 Bob", "09 Cem"]);
    partner.post(&path(&of_partner), &json!({"days": [{"date": "2037-01-09"}]})).ok();
    assert_eq!(told(), ["06 Ann", "07 Bob", "08 Cem"]);
    partner.delete(&path(&of_partner)).problem(409, "0004");
}

fn a_calendar_that_shifts_have_stays(server: &Server) {
    let client = server.new_client();
    let users = ["Ann", "Bob", "Cem"].map(|name| user(&client, name));
    let calendar = holidays(&client, &[CHRISTMAS]);
    let made = create(&client, "GMT", &[taking_turns(&users, &calendar, "keep")]);
    client.delete(&path(&calendar)).problem(409, "0004");
    let shift = &made["shiftDetails"][0]["id"];
    let relief = json!({"user": {"id": users[0]}, "start": "2037-01-05T00:00:00Z", "end": "2037-01-12T00:00:00Z",
        "shift": shift});
    let at = format!("{}/overrides", roster_path(&made));
    let over = text(&client.post(&at, &relief).ok()["id"]);
    client.post(&roster_path(&made), &json!({"shiftDetails": [{"id": shift, "holidays": []}]})).ok();
    client.delete(&path(&calendar)).problem(409, "0004");
    client.delete(&format!("{at}/{over}")).ok();
    client.delete(&path(&calendar)).ok();
}

fn wrong_holidays_of_shifts_are_refused(server: &Server) {
    let client = server.new_client();
    let other = holidays(&server.new_client(), &[]);
    let users = ["Ann", "Bob", "Cem"].map(|name| user(&client, name));
    let body = |shift: Value| roster("GMT", &[shift]);
    let field = "shiftDetails[0].holidays[0].id";
    client.post("/rosters", &body(taking_turns(&users, &other, "skip"))).invalid(&[field]);
    let own = holidays(&client, &[]);
    client.post("/rosters", &body(taking_turns(&users, &own, "x"))).invalid(&["shiftDetails[0].onHolidays"]);
    let mut many = taking_turns(&users, &own, "skip");
    many["holidays"] = (0..11).map(|_| json!({"id": own})).collect();
    client.post("/rosters", &body(many)).invalid(&["shiftDetails[0].holidays"]);
}

fn feeds_have_holidays(server: &Server) {
    let client = server.new_client();
    let users = ["Ann", "Bob", "Cem"].map(|name| user(&client, name));
    let day = crate::integrations::times::soon(3 * 86_400)[..10].to_owned();
    let days = json!([{"date": day, "name": "Founders, both"}]);
    let body = json!({"name": unique("holidays"), "days": days});
    let calendar = text(&client.post("/holidayCalendars", &body).ok()["id"]);
    let mut shift = taking_turns(&users, &calendar, "skip");
    shift["rotation"]["start"] = json!("2026-01-05T08:00:00");
    let made = create(&client, "GMT", &[shift]);
    let of_group = group(&client, &[&users[0]]);
    let days = json!([{"date": day, "name": "Ann's own"}]);
    let body = json!({"name": unique("own"), "days": days, "userGroups": [{"uniqueId": of_group}]});
    client.post("/holidayCalendars", &body).ok();
    let date = format!("DTSTART;VALUE=DATE:{}", day.replace('-', ""));
    let mut with_own = Vec::new();
    for address in [format!("{}/calendars", roster_path(&made)), format!("/rosters/users/{}/calendars", users[0])] {
        let address = client.post_empty(&address).ok();
        let read = feed(server, &address);
        assert!(read.contains(&date) && read.contains("SUMMARY:Holiday: Founders\\, both"), "{read}");
        assert!(!read.contains(&format!("DTSTART:{}T080000Z", day.replace('-', ""))), "{read}");
        with_own.push(read.contains("SUMMARY:Holiday: Ann's own"));
    }
    assert_eq!(with_own, [false, true], "the own holidays of a person are in their own feed alone");
}

fn hours_on_holidays_of_a_person_are_told(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    let of_group = group(&client, &[&ann]);
    let days = json!([{"date": "2037-01-07"}]);
    let body = json!({"name": unique("own"), "days": days, "userGroups": [{"uniqueId": of_group}]});
    client.post("/holidayCalendars", &body).ok();
    let shift = json!({"name": "Day", "schedule": daily("08:00:00", "16:00:00"),
        "users": [{"id": ann}, {"id": bob}], "userGroups": []});
    create(&client, "GMT", &[shift]);
    let answer = client.get("/rosters/hours?from=2037-01-07T00:00:00Z&to=2037-01-09T00:00:00Z").ok();
    let told = |user: &str| {
        let row = answer["results"].as_array().unwrap().iter().find(|row| row["user"]["id"] == user).unwrap();
        [row["hours"]["working"].clone(), row["hours"]["holiday"].clone()]
    };
    assert_eq!(told(&ann), [json!(8.0), json!(8.0)]);
    assert_eq!(told(&bob), [json!(16.0), json!(0.0)]);
}

fn a_url_is_read_again_and_again(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let day = crate::integrations::times::soon(30 * 86_400)[..10].to_owned();
    let event = format!("BEGIN:VEVENT\nDTSTART:{}\nSUMMARY:Fair\nEND:VEVENT\n", day.replace('-', ""));
    let ics = format!("BEGIN:VCALENDAR\n{event}END:VCALENDAR\n");
    let there = Receiver::start(move |_, number| match number {
        1 => Reply::Answer(200, Vec::new(), ics.clone()),
        2 => Reply::status(503),
        _ => Reply::Answer(200, Vec::new(), "BEGIN:VCALENDAR\n".to_owned()),
    });
    let body = json!({"name": unique("url"), "url": there.url()});
    let made = client.post("/holidayCalendars", &body).ok();
    assert_eq!((&made["url"], made.get("readTime")), (&json!(there.url()), None));
    let at = path(&text(&made["id"]));
    let read = || client.get(&at).ok();
    wait_for(Duration::from_secs(30), || read().get("readTime").is_some(), || read().to_string());
    let found = read();
    assert_eq!((&found["days"], found.get("error")), (&json!([{"date": day, "name": "Fair"}]), None));
    // The same URL is read at once, and its days stay when that fails.
    client.post(&at, &json!({"url": there.url()})).ok();
    wait_for(Duration::from_secs(30), || read().get("error").is_some(), || read().to_string());
    let failed = read();
    assert_eq!((&failed["days"], &failed["error"]), (&found["days"], &json!("the other side answered 503")));
    assert_eq!(failed["readTime"], found["readTime"], "nothing was read since");
    client.post(&at, &json!({"url": there.url()})).ok();
    let is_cut = || read()["error"] == json!("it is cut off: it has no END:VCALENDAR");
    wait_for(Duration::from_secs(30), is_cut, || read().to_string());
    assert_eq!((&read()["days"], &read()["readTime"]), (&found["days"], &found["readTime"]));
    // The egress guard refuses it where it is saved.
    for inward in ["http://10.0.0.1/holidays.ics", "http://[fd00::1]/x"] {
        client.post(&at, &json!({"url": inward})).invalid(&["url"]);
        client.post("/holidayCalendars", &json!({"name": unique("inward"), "url": inward})).invalid(&["url"]);
    }
    assert_eq!(read()["url"], json!(there.url()));
    // Where nothing was read.
    let elsewhere = format!("{}/elsewhere", there.url());
    let other = client.post(&at, &json!({"url": elsewhere})).ok();
    assert_eq!((&other["days"], other.get("readTime"), other.get("error")), (&found["days"], None, None));
    wait_for(Duration::from_secs(10), || read().get("error").is_some(), || read().to_string());
    assert_eq!(read().get("readTime"), None, "{}", read());
    let given = client.post(&at, &json!({"days": []})).ok();
    assert_eq!([given.get("url"), given.get("readTime"), given.get("error")], [None; 3]);
    client.post(&at, &json!({"url": "ftp://example.net/x"})).invalid(&["url"]);
    client.post(&at, &json!({"url": "https://example.net/x", "days": []})).invalid(&["url"]);
}
