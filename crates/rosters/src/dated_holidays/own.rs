//! The holidays of people: those of calendars that are theirs, or those of a group that they are in. Somebody with a
//! holiday is away on it. As with shifts, what was known when a day began decides.

use std::collections::{BTreeMap, HashMap};

use base::timestamp::Timestamp;
use calendar::{Day, Zone};
use db::{Conn, Result};
use ports::People;

use super::{
    dated::HolidayTime,
    row::{DayRow, OwnerRow, is_group},
    store,
};

/// How many days of all people together are looked at at most.
const MOST: usize = 500_000;

/// The holidays of people, by user.
#[derive(Clone, Debug, Default)]
pub struct OwnHolidays {
    users: HashMap<String, Vec<OwnHoliday>>,
}

/// That a day was known to be a holiday of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnHoliday {
    pub day: Day,
    /// The calendar.
    pub calendar_id: String,
    /// What people call it; may be empty.
    pub name: String,
    /// Since when that was known: of the day, of the calendar and of the group.
    pub known_from_ms: i64,
    /// Until when; `None` while it is.
    pub known_until_ms: Option<i64>,
}

/// Of groups, by id, users with since when and until when they were members, where that was not always.
type MembersByGroup = HashMap<String, Vec<(String, Option<i64>, Option<i64>)>>;

/// A time through which somebody is an owner of calendars.
#[derive(Clone, Copy, Debug)]
struct KnownTime {
    from_ms: i64,
    until_ms: Option<i64>,
}

impl KnownTime {
    fn and(self, other: Self) -> Option<Self> {
        let until_ms = match (self.until_ms, other.until_ms) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let both = Self { from_ms: self.from_ms.max(other.from_ms), until_ms };
        both.until_ms.is_none_or(|until| both.from_ms < until).then_some(both)
    }
}

impl OwnHolidays {
    /// Those of the people of these tenants, as far as they were known after an instant; [`None`] when there are too
    /// many.
    pub fn load(conn: &mut Conn, people: &dyn People, tenants: &[String], since: Timestamp) -> Result<Option<Self>> {
        let owners = store::owners_since(conn, tenants, since.millis())?;
        Self::of_owners(conn, people, tenants, since, owners, |_| true)
    }

    /// Those of one user.
    pub fn load_user(
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        user: &str,
        since: Timestamp,
    ) -> Result<Vec<OwnHoliday>> {
        let mut owners = store::owners_since(conn, tenants, since.millis())?;
        owners.retain(|row| is_group(&row.owner_id) || row.owner_id == user);
        let all = Self::of_owners(conn, people, tenants, since, owners, |member| member == user)?;
        Ok(all.unwrap_or_default().users.remove(user).unwrap_or_default())
    }

