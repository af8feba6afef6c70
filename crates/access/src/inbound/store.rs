//! The rows of inbound addresses. Their tokens are not in them, only hashes.

use api::{Caller, Role};
use base::{secret::Secret, tenant::TenantId, text::fold, timestamp::Timestamp};
use db::{Conn, Result};
use diesel::prelude::*;

use super::rules;
use crate::{
    schema::{inbound_addresses, tenants},
    secrets, users,
};

/// An inbound address as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = inbound_addresses, treat_none_as_default_value = false)]
pub(crate) struct Row {
    pub(crate) tenant_id: String,
    /// `INB-<uuid>`.
    pub(crate) id: String,
    /// Unique in its tenant, whatever the letter case.
    pub(crate) name: String,
    pub(crate) name_fold: String,
    /// The user that its reports are by.
    pub(crate) user_id: String,
    /// SHA-256, in hex.
    pub(crate) token_hash: String,
    pub(crate) created_by: String,
    pub(crate) created_ms: i64,
}

/// Adds an address, and the user that it acts as.
///
/// # Errors
/// 409 when the name is taken, or when the tenant has as many as it may have.
pub(crate) fn insert(
    conn: &mut Conn,
    tenant: &TenantId,
    name: &str,
    token: &Secret<String>,
    created_by: &str,
    now: Timestamp,
) -> Result<Row> {
    db::Lock::of("inbound", tenant).take(conn)?;
    let count: i64 =
        inbound_addresses::table.filter(inbound_addresses::tenant_id.eq(tenant.as_str())).count().get_result(conn)?;
    if count >= rules::MOST {
        return Err(rules::too_many().into());
    }
    let user = users::store::insert_for_program(conn, tenant, name, "Inbound address", Role::Viewer, now)?;
    let row = Row {
        tenant_id: tenant.to_string(),
        id: format!("INB-{}", uuid::Uuid::new_v4()),
        name: name.to_owned(),
        name_fold: fold(name),
        user_id: user.id,
        token_hash: base::hex(&secrets::hash(token.expose())),
        created_by: created_by.to_owned(),
        created_ms: now.millis(),
    };
    let taken = |error| db::Error::or_conflict(error, format!("An inbound address named {name} already exists."));
    diesel::insert_into(inbound_addresses::table).values(&row).execute(conn).map_err(taken)?;
    Ok(row)
}

/// The addresses of a tenant, oldest first.
pub(crate) fn all(conn: &mut Conn, tenant: &TenantId) -> Result<Vec<Row>> {
    Ok(inbound_addresses::table
        .filter(inbound_addresses::tenant_id.eq(tenant.as_str()))
        .order((inbound_addresses::created_ms, inbound_addresses::id))
        .load(conn)?)
}

/// Removes an address of a tenant; the user that it acted as stays, since records name it.
///
/// # Errors
/// 404 when there is none.
pub(crate) fn remove(conn: &mut Conn, tenant: &TenantId, id: &str) -> Result<Row> {
    let stored = || inbound_addresses::table.find((tenant.as_str(), id));
    let row: Row = stored().get_result(conn).optional()?.ok_or_else(rules::unknown)?;
    diesel::delete(stored()).execute(conn)?;
    Ok(row)
}

/// The ids of those addresses that are there, of some ids of some tenants.
pub(crate) fn among(conn: &mut Conn, tenants: &[&str], ids: &[&str]) -> Result<Vec<String>> {
    Ok(inbound_addresses::table
        .filter(inbound_addresses::tenant_id.eq_any(tenants.to_vec()))
        .filter(inbound_addresses::id.eq_any(ids.to_vec()))
        .select(inbound_addresses::id)
        .load(conn)?)
}

/// The name of the address whose sender acts as this user.
pub(crate) fn name_of_program(conn: &mut Conn, tenant: &str, user_id: &str) -> Result<Option<String>> {
    Ok(inbound_addresses::table
        .filter(inbound_addresses::tenant_id.eq(tenant))
        .filter(inbound_addresses::user_id.eq(user_id))
        .select(inbound_addresses::name)
        .first(conn)
        .optional()?)
}

/// Who sends to the address whose token has this hash, and whether their tenant is suspended: with it the tenant
/// becomes known.
pub(crate) fn caller(conn: &mut Conn, token_hash: &str) -> Result<Option<(Caller, bool)>> {
    let row: Option<(String, String, String, bool)> = inbound_addresses::table
        .inner_join(tenants::table.on(tenants::id.eq(inbound_addresses::tenant_id)))
        .filter(inbound_addresses::token_hash.eq(token_hash))
        .select((inbound_addresses::id, inbound_addresses::user_id, inbound_addresses::tenant_id, tenants::suspended))
        .get_result(conn)
        .optional()?;
    let Some((id, user_id, tenant, suspended)) = row else { return Ok(None) };
    let home = TenantId::parse(&tenant).ok_or_else(|| db::Error::Fault(format!("tenant {tenant}")))?;
    let caller =
        Caller { key_id: id, user_id, home, role: Role::Operator, operations: None, expires: None, limit: None };
    Ok(Some((caller, suspended)))
}
