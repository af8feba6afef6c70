//! What lists by name have in common.

use base::{fold, problem::Problem, query_string::Term};
use db::Condition;

/// The condition of the terms `id`, `name` and `isEquals`; the texts are how SQL asks for the id, and the column of the
/// folded name.
pub fn named(
    terms: &[Term],
    [ids, name]: [&'static str; 2],
    normal_id: fn(&str) -> String,
) -> Result<Condition, Problem> {
    let mut whole = false;
    for term in terms.iter().filter(|term| term.name == "isEquals") {
        whole = term.boolean()?;
    }
    let condition = |term: &Term| match term.name {
        "id" => Some(Condition::text_in(ids, term.values.iter().map(|id| normal_id(id)))),
        "name" => Some(Condition::named(name, term.values.iter().map(|value| fold(value)), whole)),
        _ => None,
    };
    Ok(Condition::all(terms.iter().filter_map(condition)))
}

/// What `allList` says: are those of a partner's clients listed as well?
pub fn all_list(terms: &[Term]) -> Result<Option<bool>, Problem> {
    terms.iter().filter(|term| term.name == "allList").map(Term::boolean).next_back().transpose()
}
