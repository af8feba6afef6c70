//! Who is on call, and when that begins and ends.

pub mod model;

use calendar::{Interval, Zone};
use serde_json::json;

use super::*;
use crate::{
    crew::Crew,
    lines::{Overridden, Override, Version},
    schedule::Relief,
};

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn daily(from: &str, to: &str) -> calendar::Rule {
    let schedule = json!({"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": from, "endTime": to,
        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}});
    crate::roster::rules::schedule(&schedule).unwrap().rule(Zone::GMT)
}

/// Id, user, from, to, and within which stretch.
pub type OneUser<'s> = (&'s str, &'s str, &'s str, &'s str, (i64, i64));

/// Shifts of one user each, that hold within a stretch.
pub fn schedule(shifts: &[OneUser<'_>]) -> Schedule {
    let mut schedule = Schedule::default();
    for (id, user, from, to, (begins, ends)) in shifts {
        let valid = Interval::new(Timestamp::from_millis(*begins), Timestamp::from_millis(*ends)).unwrap();
        let (id, name) = ((*id).to_owned(), (*id).to_owned());
        let version = Version { id, name, level: None, rule: daily(from, to), places: None, valid };
        schedule.add(version, Crew::new(&[(*user).to_owned()], &[]), None, Zone::GMT);
    }
    schedule
}

pub const ALWAYS: (i64, i64) = (0, i64::MAX);

#[test]
fn the_state_says_who_is_next_and_how_long_it_holds() {
    let schedule =
        schedule(&[("day", "ANN", "08:00:00", "20:00:00", ALWAYS), ("night", "BOB", "20:00:00", "08:00:00", ALWAYS)]);
    let staff = RosterPeople::of(&["ANN", "BOB"]);
    let state = Duties::new(&schedule, &staff).state(at("2026-05-01T08:00:00Z"));
    assert_eq!((&state.current[0].users, &state.next[0].users), (&vec!["ANN"], &vec!["BOB"]));
    assert_eq!(state.until, Some(at("2026-05-01T20:00:00Z")));
    // Anyone who is not in use is not next.
    let alone = RosterPeople::of(&["ANN"]);
    let state = Duties::new(&schedule, &alone).state(at("2026-05-01T08:00:00Z"));
    assert_eq!(state.next[0].time.start(), at("2026-05-02T08:00:00Z"));
    let nobody = Schedule::default();
    assert_eq!(Duties::new(&nobody, &staff).state(at("2026-05-01T08:00:00Z")).current, []);
}

#[test]
fn what_goes_on_is_one() {
    let cut = at("2026-05-01T12:00:00Z").millis();
    let whole = [("a", "ANN", "00:00:00", "00:00:00", (0, cut)), ("a", "ANN", "00:00:00", "00:00:00", (cut, i64::MAX))];
    let one = schedule(&whole);
    let staff = RosterPeople::of(&["ANN", "BOB"]);
    let state = Duties::new(&one, &staff).state(at("2026-06-01T12:00:00Z"));
    let expected = Interval::new(at("2026-01-01T00:00:00Z"), NEVER).unwrap();
    assert_eq!(state.current[0].time, expected, "neither at midnight nor by an edit of something else");
    assert_eq!(state.next, []);
    let handed =
        [("a", "ANN", "00:00:00", "00:00:00", (0, cut)), ("a", "BOB", "00:00:00", "00:00:00", (cut, i64::MAX))];
    let handed = schedule(&handed);
    let state = Duties::new(&handed, &staff).state(at("2026-04-01T12:00:00Z"));
    assert_eq!(state.current[0].time.end().millis(), cut, "that is the hand-over");
    assert_eq!((&state.next[0].users, state.next[0].time.end()), (&vec!["BOB"], NEVER));
}

#[test]
fn a_rename_ends_nothing_and_another_level_does() {
    let cut = at("2026-05-01T12:00:00Z").millis();
    let versions =
        [("a", "ANN", "00:00:00", "00:00:00", (0, cut)), ("a", "ANN", "00:00:00", "00:00:00", (cut, i64::MAX))];
    let mut renamed = schedule(&versions);
    renamed.lines.versions[1].name = "b".to_owned();
    let staff = RosterPeople::of(&["ANN"]);
    let whole = Interval::new(at("2026-01-01T00:00:00Z"), NEVER).unwrap();
    for (now, name) in [("2026-05-01T11:00:00Z", "a"), ("2026-05-01T12:00:00Z", "b")] {
        let state = Duties::new(&renamed, &staff).state(at(now));
        assert_eq!(state.current[0].time, whole, "{now}");
        assert_eq!(renamed.shift(state.current[0].shift), Some(("a", name)), "{now}");
        assert_eq!(state.next, [], "{now}");
        // Wherever the question begins.
        for from in ["2026-04-01T00:00:00Z", "2026-05-02T00:00:00Z"] {
            let range = Interval::new(at(from), at("2026-06-01T00:00:00Z")).unwrap();
            let mut duties = Duties::new(&renamed, &staff).named_at(at(now));
            let (found, _) = duties.within(range, LineSelection::All);
            assert_eq!(found.len(), 1, "{now} {from}");
            let (found, _) = duties.by_name(range);
            assert_eq!(found.len(), if from < "2026-05-01" { 2 } else { 1 }, "{now} {from}");
        }
        let range = Interval::new(at("2026-04-01T00:00:00Z"), at("2026-06-01T00:00:00Z")).unwrap();
        let (found, _) = Duties::new(&renamed, &staff).named_at(at(now)).within(range, LineSelection::All);
        assert_eq!(renamed.shift(found[0].shift), Some(("a", name)), "{now}");
    }
    let mut leveled = schedule(&versions);
    leveled.lines.versions[1].level = Some(Level::Secondary);
    let state = Duties::new(&leveled, &staff).state(at("2026-05-01T11:00:00Z"));
    assert_eq!(state.current[0].time.end().millis(), cut);
    assert_eq!(leveled.level(state.next[0].shift), Some(Level::Secondary));
}

#[test]
fn a_level_that_is_planned_does_not_hold_yet() {
    let cut = at("2026-06-01T00:00:00Z").millis();
    let mut planned = schedule(&[
        ("p", "ANN", "08:00:00", "16:00:00", ALWAYS),
        ("s", "BOB", "10:00:00", "18:00:00", (0, cut)),
        ("s", "BOB", "10:00:00", "18:00:00", (cut, i64::MAX)),
    ]);
    planned.lines.versions[1].level = Some(Level::Secondary);
    let staff = RosterPeople::of(&["ANN", "BOB"]);
    let state = Duties::new(&planned, &staff).state(at("2026-05-01T06:00:00Z"));
    let next: Vec<_> = state.next.iter().map(|duty| (duty.users[0], planned.level(duty.shift))).collect();
    assert_eq!(next, [("ANN", None), ("BOB", Some(Level::Secondary))]);
}

#[test]
#[expect(clippy::print_stdout, reason = "a test that measures says what it measured")]
fn many_overrides_of_the_same_time_take_a_moment() {
    const MANY: i64 = 2_000;
    let now = at("2026-05-01T12:00:00Z");
    let empty = schedule(&[]);
    let around_the_clock = schedule(&[("a", "ANN", "00:00:00", "00:00:00", ALWAYS)]);
    let users = ["U0", "U1", "U2"];
    let staff = RosterPeople::of(&["ANN", "U0", "U1", "U2"]);
    for (plan, of_shift) in [(&empty, false), (&around_the_clock, false), (&around_the_clock, true)] {
        let mut plan = plan.clone();
        for number in 0..MANY {
            let edge = |by: i64| Timestamp::from_millis(now.millis() + by);
            // Each is longer than those before it, so that the last one wins all the time.
            let time = Interval::new(edge(-600_000 - 1_000 * number), edge(360_000_000 + 1_000 * number)).unwrap();
            let shift = of_shift.then(|| Overridden {
                id: "a".to_owned(),
                name: "a".to_owned(),
                level: None,
                rule: daily("00:00:00", "00:00:00"),
            });
            plan.lines.overrides.push(Override { time, shift, of_one: false });
            let user = users[usize::try_from(number).unwrap() % users.len()].to_owned();
            plan.overrides.push(Relief { user, ..Relief::default() });
        }
        let last = plan.lines.overrides.last().unwrap().time;
        let begun = std::time::Instant::now();
        let state = Duties::new(&plan, &staff).state(now);
        let took = begun.elapsed();
        println!("who is on call with {MANY} overrides of a time: {took:?}");
        assert_eq!(state.current.iter().map(|duty| duty.time).collect::<Vec<_>>(), [last]);
        assert!(took.as_secs() < 5, "{took:?}");
    }
}
