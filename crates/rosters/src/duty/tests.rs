//! Who is on call, and when that begins and ends.

pub mod model;

use calendar::{Interval, Zone};
use serde_json::json;

use super::*;
use crate::{crew::Crew, lines::Version};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn daily(from: &str, to: &str) -> calendar::Rule {
    let schedule = json!({"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": from, "endTime": to,
        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}});
    crate::roster::rules::schedule(&schedule).unwrap().rule(Zone::GMT)
}

/// Id, user, from, to, and within which stretch.
type OneUser<'s> = (&'s str, &'s str, &'s str, &'s str, (i64, i64));

/// Shifts of one user each, that hold within a stretch.
fn schedule(shifts: &[OneUser<'_>]) -> Schedule {
    let mut schedule = Schedule::default();
    for (id, user, from, to, (begins, ends)) in shifts {
        let valid = Interval::new(Timestamp::from_millis(*begins), Timestamp::from_millis(*ends)).unwrap();
        let (id, name) = ((*id).to_owned(), (*id).to_owned());
        let version = Version { id, name, level: None, rule: daily(from, to), places: None, valid };
        schedule.add(version, Crew::new(&[(*user).to_owned()], &[]), None, Zone::GMT);
    }
    schedule
}

const ALWAYS: (i64, i64) = (0, i64::MAX);

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
