//! Union, gaps, overlaps, intersection and difference of stretches of time.
//!
//! The arguments may come in any order and overlap each other. The answers are in order and disjoint, and stretches
//! that touch are one. Each costs as much as sorting its arguments.

use std::collections::BTreeSet;

use base::Timestamp;

use crate::interval::Interval;

/// A stretch that at least two of the given intervals cover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The stretch: as long as it can be with the same members throughout.
    pub interval: Interval,
    /// Which intervals cover it, as positions in the argument, ascending.
    pub members: Vec<usize>,
}

/// The time that any of the intervals covers.
pub fn union(intervals: impl IntoIterator<Item = Interval>) -> Vec<Interval> {
    let mut sorted: Vec<Interval> = intervals.into_iter().collect();
    sorted.sort_unstable();
    let mut merged: Vec<Interval> = Vec::with_capacity(sorted.len());
    for interval in sorted {
        match merged.last_mut() {
            Some(last) if interval.start() <= last.end() => {
                let end = last.end().max(interval.end());
                *last = Interval::new(last.start(), end).unwrap_or(*last);
            }
            _ => merged.push(interval),
        }
    }
    merged
}

/// The time of `range` that none of the intervals covers.
pub fn gaps(range: Interval, covered: impl IntoIterator<Item = Interval>) -> Vec<Interval> {
    subtract([range], covered)
}

/// The time that `from` covers and `taken` does not.
pub fn subtract(from: impl IntoIterator<Item = Interval>, taken: impl IntoIterator<Item = Interval>) -> Vec<Interval> {
    let taken = union(taken);
    let mut left = Vec::new();
    let mut next = 0;
    for interval in union(from) {
        let mut start = interval.start();
        // What ends before this interval ends before all later ones too.
        next += taken.iter().skip(next).take_while(|hole| hole.end() <= start).count();
        for hole in taken.iter().skip(next).take_while(|hole| hole.start() < interval.end()) {
            left.extend(Interval::new(start, hole.start()));
            start = start.max(hole.end());
        }
        left.extend(Interval::new(start, interval.end()));
    }
    left
}

/// The time that both cover.
pub fn intersection(
    one: impl IntoIterator<Item = Interval>,
    other: impl IntoIterator<Item = Interval>,
) -> Vec<Interval> {
    let one = union(one);
    let other = union(other);
    let mut ours = one.iter().peekable();
    let mut theirs = other.iter().peekable();
    let mut common = Vec::new();
    while let (Some(our), Some(their)) = (ours.peek(), theirs.peek()) {
        common.extend(our.intersection(**their));
        // The one that ends first meets nothing more.
        if our.end() < their.end() {
            ours.next()
        } else {
            theirs.next()
        };
    }
    common
}

/// The stretches that at least two of the intervals cover, and which do.
///
/// The positions of the members are listed for each stretch, so the answer grows with the square of the number of
/// intervals where all of them overlap: `None` where it would list more than `most`.
pub fn overlaps(intervals: &[Interval], most: usize) -> Option<Vec<Overlap>> {
    let mut changes: Vec<(Timestamp, bool, usize)> = Vec::with_capacity(intervals.len() * 2);
    for (index, interval) in intervals.iter().enumerate() {
        changes.push((interval.start(), true, index));
        changes.push((interval.end(), false, index));
    }
    changes.sort_unstable();
    let mut active = BTreeSet::new();
    let mut overlaps = Vec::new();
    let mut left = most;
    let mut since = None;
    for (at, starts, index) in changes {
        if let Some(interval) = since.and_then(|since| Interval::new(since, at))
            && active.len() > 1
        {
            left = left.checked_sub(active.len())?;
            overlaps.push(Overlap { interval, members: active.iter().copied().collect() });
        }
        if starts {
            active.insert(index)
        } else {
            active.remove(&index)
        };
        since = Some(at);
    }
    Some(overlaps)
}

