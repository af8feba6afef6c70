//! From `queryString` to a condition on `heartbeats`.

use api::RequestScope;
use base::{
    fold,
    problem::Problem,
    query_string::{self, Term},
};
use db::Condition;

use super::wire::SEVERITIES;

const VARIABLES: [&str; 6] = ["id", "name", "state", "severity", "isEquals", "allList"];
const STATES: [&str; 3] = ["New", "Up", "Missing"];

/// The condition for a `queryString`.
///
/// # Errors
/// 400 on `queryString`, with the error.
pub fn condition(scope: &RequestScope, text: &str) -> Result<Condition, Problem> {
    let terms = if text.trim().is_empty() { Vec::new() } else { query_string::parse(text, &VARIABLES)? };
    let boolean = |name: &str| terms.iter().find(|term| term.name == name).map(Term::boolean).transpose();
    let whole = boolean("isEquals")?.unwrap_or(false);
    let all_list = boolean("allList")?;
    let mut all = vec![Condition::text_in("heartbeats.tenant_id IN", scope.scope_of_list(all_list))];
    for term in &terms {
        let keys = || term.values.iter().map(|value| fold(value));
        all.push(match term.name {
            "id" => Condition::text_in("lower(heartbeats.id) IN", keys()),
            "name" => Condition::named("heartbeats.name_key", keys(), whole),
            "severity" => Condition::text_in("heartbeats.severity IN", term.words(&SEVERITIES)?),
            "state" => Condition::any(term.words(&STATES)?.into_iter().map(|state| {
                Condition::sql(match state {
                    "Missing" => "heartbeats.missed",
                    "New" => "NOT heartbeats.missed AND heartbeats.last_ms IS NULL",
                    _ => "NOT heartbeats.missed AND heartbeats.last_ms IS NOT NULL",
                })
            })),
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}
