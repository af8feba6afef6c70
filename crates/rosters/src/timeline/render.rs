//! From duties to the answer. A year has some thousand entries, so what repeats in them is written once.

use std::{collections::BTreeMap, rc::Rc};

use base::problem::Problem;
use calendar::{Interval, sets};
use serde::Serialize;

use super::wire::{
    OnCallOverride, OnCallWhy, Reason, Timeline, TimelineEntry, TimelineGap, TimelineOverlap, TimelineShift,
};
use crate::{
    coverage::{Cover, too_large, wanted},
    duty::{Duties, Duty},
    lines::{Label, Level},
    people::RosterPeople,
    pre_serialized::{PreSerialized, json},
    roster::wire::TimelineUser,
    schedule::Schedule,
};

/// The largest timeline, in bytes.
const LARGEST: usize = 8 << 20;

/// A shift in it is not shorter than this, in bytes.
const SHIFT: usize = 16;

/// An entry and an overlap are longer than this, in bytes, beside the shifts, users and override in them.
const STRETCH: usize = 80;

/// How many bytes an answer may still take: it is refused before it is in memory.
pub struct Room {
    most: usize,
    left: usize,
}

impl Room {
    /// For an answer of so many timelines that are asked for.
    pub fn of(timelines: usize) -> Self {
        let most = timelines * LARGEST;
        Self { most, left: most }
    }

    /// Takes some.
    ///
    /// # Errors
    /// 400 when there is no room.
    pub fn take(&mut self, bytes: usize) -> Result<(), Problem> {
        self.left = self.left.checked_sub(bytes).ok_or_else(too_large)?;
        Ok(())
    }

    /// The answer whose parts have taken some of it.
    ///
    /// # Errors
    /// 400 when it is too large as a whole.
    pub fn answer<T: Serialize>(self, value: &T) -> Result<Vec<u8>, Problem> {
        let parts = self.most - self.left;
        let text = json(value, parts + parts / 2 + 128);
        if text.len() > self.most { Err(too_large()) } else { Ok(text) }
    }
}

/// What of a roster is shown.
#[derive(Clone, Copy)]
pub struct RosterView<'s> {
    pub schedule: &'s Schedule,
    /// Everybody who stands in it.
    pub staff: &'s RosterPeople,
    /// When.
    pub range: Interval,
    /// When nobody needs to be on call, or the roster is not there.
    pub off: &'s [Interval],
    /// Have the shifts ids?
    pub saved: bool,
}

/// The timeline of a schedule within a range, written.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn timeline(asked: RosterView<'_>) -> Result<Vec<u8>, Problem> {
    let mut room = Room::of(1);
    let (timeline, _) = told(asked, &mut room)?;
    room.answer(&timeline)
}

/// The timeline of a schedule within a range, and when somebody is on call in it.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn told(asked: RosterView<'_>, room: &mut Room) -> Result<(Timeline, Cover), Problem> {
    let RosterView { schedule, staff, range, off, .. } = asked;
    let (mut duties, cut) = Duties::new(schedule, staff).by_name(range);
    if cut {
        return Err(too_large());
    }
    duties.retain_mut(|duty| {
        let part = duty.time.intersection(range);
        duty.time = part.unwrap_or(duty.time);
        part.is_some()
    });
    let mut texts = Texts { asked, room, users: BTreeMap::new(), shifts: BTreeMap::new() };
    let entries = duties.iter().map(|duty| texts.entry(duty)).collect::<Result<_, _>>()?;
    let overlaps = overlaps(&duties, &mut texts)?;
    let staffed = duties.iter().filter(|duty| !duty.users.is_empty()).map(|duty| duty.time).collect();
    let cover = Cover { staffed, wanted: wanted(schedule, &duties, range, off) };
    let (gaps, coverage) = cover.gaps();
    let gaps = TimelineGap::of(&gaps);
    let (from, to) = (range.start(), range.end());
    Ok((Timeline { from, to, entries, overlaps, gaps, coverage, conflicts: None }, cover))
}

