//! Maintenance windows as people write them, over the changes of the clocks, against the slow implementation.

use calendar::{End, Interval, Pattern, Recurring, Repeated, Rule, TimeOfDay, Zone};
use jiff::Timestamp;
use proptest::{prelude::*, sample::select};

use crate::{
    generate::{DAY, FROM_2020, TO_2037, all_zones, at, changes, time},
    slow,
};

/// The local time of day of an instant in a zone, by the zone database alone.
fn local(zone: Zone, millis: i64) -> TimeOfDay {
    let shown = slow::time_zone(zone).to_datetime(Timestamp::from_millisecond(millis).unwrap());
    time(&format!("{:02}:{:02}:00", shown.hour(), shown.minute()))
}

/// The rule of a perpetual daily window.
fn window(zone: Zone, start: i64, end: i64) -> Rule {
    let pattern = Pattern::Daily { every: 1 };
    Rule::repeated(Repeated { zone, start: at(start), end: at(end), pattern, perpetual: true })
}

proptest! {
    #[test]
    fn a_window_survives_every_change_of_the_clocks(
        zone in select(all_zones().collect::<Vec<_>>()),
        which in 0..1_000_usize,
        start in 0..1_440_i64,
        length in 1..1_440_i64,
        years_back in 0..3_i64,
    ) {
        let changes = changes(zone, FROM_2020, TO_2037);
        let change = if changes.is_empty() { FROM_2020 + 400 * DAY } else { changes[which % changes.len()] };
        // A week before the change no local time occurs twice.
        let start = change.div_euclid(60_000) * 60_000 - 8 * DAY + start * 60_000;
        // The date of the end does not count, and may lie years back.
        let end = start + length * 60_000 - years_back * 364 * DAY;
        let rule = window(zone, start, end);
        let described = Recurring {
            zone,
            start_date: at(start),
            start_time: local(zone, start),
            end_time: local(zone, end),
            pattern: Pattern::Daily { every: 1 },
            end: End::Never,
        };
        let (from, until) = (at(change - 4 * DAY), at(change + 4 * DAY));
        let expected = slow::occurrences(&described, from..until);
        let found: Vec<Interval> = rule.occurrences(from..until).collect();
        prop_assert_eq!(&found, &expected, "{} {:?}", zone, described);
        for quarter in 0..8 * 96 {
            let moment = at(change - 4 * DAY + quarter * 900_000);
            let covered = expected.iter().any(|interval| interval.contains(moment));
            prop_assert_eq!(rule.contains(moment).is_some(), covered, "{} {}", zone, moment);
        }
    }
}
