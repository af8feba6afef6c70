//! What holiday calendars may be, and what becomes of their dated rows when they change. Pure.

use std::collections::{BTreeMap, BTreeSet};

use base::{
    problem::{FieldErrors, Problem},
    text::fold,
    timestamp::{DAY_MS, Timestamp},
};
use calendar::{Day, ical};

use super::{
    row::{CalendarRow, HolidayCalendar},
    wire::{CalendarChange, LONGEST_NAME, MOST_DAYS, NewCalendar, NewHoliday, by_date},
};
use crate::{
    crew::user_id,
    dated_holidays::row::{DayRow, OwnerRow},
    roster::{
        input::{UserGroupReference, UserReference},
        rules::effective_ms,
    },
};

/// How long before midnight of GMT a date begins in the first zone, and how long after the next it ends in the last.
const FIRST_ZONE_MS: i64 = 14 * 3_600_000;
const LAST_ZONE_MS: i64 = 12 * 3_600_000;

/// Of an iCalendar text, days that are older are left out, and events that repeat are followed so far.
const DAYS_BACK: i64 = 731;
const DAYS_AHEAD: i64 = 3_653;

/// A calendar is read again so many milliseconds after it was read, or after that failed.
pub const AGAIN_MS: i64 = 6 * 3_600_000;
pub const FAILED_AGAIN_MS: i64 = 3_600_000;

/// The names of days.
pub type Days = BTreeMap<Day, String>;

/// 409: the tenant has a calendar of this name.
pub fn taken(name: &str) -> Problem {
    Problem::conflict(format!("The tenant has a holiday calendar named \"{name}\" already."))
}

/// 409: shifts, or overrides of shifts, name the calendar.
pub fn in_use(roster: &str) -> Problem {
    Problem::conflict(format!(
        "Shifts of the roster \"{roster}\", or overrides of them, have these holidays, and maybe others. Take the \
         calendar out of the shifts, and delete the overrides, first."
    ))
}

/// The days of an iCalendar text.
///
/// # Errors
/// What is wrong with it, to be read after its name.
pub fn read_ics(text: &str, now: Timestamp) -> Result<Vec<NewHoliday>, String> {
    let today = now.millis().div_euclid(DAY_MS);
    let range = Day::of_number(today - DAYS_BACK)..=Day::of_number(today + DAYS_AHEAD);
    let days = ical::whole_days(text, range, MOST_DAYS)?;
    let short = |name: String| name.chars().take(LONGEST_NAME).collect::<String>();
    Ok(days.into_iter().map(|(date, name)| NewHoliday { date, name: short(name) }).collect())
}

/// The ids of whom a body names.
pub fn owners(users: &[UserReference], groups: &[UserGroupReference]) -> BTreeSet<String> {
    users.iter().map(|user| user_id(&user.id)).chain(groups.iter().map(|group| group.id.clone())).collect()
}

/// A new calendar with the days of its body.
pub fn created(tenant: &str, id: String, new: NewCalendar, author: &str, now: Timestamp) -> HolidayCalendar {
    let days = by_date(new.days.unwrap_or_default());
    let row = CalendarRow {
        tenant_id: tenant.to_owned(),
        id,
        version: 1,
        name_key: fold(&new.name),
        name: new.name,
        due_ms: new.url.as_ref().map(|_| now.millis()),
        url: new.url,
        read_ms: None,
        error: None,
        created_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    };
    HolidayCalendar { row, days, owners: owners(&new.users, &new.user_groups) }
}

/// The calendar after a change.
pub fn changed(old: &HolidayCalendar, change: CalendarChange, now: Timestamp) -> HolidayCalendar {
    let before = CalendarRow { version: old.version + 1, updated_ms: now.millis(), ..old.row.clone() };
    let (days, row) = match (change.days, change.url) {
        (Some(days), _) => {
            (by_date(days), CalendarRow { url: None, due_ms: None, read_ms: None, error: None, ..before })
        }
        // Its days stay until others are read there.
        (None, Some(url)) => {
            let read_ms = before.read_ms.filter(|_| before.url.as_ref() == Some(&url));
            let due_ms = Some(now.millis());
            (old.days.clone(), CalendarRow { url: Some(url), due_ms, read_ms, error: None, ..before })
        }
        (None, None) => (old.days.clone(), before),
    };
    let name = change.name.unwrap_or_else(|| old.name.clone());
    let (mut users, mut groups): (BTreeSet<String>, BTreeSet<String>) =
        (old.users().map(str::to_owned).collect(), old.groups().map(str::to_owned).collect());
    if let Some(named) = &change.users {
        users = owners(named, &[]);
    }
    if let Some(named) = &change.user_groups {
        groups = owners(&[], named);
    }
    users.append(&mut groups);
    let row = CalendarRow { name_key: fold(&name), name, ..row };
    HolidayCalendar { row, days, owners: users }
}

/// Notes the users and groups that are not of the tenant.
pub fn check_owners(
    users: &[UserReference],
    groups: &[UserGroupReference],
    (known_users, known_groups): (&BTreeSet<String>, &BTreeSet<String>),
    wrong: &mut FieldErrors,
) {
    for (place, user) in users.iter().enumerate().filter(|(_, user)| !known_users.contains(&user_id(&user.id))) {
        wrong.unknown(&format!("users[{place}].id"), "user of the tenant", &user.id);
    }
    for (place, group) in groups.iter().enumerate().filter(|(_, group)| !known_groups.contains(&group.id)) {
        wrong.unknown(&format!("userGroups[{place}].uniqueId"), "user group of the tenant", &group.id);
    }
}

