//! What was stored of a roster, and which rosters a search means. Pure.

use base::{body::Request as _, problem::Problem, query_string, text::fold, timestamp::Timestamp};
use calendar::Zone;
use serde_json::Value;

use super::shift_schedule::ShiftSchedule;
use crate::lines::Level;

/// The variables of a search.
const VARIABLES: [&str; 4] = ["id", "name", "allList", "isEquals"];

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

/// Which rosters a search means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Exact.
    pub ids: Option<Vec<String>>,
    /// Folded names, whole or in part.
    pub names: Option<Vec<String>>,
    /// The whole of a name, folded.
    pub called: Option<String>,
    /// Do names match as a whole?
    pub whole: bool,
    /// The rosters of a partner's clients as well?
    pub all: Option<bool>,
}

impl Filter {
    /// Reads a `queryString`.
    ///
    /// # Errors
    /// 400 on `queryString` that names what is wrong.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let mut filter = Self::default();
        for term in query_string::parse(text, &VARIABLES)? {
            match term.name {
                "id" => filter.ids = Some(term.values),
                "name" => filter.names = Some(term.values.iter().map(|name| fold(name)).collect()),
                "allList" => filter.all = Some(term.boolean()?),
                _ => filter.whole = term.boolean()?,
            }
        }
        Ok(filter)
    }
}

/// 404: the tenant has no such roster.
pub fn no_roster() -> Problem {
    Problem::not_found("The roster was not found.")
}

/// 409: the tenant has a roster of this name.
pub fn taken(name: &str) -> Problem {
    Problem::conflict(format!("The tenant has a roster named \"{name}\" already."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches() {
        let filter = Filter::parse("name:Night,DAY+allList:true+isEquals:TRUE").unwrap();
        assert_eq!(filter.names, Some(vec!["night".to_owned(), "day".to_owned()]));
        assert_eq!((filter.all, filter.whole), (Some(true), true));
        assert!(Filter::parse("allList:x").is_err() && Filter::parse("city:x").is_err());
    }
}
