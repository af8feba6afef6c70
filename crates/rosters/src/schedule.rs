//! A roster's shifts and overrides, from rows to [`Lines`].

use std::collections::{BTreeSet, HashMap, HashSet};

use base::{problem::Problem, timestamp::Timestamp};
use calendar::{Interval, Zone, sets};
use db::{Conn, Result};
use ports::People;

use crate::{
    absences::{AbsenceChanges, Absences},
    away::{AwayRule, AwayTurns, Reason},
    crew::Crew,
    dated_holidays::{
        self,
        dated::{DatedHolidays, HolidayTime, SkippedHoliday},
        row::ShiftHolidays,
    },
    lines::{Assignment, Label, Level, Lines, Overridden, Override, Places, Version},
    moves::Moves,
    overrides,
    people::RosterPeople,
    roster::{
        input::{NewRoster, OffHours},
        rotation::CrewRotation,
        row, rules, versions,
    },
};

/// How long after its end a version of a shift, or an override, may show in who is on call now: in `since`.
const LOOK_BACK_MS: i64 = 366 * 86_400_000;

/// How far ahead shifts are looked at that are left out for holidays: 35 days, in milliseconds.
const SKIPS_AHEAD_MS: i64 = 35 * 86_400_000;

/// When the first instant of a look back from `at` is: since then shifts, overrides and people are known.
pub fn look_back(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.millis().saturating_sub(LOOK_BACK_MS))
}

/// The lines of a roster, and who stands in them.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// When.
    pub lines: Lines,
    /// Of each version, by its place, those of each post, by its number.
    crews: Vec<Vec<Crew>>,
    /// Of each version, by its place, what becomes of the turns of those who are away, if anything.
    away: Vec<Option<AwayRule>>,
    /// Of each version, by its place, the turns that moved: the post of those who have it, and why.
    moved: Vec<Vec<(usize, Reason)>>,
    /// What each override says, by its place.
    pub overrides: Vec<Relief>,
    /// Of each shift that has some, by its id, the holidays.
    holidays: HashMap<String, Vec<HolidayTime>>,
    /// Of each version, by its place, its zone and its holidays, if it does not take place on them.
    skips: Vec<Option<(Zone, ShiftHolidays)>>,
    dated: DatedHolidays,
    calendars: BTreeSet<String>,
    /// How often what is known of the absences that move turns has changed, and when last.
    pub absence_changes: AbsenceChanges,
}

/// A shift that does not take place, since it would start on a holiday.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedOccurrence<'s> {
    pub shift: Label,
    pub time: Interval,
    pub holiday: SkippedHoliday<'s>,
}

/// What an override says of people.
#[derive(Clone, Debug, Default)]
pub struct Relief {
    pub id: String,
    /// Who takes over.
    pub user: String,
    /// From whom, when it is about one person.
    pub replaces: Option<String>,
    /// Who made it.
    pub created_by: String,
    /// Why; empty when that was not said.
    pub note: String,
    /// The holidays of the shift that it is about, within its time, by when they begin.
    pub holidays: Vec<HolidayTime>,
}

/// What shifts and overrides say of holidays.
pub fn named_holidays<'r>(
    shifts: impl IntoIterator<Item = &'r row::Shift>,
    overrides: &'r [overrides::row::Override],
) -> impl Iterator<Item = &'r ShiftHolidays> {
    let of_shifts = shifts.into_iter().filter_map(|shift| shift.holidays.as_deref());
    of_shifts.chain(overrides.iter().filter_map(|one| one.shift_settings.as_deref()?.holidays.as_ref()))
}

impl Schedule {
    /// Of a roster, for questions about an instant and later ones. Holiday calendars are those of these tenants.
    pub fn load(conn: &mut Conn, roster: &row::Roster, tenants: &[String], since: Timestamp) -> Result<Self> {
        let since_ms = look_back(since).millis();
        let shifts = versions::shifts_since(conn, &roster.tenant_id, &roster.id, since_ms)?;
        let overrides = overrides::store::since(conn, &roster.tenant_id, &roster.id, since_ms)?;
        let holidays = dated_holidays::store::dated(conn, tenants, named_holidays(&shifts, &overrides))?;
        Ok(Self::stored(&shifts, &overrides, &holidays)?)
    }