/// What becomes of the dated rows of a calendar.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RowChanges {
    /// Days that are no holidays any more, and were known when something may have begun on them: they end.
    pub end_days: Vec<(i64, i64)>,
    /// Days that are none any more, and that nothing that began has seen.
    pub remove_days: Vec<(i64, i64)>,
    /// Days that have another name.
    pub rename_days: Vec<(i64, i64, String)>,
    /// New days.
    pub insert_days: Vec<(i64, String)>,
    /// Those whose holidays they are no longer, by id and since when they were.
    pub end_owners: Vec<(String, i64)>,
    /// The same of those whose they became in this very second.
    pub remove_owners: Vec<(String, i64)>,
    /// Those whose holidays they become.
    pub insert_owners: Vec<String>,
}

/// What becomes of rows that are in force so that a calendar has these days and owners from now on.
pub fn row_changes(
    known: &[DayRow],
    owners: &[OwnerRow],
    (days, wanted): (&BTreeMap<Day, String>, &BTreeSet<String>),
    now: Timestamp,
) -> RowChanges {
    let now_ms = effective_ms(now);
    let mut changes = RowChanges::default();
    for row in known {
        let key = (row.day, row.known_from_ms);
        match days.get(&Day::of_number(row.day)) {
            Some(name) if *name == row.name => {}
            Some(name) => changes.rename_days.push((key.0, key.1, name.clone())),
            None if was_seen(row, now_ms, now) => changes.end_days.push(key),
            None => changes.remove_days.push(key),
        }
    }
    let here: BTreeSet<i64> = known.iter().map(|row| row.day).collect();
    let new = days.iter().filter(|(day, _)| !here.contains(&day.number()));
    changes.insert_days.extend(new.map(|(day, name)| (day.number(), name.clone())));
    for row in owners.iter().filter(|row| !wanted.contains(&row.owner_id)) {
        let key = (row.owner_id.clone(), row.known_from_ms);
        let list = if row.known_from_ms < now_ms { &mut changes.end_owners } else { &mut changes.remove_owners };
        list.push(key);
    }
    let here: BTreeSet<&str> = owners.iter().map(|row| row.owner_id.as_str()).collect();
    changes.insert_owners.extend(wanted.iter().filter(|id| !here.contains(id.as_str())).cloned());
    changes
}

/// May something have begun on a day, in any zone, while it was known?
fn was_seen(row: &DayRow, now_ms: i64, now: Timestamp) -> bool {
    let midnight = row.day.saturating_mul(DAY_MS);
    let begins = midnight.saturating_sub(FIRST_ZONE_MS);
    let ends = midnight.saturating_add(DAY_MS + LAST_ZONE_MS);
    row.known_from_ms < now_ms && begins <= now.millis() && row.known_from_ms < ends
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHRISTMAS: i64 = 20_812;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn row(known_from: &str, name: &str) -> DayRow {
        DayRow {
            tenant_id: "client_1".to_owned(),
            calendar_id: "HOL-1".to_owned(),
            day: CHRISTMAS,
            known_from_ms: at(known_from).millis(),
            known_until_ms: None,
            name: name.to_owned(),
        }
    }

    fn changes(known: &[DayRow], days: &[(i64, &str)], now: &str) -> RowChanges {
        let days = days.iter().map(|(day, name)| (Day::of_number(*day), (*name).to_owned())).collect();
        row_changes(known, &[], (&days, &BTreeSet::new()), at(now))
    }

    #[test]
    fn what_may_have_been_seen_ends_and_the_rest_goes() {
        assert_eq!(Day::of_number(CHRISTMAS).to_string(), "2026-12-25");
        let known = [row("2026-12-01T00:00:00Z", "")];
        let key = vec![(CHRISTMAS, known[0].known_from_ms)];
        for (now, is_seen) in [
            ("2026-12-24T09:59:59Z", false),
            ("2026-12-24T10:00:00Z", true),
            ("2027-06-01T00:00:00Z", true),
            ("2026-12-01T00:00:00Z", false),
        ] {
            let found = changes(&known, &[], now);
            let (ended, removed) = if is_seen { (key.clone(), vec![]) } else { (vec![], key.clone()) };
            assert_eq!((found.end_days, found.remove_days), (ended, removed), "{now}");
        }
        let late = [row("2026-12-26T12:00:00Z", "")];
        assert_eq!(changes(&late, &[], "2027-06-01T00:00:00Z").remove_days.len(), 1, "it was entered after the day");
    }

    #[test]
    fn what_stays_keeps_its_row() {
        let known = [row("2026-12-01T00:00:00Z", "Christmas")];
        let now = "2026-12-02T00:00:00Z";
        assert_eq!(changes(&known, &[(CHRISTMAS, "Christmas")], now), RowChanges::default());
        let renamed = changes(&known, &[(CHRISTMAS, "Weihnachten"), (CHRISTMAS + 1, "")], now);
        let expected = RowChanges {
            rename_days: vec![(CHRISTMAS, known[0].known_from_ms, "Weihnachten".to_owned())],
            insert_days: vec![(CHRISTMAS + 1, String::new())],
            ..RowChanges::default()
        };
        assert_eq!(renamed, expected);
    }
}
