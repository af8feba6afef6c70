//! The pieces of one shift.

use std::collections::BTreeSet;

use base::timestamp::Timestamp;
use calendar::Interval;

use super::{Assignment, Label, Lines, MOST_PIECES, Pieces, Segment, widened};

/// How many overrides of a piece are told, the last ones: what is below those has no effect that anybody sees.
const DEEPEST: usize = 64;

/// What begins or ends at an instant.
#[derive(Clone, Copy, Debug)]
enum Boundary {
    /// Somebody's time at a post.
    Assignment(Assignment),
    /// An override of the shift, while that takes place as it was.
    Cover(usize),
    /// An override that has an effect when something takes place: of the whole roster, or of one person.
    Beside(usize),
}

impl Lines {
    /// The pieces of a shift, whose versions are given, that have a part in a range.
    pub(super) fn line(&self, id: &str, versions: &[usize], range: Interval, found: &mut Pieces) {
        let posts = self.posts(versions, range, found);
        let covers = self.covers(id, range);
        if posts.is_empty() && covers.is_empty() {
            return;
        }
        let whole = widened(range, posts.iter().map(|(time, _)| *time).chain(covers.iter().map(|(time, _)| *time)));
        let beside: Vec<(Interval, usize)> = (0..)
            .zip(&self.overrides)
            .filter(|(_, one)| one.shift.as_ref().is_none_or(|shift| one.of_one && shift.id == id))
            .filter(|(_, one)| one.time.intersection(whole).is_some())
            .map(|(place, one)| (one.time, place))
            .collect();
        let covers = if whole == range { covers } else { self.covers(id, whole) };
        if covers.is_empty() && beside.is_empty() {
            let piece = |(time, post): (Interval, Assignment)| Segment {
                time,
                shift: Label::Version(post.version),
                post: Some(post),
                over: Vec::new(),
            };
            found.list.extend(posts.into_iter().map(piece));
            return;
        }
        let posts = if whole == range { posts } else { self.posts(versions, whole, found) };
        let mut changes: Vec<(Timestamp, bool, Boundary)> = Vec::new();
        let mut add = |time: Interval, change: Boundary| {
            changes.push((time.start(), true, change));
            changes.push((time.end(), false, change));
        };
        posts.into_iter().for_each(|(time, post)| add(time, Boundary::Assignment(post)));
        covers.into_iter().for_each(|(time, place)| add(time, Boundary::Cover(place)));
        beside.into_iter().for_each(|(time, place)| add(time, Boundary::Beside(place)));
        // What ends at an instant goes before what begins at it.
        changes.sort_by_key(|(at, begins, _)| (*at, *begins));
        self.sweep(&changes, &mut found.list);
    }

    fn sweep(&self, changes: &[(Timestamp, bool, Boundary)], pieces: &mut Vec<Segment>) {
        let mut post: Option<Assignment> = None;
        let (mut covers, mut over): (BTreeSet<usize>, BTreeSet<usize>) = Default::default();
        let nexts = changes.iter().skip(1).map(|(at, ..)| Some(*at)).chain([None]);
        for ((at, begins, change), next) in changes.iter().zip(nexts) {
            match change {
                Boundary::Assignment(here) => post = begins.then_some(*here),
                Boundary::Cover(place) if *begins => {
                    covers.insert(*place);
                    over.insert(*place);
                }
                Boundary::Cover(place) => {
                    covers.remove(place);
                    over.remove(place);
                }
                Boundary::Beside(place) if *begins => {
                    over.insert(*place);
                }
                Boundary::Beside(place) => {
                    over.remove(place);
                }
            }
            let Some(time) = next.and_then(|next| Interval::new(*at, next)) else { continue };
            let shift = match (post, covers.last()) {
                (Some(post), _) => Label::Version(post.version),
                (None, Some(place)) => Label::Override(*place),
                (None, None) => continue,
            };
            pieces.push(Segment { time, shift, post, over: self.told(&over) });
        }
    }

    /// Of all overrides of a piece, those that matter: the last one that takes all of it, what it takes it from, and
    /// those that were made later.
    fn told(&self, over: &BTreeSet<usize>) -> Vec<usize> {
        let mut told = Vec::new();
        let mut whole = 0;
        for place in over.iter().rev().take(DEEPEST) {
            told.push(*place);
            whole += usize::from(self.overrides.get(*place).is_some_and(|one| !one.of_one));
            if whole == 2 {
                break;
            }
        }
        told.reverse();
        told
    }

    fn posts(&self, versions: &[usize], range: Interval, found: &mut Pieces) -> Vec<(Interval, Assignment)> {
        let mut posts = Vec::new();
        for place in versions {
            let room = MOST_PIECES.saturating_sub(found.list.len() + posts.len());
            let Some(version) = self.versions.get(*place) else { continue };
            let own = version.posts(range, room);
            found.cut |= own.len() > room;
            posts.extend(own.into_iter().map(|(time, number)| (time, Assignment { version: *place, number })));
        }
        posts
    }

    /// The time of each override of this very shift, while that takes place as it was when the override was made.
    fn covers(&self, id: &str, range: Interval) -> Vec<(Interval, usize)> {
        let mut covers = Vec::new();
        for (place, one) in self.overrides.iter().enumerate().filter(|(_, one)| !one.of_one) {
            let Some(shift) = one.shift.as_ref().filter(|shift| shift.id == id) else { continue };
            let Some(asked) = one.time.intersection(range) else { continue };
            let stretches = shift.rule.stretches(asked.start()..asked.end()).into_iter();
            covers.extend(stretches.filter_map(|time| Some((time.intersection(one.time)?, place))));
        }
        covers
    }
}
