use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn schedule(value: Value) -> WindowSchedule {
    WindowSchedule::parse(&value).unwrap()
}

/// Nightly, 22:00 to 02:00 in London, since November 2026 and for ever.
fn nightly(holds: Holds) -> Course {
    let value = json!({"type": "Recurring", "startTime": "2026-11-01T22:00:00+0000",
        "endTime": "2020-01-01T02:00:00+0000", "timezone": "Europe/London",
        "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    Course::new(&schedule(value), holds)
}

fn once(holds: Holds) -> Course {
    let value =
        json!({"type": "One-Time", "startTime": "2026-11-20T22:00:00+0000", "endTime": "2026-11-21T02:00:00+0000"});
    Course::new(&schedule(value), holds)
}

#[test]
fn a_window_goes_through_its_states() {
    let window = once(Holds::default());
    assert_eq!(window.state(at("2026-11-20T21:59:59Z")), State::Pending);
    assert_eq!(window.state(at("2026-11-20T22:00:00Z")), State::Active);
    assert_eq!(window.state(at("2026-11-21T01:59:59Z")), State::Active);
    assert_eq!(window.state(at("2026-11-21T02:00:00Z")), State::Completed);

    let window = nightly(Holds::default());
    assert_eq!(window.state(at("2031-07-01T12:00:00Z")), State::Pending);
    // Summer time.
    assert_eq!(window.state(at("2031-07-01T21:00:00Z")), State::Active);
    let tonight = window.open_at(at("2026-11-22T00:00:00Z")).unwrap();
    assert_eq!((tonight.start(), tonight.end()), (at("2026-11-21T22:00:00Z"), at("2026-11-22T02:00:00Z")));
    assert_eq!(window.next(at("2026-11-22T00:00:00Z")).unwrap().start(), at("2026-11-22T22:00:00Z"));
}

#[test]
fn suspensions_cut_and_are_taken_back() {
    let from = at("2026-11-20T23:00:00Z");
    let until = at("2026-11-21T00:30:00Z");
    let mut holds = Holds::default();
    holds.suspend(from.millis(), None);
    let suspended = once(holds.clone());
    assert_eq!(suspended.state(at("2026-11-20T22:30:00Z")), State::Active);
    assert_eq!(suspended.state(from), State::Suspended);
    assert_eq!(suspended.state(at("2026-11-21T02:00:00Z")), State::Completed);
    assert_eq!(suspended.open_at(at("2026-11-20T22:30:00Z")).unwrap().end(), from);
    assert_eq!(nightly(holds.clone()).next(from), None);

    assert!(holds.resume(until.millis()));
    assert!(!holds.resume(until.millis()));
    let resumed = once(holds.clone());
    assert_eq!(resumed.state(until), State::Active);
    let parts: Vec<Interval> = resumed.open(FIRST..LAST).collect();
    let ends = (at("2026-11-20T22:00:00Z"), at("2026-11-21T02:00:00Z"));
    assert_eq!(parts, [Interval::new(ends.0, from).unwrap(), Interval::new(until, ends.1).unwrap()]);

    // A planned one is taken back before it began; those that touch are one.
    holds.suspend(until.millis(), Some(until.millis() + HOUR));
    assert_eq!(holds.suspensions, [(from.millis(), Some(until.millis() + HOUR))]);
    holds.suspend(until.millis() + DAY, Some(until.millis() + 2 * DAY));
    assert!(holds.resume(until.millis() + 2 * HOUR));
    assert_eq!(holds.suspensions.len(), 1);
}

#[test]
fn occurrences_are_skipped_and_extended_and_the_window_ended() {
    let start = at("2026-11-20T22:00:00Z");
    let mut holds = Holds::default();
    holds.end_occurrence(start.millis(), start.millis());
    let skipped = nightly(holds.clone());
    assert_eq!(skipped.state(at("2026-11-20T23:00:00Z")), State::Pending);
    assert_eq!(skipped.next(at("2026-11-20T21:00:00Z")).unwrap().start(), at("2026-11-21T22:00:00Z"));
    assert_eq!(once(holds.clone()).state(at("2026-11-20T21:00:00Z")), State::Completed);

    holds.end_occurrence(start.millis(), start.millis() + 6 * HOUR);
    let extended = nightly(holds.clone());
    assert_eq!(extended.open_at(at("2026-11-21T03:30:00Z")).unwrap().start(), start);
    assert_eq!(extended.state(at("2026-11-21T04:00:00Z")), State::Pending);
    assert_eq!(once(holds.clone()).bounds().unwrap().end(), at("2026-11-21T04:00:00Z"));
    assert_eq!(extended.starting_at(start).unwrap().end(), at("2026-11-21T02:00:00Z"));
    assert_eq!(extended.starting_at(at("2026-11-20T22:00:01Z")), None);

    holds.ended = Some(at("2026-11-21T03:00:00Z").millis());
    let ended = nightly(holds);
    assert_eq!(ended.state(at("2026-11-21T02:59:59Z")), State::Active);
    assert_eq!(ended.state(at("2026-11-21T03:00:00Z")), State::Completed);
    assert_eq!(ended.bounds().unwrap().end(), at("2026-11-21T03:00:00Z"));
    assert_eq!(ended.next(at("2026-11-21T02:00:00Z")), None);
}

#[test]
fn what_a_suspension_leaves_nothing_of_is_in_the_way_of_nothing() {
    let start = at("2026-11-20T22:00:00Z");
    let tomorrow = start.millis() + DAY;
    let mut holds = Holds::default();
    holds.suspend(tomorrow - HOUR, Some(tomorrow + 6 * HOUR));
    let later = Timestamp::from_millis(tomorrow + DAY);
    assert_eq!(nightly(holds.clone()).following(start), Some(later));
    // Extended over it, the first one ends when the other takes place after all.
    holds.end_occurrence(start.millis(), tomorrow + 7 * HOUR);
    let ends = |holds: &Holds| nightly(holds.clone()).open(start..later).map(Interval::end).collect::<Vec<_>>();
    let instant = Timestamp::from_millis;
    assert_eq!(ends(&holds), [instant(tomorrow - HOUR), instant(tomorrow + 7 * HOUR)]);
    assert!(holds.resume(start.millis() + HOUR));
    assert_eq!(ends(&holds), [instant(tomorrow), instant(tomorrow + 4 * HOUR)]);
}

#[test]
fn a_window_of_which_suspensions_leave_nothing_is_suspended() {
    let start = at("2026-11-20T22:00:00Z");
    let before = at("2026-11-20T12:00:00Z");
    let mut holds = Holds::default();
    holds.suspend(start.millis() - HOUR, Some(start.millis() + 6 * HOUR));
    assert_eq!((once(holds.clone()).state(before), once(holds.clone()).next(before)), (State::Suspended, None));
    assert_eq!(nightly(holds.clone()).state(before), State::Pending, "others take place");
    assert!(holds.resume(before.millis()));
    assert_eq!(once(holds).state(before), State::Pending);
}

#[test]
fn what_was_skipped_is_taken_back() {
    let start = at("2026-11-20T22:00:00Z");
    let end = at("2026-11-21T02:00:00Z");
    let tomorrow = at("2026-11-21T22:00:00Z");
    let mut holds = Holds::default();
    holds.end_occurrence(start.millis(), start.millis());
    holds.end_occurrence(tomorrow.millis(), tomorrow.millis());
    let skipped = |holds: &Holds, now| nightly(holds.clone()).skipped(now).map(Interval::start).collect::<Vec<_>>();
    assert_eq!(skipped(&holds, at("2026-11-20T12:00:00Z")), [start, tomorrow]);
    assert_eq!(skipped(&holds, at("2026-11-21T01:59:59Z")), [start, tomorrow]);
    assert_eq!(skipped(&holds, end), [tomorrow], "by the schedule it is over");
    // Before it began, nothing is left of the skip.
    let mut early = holds.clone();
    early.take_back(tomorrow.millis(), start.millis());
    early.take_back(start.millis(), start.millis());
    assert_eq!(early, Holds::default());
    // When it has begun, it was closed until then.
    let now = at("2026-11-20T23:00:00Z");
    holds.take_back(start.millis(), now.millis());
    assert_eq!(nightly(holds.clone()).open_at(now), Interval::new(now, end));
    assert_eq!(nightly(holds.clone()).open_at(at("2026-11-20T22:59:59Z")), None);
    assert_eq!(skipped(&holds, now), [tomorrow]);
    // So it is with one that was ended early, and what was open before stays.
    let mut cut = Holds::default();
    cut.end_occurrence(start.millis(), at("2026-11-20T22:30:00Z").millis());
    assert_eq!(skipped(&cut, now), [start]);
    cut.take_back(start.millis(), now.millis());
    let open: Vec<_> = nightly(cut).open(start..end).collect();
    let parts = [(start, at("2026-11-20T22:30:00Z")), (now, end)].map(|(from, to)| Interval::new(from, to).unwrap());
    assert_eq!(open, parts);
    // One that was extended is none, nor is any of a window that was ended.
    let mut longer = Holds::default();
    longer.end_occurrence(start.millis(), tomorrow.millis() + HOUR);
    assert_eq!(skipped(&longer, now), []);
    let next = nightly(Holds::default()).starting_at(tomorrow).unwrap();
    assert!(nightly(longer).runs_into(next) && !nightly(Holds::default()).runs_into(next));
    early.end_occurrence(start.millis(), start.millis());
    early.ended = Some(now.millis());
    assert_eq!(skipped(&early, now), []);
}

#[test]
fn a_suspension_for_thousands_of_years_is_not_walked_through() {
    let mut holds = Holds::default();
    holds.suspend(at("2026-11-20T10:00:00Z").millis(), Some(at("9998-12-01T00:00:00Z").millis()));
    let course = nightly(holds);
    // The end of the suspension lies in an occurrence.
    let next = at("9998-12-01T00:00:00Z");
    let began = std::time::Instant::now();
    for at in ["2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z", "5000-01-01T00:00:00Z"].map(at) {
        assert_eq!(course.next(at).unwrap().start(), next);
        assert_eq!(course.open(at..LAST).next().unwrap().start(), next);
    }
    let steps = course.open(at("2026-11-20T09:00:00Z")..LAST).take(3).count();
    assert!(steps == 3 && began.elapsed().as_millis() < 1_000, "{:?}", began.elapsed());
}

/// Open at an instant, by the words: looks at every occurrence one by one.
fn slow(course: &Course, all: &[Interval], at: Timestamp) -> bool {
    let holds = course.holds();
    let ms = at.millis();
    if holds.ended.is_some_and(|ended| ms >= ended) {
        return false;
    }
    if holds.suspensions.iter().any(|(from, until)| *from <= ms && until.is_none_or(|until| ms < until)) {
        return false;
    }
    all.iter().any(|occurrence| {
        let said = holds.ends.iter().find(|(start, _)| *start == occurrence.start().millis());
        let end = said.map_or(occurrence.end().millis(), |(_, end)| *end);
        occurrence.start().millis() <= ms && ms < end
    })
}

proptest! {
    #[test]
    fn what_was_said_is_what_happens(
        suspensions in proptest::collection::vec((0..200_i64, proptest::option::of(1..60_i64)), 0..4),
        ends in proptest::collection::vec((0..8_i64, 0..20_i64), 0..3),
        ended in proptest::option::of(0..240_i64),
    ) {
        let zero = at("2026-11-20T00:00:00Z").millis();
        let mut holds = Holds { ended: ended.map(|hours| zero + hours * HOUR), ..Holds::default() };
        for (from, length) in suspensions {
            holds.suspend(zero + from * HOUR, length.map(|length| zero + (from + length) * HOUR));
        }
        for (night, length) in ends {
            let start = zero + night * DAY + 22 * HOUR;
            holds.end_occurrence(start, start + length * HOUR);
        }
        let course = nightly(holds);
        let moment = |half_hours: i64| Timestamp::from_millis(zero + half_hours * 30 * MINUTE);
        let all: Vec<Interval> = nightly(Holds::default()).open(moment(-96)..moment(700)).collect();
        let open: Vec<Interval> = course.open(moment(0)..moment(500)).collect();
        for half_hours in 0..500 {
            let at = moment(half_hours);
            let expected = slow(&course, &all, at);
            prop_assert_eq!(course.open_at(at).is_some(), expected, "{}", at);
            prop_assert_eq!(open.iter().any(|part| part.contains(at)), expected, "{}", at);
            prop_assert_eq!(course.state(at) == State::Active, expected, "{}", at);
            if let Some(next) = course.next(at) {
                prop_assert!(next.start() > at && slow(&course, &all, next.start()));
            }
        }
    }

    #[test]
    fn a_jump_over_suspensions_misses_nothing(
        suspensions in proptest::collection::vec((0..400_i64, 1..300_i64), 0..4),
        ends in proptest::collection::vec((0..30_i64, 0..24_i64), 0..6),
        ended in proptest::option::of(0..700_i64),
        from in 0..700_i64,
    ) {
        let zero = at("2026-11-20T00:00:00Z").millis();
        let mut holds = Holds { ended: ended.map(|hours| zero + hours * HOUR), ..Holds::default() };
        for (from, length) in suspensions {
            holds.suspend(zero + from * HOUR, Some(zero + (from + length) * HOUR));
        }
        for (night, length) in ends {
            let start = zero + night * DAY + 22 * HOUR;
            holds.end_occurrence(start, start + length * HOUR);
        }
        let course = nightly(holds);
        let range = Timestamp::from_millis(zero + from * HOUR)..Timestamp::from_millis(zero + 800 * HOUR);
        let walked = course.rule.occurrences(FIRST..range.end).flat_map(|occurrence| course.parts(occurrence));
        let walked: Vec<_> = walked.filter(|part| part.end() > range.start && part.start() < range.end).collect();
        prop_assert_eq!(course.open(range.clone()).collect::<Vec<_>>(), walked);
        let next = course.next(range.start).filter(|next| next.start() < range.end);
        let slow = course.open(range.clone()).find(|part| part.start() > range.start);
        prop_assert_eq!(next, slow);
    }
}
