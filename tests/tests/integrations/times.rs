//! Events of rosters, windows and runs of jobs, and of what time brings.

use muster_tests::{Backend, Client, both_backends, unique};
use serde_json::{Value, json};

use super::{event, install, receiver::Receiver, server, text};

both_backends![
    rosters_windows_and_runs_are_told_of,
    windows_tell_when_they_open_and_close,
    rosters_tell_who_is_on_call_from_whom_to_whom,
    a_shift_that_nobody_stands_in_is_told_of_once,
    what_time_brings_belongs_to_some_entities,
];

/// An event that sends a template as it is.
fn on(entity: &str, action: &str, template: &str) -> Value {
    json!({"entity": entity, "eventType": action, "eventPayload": template})
}

fn user(client: &Client, name: &str) -> String {
    let login = unique(name);
    let body = json!({"loginName": login, "firstName": name, "lastName": "x", "email": format!("{login}@example.net")});
    text(&client.post("/users", &body).ok()["id"])
}

/// A roster with one shift around the clock, since 2026 and for ever.
pub fn around_the_clock(crew: &Value) -> Value {
    let mut shift = json!({"name": "All day", "schedule": {"type": "recurring", "startDate": "2026-01-01T00:00:00Z",
        "startTime": "00:00:00", "endTime": "00:00:00", "pattern": {"type": "daily", "repeatFrequency": 1},
        "endPattern": {"type": "NEVER"}}});
    shift.as_object_mut().unwrap().extend(crew.as_object().unwrap().clone());
    json!({"name": unique("roster"), "description": "test", "timeZone": {"name": "GMT"}, "shiftDetails": [shift]})
}

fn delivered_bodies(receiver: &Receiver, count: usize) -> Vec<String> {
    let mut told: Vec<String> = receiver.wait(count).iter().map(|one| one.text()).collect();
    told.sort_unstable();
    told
}

fn rosters_windows_and_runs_are_told_of(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    for body in [
        on("Roster", "CREATE", "roster $roster.name"),
        on("RosterOverride", "CREATE", "override $rosterOverride.user.id $rosterOverride.note"),
        on("MaintenanceWindow", "CREATE", "window $maintenanceWindow.name"),
        on("JobRun", "UPDATE", "run $jobRun.job.name $jobRun.status $jobRun.exitCode"),
    ] {
        event(&client, &made, &body);
    }
    let ann = user(&client, "ann");
    let roster = client.post("/rosters", &around_the_clock(&json!({"users": [{"id": ann}], "userGroups": []}))).ok();
    let name = text(&client.get(&format!("/rosters/{}", text(&roster["id"]))).ok()["name"]);
    let relief =
        json!({"user": {"id": ann}, "start": "2031-01-01T00:00:00Z", "end": "2031-01-02T00:00:00Z", "note": "swapped"});
    client.post(&format!("/rosters/{}/overrides", text(&roster["id"])), &relief).ok();
    let resource = text(&client.post("/resources", &json!({"hostName": "web"})).ok()["resourceUUID"]);
    let once = json!({"type": "One-Time", "startTime": "2031-01-01T00:00:00Z", "endTime": "2031-01-02T00:00:00Z",
        "timezone": "GMT"});
    let window = json!({"name": "patches", "devices": [{"uniqueId": resource}], "schedule": once});
    client.post("/scheduleMaintenances", &window).ok();
    let job = json!({"name": "backup", "script": {"jobType": "antivirus"},
        "schedule": {"startDate": "2035-01-01T10:00:00Z", "pattern": {"type": "run once"}}});
    let job = text(&client.post("/jobs", &job).ok()["id"]);
    client.post_empty(&format!("/jobs/{job}/run")).ok();
    let claimed = client.post("/jobs/runs/claim", &json!({"jobs": [job]})).ok();
    let run = text(&claimed["runs"][0]["run"]["id"]);
    client.post(&format!("/jobs/runs/{run}/result"), &json!({"attempt": 1, "exitCode": 7})).ok();
    let expected = [
        format!("override {ann} swapped"),
        format!("roster {name}"),
        "run backup FAILED 7".to_owned(),
        "window patches".to_owned(),
    ];
    assert_eq!(delivered_bodies(&receiver, 4), expected);
}

