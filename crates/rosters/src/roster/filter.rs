//! From the parameters of a search to a condition on `rosters`.

use api::RequestScope;
use base::{problem::Problem, query_string, text::fold};
use db::Condition;

use super::wire::RosterId;

const VARIABLES: [&str; 4] = ["id", "name", "allList", "isEquals"];

/// The condition for a `queryString`. The parameter `all_list` counts where it says nothing of that; `name`, unless it
/// is blank, is the whole name.
///
/// # Errors
/// 400 on `queryString` that names what is wrong.
pub fn condition(scope: &RequestScope, text: &str, all_list: bool, name: Option<&str>) -> Result<Condition, Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let whole = query_string::flag(&terms, "isEquals")? == Some(true);
    let all_list = query_string::flag(&terms, "allList")?.unwrap_or(all_list);
    let mut all = vec![Condition::text_in("rosters.tenant_id IN", scope.scope_of_list(Some(all_list)))];
    if let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) {
        all.push(Condition::sql("rosters.name_key = ").text(fold(name)));
    }
    for term in &terms {
        all.push(match term.name {
            "id" => Condition::text_in("rosters.id IN", term.values.iter().map(|id| RosterId::from(id.clone()).0)),
            "name" => Condition::named("rosters.name_key", term.folded(), whole),
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}
