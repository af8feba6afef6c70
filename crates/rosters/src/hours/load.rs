//! What alerts asked of people in a range, beside their hours: pages, broken nights, and work on alerts.

use std::collections::{HashMap, HashSet};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{SentPages, WorkedTimes};

use super::{
    groups::ShiftGroups,
    sums::{By, CountedRoster, Question, RowId, Sum, ZonesByCategory},
};
use crate::{coverage::too_large, lines::Label};

/// How many pages are looked at at most.
const MOST_PAGES: usize = 1_000_000;

/// A page: who, through which roster, and when, by their numbers.
#[derive(Clone, Copy, Debug)]
struct Page {
    user: u32,
    roster: u32,
    at: Timestamp,
}

/// What alerts asked of people.
#[derive(Debug, Default)]
pub struct AlertLoad {
    users: Ids,
    rosters: Ids,
    pages: Vec<Page>,
    /// Milliseconds, by user.
    worked: HashMap<String, u64>,
}

/// Ids by their numbers.
#[derive(Debug, Default)]
struct Ids {
    numbers: HashMap<String, u32>,
    all: Vec<String>,
}

impl Ids {
    fn number(&mut self, id: String) -> u32 {
        if let Some(known) = self.numbers.get(&id) {
            return *known;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(id.clone());
        self.numbers.insert(id, number);
        number
    }

    fn id(&self, number: u32) -> &str {
        self.all.get(number as usize).map(String::as_str).unwrap_or_default()
    }
}

impl AlertLoad {
    /// Of the alerts of these tenants in a range.
    ///
    /// # Errors
    /// 400 when there are too many pages.
    pub fn read(
        conn: &mut Conn,
        (pages, worked): (&dyn SentPages, &dyn WorkedTimes),
        tenants: &[String],
        range: (Timestamp, Timestamp),
        now: Timestamp,
    ) -> Result<Self> {
        let mut load = Self { worked: worked.worked(conn, tenants, range, now)?, ..Self::default() };
        pages.for_each_page(conn, tenants, range, &mut |page| {
            if load.pages.len() >= MOST_PAGES {
                return Err(too_large().into());
            }
            // Of a partner's roster its clients are not told.
            let (tenant, roster) = page.roster;
            let roster = if tenants.contains(&tenant) { roster } else { String::new() };
            let page = Page { user: load.users.number(page.user), roster: load.rosters.number(roster), at: page.at };
            load.pages.push(page);
            Ok(())
        })?;
        Ok(load)
    }

    /// Adds it to sums: of people who stand in some roster, and with `narrowed` of what came through these rosters
    /// alone.
    pub fn credit<'s>(&'s self, sums: &mut HashMap<RowId<'s>, Sum>, asked: Question<'s>, narrowed: bool) {
        let Question { rosters, staff, range, by, user: wanted, .. } = asked;
        let counts = |user: &str| wanted.is_none_or(|wanted| wanted == user) && staff.user(user).is_some();
        let places: HashMap<&str, &'s CountedRoster<'s>> = rosters.iter().map(|roster| (roster.id, roster)).collect();
        let mut zones = ZonesByCategory::new(range);
        let mut groups: HashMap<&str, ShiftGroups<'s>> = HashMap::new();
        let mut nights: HashSet<(RowId<'s>, u32, Timestamp)> = HashSet::new();
        for page in self.pages.iter().filter(|page| counts(self.users.id(page.user))) {
            let user = self.users.id(page.user);
            let roster = places.get(self.rosters.id(page.roster)).copied();
            let id = match (by, roster) {
                (By::Roster, None) => continue,
                (_, None) if narrowed => continue,
                (By::User, _) => Some(user),
                (By::Roster, Some(roster)) => Some(roster.id),
                (By::Group, None) => None,
                (By::Group, Some(roster)) => {
                    let known = groups.entry(roster.id).or_insert_with(|| ShiftGroups::new(roster.schedule, staff));
                    let groups = known.of(Label::None, page.at);
                    groups.iter().find(|(_, members)| members.contains(user)).map(|(group, _)| *group)
                }
            };
            let sum = sums.entry(id).or_default();
            sum.pages += 1;
            if let Some(night) = roster.and_then(|roster| zones.night(roster, page.at)) {
                sum.night_pages += 1;
                sum.nights_broken += u64::from(nights.insert((id, page.user, night)));
            }
        }
        if by == By::User && !narrowed {
            for (user, millis) in self.worked.iter().filter(|(user, _)| counts(user)) {
                sums.entry(Some(user)).or_default().worked += millis;
            }
        }
    }
}
