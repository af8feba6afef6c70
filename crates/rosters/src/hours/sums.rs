//! From the timelines of rosters to how long they put whom on call. Pure.

use std::{collections::HashMap, rc::Rc};

use base::{problem::Problem, timestamp::Timestamp};
use calendar::{CategorizedTime, HourCategories, HourCategory, Interval, Zone, hours::MillisByCategory, sets};

use super::groups::ShiftGroups;
use crate::{
    coverage::too_large,
    dated_holidays::{dated::HolidayTime, own::OwnHolidays},
    duty::{Duties, Duty},
    lines::LineSelection,
    people::RosterPeople,
    schedule::Schedule,
    zone_history::{ZoneHistory, parts},
};

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Each user.
    User,
    /// Each user group.
    Group,
    /// Each roster.
    Roster,
}

/// The id of what a row is about: a user, a group or a roster; `None` for people who are in no group of their shift.
pub type RowId<'s> = Option<&'s str>;

/// A roster, and how its hours are counted.
pub struct CountedRoster<'s> {
    pub id: &'s str,
    pub schedule: &'s Schedule,
    pub zones: ZoneHistory,
    pub categories: HourCategories,
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct Question<'s> {
    pub rosters: &'s [CountedRoster<'s>],
    /// Everybody who stands in them.
    pub staff: &'s RosterPeople,
    /// Their own holidays.
    pub own: &'s OwnHolidays,
    pub range: Interval,
    pub by: By,
    /// Whose hours alone are asked for.
    pub user: Option<&'s str>,
}

/// How long people are on call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// By category.
    pub millis: MillisByCategory,
    /// Of a user: the milliseconds that are counted more than once.
    pub overlapping: u64,
    /// How many pages they got.
    pub pages: u64,
    /// How many of them in the nights of the rosters' zones.
    pub night_pages: u64,
    /// How many nights of people had one.
    pub nights_broken: u64,
    /// Of a user: the milliseconds from acknowledging alerts to their end.
    pub worked: u64,
}

/// Hours are summed up in pieces of this length, of which each is forgotten before the next.
const STEP_MS: i64 = 32 * 86_400_000;

/// How many times somebody may be on call in an answer: some seconds of work.
const MOST_TIMES: usize = 4_000_000;

/// How long people are on call through rosters; [`None`] when nobody wants to know any more.
///
/// # Errors
/// 400 when there is too much in the range.
pub fn sums<'s>(asked: Question<'s>, is_wanted: &dyn Fn() -> bool) -> Result<Option<HashMap<RowId<'s>, Sum>>, Problem> {
    let mut sums = HashMap::new();
    let mut left = MOST_TIMES;
    for step in steps(asked.range) {
        let mut zones = ZonesByCategory::new(step);
        let mut times: HashMap<&str, Vec<Interval>> = HashMap::new();
        for roster in asked.rosters {
            if !is_wanted() {
                return Ok(None);
            }
            let mut counter = Counter { asked, sums: &mut sums, times: &mut times, left: &mut left };
            counter.add(roster, step, &mut zones)?;
        }
        for (user, times) in times {
            let all = times.iter().map(|time| time.millis()).fold(0, u64::saturating_add);
            let sum: &mut Sum = sums.entry(Some(user)).or_default();
            sum.overlapping += all - sets::covered_millis(times);
        }
    }
    Ok(Some(sums))
}

/// A range in pieces.
fn steps(range: Interval) -> impl Iterator<Item = Interval> {
    let starts = (range.start().millis()..range.end().millis()).step_by(STEP_MS as usize);
    starts.filter_map(move |start| {
        Interval::new(Timestamp::from_millis(start), Timestamp::from_millis(start + STEP_MS))?.intersection(range)
    })
}

/// The hours of one roster, on their way into the sums.
struct Counter<'c, 's> {
    asked: Question<'s>,
    sums: &'c mut HashMap<RowId<'s>, Sum>,
    /// Of each user all times on call.
    times: &'c mut HashMap<&'s str, Vec<Interval>>,
    left: &'c mut usize,
}

