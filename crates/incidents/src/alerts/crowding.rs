//! The warning that a sender has taken most of its room for open alerts, before its reports are refused.

use std::collections::BTreeMap;

use db::Result;
use outbox::Tx;

use super::{
    batch::Batch,
    history::Arrival,
    report::{Origin, Report},
    room::{ALL, Changes, NO_ROOM, Pressure, Room, SENDER},
    row::Alert,
    rules, store,
};
use crate::neighbours::Neighbours;

/// The share of its room, in percent, at which a sender is reported, and below which the report is over.
const FULL: i64 = 80;
const RELIEVED: i64 = 70;

/// Opens an alert when a sender has taken most of its room; it closes when the sender has room again.
pub fn report_pressures(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    origin: &Origin,
    pressures: Vec<Pressure>,
) -> Result<()> {
    for pressure in pressures {
        let Pressure { tenant, sender, before, after } = &pressure;
        if *before < FULL && *after >= FULL {
            let of = if sender == ALL { store::largest_sender(tx.conn, tenant, ALL)? } else { Some(sender.clone()) };
            let name = name(tx, neighbours, origin, &of.unwrap_or_default())?;
            let subject = format!("Open alerts: {FULL} % of the room is taken by {name}");
            take_in(tx, SENDER, tenant, &report("Critical", subject, sender))?;
        }
        relieve(tx, &pressure)?;
    }
    Ok(())
}

/// Releases the room of alerts of a tenant that somebody closed.
pub fn release_room(tx: &mut Tx<'_>, tenant: &str, closed: &[Alert]) -> Result<()> {
    let mut changes_by_sender: BTreeMap<&str, Changes> = BTreeMap::new();
    for alert in closed {
        changes_by_sender.entry(&alert.sender).or_default().note(alert, Some(&alert.sender));
    }
    let tenants = [tenant.to_owned()];
    for (sender, changes) in changes_by_sender {
        let room = Room::read(tx.conn, &tenants, sender)?;
        changes.store(tx.conn, &room)?.iter().try_for_each(|pressure| relieve(tx, pressure))?;
    }
    Ok(())
}

/// Says that a sender has less of its room again.
fn relieve(tx: &mut Tx<'_>, pressure: &Pressure) -> Result<()> {
    let Pressure { tenant, sender, before, after } = pressure;
    if *before >= RELIEVED && *after < RELIEVED {
        let subject = "Open alerts: there is room again".to_owned();
        take_in(tx, SENDER, tenant, &report("Ok", subject, sender))?;
    }
    Ok(())
}

fn report(state: &'static str, subject: String, sender: &str) -> Report {
    Report {
        state,
        subject,
        description: format!("{NO_ROOM} What it reports beyond that is refused, and pages nobody."),
        metric: SENDER.to_owned(),
        component: sender.to_owned(),
        app: "Muster".to_owned(),
        key: Some(sender.to_owned()),
        ..Report::default()
    }
}

/// The name of a sender for people.
fn name(tx: &mut Tx<'_>, neighbours: &Neighbours, origin: &Origin, sender: &str) -> Result<String> {
    if sender.is_empty() {
        return Ok("API keys".to_owned());
    }
    if sender != origin.sender {
        return Ok(format!("the inbound address {sender}"));
    }
    let around = neighbours.people.own_and_partner(tx.conn, &origin.home)?;
    let author = tx.author().to_owned();
    let person = neighbours.people.users(tx.conn, &around, &[author])?.pop();
    let name = person.and_then(|person| person.first_name).unwrap_or_default();
    Ok(format!("the inbound address {name} ({sender})"))
}

/// Takes in a report of the service itself, which has no machine.
fn take_in(tx: &mut Tx<'_>, sender: &str, tenant: &str, report: &Report) -> Result<()> {
    let origin = Origin { home: tenant.to_owned(), scope: Vec::new(), sender: sender.to_owned() };
    let problems = rules::problems(report, sender, None);
    let former = Vec::new();
    let tenant = tenant.to_owned();
    let arrival = Arrival { report, resource: None, warning: None, tenant, problems, former };
    let mut batch = Batch::open(tx, &origin, std::slice::from_ref(&arrival), &[])?;
    batch.enter(&arrival, &origin, tx.now);
    batch.store(tx).map(drop)
}
