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
mod tests;
