//! From `queryString` to a condition on `kb_articles`.

use api::RequestScope;
use base::{problem::Problem, query_string};
use db::Condition;

use super::store::STATE;
use crate::{categories::wire::normal_id, state};

const VARIABLES: [&str; 9] =
    ["id", "title", "subject", "isEquals", "state", "states", "categoryId", "categoryName", "allList"];

/// The condition for a `queryString`, and for these states; `None` are those outside the trash, unless the
/// `queryString` names a state.
///
/// # Errors
/// 400 on `queryString`, with the error.
pub fn condition(scope: &RequestScope, text: &str, states: Option<&[&'static str]>) -> Result<Condition, Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let has = |name: &str| terms.iter().any(|term| term.name == name);
    for (name, other) in [("subject", "title"), ("states", "state")] {
        if has(name) && has(other) {
            let message = format!("{name} is another name of {other}: give one of them");
            return Err(Problem::field("queryString", message));
        }
    }
    let whole = query_string::flag(&terms, "isEquals")? == Some(true);
    let all_list = query_string::flag(&terms, "allList")?;
    let mut all = vec![Condition::text_in("kb_articles.tenant_id IN", scope.scope_of_list(all_list))];
    let default = (!has("state") && !has("states")).then_some(&state::OUTSIDE_TRASH[..]);
    all.extend(states.or(default).map(|states| STATE.in_states(states)));
    for term in &terms {
        let ids = || term.values.iter().map(|id| normal_id(id));
        all.push(match term.name {
            "id" => Condition::text_in("kb_articles.id IN", ids()),
            "title" | "subject" => Condition::named("kb_articles.title_key", term.folded(), whole),
            "state" | "states" => {
                let words = term.words(&state::OF_ARTICLE_LISTS)?.into_iter().filter(|word| *word != state::EXPIRED);
                STATE.in_states(&words.map(state::parse_article_state).collect::<Vec<_>>())
            }
            "categoryId" => Condition::text_in("kb_articles.category_id IN", ids()),
            "categoryName" => Condition::sql(
                "EXISTS (SELECT 1 FROM kb_categories WHERE kb_categories.tenant_id = kb_articles.tenant_id AND \
                 kb_categories.id = kb_articles.category_id AND ",
            )
            .append(Condition::named("kb_categories.name_key", term.folded(), whole))
            .then(")"),
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}
