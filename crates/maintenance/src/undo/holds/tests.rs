use base::{Fields, matching::Meter, problem::Kind};
use serde_json::json;

use super::*;
use crate::window::wire::NewWindow;

const HOUR: i64 = 3_600_000;
/// Midnight, at which the first occurrence of two hours begins; the next ones follow a day later each.
const MIDNIGHT: i64 = 1_795_132_800_000;

fn window(holds: Holds) -> Window {
    let at = |hours: i64| Timestamp::from_millis(MIDNIGHT + hours * HOUR);
    let schedule = json!({"type": "Recurring", "startTime": at(0), "endTime": at(2), "timezone": "UTC",
            "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let body = json!({"name": "w", "schedule": schedule});
    let new = NewWindow::read_all(&mut Fields::of(&body), &Meter::new(Meter::REQUEST));
    let window = rules::created(&new, "client_1", "SM-1".to_owned(), "u", at(0)).unwrap();
    rules::with_holds(window, holds, at(0)).unwrap()
}

/// What is said afterwards, in hours since the first occurrence began, when a change is undone in an hour.
fn undone(current: &Holds, former: &Holds, now: i64) -> Holds {
    let shift = |holds: &Holds, by: fn(i64) -> i64| Holds {
        suspensions: holds.suspensions.iter().map(|(from, until)| (by(*from), until.map(by))).collect(),
        ends: holds.ends.iter().map(|(start, end)| (by(*start), by(*end))).collect(),
        ended: holds.ended.map(by),
    };
    let instant = |hours: i64| MIDNIGHT + hours * HOUR;
    let window = window(shift(current, instant));
    let found = rewound(window, &shift(former, instant), Timestamp::from_millis(instant(now))).unwrap();
    shift(&found.holds, |millis| (millis - MIDNIGHT) / HOUR)
}

fn suspended(suspensions: &[(i64, Option<i64>)]) -> Holds {
    Holds { suspensions: suspensions.to_vec(), ..Holds::default() }
}

fn ends(ends: &[(i64, i64)]) -> Holds {
    Holds { ends: ends.to_vec(), ..Holds::default() }
}

#[test]
fn suspensions_end_now_and_go_on_from_now() {
    let none = Holds::default();
    assert_eq!(undone(&suspended(&[(1, None)]), &none, 5), suspended(&[(1, Some(5))]));
    assert_eq!(undone(&suspended(&[(9, Some(12))]), &none, 5), none);
    assert_eq!(undone(&suspended(&[(1, Some(3))]), &suspended(&[(1, None)]), 5).suspensions, [(1, Some(3)), (5, None)]);
    let both = suspended(&[(1, Some(3)), (24, Some(26))]);
    assert_eq!(undone(&suspended(&[(1, Some(3))]), &both, 5), both);
    assert_eq!(undone(&both, &both, 5), both);
}

#[test]
fn occurrences_that_are_not_over_end_as_before() {
    let none = Holds::default();
    // Skipped ones: of tomorrow, under way, and over.
    assert_eq!(undone(&ends(&[(24, 24)]), &none, 5), none);
    assert_eq!(undone(&none, &ends(&[(24, 24)]), 5), ends(&[(24, 24)]));
    assert_eq!(undone(&ends(&[(0, 0)]), &none, 1), suspended(&[(0, Some(1))]));
    assert_eq!(undone(&none, &ends(&[(0, 0)]), 1), ends(&[(0, 1)]));
    assert_eq!(undone(&ends(&[(0, 0)]), &none, 5), ends(&[(0, 0)]));
    // Extended ones.
    assert_eq!(undone(&ends(&[(0, 9)]), &none, 5), ends(&[(0, 5)]));
    assert_eq!(undone(&ends(&[(0, 9)]), &none, 1), none);
    assert_eq!(undone(&none, &ends(&[(0, 9)]), 1), ends(&[(0, 9)]));
    assert_eq!(undone(&none, &ends(&[(0, 9)]), 5).suspensions, [(2, Some(5))]);
}

#[test]
fn one_that_was_ended_goes_on_from_now() {
    let ended = |at| Holds { ended: Some(at), ..Holds::default() };
    assert_eq!(undone(&ended(1), &Holds::default(), 5), suspended(&[(1, Some(5))]));
    assert_eq!(undone(&Holds::default(), &ended(1), 5), ended(5));
}

#[test]
fn occurrences_stay_apart() {
    let day = |hours: i64| MIDNIGHT + hours * HOUR;
    let now = Timestamp::from_millis(day(1));
    let skipped = window(ends(&[(day(24), day(24)), (day(0), day(30))]));
    let former = ends(&[(day(0), day(30))]);
    assert_eq!(rewound(skipped, &former, now).unwrap_err().kind, Kind::Conflict);
    let longer = ends(&[(day(0), day(30))]);
    assert_eq!(rewound(window(Holds::default()), &longer, now).unwrap_err().kind, Kind::Conflict);
}
