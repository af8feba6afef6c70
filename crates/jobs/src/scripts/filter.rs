//! From `queryString` to a condition on `job_scripts`.

use api::RequestScope;
use base::{problem::Problem, query_string};
use db::Condition;

const VARIABLES: [&str; 4] = ["id", "name", "platform", "allList"];

/// The condition for a `queryString`; `with_partner` adds the scripts of the partner.
///
/// # Errors
/// 400 on `queryString` that names what is wrong.
pub fn condition(scope: &RequestScope, text: &str, with_partner: bool) -> Result<Condition, Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let tenants = match query_string::flag(&terms, "allList")? {
        None | Some(true) if with_partner => scope.scope_and_partner(),
        all_list => scope.scope_of_list(all_list),
    };
    let mut all = vec![Condition::text_in("job_scripts.tenant_id IN", tenants)];
    for term in &terms {
        all.push(match term.name {
            "id" => {
                let ids = term.values.iter().map(|id| id.parse()).collect::<Result<Vec<_>, _>>();
                Condition::integer_in("job_scripts.id IN", ids.map_err(|_| term.wrong("must be an integer"))?)
            }
            "name" => Condition::named("job_scripts.name_key", term.folded(), false),
            "platform" => {
                let quoted = term.values.iter().map(|name| format!("\"{}\"", name.to_ascii_uppercase()));
                Condition::named("job_scripts.platforms", quoted, false)
            }
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}
