//! Undoing changes of integrations and their events. Secrets are not in the audit log: where they changed, they stay as
//! they are, and so does what they belong to; and what comes back without them calls nobody until somebody says so.

mod events;
mod integrations;

use std::sync::Arc;

use api::{Restorer, restore};
use outbox::change_sets::objects::ObjectChange;
use serde_json::{Map, Value, json};

use crate::{
    notifier::{Notifier, SECRETS, Secrets, leads_elsewhere},
    services::Services,
};

/// What of integrations is restored when a change set is undone.
pub fn restorers(services: Arc<Services>) -> Vec<Arc<dyn Restorer>> {
    vec![Arc::new(integrations::Integrations(Arc::clone(&services))), Arc::new(events::Events(services))]
}

/// The former values of the fields that changed in an object, by their names in it.
fn former_fields(change: &ObjectChange, prefix: &str) -> Map<String, Value> {
    let fields = change.fields.iter().filter_map(|(path, field)| Some((path.strip_prefix(prefix)?, &field.before)));
    let former = fields.filter(|(_, before)| restore::is_whole(before.as_ref()));
    former.map(|(name, before)| (name.to_owned(), before.clone().unwrap_or_default())).collect()
}

/// Did a secret of the notifier change whose fields begin so?
fn has_other_secrets(change: &ObjectChange, prefix: &str) -> bool {
    SECRETS.iter().any(|name| change.fields.contains_key(&format!("{prefix}{name}")))
}

/// Needs the former notifier, whose fields begin so, secrets that the audit log does not keep? `now` is the one that is
/// there; without it, the former one is made anew.
fn needs_secrets(change: &ObjectChange, prefix: &str, now: Option<&Notifier>) -> bool {
    let now = now.map(|now| now.to_body(&Secrets::default()));
    let Some(now) = now.as_ref().and_then(Value::as_object) else {
        return had_credentials(change, prefix) || has_other_secrets(change, prefix);
    };
    let former = former_fields(change, prefix);
    let has_credentials = former.get("authType").or_else(|| now.get("authType")) != Some(&json!("NONE"));
    has_other_secrets(change, prefix) || has_credentials && leads_elsewhere(now, &former)
}

/// Had the notifier whose fields begin so credentials before the change?
fn had_credentials(change: &ObjectChange, prefix: &str) -> bool {
    restore::former_text(change, &format!("{prefix}authType")).is_some_and(|auth_type| auth_type != "NONE")
}

#[cfg(test)]
mod tests {
    use base::timestamp::Timestamp;
    use outbox::change_sets::objects::FieldChange;

    use super::*;

    /// Does an undo of a change of the address leave it, where the notifier is of this type?
    fn is_left(before: &str, after: &str, auth_type: &str) -> bool {
        let field = FieldChange { before: Some(json!(before)), after: Some(json!(after)) };
        let change = ObjectChange {
            tenant_id: String::new(),
            entity: String::new(),
            entity_id: String::new(),
            since: Timestamp::from_millis(0),
            existed: true,
            exists: true,
            fields: [("notifier.baseURI".to_owned(), field)].into_iter().collect(),
        };
        let now = json!({"type": "REST_API", "baseURI": after, "authType": auth_type});
        needs_secrets(&change, "notifier.", Some(&serde_json::from_value(now).unwrap()))
    }

    #[test]
    fn a_notifier_that_led_elsewhere_needs_its_secrets() {
        let at = "https://example.net/api";
        for other in ["https://example.org/api", "https://example.net:8443/api", "http://example.net/api"] {
            assert!(is_left(at, other, "BASIC"), "{other}");
            assert!(!is_left(at, other, "NONE"), "{other}");
        }
        assert!(!is_left(at, "https://example.net/other", "BASIC"));
    }
}
