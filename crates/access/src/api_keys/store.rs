//! The rows of API keys. Their secrets are not in them, only hashes.

use api::{Caller, Role, context::check_version};
use base::{
    problem::Problem,
    secret::Secret,
    tenant::{Level, TenantId},
    text::fold,
    timestamp::Timestamp,
};
use db::Conn;
use diesel::prelude::*;

use super::rules;
use crate::{
    Changed,
    schema::{api_keys, tenants},
    secrets, tenants as tenant, tokens, users,
};

/// What anybody may see of a key.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub(crate) struct Row {
    pub(crate) tenant_id: String,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) key: String,
    pub(crate) user_id: String,
    pub(crate) created_by: String,
    pub(crate) created_ms: i64,
    /// When it was rotated last; else when it was created.
    pub(crate) updated_ms: i64,
    /// Is the secret before the last rotation still valid?
    pub(crate) previous_secret: bool,
    /// Counts its changes; the `ETag`.
    pub(crate) version: i64,
}

type Columns = (
    api_keys::tenant_id,
    api_keys::id,
    api_keys::name,
    api_keys::role,
    api_keys::key,
    api_keys::user_id,
    api_keys::created_by,
    api_keys::created_ms,
    api_keys::updated_ms,
    diesel::dsl::IsNotNull<api_keys::secret2_hash>,
    api_keys::version,
);

fn columns() -> Columns {
    (
        api_keys::tenant_id,
        api_keys::id,
        api_keys::name,
        api_keys::role,
        api_keys::key,
        api_keys::user_id,
        api_keys::created_by,
        api_keys::created_ms,
        api_keys::updated_ms,
        api_keys::secret2_hash.is_not_null(),
        api_keys::version,
    )
}

#[derive(Insertable)]
#[diesel(table_name = api_keys, treat_none_as_default_value = false)]
struct NewRow<'a> {
    tenant_id: &'a str,
    id: &'a str,
    key: &'a str,
    name: &'a str,
    name_fold: String,
    role: &'a str,
    user_id: &'a str,
    secret_hash: String,
    version: i64,
    created_by: &'a str,
    created_ms: i64,
    updated_ms: i64,
}

/// A key that is not revoked, with the hashes of its secrets.
pub(crate) struct LiveKey {
    /// The row's id.
    pub(crate) id: String,
    /// Whom it makes.
    pub(crate) caller: Caller,
    /// Is the caller's tenant suspended?
    pub(crate) suspended: bool,
    hash: String,
    hash2: Option<String>,
}

impl LiveKey {
    /// The hashes of its live secrets.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.hash.as_str()).chain(self.hash2.as_deref())
    }
}

/// What a new key is made of.
pub(crate) struct NewKey {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) key: String,
    pub(crate) secret: Secret<String>,
}

impl NewKey {
    /// With a new random key and secret; the secret is answered as well, to be shown once.
    pub(crate) fn random(name: String, role: Role) -> db::Result<(Self, Secret<String>)> {
        let secret = secrets::random()?;
        Ok((Self { name, role, key: secrets::random()?.into_inner(), secret: secret.clone() }, secret))
    }
}

/// Adds a key, and the user that it acts as. `created_by` is `None` for a key that no caller makes: it makes itself.
///
/// A name that another live key of the tenant has is a conflict.
pub(crate) fn insert(
    conn: &mut Conn,
    tenant: &TenantId,
    new: &NewKey,
    created_by: Option<&str>,
    now: Timestamp,
) -> db::Result<Row> {
    let user_id = users::store::insert_for_key(conn, tenant, &new.name, now)?.id;
    let id = format!("KEY-{}", uuid::Uuid::new_v4());
    let row = NewRow {
        tenant_id: tenant.as_str(),
        id: &id,
        key: &new.key,
        name: &new.name,
        name_fold: fold(&new.name),
        role: new.role.as_str(),
        user_id: &user_id,
        secret_hash: secrets::hex(&secrets::hash(new.secret.expose())),
        version: 1,
        created_by: created_by.unwrap_or(&user_id),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    };
    diesel::insert_into(api_keys::table).values(&row).execute(conn).map_err(|error| match error.into() {
        db::Error::Taken(_) => Problem::conflict(format!("An API key named {} exists already.", new.name)).into(),
        other => other,
    })?;
    find(conn, tenant, &id)
}

/// A live key of a tenant.
///
/// # Errors
/// 404 for an unknown or revoked one.
pub(crate) fn find(conn: &mut Conn, tenant: &TenantId, id: &str) -> db::Result<Row> {
    let row = api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.as_str()))
        .filter(api_keys::id.eq(id))
        .filter(api_keys::revoked_ms.is_null())
        .select(columns())
        .get_result(conn)
        .optional()?;
    Ok(row.ok_or_else(rules::unknown)?)
}

/// Makes everybody else wait who changes a live key of a tenant, and compares its version with the one that is wanted.
///
/// # Errors
/// 404 for an unknown or revoked one, 412 for another version.
pub(crate) fn take_up(conn: &mut Conn, tenant: &TenantId, id: &str, wanted: Option<i64>) -> db::Result<()> {
    db::lock(conn, &format!("api_key:{id}"))?;
    Ok(check_version(wanted, find(conn, tenant, id)?.version)?)
}

/// The live key with this id or public part, of whatever tenant: for the person who holds the database.
pub(crate) fn find_anywhere(conn: &mut Conn, text: &str) -> db::Result<Option<Row>> {
    Ok(api_keys::table
        .filter(api_keys::id.eq(text).or(api_keys::key.eq(text)))
        .filter(api_keys::revoked_ms.is_null())
        .select(columns())
        .get_result(conn)
        .optional()?)
}

