//! Who is on call when: from what is planned ([`crate::lines`]) and the people that there are ([`crate::people`]) to
//! stretches of time. A stretch lasts until somebody hands over: pieces of one shift that follow each other without a
//! gap are one, as long as the same people are on call for the same reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::timestamp::{DAY_MS, Timestamp};
use calendar::{Interval, sets};

use crate::{
    away::Reason,
    lines::{Assignment, Label, Level, LineSelection, Pieces, Segment},
    people::RosterPeople,
    schedule::Schedule,
};

/// A stretch of time through which the same people are on call for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duty<'s> {
    pub time: Interval,
    /// Through which shift.
    pub shift: Label,
    /// By which override, by its place; `None` for those who stand in the shift.
    pub by: Option<usize>,
    /// Their ids; nobody when they are not in use.
    pub users: Vec<&'s str>,
    /// The ids of those whom the override relieves.
    pub replaces: Vec<&'s str>,
    /// Why those who stand in the shift have the turn of others.
    pub why: Option<&'s Reason>,
}

/// Who is on call at an instant, and who is next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State<'s> {
    /// Those on call.
    pub current: Vec<Duty<'s>>,
    /// Of each level, those whose time begins next, all at the same instant.
    pub next: Vec<Duty<'s>>,
    /// Nothing of this changes before then.
    pub until: Option<Timestamp>,
}

/// How far ahead the next one is looked for, in days; a step is taken when the one before it found nothing.
const AHEAD: [i64; 4] = [2, 35, 400, 4_020];

/// How far before and behind what is known its beginning and its end are looked for, in milliseconds; a step is taken
/// when the one before it did not find them. Most stretches end where their piece does.
const AROUND: [i64; 5] = [1, 2 * DAY_MS, 35 * DAY_MS, 400 * DAY_MS, 4_020 * DAY_MS];

/// A stretch without an end ends here.
pub const NEVER: Timestamp = Timestamp::from_millis(i64::MAX);

/// Finds who is on call through one roster.
pub struct Duties<'s> {
    schedule: &'s Schedule,
    staff: &'s RosterPeople,
    posts: HashMap<Assignment, Vec<&'s str>>,
    /// What goes on has the name that its shift has then, or else at the nearest time.
    named_at: Timestamp,
}

/// What is one stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StretchKey {
    /// What goes on, whatever its shift is called.
    Shift,
    /// The same with one name.
    Name,
}

impl<'s> Duties<'s> {
    /// Of a roster with these people.
    pub fn new(schedule: &'s Schedule, staff: &'s RosterPeople) -> Self {
        Self { schedule, staff, posts: HashMap::new(), named_at: Timestamp::from_millis(i64::MIN) }
    }

    /// The same, where what goes on through a rename has the name that holds at an instant.
    pub fn named_at(self, at: Timestamp) -> Self {
        Self { named_at: at, ..self }
    }

    /// All that have a part in a range, in order. At its ends they may go on longer, as [`Duties::whole_of`]
    /// says.
    pub fn within(&mut self, range: Interval, of: LineSelection<'_>) -> (Vec<Duty<'s>>, bool) {
        self.joined_within(range, of, StretchKey::Shift)
    }

    /// The same, in which a rename of a shift ends a duty and begins one.
    pub fn by_name(&mut self, range: Interval) -> (Vec<Duty<'s>>, bool) {
        self.joined_within(range, LineSelection::All, StretchKey::Name)
    }

    fn joined_within(&mut self, range: Interval, of: LineSelection<'_>, joint: StretchKey) -> (Vec<Duty<'s>>, bool) {
        let Pieces { list, cut } = self.schedule.lines.pieces(range, of);
        let mut duties = self.joined(&list, joint);
        duties.retain(|duty| duty.time.intersection(range).is_some());
        (duties, cut)
    }

