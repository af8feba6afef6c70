//! From `queryString` to a condition on `alerts` ("Search alerts" in `docs/interface.md`).

use base::{
    problem::Problem,
    query_string::{self, Term},
    text::fold,
    timestamp::Timestamp,
};
use db::Condition;

use super::report::STATES;

/// The variables of the search.
pub const VARIABLES: [&str; 29] = [
    "id",
    "uniqueId",
    "extAlertId",
    "resourceId",
    "resourceIds",
    "hostName",
    "state",
    "currentState",
    "status",
    "actions",
    "alertType",
    "alertTypes",
    "component",
    "metric",
    "metrics",
    "monitorName",
    "app",
    "serviceName",
    "subject",
    "isEquals",
    "startDate",
    "endDate",
    "startUpdationDate",
    "endUpdationDate",
    "startAlertTime",
    "endAlertTime",
    "incidentId",
    "ticketId",
    "maintenanceId",
];

const STATUSES: [&str; 4] = ["New", "Acknowledged", "Suppressed", "Closed"];

/// The alerts of these tenants that an expression means.
///
/// # Errors
/// 400 on `queryString`.
pub fn condition(scope: &[String], text: &str, now: Timestamp) -> Result<Condition, Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let whole = match terms.iter().find(|term| term.name == "isEquals").map(|term| fold(&term.value)).as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Problem::field("queryString", "isEquals: must be true or false")),
    };
    let tenants = match scope {
        [one] => Condition::sql("alerts.tenant_id = ").text(one),
        many => Condition::text_in("alerts.tenant_id IN", many),
    };
    let conditions = terms.iter().map(|term| one(term, whole, now)).collect::<Result<Vec<_>, _>>()?;
    Ok(Condition::all(std::iter::once(tenants).chain(conditions)))
}

fn one(term: &Term, whole: bool, now: Timestamp) -> Result<Condition, Problem> {
    let keys = || term.values.iter().map(|value| fold(value));
    let is = |text: &'static str| Ok(Condition::text_in(text, keys()));
    match term.name {
        // Ids have capitals in front and none behind.
        "id" | "uniqueId" => Ok(Condition::text_in("lower(alerts.id) IN", keys())),
        "incidentId" | "ticketId" => Ok(Condition::text_in("lower(alerts.incident_id) IN", keys())),
        "maintenanceId" => Ok(Condition::text_in("lower(alerts.window_id) IN", keys())),
        "extAlertId" => is("alerts.ext_key IN"),
        "resourceId" | "resourceIds" => is("alerts.resource_id IN"),
        "hostName" if whole => is("alerts.host_key IN"),
        "hostName" => Ok(contains(term, "alerts.host_key")),
        "subject" if whole => is("alerts.subject_key IN"),
        "subject" => Ok(contains(term, "alerts.subject_key")),
        "state" | "currentState" => Ok(Condition::text_in("alerts.current_state IN", words(term, &STATES)?)),
        "status" | "actions" => Ok(Condition::any(words(term, &STATUSES)?.into_iter().map(|word| status(word, now)))),
        "alertType" | "alertTypes" => is("alerts.type_key IN"),
        "component" => is("alerts.component_key IN"),
        "metric" | "metrics" => is("alerts.metric_key IN"),
        "monitorName" => is("alerts.monitor_key IN"),
        "app" => is("alerts.app_key IN"),
        "serviceName" => is("alerts.service_key IN"),
        "startDate" => Ok(Condition::sql("alerts.created_ms >= ").integer(time(term)?)),
        "endDate" => Ok(Condition::sql("alerts.created_ms < ").integer(second_after(term)?)),
        "startUpdationDate" => Ok(Condition::sql("alerts.updated_ms >= ").integer(time(term)?)),
        "endUpdationDate" => Ok(Condition::sql("alerts.updated_ms < ").integer(second_after(term)?)),
        "startAlertTime" => Ok(Condition::sql("alerts.last_ms >= ").integer(time(term)?)),
        "endAlertTime" => Ok(Condition::sql("alerts.last_ms < ").integer(second_after(term)?)),
        _ => Ok(Condition::sql("1 = 1")),
    }
}

/// The alerts that have a status, as [`Row::status`](super::row::Row::status) says of each.
fn status(word: &str, now: Timestamp) -> Condition {
    let held = || {
        Condition::sql(
            "alerts.suppression <> '' AND (alerts.suppression <> 'person' OR alerts.suppressed_until_ms IS NULL \
             OR alerts.suppressed_until_ms > ",
        )
        .integer(now.millis())
        .then(")")
    };
    let free = || Condition::sql("alerts.closed_ms IS NULL AND NOT (").append(held()).then(")");
    match word {
        "Closed" => Condition::sql("alerts.closed_ms IS NOT NULL"),
        "Suppressed" => Condition::sql("alerts.closed_ms IS NULL AND ").append(held()),
        "Acknowledged" => free().then(" AND alerts.acknowledged = TRUE"),
        _ => free().then(" AND alerts.acknowledged = FALSE"),
    }
}

fn contains(term: &Term, column: &'static str) -> Condition {
    Condition::any(term.values.iter().map(|value| {
        Condition::sql("replace(").then(column).then(", ").text(fold(value)).then(", '') <> ").then(column)
    }))
}

fn words(term: &Term, known: &[&'static str]) -> Result<Vec<&'static str>, Problem> {
    let word = |value: &String| known.iter().copied().find(|word| word.eq_ignore_ascii_case(value));
    let found: Option<Vec<_>> = term.values.iter().map(word).collect();
    found.ok_or_else(|| wrong(term, &format!("must be one of {}", known.join(", "))))
}

fn time(term: &Term) -> Result<i64, Problem> {
    let at = Timestamp::parse(&term.value).ok_or_else(|| wrong(term, "must be a time such as 2026-11-20T20:37:00Z"))?;
    Ok(at.millis())
}

/// The end of a range is part of it, to the whole second that clients see.
fn second_after(term: &Term) -> Result<i64, Problem> {
    Ok(time(term)?.saturating_add(1_000))
}

fn wrong(term: &Term, message: &str) -> Problem {
    Problem::field("queryString", format!("{}: {message}", term.name))
}