    /// From rows of one roster: versions in the order of the shifts, overrides in the order in which they were made.
    ///
    /// # Errors
    /// 500 when something that was stored cannot be read.
    pub fn stored(
        shifts: &[row::Shift],
        overrides: &[overrides::row::Override],
        holidays: &DatedHolidays,
    ) -> Result<Self, Problem> {
        let mut schedule = Self { dated: holidays.clone(), ..Self::default() };
        for shift in shifts {
            let from = Timestamp::from_millis(shift.valid_from_ms);
            let until = Timestamp::from_millis(shift.valid_until_ms.unwrap_or(i64::MAX));
            let Some(valid) = Interval::new(from, until) else { continue };
            let zone = rules::zone(&shift.zone)?;
            let rotation = shift.rotation.as_deref().cloned();
            let version = Version {
                id: shift.id.clone(),
                name: shift.name.clone(),
                level: rules::level(shift.level.as_deref()),
                rule: holidays.rule(rules::schedule(&shift.schedule)?.rule(zone), zone, shift.holidays.as_deref()),
                places: None,
                valid,
            };
            schedule.observe((&shift.id, valid), shift.holidays.as_deref(), zone, holidays);
            schedule.note_skips(shift.holidays.as_deref(), zone);
            schedule.add(version, shift.crew.0.clone(), rotation, zone);
        }
        // Versions come in the order of the shifts, which may change from one version to the next.
        schedule.holidays.values_mut().for_each(|times| times.sort_by_key(|one| one.time));
        for one in overrides {
            let start = Timestamp::from_millis(one.start_ms);
            let end = Timestamp::from_millis(one.end_ms);
            let Some(time) = Interval::new(start, end) else { continue };
            let mut own = Vec::new();
            let shift = match (&one.shift_id, &one.shift_name, &one.zone, &one.schedule) {
                (Some(id), Some(name), Some(zone), Some(stored)) => {
                    let zone = rules::zone(zone)?;
                    let settings = overrides::rules::shift_settings(one, shifts);
                    if let Some(named) = &settings.holidays {
                        schedule.calendars.extend(named.calendars.iter().cloned());
                        own = holidays.times(zone, named, time);
                    }
                    let rule = rules::schedule(stored)?.rule(zone);
                    let rule = holidays.rule(rule, zone, settings.holidays.as_ref());
                    let level = rules::level(settings.level.as_deref());
                    Some(Overridden { id: id.clone(), name: name.clone(), level, rule })
                }
                _ => None,
            };
            schedule.lines.overrides.push(Override { time, shift, of_one: one.replaces.is_some() });
            schedule.overrides.push(Relief {
                id: one.id.clone(),
                user: one.user_id.clone(),
                replaces: one.replaces.clone(),
                created_by: one.created_by.clone(),
                note: one.note.clone(),
                holidays: own,
            });
        }
        Ok(schedule)
    }

    /// Of a roster that is not stored. Its shifts have ids that count them, from 1.
    pub fn unsaved(new: &NewRoster, holidays: &DatedHolidays, now: Timestamp) -> Self {
        let mut schedule = Self::default();
        for shift in &new.shifts {
            let from = Timestamp::from_millis(0);
            let until = Timestamp::from_millis(i64::MAX);
            let Some(valid) = Interval::new(from, until) else { continue };
            let id = format!("ESD-{}", uuid::Uuid::from_u128((schedule.crews.len() + 1) as u128));
            let name = shift.name.clone();
            let own = shift.shift_holidays();
            let rule = holidays.rule(shift.schedule.rule(new.time_zone.zone), new.time_zone.zone, own.as_ref());
            schedule.observe((&id, valid), own.as_ref(), new.time_zone.zone, holidays);
            let version = Version { id, name, level: shift.level, rule, places: None, valid };
            let rotation = shift.rotation.as_ref().and_then(|rotation| rotation.stored(now));
            schedule.add(version, shift.crew(), rotation, new.time_zone.zone);
        }
        schedule
    }