impl<'s> Counter<'_, 's> {
    fn add(&mut self, roster: &CountedRoster<'s>, step: Interval, zones: &mut ZonesByCategory) -> Result<(), Problem> {
        let Question { staff, .. } = self.asked;
        let (duties, cut) = Duties::new(roster.schedule, staff).within(step, LineSelection::All);
        if cut {
            return Err(too_large());
        }
        let mut groups = ShiftGroups::new(roster.schedule, staff);
        for duty in duties {
            let Some(time) = duty.time.intersection(step) else { continue };
            let by_group = self.asked.by == By::Group && !duty.users.is_empty();
            let edges = if by_group { groups.edges(duty.shift) } else { Rc::default() };
            for (part, zone) in roster.zones.parts(time) {
                for part in parts(part, edges.iter().copied()) {
                    *self.left = self.left.checked_sub(duty.users.len()).ok_or_else(too_large)?;
                    self.credit(roster, &duty, (part, zone), zones, &mut groups);
                }
            }
        }
        Ok(())
    }

    /// Adds a stretch of time through which zone and groups stay the same to the hours of those who are on call in it.
    fn credit(
        &mut self,
        roster: &CountedRoster<'s>,
        duty: &Duty<'s>,
        (time, zone): (Interval, Zone),
        zones: &mut ZonesByCategory,
        groups: &mut ShiftGroups<'s>,
    ) {
        let Question { by, user: wanted, own, .. } = self.asked;
        let of_shift = roster.schedule.holidays(duty.shift);
        let of_all = zones.millis(roster, time, &within(of_shift, time));
        let groups = (by == By::Group && !duty.users.is_empty()).then(|| groups.of(duty.shift, time.start()));
        for user in duty.users.iter().copied().filter(|user| wanted.is_none_or(|wanted| wanted == *user)) {
            let id = match by {
                By::User => Some(user),
                By::Roster => Some(roster.id),
                By::Group => {
                    let mut groups = groups.iter().flat_map(|groups| groups.iter());
                    groups.find(|(_, members)| members.contains(user)).map(|(group, _)| *group)
                }
            };
            let millis = match own.of_user(user) {
                [] => of_all,
                _ => {
                    let mut holidays = within(of_shift, time);
                    holidays.extend(within(zones.own(own, user, zone), time));
                    zones.millis(roster, time, &sets::union(holidays))
                }
            };
            let sum = self.sums.entry(id).or_default();
            sum.millis.iter_mut().zip(millis).for_each(|(sum, more)| *sum += more);
            if by == By::User {
                self.times.entry(user).or_default().push(time);
            }
        }
    }
}

/// A range by category, in the zones of rosters.
pub struct ZonesByCategory {
    range: Interval,
    known: Vec<(Zone, HourCategories, CategorizedTime)>,
    /// The holidays of people, by user and zone.
    own: HashMap<(String, &'static str), Vec<HolidayTime>>,
}

/// The parts of holidays, which are in order, in a stretch.
fn within(holidays: &[HolidayTime], time: Interval) -> Vec<Interval> {
    let first = holidays.partition_point(|holiday| holiday.time.end() <= time.start());
    holidays.iter().skip(first).map_while(|holiday| holiday.time.intersection(time)).collect()
}

impl ZonesByCategory {
    /// Of a range.
    pub fn new(range: Interval) -> Self {
        Self { range, known: Vec::new(), own: HashMap::new() }
    }

    /// When the night of an instant began, in the zone that a roster has then; `None` for what is not in a night.
    pub fn night(&mut self, roster: &CountedRoster<'_>, at: Timestamp) -> Option<Timestamp> {
        let (category, since) = self.of(roster.zones.at(at), roster.categories)?.at(at)?;
        (category == HourCategory::Night).then_some(since)
    }

    /// The holidays of a person in a zone, by when they begin.
    fn own(&mut self, own: &OwnHolidays, user: &str, zone: Zone) -> &[HolidayTime] {
        self.own.entry((user.to_owned(), zone.name())).or_insert_with(|| own.times(user, zone))
    }

    /// The milliseconds of a stretch by category, in the zone that a roster has at each time; those of these parts of
    /// it, which do not overlap, are holiday, whatever they would be otherwise.
    fn millis(&mut self, roster: &CountedRoster<'_>, time: Interval, holidays: &[Interval]) -> MillisByCategory {
        let mut sums = self.without_holidays(roster, time);
        for part in holidays {
            let otherwise = self.without_holidays(roster, *part);
            sums.iter_mut().zip(otherwise).for_each(|(sum, less)| *sum = sum.saturating_sub(less));
            if let Some(sum) = sums.get_mut(HourCategory::Holiday as usize) {
                *sum = sum.saturating_add(part.millis());
            }
        }
        sums
    }

    fn without_holidays(&mut self, roster: &CountedRoster<'_>, time: Interval) -> MillisByCategory {
        let mut sums = MillisByCategory::default();
        for (part, zone) in roster.zones.parts(time) {
            let parts = self.of(zone, roster.categories).map(|hours| hours.millis(part)).unwrap_or_default();
            sums.iter_mut().zip(parts).for_each(|(sum, more)| *sum += more);
        }
        sums
    }

    fn of(&mut self, zone: Zone, categories: HourCategories) -> Option<&CategorizedTime> {
        let known = self.known.iter().position(|(own, its, _)| *own == zone && *its == categories);
        let place = known.unwrap_or_else(|| {
            self.known.push((zone, categories, categories.within(zone, self.range)));
            self.known.len() - 1
        });
        self.known.get(place).map(|(.., hours)| hours)
    }
}
