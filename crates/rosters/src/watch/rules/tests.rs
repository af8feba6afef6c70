//! Shifts that nobody stands in: each stretch is told once.

use calendar::Zone;
use ports::Person;

use super::*;
use crate::{
    crew::Crew,
    duty::tests::{ALWAYS, OneUser, at, schedule},
    lines::{Override, Version},
    schedule::Relief,
};

const NOW: &str = "2026-05-01T12:00:00Z";

fn roster() -> Roster {
    Roster {
        tenant_id: "client_1".to_owned(),
        id: "ES".to_owned(),
        version: 1,
        name: "First line".to_owned(),
        name_key: "first line".to_owned(),
        description: String::new(),
        zone: "GMT".to_owned(),
        off_hours: Json(Vec::new()),
        created_ms: 0,
        updated_ms: None,
        sequence: 0,
        modified_ms: 0,
        deleted_ms: None,
        conflicts_to: None,
    }
}

fn new() -> Watch {
    Watch {
        tenant_id: "client_1".to_owned(),
        roster_id: "ES".to_owned(),
        seq: 0,
        due_ms: 0,
        on_call: None,
        warned_ms: 0,
        uncovered: Some(Json(Vec::new())),
    }
}

/// Shifts from an instant until another, each with its user.
fn once(shifts: &[(&str, &str, &str, &str)]) -> Schedule {
    let mut schedule = Schedule::default();
    for (id, user, from, to) in shifts {
        let body = json!({"type": "one-time", "startDate": from, "endDate": to});
        let rule = crate::roster::rules::schedule(&body).unwrap().rule(Zone::GMT);
        let valid = Interval::new(Timestamp::from_millis(0), Timestamp::from_millis(i64::MAX)).unwrap();
        let (id, name) = ((*id).to_owned(), (*id).to_owned());
        let version = Version { id, name, level: None, rule, places: None, valid };
        schedule.add(version, Crew::new(&[(*user).to_owned()], &[]), None, Zone::GMT);
    }
    schedule
}

/// What a look tells of, as shift and start, and the row behind it.
fn told(watch: &Watch, schedule: &Schedule, staff: &RosterPeople, now: &str) -> (Watch, Vec<String>) {
    let (next, told) = look(&roster(), schedule, staff, watch, at(now));
    let text = |one: &TimedEvent| {
        format!("{} {}", one.after["shift"]["id"].as_str().unwrap_or("-"), one.after["start"].as_str().unwrap())
    };
    let gaps = told.iter().filter(|one| one.action == "UNCOVERED").map(text);
    (next, gaps.collect())
}

#[test]
fn a_gap_hides_no_other() {
    let staff = RosterPeople::of(&["ANN"]);
    let shifts = [
        ("long", "NOBODY", "2026-05-01T13:00:00Z", "2026-05-02T11:00:00Z"),
        ("inside", "NOBODY", "2026-05-01T14:00:00Z", "2026-05-01T15:00:00Z"),
        ("twin", "NOBODY", "2026-05-01T13:00:00Z", "2026-05-01T14:00:00Z"),
        ("later", "NOBODY", "2026-05-02T13:00:00Z", "2026-05-02T14:00:00Z"),
        ("fine", "ANN", "2026-05-01T13:00:00Z", "2026-05-02T11:00:00Z"),
    ];
    let schedule = once(&shifts);
    let (next, gaps) = told(&new(), &schedule, &staff, NOW);
    let start = "2026-05-01T13:00:00+0000";
    assert_eq!(gaps, [format!("twin {start}"), format!("long {start}"), "inside 2026-05-01T14:00:00+0000".to_owned()]);
    let (next, gaps) = told(&next, &schedule, &staff, "2026-05-01T14:30:00Z");
    assert_eq!(gaps, ["later 2026-05-02T13:00:00+0000"], "once each, and what comes into the day ahead");
    assert_eq!(next.uncovered.unwrap().len(), 3, "what is over is forgotten");
}

