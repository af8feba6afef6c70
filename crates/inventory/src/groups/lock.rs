//! One order for what changes groups and for what changes their members.
//!
//! A group that becomes dynamic looks at every resource, and a resource that changes looks at every dynamic group.
//! Two transactions that do so side by side would each miss what the other has not committed yet. So whoever changes
//! groups is alone among a partner and its clients until the end of its transaction, and whoever changes resources
//! shares with others that do. Changes of the tree are alone too: two moves could close a cycle together.

use db::Lock;

/// The lock of the groups of a partner and its clients.
pub(super) fn lock(partner: &str) -> Lock {
    Lock::of("groups", partner)
}
