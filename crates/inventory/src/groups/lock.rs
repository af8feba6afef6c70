//! The lock that orders changes of groups and changes of their members.
//!
//! A group that becomes dynamic looks at every resource, and a resource that changes looks at every dynamic group.
//! Two such transactions side by side would each miss the uncommitted rows of the other. So a change of groups holds
//! the lock of a partner and its clients exclusively until the end of its transaction, and changes of resources share
//! it. Changes of the tree are exclusive too: two moves could close a cycle together.

use db::Lock;

/// The lock of the groups of a partner and its clients.
pub fn lock(partner: &str) -> Lock {
    Lock::of("groups", partner)
}
