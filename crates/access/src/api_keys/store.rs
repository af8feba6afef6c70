//! The rows of API keys. Their secrets are not in them, only hashes.

use api::{Caller, RequestScope, Role};
use base::{
    secret::Secret,
    tenant::{Level, TenantId},
    text::fold,
    timestamp::Timestamp,
};
use db::{Conn, Quota};
use diesel::prelude::*;

use super::rules;
use crate::{
    RowChange, callers,
    schema::{api_keys, tenants, users},
    secrets, tenants as tenant, tokens, users as user,
};

/// What anybody may see of a key.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = api_keys)]
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
    #[diesel(select_expression = api_keys::secret2_hash.is_not_null())]
    pub(crate) previous_secret: bool,
    pub(crate) version: i64,
    /// What it is restricted to, as [`callers::split_operations`] reads it.
    pub(crate) operations: Option<String>,
    /// When it ends by itself.
    pub(crate) expires_ms: Option<i64>,
    /// When it was used last, to the minute.
    pub(crate) last_used_ms: Option<i64>,
    /// Does it act as a person, with whom it ends?
    pub(crate) personal: bool,
}

impl Row {
    /// What it is restricted to.
    pub(crate) fn narrowed(&self) -> Option<Vec<String>> {
        self.operations.as_deref().map(callers::split_operations)
    }

    /// The person that it acts as; `None` for a program.
    pub(crate) fn person(&self) -> Option<&str> {
        self.personal.then_some(self.user_id.as_str())
    }

    /// May it do all that an admin may, for ever?
    fn is_full_admin(&self) -> bool {
        self.role == Role::Admin.as_str() && self.operations.is_none() && self.expires_ms.is_none() && !self.personal
    }
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
    operations: Option<String>,
    expires_ms: Option<i64>,
    personal: bool,
}

/// A key that is not revoked, with the hashes of its secrets.
pub(crate) struct LiveKey {
    /// The row's id.
    pub(crate) id: String,
    /// When it was used last, to the minute.
    pub(crate) last_used_ms: Option<i64>,
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
    /// What it is restricted to, in order.
    pub(crate) operations: Option<Vec<String>>,
    /// When it ends by itself.
    pub(crate) expires: Option<Timestamp>,
    /// The person that it acts as; `None` for a program, which gets a user of its own.
    pub(crate) person: Option<String>,
    pub(crate) key: String,
    pub(crate) secret: Secret<String>,
}

impl NewKey {
    /// A key for all that a role may, until it is revoked.
    pub(crate) fn of(name: String, role: Role, key: String, secret: Secret<String>) -> Self {
        Self { name, role, operations: None, expires: None, person: None, key, secret }
    }

    /// The same with a new random key and secret; the secret is answered as well, to be shown once.
    pub(crate) fn random(name: String, role: Role) -> db::Result<(Self, Secret<String>)> {
        let secret = secrets::random()?;
        Ok((Self::of(name, role, secrets::random()?.into_inner(), secret.clone()), secret))
    }
}

/// How many API keys a tenant has at most.
pub(crate) static QUOTA: Quota = Quota::new("API keys", "api_keys", 10_000).of("revoked_ms IS NULL");