    /// Those of owners, of groups for the members that are wanted.
    fn of_owners(
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        since: Timestamp,
        mut owners: Vec<OwnerRow>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Option<Self>> {
        let groups: Vec<String> = owners.iter().map(|row| row.owner_id.clone()).filter(|id| is_group(id)).collect();
        let mut members = members(conn, people, tenants, groups, since)?;
        for known in members.values_mut() {
            known.retain(|(user, ..)| is_wanted(user));
        }
        owners.retain(|row| !is_group(&row.owner_id) || members.get(&row.owner_id).is_some_and(|own| !own.is_empty()));
        if owners.is_empty() {
            return Ok(Some(Self::default()));
        }
        let ids: Vec<String> = owners.iter().map(|row| row.calendar_id.clone()).collect();
        let days = store::days_since(conn, tenants, ids, since.millis(), MOST)?;
        Ok(Self::of(&owners, &members, &days))
    }

    /// From rows, and the times of the members of groups.
    fn of(owners: &[OwnerRow], members: &MembersByGroup, days: &[DayRow]) -> Option<Self> {
        let mut by_calendar: BTreeMap<&str, Vec<&DayRow>> = BTreeMap::new();
        for day in days {
            by_calendar.entry(&day.calendar_id).or_default().push(day);
        }
        let mut users: HashMap<String, Vec<OwnHoliday>> = HashMap::new();
        let mut left = MOST;
        for owner in owners {
            let own = KnownTime { from_ms: owner.known_from_ms, until_ms: owner.known_until_ms };
            let of_group =
                members.get(&owner.owner_id).into_iter().flatten().filter_map(|(user, from_ms, until_ms)| {
                    let member = KnownTime { from_ms: from_ms.unwrap_or(i64::MIN), until_ms: *until_ms };
                    Some((user, own.and(member)?))
                });
            let alone = (!is_group(&owner.owner_id)).then_some((&owner.owner_id, own));
            for (user, own) in of_group.chain(alone) {
                let days = by_calendar.get(owner.calendar_id.as_str()).into_iter().flatten();
                for day in days {
                    let Some(known) = own.and(KnownTime { from_ms: day.known_from_ms, until_ms: day.known_until_ms })
                    else {
                        continue;
                    };
                    left = left.checked_sub(1)?;
                    users.entry(user.clone()).or_default().push(OwnHoliday {
                        day: Day::of_number(day.day),
                        calendar_id: day.calendar_id.clone(),
                        name: day.name.clone(),
                        known_from_ms: known.from_ms,
                        known_until_ms: known.until_ms,
                    });
                }
            }
        }
        for own in users.values_mut() {
            own.sort_by_key(|one| (one.day, one.name.is_empty(), one.known_from_ms));
        }
        Some(Self { users })
    }

    /// Those of a user, by day.
    pub fn of_user(&self, user: &str) -> &[OwnHoliday] {
        self.users.get(user).map(Vec::as_slice).unwrap_or_default()
    }

    /// Those of a user in a zone which were known when they began, each day once.
    pub fn times(&self, user: &str, zone: Zone) -> Vec<HolidayTime> {
        let time = |own: &OwnHoliday| {
            let time = own.day.within(zone)?;
            own.is_known(time.start()).then(|| HolidayTime { day: own.day, time, name: own.name.clone() })
        };
        let mut times: Vec<HolidayTime> = self.of_user(user).iter().filter_map(time).collect();
        times.dedup_by_key(|one| one.day);
        times
    }
}

impl OwnHoliday {
    /// Was it known at an instant?
    pub fn is_known(&self, at: Timestamp) -> bool {
        self.known_from_ms <= at.millis() && self.known_until_ms.is_none_or(|until| at.millis() < until)
    }
}

/// Of groups, the members with since when and until when they were in it, where they were not always.
fn members(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    mut groups: Vec<String>,
    since: Timestamp,
) -> Result<MembersByGroup> {
    groups.sort_unstable();
    groups.dedup();
    let mut all = MembersByGroup::new();
    if groups.is_empty() {
        return Ok(all);
    }
    let dated = people.former_groups(conn, tenants, &groups, since)?.members;
    for group in people.groups(conn, tenants, &groups)? {
        let always = |user: &&String| {
            !dated.iter().any(|one| one.group == group.unique_id && one.until.is_none() && one.user == **user)
        };
        let here = group.members.iter().filter(always).map(|user| (user.clone(), None, None));
        all.entry(group.unique_id.clone()).or_default().extend(here);
    }
    for one in dated {
        let known = (one.user, Some(one.since.millis()), one.until.map(Timestamp::millis));
        all.entry(one.group).or_default().push(known);
    }
    Ok(all)
}

#[cfg(test)]
impl OwnHolidays {
    /// Those of one user, which were always known.
    pub fn with(user: &str, days: impl Iterator<Item = Day>) -> Self {
        let mut own: Vec<OwnHoliday> = days
            .map(|day| OwnHoliday {
                day,
                calendar_id: String::new(),
                name: String::new(),
                known_from_ms: i64::MIN,
                known_until_ms: None,
            })
            .collect();
        own.sort_by_key(|one| one.day);
        Self { users: HashMap::from([(user.to_owned(), own)]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holiday_is_known_when_day_owner_and_member_are() {
        let owner = |id: &str, from: i64, until: Option<i64>| OwnerRow {
            tenant_id: "client_1".to_owned(),
            calendar_id: "HOL-1".to_owned(),
            owner_id: id.to_owned(),
            known_from_ms: from,
            known_until_ms: until,
        };
        let day = DayRow {
            tenant_id: "client_1".to_owned(),
            calendar_id: "HOL-1".to_owned(),
            day: 20_812,
            known_from_ms: 100,
            known_until_ms: None,
            name: String::new(),
        };
        let members = HashMap::from([(
            "USRGRP-1".to_owned(),
            vec![("USR2".to_owned(), None, None), ("USR3".to_owned(), Some(300), Some(400))],
        )]);
        let owners = [owner("USR1", 50, Some(90)), owner("USR1", 200, None), owner("USRGRP-1", 150, Some(350))];
        let all = OwnHolidays::of(&owners, &members, &[day]).unwrap();
        let known = |user: &str| {
            all.of_user(user).iter().map(|one| (one.known_from_ms, one.known_until_ms)).collect::<Vec<_>>()
        };
        assert_eq!(known("USR1"), [(200, None)], "the day was not known while it was theirs first");
        assert_eq!(known("USR2"), [(150, Some(350))]);
        assert_eq!(known("USR3"), [(300, Some(350))]);
        assert_eq!(known("USR4"), []);
        assert_eq!(all.times("USR1", Zone::GMT).len(), 1);
        assert_eq!(all.times("USR2", Zone::GMT), [], "it was forgotten before the day");
    }
}
