//! From sums to the answer, as JSON or as CSV.

use std::collections::HashMap;

use base::{csv, problem::Problem, text::fold};
use calendar::Interval;

use super::{
    sums::{By, RowId, Sum},
    wire::{Hours, HoursByCategory, HoursGroup, HoursRow, HoursUser},
};
use crate::{overrides::wire::Reference, people::RosterPeople, timeline::render::Room};

/// A hundredth of an hour, in milliseconds.
const HUNDREDTH_MS: u64 = 36_000;

/// How the columns of hours are called in CSV, and how they follow each other.
const COLUMNS: [&str; 6] = ["working", "evening", "night", "weekend", "holiday", "total"];

/// How the columns behind them are called.
const COUNTS: [&str; 3] = ["pages", "nightPages", "nightsBroken"];

/// What rows are called by.
pub struct Names<'s> {
    /// Users and groups.
    pub staff: &'s RosterPeople,
    /// The names of rosters, by their ids.
    pub rosters: HashMap<&'s str, &'s str>,
    /// Is what people worked on alerts told?
    pub has_worked: bool,
}

/// A row on its way out.
struct NamedRow<'s> {
    id: &'s str,
    name: &'s str,
    /// By category, and all.
    hundredths: [u64; COLUMNS.len()],
    overlapping: u64,
    /// Pages, those at night, and nights with one.
    counts: [u64; COUNTS.len()],
    worked: u64,
}

impl Names<'_> {
    /// The answer as JSON.
    ///
    /// # Errors
    /// 400 when it would be too large.
    pub fn json(&self, by: By, range: Interval, sums: &HashMap<RowId<'_>, Sum>) -> Result<Vec<u8>, Problem> {
        let results = self.rows(by, sums).iter().map(|row| shown(by, row, self.has_worked)).collect();
        Room::of(1).answer(&Hours { from: range.start(), to: range.end(), results })
    }

    /// The answer as CSV.
    ///
    /// # Errors
    /// 400 when it would be too large.
    pub fn csv(&self, by: By, sums: &HashMap<RowId<'_>, Sum>) -> Result<Vec<u8>, Problem> {
        let mut out = Vec::new();
        let named = match by {
            By::User => ["userId", "loginName"],
            By::Group => ["userGroupId", "userGroup"],
            By::Roster => ["rosterId", "roster"],
        };
        let overlapping = (by == By::User).then_some("overlapping");
        let worked = self.has_worked.then_some("incidentHours");
        csv::write(&mut out, named.into_iter().chain(COLUMNS).chain(overlapping).chain(COUNTS).chain(worked));
        let mut room = Room::of(1);
        for row in self.rows(by, sums) {
            let overlapping = (by == By::User).then_some(row.overlapping);
            let hours = row.hundredths.into_iter().chain(overlapping).map(text);
            let worked = self.has_worked.then_some(row.worked).map(text);
            let numbers: Vec<String> = hours.chain(row.counts.map(|count| count.to_string())).chain(worked).collect();
            let written = out.len();
            csv::write(&mut out, [row.id, row.name].into_iter().chain(numbers.iter().map(String::as_str)));
            room.take(out.len() - written)?;
        }
        Ok(out)
    }

    /// The rows by name; people without a group come last.
    fn rows<'r>(&'r self, by: By, sums: &HashMap<RowId<'r>, Sum>) -> Vec<NamedRow<'r>> {
        let row = |(id, sum): (&RowId<'r>, &Sum)| {
            let id = id.unwrap_or_default();
            let name = match by {
                By::User => self.staff.user(id).map(|user| user.login_name.as_str()),
                By::Group => self.staff.group(id).map(|group| group.name.as_str()),
                By::Roster => self.rosters.get(id).copied(),
            };
            NamedRow {
                id,
                name: name.unwrap_or_default(),
                hundredths: hundredths(sum),
                overlapping: nearest(sum.overlapping),
                counts: [sum.pages, sum.night_pages, sum.nights_broken],
                worked: nearest(sum.worked),
            }
        };
        let mut rows: Vec<NamedRow<'r>> = sums.iter().map(row).collect();
        rows.sort_by_cached_key(|row| (row.id.is_empty(), fold(row.name), row.id));
        rows
    }
}

