//! What becomes of a route. Pure.

use base::{
    fold,
    matching::{MatchType, Rules},
    problem::Problem,
    timestamp::Timestamp,
};
use db::MaybeJson;

use super::{
    row::Route,
    wire::{NewRoute, RULES_REQUIRED, RouteChange},
};

/// A new route, at this position unless it says another.
///
/// # Errors
/// 400 when the default has rules, or another route none.
pub fn created(
    tenant: &str,
    new: NewRoute,
    rules: Option<Rules>,
    position: i64,
    author: &str,
    now: Timestamp,
) -> Result<Route, Problem> {
    check_default(new.is_default, rules.is_some())?;
    let rules = rules.map(|rules| together(rules, new.match_type));
    Ok(Route {
        tenant_id: tenant.to_owned(),
        id: format!("AR-{}", uuid::Uuid::now_v7()),
        version: 1,
        name_key: fold(&new.name),
        name: new.name,
        position: new.position.unwrap_or(position),
        is_default: new.is_default,
        rules: MaybeJson(rules),
        policy_id: new.policy,
        created_by: author.to_owned(),
        updated_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    })
}

/// The route after a change; `rules` are what the change says in their place.
///
/// # Errors
/// 400 when the default has rules then, or another route none.
pub fn changed(
    old: &Route,
    change: RouteChange,
    rules: Option<Rules>,
    author: &str,
    now: Timestamp,
) -> Result<Route, Problem> {
    let rules = if change.has_rules.is_some() { rules } else { old.rules.0.clone() };
    // Other rules alone are put together as the former ones were.
    let former = old.rules.0.as_ref().map(|rules| rules.match_type.word());
    let rules = match change.match_type.or(former) {
        Some(word) => rules.map(|rules| together(rules, word)),
        None => rules,
    };
    let is_default = change.is_default.unwrap_or(old.is_default);
    check_default(is_default, rules.is_some())?;
    let name = change.name.unwrap_or_else(|| old.name.clone());
    Ok(Route {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        position: change.position.unwrap_or(old.position),
        is_default,
        rules: MaybeJson(rules),
        policy_id: change.policy.unwrap_or_else(|| old.policy_id.clone()),
        updated_by: author.to_owned(),
        updated_ms: now.millis(),
        ..old.clone()
    })
}

/// The rules, put together as a word says.
fn together(rules: Rules, word: &str) -> Rules {
    Rules { match_type: MatchType::of(word), ..rules }
}

fn check_default(is_default: bool, has_rules: bool) -> Result<(), Problem> {
    match (is_default, has_rules) {
        (true, true) => Err(Problem::field("rules", "must be left out of the default, which takes everything")),
        (false, false) => Err(Problem::field("rules", RULES_REQUIRED)),
        _ => Ok(()),
    }
}

/// 409: the tenant has a default already, of this name.
pub fn default_taken(name: &str) -> Problem {
    Problem::conflict(format!("The alert route {name} is already the default of the tenant."))
}