/// Shifts of one level that take place at the same time.
fn overlaps(duties: &[Duty<'_>], texts: &mut Texts<'_, '_>) -> Result<Vec<TimelineOverlap>, Problem> {
    let schedule = texts.asked.schedule;
    // Of each shift its time as one, also where it is shared or taken over.
    let mut shifts: BTreeMap<(Level, &str), (Label, Vec<Interval>)> = BTreeMap::new();
    for duty in duties {
        let Some((id, _)) = schedule.shift(duty.shift) else { continue };
        let level = schedule.level(duty.shift).unwrap_or_default();
        shifts.entry((level, id)).or_insert((duty.shift, Vec::new())).1.push(duty.time);
    }
    let mut found = Vec::new();
    for level in [Level::Primary, Level::Secondary] {
        let of_level = shifts.iter().filter(|((of, _), _)| *of == level);
        let times: Vec<(Label, Interval)> = of_level
            .flat_map(|(_, (label, times))| sets::union(times.iter().copied()).into_iter().map(|time| (*label, time)))
            .collect();
        let intervals: Vec<Interval> = times.iter().map(|(_, time)| *time).collect();
        for overlap in sets::overlaps(&intervals, LARGEST / SHIFT).ok_or_else(too_large)? {
            let mut labels: Vec<Label> =
                overlap.members.iter().filter_map(|place| times.get(*place)).map(|(label, _)| *label).collect();
            labels.sort_unstable();
            found.push((overlap.interval, labels));
        }
    }
    found.sort_by_key(|(time, _)| *time);
    let told = found.into_iter().map(|(time, labels): (Interval, Vec<Label>)| {
        let shifts: Vec<_> = labels.into_iter().filter_map(|label| texts.shift(label)).collect();
        texts.room.take(STRETCH + shifts.iter().map(|shift| shift.len()).sum::<usize>())?;
        Ok(TimelineOverlap { start: time.start(), end: time.end(), shifts })
    });
    told.collect()
}

/// What repeats in the entries, written.
struct Texts<'s, 'r> {
    asked: RosterView<'s>,
    room: &'r mut Room,
    users: BTreeMap<Vec<&'s str>, Rc<PreSerialized<Vec<TimelineUser>>>>,
    shifts: BTreeMap<Label, Rc<PreSerialized<TimelineShift>>>,
}

impl<'s> Texts<'s, '_> {
    fn entry(&mut self, duty: &Duty<'s>) -> Result<TimelineEntry, Problem> {
        let RosterView { schedule, staff, .. } = self.asked;
        let start = duty.time.start();
        let end = duty.time.end();
        let relief = OnCallOverride::of(schedule, staff, duty, start);
        let reason = Reason::of(relief.as_ref());
        let shift = self.shift(duty.shift);
        let users = self.users(duty);
        let relief = relief.as_ref().map(PreSerialized::of);
        let why = OnCallWhy::of(staff, duty, start).as_ref().map(PreSerialized::of);
        let lengths = [
            shift.as_ref().map(|shift| shift.len()),
            Some(users.len()),
            relief.as_ref().map(PreSerialized::len),
            why.as_ref().map(PreSerialized::len),
        ];
        self.room.take(STRETCH + lengths.into_iter().flatten().sum::<usize>())?;
        Ok(TimelineEntry {
            start,
            end,
            shift,
            level: schedule.level(duty.shift),
            users,
            reason,
            r#override: relief,
            why,
        })
    }

    fn users(&mut self, duty: &Duty<'s>) -> Rc<PreSerialized<Vec<TimelineUser>>> {
        if let Some(known) = self.users.get(duty.users.as_slice()) {
            return Rc::clone(known);
        }
        let staff = self.asked.staff;
        let at = duty.time.start();
        let people = duty.users.iter().filter_map(|id| staff.user_at(id, at));
        let users = Rc::new(PreSerialized::of(&people.map(TimelineUser::from).collect()));
        if staff.is_steady() {
            self.users.insert(duty.users.clone(), Rc::clone(&users));
        }
        users
    }

    fn shift(&mut self, label: Label) -> Option<Rc<PreSerialized<TimelineShift>>> {
        let (id, name) = self.asked.schedule.shift(label)?;
        let shift = || TimelineShift { id: self.asked.saved.then(|| id.to_owned()), name: name.to_owned() };
        Some(Rc::clone(self.shifts.entry(label).or_insert_with(|| Rc::new(PreSerialized::of(&shift())))))
    }
}
