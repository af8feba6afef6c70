//! From `queryString` to a condition on `kb_categories`.

use api::RequestScope;
use base::{problem::Problem, query_string};
use db::Condition;

use super::{store::STATE, wire::normal_id};
use crate::state;

const VARIABLES: [&str; 6] = ["id", "name", "isEquals", "state", "parentId", "allList"];

/// The condition for a `queryString`, and for these states; `None` are those outside the trash, unless the
/// `queryString` names a state.
///
/// # Errors
/// 400 on `queryString`, with the error.
pub fn condition(scope: &RequestScope, text: &str, states: Option<&[&'static str]>) -> Result<Condition, Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let whole = query_string::flag(&terms, "isEquals")? == Some(true);
    let all_list = query_string::flag(&terms, "allList")?;
    let mut all = vec![Condition::text_in("kb_categories.tenant_id IN", scope.scope_of_list(all_list))];
    let default = (!terms.iter().any(|term| term.name == "state")).then_some(&state::OUTSIDE_TRASH[..]);
    all.extend(states.or(default).map(|states| STATE.in_states(states)));
    for term in &terms {
        let ids = || term.values.iter().map(|id| normal_id(id));
        all.push(match term.name {
            "id" => Condition::text_in("kb_categories.id IN", ids()),
            "name" => Condition::named("kb_categories.name_key", term.folded(), whole),
            "state" => STATE.in_states(&term.words(&state::ALL)?),
            "parentId" => Condition::text_in("kb_categories.parent_id IN", ids().map(parent_id)),
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}

/// The id of the parent of those at the top is empty.
fn parent_id(id: String) -> String {
    if id.eq_ignore_ascii_case("none") { String::new() } else { id }
}
