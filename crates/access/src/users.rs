//! Users ("Tenants and callers" in `docs/interface.md`): for now those that API keys act as.

use base::{tenant::TenantId, text::fold, timestamp::Timestamp};
use db::Conn;
use diesel::prelude::*;

use crate::schema::users;

#[derive(Insertable)]
#[diesel(table_name = users)]
struct NewUser<'a> {
    tenant_id: &'a str,
    id: &'a str,
    login_name: &'a str,
    login_fold: String,
    first_name: &'a str,
    last_name: &'a str,
    activated: bool,
    version: i64,
    created_ms: i64,
    updated_ms: i64,
}

/// Adds the user that a new API key acts as, named after the key; the answer is its id.
pub(crate) fn insert_for_key(conn: &mut Conn, tenant: &TenantId, name: &str, now: Timestamp) -> db::Result<String> {
    let number = db::next_id(conn, "access.users", 1)?;
    let id = user_id(number);
    let login_name = format!("api-{number}");
    let user = NewUser {
        tenant_id: tenant.as_str(),
        id: &id,
        login_name: &login_name,
        login_fold: fold(&login_name),
        first_name: name,
        last_name: "API key",
        activated: true,
        version: 1,
        created_ms: now.millis(),
        updated_ms: now.millis(),
    };
    diesel::insert_into(users::table).values(&user).execute(conn)?;
    Ok(id)
}

/// `USR` and ten digits.
fn user_id(number: i64) -> String {
    format!("USR{number:010}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids() {
        assert_eq!(super::user_id(1), "USR0000000001");
        assert_eq!(super::user_id(9_999_999_999), "USR9999999999");
    }
}
