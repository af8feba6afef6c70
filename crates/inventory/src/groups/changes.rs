//! Changes to groups, inside the write transaction of a request.

use api::context::check_version;
use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use db::{Conn, Result};
use outbox::{Entity, Tx};

use super::{
    dynamic,
    input::{GroupChange, GroupEntry, NewGroup, ParentReference},
    kind::{Kind, Reference, Setting},
    lock,
    row::Group,
    rules::{self, Origin},
    store,
    wire::{Parents, ResourceGroup},
};

/// The tenants of a request: that of its path, its partner, and the tenants whose records it may change.
#[derive(Clone, Debug)]
pub struct GroupAccess {
    /// The tenant of the path.
    pub tenant: String,
    /// Its partner; itself for a partner.
    pub partner: String,
    /// The tenant, and the clients of a partner.
    pub scope: Vec<String>,
}

impl GroupAccess {
    /// The tenants whose resources a group may hold.
    pub fn member_tenants(&self, group: &Group) -> Vec<String> {
        rules::member_tenants(&group.tenant_id, &self.tenant, &self.scope)
    }
}

/// A group that a request made or changed.
pub struct SavedGroup {
    /// The group before the change, as clients see it; `None` for a new group.
    pub before: Option<ResourceGroup>,
    /// The group now.
    pub group: Group,
}

/// Creates groups, and changes those that are named by their id, in the order of the body, so that a later one may name
/// an earlier one as its parent. `place` is where in the body one stands, `wanted` the version that a changed one must
/// have. Answers them with what is shown of their parents.
///
/// # Errors
/// 404 for an id that no group has, 409 when a name is taken, 412 for another version; 400 that lists every parent that
/// is not there.
pub fn save(
    conn: &mut Conn,
    access: &GroupAccess,
    kind: Kind,
    all: &[GroupEntry],
    place: impl Fn(usize) -> String,
    wanted: Option<i64>,
    now: Timestamp,
) -> Result<(Vec<SavedGroup>, Parents)> {
    lock::lock(&access.partner).take(conn)?;
    let mut saved = Vec::with_capacity(all.len());
    let mut errors = Vec::new();
    for (index, given) in all.iter().enumerate() {
        let done = match given {
            GroupEntry::New(new) => {
                create(conn, access, kind, new, now).map(|group| SavedGroup { before: None, group })
            }
            GroupEntry::Existing(reference, change) => {
                let old = lock_for_update(conn, access, kind, reference)?;
                check_version(wanted, old.version)?;
                let before = to_wire(conn, access, &old)?;
                let group = update(conn, access, kind, &old, change.clone(), now);
                group.map(|group| SavedGroup { before: Some(before), group })
            }
        };
        match done {
            Ok(one) => saved.push(one),
            Err(db::Error::Problem(problem)) if !problem.errors.is_empty() => {
                let at =
                    |error: FieldError| FieldError::new(format!("{}{}", place(index), error.field_name), error.message);
                errors.extend(problem.errors.into_iter().map(at));
            }
            Err(error) => return Err(error),
        }
    }
    if !errors.is_empty() {
        return Err(Problem::fields(errors).into());
    }
    let groups: Vec<Group> = saved.iter().map(|one| one.group.clone()).collect();
    let parents = store::parents(conn, &access.scope, &groups)?;
    Ok((saved, parents))
}

/// Records that a group changed.
pub fn record_change(
    tx: &mut Tx<'_>,
    kind: Kind,
    before: Option<&ResourceGroup>,
    after: Option<&ResourceGroup>,
) -> Result<()> {
    let Some(group) = after.or(before) else { return Ok(()) };
    tx.record_view(Entity::audited(kind.entity(), &group.tenant_id, &group.unique_id), before, after)
}

/// A group as clients see it.
pub fn to_wire(conn: &mut Conn, access: &GroupAccess, group: &Group) -> Result<ResourceGroup> {
    Ok(ResourceGroup::of(group.clone(), &store::parents(conn, &access.scope, std::slice::from_ref(group))?))
}

fn create(conn: &mut Conn, access: &GroupAccess, kind: Kind, new: &NewGroup, now: Timestamp) -> Result<Group> {
    let parent_id = match &new.parent {
        None => None,
        Some(named) => {
            let found = parent(conn, &access.tenant, kind, named)?;
            Some(found.map_err(|error| Problem::fields(vec![error]))?)
        }
    };
    let tenant_id = access.tenant.clone();
    let id = db::next_id(conn, "resource_groups")?;
    let origin = Origin { tenant_id, id, uuid: uuid::Uuid::new_v4(), parent_id, now };
    let group = rules::created(kind, new, origin);
    store::insert(conn, kind, &group)?;
    if group.rules.is_some() {
        refresh_members(conn, access, &group)?;
    }
    Ok(group)
}

/// The id of the parent that a body names, or the error in the reference.
fn parent(conn: &mut Conn, tenant: &str, kind: Kind, named: &ParentReference) -> Result<Result<i64, FieldError>> {
    let found = store::find(conn, &[tenant.to_owned()], kind, &named.reference)?;
    Ok(found.map(|group| group.id).ok_or_else(|| {
        let message = format!("names no {} group of this tenant; create it first", kind.word());
        FieldError::new(format!("parent.{}", named.field), message)
    }))
}

/// The group that is to be changed, held alone with all others of the partner until the end of the transaction.
///
/// # Errors
/// 404 for an unknown group.
pub fn lock_for_update(conn: &mut Conn, access: &GroupAccess, kind: Kind, reference: &Reference) -> Result<Group> {
    lock::lock(&access.partner).take(conn)?;
    store::find_required(conn, &access.scope, kind, reference)
}

/// Changes a group that was locked.
///
/// # Errors
/// 400 for a parent that is not there, 409 as [`store::update`].
pub fn update(
    conn: &mut Conn,
    access: &GroupAccess,
    kind: Kind,
    old: &Group,
    change: GroupChange,
    now: Timestamp,
) -> Result<Group> {
    let group = rules::changed(old, resolve_parent(conn, kind, old, change)?, now);
    store::update(conn, kind, old, &group)?;
    if group.rules != old.rules {
        refresh_members(conn, access, &group)?;
    }
    Ok(group)
}

fn resolve_parent(conn: &mut Conn, kind: Kind, old: &Group, change: GroupChange) -> Result<GroupChange<i64>> {
    let parent_id = match change.parent {
        Setting::Keep => Setting::Keep,
        Setting::Clear => Setting::Clear,
        Setting::Set(named) => match parent(conn, &old.tenant_id, kind, &named)? {
            Ok(id) => Setting::Set(id),
            Err(error) => return Err(Problem::fields(vec![error]).into()),
        },
    };
    let GroupChange { name, description, criteria, .. } = change;
    Ok(GroupChange { name, description, parent: parent_id, criteria })
}

/// Brings the members of a group up to date with its rules.
pub fn refresh_members(conn: &mut Conn, access: &GroupAccess, group: &Group) -> Result<()> {
    dynamic::refresh_group(conn, &access.member_tenants(group), group.id, group.rules.as_deref())
}
