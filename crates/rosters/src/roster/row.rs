//! Rows of rosters, and of the versions of rosters and of their shifts.

use db::Json;
use diesel::prelude::*;
use serde_json::Value;

use super::rotation::CrewRotation;
use crate::{
    crew::Crew,
    dated_holidays::row::ShiftHolidays,
    schema::{roster_shifts, roster_versions, rosters},
};

/// One row of `rosters`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = rosters, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Roster {
    pub tenant_id: String,
    /// `ES-<uuid>`.
    pub id: String,
    pub version: i64,
    pub name: String,
    /// Folded; unique in the tenant.
    pub name_key: String,
    pub description: String,
    /// The name of its time zone.
    pub zone: String,
    /// When nobody needs to be on call, as `input::OffHours` reads it.
    pub off_hours: Json<Vec<Value>>,
    pub created_ms: i64,
    pub updated_ms: Option<i64>,
    /// Counts its changes and those of its overrides.
    pub sequence: i64,
    /// When it or an override of it changed last.
    pub modified_ms: i64,
    /// When it was deleted: it has a past, and no future.
    pub deleted_ms: Option<i64>,
    /// Who is told of its conflicts; `None` for nobody.
    pub conflicts_to: Option<Json<Crew>>,
}

/// One row of `roster_versions`: a version of a roster.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_versions, treat_none_as_default_value = false)]
pub struct Version {
    /// The tenant of its roster.
    pub tenant_id: String,
    pub roster_id: String,
    /// The roster is like this from here on.
    pub valid_from_ms: i64,
    /// And until here; `None` for the last version.
    pub valid_until_ms: Option<i64>,
    pub name: String,
    /// The name of its time zone.
    pub zone: String,
    /// When nobody needs to be on call, as `input::OffHours` reads it.
    pub off_hours: Json<Vec<Value>>,
}

impl Version {
    /// Do both say the same of the roster?
    pub fn says_what(&self, other: &Self) -> bool {
        (&self.name, &self.zone, &self.off_hours) == (&other.name, &other.zone, &other.off_hours)
    }

    /// Is the roster like this at an instant?
    pub fn holds(&self, at_ms: i64) -> bool {
        self.valid_from_ms <= at_ms && self.valid_until_ms.is_none_or(|until| at_ms < until)
    }
}

/// One row of `roster_shifts`: a version of a shift.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_shifts, treat_none_as_default_value = false)]
pub struct Shift {
    /// The tenant of its roster.
    pub tenant_id: String,
    pub roster_id: String,
    /// `ESD-<uuid>`; the same in all versions.
    pub id: String,
    /// The shift is like this from here on.
    pub valid_from_ms: i64,
    /// And until here; `None` for the last version.
    pub valid_until_ms: Option<i64>,
    /// Its place among the shifts of the roster.
    pub position: i64,
    pub name: String,
    /// The roster's zone, then.
    pub zone: String,
    /// As `ShiftSchedule` writes it.
    pub schedule: Json<Value>,
    /// Who stands in it, unless they take turns.
    pub crew: Json<Crew>,
    /// `None` when nobody takes turns.
    pub rotation: Option<Json<CrewRotation>>,
    /// `primary` or `secondary`, when that was said.
    pub level: Option<String>,
    /// `None` when it has no holiday calendars.
    pub holidays: Option<Json<ShiftHolidays>>,
}