    /// Keeps the holidays of a version of a shift.
    fn observe(
        &mut self,
        (id, valid): (&str, Interval),
        own: Option<&ShiftHolidays>,
        zone: Zone,
        holidays: &DatedHolidays,
    ) {
        let Some(own) = own else { return };
        self.calendars.extend(own.calendars.iter().cloned());
        self.holidays.entry(id.to_owned()).or_default().extend(holidays.times(zone, own, valid));
    }

    /// The holidays of a shift, by when they begin.
    pub fn holidays(&self, shift: Label) -> &[HolidayTime] {
        let own = match shift {
            Label::Version(place) => self.lines.versions.get(place).and_then(|version| self.holidays.get(&version.id)),
            Label::Override(place) => self.overrides.get(place).map(|relief| &relief.holidays),
            Label::None => None,
        };
        own.map(Vec::as_slice).unwrap_or_default()
    }

    /// The holidays of all shifts within a range, each date and name once.
    pub fn holidays_within(&self, range: Interval) -> Vec<&HolidayTime> {
        let all = self.holidays.values().flatten();
        let mut found: Vec<&HolidayTime> = all.filter(|one| one.time.intersection(range).is_some()).collect();
        found.sort_by(|one, other| (one.day, &one.name).cmp(&(other.day, &other.name)));
        found.dedup_by(|one, other| (one.day, &one.name) == (other.day, &other.name));
        found
    }

    /// When shifts do not take place because of holidays, within a range.
    pub fn left_out(&self, range: Interval) -> Vec<Interval> {
        let left_out = |version: &Version| {
            let asked = version.valid.intersection(range)?;
            Some(version.rule.left_out(asked).into_iter().filter_map(move |time| time.intersection(asked)))
        };
        self.lines.versions.iter().filter_map(left_out).flatten().collect()
    }

    /// Notes whether the next version of a shift takes place on holidays.
    fn note_skips(&mut self, own: Option<&ShiftHolidays>, zone: Zone) {
        self.skips.push(own.filter(|own| own.skips).map(|own| (zone, own.clone())));
    }

    /// The versions of shifts of a stored roster that do not take place on holidays.
    fn skipping(&self) -> impl Iterator<Item = (usize, &Version, Zone, &ShiftHolidays)> {
        let versions = self.lines.versions.iter().enumerate().zip(&self.skips);
        versions.filter_map(|((place, version), skips)| {
            let (zone, holidays) = skips.as_ref()?;
            Some((place, version, *zone, holidays))
        })
    }

