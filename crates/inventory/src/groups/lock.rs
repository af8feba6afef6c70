//! One order for what changes groups and for what changes their members.
//!
//! A group that becomes dynamic looks at every resource, and a resource that changes looks at every dynamic group.
//! Two transactions that do so side by side would each miss what the other has not committed yet. So whoever changes
//! groups is alone among a partner and its clients until the end of its transaction, and whoever changes resources
//! shares with others that do. Changes of the tree are alone too: two moves could close a cycle together.

use db::{Conn, Result};

/// Keeps the groups of a partner and its clients as they are until the end of the transaction.
pub(super) fn share(conn: &mut Conn, partner: &str) -> Result<()> {
    db::lock_shared(conn, &format!("groups:{partner}"))
}

/// Keeps everybody else from the groups of a partner and its clients until the end of the transaction.
pub(super) fn alone(conn: &mut Conn, partner: &str) -> Result<()> {
    db::lock(conn, &format!("groups:{partner}"))
}
