//! What was stored of a roster. Pure.

use base::{body::Request as _, problem::Problem, timestamp::Timestamp};
use calendar::Zone;
use serde_json::Value;

use super::shift_schedule::ShiftSchedule;
use crate::lines::Level;

/// The tenants whose people may stand in a roster of one tenant.
pub fn tenants_of(tenant: &str, partner: &str) -> Vec<String> {
    if tenant == partner { vec![tenant.to_owned()] } else { vec![tenant.to_owned(), partner.to_owned()] }
}

/// An edit takes effect at this instant. Times are told in whole seconds, so it is the start of one.
pub fn effective_ms(now: Timestamp) -> i64 {
    now.millis().div_euclid(1_000) * 1_000
}

/// Reads a schedule that was stored.
pub fn schedule(stored: &Value) -> Result<ShiftSchedule, Problem> {
    ShiftSchedule::parse(stored)
}

/// The level of what was stored.
pub fn level(text: Option<&str>) -> Option<Level> {
    Some(if text? == "secondary" { Level::Secondary } else { Level::Primary })
}

/// The zone of a name that was stored.
pub fn zone(name: &str) -> Result<Zone, Problem> {
    Zone::find(name).ok_or_else(|| Problem::internal())
}

/// 404: the tenant has no such roster.
pub fn no_roster() -> Problem {
    Problem::not_found("The roster was not found.")
}

/// 409: the tenant has a roster of this name.
pub fn taken(name: &str) -> Problem {
    Problem::conflict(format!("The tenant has a roster named \"{name}\" already."))
}
