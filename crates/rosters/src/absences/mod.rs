//! When people are away, and since when that is known: turns of rotations depend on it.

pub mod row;
pub mod store;

use std::collections::{HashMap, HashSet};

use base::timestamp::Timestamp;
use calendar::{Interval, Zone};
use db::{Conn, Result};
use ports::People;

use crate::dated_holidays::own::{OwnHoliday, OwnHolidays};

/// A time through which a person is away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    pub time: Interval,
    /// From when until when it is known; what nobody has changed, for ever.
    pub known: Interval,
    /// The tenant of the person.
    pub tenant_id: String,
    /// Which time off; `None` for a holiday.
    pub time_off: Option<String>,
}

/// How often what is known of absences has changed, and when last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AbsenceChanges {
    /// How often time off was entered, changed or taken away.
    pub count: i64,
    /// The latest of these changes and of those of holidays; 0 when there was none.
    pub latest_ms: i64,
}

/// The absences of people, by their ids: time off and holidays.
#[derive(Clone, Debug, Default)]
pub struct Absences {
    /// Of whom they are known.
    users: Vec<String>,
    time_off: HashMap<String, Vec<Absence>>,
    holidays: OwnHolidays,
}

impl Absences {
    /// Those of these users, who are of these tenants, as far as they were known after an instant.
    pub fn load(
        conn: &mut Conn,
        people: &dyn People,
        tenants: &[String],
        users: Vec<String>,
        since: Timestamp,
    ) -> Result<Self> {
        if users.is_empty() {
            return Ok(Self::default());
        }
        let rows = store::ever(conn, tenants, &users)?;
        // Where there are too many, no turn moves for them.
        let holidays = OwnHolidays::load(conn, people, tenants, since)?.unwrap_or_default();
        let mut all = Self { users, holidays, ..Self::default() };
        for row in rows {
            let at = Timestamp::from_millis;
            let time = Interval::new(at(row.start_ms), at(row.end_ms));
            let known = Interval::new(at(row.known_from_ms), at(row.known_until_ms.unwrap_or(i64::MAX)));
            let Some((time, known)) = time.zip(known) else { continue };
            let time_off = Some(row.time_off_id);
            all.add(row.user_id, Absence { time, known, tenant_id: row.tenant_id, time_off });
        }
        for absences in all.time_off.values_mut() {
            absences.sort_by(|one, other| {
                let key = |absence: &Absence| (absence.time, absence.known);
                key(one).cmp(&key(other)).then_with(|| one.time_off.cmp(&other.time_off))
            });
        }
        Ok(all)
    }

    /// Adds one.
    pub fn add(&mut self, user: String, absence: Absence) {
        self.time_off.entry(user).or_default().push(absence);
    }

    fn time_off(&self, user: &str) -> &[Absence] {
        self.time_off.get(user).map(Vec::as_slice).unwrap_or_default()
    }

    /// Those of a user; holidays are the dates of a zone.
    pub fn of(&self, user: &str, zone: Zone) -> Vec<Absence> {
        let at = Timestamp::from_millis;
        let holiday = |own: &OwnHoliday| {
            let known = Interval::new(at(own.known_from_ms), at(own.known_until_ms.unwrap_or(i64::MAX)))?;
            Some(Absence { time: own.day.within(zone)?, known, tenant_id: String::new(), time_off: None })
        };
        let holidays = self.holidays.of_user(user).iter().filter_map(holiday);
        self.time_off(user).iter().cloned().chain(holidays).collect()
    }

    /// The ids of those who have other ones there.
    pub fn others(&self, there: &Self) -> HashSet<String> {
        let ids = self.users.iter().chain(&there.users);
        let is_other = |id: &&String| {
            self.time_off(id) != there.time_off(id) || self.holidays.of_user(id) != there.holidays.of_user(id)
        };
        ids.filter(is_other).cloned().collect()
    }

    /// How often they have changed.
    pub fn changes(&self) -> AbsenceChanges {
        let times_off = self.time_off.values().flatten();
        let known = times_off.map(|one| (one.known.start().millis(), one.known.end().millis()));
        let known: Vec<i64> = known.flat_map(|(from, until)| [from, until]).filter(|at| *at < i64::MAX).collect();
        let holidays = self.users.iter().flat_map(|id| self.holidays.of_user(id));
        let of_holidays = holidays.flat_map(|own| own.known_until_ms.into_iter().chain([own.known_from_ms]));
        let latest_ms = known.iter().copied().chain(of_holidays).max().unwrap_or_default();
        AbsenceChanges { count: i64::try_from(known.len()).unwrap_or(i64::MAX), latest_ms }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let holidays = self.users.iter().map(|id| self.holidays.of_user(id).len());
        self.time_off.values().map(Vec::len).chain(holidays).sum()
    }
}
