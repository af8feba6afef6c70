//! What the person who holds the database does by hand: tenants and keys, without a caller ("Tenants and callers" in
//! `docs/interface.md`). All of it works while gateways run on the database; what it revokes is felt within a
//! second. The audit log has it, with the command in place of a key. For commands: every function waits for the
//! database on the thread that calls.

use api::{Role, access::Roles, clock};
use base::{problem::Problem, secret::Secret, tenant::TenantId, timestamp::Timestamp};
use db::Db;
use outbox::{Actor, Tx};

mod people;

use crate::{
    api_keys::{
        self,
        store::{NewKey, Row},
    },
    callers, secrets, tenants,
};

/// An API key, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// `KEY-<uuid>`.
    pub id: String,
    /// The tenant that it belongs to.
    pub tenant: String,
    /// What it may do.
    pub role: String,
    /// The operations that it is restricted to; `None` for all that its role may.
    pub operations: Option<Vec<String>>,
    /// Its name.
    pub name: String,
    /// The public part: the `client_id` of a token request.
    pub key: String,
    /// When it was created.
    pub created: Timestamp,
    /// When it was rotated last; else when it was created.
    pub updated: Timestamp,
    /// When it was used last, to the minute.
    pub used: Option<Timestamp>,
    /// When it ends by itself.
    pub expires: Option<Timestamp>,
}

/// A key to be made.
#[derive(Clone, Debug)]
pub struct NewTenantKey<'a> {
    /// The tenant that it belongs to.
    pub tenant: &'a TenantId,
    /// Its name.
    pub name: &'a str,
    /// What it may do.
    pub role: Role,
    /// The operationIds that it is restricted to; none for all that its role may.
    pub operations: Vec<String>,
}

