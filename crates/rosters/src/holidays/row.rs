//! The rows of holiday calendars.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Deref,
};

use calendar::Day;
use diesel::prelude::*;

use crate::{dated_holidays::row::is_group, schema::roster_holiday_calendars};

/// One row of `roster_holiday_calendars`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = roster_holiday_calendars, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct CalendarRow {
    pub tenant_id: String,
    /// `HOL-<uuid>`.
    pub id: String,
    pub version: i64,
    pub name: String,
    /// Folded; unique in the tenant.
    pub name_key: String,
    /// Where its days are read, when they are not given.
    pub url: Option<String>,
    /// When they are to be read next.
    pub due_ms: Option<i64>,
    /// When they were read there last.
    pub read_ms: Option<i64>,
    /// Why the last reading failed.
    pub error: Option<String>,
    pub created_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// A calendar as it is now, with its days and whose they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolidayCalendar {
    /// What it is called.
    pub row: CalendarRow,
    /// The names of its days.
    pub days: BTreeMap<Day, String>,
    /// The ids of users and groups.
    pub owners: BTreeSet<String>,
}

impl Deref for HolidayCalendar {
    type Target = CalendarRow;

    fn deref(&self) -> &CalendarRow {
        &self.row
    }
}

impl HolidayCalendar {
    /// The ids of the users whose holidays these are.
    pub fn users(&self) -> impl Iterator<Item = &str> {
        self.owners.iter().map(String::as_str).filter(|id| !is_group(id))
    }

    /// The ids of the groups whose holidays these are.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.owners.iter().map(String::as_str).filter(|id| is_group(id))
    }
}
