//! The identity keys of machines. Every function takes the tenant, or a resource.

use base::text::fold;
use db::{Conn, Result};
use diesel::prelude::*;

use crate::{
    model::document::Resource,
    reports::identity::{IdentityKey, is_same_machine},
    schema::{resource_identities, resources},
};

/// The most machines with one device id that are compared. More are copies of one image, and have better keys.
const MOST_COPIES: i64 = 100;

/// A resource and its identity keys.
pub struct IdentityMatch {
    pub id: String,
    /// The requested key that matched.
    pub by: IdentityKey,
    pub known_by: Vec<IdentityKey>,
}

/// The resource that the first matching key identifies. A weaker key does not merge machines that a stronger one tells
/// apart: two system UUIDs are two machines, whatever address or device id they share. Where copies of one
/// image share nothing else than their agent's device id, the one with this host name counts.
pub fn find(conn: &mut Conn, tenant: &str, keys: &[IdentityKey], host: &str) -> Result<Option<IdentityMatch>> {
    for key in keys {
        let mut found = Vec::new();
        for id in holders(conn, tenant, key)? {
            let known_by = keys_of(conn, tenant, &id)?;
            if is_same_machine(&known_by, keys) {
                found.push(IdentityMatch { id, by: key.clone(), known_by });
            }
        }
        if found.len() > 1 {
            found = choose(conn, tenant, found, host)?;
        }
        if let Some(found) = found.pop() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// As [`find`], for a scan: a machine with an agent that has an address of the scan comes before one with its serial
/// number, which may be that of an enclosure of several machines.
pub fn find_scanned(conn: &mut Conn, tenant: &str, keys: &[IdentityKey], host: &str) -> Result<Option<IdentityMatch>> {
    let found = find(conn, tenant, keys, host)?;
    if found.as_ref().is_some_and(|found| matches!(found.by, IdentityKey::SystemUuid(_))) {
        return Ok(found);
    }
    let without_serial: Vec<_> =
        keys.iter().filter(|key| !matches!(key, IdentityKey::Serial { .. })).cloned().collect();
    for key in without_serial.iter().filter(|key| matches!(key, IdentityKey::Mac(_))) {
        for id in holders(conn, tenant, key)? {
            let known_by = keys_of(conn, tenant, &id)?;
            if is_same_machine(&known_by, &without_serial) && has_agent(conn, tenant, &id)? {
                return Ok(Some(IdentityMatch { id, by: key.clone(), known_by }));
            }
        }
    }
    Ok(found)
}

fn has_agent(conn: &mut Conn, tenant: &str, id: &str) -> Result<bool> {
    let installed = resources::table.find((tenant, id)).select(resources::agent_installed);
    Ok(installed.get_result(conn).optional()?.unwrap_or(false))
}

/// Chooses among machines with one device id: the one with this host name, else the one with no other keys.
fn choose(conn: &mut Conn, tenant: &str, found: Vec<IdentityMatch>, host: &str) -> Result<Vec<IdentityMatch>> {
    let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
    let hosts: Vec<(String, String)> = resources::table
        .filter(resources::tenant_id.eq(tenant))
        .filter(resources::id.eq_any(ids))
        .select((resources::id, resources::host_key))
        .load(conn)?;
    let host = fold(host);
    let is_called_so = |one: &IdentityMatch| hosts.iter().any(|(id, key)| *id == one.id && *key == host);
    let is_unknown = |one: &IdentityMatch| one.known_by.iter().all(|key| key.kind() == "agent");
    let (mut called, others): (Vec<_>, Vec<_>) = found.into_iter().partition(is_called_so);
    if called.len() == 1 {
        return Ok(called);
    }
    called.extend(others);
    called.retain(is_unknown);
    called.truncate(1);
    Ok(called)
}

/// Another resource that is the machine with these keys, as one of them says, and the key.
pub fn find_conflict(
    conn: &mut Conn,
    resource: &Resource,
    keys: &[IdentityKey],
) -> Result<Option<(IdentityKey, String)>> {
    for key in keys {
        let others = holders(conn, &resource.tenant_id, key)?.into_iter().filter(|id| *id != resource.id);
        for id in others {
            if is_same_machine(&keys_of(conn, &resource.tenant_id, &id)?, keys) {
                return Ok(Some((key.clone(), id)));
            }
        }
    }
    Ok(None)
}

/// The resources that have a key: one at most, but for an agent's device id.
fn holders(conn: &mut Conn, tenant: &str, key: &IdentityKey) -> Result<Vec<String>> {
    use resource_identities::dsl;
    let stored = key.stored();
    let Some(last) = key.stored_again("~") else {
        let holder = dsl::resource_identities.find((tenant, stored)).select(dsl::resource_id);
        let id: Option<String> = db::direct!(conn, |conn| holder.get_result(conn)).optional()?;
        return Ok(id.into_iter().collect());
    };
    // The key itself, and as further machines have it.
    let range = dsl::resource_identities
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::identity.ge(&stored))
        .filter(dsl::identity.lt(&last))
        .select((dsl::identity, dsl::resource_id))
        .order(dsl::identity)
        .limit(MOST_COPIES);
    let found: Vec<(String, String)> = db::direct!(conn, |conn| range.load(conn))?;
    let is_key = |identity: &str| {
        identity.strip_prefix(stored.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
    };
    Ok(found.into_iter().filter(|(identity, _)| is_key(identity)).map(|(_, id)| id).collect())
}

/// Locks the identity keys of a tenant until the end of the transaction, so that the next lookup sees this machine.
pub fn lock_identities(conn: &mut Conn, tenant: &str) -> Result<()> {
    db::Lock::of("identities", tenant).take(conn)
}

/// The identity keys of a resource.
pub fn keys_of(conn: &mut Conn, tenant: &str, id: &str) -> Result<Vec<IdentityKey>> {
    use resource_identities::dsl;
    let of_it = dsl::resource_identities.filter(dsl::tenant_id.eq(tenant)).filter(dsl::resource_id.eq(id));
    let stored: Vec<String> = db::direct!(conn, |conn| of_it.select(dsl::identity).load(conn))?;
    Ok(stored.iter().filter_map(|text| IdentityKey::from_stored(text)).collect())
}

/// Adds identity keys to a resource. A key of another resource stays with that one, except the device id of an agent,
/// which several may have.
pub fn add(conn: &mut Conn, resource: &Resource, keys: &[IdentityKey]) -> Result<()> {
    let mut free = Vec::new();
    for key in keys {
        let holders = holders(conn, &resource.tenant_id, key)?;
        let is_shared = key.stored_again("").is_some() && !holders.contains(&resource.id);
        if holders.is_empty() || is_shared {
            free.push(key.clone());
        }
    }
    // Without new keys there is no need to wait for the lock.
    if free.is_empty() {
        return Ok(());
    }
    lock_identities(conn, &resource.tenant_id)?;
    insert(conn, resource, &free)
}

#[derive(Insertable)]
#[diesel(table_name = resource_identities, treat_none_as_default_value = false)]
struct IdentityRow {
    tenant_id: String,
    identity: String,
    resource_id: String,
}

/// Stores the keys that no resource has, and device ids of agents in any case.
pub fn insert(conn: &mut Conn, resource: &Resource, keys: &[IdentityKey]) -> Result<()> {
    let mut insert = |identity: String| -> Result<bool> {
        let tenant_id = resource.tenant_id.clone();
        let resource_id = resource.id.clone();
        let row = IdentityRow { tenant_id, identity, resource_id };
        let insert = diesel::insert_into(resource_identities::table).values(&row).on_conflict_do_nothing();
        Ok(db::direct!(conn, |conn| insert.execute(conn))? > 0)
    };
    for key in keys {
        if !insert(key.stored())?
            && let Some(again) = key.stored_again(&resource.id)
        {
            insert(again)?;
        }
    }
    Ok(())
}

/// Removes identity keys of a resource.
pub fn remove(conn: &mut Conn, resource: &Resource, keys: &[IdentityKey]) -> Result<()> {
    use resource_identities::dsl;
    for key in keys {
        diesel::delete(dsl::resource_identities.find((&resource.tenant_id, key.stored())))
            .filter(dsl::resource_id.eq(&resource.id))
            .execute(conn)?;
    }
    Ok(())
}

/// Forgets all that these resources are known by.
pub fn release(conn: &mut Conn, tenant: &str, ids: &[&str]) -> Result<()> {
    diesel::delete(resource_identities::table)
        .filter(resource_identities::tenant_id.eq(tenant))
        .filter(resource_identities::resource_id.eq_any(ids))
        .execute(conn)?;
    Ok(())
}
