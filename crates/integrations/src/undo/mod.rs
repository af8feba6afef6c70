//! Undoing changes of integrations and their events. Secrets are not in the audit log: where they changed, they stay as
//! they are, and so does what they belong to; and what comes back without them calls nobody until somebody says so.

mod events;
mod integrations;

use std::sync::Arc;

use api::{Restorer, restore};
use outbox::change_sets::objects::ObjectChange;
use serde_json::{Map, Value};

use crate::{notifier::SECRETS, services::Services};

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

/// Had the notifier whose fields begin so credentials before the change?
fn had_credentials(change: &ObjectChange, prefix: &str) -> bool {
    restore::former_text(change, &format!("{prefix}authType")).is_some_and(|auth_type| auth_type != "NONE")
}