/// The live key with this public part, of whatever tenant: with it the tenant becomes known.
pub(crate) fn live(conn: &mut Conn, key: &str) -> db::Result<Option<LiveKey>> {
    type Columns = (String, String, String, String, String, Option<String>, bool);
    let row: Option<Columns> = api_keys::table
        .inner_join(tenants::table.on(tenants::id.eq(api_keys::tenant_id)))
        .filter(api_keys::key.eq(key))
        .filter(api_keys::revoked_ms.is_null())
        .select((
            api_keys::id,
            api_keys::user_id,
            api_keys::tenant_id,
            api_keys::role,
            api_keys::secret_hash,
            api_keys::secret2_hash,
            tenants::suspended,
        ))
        .get_result(conn)
        .optional()?;
    let Some((id, user, tenant, role, hash, hash2, suspended)) = row else { return Ok(None) };
    let caller = tokens::store::as_caller(key.to_owned(), user, &tenant, &role)?;
    Ok(Some(LiveKey { id, caller, suspended, hash, hash2 }))
}

/// Hands on the live keys of a tenant, oldest first.
pub(crate) fn each(conn: &mut Conn, tenant: &TenantId, mut each: impl FnMut(Row) -> db::Result<()>) -> db::Result<()> {
    let query = api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.to_string()))
        .filter(api_keys::revoked_ms.is_null())
        .order((api_keys::created_ms, api_keys::id))
        .select(columns());
    db::for_each_row(conn, query, |row: Row| each(row))
}

/// Hands on the live keys of all tenants, by tenant and oldest first: for the person who holds the database.
pub(crate) fn each_anywhere(conn: &mut Conn, mut each: impl FnMut(Row) -> db::Result<()>) -> db::Result<()> {
    let query = api_keys::table
        .filter(api_keys::revoked_ms.is_null())
        .order((api_keys::tenant_id, api_keys::created_ms, api_keys::id))
        .select(columns());
    db::for_each_row(conn, query, |row: Row| each(row))
}

/// Gives a live key of a tenant a new secret. The one that it had stays valid until the next rotation, unless
/// `revoke_previous`; any older one is dropped, and the tokens that were got with what is dropped.
pub(crate) fn rotate(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &str,
    secret: &Secret<String>,
    revoke_previous: bool,
    now: Timestamp,
) -> db::Result<Changed<Row>> {
    let before = find(conn, tenant, id)?;
    let live = api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.as_str()))
        .filter(api_keys::id.eq(id))
        .filter(api_keys::revoked_ms.is_null());
    let hash = secrets::hex(&secrets::hash(secret.expose()));
    let changes = (
        api_keys::secret_hash.eq(&hash),
        api_keys::updated_ms.eq(now.millis()),
        api_keys::version.eq(api_keys::version + 1),
    );
    // The column, not what was read: of two rotations at once each moves the secret that the other made.
    let rotated = match revoke_previous {
        true => diesel::update(live).set((api_keys::secret2_hash.eq(None::<String>), changes)).execute(conn)?,
        false => {
            let moved = api_keys::secret2_hash.eq(api_keys::secret_hash.nullable());
            diesel::update(live).set((moved, changes)).execute(conn)?
        }
    };
    if rotated == 0 {
        return Err(rules::unknown().into());
    }
    let (hash, hash2): (String, Option<String>) =
        live.select((api_keys::secret_hash, api_keys::secret2_hash)).get_result(conn)?;
    let marks: Vec<&str> = std::iter::once(hash.as_str()).chain(hash2.as_deref()).map(secrets::mark).collect();
    tokens::store::delete_of_key(conn, tenant, id, &marks)?;
    Ok(Changed { before, after: find(conn, tenant, id)? })
}

/// Revokes a live key of a tenant and removes its tokens; answers it as it was. An unknown id is a 404, the last admin
/// key of a partner a conflict.
pub(crate) fn revoke(conn: &mut Conn, tenant: &TenantId, id: &str, now: Timestamp) -> db::Result<Row> {
    if tenant.level() == Level::Partner {
        // Two admins who revoke each other at once wait for each other here.
        tenant::store::lock(conn, tenant)?;
    }
    let before = find(conn, tenant, id)?;
    let live = api_keys::table.filter(api_keys::tenant_id.eq(tenant.as_str())).filter(api_keys::revoked_ms.is_null());
    let admins: i64 = live.filter(api_keys::role.eq(Role::Admin.as_str())).count().get_result(conn)?;
    rules::check_revocable(tenant, &before.role, admins)?;
    let changes = (
        api_keys::revoked_ms.eq(now.millis()),
        api_keys::updated_ms.eq(now.millis()),
        api_keys::version.eq(api_keys::version + 1),
    );
    if diesel::update(live.filter(api_keys::id.eq(id))).set(changes).execute(conn)? == 0 {
        return Err(rules::unknown().into());
    }
    tokens::store::delete_of_key(conn, tenant, id, &[])?;
    Ok(before)
}

/// The name of the live key that a user acts for.
pub(crate) fn name_of_user(conn: &mut Conn, tenant: &str, user_id: &str) -> db::Result<Option<String>> {
    Ok(api_keys::table
        .filter(api_keys::tenant_id.eq(tenant))
        .filter(api_keys::user_id.eq(user_id))
        .filter(api_keys::revoked_ms.is_null())
        .select(api_keys::name)
        .get_result(conn)
        .optional()?)
}
