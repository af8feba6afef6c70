//! The lock of a resource: one change at a time.
//!
//! A change of a resource locks it before it is read, then what it refers to: the identity keys of its tenant, its
//! site, the types of its tenant, and the groups. A change of several takes [`lock_many`] first.

use db::{Conn, Lock, Result};

/// Locks a resource until the end of the transaction, whatever the letter case of its id.
pub fn lock_resource(conn: &mut Conn, id: &str) -> Result<()> {
    lock_of(&id.to_ascii_lowercase()).take(conn)
}

/// Makes those that change many resources of a tenant take turns until the end of the transaction: each waits for
/// resources while it has others.
pub fn lock_many(conn: &mut Conn, tenant: &str) -> Result<()> {
    Lock::of("bulk", tenant).take(conn)
}

/// As [`lock_resource`], for several of a tenant.
pub fn lock_resources(conn: &mut Conn, tenant: &str, ids: &[&str]) -> Result<()> {
    lock_many(conn, tenant)?;
    let mut ids: Vec<String> = ids.iter().map(|id| id.to_ascii_lowercase()).collect();
    ids.sort_unstable();
    let locks: Vec<Lock> = ids.iter().map(|id| lock_of(id)).collect();
    Lock::take_all(conn, &locks)
}

fn lock_of(id: &str) -> Lock {
    Lock::of("resource", id)
}
