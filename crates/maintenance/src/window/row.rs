//! The rows of windows.

use base::{matching::Rules, problem::Problem};
use db::Json;
use diesel::prelude::*;

use serde_json::Value;

use crate::{
    course::{Course, Holds, stored_schedule},
    schema::maintenance_windows,
};

/// One row of `maintenance_windows`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = maintenance_windows, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Window {
    pub tenant_id: String,
    /// `SM-<uuid>`.
    pub id: String,
    pub version: i64,
    pub name: String,
    /// Folded.
    pub name_key: String,
    /// Empty when there is none.
    pub description: String,
    /// As `WindowSchedule` writes it.
    pub schedule: Json<Value>,
    /// What was said of its occurrences since.
    pub holds: Json<Holds>,
    /// Which alerts it catches; all when there are none.
    pub conditions: Option<Json<Rules>>,
    /// Are scripts to be run?
    pub run_rba: bool,
    /// Are patches to be installed?
    pub install_patch: bool,
    /// Are open alerts to be escalated afterwards?
    pub run_escalation: bool,
    /// Nothing takes place before.
    pub opens_ms: i64,
    /// Nothing takes place afterwards.
    pub closes_ms: i64,
    /// A user's id.
    pub created_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}

impl Window {
    /// When it is open.
    pub fn course(&self) -> Result<Course, Problem> {
        Ok(Course::new(&stored_schedule(&self.schedule)?, self.holds.0.clone()))
    }
}
