//! After how many seconds half of some things had happened, and nine tenths: exactly, without all of the times in
//! memory.
//!
//! The times are counted in buckets, exact ones of short times and wider ones of longer times. Where a bucket is wide
//! that has the time in question, another walk over the times counts what is in it.

use super::super::wire::AlertTimes;

/// The buckets of a row; those of the first have a second each.
const ROW: usize = 128;
/// The parts into which a bucket is divided.
const PARTS: u32 = 1_024;

/// What becomes of an alert of which the time is told.
pub const ACKNOWLEDGED: usize = 0;
/// See [`ACKNOWLEDGED`].
pub const CLOSED: usize = 1;

/// How many times are in each bucket.
#[derive(Clone, Default)]
struct Buckets {
    rows: Vec<Option<Box<[u32; ROW]>>>,
}

/// Row and place of the bucket of a time.
const fn bucket(seconds: u32) -> (usize, usize) {
    if seconds < ROW as u32 {
        return (0, seconds as usize);
    }
    let shift = seconds.ilog2() - ROW.ilog2();
    (shift as usize + 1, (seconds >> shift) as usize % ROW)
}

/// The shortest time of a bucket, and how many times it has.
const fn bounds(row: usize, place: usize) -> (u32, u32) {
    if row == 0 {
        return (place as u32, 1);
    }
    let shift = row as u32 - 1;
    (((ROW + place) as u32) << shift, 1 << shift)
}

impl Buckets {
    #[inline]
    fn add(&mut self, seconds: u32) {
        let (row, place) = bucket(seconds);
        if self.rows.len() <= row {
            self.rows.resize(row + 1, None);
        }
        self.rows[row].get_or_insert_with(|| Box::new([0; ROW]))[place] += 1;
    }

    /// The bucket of the time with a rank.
    fn find(&self, mut rank: i64) -> Option<Range> {
        for (row, counts) in self.rows.iter().enumerate() {
            for (place, count) in counts.iter().flat_map(|counts| counts.iter().enumerate()) {
                if rank <= i64::from(*count) {
                    let (low, width) = bounds(row, place);
                    return Some(Range { low, width, rank, parts: Vec::new() });
                }
                rank -= i64::from(*count);
            }
        }
        None
    }
}

/// Where a time lies, and the how manieth it is of those there.
#[derive(Clone, Debug)]
struct Range {
    low: u32,
    width: u32,
    rank: i64,
    parts: Vec<u32>,
}

impl Range {
    const fn step(&self) -> u32 {
        self.width.div_ceil(PARTS)
    }

    #[inline]
    fn add(&mut self, seconds: u32) {
        if self.width > 1 && seconds >= self.low && seconds - self.low < self.width {
            let place = (seconds - self.low) / self.step();
            if self.parts.is_empty() {
                self.parts = vec![0; PARTS as usize];
            }
            self.parts[place as usize] += 1;
        }
    }

    /// Goes on with the part that has the time.
    fn narrow(&mut self) {
        let step = self.step();
        for (place, count) in std::mem::take(&mut self.parts).into_iter().enumerate() {
            if self.rank <= i64::from(count) {
                self.low += place as u32 * step;
                self.width = step;
                return;
            }
            self.rank -= i64::from(count);
        }
    }
}

/// The times of what happened to the alerts of one key.
#[derive(Clone, Default)]
struct Spread {
    buckets: Buckets,
    ranges: Vec<Range>,
}

/// The times of all keys.
pub struct Spreads {
    of_keys: Vec<[Spread; 2]>,
    /// Is it the first walk?
    is_first: bool,
}

/// The rank of the shortest time that so many of a hundred do not exceed.
const fn rank(count: i64, percent: i64) -> i64 {
    count.saturating_mul(percent).saturating_add(99) / 100
}

impl Spreads {
    /// Of so many keys.
    pub fn new(keys: usize) -> Self {
        Self { of_keys: vec![<[Spread; 2]>::default(); keys], is_first: true }
    }

    /// Takes a time.
    #[inline]
    pub fn add(&mut self, key: usize, what: usize, seconds: u32) {
        let spread = &mut self.of_keys[key][what];
        if self.is_first {
            spread.buckets.add(seconds);
        } else {
            spread.ranges.iter_mut().for_each(|range| range.add(seconds));
        }
    }

    /// Ends a walk over all times, of which there are so many for each key; true when another one is needed.
    pub fn end_walk(&mut self, counts: impl Iterator<Item = [i64; 2]>) -> bool {
        for (spreads, counts) in self.of_keys.iter_mut().zip(counts) {
            for (spread, count) in spreads.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
                if self.is_first {
                    let ranks = [rank(count, 50), rank(count, 90)];
                    spread.ranges = ranks.into_iter().filter_map(|rank| spread.buckets.find(rank)).collect();
                    spread.buckets = Buckets::default();
                } else {
                    spread.ranges.iter_mut().filter(|range| range.width > 1).for_each(Range::narrow);
                }
            }
        }
        self.is_first = false;
        self.of_keys.iter().flatten().flat_map(|spread| &spread.ranges).any(|range| range.width > 1)
    }

    /// What came of it.
    pub fn read(&self, key: usize, what: usize, count: i64) -> AlertTimes {
        let mut ranges = self.of_keys[key][what].ranges.iter().map(|range| i64::from(range.low));
        AlertTimes { count, p50: ranges.next(), p90: ranges.next() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buckets_follow_each_other() {
        let mut expected = 0;
        for row in 0..20 {
            for place in 0..ROW {
                let (low, width) = bounds(row, place);
                assert_eq!(low, expected);
                assert_eq!((bucket(low), bucket(low + width - 1)), ((row, place), (row, place)));
                expected = low + width;
            }
        }
        bucket(u32::MAX);
    }

    proptest! {
        #[test]
        fn shares_are_exact(
            times in prop::collection::vec(prop_oneof![0..300_u32, 0..100_000_u32, 0..40_000_000_u32], 1..300),
        ) {
            let count = times.len() as i64;
            let mut spreads = Spreads::new(1);
            loop {
                times.iter().for_each(|time| spreads.add(0, CLOSED, *time));
                if !spreads.end_walk([[0, count]].into_iter()) {
                    break;
                }
            }
            let mut sorted = times.clone();
            sorted.sort_unstable();
            let of = |percent| Some(i64::from(sorted[rank(count, percent) as usize - 1]));
            prop_assert_eq!(spreads.read(0, CLOSED, count), AlertTimes { count, p50: of(50), p90: of(90) });
            prop_assert_eq!(spreads.read(0, ACKNOWLEDGED, 0), AlertTimes::default());
        }
    }
}
