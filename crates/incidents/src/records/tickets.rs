//! Incidents that are opened for alerts.

use base::problem::{FieldErrors, Problem};
use db::{Conn, Result};
use outbox::Tx;

use super::{
    row::{AlertName, Machine},
    rules::ResolvedReferences,
    wire::AlertId,
};
use crate::alerts::{intake, rules, store};

/// The most tags of an alert that are search texts.
const TAGS: usize = 5;

/// Finds the alerts of a tenant that a new incident is opened for, which nobody else changes until the end of the
/// transaction. Unless the incident says which machines it is about, it is about theirs.
///
/// # Errors
/// 400 for the errors so far and for every id that is not an alert of the tenant, 409 for an alert that has an incident
/// already.
pub fn find(
    tx: &mut Tx<'_>,
    tenant: &str,
    named_alerts: &[AlertId],
    references: &mut ResolvedReferences,
    mut wrong: FieldErrors,
) -> Result<()> {
    if named_alerts.is_empty() {
        return Ok(wrong.check()?);
    }
    store::lock_tenants(tx.conn, &[tenant.to_owned()])?;
    let ids: Vec<String> = named_alerts.iter().map(|alert| alert.id.clone()).collect();
    let rows = store::by_ids(tx.conn, tenant, &ids)?;
    let mut taken = None;
    let mut machines = Vec::<Machine>::new();
    for (index, id) in ids.iter().enumerate() {
        let Some(row) = rows.iter().find(|row| row.id == *id) else {
            wrong.unknown(&format!("alerts[{index}].id"), "alert of the tenant", id);
            continue;
        };
        if let Some(incident) = &row.incident_id {
            let detail = format!("The incident {incident} was opened for the alert {id} already.");
            taken.get_or_insert(Problem::conflict(detail));
        }
        if references.alerts.iter().all(|known| known.id != *id) {
            references.alerts.push(AlertName { id: id.clone(), subject: row.document.subject.clone() });
        }
        if let (Some(id), Some(device)) = (&row.resource_id, &row.document.device)
            && machines.iter().all(|known| known.id != *id)
        {
            machines.push(Machine { id: id.clone(), name: device.name.clone(), host_name: device.host_name.clone() });
        }
    }
    wrong.check()?;
    if let Some(taken) = taken {
        return Err(taken.into());
    }
    references.resources.get_or_insert(machines);
    Ok(())
}

/// The search texts of these alerts of a tenant: metric, component, service, application, and the values of the
/// first tags.
pub fn subjects(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for row in store::by_ids(conn, tenant, ids)? {
        let told = row.document.0;
        texts.extend([told.metric, told.component, told.service_name, told.app]);
        texts.extend(told.tags.into_iter().take(TAGS).map(|tag| tag.value));
    }
    Ok(texts)
}

/// Writes the incident into the alerts that it was opened for.
pub fn link_alerts(tx: &mut Tx<'_>, tenant: &str, references: &ResolvedReferences, incident: &str) -> Result<()> {
    let ids: Vec<String> = references.alerts.iter().map(|alert| alert.id.clone()).collect();
    let mut changed = Vec::new();
    for mut alert in store::by_ids(tx.conn, tenant, &ids)? {
        let before = alert.event_payload(tx.now)?;
        rules::link_incident(&mut alert, incident, tx.now);
        intake::record_change(tx, &alert, Some(before))?;
        changed.push(alert);
    }
    store::replace(tx.conn, tenant, &changed)
}
