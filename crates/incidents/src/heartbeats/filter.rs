//! From `queryString` to a condition on `heartbeats`.

use api::RequestScope;
use base::{fold, problem::Problem, query_string};
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
    let wrong = |name: &str, allowed: &[&str]| {
        Problem::field("queryString", format!("{name}: must be one of: {}", allowed.join(", ")))
    };
    let whole = match terms.iter().find(|term| term.name == "isEquals").map(|term| fold(&term.value)).as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(wrong("isEquals", &["true", "false"])),
    };
    let all_list = terms.iter().find(|term| term.name == "allList").map(query_string::Term::boolean).transpose()?;
    let mut all = vec![Condition::text_in("heartbeats.tenant_id IN", scope.scope_of_list(all_list))];
    for term in &terms {
        let keys = || term.values.iter().map(|value| fold(value));
        let word = |value: &String, allowed: &[&'static str]| {
            let found = allowed.iter().find(|known| known.eq_ignore_ascii_case(value)).copied();
            found.ok_or_else(|| wrong(term.name, allowed))
        };
        all.push(match term.name {
            "id" => Condition::text_in("lower(heartbeats.id) IN", keys()),
            "name" => Condition::named("heartbeats.name_key", keys(), whole),
            "severity" => {
                let words: Result<Vec<_>, _> = term.values.iter().map(|value| word(value, &SEVERITIES)).collect();
                Condition::text_in("heartbeats.severity IN", words?)
            }
            "state" => {
                let states: Result<Vec<_>, _> = term.values.iter().map(|value| word(value, &STATES)).collect();
                Condition::any(states?.into_iter().map(|state| {
                    Condition::sql(match state {
                        "Missing" => "heartbeats.missed",
                        "New" => "NOT heartbeats.missed AND heartbeats.last_ms IS NULL",
                        _ => "NOT heartbeats.missed AND heartbeats.last_ms IS NOT NULL",
                    })
                }))
            }
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}
