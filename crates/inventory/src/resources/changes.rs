//! What the audit log and the subscribers learn of a resource.

use outbox::{Change, Tx};
use serde_json::{Map, Value, json};

use super::document::Resource;

/// The kind of entity, as events and the audit log name it.
pub const ENTITY: &str = "Resource";

/// Notes that a resource changed.
pub fn note(tx: &mut Tx<'_>, before: Option<&Resource>, after: Option<&Resource>) {
    let Some(resource) = after.or(before) else { return };
    tx.note(Change {
        tenant_id: resource.tenant_id.clone(),
        entity: ENTITY,
        entity_id: resource.id.clone(),
        before: before.map(facts),
        after: after.map(facts),
        publish: true,
    });
}

/// What is told of a resource: its attributes under the names of the interface. Nested parts, which may be large and
/// which nothing is decided by, are left out; credentials are among them.
fn facts(resource: &Resource) -> Value {
    let mut facts = Map::new();
    facts.insert("id".to_owned(), json!(resource.id));
    facts.insert("type".to_owned(), json!(resource.kind));
    facts.insert("resourceType".to_owned(), json!(resource.resource_type.1));
    facts.insert("state".to_owned(), json!(resource.state));
    facts.insert("agentInstalled".to_owned(), json!(resource.agent_installed));
    if let Some(site) = resource.site_id {
        facts.insert("locationId".to_owned(), json!(site));
    }
    if let Some(launched) = resource.launched {
        facts.insert("launchDate".to_owned(), json!(launched));
    }
    for (name, text) in &resource.document.texts {
        facts.insert(name.clone(), json!(text));
    }
    let tags = resource.document.tags.iter().map(|tag| (tag.name.clone(), json!(tag.value)));
    facts.insert("tags".to_owned(), Value::Object(tags.collect()));
    facts.insert("appRoles".to_owned(), json!(resource.document.app_roles));
    Value::Object(facts)
}