    /// The shifts of a stored roster that would take place at an instant, and are left out for a holiday.
    pub fn skipped(&self, at: Timestamp) -> Vec<SkippedOccurrence<'_>> {
        let mut found = Vec::new();
        for (place, version, zone, holidays) in self.skipping().filter(|(_, version, ..)| version.valid.contains(at)) {
            let instant = Interval::new(at, Timestamp::from_millis(at.millis().saturating_add(1)));
            for time in instant.into_iter().flat_map(|instant| version.rule.left_out(instant)) {
                let holiday = self.dated.skipped(zone, holidays, time.start());
                let here = holiday.zip(time.intersection(version.valid));
                found.extend(here.map(|(holiday, time)| SkippedOccurrence {
                    shift: Label::Version(place),
                    time,
                    holiday,
                }));
            }
        }
        found
    }

    /// Until when [`Schedule::skipped`] says the same as at an instant; [`None`] where no shift is ever left out.
    pub fn skipped_until(&self, at: Timestamp) -> Option<Timestamp> {
        let ahead = Interval::new(at, Timestamp::from_millis(at.millis().saturating_add(SKIPS_AHEAD_MS)))?;
        let changes = self.skipping().map(|(_, version, ..)| {
            let edges = version.rule.left_out(ahead).into_iter().chain([version.valid]);
            let edges = edges.flat_map(|time| [time.start(), time.end()]);
            edges.filter(|edge| *edge > at).chain([ahead.end()]).min().unwrap_or(ahead.end())
        });
        changes.min()
    }

    /// The ids of the calendars of its shifts.
    pub fn calendars(&self) -> &BTreeSet<String> {
        &self.calendars
    }

    /// Adds a version of a shift with those who stand in it.
    pub fn add(&mut self, version: Version, own: Crew, rotation: Option<CrewRotation>, zone: Zone) {
        let mut posts = vec![own.clone()];
        self.away.push(rotation.as_ref().and_then(|rotation| rotation.away_rule(zone)));
        self.moved.push(Vec::new());
        let places = rotation.map(|rotation| {
            let crews: Vec<Crew> = rotation.order.iter().map(|crew| own.and(crew)).collect();
            let numbers = crews.iter().enumerate().map(|(place, crew)| {
                let first = crews.iter().position(|other| other == crew);
                first.unwrap_or(place) + 1
            });
            let numbers = numbers.collect();
            posts.extend(crews);
            let kept = rotation.kept.map(|kept| {
                posts.push(own.and(&kept.crew));
                (Timestamp::from_millis(kept.until_ms), posts.len() - 1)
            });
            let turns = rotation.turns.turns(zone, &version.rule);
            Places { turns, posts: numbers, kept, moves: Moves::default(), first_moved: posts.len() }
        });
        self.lines.versions.push(Version { places, ..version });
        self.crews.push(posts);
    }

    /// Everybody who stands in it, for questions about an instant and later ones. It then knows which turns moved
    /// because they are away; the roster is one of the first of the tenants.
    pub fn people(
        &mut self,
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        since: Timestamp,
    ) -> Result<RosterPeople> {
        let since = look_back(since);
        let since = self.away_since().map_or(since, |away| away.min(since));
        let staff = RosterPeople::since(conn, people, tenants, (self.crews(), self.users()), Some(since))?;
        let absences = Absences::load(conn, people, tenants, self.may_be_away(&staff), since)?;
        self.move_turns(&staff, &absences, tenants.first().map(String::as_str).unwrap_or_default());
        Ok(staff)
    }

    /// Since when its turns depend on who is away; `None` when they do not.
    pub fn away_since(&self) -> Option<Timestamp> {
        self.away.iter().flatten().map(|rule| rule.since).min()
    }

    /// The ids of those whose absence may move turns.
    pub fn may_be_away(&self, staff: &RosterPeople) -> Vec<String> {
        let crews = self.away.iter().flatten().flat_map(|rule| &rule.order);
        let users: BTreeSet<&str> = crews.flat_map(|crew| staff.ever(crew)).collect();
        users.into_iter().map(ToOwned::to_owned).collect()
    }

    /// Decides which turns move because people are away. The people are known since [`Schedule::away_since`]; of those
    /// of other tenants than the roster's it is not told which time off that was.
    pub fn move_turns(&mut self, staff: &RosterPeople, absences: &Absences, tenant: &str) {
        self.absence_changes = absences.changes();
        let versions = self.lines.versions.iter_mut().zip(&self.away).zip(&self.crews).zip(&mut self.moved);
        for (((version, rule), posts), moved) in versions {
            let (Some(places), Some(rule)) = (version.places.as_mut(), rule) else { continue };
            let turns = AwayTurns::new(rule, (&places.turns, &version.rule), staff, absences);
            let moves = turns.moves();
            let post = |place: usize| places.posts.get(place).copied().unwrap_or_default();
            let told = moves.turns().iter().map(|moved| {
                let reason = turns.reason((moved.instead_of, moved.turn), moved.away, tenant);
                (post(moved.place), reason)
            });
            *moved = told.collect();
            places.moves = moves;
            places.first_moved = posts.len();
        }
    }

    /// How much memory what moved takes, in numbers.
    pub fn moved_len(&self) -> usize {
        let places = self.lines.versions.iter().filter_map(|version| version.places.as_ref());
        places.map(|places| places.moves.len()).sum::<usize>() + self.moved.iter().map(Vec::len).sum::<usize>()
    }

    /// Why those of a post have a turn of others.
    pub fn reason(&self, post: Assignment) -> Option<&Reason> {
        let own = self.crews.get(post.version)?.len();
        self.moved.get(post.version)?.get(post.number.checked_sub(own)?).map(|(_, reason)| reason)
    }

    pub fn crews(&self) -> impl Iterator<Item = &Crew> {
        self.crews.iter().flatten()
    }

    /// The users whom overrides name.
    pub fn users(&self) -> impl Iterator<Item = String> {
        self.overrides
            .iter()
            .flat_map(|one| [one.user.clone(), one.created_by.clone()].into_iter().chain(one.replaces.clone()))
    }

    /// Can a user be on call through it at all?
    pub fn may_name(&self, user: &str, staff: &RosterPeople) -> bool {
        self.overrides.iter().any(|one| one.user == user) || self.crews().any(|crew| staff.may_name(crew, user))
    }

    /// Does it name one of these users or groups, itself or by a group, now or before?
    pub fn concerns(&self, ids: &HashSet<String>, staff: &RosterPeople) -> bool {
        let overrides = || self.overrides.iter();
        overrides().any(|one| {
            ids.contains(&one.user)
                || ids.contains(&one.created_by)
                || one.replaces.as_ref().is_some_and(|user| ids.contains(user))
        }) || self.crews().any(|crew| staff.concerns(crew, ids))
    }

    /// Those of a post.
    pub fn crew(&self, post: Assignment) -> Option<&Crew> {
        let posts = self.crews.get(post.version)?;
        let moved = || self.moved.get(post.version)?.get(post.number.checked_sub(posts.len())?);
        posts.get(post.number).or_else(|| posts.get(moved()?.0))
    }

    /// Id and name of a shift.
    pub fn shift(&self, shift: Label) -> Option<(&str, &str)> {
        match shift {
            Label::Version(place) => {
                self.lines.versions.get(place).map(|version| (version.id.as_str(), version.name.as_str()))
            }
            Label::Override(place) => {
                let shift = self.lines.overrides.get(place)?.shift.as_ref()?;
                Some((shift.id.as_str(), shift.name.as_str()))
            }
            Label::None => None,
        }
    }

    /// The level of a shift, when it was given one.
    pub fn level(&self, shift: Label) -> Option<Level> {
        self.lines.level(shift)
    }
}

