//! Undoing changes of resources: what was created goes to history, and what went there comes back.

use std::collections::{BTreeSet, HashMap};

use api::{RequestScope, Restorer, restore};
use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{
    Tx, audit,
    change_sets::objects::{FieldChange, ObjectChange},
};
use serde_json::{Map, Value};

use crate::{
    model::{
        document::{CLOUD, DECOMMISSIONED, Document, Resource, STATES, SYNTHETIC, TEXTS, Tag},
        row::Row,
    },
    resources::{changes, http, identities, lock, rules, store},
    sites, types,
};

/// Fields that follow from others, or from the change itself.
const DERIVED: [&str; 11] = [
    "id",
    "createdDate",
    "updatedDate",
    "assetManagedTime",
    "firstAssetManagedTime",
    "osName",
    "dns",
    "location",
    "properties",
    changes::REASON,
    "decommissionedDate",
];

/// Nested parts that are restored as a whole, or by the path of a field.
const PARTS: [&str; 9] = [
    "bios",
    "networkCardDetails",
    "metaData",
    "cpus",
    "components",
    "consoles",
    "locationUuids",
    "managementProfile",
    "metricTypes",
];

/// Fields with a type of their own.
const TYPED: [&str; 8] =
    ["type", "resourceType", changes::TYPE_PATH, "state", "agentInstalled", "locationId", "launchDate", "appRoles"];

/// What the paths of tags begin with.
const TAG: &str = "tags.";

/// What a resource loses when it goes to history, and the audit log does not have.
const LOST: [&str; 3] = ["applications", "antivirus", "group memberships by hand"];

/// The reason in history of a resource whose creation was undone.
const UNDONE: &str = "Its creation was undone.";

/// Restores resources.
pub struct Resources;

impl Restorer for Resources {
    fn kinds(&self) -> &'static [&'static str] {
        &[changes::ENTITY]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        match (change.existed, change.exists) {
            (true, true) => restore::left(change, &DERIVED, is_restored),
            (true, false) => LOST.map(str::to_owned).to_vec(),
            (false, _) => Vec::new(),
        }
    }

    /// A resource comes back without its site where that is gone for good.
    fn find_left(
        &self,
        conn: &mut Conn,
        change: &ObjectChange,
        comes_back: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Vec<String>> {
        let mut left = self.left(change);
        if let (true, false, Some(site)) = (change.existed, change.exists, former_site(change))
            && !comes_back(sites::row::ENTITY, &site.to_string())
            && sites::store::find(conn, std::slice::from_ref(&change.tenant_id), site)?.is_none()
        {
            left.push("location".to_owned());
        }
        Ok(left)
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let partner = scope.tenant.partner.as_str();
        let tenant = [change.tenant_id.clone()];
        lock::lock_resource(tx.conn, &change.entity_id)?;
        if !change.exists {
            return recommission(tx, scope, change);
        }
        let row = store::find_required(tx.conn, &tenant, &change.entity_id)?;
        let before = row.clone().into_resource()?;
        if !change.existed {
            store::decommission(tx.conn, partner, &rules::decommission(&before, reason(change), tx.now))?;
            return changes::record_change(tx, Some(&before), None);
        }
        let mut after = rules::changed(&before, tx.now);
        set_former(tx, scope, change, &mut after)?;
        http::move_identities(tx.conn, &before, &after)?;
        store::update(tx.conn, partner, &row, &after)?;
        changes::record_change(tx, Some(&before), Some(&after))
    }

    /// Resources that are new, as an import leaves them, go to history together.
    fn restore_first(&self, tx: &mut Tx<'_>, scope: &RequestScope, all: &[ObjectChange]) -> Result<usize> {
        let Some(first) = all.first() else { return Ok(0) };
        let is_new = |other: &&ObjectChange| !other.existed && other.exists && other.tenant_id == first.tenant_id;
        let new: Vec<&ObjectChange> = all.iter().take_while(is_new).collect();
        if new.len() > 1 && decommission_all(tx, scope, &first.tenant_id, &new)? {
            return Ok(new.len());
        }
        self.restore(tx, scope, first).map(|()| 1)
    }
}

/// The name of the tag that a path is about; older rows of the audit log have dots in it as they are.
fn tag_name(path: &str) -> Option<String> {
    path.strip_prefix(TAG).map(|name| audit::steps(name).join("."))
}

/// Is a field one that a former value can be given to?
fn is_restored(path: &str) -> bool {
    let name = path.split('.').next().unwrap_or(path);
    let is_text = |name| TEXTS.contains(&name) || CLOUD.contains(&name) || SYNTHETIC.contains(&name);
    path.starts_with(TAG)
        || name == changes::TAG_SOURCES
        || PARTS.contains(&name)
        || TYPED.contains(&path)
        || is_text(path)
}

/// Why a resource goes to history that came from there, or that is new.
fn reason(change: &ObjectChange) -> &str {
    restore::former_text(change, changes::REASON).unwrap_or(UNDONE)
}

