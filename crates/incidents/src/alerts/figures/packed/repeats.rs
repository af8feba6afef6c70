//! The problems that came back most often, with bounded memory.
//!
//! Alerts are counted by value and problem. Where there are too many of those at once, the problems are divided by
//! their numbers, and each part has a walk of its own.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use super::{super::rules::MOST_REPEATS, sources::AlertPlace};

/// The most values and problems that are counted at once.
const MOST_AT_ONCE: usize = 450_000;

/// The bits of the number of a problem, below those of a value.
const PROBLEM_BITS: u32 = 96;

/// The alerts of one value that are about one problem: how many, and the latest.
#[derive(Clone, Copy, Debug)]
struct Group {
    count: u32,
    latest: AlertPlace,
}

/// A problem that came back.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How many alerts there were.
    pub count: u32,
    /// The latest of them.
    pub latest: AlertPlace,
    /// Others of the same time, in other sources: the latest of all is that whose id is the last one.
    pub tied: Vec<AlertPlace>,
}

impl Candidate {
    /// Does it surely stand before another? Of alerts of two sources that have the same time, the ids decide, which are
    /// not known here.
    fn is_before(&self, other: &Self) -> bool {
        let rank = |candidate: &Self| (candidate.count, candidate.latest.time);
        rank(self) > rank(other)
            || (rank(self) == rank(other)
                && self.tied.is_empty()
                && other.tied.is_empty()
                && self.latest.source == other.latest.source
                && self.latest.ordinal > other.latest.ordinal)
    }
}

/// A hash of what is one already.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }

    fn write_u128(&mut self, number: u128) {
        let high = ((number >> PROBLEM_BITS) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = (number as u64 ^ high).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 ^= self.0 >> 32;
    }
}

/// The number of a problem of a tenant, since those of two tenants are two.
pub const fn number_of(problem: u128, tenant: usize) -> u128 {
    let other = (tenant as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060);
    (problem ^ other) & ((1 << PROBLEM_BITS) - 1)
}

/// A part of all problems: those whose numbers end with some bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    bits: u32,
    end: u128,
}

impl Part {
    const fn has(self, problem: u128) -> bool {
        problem & ((1 << self.bits) - 1) == self.end
    }
}

/// What is counted in a walk, and what came of walks before.
pub struct Repeats {
    part: Part,
    /// The parts that are left.
    left: Vec<Part>,
    most: usize,
    places: HashMap<u128, u32, BuildHasherDefault<Mixed>>,
    groups: Vec<Group>,
    tied: HashMap<u32, Vec<AlertPlace>>,
    of_keys: Vec<Vec<Candidate>>,
}

impl Repeats {
    /// Of so many keys.
    pub fn new(keys: usize) -> Self {
        let part = Part { bits: 0, end: 0 };
        let of_keys = vec![Vec::new(); keys];
        Self {
            part,
            left: Vec::new(),
            most: MOST_AT_ONCE,
            places: HashMap::default(),
            groups: Vec::new(),
            tied: HashMap::new(),
            of_keys,
        }
    }

    /// Where alerts of a value and problem are counted; `None` in another walk.
    #[inline]
    pub fn group(&mut self, value: u32, problem: u128) -> Option<u32> {
        if !self.part.has(problem) {
            return None;
        }
        let next = self.groups.len() as u32;
        let groups = &mut self.groups;
        let place = self.places.entry(u128::from(value) << PROBLEM_BITS | problem).or_insert_with(|| {
            groups.push(Group { count: 0, latest: AlertPlace::default() });
            next
        });
        Some(*place)
    }

    /// Counts an alert. Those of a source come in the order of their ids.
    #[inline]
    pub fn add(&mut self, place: u32, alert: AlertPlace) {
        let group = &mut self.groups[place as usize];
        group.count += 1;
        if alert.time == group.latest.time && alert.source != group.latest.source && group.count > 1 {
            self.tied.entry(place).or_default().push(group.latest);
        }
        if alert.time >= group.latest.time {
            group.latest = alert;
        }
    }

