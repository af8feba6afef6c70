//! The lock of a resource: one change at a time.

use db::{Conn, Result};

/// Locks a resource until the end of the transaction, whatever the letter case of its id.
pub fn lock_resource(conn: &mut Conn, id: &str) -> Result<()> {
    db::Lock::of("resource", id.to_ascii_lowercase()).take(conn)
}