#[test]
fn a_nearer_gap_is_told_after_a_later_one_and_one_that_comes_again_too() {
    let staff = RosterPeople::of(&["ANN"]);
    let shifts = |near: &'static str| {
        once(&[
            ("near", near, "2026-05-01T14:00:00Z", "2026-05-01T15:00:00Z"),
            ("far", "NOBODY", "2026-05-01T22:00:00Z", "2026-05-01T23:00:00Z"),
        ])
    };
    let (next, gaps) = told(&new(), &shifts("ANN"), &staff, NOW);
    assert_eq!(gaps, ["far 2026-05-01T22:00:00+0000"]);
    let near = ["near 2026-05-01T14:00:00+0000"];
    let (next, gaps) = told(&next, &shifts("NOBODY"), &staff, NOW);
    assert_eq!(gaps, near);
    let (next, gaps) = told(&next, &shifts("ANN"), &staff, NOW);
    assert_eq!(gaps, [""; 0]);
    let (_, gaps) = told(&next, &shifts("NOBODY"), &staff, NOW);
    assert_eq!(gaps, near, "it was filled and is empty again");
}

#[test]
fn a_gap_begins_when_the_last_person_left() {
    let around_the_clock: OneUser<'_> = ("a", "ANN", "00:00:00", "00:00:00", ALWAYS);
    let schedule = schedule(&[around_the_clock]);
    let ann = |activated| Person { id: "ANN".to_owned(), activated, ..Person::default() };
    // Ann is not in use now, and was in turns until each of these instants.
    let people = |until: &[&str]| {
        let states = until.iter().zip([true, false, true]).map(|(until, activated)| (at(until), ann(activated)));
        RosterPeople::default().now(ann(false)).with("G", states.collect(), Vec::new())
    };
    let left = people(&["2026-05-01T11:00:00Z"]);
    let (next, gaps) = told(&new(), &schedule, &left, NOW);
    assert_eq!(gaps, ["a 2026-05-01T11:00:00+0000"]);
    let (next, gaps) = told(&next, &schedule, &left, "2026-05-02T12:00:00Z");
    assert_eq!(gaps, [""; 0], "it goes on");
    // In use for an hour, in which nobody looked.
    let again = people(&["2026-05-01T11:00:00Z", "2026-05-02T13:00:00Z", "2026-05-02T14:00:00Z"]);
    let (_, gaps) = told(&next, &schedule, &again, "2026-05-02T15:00:00Z");
    assert_eq!(gaps, ["a 2026-05-02T14:00:00+0000"]);
}

#[test]
fn rows_of_the_version_before_say_when_the_last_gap_begins() {
    let staff = RosterPeople::default();
    let shifts = [
        ("known", "NOBODY", "2026-05-01T13:00:00Z", "2026-05-01T15:00:00Z"),
        ("new", "NOBODY", "2026-05-01T14:00:00Z", "2026-05-01T15:00:00Z"),
    ];
    let before = Watch { warned_ms: at("2026-05-01T13:00:00Z").millis(), uncovered: None, ..new() };
    let (next, gaps) = told(&before, &once(&shifts), &staff, NOW);
    assert_eq!(gaps, ["new 2026-05-01T14:00:00+0000"]);
    assert_eq!(told(&next, &once(&shifts), &staff, NOW).1, [""; 0]);
}

#[test]
fn overrides_by_people_who_are_gone_cut_no_gap() {
    let mut schedule = once(&[("a", "NOBODY", "2026-04-30T13:00:00Z", "2026-05-02T11:00:00Z")]);
    let time = Interval::new(at("2026-05-01T10:00:00Z"), at("2026-05-01T14:00:00Z")).unwrap();
    schedule.lines.overrides.push(Override { time, shift: None, of_one: false });
    schedule.overrides.push(Relief { user: "GONE".to_owned(), ..Relief::default() });
    let (next, gaps) = told(&new(), &schedule, &RosterPeople::default(), NOW);
    assert_eq!(gaps, ["a 2026-04-30T13:00:00+0000"]);
    assert_eq!(told(&next, &schedule, &RosterPeople::default(), "2026-05-01T14:00:00Z").1, [""; 0]);
}
