//! The handlers, which know the rows and rules of all other modules, and which none of those knows.

pub mod across;
pub mod actions;
pub mod deliveries;
pub mod event_test;
pub mod events;
pub mod inbound;
pub mod integrations;
