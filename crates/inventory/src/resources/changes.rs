//! Resource changes, as the audit log and subscribers see them.

use std::collections::BTreeSet;

use db::Conn;
use outbox::{Change, Tx, Unpublished};
use serde_json::{Map, Value, json};

use crate::{
    model::document::{CLOUD, Resource, Tag},
    sites::store as sites,
    types,
};

/// The kind of entity, as events and the audit log name it.
pub const ENTITY: &str = "Resource";

/// The part of the audit log that says why a resource was in history that comes back.
pub const REASON: &str = "decommissionReason";

/// Records that a resource changed.
pub fn record_change(tx: &mut Tx<'_>, before: Option<&Resource>, after: Option<&Resource>) -> db::Result<()> {
    record_with(tx, before, after, None)
}

/// Records that a resource came back from history, and why it was there: an undo puts it back for the same reason.
pub fn record_return(tx: &mut Tx<'_>, former: &Resource, after: &Resource) -> db::Result<()> {
    let reason = Value::from(former.document.text(REASON));
    record_with(tx, None, Some(after), Unpublished::field(REASON, Some(&reason), None))
}

fn record_with(
    tx: &mut Tx<'_>,
    before: Option<&Resource>,
    after: Option<&Resource>,
    more: Option<Unpublished>,
) -> db::Result<()> {
    let Some(resource) = after.or(before) else { return Ok(()) };
    let site_of = |resource: Option<&Resource>| resource.and_then(|resource| resource.site_id);
    let mut name = |site: Option<i64>| match site {
        Some(site) => sites::name_of(tx.conn, &resource.tenant_id, site),
        None => Ok(None),
    };
    let former = site_of(before);
    let current = site_of(after);
    // Most changes leave a resource where it is: then one look is enough.
    let current_name = name(current)?;
    let former_name = if former == current { current_name.clone() } else { name(former)? };
    let (mut payload_before, mut payload_after) = (
        before.map(|resource| event_payload(resource, former_name.as_deref())),
        after.map(|resource| event_payload(resource, current_name.as_deref())),
    );
    // The time of a change is not a change by itself: a report without news is not published.
    if payload_before != payload_after {
        for (payload, resource) in [(&mut payload_before, before), (&mut payload_after, after)] {
            if let (Some(payload), Some(resource)) = (payload, resource) {
                payload.insert("updatedDate".to_owned(), json!(resource.updated));
            }
        }
    }
    let change = Change {
        tenant_id: resource.tenant_id.clone(),
        entity: ENTITY,
        entity_id: resource.id.clone(),
        before: payload_before.map(Value::Object),
        after: payload_after.map(Value::Object),
        publish: true,
    };
    let mut unpublished = unpublished(before, after);
    unpublished.extend(type_path(tx.conn, before, after)?);
    unpublished.extend(more);
    tx.note_with(change, unpublished);
    Ok(())
}

/// The part of the audit log that says which of several resource types of one name a resource had or has, where the
/// name alone means another.
pub const TYPE_PATH: &str = "resourceTypePath";

/// The resource type that a resource loses, and that it gets instead, where the names do not tell them.
fn type_path(conn: &mut Conn, before: Option<&Resource>, after: Option<&Resource>) -> db::Result<Option<Unpublished>> {
    let id = |resource: Option<&Resource>| resource.map(|resource| resource.resource_type.0);
    if before.is_none() || id(before) == id(after) {
        return Ok(None);
    }
    let mut path = |resource: Option<&Resource>| match resource {
        Some(Resource { tenant_id, resource_type, .. }) => types::path_beside_name(conn, tenant_id, resource_type),
        None => Ok(None),
    };
    let (was, is) = (path(before)?.map(Value::from), path(after)?.map(Value::from));
    Ok(Unpublished::field(TYPE_PATH, was.as_ref(), is.as_ref()))
}

