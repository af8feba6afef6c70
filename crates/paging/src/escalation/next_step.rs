//! The next step of an escalation is taken because somebody asks for it.

use base::{problem::Problem, timestamp::Timestamp};
use db::Result;
use outbox::{Entity, Tx};
use serde_json::{Value, json};

use super::{
    actions::EscalationAction,
    engine,
    rules::{Stage, State},
    store::Row,
    work::EscalationBatch,
};
use crate::{Neighbours, delivery::pages::store::INCIDENT};

/// Takes the next step of an escalation that runs at once, also where it waits for the alert of its place.
///
/// # Errors
/// 409 when it does not run, or has no further step.
pub fn take_next_step(tx: &mut Tx<'_>, neighbours: &Neighbours, row: Row, action: EscalationAction) -> Result<()> {
    let now = tx.now;
    let state = row.state();
    match state.stage {
        Stage::Running => {}
        Stage::Ended => return Err(no_step_left().into()),
        Stage::NoPolicy => {
            let detail = "There is no escalation: no policy takes the alert. Hand it over to somebody.";
            return Err(Problem::conflict(detail).into());
        }
        _ => {
            let detail = "There is no further step to take: the escalation is not running.";
            return Err(Problem::conflict(detail).into());
        }
    }
    let next = State { next_ms: Some(now.millis()), ..state };
    if next.due(&row.policy.plan(), now.millis()).1.is_none() {
        return Err(no_step_left().into());
    }
    let told = |state: &State| -> Value {
        let about = if row.alert_id.starts_with(INCIDENT) { "incidentId" } else { "alertId" };
        json!({about: row.alert_id, "step": state.step, "nextStepDate": state.next_ms.map(Timestamp::from_millis)})
    };
    let entity = Entity::audited("Escalation", &row.tenant_id, &row.alert_id);
    let mut after = told(&next);
    if !action.note.is_empty() {
        after["note"] = json!(action.note);
    }
    tx.record_payloads(entity, Some(told(&state)), Some(after));
    let row = Row { waits_until_ms: None, ..row }.with_action(action).with(next, now.millis());
    EscalationBatch::run(tx.conn, neighbours, now, |conn, work| engine::advance(conn, work, row))
}

fn no_step_left() -> Problem {
    Problem::conflict("There is no further step to take: all steps of the escalation were taken.")
}