/// Adds a key, and for a program's key the user that it acts as. `created_by` is `None` for a key that no caller
/// makes: it makes itself.
///
/// A name that another live key of the tenant has is a conflict.
pub(crate) fn insert(
    conn: &mut Conn,
    tenant: &TenantId,
    new: &NewKey,
    created_by: Option<&str>,
    now: Timestamp,
) -> db::Result<Row> {
    QUOTA.admit(conn, tenant.as_str(), 1)?;
    let user_id = match &new.person {
        Some(id) => {
            // Who is deactivated at the same moment is seen here, or sees this key.
            user::store::lock(id).take(conn)?;
            let person = user::store::find_at(conn, tenant, id)?;
            rules::check_personal(new.role, person.as_ref())?;
            id.clone()
        }
        None => user::store::insert_for_key(conn, tenant, &new.name, new.role, now)?.id,
    };
    let id = format!("KEY-{}", uuid::Uuid::new_v4());
    let row = NewRow {
        tenant_id: tenant.as_str(),
        id: &id,
        key: &new.key,
        name: &new.name,
        name_fold: fold(&new.name),
        role: new.role.as_str(),
        user_id: &user_id,
        secret_hash: base::hex(&secrets::hash(new.secret.expose())),
        version: 1,
        created_by: created_by.unwrap_or(&user_id),
        created_ms: now.millis(),
        updated_ms: now.millis(),
        operations: new.operations.as_deref().map(callers::join_operations),
        expires_ms: new.expires.map(|end| end.millis()),
        personal: new.person.is_some(),
    };
    let taken = |error| db::Error::or_conflict(error, format!("An API key named {} already exists.", new.name));
    diesel::insert_into(api_keys::table).values(&row).execute(conn).map_err(taken)?;
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
        .select(db::columns::<Row>())
        .get_result(conn)
        .optional()?;
    Ok(row.ok_or_else(rules::unknown)?)
}

/// The live key of the tenant that is to be changed, in the version that the caller saw; everybody else who changes it
/// waits.
///
/// # Errors
/// 404 for an unknown or revoked one, 412 for another version.
pub(crate) fn lock_for_update(conn: &mut Conn, scope: &RequestScope, id: &str) -> db::Result<Row> {
    db::Lock::of("api_key", id).take(conn)?;
    let row = find(conn, &scope.tenant.id, id)?;
    scope.check_version(row.version)?;
    Ok(row)
}

/// The live key with this id or public part, of whatever tenant: for the person who holds the database.
pub(crate) fn find_anywhere(conn: &mut Conn, text: &str) -> db::Result<Option<Row>> {
    Ok(api_keys::table
        .filter(api_keys::id.eq(text).or(api_keys::key.eq(text)))
        .filter(api_keys::revoked_ms.is_null())
        .select(db::columns::<Row>())
        .get_result(conn)
        .optional()?)
}

/// The oldest live key of a tenant with this name that nobody has used and no caller has made.
pub(crate) fn unused_of(conn: &mut Conn, tenant: &TenantId, name: &str) -> db::Result<Option<Row>> {
    Ok(api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.as_str()))
        .filter(api_keys::name_fold.eq(fold(name)))
        .filter(api_keys::revoked_ms.is_null())
        .filter(api_keys::last_used_ms.is_null())
        .filter(api_keys::created_by.eq(api_keys::user_id))
        .filter(api_keys::updated_ms.eq(api_keys::created_ms))
        .order(api_keys::created_ms)
        .select(db::columns::<Row>())
        .first(conn)
        .optional()?)
}

/// The live key with this public part, of whatever tenant: with it the tenant becomes known.
pub(crate) fn live(conn: &mut Conn, key: &str) -> db::Result<Option<LiveKey>> {
    type Secrets = (String, Option<String>, Option<i64>);
    let row: Option<(String, callers::CallerRow, Secrets, bool)> = api_keys::table
        .inner_join(tenants::table.on(tenants::id.eq(api_keys::tenant_id)))
        .inner_join(users::table.on(users::tenant_id.eq(api_keys::tenant_id).and(users::id.eq(api_keys::user_id))))
        .filter(api_keys::key.eq(key))
        .filter(api_keys::revoked_ms.is_null())
        .select((
            api_keys::id,
            callers::columns(),
            (api_keys::secret_hash, api_keys::secret2_hash, api_keys::last_used_ms),
            tenants::suspended,
        ))
        .get_result(conn)
        .optional()?;
    let Some((id, columns, (hash, hash2, last_used_ms), suspended)) = row else { return Ok(None) };
    let Some(caller) = callers::as_caller(columns)? else { return Ok(None) };
    Ok(Some(LiveKey { id, last_used_ms, caller, suspended, hash, hash2 }))
}

