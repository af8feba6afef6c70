//! From `queryString` to a condition on `jobs`.

use api::RequestScope;
use base::{problem::Problem, query_string};
use db::Condition;

use super::types;

const VARIABLES: [&str; 7] = ["id", "name", "jobType", "jobQueued", "resourceId", "isEquals", "allList"];

/// The condition for a `queryString`.
///
/// # Errors
/// 400 on `queryString` that names what is wrong.
pub fn condition(scope: &RequestScope, text: &str) -> Result<Condition, Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let whole = query_string::flag(&terms, "isEquals")? == Some(true);
    let all_list = query_string::flag(&terms, "allList")?;
    let mut all = vec![Condition::text_in("jobs.tenant_id IN", scope.scope_of_list(all_list))];
    for term in &terms {
        let ids = || term.values.iter().map(|id| id.to_ascii_lowercase());
        all.push(match term.name {
            "id" => Condition::text_in("jobs.id IN", ids()),
            "name" => Condition::named("jobs.name_key", term.folded(), whole),
            "jobType" => Condition::text_in("jobs.job_type IN", term.words(&types::NAMES)?),
            "jobQueued" => Condition::sql(if term.boolean()? { "" } else { "NOT " }).then(
                "COALESCE(jobs.job_queued, EXISTS (SELECT 1 FROM job_runs WHERE job_runs.tenant_id = jobs.tenant_id \
                 AND job_runs.job_id = jobs.id AND job_runs.state = 'QUEUED' AND job_runs.finished_ms IS NULL))",
            ),
            "resourceId" => Condition::text_in(
                "EXISTS (SELECT 1 FROM job_resources WHERE job_resources.tenant_id = jobs.tenant_id \
                 AND job_resources.job_id = jobs.id AND job_resources.resource_id IN",
                ids(),
            )
            .then(")"),
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}
