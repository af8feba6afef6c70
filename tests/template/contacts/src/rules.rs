//! What becomes of a contact. Pure.

use base::{problem::Problem, text::fold, timestamp::Timestamp};

use super::{
    row::Row,
    wire::{ContactChange, NewContact},
};

/// A new contact.
pub fn created(tenant: &str, new: NewContact, now: Timestamp) -> Row {
    Row {
        tenant_id: tenant.to_owned(),
        id: format!("CT-{}", uuid::Uuid::now_v7()),
        version: 1,
        name_key: fold(&new.name),
        name: new.name,
        phone: new.phone,
        note: new.note,
        created_ms: now.millis(),
        updated_ms: now.millis(),
    }
}

/// The contact after a change.
pub fn changed(old: &Row, change: ContactChange, now: Timestamp) -> Row {
    let name = change.name.unwrap_or_else(|| old.name.clone());
    Row {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        phone: change.phone.unwrap_or_else(|| old.phone.clone()),
        note: change.note.unwrap_or_else(|| old.note.clone()),
        updated_ms: now.millis(),
        ..old.clone()
    }
}

/// 404: no contact has this id, in any tenant that the caller sees.
pub fn unknown() -> Problem {
    Problem::not_found("The contact was not found.")
}

/// 409: another contact of the tenant has this name.
pub fn taken(name: &str) -> Problem {
    Problem::conflict(format!("The tenant has a contact named {name} already."))
}