/// Hands on the live keys of a tenant, oldest first.
pub(crate) fn each(conn: &mut Conn, tenant: &TenantId, mut each: impl FnMut(Row) -> db::Result<()>) -> db::Result<()> {
    let query = api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.to_string()))
        .filter(api_keys::revoked_ms.is_null())
        .order((api_keys::created_ms, api_keys::id))
        .select(db::columns::<Row>());
    db::for_each_row(conn, query, |row: Row| each(row))
}

/// Hands on the live keys of all tenants, by tenant and oldest first: for the person who holds the database.
pub(crate) fn each_anywhere(conn: &mut Conn, mut each: impl FnMut(Row) -> db::Result<()>) -> db::Result<()> {
    let query = api_keys::table
        .filter(api_keys::revoked_ms.is_null())
        .order((api_keys::tenant_id, api_keys::created_ms, api_keys::id))
        .select(db::columns::<Row>());
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
) -> db::Result<RowChange<Row>> {
    let before = find(conn, tenant, id)?;
    let live = api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.as_str()))
        .filter(api_keys::id.eq(id))
        .filter(api_keys::revoked_ms.is_null());
    let hash = base::hex(&secrets::hash(secret.expose()));
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
    Ok(RowChange { before, after: find(conn, tenant, id)? })
}

/// Notes that a key was used, unless that was noted after `before`.
pub(crate) fn note_use(
    conn: &mut Conn,
    tenant: &TenantId,
    id: &str,
    now: Timestamp,
    before: Timestamp,
) -> db::Result<()> {
    let stale = api_keys::last_used_ms.is_null().or(api_keys::last_used_ms.le(before.millis()));
    let key = api_keys::table.filter(api_keys::tenant_id.eq(tenant.as_str())).filter(api_keys::id.eq(id));
    diesel::update(key.filter(stale)).set(api_keys::last_used_ms.eq(now.millis())).execute(conn)?;
    Ok(())
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
    let admins = live
        .filter(api_keys::role.eq(Role::Admin.as_str()))
        .filter(api_keys::operations.is_null())
        .filter(api_keys::expires_ms.is_null())
        .filter(api_keys::personal.eq(false));
    let admins: i64 = admins.count().get_result(conn)?;
    rules::check_revocable(tenant, before.is_full_admin(), admins)?;
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

/// The name of the live key of the program that acts as this user.
pub(crate) fn name_of_program(
    conn: &mut Conn,
    tenant: &str,
    user_id: &str,
    now: Timestamp,
) -> db::Result<Option<String>> {
    Ok(api_keys::table
        .filter(api_keys::tenant_id.eq(tenant))
        .filter(api_keys::user_id.eq(user_id))
        .filter(api_keys::revoked_ms.is_null())
        .filter(api_keys::expires_ms.is_null().or(api_keys::expires_ms.gt(now.millis())))
        .filter(api_keys::personal.eq(false))
        .select(api_keys::name)
        .first(conn)
        .optional()?)
}

/// The ids of the live keys, of some ids of some tenants.
pub(crate) fn live_among(conn: &mut Conn, tenants: &[&str], ids: &[&str]) -> db::Result<Vec<String>> {
    Ok(api_keys::table
        .filter(api_keys::tenant_id.eq_any(tenants.to_vec()))
        .filter(api_keys::id.eq_any(ids.to_vec()))
        .filter(api_keys::revoked_ms.is_null())
        .select(api_keys::id)
        .load(conn)?)
}

/// The ids of the live keys that act as a person.
pub(crate) fn personal(conn: &mut Conn, tenant: &TenantId, user_id: &str) -> db::Result<Vec<String>> {
    Ok(api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.as_str()))
        .filter(api_keys::user_id.eq(user_id))
        .filter(api_keys::revoked_ms.is_null())
        .filter(api_keys::personal.eq(true))
        .order(api_keys::id)
        .select(api_keys::id)
        .load(conn)?)
}
