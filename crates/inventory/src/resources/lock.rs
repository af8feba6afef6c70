//! The lock of a resource: one change at a time.

use db::{Conn, Lock, Result};

/// Locks a resource until the end of the transaction, whatever the letter case of its id.
pub fn lock_resource(conn: &mut Conn, id: &str) -> Result<()> {
    lock_of(&id.to_ascii_lowercase()).take(conn)
}

/// As [`lock_resource`], for several, which any others lock in the same order.
pub fn lock_resources(conn: &mut Conn, ids: &[&str]) -> Result<()> {
    let mut ids: Vec<String> = ids.iter().map(|id| id.to_ascii_lowercase()).collect();
    ids.sort_unstable();
    let locks: Vec<Lock> = ids.iter().map(|id| lock_of(id)).collect();
    Lock::take_all(conn, &locks)
}

fn lock_of(id: &str) -> Lock {
    Lock::of("resource", id)
}
