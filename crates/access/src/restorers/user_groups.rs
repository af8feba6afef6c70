//! Undoing changes of user groups: one that is new is deactivated, since none is ever removed.

use std::collections::BTreeSet;

use api::{RequestScope, Restorer, restore};
use base::body::Request as _;
use db::{Condition, Conn, Result};
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::Value;

use crate::user_groups::{
    http::{apply_change, set_members},
    members::{self, Change},
    row::Row,
    rules, store,
    wire::{UserGroupChange, UserReference},
};

/// The fields that a body says, but for the members.
const FIELDS: [&str; 2] = ["name", "description"];
const ACTIVATED: &str = "activated";
/// All members, as the log had them before it had each by its id.
const USERS: &str = "users";
/// What a member's field begins with; its id follows.
const MEMBER: &str = "users.";
/// Those that follow from a change.
const DERIVED: [&str; 4] = ["uniqueId", "tenantId", "createdTime", "updatedTime"];

/// What stays of a group that is new.
const STAYS: &str = "the group, which is deactivated and stays";

/// Restores user groups.
pub(super) struct UserGroups;

impl Restorer for UserGroups {
    fn kinds(&self) -> &'static [&'static str] {
        &["UserGroup"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        let can_be_set =
            |name: &str| [ACTIVATED, USERS].contains(&name) || FIELDS.contains(&name) || name.starts_with(MEMBER);
        let mut left = restore::left(change, &DERIVED, can_be_set);
        if !change.existed {
            left.push(STAYS.to_owned());
        }
        left
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let here = Condition::sql("user_groups.tenant_id = ").text(&change.tenant_id);
        let row = store::find_alone(tx.conn, here, &change.entity_id)?;
        if !change.existed {
            return apply_change(tx, &row, |_| Ok((Row { activated: false, ..row.clone() }, false))).map(drop);
        }
        let UserGroupChange { name, description, .. } = UserGroupChange::parse(&restore::body(change, &FIELDS))?;
        let was_activated = restore::former(change, ACTIVATED).and_then(Value::as_bool);
        let changed = apply_change(tx, &row, |tx| {
            let others = match former_members(tx.conn, &row, change)? {
                Some(users) => set_members(tx, scope, &row, Change::Set, (&users, USERS))?,
                None => false,
            };
            let activated = was_activated.unwrap_or(row.activated);
            Ok((Row { activated, ..rules::renamed(&row, name, description) }, others))
        });
        changed.map(drop)
    }
}

/// Who was a member before; [`None`] where nobody came or went, or the log does not have it.
fn former_members(conn: &mut Conn, group: &Row, change: &ObjectChange) -> Result<Option<Vec<UserReference>>> {
    let reference = |id: String| UserReference { id };
    if let Some(field) = change.fields.get(USERS).filter(|field| restore::is_whole(field.before.as_ref())) {
        let users = field.before.as_ref().and_then(Value::as_array).into_iter().flatten();
        let ids = users.filter_map(|user| user.get("id")?.as_str());
        return Ok(Some(ids.map(|id| reference(id.to_owned())).collect()));
    }
    let moves: Vec<(&str, bool)> = change
        .fields
        .iter()
        .filter_map(|(path, field)| Some((path.strip_prefix(MEMBER)?, field.before.is_some())))
        .collect();
    if moves.is_empty() {
        return Ok(None);
    }
    let now = members::of(conn, &group.tenant_id, &group.id)?;
    let mut users: BTreeSet<String> = now.into_iter().map(|user| user.id).collect();
    for (id, was_member) in moves {
        if was_member {
            users.insert(id.to_owned())
        } else {
            users.remove(id)
        };
    }
    Ok(Some(users.into_iter().map(reference).collect()))
}
