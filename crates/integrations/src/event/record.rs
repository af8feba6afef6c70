//! The audit records of changes to events.

use outbox::{Entity as AuditEntity, Tx, Unpublished};
use serde_json::Value;

use super::{row::Row, wire::Event};
use crate::installed::row::Row as Integration;

pub const ENTITY: &str = "IntegrationEvent";

/// Records a change to an event, shown with the notifier of its integration.
pub fn change(tx: &mut Tx<'_>, integration: &Integration, before: Option<&Row>, after: Option<&Row>) -> db::Result<()> {
    change_with(tx, integration, before, after, Vec::new())
}

/// Where the audit log has the id of the integration of an event that is new or gone.
pub const INTEGRATION: &str = "integration.id";

/// As [`change`], with the secrets that changed.
pub fn change_with(
    tx: &mut Tx<'_>,
    integration: &Integration,
    before: Option<&Row>,
    after: Option<&Row>,
    mut secrets: Vec<Unpublished>,
) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let place = |row: Option<&Row>| row.map(|row| Value::from(row.integration_id.as_str()));
    secrets.extend(Unpublished::field(INTEGRATION, place(before).as_ref(), place(after).as_ref()));
    let entity = AuditEntity::audited(ENTITY, &row.tenant_id, &row.id);
    let shown = |row: &Row| Event::of(row, integration.notifier());
    let before = before.map(shown);
    let after = after.map(shown);
    tx.record_view_with(entity, before.as_ref(), after.as_ref(), secrets)
}
