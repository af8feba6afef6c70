//! The cost of a query does not depend on how long ago the rule started.

use std::time::Instant;

use calendar::{End, MonthDays, OnDay, Pattern, Recurring, Rotation, Rule, Weekdays, Zone};

use crate::generate::{stamp, time};

/// The shortest time in nanoseconds that working out the rule and asking it once took.
fn nanoseconds(rule: Recurring) -> f64 {
    let now = stamp("2026-11-20T20:37:00Z");
    shortest(|| assert!(!std::hint::black_box(Rule::recurring(std::hint::black_box(rule))).next(1, now).is_empty()))
}

fn shortest(ask: impl Fn()) -> f64 {
    let round = || {
        let started = Instant::now();
        for _ in 0..50 {
            ask();
        }
        started.elapsed().as_secs_f64() * 1e9 / 50.0
    };
    (0..60).map(|_| round()).fold(f64::INFINITY, f64::min)
}

#[test]
#[expect(clippy::print_stdout, reason = "`cargo test -p calendar cost -- --nocapture` shows what was measured")]
fn a_rule_from_1970_is_as_fast_as_one_from_yesterday() {
    let end_of_month: MonthDays = [28, 29, 30, 31].into_iter().collect();
    let patterns = [
        Pattern::Daily { every: 1 },
        Pattern::Weekly { every: 3, days: Weekdays::MONDAY_TO_FRIDAY },
        Pattern::Monthly { every: 1, on: OnDay::Days(end_of_month) },
    ];
    for pattern in patterns {
        for end in [End::Never, End::Occurrences(1_000_000)] {
            let rule = |start_date: &str| Recurring {
                zone: Zone::find("America/New_York").unwrap(),
                start_date: stamp(start_date),
                start_time: time("22:00:00"),
                end_time: time("06:00:00"),
                pattern,
                end,
            };
            let old = nanoseconds(rule("1970-01-01T00:00:00Z"));
            let new = nanoseconds(rule("2026-11-19T00:00:00Z"));
            let ratio = old / new;
            println!("{pattern:?} {end:?}: 1970 {old:.0} ns, yesterday {new:.0} ns, ratio {ratio:.2}");
            // A walk from 1970 would be thousands of times slower; the rest is noise.
            assert!(ratio < 5.0, "{pattern:?} {end:?}: {ratio}");
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "`cargo test -p calendar cost -- --nocapture` shows what was measured")]
fn turns_of_occurrences_since_1970_are_counted_as_fast_as_those_since_yesterday() {
    let rule = Rule::recurring(Recurring {
        zone: Zone::find("America/New_York").unwrap(),
        start_date: stamp("1970-01-01T00:00:00Z"),
        start_time: time("22:00:00"),
        end_time: time("06:00:00"),
        pattern: Pattern::Weekly { every: 1, days: Weekdays::MONDAY_TO_FRIDAY },
        end: End::Never,
    });
    let now = stamp("2026-11-20T20:37:00Z");
    let cost = |start: &str| {
        let rotation = serde_json::json!({"length": {"occurrences": 1}, "start": start});
        let rotation: Rotation = serde_json::from_value(rotation).unwrap();
        shortest(|| {
            let turns = std::hint::black_box(rotation).turns(Zone::GMT, std::hint::black_box(&rule));
            assert!(turns.at(now).and_then(|number| turns.start(number + 1)).is_some());
        })
    };
    let (old, new) = (cost("1970-01-01T00:00:00"), cost("2026-11-19T00:00:00"));
    println!("1970 {old:.0} ns, yesterday {new:.0} ns");
    assert!(old / new < 5.0, "{old} {new}");
}
