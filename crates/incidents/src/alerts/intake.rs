//! Intake of reports, many at once, with a fixed number of statements for all of them.
//!
//! The resource of each report is looked up first, since it decides the tenant of the alert. Then the tenants are
//! locked against other writers of alerts, so that a problem that two gateways take in at once is one alert, and each
//! report counts once. The effects of the reports are worked out in memory, in their order; windows are asked about the
//! resulting alerts; everything is then written.

use base::{problem::FieldError, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::Tx;

use super::{
    batch::{Batch, Outcome, REFUSED},
    crowding,
    history::{self, Arrival},
    lookup::resources,
    report::{ParsedReport, Report},
    room,
    row::Alert,
    rules, store,
    wire::AlertResult,
};
use crate::neighbours::Neighbours;

pub use super::{
    batch::{ask_windows, record_change, reopen},
    report::Origin,
};

/// Takes reports in; answers the result of each, in their order.
///
/// # Errors
/// 409 when there was room for none of them.
pub fn take_in(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    origin: &Origin,
    reports: &[ParsedReport],
) -> Result<Vec<AlertResult>> {
    let good: Vec<&Report> = reports.iter().filter_map(|read| read.as_ref().ok()).collect();
    let found = resources(tx.conn, &*neighbours.resources, &origin.scope, &good)?;
    let mut arrivals: Vec<Arrival<'_>> = good
        .into_iter()
        .zip(found)
        .map(|(report, (resource, warning))| {
            let tenant = resource.as_ref().map_or_else(|| origin.home.clone(), |found| found.tenant_id.clone());
            let problems = rules::problems(report, &origin.sender, resource.as_ref());
            Arrival { problems, former: Vec::new(), report, resource, warning, tenant }
        })
        .collect();
    let open = history::find(tx.conn, &*neighbours.resources, origin, &mut arrivals)?;
    let mut batch = Batch::open(tx, origin, &arrivals, &open)?;
    let done: Vec<Outcome> = arrivals.iter().map(|arrival| batch.enter(arrival, origin, tx.now)).collect();
    if !done.is_empty() && done.iter().all(|(result, _)| *result == REFUSED) {
        return Err(room::refusal());
    }
    batch.ask_policies(tx, neighbours)?;
    batch.ask_windows(tx, neighbours)?;
    let mut done = done.into_iter().zip(arrivals.drain(..)).map(|((result, place), arrival)| {
        let alert = place.and_then(|place| batch.alert(place));
        let mut outcome = outcome(result, alert, tx.now);
        let said = arrival.report.warnings.iter().cloned().chain(arrival.report.notices());
        outcome.warnings = arrival.warning.into_iter().map(str::to_owned).chain(said).collect();
        outcome
    });
    let results = reports.iter().map(|read| match read {
        Ok(_) => done.next().unwrap_or_else(|| outcome("ignored", None, tx.now)),
        Err(errors) => AlertResult { errors: errors.clone(), ..outcome("invalid", None, tx.now) },
    });
    let results = results.collect();
    drop(done);
    let pressing = batch.store(tx)?;
    crowding::report_pressures(tx, neighbours, origin, pressing)?;
    Ok(results)
}

/// All alerts that are open of the problem that a report names, or else the last one.
pub fn alerts_of(conn: &mut Conn, neighbours: &Neighbours, origin: &Origin, of: &Report) -> Result<Vec<Alert>> {
    let found = resources(conn, &*neighbours.resources, &origin.scope, &[of])?;
    let resource = found.into_iter().find_map(|(resource, _)| resource);
    store::open_or_last(conn, &origin.scope, &rules::problems(of, &origin.sender, resource.as_ref()))
}

/// The result of an action of a sender on this alert of a problem, or on none.
pub fn result_of_action(tx: &mut Tx<'_>, alert: Option<&Alert>, of: &Report) -> Result<AlertResult> {
    let Some(alert) = alert else { return Ok(outcome("ignored", None, tx.now)) };
    let alert = store::existing(tx.conn, std::slice::from_ref(&alert.tenant_id), &alert.id)?;
    let warnings = of.warnings.iter().chain(&of.repairs).cloned().collect();
    Ok(AlertResult { warnings, ..outcome("changed", Some(&alert), tx.now) })
}

fn outcome(result: &'static str, alert: Option<&Alert>, now: Timestamp) -> AlertResult {
    let id = alert.map(|alert| alert.id.clone());
    let refusal = || FieldError::new("body", room::NO_ROOM);
    AlertResult {
        result,
        unique_id: id.clone(),
        id,
        current_state: alert.map(|alert| alert.current_state.clone()),
        status: alert.map(|alert| alert.status(now)),
        alert_type: alert.map(|alert| alert.document.alert_type.clone()),
        repeat_count: alert.map(|alert| alert.repeats),
        resource_id: alert.and_then(|alert| alert.resource_id.clone()),
        warnings: Vec::new(),
        errors: (result == REFUSED).then(refusal).into_iter().collect(),
    }
}
