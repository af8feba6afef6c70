//! The rows of sign-in links. Their codes are not in them, only hashes.

use base::{secret::Secret, timestamp::Timestamp};
use db::{Conn, Result};
use diesel::prelude::*;
use outbox::Retention;

use super::rules;
use crate::{schema::sign_in_links, secrets};

/// Links that nobody used are forgotten a while after they have ended.
pub(crate) const RETENTION: Retention = Retention::of("sign_in_links", "expires_ms", 3_600_000);

/// A link as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = sign_in_links, treat_none_as_default_value = false)]
pub(crate) struct Row {
    pub(crate) tenant_id: String,
    /// `LNK-<uuid>`.
    pub(crate) id: String,
    /// Whom it signs in.
    pub(crate) user_id: String,
    /// SHA-256, in hex.
    pub(crate) code_hash: String,
    pub(crate) created_by: String,
    pub(crate) created_ms: i64,
    pub(crate) expires_ms: i64,
}

/// Adds a link; answers it, and those that end for it: the oldest of a user who has too many.
pub(crate) fn insert(
    conn: &mut Conn,
    (tenant, user_id): (&str, &str),
    code: &Secret<String>,
    created_by: &str,
    now: Timestamp,
) -> Result<(Row, Vec<Row>)> {
    let row = Row {
        tenant_id: tenant.to_owned(),
        id: format!("LNK-{}", uuid::Uuid::new_v4()),
        user_id: user_id.to_owned(),
        code_hash: base::hex(&secrets::hash(code.expose())),
        created_by: created_by.to_owned(),
        created_ms: now.millis(),
        expires_ms: rules::end_of_link(now).millis(),
    };
    let oldest: Vec<Row> = sign_in_links::table
        .filter(sign_in_links::tenant_id.eq(tenant))
        .filter(sign_in_links::user_id.eq(user_id))
        .order((sign_in_links::created_ms.desc(), sign_in_links::id.desc()))
        .offset(rules::MOST_LINKS - 1)
        .load(conn)?;
    for old in &oldest {
        delete(conn, old)?;
    }
    diesel::insert_into(sign_in_links::table).values(&row).execute(conn)?;
    Ok((row, oldest))
}

/// The link whose code has this hash, while it is good.
pub(crate) fn find(conn: &mut Conn, code_hash: &str, now: Timestamp) -> Result<Option<Row>> {
    Ok(sign_in_links::table
        .filter(sign_in_links::code_hash.eq(code_hash))
        .filter(sign_in_links::expires_ms.gt(now.millis()))
        .get_result(conn)
        .optional()?)
}

/// Uses a link up. Of two calls at once, one gets `true`.
pub(crate) fn delete(conn: &mut Conn, link: &Row) -> Result<bool> {
    Ok(diesel::delete(sign_in_links::table.find((&link.tenant_id, &link.id))).execute(conn)? > 0)
}

/// The links of a user that are good.
pub(crate) fn of_user(conn: &mut Conn, tenant: &str, user_id: &str, now: Timestamp) -> Result<Vec<Row>> {
    Ok(sign_in_links::table
        .filter(sign_in_links::tenant_id.eq(tenant))
        .filter(sign_in_links::user_id.eq(user_id))
        .filter(sign_in_links::expires_ms.gt(now.millis()))
        .load(conn)?)
}

/// The newest `most` links of a tenant that are good.
pub(crate) fn of_tenant(conn: &mut Conn, tenant: &str, now: Timestamp, most: i64) -> Result<Vec<Row>> {
    Ok(sign_in_links::table
        .filter(sign_in_links::tenant_id.eq(tenant))
        .filter(sign_in_links::expires_ms.gt(now.millis()))
        .order((sign_in_links::created_ms.desc(), sign_in_links::id.desc()))
        .limit(most)
        .load(conn)?)
}

/// Ends all links of a tenant.
pub(crate) fn delete_of_tenant(conn: &mut Conn, tenant: &str) -> Result<()> {
    diesel::delete(sign_in_links::table.filter(sign_in_links::tenant_id.eq(tenant))).execute(conn)?;
    Ok(())
}
