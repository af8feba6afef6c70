//! Undoing changes of device groups and service groups.

use api::{RequestScope, Restorer, restore};
use base::{body::Fields, matching::Meter, problem::Problem};
use db::{Conn, Result};
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Map, Value};

use crate::groups::{
    changes::{self, GroupAccess},
    criteria::Criteria,
    input::{GroupChange, NewGroup},
    kind::{Kind, Reference, Setting},
    lock,
    row::Group,
    rules::{self, Origin},
    store,
    wire::ResourceGroup,
};

/// How the audit log names both kinds.
const KINDS: [&str; 2] = [Kind::Device.entity(), Kind::Service.entity()];
/// The fields that a group is made of.
const FIELDS: [&str; 5] = ["name", "description", PARENT, MATCH_TYPE, RULES];
const PARENT: &str = "parent.id";
const MATCH_TYPE: &str = "filterCriteria.matchType";
const RULES: &str = "filterCriteria.rules";
/// Those that follow from a change.
const DERIVED: [&str; 6] = ["id", "uniqueId", "parent", "tenantId", "createdDate", "updatedDate"];

/// What a group loses when it is deleted, and the audit log does not have.
const LOST: &str = "members that were added by hand";

/// Restores groups of both kinds.
pub struct Groups;

impl Restorer for Groups {
    fn kinds(&self) -> &'static [&'static str] {
        &KINDS
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        let mut left = restore::left(change, &DERIVED, |name| FIELDS.contains(&name));
        if !change.exists {
            left.push(LOST.to_owned());
        }
        left
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let kind = [Kind::Device, Kind::Service].into_iter().find(|kind| kind.entity() == change.entity);
        let Some(kind) = kind else { return Ok(()) };
        let access = GroupAccess {
            tenant: scope.tenant_id().to_owned(),
            partner: scope.tenant.partner.to_string(),
            scope: scope.scope(),
        };
        let tenant = [change.tenant_id.clone()];
        let reference = Reference::UniqueId(change.entity_id.clone());
        lock::lock(&access.partner).take(tx.conn)?;
        if !change.exists {
            if store::find(tx.conn, &tenant, kind, &reference)?.is_some() {
                return Err(Problem::conflict("There is a group with this id.").into());
            }
            let group = again(tx, kind, change)?;
            store::insert(tx.conn, kind, &group)?;
            if group.rules.is_some() {
                changes::refresh_members(tx.conn, &access, &group)?;
            }
            let after = changes::to_wire(tx.conn, &access, &group)?;
            return changes::record_change(tx, kind, None, Some(&after));
        }
        let old = store::find_required(tx.conn, &tenant, kind, &reference)?;
        let before = changes::to_wire(tx.conn, &access, &old)?;
        if !change.existed {
            store::delete(tx.conn, kind, &old, &access.member_tenants(&old))?;
            return changes::record_change(tx, kind, Some(&before), None);
        }
        let former = GroupChange {
            name: text(change, "name"),
            description: text(change, "description"),
            parent: match change.fields.get(PARENT) {
                None => Setting::Keep,
                Some(_) => parent(tx.conn, kind, change)?.map_or(Setting::Clear, Setting::Set),
            },
            criteria: if [MATCH_TYPE, RULES].iter().any(|name| change.fields.contains_key(*name)) {
                criteria(change, Some(&before))?.map_or(Setting::Clear, Setting::Set)
            } else {
                Setting::Keep
            },
        };
        let group = rules::changed(&old, former, tx.now);
        store::update(tx.conn, kind, &old, &group)?;
        if group.rules != old.rules {
            changes::refresh_members(tx.conn, &access, &group)?;
        }
        let after = changes::to_wire(tx.conn, &access, &group)?;
        changes::record_change(tx, kind, Some(&before), Some(&after))
    }
}

/// A group that was deleted, as it was.
fn again(tx: &mut Tx<'_>, kind: Kind, change: &ObjectChange) -> Result<Group> {
    let id = restore::former(change, "id").and_then(Value::as_i64);
    let uuid = change.entity_id.strip_prefix(kind.prefix()).and_then(|uuid| uuid::Uuid::try_parse(uuid).ok());
    let Some((id, uuid)) = id.zip(uuid) else { return Err(kind.not_found().into()) };
    let new = NewGroup {
        name: text(change, "name").unwrap_or_default(),
        description: text(change, "description").unwrap_or_default(),
        parent: None,
        criteria: criteria(change, None)?,
    };
    let parent_id = parent(tx.conn, kind, change)?;
    let origin = Origin { tenant_id: change.tenant_id.clone(), id, uuid, parent_id, now: tx.now };
    let (_, created_ms) = restore::origin(change, tx);
    Ok(Group { created_ms, ..rules::created(kind, &new, origin) })
}

/// The former text of a field that changed.
fn text(change: &ObjectChange, name: &str) -> Option<String> {
    let before = change.fields.get(name)?.before.as_ref();
    restore::is_whole(before).then(|| before.and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// The former parent, if it is there.
fn parent(conn: &mut Conn, kind: Kind, change: &ObjectChange) -> Result<Option<i64>> {
    let id = restore::former(change, PARENT).and_then(Value::as_i64);
    let Some(id) = id else { return Ok(None) };
    let found = store::find(conn, std::slice::from_ref(&change.tenant_id), kind, &Reference::Id(id))?;
    let gone = || Problem::conflict("The group that it was below is gone.");
    Ok(Some(found.ok_or_else(gone)?.id))
}

/// The former rules: those of now, with what the change has of them.
fn criteria(change: &ObjectChange, now: Option<&ResourceGroup>) -> Result<Option<Criteria>> {
    let now = now.and_then(|group| group.filter_criteria.as_ref()).map(outbox::payload).transpose()?;
    let mut body = match now {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    for (path, name) in [(MATCH_TYPE, "matchType"), (RULES, "rules")] {
        match change.fields.get(path).map(|field| field.before.clone()) {
            None => {}
            Some(before) if !restore::is_whole(before.as_ref()) => {}
            Some(None) => drop(body.remove(name)),
            Some(Some(before)) => drop(body.insert(name.to_owned(), before)),
        }
    }
    let body = Value::Object(body);
    let mut fields = Fields::of(&body);
    let criteria = Criteria::read(&mut fields, &Meter::new(Meter::WRITE));
    fields.finish()?;
    Ok(criteria)
}
