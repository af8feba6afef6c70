//! Who changes a resource, changes it alone.

use db::{Conn, Result};

/// Keeps everybody else from a resource until the end of the transaction, whatever the letter case of its id.
pub fn alone(conn: &mut Conn, id: &str) -> Result<()> {
    db::Lock::of("resource", id.to_ascii_lowercase()).take(conn)
}
