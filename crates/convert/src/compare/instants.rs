//! The instants at which both sides are asked.

use base::Timestamp;
use calendar::Interval;
use jiff::{Span, civil::Time};

use crate::source_schedule::Edges;

/// How many instants are spread over the time.
const SPREAD: u64 = 10_000;
/// The most times of day of a schedule that are looked at on each day.
const MOST_TIMES: usize = 300;
/// A second, in milliseconds.
const SECOND: i64 = 1_000;
/// A quarter of an hour, in milliseconds.
const QUARTER: i64 = 900 * SECOND;

/// Instants within a range, in order, beginning with the first: 10,000 that are spread over it, the edges of both sides
/// with the second before each, and quarters of an hour around each change of the clocks.
pub fn instants(range: Interval, source: &Edges, muster: impl Iterator<Item = Timestamp>) -> Vec<Timestamp> {
    let after = |at: Timestamp, by: i64| Timestamp::from_millis(at.millis().saturating_add(by));
    let step = i64::try_from(range.millis() / SPREAD).unwrap_or(i64::MAX);
    let spread = (0..)
        .take(usize::try_from(SPREAD).unwrap_or_default())
        .map(|number: i64| after(range.start(), (number * step).div_euclid(SECOND) * SECOND));
    let mut all: Vec<Timestamp> = spread.collect();
    let mut edges: Vec<Timestamp> = muster.chain(source.instants.iter().copied()).collect();
    for (clock, times) in source.times.values() {
        for change in clock.changes(after(range.start(), -86_400_000), after(range.end(), 86_400_000)) {
            edges.extend((-16..=16).map(|quarter| after(change, quarter * QUARTER)));
        }
        let mut date = clock.shown(range.start()).date();
        let last = clock.shown(range.end()).date();
        while date <= last {
            for second in times.iter().take(MOST_TIMES) {
                let local = date.to_datetime(Time::midnight()).checked_add(Span::new().seconds(*second));
                edges.extend(local.into_iter().flat_map(|local| [clock.first(local), clock.last(local)]));
            }
            let Ok(next) = date.tomorrow() else { break };
            date = next;
        }
    }
    all.extend(edges.into_iter().flat_map(|edge| [after(edge, -SECOND), edge]));
    all.retain(|at| range.contains(*at));
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::instant, wall_clock::WallClock};

    #[test]
    fn edges_and_changes_of_the_clocks_are_among_the_instants() {
        let at = |text: &str| instant(text).unwrap();
        let range = Interval::new(at("2026-11-01T00:00:00Z"), at("2027-11-01T00:00:00Z")).unwrap();
        let vienna = WallClock::find("Europe/Vienna").unwrap();
        let edges = Edges::of("Europe/Vienna", &vienna, [9 * 3_600]);
        let all = instants(range, &edges, [at("2026-12-01T10:00:07Z"), at("2028-01-01T00:00:00Z")].into_iter());
        assert_eq!(all.first(), Some(&range.start()));
        assert!((10_700..11_500).contains(&all.len()), "{}", all.len());
        for text in [
            "2026-12-01T10:00:06Z",
            "2026-12-01T10:00:07Z",
            "2027-01-15T07:59:59Z",
            "2027-01-15T08:00:00Z",
            "2027-07-15T07:00:00Z",
            "2027-03-28T00:59:59Z",
            "2027-03-28T01:00:00Z",
            "2027-03-28T01:15:00Z",
        ] {
            assert!(all.contains(&at(text)), "{text}");
        }
    }
}
