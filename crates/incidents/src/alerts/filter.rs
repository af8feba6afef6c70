//! From `queryString` to a condition on `alerts` ("Search alerts" in `docs/interface.md`).

use base::{
    problem::Problem,
    query_string::{self, Term},
    text::{fold, listed},
    timestamp::{DAY_MS, Timestamp},
};
use db::Condition;

use super::report::STATES;

/// The variables of the search.
pub const VARIABLES: [&str; 33] = listed(
    "id uniqueId extAlertId resourceId resourceIds hostName state states currentState status actions alertType \
    alertTypes component metric metrics monitorName app serviceName subject isEquals startDate endDate \
    startUpdationDate endUpdationDate startAlertTime endAlertTime incidentId ticketId maintenanceId clientIds duration \
    alertTimeBase",
);

/// The times that `alertTimeBase` names.
const TIME_BASES: [&str; 2] = ["created", "updated"];

/// The longest `duration`, in days.
const MOST_DAYS: i64 = 3_650;

/// The values of `status`.
pub const STATUSES: [&str; 4] = ["New", "Acknowledged", "Suppressed", "Closed"];

/// The variables that say how others are read, and leave no alert out.
const MODIFIERS: [&str; 2] = ["isEquals", "alertTimeBase"];

/// A search, read from an expression.
#[derive(Clone, Debug)]
pub struct Search {
    /// The alerts that it finds.
    pub condition: Condition,
    /// The column with the time that `startDate`, `endDate` and `duration` are about, in milliseconds.
    pub time: &'static str,
    /// Does it have a term that may leave an alert out?
    pub is_narrowed: bool,
}

/// The search for alerts of these tenants that an expression means.
///
/// # Errors
/// 400 on `queryString`.
pub fn search(scope: &[String], text: &str, now: Timestamp) -> Result<Search, Problem> {
    let terms = query_string::parse(text, &VARIABLES)?;
    let whole = query_string::flag(&terms, "isEquals")? == Some(true);
    let tenants = match scope {
        [one] => Condition::sql("alerts.tenant_id = ").text(one),
        many => Condition::text_in("alerts.tenant_id IN", many),
    };
    let base =
        terms.iter().find(|term| term.name == "alertTimeBase").map(|term| term.words(&TIME_BASES)).transpose()?;
    let time = match base.as_deref() {
        Some([.., "updated"]) => "alerts.updated_ms",
        _ => "alerts.created_ms",
    };
    let conditions = terms.iter().map(|term| term_condition(term, whole, time, now)).collect::<Result<Vec<_>, _>>()?;
    let condition = Condition::all(std::iter::once(tenants).chain(conditions));
    Ok(Search { condition, time, is_narrowed: terms.iter().any(|term| !MODIFIERS.contains(&term.name)) })
}

/// The alerts that a query of Opsgenie's means: of its terms, `status` counts and the text of `message`; whatever else
/// it says leaves nothing out.
pub fn opsgenie_condition(text: &str) -> Condition {
    let of = |name: &str| {
        let (_, rest) = text.split_once(name)?;
        let rest = rest.trim_start().strip_prefix([':', '='])?.trim_start();
        let value = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split_whitespace().next(),
        };
        value.map(|value| value.trim_matches(|letter: char| "()*".contains(letter)).to_owned())
    };
    let status = match of("status").as_deref() {
        Some("open") => Condition::sql("alerts.closed_ms IS NULL"),
        Some("closed") => Condition::sql("alerts.closed_ms IS NOT NULL"),
        _ => Condition::sql("1 = 1"),
    };
    let alias = of("alias").map(|alias| Condition::text_in("alerts.ext_key IN", [fold(&alias)]));
    let message = of("message").map(|message| Condition::named("alerts.subject_key", [fold(&message)], false));
    Condition::all([Some(status), alias, message].into_iter().flatten())
}

fn term_condition(term: &Term, whole: bool, time: &'static str, now: Timestamp) -> Result<Condition, Problem> {
    let keys = || term.values.iter().map(|value| fold(value));
    let is = |text: &'static str| Ok(Condition::text_in(text, keys()));
    match term.name {
        // Ids have capitals in front and none behind.
        "id" | "uniqueId" => Ok(Condition::text_in("lower(alerts.id) IN", keys())),
        "incidentId" | "ticketId" => Ok(Condition::text_in("lower(alerts.incident_id) IN", keys())),
        "maintenanceId" => Ok(Condition::text_in("lower(alerts.window_id) IN", keys())),
        "extAlertId" => is("alerts.ext_key IN"),
        "resourceId" | "resourceIds" => is("alerts.resource_id IN"),
        "hostName" => Ok(Condition::named("alerts.host_key", keys(), whole)),
        "subject" => Ok(Condition::named("alerts.subject_key", keys(), whole)),
        "state" | "states" | "currentState" => Ok(Condition::text_in("alerts.current_state IN", term.words(&STATES)?)),
        "status" | "actions" => Ok(Condition::any(term.words(&STATUSES)?.into_iter().map(|word| status(word, now)))),
        "alertType" | "alertTypes" => is("alerts.type_key IN"),
        "component" => is("alerts.component_key IN"),
        "metric" | "metrics" => is("alerts.metric_key IN"),
        "monitorName" => is("alerts.monitor_key IN"),
        "app" => is("alerts.app_key IN"),
        "serviceName" => is("alerts.service_key IN"),
        "clientIds" => Ok(Condition::text_in("alerts.tenant_id IN", keys())),
        "startDate" => Ok(Condition::sql(time).then(" >= ").integer(term.time()?.millis())),
        "endDate" => Ok(Condition::sql(time).then(" < ").integer(second_after(term)?)),
        "duration" => Ok(Condition::sql(time).then(" >= ").integer(now.millis() - days(term)? * DAY_MS)),
        "startUpdationDate" => Ok(Condition::sql("alerts.updated_ms >= ").integer(term.time()?.millis())),
        "endUpdationDate" => Ok(Condition::sql("alerts.updated_ms < ").integer(second_after(term)?)),
        "startAlertTime" => Ok(Condition::sql("alerts.last_ms >= ").integer(term.time()?.millis())),
        "endAlertTime" => Ok(Condition::sql("alerts.last_ms < ").integer(second_after(term)?)),
        _ => Ok(Condition::sql("1 = 1")),
    }
}

/// The status of an alert as a value of SQL.
pub fn status_value(now: Timestamp) -> Condition {
    let case = |value: Condition, (word, result): (&'static str, &'static str)| {
        value.then(" WHEN ").append(status(word, now)).then(result)
    };
    let cases = [("Closed", " THEN 'Closed'"), ("Suppressed", " THEN 'Suppressed'"), ("New", " THEN 'New'")];
    cases.into_iter().fold(Condition::sql("CASE"), case).then(" ELSE 'Acknowledged' END")
}

/// The alerts that have a status, as [`Alert::status`](super::row::Alert::status) says of each.
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

fn days(term: &Term) -> Result<i64, Problem> {
    let days = term.value.parse().ok().filter(|days| (1..=MOST_DAYS).contains(days));
    days.ok_or_else(|| term.wrong(format_args!("must be a number of days from 1 to {MOST_DAYS}")))
}

/// The end of a range is part of it, to the whole second that clients see.
fn second_after(term: &Term) -> Result<i64, Problem> {
    Ok(term.time()?.millis().saturating_add(1_000))
}