impl From<Row> for Key {
    fn from(row: Row) -> Self {
        Self {
            operations: row.narrowed(),
            used: row.last_used_ms.map(Timestamp::from_millis),
            expires: row.expires_ms.map(Timestamp::from_millis),
            id: row.id,
            tenant: row.tenant_id,
            role: row.role,
            name: row.name,
            key: row.key,
            created: Timestamp::from_millis(row.created_ms),
            updated: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// A tenant, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// `msp_N` or `client_N`.
    pub id: String,
    /// The partner that it belongs to; itself for a partner.
    pub partner: String,
    /// Its name.
    pub name: String,
    /// Are its callers shut out for now?
    pub suspended: bool,
}

impl From<tenants::row::Row> for Tenant {
    fn from(row: tenants::row::Row) -> Self {
        Self { id: row.id, partner: row.partner_id, name: row.name, suspended: row.suspended }
    }
}

/// Adds a partner, which has no key yet.
pub fn create_partner(db: &Db, name: &str) -> anyhow::Result<Tenant> {
    let name = tenants::rules::read_name(name)?;
    let now = clock::now();
    let row = write(db, "muster tenant create", now, move |tx| {
        let id = tenants::store::next_partner(tx.conn)?;
        tenants::store::insert_partner(tx.conn, &id, &name, now)?;
        let row = tenants::store::row(tx.conn, &id)?.ok_or_else(|| Problem::internal())?;
        tx.record_change(None, Some(&row))?;
        Ok(row)
    });
    Ok(row?.into())
}

/// Adds a client to a partner.
pub fn create_client(db: &Db, partner: &TenantId, name: &str) -> anyhow::Result<Tenant> {
    tenants::rules::check_partner(partner).map_err(|problem| into_anyhow(problem.into()))?;
    let name = tenants::rules::read_name(name)?;
    let partner = partner.clone();
    let now = clock::now();
    let row = write(db, "muster tenant create", now, move |tx| {
        existing(tx.conn, &partner)?;
        let row = tenants::store::insert_client(tx.conn, &partner, &name, now)?;
        tx.record_change(None, Some(&row))?;
        Ok(row)
    });
    Ok(row?.into())
}

/// All tenants, each partner before its clients.
pub fn each_tenant(db: &Db, mut each: impl FnMut(Tenant) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let walk = |conn: &mut db::Conn| tenants::store::each_anywhere(conn, |row| each(row.into()).map_err(into_db));
    db.read_here(walk).map_err(into_anyhow)
}

/// Makes a key of a tenant; `roles` are the operations of the service. The secret is told here and never again.
pub fn create_key(db: &Db, key: NewTenantKey<'_>, roles: &Roles) -> anyhow::Result<(Key, Secret<String>)> {
    let NewTenantKey { tenant, name, role, operations } = key;
    let wrong = operations.iter().find_map(|name| api_keys::rules::operation_error(name, role, roles));
    if let Some(wrong) = wrong {
        anyhow::bail!(wrong);
    }
    let (new, secret) = NewKey::random(tenants::rules::read_name(name)?, role)?;
    let operations = (!operations.is_empty()).then(|| callers::sort_operations(operations));
    let new = NewKey { operations, ..new };
    let tenant = tenant.clone();
    let now = clock::now();
    let row = write(db, "muster key create", now, move |tx| {
        existing(tx.conn, &tenant)?;
        let row = api_keys::store::insert(tx.conn, &tenant, &new, None, now)?;
        secrets::record_change(tx, None, Some(&row))?;
        Ok(row)
    });
    Ok((row?.into(), secret))
}

/// The live keys of all tenants.
pub fn each_key(db: &Db, mut each: impl FnMut(Key) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let walk = |conn: &mut db::Conn| api_keys::store::each_anywhere(conn, |row| each(row.into()).map_err(into_db));
    db.read_here(walk).map_err(into_anyhow)
}

/// Gives a key, named by its id or its public part, a new secret, which is told here and never again. The secret before
/// stays valid until the next rotation, unless `revoke_previous`.
pub fn rotate_key(db: &Db, key: &str, revoke_previous: bool) -> anyhow::Result<(Key, Secret<String>)> {
    let secret = secrets::random()?;
    let key = key.to_owned();
    let new = secret.clone();
    let now = clock::now();
    let row = write(db, "muster key rotate", now, move |tx| {
        let (tenant, row) = named(tx.conn, &key)?;
        let rotated = api_keys::store::rotate(tx.conn, &tenant, &row.id, &new, revoke_previous, now)?;
        secrets::record_change(tx, Some(&rotated.before), Some(&rotated.after))?;
        Ok(rotated.after)
    });
    Ok((row?.into(), secret))
}

/// Revokes a key, named by its id or its public part.
pub fn revoke_key(db: &Db, key: &str) -> anyhow::Result<Key> {
    let key = key.to_owned();
    let now = clock::now();
    let row = write(db, "muster key revoke", now, move |tx| {
        let (tenant, row) = named(tx.conn, &key)?;
        let before = api_keys::store::revoke(tx.conn, &tenant, &row.id, now)?;
        secrets::record_change(tx, Some(&before), None)?;
        Ok(before)
    });
    Ok(row?.into())
}

pub use people::{create_user, sign_in_code};

/// A write on behalf of a command.
fn write<T, F>(db: &Db, command: &str, now: Timestamp, work: F) -> anyhow::Result<T>
where
    F: FnOnce(&mut Tx<'_>) -> db::Result<T> + Send + 'static,
    T: Send + 'static,
{
    let actor = Actor::without_change_set("", command.to_owned(), "");
    db.write_here(move |conn| Tx::run(conn, &actor, now, work)).map_err(into_anyhow)
}

fn existing(conn: &mut db::Conn, tenant: &TenantId) -> db::Result<()> {
    let unknown = || Problem::not_found(format!("There is no tenant {tenant}."));
    Ok(tenants::store::row(conn, tenant)?.map(drop).ok_or_else(unknown)?)
}

fn named(conn: &mut db::Conn, key: &str) -> db::Result<(TenantId, Row)> {
    let row = api_keys::store::find_anywhere(conn, key)?.ok_or_else(api_keys::rules::unknown)?;
    let tenant = TenantId::parse(&row.tenant_id);
    Ok((tenant.ok_or_else(|| db::Error::Fault(format!("an API key is of {}", row.tenant_id)))?, row))
}

/// The error of a callback, as a database error.
fn into_db(error: anyhow::Error) -> db::Error {
    db::Error::Fault(format!("{error:#}"))
}

/// The sentence of a problem, as a person reads it.
fn into_anyhow(error: db::Error) -> anyhow::Error {
    match error {
        db::Error::Problem(problem) => anyhow::Error::msg(problem.detail),
        other => other.into(),
    }
}