/// Moves resources to history; none and `false` when one of them is not in the inventory.
fn decommission_all(tx: &mut Tx<'_>, scope: &RequestScope, tenant: &str, new: &[&ObjectChange]) -> Result<bool> {
    let ids: Vec<&str> = new.iter().map(|change| change.entity_id.as_str()).collect();
    let reasons: HashMap<&str, &str> = new.iter().map(|change| (change.entity_id.as_str(), reason(change))).collect();
    lock::lock_resources(tx.conn, tenant, &ids)?;
    let rows = store::find_all_current(tx.conn, tenant, &ids)?;
    if rows.len() != ids.len() {
        return Ok(false);
    }
    let before: Vec<Resource> = rows.into_iter().map(Row::into_resource).collect::<Result<_>>()?;
    let reason_of = |resource: &Resource| reasons.get(resource.id.as_str()).copied().unwrap_or(UNDONE);
    let gone = |resource| rules::decommission(resource, reason_of(resource), tx.now);
    let after: Vec<Resource> = before.iter().map(gone).collect();
    store::decommission_all(tx.conn, scope.tenant.partner.as_str(), tenant, &after)?;
    before.iter().try_for_each(|resource| changes::record_change(tx, Some(resource), None)).map(|()| true)
}

/// Brings a resource back from history.
fn recommission(tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
    let partner = scope.tenant.partner.as_str();
    let tenant = change.tenant_id.as_str();
    let row = store::find(tx.conn, &[tenant.to_owned()], &change.entity_id)?;
    let row = row.filter(|row| row.state == DECOMMISSIONED);
    let gone = || Problem::conflict("History does not have the resource any more.");
    let former = row.ok_or_else(gone)?.into_resource()?;
    let state = restore::former_text(change, "state");
    let state = STATES.into_iter().find(|known| Some(*known) == state).unwrap_or("active");
    let mut resource = rules::recommission(&former, state, tx.now);
    take_away_added(&mut resource, change);
    set_former(tx, scope, change, &mut resource)?;
    let keys = rules::identities(&resource);
    if !keys.is_empty() {
        identities::lock_identities(tx.conn, tenant)?;
    }
    if let Some(known) = identities::find(tx.conn, tenant, &keys, "")? {
        return Err(rules::known_already(known.by.kind(), &known.id).into());
    }
    store::recommission(tx.conn, partner, &resource, &keys)?;
    changes::record_return(tx, &former, &resource)
}

/// Takes away what a change set gave a resource before it went to history: the change has all that it had before.
fn take_away_added(resource: &mut Resource, change: &ObjectChange) {
    // Older rows of the audit log have dots of names as they are.
    let had =
        |path: &str| change.fields.contains_key(path) || change.fields.contains_key(&audit::steps(path).join("."));
    let document = &mut resource.document;
    document.texts.retain(|name, _| !is_restored(name) || had(name));
    let tags: BTreeSet<String> = change.fields.keys().filter_map(|path| tag_name(path)).collect();
    document.tags.retain(|tag| tags.contains(&tag.name));
    for name in PARTS {
        let is_gone = match document.nested.get_mut(name) {
            Some(Value::Object(part)) => !keep_fields(part, name, &had),
            Some(_) => !had(name),
            None => false,
        };
        if is_gone {
            document.set_part(name, Value::Null);
        }
    }
    if !had("launchDate") {
        resource.launched = None;
    }
    resource.site_id = None;
}

/// Keeps the fields of an object that were there, by their paths; `false` when it had some, and has none any more.
fn keep_fields(object: &mut Map<String, Value>, path: &str, had: &impl Fn(&str) -> bool) -> bool {
    let was_empty = object.is_empty();
    object.retain(|name, value| {
        let path = format!("{path}.{}", audit::step(name));
        match value {
            Value::Object(inner) => keep_fields(inner, &path, had),
            _ => had(&path),
        }
    });
    was_empty || !object.is_empty()
}

/// Gives a resource the values that its fields had before a change set.
fn set_former(tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange, resource: &mut Resource) -> Result<()> {
    let whole = |(_, field): &(&String, &FieldChange)| restore::is_whole(field.before.as_ref());
    for (path, field) in change.fields.iter().filter(|(path, _)| is_restored(path)).filter(whole) {
        let before = field.before.as_ref();
        let text = || before.and_then(Value::as_str).unwrap_or_default();
        match path.as_str() {
            "type" => text().clone_into(&mut resource.kind),
            "resourceType" | changes::TYPE_PATH => {
                let former = former_type(change, &resource.resource_type.1);
                resource.resource_type = types::resolve(tx.conn, &resource.tenant_id, former)?;
            }
            "state" => rules::set_state(resource, text(), tx.now),
            "agentInstalled" => resource.agent_installed = before.and_then(Value::as_bool).unwrap_or(false),
            "locationId" => resource.site_id = site(tx, scope, change)?,
            "launchDate" => resource.launched = before.and_then(Value::as_str).and_then(Timestamp::parse),
            "appRoles" => resource.document.app_roles = words(before),
            path => match tag_name(path) {
                Some(name) => set_tag(&mut resource.document, &name, before.and_then(Value::as_str)),
                None if restore::is_in(path, &PARTS) || restore::is_in(path, &[changes::TAG_SOURCES]) => {}
                None => resource.document.set(path, text()),
            },
        }
    }
    PARTS.iter().for_each(|name| set_part(&mut resource.document, change, name));
    set_tag_sources(&mut resource.document, change);
    if resource.document.display_name().is_empty() {
        return Err(Problem::conflict("It would have no name.").into());
    }
    Ok(())
}