/// When nobody needs to be on call within a range, by the versions of a roster: its off hours, and when it is not
/// there.
///
/// # Errors
/// 500 when something that was stored cannot be read.
pub fn free(versions: &[row::Version], range: Interval) -> Result<Vec<Interval>, Problem> {
    let mut there = Vec::with_capacity(versions.len());
    let mut free = Vec::new();
    for version in versions {
        let from = version.valid_from_ms;
        let until = version.valid_until_ms.unwrap_or(i64::MAX);
        let valid = Interval::new(Timestamp::from_millis(from), Timestamp::from_millis(until));
        let Some(part) = valid.and_then(|valid| valid.intersection(range)) else { continue };
        there.push(part);
        free.extend(off_hours(&OffHours::from_json(&version.off_hours)?, rules::zone(&version.zone)?, part));
    }
    free.extend(sets::subtract([range], there));
    Ok(free)
}

/// When nobody needs to be on call, as intervals within a range.
pub fn off_hours(hours: &[OffHours], zone: Zone, range: Interval) -> Vec<Interval> {
    let rules: Vec<_> = hours.iter().map(|hours| hours.schedule.rule(zone)).collect();
    let occurrences = rules.iter().flat_map(|rule| rule.stretches(range.start()..range.end()));
    occurrences.filter_map(|occurrence| occurrence.intersection(range)).collect()
}

/// The elements of a sorted slice that compare equal.
pub fn range_of<T>(all: &[T], compare: impl Fn(&T) -> std::cmp::Ordering) -> &[T] {
    let start = all.partition_point(|one| compare(one).is_lt());
    let end = all.partition_point(|one| compare(one).is_le());
    all.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests;
