//! The rows of days and of those whose holidays they are, and what a shift says of them.

use diesel::prelude::*;
use serde::{Deserialize, Serialize};

use crate::schema::{roster_holiday_owners, roster_holidays};

/// One row of `roster_holidays`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = roster_holidays, treat_none_as_default_value = false)]
pub struct DayRow {
    /// The tenant of the calendar.
    pub tenant_id: String,
    pub calendar_id: String,
    /// Days after 1970-01-01.
    pub day: i64,
    /// Since when it is known to be a holiday.
    pub known_from_ms: i64,
    /// Until when it was; `None` while it is.
    pub known_until_ms: Option<i64>,
    /// What people call it; may be empty.
    pub name: String,
}

/// One row of `roster_holiday_owners`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = roster_holiday_owners, treat_none_as_default_value = false)]
pub struct OwnerRow {
    /// The tenant of the calendar.
    pub tenant_id: String,
    pub calendar_id: String,
    /// A user or a user group.
    pub owner_id: String,
    /// Since when the calendar is theirs.
    pub known_from_ms: i64,
    /// Until when it was; `None` while it is.
    pub known_until_ms: Option<i64>,
}

/// The holidays of a shift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftHolidays {
    /// The ids of the calendars, each once.
    pub calendars: Vec<String>,
    /// Does it not take place on their days?
    pub skips: bool,
}

/// Is an owner a group?
pub fn is_group(owner: &str) -> bool {
    owner.starts_with("USRGRP-")
}
