//! Callers as the database has them: an API key, and the user that it acts as.

use api::{Caller, Role};
use base::{tenant::TenantId, timestamp::Timestamp};

use crate::schema::{api_keys, users};

/// The operations of a key in the one form in which they are stored and compared: ascending, each once.
pub(crate) fn sort_operations(mut operations: Vec<String>) -> Vec<String> {
    operations.sort_unstable();
    operations.dedup();
    operations
}

/// Operations as a row has them.
pub(crate) fn join_operations(operations: &[String]) -> String {
    operations.join(" ")
}

/// Operations from a row. A migration that gave one another name left it in its place.
pub(crate) fn split_operations(operations: &str) -> Vec<String> {
    sort_operations(operations.split_ascii_whitespace().map(ToOwned::to_owned).collect())
}

/// The columns that make a caller: those of the key, and those of the user that it acts as.
pub(crate) type CallerRow = (KeyColumns, UserColumns);

type KeyColumns = (String, String, String, String, Option<String>, Option<i64>, bool);
type UserColumns = (String, bool);

type CallerColumns = (
    (
        api_keys::key,
        api_keys::user_id,
        api_keys::tenant_id,
        api_keys::role,
        api_keys::operations,
        api_keys::expires_ms,
        api_keys::personal,
    ),
    (users::role, users::activated),
);

/// The columns of a key and its user that make a caller.
pub(crate) fn columns() -> CallerColumns {
    (
        (
            api_keys::key,
            api_keys::user_id,
            api_keys::tenant_id,
            api_keys::role,
            api_keys::operations,
            api_keys::expires_ms,
            api_keys::personal,
        ),
        (users::role, users::activated),
    )
}

/// A caller from columns; `None` when its key acts as a person who is not in use. A key that acts as a person may no
/// more than that person. A value that does not parse was not written by this service.
pub(crate) fn as_caller((key_row, (user_role, activated)): CallerRow) -> db::Result<Option<Caller>> {
    let (key_id, user_id, tenant, key_role, operations, expires, personal) = key_row;
    if personal && !activated {
        return Ok(None);
    }
    let most = if personal { Role::parse(&user_role) } else { Some(Role::Admin) };
    let operations = operations.map(|operations| split_operations(&operations).into());
    let expires = expires.map(Timestamp::from_millis);
    match (TenantId::parse(&tenant), Role::parse(&key_role), most) {
        (Some(home), Some(role), Some(most)) => {
            Ok(Some(Caller { key_id, user_id, home, role: role.min(most), operations, expires, limit: None }))
        }
        _ => Err(db::Error::Fault(format!("an API key of {tenant} has the role {key_role}, its user {user_role}"))),
    }
}
