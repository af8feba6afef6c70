//! From `queryString` to a condition on `incidents`.

use api::RequestScope;
use base::{
    problem::Problem,
    query_string::{self, Term},
    text::{listed, spelled},
};
use db::{Condition, Dates};

use super::row::{ALERT, PRIORITIES, RESOURCE, STATUSES};
use crate::categories::wire::normal_id;

const VARIABLES: [&str; 20] = listed(
    "id uniqueId subject isEquals priority status categoryId requesterId requester assigneeId assignedTo \
    assigneeGroupId resourceId alertId hasAlerts startCreationDate endCreationDate startUpdationDate endUpdationDate \
    allList",
);

/// The condition for a `queryString`.
///
/// # Errors
/// 400 on `queryString`, with the error.
pub fn condition(scope: &RequestScope, text: &str) -> Result<Condition, Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let whole = query_string::flag(&terms, "isEquals")? == Some(true);
    let tenants = scope.scope_of_list(query_string::flag(&terms, "allList")?);
    let mut dates = Dates::default();
    let mut all = vec![Condition::text_in("incidents.tenant_id IN", &tenants)];
    for term in &terms {
        let upper = || term.values.iter().map(|id| id.to_ascii_uppercase());
        let behind = |prefix| term.values.iter().map(|id| spelled(id, prefix)).collect::<Vec<_>>();
        let linked = |kind: &'static str, ids: Vec<String>| {
            Condition::sql(
                "EXISTS (SELECT 1 FROM incident_links l WHERE l.tenant_id = incidents.tenant_id AND l.incident_id = \
                 incidents.id AND ",
            )
            .append(Condition::text_in("l.tenant_id IN", &tenants))
            .then(" AND l.kind = ")
            .text(kind)
            .then(" AND ")
            .append(Condition::text_in("l.named_id IN", ids))
            .then(")")
        };
        all.push(match term.name {
            "id" | "uniqueId" => Condition::text_in("incidents.id IN", upper()),
            "subject" => Condition::named("incidents.subject_key", term.folded(), whole),
            "priority" => Condition::integer_in("incidents.priority IN", word_indexes(term, &PRIORITIES)?),
            "status" => Condition::integer_in("incidents.status IN", word_indexes(term, &STATUSES)?),
            "categoryId" => {
                let columns = ["incidents.category_id IN", "incidents.sub_category_id IN"];
                let ids = || term.values.iter().map(|id| normal_id(id));
                Condition::any(columns.map(|column| Condition::text_in(column, ids())))
            }
            "requesterId" | "requester" => Condition::text_in("incidents.requester_id IN", upper()),
            "assigneeId" | "assignedTo" => Condition::text_in("incidents.assignee_id IN", upper()),
            "assigneeGroupId" => Condition::text_in("incidents.group_id IN", behind("USRGRP-")),
            "resourceId" => linked(RESOURCE, term.values.iter().map(|id| id.to_ascii_lowercase()).collect()),
            "alertId" => linked(ALERT, behind("ALT-")),
            "hasAlerts" => {
                Condition::sql(if term.boolean()? { "incidents.alerts <> '[]'" } else { "incidents.alerts = '[]'" })
            }
            _ => {
                dates.take(term)?;
                continue;
            }
        });
    }
    all.push(dates.condition("incidents.created_ms", "incidents.updated_ms"));
    Ok(Condition::all(all))
}

/// The places of the words of a term among these.
fn word_indexes(term: &Term, words: &'static [&'static str]) -> Result<Vec<i64>, Problem> {
    let index = |word: &str| words.iter().position(|known| *known == word).and_then(|index| i64::try_from(index).ok());
    Ok(term.words(words)?.into_iter().filter_map(index).collect())
}
