//! Actions on alerts, by a request or by a link in a message.

use api::context::check_version;
use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Actor, Tx};
use ports::{AlertAction, AlertActionKind, People};
use serde_json::Value;

use super::{
    crowding, intake,
    row::Alert,
    rules::{self, Action, Edit},
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
        let action = UserAction { user, action, note };
        let outcome = action.apply(tx, people, &[row])?.pop();
        Ok(outcome.ok_or_else(Problem::internal)??)
    }
}

/// A user, as alerts name them who belong to a tenant.
fn person(tx: &mut Tx<'_>, people: &dyn People, tenant: &str, user: &str) -> Result<wire::Person> {
    let around = people.own_and_partner(tx.conn, tenant)?;
    let known = people.users(tx.conn, &around, &[user.to_owned()])?.pop();
    Ok(known.map_or_else(|| wire::Person { id: user.to_owned(), ..wire::Person::default() }, wire::Person::of))
}

/// Changes texts and tags of an alert, whose tenant is locked, and adds a note of who acts; neither records nor stores
/// it.
pub fn edit(tx: &mut Tx<'_>, people: &dyn People, alert: &mut Alert, edit: Edit, note: &str) -> Result<()> {
    let user = tx.author().to_owned();
    let by = person(tx, people, &alert.tenant_id, &user)?;
    rules::apply_edit(alert, edit, by, note, tx.now);
    Ok(())
}

/// Adds a note of who acts to an alert, whose tenant is locked.
pub fn add_note(tx: &mut Tx<'_>, people: &dyn People, alert: &mut Alert, note: &str) -> Result<()> {
    let before = alert.event_payload(tx.now)?;
    edit(tx, people, alert, Edit::default(), note)?;
    intake::record_change(tx, alert, Some(before))?;
    store::replace(tx.conn, &alert.tenant_id, std::slice::from_ref(alert))
}

/// An action of a user on any number of alerts.
#[derive(Clone, Debug)]
pub struct UserAction {
    /// The acting user.
    pub user: String,
    /// The action.
    pub action: Action,
    /// A note.
    pub note: String,
}

/// An alert after an action, or the reason why the action is refused.
pub type ActionOutcome = std::result::Result<Alert, Problem>;

impl UserAction {
    /// Carries out the action on alerts, of which those of a tenant stand together; their tenants are locked. Answers
    /// the outcome for each, in their order. An alert that is not in a state for it stays as it is (409).
    pub fn apply(&self, tx: &mut Tx<'_>, people: &dyn People, alerts: &[Alert]) -> Result<Vec<ActionOutcome>> {
        let mut outcomes = Vec::with_capacity(alerts.len());
        for of_tenant in alerts.chunk_by(|one, other| one.tenant_id == other.tenant_id) {
            let Some(first) = of_tenant.first() else { continue };
            outcomes.extend(self.apply_in_tenant(tx, people, &first.tenant_id, of_tenant)?);
        }
        Ok(outcomes)
    }

    fn apply_in_tenant(
        &self,
        tx: &mut Tx<'_>,
        people: &dyn People,
        tenant: &str,
        alerts: &[Alert],
    ) -> Result<Vec<ActionOutcome>> {
        let Self { user, action, note } = self;
        let by = person(tx, people, tenant, user)?;
        let mut outcomes = Vec::with_capacity(alerts.len());
        for row in alerts {
            let mut alert = row.clone();
            let before = alert.event_payload(tx.now)?;
            let done = rules::act(&mut alert, *action, by.clone(), note.clone(), tx.now);
            if done.is_ok() {
                intake::record_change(tx, &alert, Some(before))?;
            }
            outcomes.push(done.map(|()| alert));
        }
        let changed: Vec<Alert> = outcomes.iter().flatten().cloned().collect();
        store::replace(tx.conn, tenant, &changed)?;
        if *action == Action::Close {
            store::close_problems(tx.conn, tenant, &changed)?;
            crowding::release_room(tx, tenant, &changed)?;
        }
        Ok(outcomes)
    }
}

/// The alert with this id as clients see it, for other domains.
pub fn find(conn: &mut Conn, tenants: &[String], id: &str, at: Timestamp) -> Result<Option<Value>> {
    let Some(row) = store::find(conn, tenants, id)? else { return Ok(None) };
    Ok(Some(row.event_payload(at)?))
}

/// Carries out an action for another domain.
pub fn act(conn: &mut Conn, people: &dyn People, action: AlertAction<'_>, at: Timestamp) -> Result<Value> {
    let AlertAction { tenant, id, user, by, request, what, note } = action;
    let actor = Actor::without_change_set(user, by, request);
    let action = match what {
        AlertActionKind::Acknowledge => Action::Acknowledge,
        AlertActionKind::Unacknowledge => Action::Unacknowledge,
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

/// Takes an acknowledgement back that was given at an instant or before; false when there is none.
pub fn expire_acknowledgement(
    conn: &mut Conn,
    tenant: &str,
    id: &str,
    given: Timestamp,
    at: Timestamp,
) -> Result<bool> {
    store::lock_tenants(conn, &[tenant.to_owned()])?;
    let Some(mut alert) = store::by_ids(conn, tenant, &[id.to_owned()])?.pop() else { return Ok(false) };
    let before = alert.event_payload(at)?;
    if !rules::expire_acknowledgement(&mut alert, given, at) {
        return Ok(false);
    }
    Tx::run(conn, &Actor::service("acknowledgements"), at, |tx| {
        intake::record_change(tx, &alert, Some(before))?;
        store::replace(tx.conn, tenant, std::slice::from_ref(&alert))?;
        Ok(true)
    })
}
