//! What a request does to groups, inside its write.

use api::context::check_version;
use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use db::{Conn, Result};

use super::{
    criteria::Criteria,
    dynamic, lock,
    rules::{self, Birth, Change, Kind, Reference, Setting},
    store::{self, Group, Parents},
    wire::{GroupChange, Named, NewGroup},
};

/// Where a request reaches: the tenant of its path, that one's partner, and the tenants whose records it may touch.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The tenant of the path.
    pub tenant: String,
    /// Its partner; itself for a partner.
    pub partner: String,
    /// The tenant, and the clients of a partner.
    pub scope: Vec<String>,
}

impl Reach {
    /// The tenants whose resources a group may hold.
    pub fn member_tenants(&self, group: &Group) -> Vec<String> {
        rules::member_tenants(&group.tenant_id, &self.tenant, &self.scope)
    }
}

/// Creates groups in their order, so that a later one may name an earlier one as its parent. `place` is where in the
/// body one stands. Answers them with what is shown of their parents.
///
/// # Errors
/// 409 when a name is taken; 400 that lists every parent that is not there.
pub fn create(
    conn: &mut Conn,
    reach: &Reach,
    kind: Kind,
    all: &[NewGroup],
    place: impl Fn(usize) -> String,
    now: Timestamp,
) -> Result<(Vec<Group>, Parents)> {
    lock::alone(conn, &reach.partner)?;
    let (mut groups, mut errors) = (Vec::with_capacity(all.len()), Vec::new());
    for (index, new) in all.iter().enumerate() {
        let parent_id = match &new.parent {
            None => None,
            Some(named) => match parent(conn, &reach.tenant, kind, named)? {
                Ok(id) => Some(id),
                Err(error) => {
                    errors.push(FieldError::new(format!("{}{}", place(index), error.field_name), error.message));
                    None
                }
            },
        };
        let (tenant_id, id) = (reach.tenant.clone(), db::next_id(conn, "resource_groups", 1)?);
        let birth = Birth { tenant_id, id, uuid: uuid::Uuid::new_v4(), parent_id, now };
        let group = rules::created(kind, new, birth);
        store::insert(conn, kind, &group)?;
        if group.rules.is_some() {
            follow_criteria(conn, reach, &group)?;
        }
        groups.push(group);
    }
    if !errors.is_empty() {
        return Err(Problem::fields(errors).into());
    }
    let parents = store::parents(conn, &reach.scope, &groups)?;
    Ok((groups, parents))
}

/// The id of the parent that a body names, or what is wrong with it.
fn parent(conn: &mut Conn, tenant: &str, kind: Kind, named: &Named) -> Result<Result<i64, FieldError>> {
    let found = store::find(conn, &[tenant.to_owned()], kind, &named.reference)?;
    Ok(found.map(|group| group.id).ok_or_else(|| {
        let message = format!("names no {} group of this tenant; create it first", kind.word());
        FieldError::new(format!("parent.{}", named.field), message)
    }))
}

/// The group that is to be changed, held alone with all others of the partner until the end of the transaction.
///
/// # Errors
/// 404 for an unknown group, 412 when it has another version than the caller wants.
pub fn take_up(
    conn: &mut Conn,
    reach: &Reach,
    kind: Kind,
    reference: &Reference,
    wanted: Option<i64>,
) -> Result<Group> {
    lock::alone(conn, &reach.partner)?;
    let group = store::existing(conn, &reach.scope, kind, reference)?;
    check_version(wanted, group.version)?;
    Ok(group)
}

/// Changes a group that was taken up.
///
/// # Errors
/// 400 for a parent that is not there, 409 as [`store::update`].
pub fn update(
    conn: &mut Conn,
    reach: &Reach,
    kind: Kind,
    old: &Group,
    change: GroupChange,
    now: Timestamp,
) -> Result<Group> {
    let group = rules::changed(old, resolved(conn, kind, old, change)?, now);
    store::update(conn, kind, old, &group)?;
    if group.rules != old.rules {
        follow_criteria(conn, reach, &group)?;
    }
    Ok(group)
}

fn resolved(conn: &mut Conn, kind: Kind, old: &Group, change: GroupChange) -> Result<Change> {
    let parent_id = match change.parent {
        Setting::Keep => Setting::Keep,
        Setting::Clear => Setting::Clear,
        Setting::Set(named) => match parent(conn, &old.tenant_id, kind, &named)? {
            Ok(id) => Setting::Set(id),
            Err(error) => return Err(Problem::fields(vec![error]).into()),
        },
    };
    let GroupChange { name, description, criteria, .. } = change;
    Ok(Change { name, description, parent: parent_id, criteria })
}

fn follow_criteria(conn: &mut Conn, reach: &Reach, group: &Group) -> Result<()> {
    let criteria = group.rules.as_deref().map(Criteria::from_json).transpose()?;
    dynamic::refresh_group(conn, &reach.member_tenants(group), group.id, criteria.as_ref())
}
