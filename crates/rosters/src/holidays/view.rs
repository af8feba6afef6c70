//! From rows to what clients see.

use std::collections::BTreeMap;

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use ports::{Authors, PeopleGroup};
use serde_json::{Value, json};

use super::{
    row::{CalendarRow, HolidayCalendar as Row},
    wire::{Holiday, HolidayCalendar, HolidayGroup},
};
use crate::dated_holidays::row::is_group;

/// Those whom calendars name.
pub struct Named {
    /// Users.
    pub users: Authors,
    /// Groups.
    pub groups: Vec<PeopleGroup>,
}

/// A calendar with its days.
pub fn whole(calendar: &Row, named: &Named) -> HolidayCalendar {
    let days = calendar.days.iter().map(|(date, name)| Holiday { date: *date, name: name.clone() });
    HolidayCalendar { days: Some(days.collect()), ..one(&calendar.row, calendar.days.len(), &owners(calendar), named) }
}

/// A calendar that has so many days and these owners.
pub fn one(row: &CalendarRow, days: usize, owners: &[&str], named: &Named) -> HolidayCalendar {
    let groups: BTreeMap<&str, &PeopleGroup> =
        named.groups.iter().map(|group| (group.unique_id.as_str(), group)).collect();
    let users = owners.iter().filter(|id| !is_group(id));
    let user_groups = owners.iter().filter(|id| is_group(id));
    HolidayCalendar {
        id: row.id.clone(),
        name: row.name.clone(),
        tenant_id: row.tenant_id.clone(),
        days: None,
        day_count: i64::try_from(days).unwrap_or(i64::MAX),
        url: row.url.clone(),
        read_time: row.read_ms.map(Timestamp::from_millis),
        error: row.error.clone(),
        users: users.map(|id| named.users.of(id)).collect(),
        user_groups: user_groups
            .map(|id| HolidayGroup {
                unique_id: (*id).to_owned(),
                name: groups.get(id).map(|group| group.name.clone()).unwrap_or_default(),
            })
            .collect(),
        created_by: named.users.of(&row.created_by),
        created_time: Timestamp::from_millis(row.created_ms),
        updated_time: Timestamp::from_millis(row.updated_ms),
    }
}

fn owners(calendar: &Row) -> Vec<&str> {
    calendar.owners.iter().map(String::as_str).collect()
}

impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("HolidayCalendar", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        // By date, so that the audit log has each day that changed, whatever their number.
        let days: BTreeMap<String, &String> = self.days.iter().map(|(day, name)| (day.to_string(), name)).collect();
        Ok(json!({
            "id": self.id,
            "name": self.name,
            "days": days,
            "url": self.url,
            "users": self.users().collect::<Vec<_>>(),
            "userGroups": self.groups().collect::<Vec<_>>(),
            "createdBy": {"id": self.created_by},
            "createdTime": Timestamp::from_millis(self.created_ms),
            "updatedTime": Timestamp::from_millis(self.updated_ms),
        }))
    }
}