    /// What is so at an instant.
    pub fn state(&mut self, at: Timestamp) -> State<'s> {
        let mut state = State::default();
        let mut until = self.staff.next_change(at).unwrap_or(NEVER);
        for duty in self.at(at, LineSelection::All) {
            until = until.min(duty.time.end());
            if !duty.users.is_empty() {
                state.current.push(self.whole(duty));
            }
        }
        let mut levels = self.schedule.lines.levels();
        levels.push(Level::Primary);
        levels.sort_unstable();
        levels.dedup();
        for level in &levels {
            let of = if levels.len() == 1 { LineSelection::All } else { LineSelection::Level(*level) };
            until = until.min(self.next(at, of, &mut state.next));
        }
        state.until = Some(until);
        state
    }

    /// What is so at an instant, each as long as nothing at all changes.
    fn at(&mut self, at: Timestamp, of: LineSelection<'_>) -> Vec<Duty<'s>> {
        let instant = Interval::new(at, Timestamp::from_millis(at.millis().saturating_add(1)));
        let pieces = instant.map(|instant| self.schedule.lines.pieces(instant, of).list).unwrap_or_default();
        let mut duties: Vec<Duty<'s>> = pieces.iter().flat_map(|piece| self.of_piece(piece)).collect();
        duties.retain(|duty| duty.time.contains(at));
        duties
    }

    /// Adds those whose time begins next; answers until when that holds.
    fn next(&mut self, at: Timestamp, of: LineSelection<'_>, next: &mut Vec<Duty<'s>>) -> Timestamp {
        let ahead = |days: i64| Interval::new(at, Timestamp::from_millis(at.millis().saturating_add(days * DAY_MS)));
        let mut until = NEVER;
        for range in AHEAD.into_iter().filter_map(ahead) {
            let (duties, cut) = self.within(range, of);
            let later = || duties.iter().filter(|duty| duty.time.start() > at);
            let ends = duties.iter().map(|duty| duty.time.end()).filter(|end| *end > at);
            until = ends.chain(later().map(|duty| duty.time.start())).chain([range.end()]).min().unwrap_or(until);
            let first = later().filter(|duty| !duty.users.is_empty()).map(|duty| duty.time.start()).min();
            if let Some(first) = first {
                // What they take over is what it is when they do.
                let then = self.at(first, of);
                let begins =
                    |duty: &&Duty<'s>| duties.iter().any(|one| one.time.start() == first && self.same(one, duty));
                let found: Vec<Duty<'s>> = then.iter().filter(begins).cloned().collect();
                let found = found.into_iter().filter(|duty| !duty.users.is_empty());
                next.extend(found.map(|duty| self.whole(duty)));
                break;
            }
            if cut {
                break;
            }
        }
        until
    }

    /// A duty that [`Duties::within`] found in a range, from when it began until it ends.
    pub fn whole_of(&mut self, duty: Duty<'s>, range: Interval) -> Duty<'s> {
        // Inside of the range its pieces are joined.
        let is_whole = range.start() < duty.time.start() && duty.time.end() < range.end();
        if is_whole { duty } else { self.whole(duty) }
    }

    /// A duty from when it began until it ends.
    fn whole(&mut self, duty: Duty<'s>) -> Duty<'s> {
        let mut whole = duty;
        let of = self.schedule.shift(whole.shift).map_or(LineSelection::All, |(id, _)| LineSelection::Shift(id));
        for by in AROUND {
            let Some(before) = back(whole.time.start(), by) else { break };
            let Some(joined) = self.touching(&whole, before, of) else { break };
            whole.time = joined;
            if before.start() < joined.start() {
                break;
            }
        }
        for by in AROUND {
            let end = whole.time.end();
            let after = Interval::new(end, Timestamp::from_millis(end.millis().saturating_add(by)));
            let Some(after) = after else { break };
            let Some(joined) = self.touching(&whole, after, of) else { break };
            whole.time = joined;
            if joined.end() < after.end() {
                break;
            }
        }
        whole
    }

    /// The time of a duty together with what it goes on in there, before or behind it.
    fn touching(&mut self, duty: &Duty<'s>, there: Interval, of: LineSelection<'_>) -> Option<Interval> {
        let (duties, _) = self.within(there, of);
        let touches =
            |other: &&Duty<'_>| other.time.start() <= duty.time.end() && duty.time.start() <= other.time.end();
        let other = duties.iter().filter(touches).find(|other| self.same(duty, other))?;
        let (start, end) = (other.time.start().min(duty.time.start()), other.time.end().max(duty.time.end()));
        Interval::new(start, end)
    }

    /// The times within a range in which shifts take place with nobody in them, by shift. Those that begin before the
    /// range are known from their beginning.
    pub fn unstaffed(&mut self, range: Interval) -> Vec<(Label, Interval)> {
        let mut found = Vec::new();
        for (shift, times) in self.empty(range, LineSelection::All) {
            let id = self.shift_id(shift);
            let of = id.map_or(LineSelection::All, LineSelection::Shift);
            for time in times {
                let mut time = time;
                let steps = if time.start() <= range.start() { AROUND.as_slice() } else { &[] };
                for by in steps {
                    let Some(before) = back(time.start(), *by) else { break };
                    let mut there = self.empty(before, of);
                    there.retain(|(other, _)| self.shift_id(*other) == id);
                    let mut times = there.into_iter().flat_map(|(_, times)| times);
                    let Some(joined) = times.find(|other| other.end() >= time.start()) else { break };
                    time = Interval::new(joined.start().min(time.start()), time.end()).unwrap_or(time);
                    if before.start() < joined.start() {
                        break;
                    }
                }
                found.push((shift, time));
            }
        }
        found.sort_by_key(|(shift, time)| (*time, *shift));
        found
    }

    /// The times of pieces without anybody that have a part in a range, by shift.
    fn empty(&mut self, range: Interval, of: LineSelection<'_>) -> Vec<(Label, Vec<Interval>)> {
        let (duties, _) = self.within(range, of);
        let mut by_shift: BTreeMap<Option<&str>, (Label, Vec<Interval>)> = BTreeMap::new();
        for duty in duties.iter().filter(|duty| duty.users.is_empty()) {
            by_shift.entry(self.shift_id(duty.shift)).or_insert((duty.shift, Vec::new())).1.push(duty.time);
        }
        by_shift.into_values().map(|(shift, times)| (shift, sets::union(times))).collect()
    }

    fn same(&self, one: &Duty<'_>, other: &Duty<'_>) -> bool {
        let is_same_reason = match (one.why, other.why) {
            (Some(one), Some(other)) => {
                (one.mode, &one.time_off) == (other.mode, &other.time_off)
                    && same_people(&one.instead_of, &other.instead_of)
            }
            (one, other) => one == other,
        };
        one.by == other.by
            && is_same_reason
            && same_people(&one.users, &other.users)
            && self.shift_id(one.shift) == self.shift_id(other.shift)
            && self.schedule.level(one.shift).unwrap_or_default()
                == self.schedule.level(other.shift).unwrap_or_default()
    }

    fn shift_id(&self, shift: Label) -> Option<&'s str> {
        self.schedule.shift(shift).map(|(id, _)| id)
    }

    /// Who is on call in pieces that are in order; those that go on are joined.
    fn joined(&mut self, pieces: &[Segment], joint: StretchKey) -> Vec<Duty<'s>> {
        let mut duties: Vec<Duty<'s>> = Vec::with_capacity(pieces.len());
        // The last ones of each shift, which may go on.
        let mut open: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
        for piece in pieces {
            for duty in self.of_piece(piece) {
                let open = open.entry(self.shift_id(duty.shift)).or_default();
                open.retain(|place| duties.get(*place).is_some_and(|known| known.time.end() >= duty.time.start()));
                let goes_on = open.iter().copied().find(|place| {
                    duties.get(*place).is_some_and(|known| {
                        known.time.end() == duty.time.start()
                            && self.same(known, &duty)
                            && (joint == StretchKey::Shift
                                || self.schedule.shift(known.shift) == self.schedule.shift(duty.shift))
                    })
                });
                if let Some(known) = goes_on.and_then(|place| duties.get_mut(place)) {
                    if duty.time.start() <= self.named_at {
                        known.shift = duty.shift;
                    }
                    known.time = Interval::new(known.time.start(), duty.time.end()).unwrap_or(known.time);
                    let more: Vec<&str> = duty.replaces.into_iter().filter(|id| !known.replaces.contains(id)).collect();
                    known.replaces.extend(more);
                } else {
                    open.push(duties.len());
                    duties.push(duty);
                }
            }
        }
        duties
    }

    /// Who is on call in a piece, which changes of the people may cut.
    fn of_piece(&mut self, piece: &Segment) -> Vec<Duty<'s>> {
        let schedule = self.schedule;
        let staff = self.staff;
        let crew = piece.post.and_then(|post| schedule.crew(post));
        let named = piece.over.iter().filter_map(|place| schedule.overrides.get(*place));
        let changes = staff.changes(crew, named.map(|one| one.user.as_str()), piece.time);
        if changes.is_empty() {
            return self.settled(piece, piece.time);
        }
        let cuts: BTreeSet<Timestamp> = changes.into_iter().chain([piece.time.start(), piece.time.end()]).collect();
        let parts = cuts.iter().zip(cuts.iter().skip(1)).filter_map(|(from, to)| Interval::new(*from, *to));
        parts.flat_map(|time| self.settled(piece, time)).collect()
    }

    /// Who is on call in a part of a piece through which the people stay the same.
    fn settled(&mut self, piece: &Segment, time: Interval) -> Vec<Duty<'s>> {
        let schedule = self.schedule;
        let at = time.start();
        let duty = |by, users, replaces| Duty { time, shift: piece.shift, by, users, replaces, why: None };
        let mut duties: Vec<Duty<'s>> = Vec::with_capacity(1);
        if let Some(post) = piece.post {
            duties.push(Duty { why: schedule.reason(post), ..duty(None, self.at_post(post, at), Vec::new()) });
        }
        for place in &piece.over {
            let Some(one) = schedule.overrides.get(*place) else { continue };
            let user = Some(one.user.as_str()).filter(|user| self.staff.is_active(user, at));
            let Some(relieved) = &one.replaces else {
                let replaces = duties.into_iter().flat_map(|duty| duty.users).filter(|id| Some(*id) != user).collect();
                duties = vec![duty(Some(*place), user.into_iter().collect(), replaces)];
                continue;
            };
            let Some(found) = duties.iter().position(|duty| duty.users.contains(&relieved.as_str())) else { continue };
            if let Some(duty) = duties.get_mut(found) {
                duty.users.retain(|id| *id != relieved.as_str());
                if duty.users.is_empty() {
                    duties.remove(found);
                }
            }
            // Who is on call already is not on call twice.
            let there = user.is_some_and(|user| duties.iter().any(|duty| duty.users.contains(&user)));
            let users = user.filter(|_| !there).into_iter().collect();
            duties.push(duty(Some(*place), users, vec![relieved.as_str()]));
        }
        if duties.len() > 1 {
            duties.retain(|duty| !duty.users.is_empty());
        }
        duties
    }

    fn at_post(&mut self, post: Assignment, at: Timestamp) -> Vec<&'s str> {
        let schedule = self.schedule;
        let staff = self.staff;
        let find = || schedule.crew(post).map(|crew| staff.on_call(crew, at)).unwrap_or_default();
        if staff.is_steady() { self.posts.entry(post).or_insert_with(find).clone() } else { find() }
    }
}

/// So many milliseconds before an instant.
fn back(at: Timestamp, by: i64) -> Option<Interval> {
    Interval::new(Timestamp::from_millis(at.millis().saturating_sub(by)), at)
}

/// Are they the same, in any order?
fn same_people<T: PartialEq>(one: &[T], other: &[T]) -> bool {
    one.len() == other.len() && one.iter().all(|user| other.contains(user))
}

#[cfg(test)]
pub mod tests;
