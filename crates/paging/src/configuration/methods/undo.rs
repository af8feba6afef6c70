//! Undoing changes of contact methods. What one leads to by a URL is a secret, which the audit log does not have: one
//! that leads elsewhere goes on to do so, and one that was deleted stays deleted unless it is an address of mail.

use api::{RequestScope, Restorer, restore};
use base::{body::Request as _, problem::Problem};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Value, json};

use super::{
    http::{change_row, create_row},
    permissions,
    row::Method,
    rules, store,
    view::{SECRET, record_change},
    wire::{MethodChange, NewMethod, PersonId},
};
use crate::Neighbours;

const NAME: &str = "name";
const KIND: &str = "type";
const VERIFIED: &str = "verified";
/// Where it leads, and with what, as far as that is shown.
const PLACE: [&str; 6] = ["preset", "address", "to", "from", "chatId", "userName"];
/// What is sent.
const TEXT: [&str; 2] = ["template", "contentType"];
/// Those that follow from others, or from a change.
const DERIVED: [&str; 5] = ["id", "user", "host", "createdDate", "updatedDate"];

/// Restores contact methods.
pub struct Methods(pub Neighbours);

impl Restorer for Methods {
    fn kinds(&self) -> &'static [&'static str] {
        &["ContactMethod"]
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        match (change.existed, change.exists) {
            (true, true) => change.fields.keys().any(|path| is_restored(change, path)),
            (true, false) => !change.fields.contains_key(SECRET),
            (false, _) => true,
        }
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        match change.existed {
            true => restore::left(change, &DERIVED, |path| path == KIND || is_restored(change, path)),
            false => Vec::new(),
        }
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let found = store::find(tx.conn, &change.tenant_id, &change.entity_id)?;
        let owner = restore::former_text(change, "user.id");
        let owner = found.as_ref().map(|row| row.user_id.as_str()).or(owner).ok_or_else(rules::unknown)?;
        let (tenant, user) = permissions::person(tx.conn, &self.0, scope, &PersonId(owner.to_owned()))?;
        store::lock(&tenant, &user).take(tx.conn)?;
        if !change.exists {
            if found.is_some() {
                return Err(Problem::conflict("There is another contact method with this id.").into());
            }
            let NewMethod(new) = NewMethod::parse(&body(change))?;
            permissions::may_verify(scope, new.verified)?;
            let (row, destination) = rules::created(&tenant, &user, &new, tx.now);
            let (_, created_ms) = restore::origin(change, tx);
            let row = Method { id: change.entity_id.clone(), created_ms, ..row };
            return create_row(tx, &self.0, row, &destination, None).map(drop);
        }
        let old = store::existing(tx.conn, &tenant, &user, &change.entity_id)?;
        if !change.existed {
            store::delete(tx.conn, &old)?;
            return record_change(tx, Some(&old), None);
        }
        let former = MethodChange::parse(&body(change))?;
        permissions::may_verify(scope, former.verified)?;
        // A template was tried when it was stored.
        let (row, destination) = rules::changed(&old, &old.open(&*self.0.seals)?, &former, tx.now)?;
        change_row(tx, &self.0, &old, row, &destination, None).map(drop)
    }
}

/// Is a former value given to this field? A place goes with its secrets, and only one that is as it was is verified as
/// it was.
fn is_restored(change: &ObjectChange, path: &str) -> bool {
    let leads_elsewhere = change.fields.contains_key(SECRET);
    let is_kept = |path: &str| change.fields.get(path).is_none_or(|field| restore::is_whole(field.before.as_ref()));
    match path {
        NAME => true,
        VERIFIED => !leads_elsewhere || former(change, VERIFIED) == Some(&json!(false)),
        path if PLACE.contains(&path) => !leads_elsewhere,
        // A media type means nothing without its template.
        path => TEXT.contains(&path) && TEXT.iter().all(|path| is_kept(path)),
    }
}

fn former<'c>(change: &'c ObjectChange, path: &str) -> Option<&'c Value> {
    change.fields.get(path)?.before.as_ref()
}

/// What a body would say of the former values.
fn body(change: &ObjectChange) -> Value {
    let texts: Vec<&str> = std::iter::once(NAME).chain(PLACE).chain(TEXT).collect();
    let mut body = restore::body(change, &texts);
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|path, _| is_restored(change, path));
        // An address of mail has no preset.
        fields.retain(|path, value| path != "preset" || value.as_str() != Some(""));
        for path in [KIND, VERIFIED] {
            if let Some(value) = former(change, path).filter(|_| path == KIND || is_restored(change, path)) {
                fields.insert(path.to_owned(), value.clone());
            }
        }
    }
    body
}