/// Hundredths of hours by category, and their total. Each is rounded so that together they are the total, which is
/// rounded to the nearest.
fn hundredths(sum: &Sum) -> [u64; COLUMNS.len()] {
    let all = sum.millis.iter().copied().fold(0, u64::saturating_add);
    let total = all.saturating_add(HUNDREDTH_MS / 2) / HUNDREDTH_MS;
    let mut rounded: Vec<u64> = sum.millis.iter().map(|millis| millis / HUNDREDTH_MS).collect();
    let mut missing = total.saturating_sub(rounded.iter().sum());
    // Those that lose most by being rounded down are rounded up.
    let mut places: Vec<usize> = (0..rounded.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(sum.millis.get(*place).map(|millis| millis % HUNDREDTH_MS)));
    for place in places {
        if let Some(one) = rounded.get_mut(place).filter(|_| missing > 0) {
            *one += 1;
            missing -= 1;
        }
    }
    let mut columns = rounded.into_iter().chain([total]);
    [(); COLUMNS.len()].map(|()| columns.next().unwrap_or_default())
}

/// Hundredths of hours.
fn nearest(millis: u64) -> u64 {
    millis.saturating_add(HUNDREDTH_MS / 2) / HUNDREDTH_MS
}

fn shown(by: By, row: &NamedRow<'_>, has_worked: bool) -> HoursRow {
    let named = || (row.id.to_owned(), row.name.to_owned());
    let user = (by == By::User).then(named).map(|(id, login_name)| HoursUser { id, login_name });
    let group = (by == By::Group && !row.id.is_empty()).then(named);
    let user_group = group.map(|(unique_id, name)| HoursGroup { unique_id, name });
    let roster = (by == By::Roster).then(named).map(|(id, name)| Reference { id, name });
    let [working, evening, night, weekend, holiday, total] = row.hundredths.map(number);
    let hours = HoursByCategory { working, evening, night, weekend, holiday };
    let overlapping = (by == By::User).then_some(number(row.overlapping));
    let [pages, night_pages, nights_broken] = row.counts;
    let incident_hours = has_worked.then_some(number(row.worked));
    HoursRow { user, user_group, roster, hours, total, overlapping, pages, night_pages, nights_broken, incident_hours }
}

/// Hours, of which a float holds more hundredths than there are.
fn number(hundredths: u64) -> f64 {
    hundredths as f64 / 100.0
}

fn text(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_rounded_is_together_the_total() {
        let sum = |millis| hundredths(&Sum { millis, ..Sum::default() });
        assert_eq!(sum([0; 5]), [0; 6]);
        assert_eq!(sum([3_600_000, 0, 0, 0, 36_000]), [100, 0, 0, 0, 1, 101]);
        assert_eq!(sum([18_000, 18_000, 0, 0, 0]), [1, 0, 0, 0, 0, 1]);
        assert_eq!(sum([12_000, 12_000, 12_001, 0, 0]), [0, 0, 1, 0, 0, 1]);
        assert_eq!((text(5), text(1_234), number(1_234)), ("0.05".to_owned(), "12.34".to_owned(), 12.34));
    }

    proptest! {
        #[test]
        fn nothing_is_rounded_by_a_hundredth_or_more(millis in proptest::array::uniform5(0..40_000_000_000_u64)) {
            let rounded = hundredths(&Sum { millis, ..Sum::default() });
            prop_assert_eq!(rounded[..5].iter().sum::<u64>(), rounded[5]);
            for (rounded, exact) in rounded.iter().zip(millis.into_iter().chain([millis.iter().sum()])) {
                prop_assert!((rounded * HUNDREDTH_MS).abs_diff(exact) < HUNDREDTH_MS);
            }
        }
    }
}
