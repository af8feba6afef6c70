//! The row of a tenant's categories.

use calendar::{HourCategories, TimeOfDay, Weekdays};
use diesel::prelude::*;

use crate::schema::roster_hour_categories;

/// One row of `roster_hour_categories`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_hour_categories, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant whose rosters they are for.
    pub tenant_id: String,
    /// `HH:mm:ss`.
    pub working_from: String,
    /// `HH:mm:ss`.
    pub evening_from: String,
    /// `HH:mm:ss`.
    pub night_from: String,
    /// Names separated by commas; may be empty.
    pub weekend_days: String,
    /// When they changed last.
    pub updated_ms: i64,
}

impl Row {
    /// The row of these.
    pub fn new(tenant_id: &str, categories: &HourCategories, updated_ms: i64) -> Self {
        Self {
            tenant_id: tenant_id.to_owned(),
            working_from: categories.working_from.to_string(),
            evening_from: categories.evening_from.to_string(),
            night_from: categories.night_from.to_string(),
            weekend_days: categories.weekend.to_string(),
            updated_ms,
        }
    }

    /// What it says.
    pub fn categories(&self) -> HourCategories {
        let default = HourCategories::default();
        let time = |text: &str, otherwise| TimeOfDay::parse(text).unwrap_or(otherwise);
        HourCategories {
            working_from: time(&self.working_from, default.working_from),
            evening_from: time(&self.evening_from, default.evening_from),
            night_from: time(&self.night_from, default.night_from),
            weekend: Weekdays::parse(&self.weekend_days).unwrap_or_default(),
        }
    }
}