    /// Leaves half of the problems for another walk when there are too many. To be called where no group is known.
    pub fn divide(&mut self) {
        while self.groups.len() > self.most && self.part.bits < 64 {
            let Part { bits, end } = self.part;
            self.left.push(Part { bits: bits + 1, end: end | 1 << bits });
            self.part.bits += 1;
            let mut groups = Vec::new();
            let mut tied = std::mem::take(&mut self.tied);
            for (key, place) in std::mem::take(&mut self.places) {
                if self.part.has(key & ((1 << PROBLEM_BITS) - 1)) {
                    self.places.insert(key, groups.len() as u32);
                    self.tied.extend(tied.remove(&place).map(|tied| (groups.len() as u32, tied)));
                    groups.push(self.groups[place as usize]);
                }
            }
            self.groups = groups;
        }
    }

    /// Ends a walk over all alerts; true when another one is needed. `keys` are those of a value.
    pub fn end_walk<'a>(&mut self, keys: impl Fn(u32) -> &'a [usize]) -> bool {
        for (key, place) in std::mem::take(&mut self.places) {
            let Group { count, latest } = self.groups[place as usize];
            if count < 2 {
                continue;
            }
            // Some may be of an earlier time than the latest one.
            let mut tied = self.tied.remove(&place).unwrap_or_default();
            tied.retain(|other| other.time == latest.time);
            for place in keys((key >> PROBLEM_BITS) as u32) {
                offer(&mut self.of_keys[*place], Candidate { count, latest, tied: tied.clone() });
            }
        }
        self.tied.clear();
        self.groups.clear();
        match self.left.pop() {
            Some(part) => {
                self.part = part;
                true
            }
            None => false,
        }
    }

    /// Those that may be the first ones of each key.
    pub fn read(self) -> Vec<Vec<Candidate>> {
        self.of_keys
    }
}

/// Adds one to those that may be the first ones, unless enough stand before it.
fn offer(known: &mut Vec<Candidate>, new: Candidate) {
    let has_room = |known: &[Candidate], one: &Candidate| {
        known.iter().filter(|other| other.is_before(one)).take(MOST_REPEATS).count() < MOST_REPEATS
    };
    if has_room(known, &new) {
        known.push(new);
        let all = known.to_vec();
        known.retain(|one| has_room(&all, one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(time: u64, source: u32, ordinal: u32) -> AlertPlace {
        AlertPlace { time, source, ordinal, before: 0 }
    }

    /// Counts, times, sources and places of what is left.
    fn walked(most: usize) -> (usize, Vec<(u32, u64)>) {
        let mut repeats = Repeats { most, ..Repeats::new(1) };
        let mut walks = 0;
        loop {
            for round in 0..3 {
                for problem in 0..40_u128 {
                    // The problem with the number n has an alert in each round from n mod 4 on.
                    if problem % 4 <= round
                        && let Some(group) = repeats.group(0, problem)
                    {
                        repeats.add(group, place(round as u64 * 100 + problem as u64, 0, 0));
                    }
                }
                repeats.divide();
            }
            walks += 1;
            if !repeats.end_walk(|_| &[0]) {
                break;
            }
        }
        let mut left: Vec<(u32, u64)> =
            repeats.read().remove(0).iter().map(|one| (one.count, one.latest.time)).collect();
        left.sort_unstable_by(|one, other| other.cmp(one));
        (walks, left)
    }

    #[test]
    fn problems_are_divided_when_there_are_many() {
        let expected = vec![(3, 236), (3, 232), (3, 228)];
        assert_eq!(walked(100), (1, expected.clone()));
        let (walks, found) = walked(7);
        assert_eq!((walks > 4, found), (true, expected));
    }

    #[test]
    fn those_of_two_sources_at_one_time_are_left_to_their_ids() {
        let mut known = Vec::new();
        for (time, source, ordinal) in [(5, 0, 0), (5, 0, 1), (5, 1, 0), (5, 0, 2), (5, 0, 3), (4, 0, 0), (5, 1, 1)] {
            offer(&mut known, Candidate { count: 2, latest: place(time, source, ordinal), tied: Vec::new() });
        }
        let mut left: Vec<_> = known.iter().map(|one| (one.latest.source, one.latest.ordinal)).collect();
        left.sort_unstable();
        assert_eq!(left, [(0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]);
        offer(&mut known, Candidate { count: 3, latest: place(1, 9, 9), tied: Vec::new() });
        assert_eq!(known.len(), 5, "one of the first source has three before it now");
    }
}
