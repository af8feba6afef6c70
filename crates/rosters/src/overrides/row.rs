//! The rows of overrides.

use db::Json;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{dated_holidays::row::ShiftHolidays, roster::row::Shift, schema::roster_overrides};

/// One row of `roster_overrides`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_overrides, treat_none_as_default_value = false)]
pub struct Override {
    /// The tenant of its roster.
    pub tenant_id: String,
    pub roster_id: String,
    /// `OVR-<uuid>`.
    pub id: String,
    /// The order in which overrides were made.
    pub number: i64,
    /// Who takes over.
    pub user_id: String,
    pub start_ms: i64,
    pub end_ms: i64,
    /// The shift; `None` for the whole roster.
    pub shift_id: Option<String>,
    /// As it was when this was made.
    pub shift_name: Option<String>,
    /// As it was when this was made.
    pub zone: Option<String>,
    /// As it was when this was made.
    pub schedule: Option<Json<Value>>,
    /// Empty when there is none.
    pub note: String,
    pub created_by: String,
    pub created_ms: i64,
    /// Whom it relieves, when it is about one person.
    pub replaces: Option<String>,
    /// The swap that it is one half of.
    pub swap_id: Option<String>,
    /// As they were when this was made; `None` in rows of the version before, too.
    pub shift_settings: Option<Json<ShiftSettings>>,
}

/// What a shift says beside its schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftSettings {
    /// `primary` or `secondary`, when that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// `None` when it has no holiday calendars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holidays: Option<ShiftHolidays>,
}

/// What an override has of its shift, beside id and name, in the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShiftThen {
    /// As [`Override::zone`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// As [`Override::schedule`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Value>,
    /// As [`Override::shift_settings`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<ShiftSettings>,
}

impl ShiftSettings {
    /// Those of a version of a shift.
    pub fn of(shift: &Shift) -> Self {
        Self { level: shift.level.clone(), holidays: shift.holidays.as_deref().cloned() }
    }
}
