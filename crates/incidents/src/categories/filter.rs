//! From `queryString` to a condition on `incident_categories`.

use base::{problem::Problem, query_string};
use db::Condition;

use super::wire::normal_id;

const VARIABLES: [&str; 5] = ["uniqueId", "name", "isEquals", "parentId", "allList"];

/// The condition for a `queryString`, and its `allList`. With `trees` those at the top are meant when it names no
/// parent.
///
/// # Errors
/// 400 on `queryString`, with the error.
pub fn condition(text: &str, trees: bool) -> Result<(Condition, Option<bool>), Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let whole = query_string::flag(&terms, "isEquals")? == Some(true);
    let mut all = Vec::new();
    if trees && !terms.iter().any(|term| term.name == "parentId") {
        all.push(Condition::sql("incident_categories.parent_id = ''"));
    }
    for term in &terms {
        let ids = || term.values.iter().map(|id| normal_id(id));
        all.push(match term.name {
            "uniqueId" => Condition::text_in("incident_categories.id IN", ids()),
            "name" => Condition::named("incident_categories.name_key", term.folded(), whole),
            "parentId" => Condition::text_in("incident_categories.parent_id IN", ids().map(parent_id)),
            _ => continue,
        });
    }
    Ok((Condition::all(all), query_string::flag(&terms, "allList")?))
}

/// The id of the parent of those at the top is empty.
fn parent_id(id: String) -> String {
    if id.eq_ignore_ascii_case("none") { String::new() } else { id }
}
