//! Which windows make maintenance alerts of alerts.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{AlertFacts, Cover};
use serde_json::Value;

use super::row::{Alert, WINDOW};
use crate::neighbours::Neighbours;

/// The windows that catch each of these alerts, in their order; the one that counts is the first.
pub fn catching(
    conn: &mut Conn,
    neighbours: &Neighbours,
    alerts: &[&Alert],
    now: Timestamp,
) -> Result<Vec<Vec<Cover>>> {
    let told: Vec<Value> = alerts.iter().map(|alert| alert.unsuppressed_payload(now)).collect::<Result<_>>()?;
    let facts: Vec<AlertFacts<'_>> = alerts
        .iter()
        .zip(&told)
        .map(|(row, alert)| AlertFacts {
            tenant_id: &row.tenant_id,
            resource_id: row.resource_id.as_deref().unwrap_or_default(),
            alert,
        })
        .collect();
    neighbours.maintenance.catching(conn, &facts, now)
}

/// Is this the window that holds an alert back?
pub fn is_held_by(alert: &Alert, cover: &Cover) -> bool {
    let held_by = (alert.window_tenant.as_deref(), alert.window_id.as_deref());
    alert.suppression == WINDOW && held_by == (Some(&cover.window.tenant_id), Some(&cover.window.unique_id))
}
