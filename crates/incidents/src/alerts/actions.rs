//! Actions on alerts, by a request or by a link in a message.

use api::context::check_version;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Actor, Tx};
use ports::{AlertAction, AlertActionKind, People};
use serde_json::Value;

use super::{
    crowding, intake,
    row::Alert,
    rules::{self, Action},
    store, wire,
};

/// An action on an alert.
pub struct ActionRequest<'a> {
    /// The tenants in reach.
    pub scope: &'a [String],
    /// Which alert.
    pub id: &'a str,
    /// The version that the caller has seen, from `If-Match`.
    pub expected_version: Option<i64>,
    /// The acting user.
    pub user: String,
    /// The action.
    pub action: Action,
    /// A note.
    pub note: String,
}

impl ActionRequest<'_> {
    /// Carries out the action; answers the alert after it.
    ///
    /// # Errors
    /// 404 for an unknown alert, 409 when its state does not allow it, 412 for another version.
    pub fn carry_out(self, tx: &mut Tx<'_>, people: &dyn People) -> Result<Alert> {
        let Self { scope, id, expected_version, user, action, note } = self;
        let seen = store::existing(tx.conn, scope, id)?;
        store::lock_tenants(tx.conn, std::slice::from_ref(&seen.tenant_id))?;
        let row = store::existing(tx.conn, scope, id)?;
        check_version(expected_version, row.version)?;
        let around = people.own_and_partner(tx.conn, &row.tenant_id)?;
        let known = people.users(tx.conn, &around, std::slice::from_ref(&user))?.pop();
        let by = known.map_or_else(|| wire::Person { id: user, ..wire::Person::default() }, wire::Person::of);
        let mut alert = row;
        let before = alert.event_payload(tx.now)?;
        rules::act(&mut alert, action, by, note, tx.now)?;
        intake::record_change(tx, &alert, Some(before))?;
        store::replace(tx.conn, &alert.tenant_id, std::slice::from_ref(&alert))?;
        if action == Action::Close {
            store::close_problem(tx.conn, &alert)?;
            crowding::release_room(tx, &alert)?;
        }
        Ok(alert)
    }
}

/// The alert with this id as clients see it, for other domains.
pub fn find(conn: &mut Conn, tenants: &[String], id: &str, at: Timestamp) -> Result<Option<Value>> {
    match store::existing(conn, tenants, id) {
        Ok(row) => Ok(Some(row.event_payload(at)?)),
        Err(db::Error::Problem(problem)) if problem.kind == base::Kind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Carries out an action for another domain.
pub fn act(conn: &mut Conn, people: &dyn People, action: AlertAction<'_>, at: Timestamp) -> Result<Value> {
    let AlertAction { tenant, id, user, by, request, what, note } = action;
    let actor = Actor { user_id: user.to_owned(), key_id: by.to_owned(), request_id: request.to_owned() };
    let action = match what {
        AlertActionKind::Acknowledge => Action::Acknowledge,
        AlertActionKind::Close => Action::Close,
        AlertActionKind::Suppress(until) => Action::Suppress(Some(until)),
    };
    Tx::run(conn, &actor, at, |tx| {
        let scope = [tenant.to_owned()];
        let request = ActionRequest {
            scope: &scope,
            id,
            expected_version: None,
            user: user.to_owned(),
            action,
            note: note.to_owned(),
        };
        request.carry_out(tx, people)?.event_payload(at)
    })
}
