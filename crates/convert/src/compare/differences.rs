//! When two sides differ.

use base::Timestamp;
use calendar::Interval;

use crate::source_schedule::People;

/// A second, in milliseconds.
const SECOND: i64 = 1_000;

/// A stretch of time through which both sides differ in the same way.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// When.
    pub time: Interval,
    /// Who is on call by the source.
    pub source: People,
    /// Who is on call by Muster.
    pub muster: People,
}

/// Where both differ at some of the instants, which are in order and lie before `end`. When a difference begins and
/// ends between two of them is found to the second.
pub fn differences(
    instants: &[Timestamp],
    end: Timestamp,
    source: &dyn Fn(Timestamp) -> People,
    muster: impl Fn(Timestamp) -> People,
) -> Vec<Difference> {
    let state = |at: Timestamp| {
        let (source, muster) = (source(at), muster(at));
        (source != muster).then_some((source, muster))
    };
    let Some((first, rest)) = instants.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    let mut current = (*first, state(*first));
    let mut last = *first;
    let mut close = |(since, state): (Timestamp, Option<(People, People)>), until: Timestamp| {
        if let (Some((source, muster)), Some(time)) = (state, Interval::new(since, until)) {
            found.push(Difference { time, source, muster });
        }
    };
    for at in rest {
        let next = state(*at);
        while current.1 != next {
            let change = first_change(last, *at, |at| state(at) != current.1);
            let changed = (change, if change == *at { next.clone() } else { state(change) });
            close(std::mem::replace(&mut current, changed), change);
            last = change;
        }
        last = *at;
    }
    close(current, end);
    found
}

/// The first second behind an instant, and not behind another, at which something has changed; it has at the latter.
fn first_change(before: Timestamp, after: Timestamp, has_changed: impl Fn(Timestamp) -> bool) -> Timestamp {
    let (mut before, mut after) = (before.millis(), after.millis());
    while after - before > SECOND {
        let middle = before + (after - before) / 2 / SECOND * SECOND;
        if has_changed(Timestamp::from_millis(middle)) {
            after = middle;
        } else {
            before = middle;
        }
    }
    Timestamp::from_millis(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_found_to_the_second() {
        let at = |second: i64| Timestamp::from_millis(second * SECOND);
        let people = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<People>();
        let source = |time: Timestamp| if time < at(1_003) { people(&["ann"]) } else { people(&["bob"]) };
        let muster = |time: Timestamp| match time.millis() / SECOND {
            0..700 => people(&["ann"]),
            700..1_500 => people(&[]),
            _ => people(&["bob"]),
        };
        let instants: Vec<Timestamp> = (0..20).map(|number| at(number * 100)).collect();
        let found = differences(&instants, at(2_000), &source, muster);
        let shown: Vec<_> = found
            .iter()
            .map(|one| (one.time.start().millis() / SECOND, one.time.end().millis() / SECOND, one.source.len()))
            .collect();
        assert_eq!(shown, [(700, 1_003, 1), (1_003, 1_500, 1)]);
        assert_eq!((&found[1].source, &found[1].muster), (&people(&["bob"]), &people(&[])));
        assert!(differences(&instants, at(2_000), &source, source).is_empty());
        let always = differences(&instants, at(2_000), &source, |_| people(&["cy"]));
        assert_eq!((always.len(), always[1].time.end()), (2, at(2_000)));
    }
}