/// How long the intervals cover, in milliseconds; time covered twice counts once.
pub fn covered_millis(intervals: impl IntoIterator<Item = Interval>) -> u64 {
    union(intervals).into_iter().map(Interval::millis).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn stretch(start: i64, end: i64) -> Interval {
        Interval::new(at(start), at(end)).unwrap()
    }

    fn stretches(pairs: &[(i64, i64)]) -> Vec<Interval> {
        pairs.iter().map(|&(start, end)| stretch(start, end)).collect()
    }

    #[test]
    fn an_interval_is_half_open_and_never_empty() {
        assert_eq!(Interval::new(at(1), at(1)), None);
        assert_eq!(Interval::new(at(2), at(1)), None);
        let interval = stretch(1, 3);
        assert!(interval.contains(at(1)) && interval.contains(at(2)));
        assert!(!interval.contains(at(0)) && !interval.contains(at(3)));
        assert_eq!(interval.intersection(stretch(2, 9)), Some(stretch(2, 3)));
        assert_eq!(interval.intersection(stretch(3, 9)), None);
        assert_eq!(interval.millis(), 2);
        assert_eq!(stretch(i64::MIN, i64::MAX).millis(), u64::MAX);
        let json = serde_json::to_string(&stretch(0, 1_000)).unwrap();
        assert_eq!(json, r#"{"start":"1970-01-01T00:00:00+0000","end":"1970-01-01T00:00:01+0000"}"#);
    }

    #[test]
    fn what_touches_is_one() {
        assert_eq!(union(stretches(&[(5, 6), (1, 3), (3, 4), (2, 3)])), stretches(&[(1, 4), (5, 6)]));
    }

    #[test]
    fn gaps_lie_within_the_range() {
        let covered = stretches(&[(-5, 1), (2, 3), (3, 4), (8, 20)]);
        assert_eq!(gaps(stretch(0, 10), covered), stretches(&[(1, 2), (4, 8)]));
        assert_eq!(gaps(stretch(0, 10), []), stretches(&[(0, 10)]));
        assert_eq!(gaps(stretch(0, 10), stretches(&[(-1, 11)])), []);
    }

    #[test]
    fn overlaps_name_who_overlaps() {
        let overlap =
            |start, end, members: &[usize]| Overlap { interval: stretch(start, end), members: members.to_vec() };
        let set = stretches(&[(4, 9), (0, 6), (5, 7), (6, 8), (20, 21), (21, 22)]);
        let found = overlaps(&set, 10).unwrap();
        let expected =
            [overlap(4, 5, &[0, 1]), overlap(5, 6, &[0, 1, 2]), overlap(6, 7, &[0, 2, 3]), overlap(7, 8, &[0, 3])];
        assert_eq!(found, expected);
        assert_eq!(overlaps(&set, 9), None, "ten members are too many");
    }

    const SPAN: i64 = 24;

    fn some() -> impl Strategy<Value = Vec<Interval>> {
        let one = (0..SPAN, 1..8_i64).prop_map(|(start, length)| stretch(start, (start + length).min(SPAN)));
        vec(one, 0..8)
    }

    fn covers(set: &[Interval], instant: i64) -> bool {
        set.iter().any(|interval| interval.contains(at(instant)))
    }

    fn is_tidy(set: &[Interval]) -> bool {
        set.windows(2).all(|pair| pair[0].end() < pair[1].start())
    }

    proptest! {
        #[test]
        fn every_operation_is_what_it_is_at_each_instant(one in some(), other in some()) {
            let both: Vec<Interval> = one.iter().chain(&other).copied().collect();
            let results = [
                union(both.iter().copied()),
                intersection(one.iter().copied(), other.iter().copied()),
                subtract(one.iter().copied(), other.iter().copied()),
                gaps(stretch(0, SPAN), one.iter().copied()),
            ];
            for instant in 0..SPAN {
                let a = covers(&one, instant);
                let b = covers(&other, instant);
                let expected = [a || b, a && b, a && !b, !a];
                let found = results.each_ref().map(|set| covers(set, instant));
                prop_assert_eq!(found, expected, "at {}", instant);
            }
            prop_assert!(results.iter().all(|set| is_tidy(set)));
            let covered = (0..SPAN).filter(|&instant| covers(&one, instant)).count();
            prop_assert_eq!(covered_millis(one), covered as u64);
        }

        #[test]
        fn overlaps_are_what_they_are_at_each_instant(set in some()) {
            let found = overlaps(&set, usize::MAX).unwrap();
            for instant in 0..SPAN {
                let members: Vec<usize> = (0..set.len()).filter(|&index| set[index].contains(at(instant))).collect();
                let holds = |overlap: &&Overlap| overlap.interval.contains(at(instant));
                let here: Vec<&Overlap> = found.iter().filter(holds).collect();
                if members.len() < 2 {
                    prop_assert!(here.is_empty());
                } else {
                    prop_assert_eq!(here.len(), 1);
                    prop_assert_eq!(&here[0].members, &members);
                }
            }
            for pair in found.windows(2) {
                prop_assert!(pair[0].interval.end() <= pair[1].interval.start());
                prop_assert!(pair[0].interval.end() < pair[1].interval.start() || pair[0].members != pair[1].members);
            }
        }
    }
}