/// The nested parts that changed and that subscribers do not see; of a credential only that it changed.
fn unpublished(before: Option<&Resource>, after: Option<&Resource>) -> Vec<Unpublished> {
    let parts = [before, after].map(|resource| resource.map(|resource| &resource.document.nested));
    let [former, current] = parts;
    let names: BTreeSet<&String> = parts.into_iter().flatten().flat_map(|nested| nested.keys()).collect();
    let changed = names.into_iter().filter(|name| !PUBLISHED.contains(&name.as_str())).filter_map(|name| {
        let was = former.and_then(|nested| nested.get(name));
        let is = current.and_then(|nested| nested.get(name));
        match name.as_str() {
            CREDENTIAL => (was != is).then(|| Unpublished::secret(name, was.is_some(), is.is_some())),
            _ => Unpublished::field(name, was, is),
        }
    });
    let [former, current] = [before, after].map(|resource| resource.and_then(tag_sources));
    changed.chain(Unpublished::field(TAG_SOURCES, former.as_ref(), current.as_ref())).collect()
}

/// The part of the audit log that says who set tags.
pub const TAG_SOURCES: &str = "tagSources";

/// Who set the tags of a resource, by their names, as far as that was not a caller of the interface.
fn tag_sources(resource: &Resource) -> Option<Value> {
    let others = resource.document.tags.iter().filter(|tag| tag.tag_source != Tag::API);
    let sources: Map<String, Value> = others.map(|tag| (tag.name.clone(), json!(tag.tag_source))).collect();
    (!sources.is_empty()).then(|| sources.into())
}

const CREDENTIAL: &str = "credential";

/// The nested parts that subscribers see; credentials are not among these.
const PUBLISHED: [&str; 3] = ["bios", "networkCardDetails", "metaData"];

/// Names by which the answers of the interface have an attribute, beside that of the request bodies.
const ALIASES: [(&str, &str); 2] = [("osName", "os"), ("dns", "dnsName")];

/// A resource as subscribers see it: its attributes under the names of the interface. It has only the nested parts that
/// rules and templates may name: the others may be large, and include credentials.
fn event_payload(resource: &Resource, site: Option<&str>) -> Map<String, Value> {
    let mut facts = Map::new();
    facts.insert("id".to_owned(), json!(resource.id));
    facts.insert("clientUniqueId".to_owned(), json!(resource.tenant_id));
    facts.insert("type".to_owned(), json!(resource.kind));
    facts.insert("resourceType".to_owned(), json!(resource.resource_type.1));
    facts.insert("state".to_owned(), json!(resource.state));
    facts.insert("agentInstalled".to_owned(), json!(resource.agent_installed));
    if let Some(id) = resource.site_id {
        facts.insert("locationId".to_owned(), json!(id));
        facts.insert("location".to_owned(), json!({"id": id, "name": site.unwrap_or_default()}));
    }
    facts.insert("createdDate".to_owned(), json!(resource.created));
    for (name, time) in [
        ("launchDate", resource.launched),
        ("assetManagedTime", resource.asset_managed),
        ("firstAssetManagedTime", resource.first_asset_managed),
    ] {
        if let Some(time) = time {
            facts.insert(name.to_owned(), json!(time));
        }
    }
    for (name, text) in &resource.document.texts {
        facts.insert(name.clone(), json!(text));
    }
    for (alias, name) in ALIASES {
        if let Some(text) = resource.document.texts.get(name) {
            facts.insert(alias.to_owned(), json!(text));
        }
    }
    let cloud = CLOUD.iter().filter_map(|name| Some(((*name).to_owned(), json!(resource.document.texts.get(*name)?))));
    let cloud: Map<String, Value> = cloud.collect();
    if !cloud.is_empty() {
        facts.insert("properties".to_owned(), Value::Object(cloud));
    }
    for name in PUBLISHED {
        if let Some(part) = resource.document.nested.get(name) {
            facts.insert(name.to_owned(), part.clone());
        }
    }
    let tags = resource.document.tags.iter().map(|tag| (tag.name.clone(), json!(tag.value)));
    facts.insert("tags".to_owned(), Value::Object(tags.collect()));
    facts.insert("appRoles".to_owned(), json!(resource.document.app_roles));
    facts
}