/// So many seconds from now.
pub fn soon(seconds: u64) -> String {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() + seconds;
    let day = now / 86_400;
    // Days since 0000-03-01, by eras of 400 years.
    let era = (day + 719_468) / 146_097;
    let of_era = (day + 719_468) % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let hour = now / 3_600 % 24;
    let minute = now / 60 % 60;
    let second = now % 60;
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn windows_tell_when_they_open_and_close(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    for action in ["OPENED", "CLOSED"] {
        let template = "$event.type $maintenanceWindow.name $maintenanceWindow.state";
        event(&client, &made, &on("MaintenanceWindow", action, template));
    }
    let resource = text(&client.post("/resources", &json!({"hostName": "web"})).ok()["resourceUUID"]);
    let window = |name: &str, start: String, end: String| {
        let once = json!({"type": "One-Time", "startTime": start, "endTime": end, "timezone": "GMT"});
        let body = json!({"name": name, "devices": [{"uniqueId": resource}], "schedule": once});
        text(&client.post("/scheduleMaintenances", &body).ok()["uniqueId"])
    };
    // One that is open at once and is ended, and one by its schedule.
    let long = window("long", "2026-01-01T00:00:00Z".to_owned(), "2099-01-01T00:00:00Z".to_owned());
    assert_eq!(delivered_bodies(&receiver, 1), ["OPENED long Active"]);
    client.post(&format!("/scheduleMaintenances/{long}/end"), &json!({"pattern": "all"})).ok();
    window("short", soon(2), soon(8));
    let all = ["CLOSED long Completed", "CLOSED short Completed", "OPENED long Active", "OPENED short Active"];
    assert_eq!(delivered_bodies(&receiver, 4), all);
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(delivered_bodies(&receiver, 4), all, "once each");
}

fn rosters_tell_who_is_on_call_from_whom_to_whom(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let template = "$roster.name: $roster.from.firstName > $roster.to.firstName";
    event(&client, &install(&client, &receiver.url()), &on("Roster", "ONCALLCHANGED", template));
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let body = around_the_clock(&json!({"users": [{"id": ann}], "userGroups": []}));
    let name = text(&body["name"]);
    let roster = format!("/rosters/{}", text(&client.post("/rosters", &body).ok()["id"]));
    assert_eq!(delivered_bodies(&receiver, 1), [format!("{name}:  > Ann")]);
    let relief = json!({"user": {"id": bob}, "start": soon(0), "end": soon(6)});
    client.post(&format!("{roster}/overrides"), &relief).ok();
    let back = format!("{name}: Bob > Ann");
    assert_eq!(delivered_bodies(&receiver, 3), [format!("{name}:  > Ann"), format!("{name}: Ann > Bob"), back]);
    // A change that leaves the same people on call is none.
    client.post(&roster, &json!({"description": "new"})).ok();
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(delivered_bodies(&receiver, 3).len(), 3);
}

fn a_shift_that_nobody_stands_in_is_told_of_once(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    event(&client, &install(&client, &receiver.url()), &on("Roster", "UNCOVERED", "$roster.name $roster.shift.name"));
    let group = text(&client.post("/userGroups", &json!({"name": unique("nobody")})).ok()["uniqueId"]);
    let body = around_the_clock(&json!({"users": [], "userGroups": [{"uniqueId": group}]}));
    let roster = format!("/rosters/{}", text(&client.post("/rosters", &body).ok()["id"]));
    let expected = format!("{} All day", text(&body["name"]));
    assert_eq!(delivered_bodies(&receiver, 1), [expected.as_str()]);
    client.post(&roster, &json!({"description": "new"})).ok();
    let covered = around_the_clock(&json!({"users": [{"id": user(&client, "Ann")}], "userGroups": []}));
    client.post("/rosters", &covered).ok();
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(delivered_bodies(&receiver, 1), [expected.as_str()], "once, and not of one that somebody stands in");
}

fn what_time_brings_belongs_to_some_entities(backend: Backend) {
    let client = server(backend).new_client();
    let made = install(&client, &Receiver::willing().url());
    let at = format!("{}/event", super::path(&made));
    for (entity, action) in [
        ("INCIDENT", "OPENED"),
        ("Roster", "CLOSED"),
        ("MaintenanceWindow", "UNCOVERED"),
        ("JobRun", "ONCALLCHANGED"),
        ("RosterConflict", "UPDATE"),
    ] {
        client.post(&at, &on(entity, action, "x")).invalid(&["eventType"]);
        let action = json!({"entity": entity, "eventType": action, "object": {}});
        client.post("/integrations/actions", &action).invalid(&["eventType"]);
    }
    client.post(&at, &on("MaintenanceWindow", "OPENED", "$maintenanceWindow.shoeSize")).invalid(&["eventPayload"]);
    for entity in ["JobRun", "Roster", "RosterOverride", "MaintenanceWindow", "RosterConflict"] {
        let known = client.get(&format!("/integrations/events/placeHolders/{entity}")).ok();
        assert!(known["placeHolders"].as_array().is_some_and(|all| all.len() > 5), "{entity}: {known}");
    }
}
