//! Device groups and service groups: resources that belong together, by hand or by rule.
//!
//! Both kinds are one implementation with a [`kind::Kind`]. A group belongs to one tenant; a client's group holds
//! resources of that client, a partner's group those of its clients too. Groups nest: the members of a child count as
//! members of its parent. A group with filter criteria ([`criteria`]) is dynamic: [`dynamic`] keeps its members
//! current as resources change, beside those that were added by hand.

pub mod attributes;
pub mod changes;
pub mod criteria;
pub mod dynamic;
pub mod input;
pub mod kind;
pub mod lock;
pub mod row;
pub mod rules;
pub mod store;
pub mod wire;

#[cfg(test)]
mod tests;
