//! What lists by name have in common.

use base::{fold, problem::Problem, query_string::Term};
use db::Condition;

/// The condition of the terms `id`, `name` and `isEquals`; the texts are how SQL asks for the id, for the whole folded name,
/// and what the column of that is.
pub fn named(
    terms: &[Term],
    [ids, names, name]: [&'static str; 3],
    normal_id: fn(&str) -> String,
) -> Result<Condition, Problem> {
    let mut whole = false;
    for term in terms.iter().filter(|term| term.name == "isEquals") {
        whole = term.boolean()?;
    }
    let condition = |term: &Term| match term.name {
        "id" => Some(Condition::text_in(ids, term.values.iter().map(|id| normal_id(id)))),
        "name" if whole => Some(Condition::text_in(names, term.values.iter().map(|value| fold(value)))),
        "name" => Some(Condition::any(term.values.iter().map(|value| Condition::contains(name, fold(value))))),
        _ => None,
    };
    Ok(Condition::all(terms.iter().filter_map(condition)))
}
