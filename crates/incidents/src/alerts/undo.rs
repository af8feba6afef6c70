//! Undoing actions on alerts: acknowledgements and suppressions by people are taken back, or given again. An alert that
//! is new, or was closed, stays as it is.

use std::sync::Arc;

use api::{RequestScope, Restorer, restore};
use base::{problem::Problem, timestamp::Timestamp};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use ports::People;

use super::{actions::ActionRequest, batch::ENTITY, row::PERSON, rules::Action};

const REASON: &str = "suppression.reason";
const SUPPRESSED: &str = "suppression.time";
const UNTIL: &str = "suppression.until";
const ACKNOWLEDGED: &str = "acknowledgement.time";
/// Those that follow from a change.
const DERIVED: [&str; 10] = [
    "status",
    "oldState",
    "acknowledgement",
    "unacknowledgement",
    "previousAcknowledgement",
    "suppression",
    "unsuppression",
    "lastEvent",
    "escalation",
    "updatedDate",
];

/// Restores alerts.
pub struct Alerts(pub Arc<dyn People>);

impl Restorer for Alerts {
    fn kinds(&self) -> &'static [&'static str] {
        &[ENTITY]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |_| false)
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        change.existed && change.exists && !actions(change).is_empty()
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let user = tx.author().to_owned();
        for action in actions(change) {
            if let Action::Suppress(Some(until)) = action
                && until <= tx.now
            {
                return Err(Problem::conflict(format!("It was suppressed until {until}, which is past.")).into());
            }
            let request = ActionRequest {
                scope: &scope.scope(),
                id: &change.entity_id,
                expected_version: None,
                user: user.clone(),
                action,
                note: String::new(),
            };
            request.carry_out(tx, &*self.0)?;
        }
        Ok(())
    }
}

/// The actions that take a change back; none for an alert that was closed.
fn actions(change: &ObjectChange) -> Vec<Action> {
    if change.fields.contains_key("closure.time") {
        return Vec::new();
    }
    let was = |path: &str| restore::former(change, path).is_some();
    let is = |path: &str| change.fields.get(path).is_some_and(|field| field.after.is_some());
    let acknowledgement = match (was(ACKNOWLEDGED), is(ACKNOWLEDGED)) {
        (false, true) => Some(Action::Unacknowledge),
        (true, false) => Some(Action::Acknowledge),
        _ => None,
    };
    let until = restore::former_text(change, UNTIL).and_then(Timestamp::parse);
    let was_by_person = restore::former_text(change, REASON).is_none_or(|reason| reason == PERSON);
    let suppression = match (was(SUPPRESSED), is(SUPPRESSED)) {
        (false, true) => Some(Action::Unsuppress),
        (true, false) if was_by_person => Some(Action::Suppress(until)),
        // Its end is another one.
        _ if change.fields.contains_key(UNTIL) && was_by_person => Some(Action::Suppress(until)),
        _ => None,
    };
    acknowledgement.into_iter().chain(suppression).collect()
}

#[cfg(test)]
mod tests {
    use outbox::change_sets::objects::FieldChange;
    use serde_json::json;

    use super::*;

    const UNTIL_TEXT: &str = "2036-11-21T06:00:00+0000";

    fn change(fields: &[(&str, Option<&str>, Option<&str>)]) -> ObjectChange {
        let value = |text: &Option<&str>| text.map(|text| json!(text));
        let field = |(path, before, after): &(&str, Option<&str>, Option<&str>)| {
            ((*path).to_owned(), FieldChange { before: value(before), after: value(after) })
        };
        ObjectChange {
            tenant_id: "client_1".to_owned(),
            entity: ENTITY.to_owned(),
            entity_id: "ALT-1".to_owned(),
            since: Timestamp::from_millis(0),
            existed: true,
            exists: true,
            fields: fields.iter().map(field).collect(),
        }
    }

    #[test]
    fn each_action_has_one_that_takes_it_back() {
        let until = Timestamp::parse(UNTIL_TEXT);
        for (fields, expected) in [
            (vec![(ACKNOWLEDGED, None, Some("a"))], vec![Action::Unacknowledge]),
            (vec![(ACKNOWLEDGED, Some("a"), None)], vec![Action::Acknowledge]),
            (vec![(ACKNOWLEDGED, Some("a"), Some("b"))], vec![]),
            (vec![(SUPPRESSED, None, Some("a")), (UNTIL, None, Some(UNTIL_TEXT))], vec![Action::Unsuppress]),
            (
                vec![(SUPPRESSED, Some("a"), None), (REASON, Some(PERSON), None), (UNTIL, Some(UNTIL_TEXT), None)],
                vec![Action::Suppress(until)],
            ),
            (vec![(SUPPRESSED, Some("a"), Some("b")), (UNTIL, Some(UNTIL_TEXT), None)], vec![Action::Suppress(until)]),
            (vec![(SUPPRESSED, Some("a"), Some("b")), (UNTIL, None, Some(UNTIL_TEXT))], vec![Action::Suppress(None)]),
            (vec![(SUPPRESSED, Some("a"), None), (REASON, Some("maintenance"), None)], vec![]),
            (vec![(ACKNOWLEDGED, None, Some("a")), ("closure.time", None, Some("b"))], vec![]),
            (vec![("notes", None, Some("n"))], vec![]),
        ] {
            assert_eq!(actions(&change(&fields)), expected, "{fields:?}");
        }
    }
}
