//! Sites: the places where resources are.
//!
//! A site belongs to one tenant and holds resources of that tenant only. A resource is at one site or at none; the
//! resource's detail shows the site as its `location`.

pub mod row;
pub mod rules;
pub mod store;
pub mod wire;

#[cfg(test)]
pub mod tests;
