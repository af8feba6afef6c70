//! Actions of Opsgenie clients on alerts, from the path and the body to the alert.

use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use db::Result;
use outbox::Tx;
use serde_json::Value;

use crate::{
    alerts::{
        actions,
        formats::opsgenie::{self as format, ROUTE},
        inbound, intake,
        row::{Alert, KEPT, WINDOW},
        rules::{self, Action, Edit},
        store,
    },
    neighbours::Neighbours,
};

/// An action of a client on an alert.
#[derive(Clone, Debug, PartialEq)]
pub enum OpsgenieAction {
    /// An ordinary action.
    Act(Action),
    /// A change of texts or tags, or only a note.
    Edit(Edit),
    /// Another state.
    Grade(&'static str),
    /// The next step of its escalation.
    Escalate,
}

impl OpsgenieAction {
    /// By the last piece of the path of a POST, with a note.
    ///
    /// # Errors
    /// 404 for a piece that is none of that API's, 400 for what it needs.
    pub fn post(name: &str, body: &Value, now: Timestamp) -> std::result::Result<(Self, String), Problem> {
        let note = format::note(body);
        let nothing = Edit::default;
        let said = |what: &str| if note.is_empty() { what.to_owned() } else { format!("{what}: {note}") };
        let named = |field: &str| {
            let name = ["username", "fullName", "name", "id"].map(|name| format::field(&body[field], name));
            name.into_iter().find(|name| !name.is_empty()).unwrap_or_default()
        };
        Ok(match name {
            "unacknowledge" => (Self::Act(Action::Unacknowledge), note),
            "snooze" => {
                let message = if format::field(body, "endTime").is_empty() { "is required" } else { "must be a time" };
                let end = format::time(body.get("endTime"));
                let end = end.ok_or_else(|| Problem::fields(vec![FieldError::new("endTime", message)]))?;
                // An end in the past suppresses nothing.
                let until = (end > now).then_some(Self::Act(Action::Suppress(Some(end))));
                (until.unwrap_or_else(|| Self::Edit(nothing())), note)
            }
            "escalate" => (Self::Escalate, said("escalated")),
            "assign" => (Self::Edit(nothing()), said(&format!("assigned to {}", named("owner")))),
            "responders" => (Self::Edit(nothing()), said(&format!("responder {}", named("responder")))),
            "teams" => (Self::Edit(nothing()), said(&format!("team {}", named("team")))),
            "notes" => (Self::Edit(nothing()), note),
            "tags" => (Self::Edit(Edit { add: format::labels(body.get("tags")), ..nothing() }), note),
            "details" => (Self::Edit(Edit { add: format::details(body.get("details")), ..nothing() }), note),
            _ => return Self::put(name, body).map(|action| (action, note)),
        })
    }

    /// By the last piece of the path of a PUT.
    ///
    /// # Errors
    /// 404 for a piece that is none of that API's.
    pub fn put(name: &str, body: &Value) -> std::result::Result<Self, Problem> {
        let text = |field: &str| Some(format::field(body, field)).filter(|text| !text.is_empty());
        Ok(match name {
            "message" => Self::Edit(Edit { subject: text("message"), ..Edit::default() }),
            "description" => Self::Edit(Edit { description: text("description"), ..Edit::default() }),
            "priority" if text("priority").is_none() => Self::Edit(Edit::default()),
            "priority" => Self::Grade(format::state_of_priority(body.get("priority"))),
            _ => return Err(Problem::not_found("The action was not found.")),
        })
    }

    /// By the last piece of the path of a DELETE, for what a parameter of the URL names, with commas between.
    ///
    /// # Errors
    /// 404 for a piece that is none of that API's.
    pub fn delete(name: &str, values: &str) -> std::result::Result<Self, Problem> {
        if !["tags", "details"].contains(&name) {
            return Err(Problem::not_found("The action was not found."));
        }
        let remove = values.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
        Ok(Self::Edit(Edit { remove, ..Edit::default() }))
    }

    /// Carries out the action.
    pub fn carry_out(self, tx: &mut Tx<'_>, neighbours: &Neighbours, alert: &Alert, note: String) -> Result<()> {
        if let Self::Act(action) = self {
            return inbound::act(tx, neighbours, alert, action, note);
        }
        let tenant = [alert.tenant_id.clone()];
        store::lock_tenants(tx.conn, &tenant)?;
        let mut alert = store::existing(tx.conn, &tenant, &alert.id)?;
        if self == Self::Escalate {
            neighbours.escalations.escalate(tx.conn, &alert.tenant_id, &alert.id, tx.now)?;
        }
        let before = alert.event_payload(tx.now)?;
        let version = alert.version;
        let routes = alert.document.routes.clone();
        let edit = match self {
            Self::Grade(state) if alert.closed_ms.is_none() => {
                if rules::set_state(&mut alert, state, ROUTE, tx.now) {
                    if rules::is_raised(&alert) {
                        let from = alert.document.old_state.clone();
                        let to = alert.current_state.clone();
                        intake::reopen(tx, neighbours, &mut alert, &from, &to)?;
                    }
                    // A window that holds it back may not cover the new state.
                    let held = [WINDOW, KEPT].contains(&alert.suppression.as_str()).then_some(&mut alert);
                    intake::ask_windows(tx, neighbours, held.into_iter())?;
                }
                Edit::default()
            }
            Self::Edit(edit) => edit,
            _ => Edit::default(),
        };
        if edit != Edit::default() || !note.is_empty() {
            actions::edit(tx, &*neighbours.people, &mut alert, edit, &note)?;
        }
        if alert.version != version {
            intake::record_change(tx, &alert, Some(before))?;
        } else if alert.document.routes == routes {
            return Ok(());
        }
        store::replace(tx.conn, &alert.tenant_id, std::slice::from_ref(&alert))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_000_000_000);

    #[test]
    fn each_action_is_one_of_ours() {
        let post = |name: &str, body: Value| OpsgenieAction::post(name, &body, NOW).unwrap();
        assert_eq!(
            post("unacknowledge", json!({"note": "n"})),
            (OpsgenieAction::Act(Action::Unacknowledge), "n".to_owned())
        );
        assert_eq!(post("assign", json!({"owner": {"username": "ann"}})).1, "assigned to ann");
        let (snoozed, _) = post("snooze", json!({"endTime": "2036-01-01T00:00:00Z"}));
        assert!(matches!(snoozed, OpsgenieAction::Act(Action::Suppress(Some(_)))));
        assert_eq!(post("snooze", json!({"endTime": "2016-01-01T00:00:00Z"})).0, OpsgenieAction::Edit(Edit::default()));
        for (body, message) in [(json!({}), "is required"), (json!({"endTime": "later"}), "must be a time")] {
            let error = OpsgenieAction::post("snooze", &body, NOW).unwrap_err().errors.remove(0);
            assert_eq!((error.field_name.as_str(), error.message.as_str()), ("endTime", message));
        }
        let OpsgenieAction::Edit(edit) = post("tags", json!({"tags": ["a", "b"]})).0 else { panic!() };
        assert_eq!(edit.add.len(), 2);
        assert_eq!(OpsgenieAction::put("priority", &json!({"priority": "P5"})), Ok(OpsgenieAction::Grade("Info")));
        assert!(OpsgenieAction::post("burn", &json!({}), NOW).is_err() && OpsgenieAction::delete("notes", "").is_err());
        let Ok(OpsgenieAction::Edit(edit)) = OpsgenieAction::delete("tags", "a, b,") else { panic!() };
        assert_eq!(edit.remove, ["a", "b"]);
    }
}