/// The path or the name of the type that a resource had; `now` is the name of its type now.
fn former_type<'c>(change: &'c ObjectChange, now: &'c str) -> &'c str {
    let former = [changes::TYPE_PATH, "resourceType"].into_iter().find_map(|path| restore::former_text(change, path));
    former.unwrap_or(now)
}

/// The id of the site that a resource was at, where that changed.
fn former_site(change: &ObjectChange) -> Option<i64> {
    change.fields.get("locationId")?.before.as_ref()?.as_i64()
}

/// The former site; what comes back from history does so without one that is gone for good, and after one that is not.
fn site(tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<Option<i64>> {
    let Some(id) = former_site(change) else { return Ok(None) };
    match sites::store::resolve(tx.conn, &change.tenant_id, Some(id), None)? {
        Some(site) => Ok(Some(site)),
        None if !change.exists && !scope.restores(sites::row::ENTITY, &id.to_string()) => Ok(None),
        None => Err(Problem::conflict(format!("The site {id} that it was at is gone.")).into()),
    }
}

fn words(value: Option<&Value>) -> Vec<String> {
    let words = value.and_then(Value::as_array).into_iter().flatten();
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

fn set_tag(document: &mut Document, name: &str, value: Option<&str>) {
    let known = document.tags.iter_mut().find(|tag| tag.name == name);
    match (known, value) {
        (Some(tag), Some(value)) => value.clone_into(&mut tag.value),
        (None, Some(value)) => {
            document.tags.push(Tag { name: name.to_owned(), value: value.to_owned(), tag_source: Tag::API.to_owned() })
        }
        (_, None) => document.tags.retain(|tag| tag.name != name),
    }
}

/// Tags that are there have the sources that they had.
fn set_tag_sources(document: &mut Document, change: &ObjectChange) {
    for (path, field) in &change.fields {
        let name = path.strip_prefix(changes::TAG_SOURCES).and_then(|rest| rest.strip_prefix('.'));
        let name = name.map(|name| audit::steps(name).join("."));
        if let Some(tag) = document.tags.iter_mut().find(|tag| Some(&tag.name) == name.as_ref()) {
            let source = field.before.as_ref().and_then(Value::as_str);
            source.unwrap_or(Tag::API).clone_into(&mut tag.tag_source);
        }
    }
}

/// Sets a nested part as it was, or the fields in it that changed.
fn set_part(document: &mut Document, change: &ObjectChange, name: &str) {
    if let Some(field) = change.fields.get(name) {
        if restore::is_whole(field.before.as_ref()) {
            document.set_part(name, field.before.clone().unwrap_or_default());
        }
    } else if let Some(part) = restore::former_object(change, name, document.nested.get(name)) {
        document.set_part(name, if part.is_empty() { Value::Null } else { part.into() });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_is_restored_by_its_path_or_as_a_whole() {
        let mut document = Document::default();
        document.set_part("bios", json!({"systemSerial": "new", "systemModel": "R1"}));
        document.set_part("cpus", json!([{"model": "Xeon"}]));
        let field = |path: &str, before: Option<Value>| (path.to_owned(), FieldChange { before, after: None });
        let fields = [
            field("bios.systemSerial", Some(json!("old"))),
            field("bios.systemModel", None),
            field("cpus", None),
            field("consoles", Some(json!([{"name": "c1"}]))),
            field("metaData.a.b", Some(json!(1))),
            field("components", Some(json!("(2001 characters)"))),
        ];
        let change = ObjectChange {
            tenant_id: "client_1".to_owned(),
            entity: changes::ENTITY.to_owned(),
            entity_id: "1".to_owned(),
            existed: true,
            exists: true,
            since: Timestamp::from_millis(0),
            fields: fields.into(),
        };
        PARTS.iter().for_each(|name| set_part(&mut document, &change, name));
        assert_eq!(document.nested["bios"], json!({"systemSerial": "old"}));
        assert_eq!(document.nested["metaData"], json!({"a": {"b": 1}}));
        assert_eq!(document.nested["consoles"], json!([{"name": "c1"}]));
        assert!(!document.nested.contains_key("cpus") && !document.nested.contains_key("components"));
    }

    #[test]
    fn tags_may_have_dots_in_their_names() {
        let mut document = Document::default();
        set_tag(&mut document, "a.b", Some("1"));
        set_tag(&mut document, "a.b", Some("2"));
        assert_eq!((document.tags.len(), document.tags[0].value.as_str()), (1, "2"));
        set_tag(&mut document, "a.b", None);
        assert!(document.tags.is_empty());
        for path in ["tags.a.b", r"tags.a\.b"] {
            assert_eq!(tag_name(path).as_deref(), Some("a.b"));
        }
        assert!(is_restored("tags.a.b") && is_restored("hostName") && !is_restored("credential"));
    }
}
