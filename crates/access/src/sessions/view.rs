//! What the audit log has of sessions and sign-in links.

use outbox::{Entity, Tx, Unpublished};

use super::{
    links,
    store::Row,
    wire::{NotedSignInLink, Session},
};

/// Records that a session has begun, or ended.
pub(crate) fn record_session(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity::audited("Session", &row.tenant_id, &row.id);
    let shown = |row: Option<&Row>| row.cloned().map(Session::from);
    tx.note_shown(entity, shown(before).as_ref(), shown(after).as_ref())
}

/// Records that a link is new, or used.
pub(crate) fn record_link(tx: &mut Tx<'_>, before: Option<&links::Row>, after: Option<&links::Row>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity::audited("SignInLink", &row.tenant_id, &row.id);
    let code = Unpublished::secret("code", before.is_some(), after.is_some());
    let shown = |row: Option<&links::Row>| row.map(NotedSignInLink::from);
    tx.note_shown_with(entity, shown(before).as_ref(), shown(after).as_ref(), vec![code])
}
