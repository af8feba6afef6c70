//! The handlers of the operations. They use all other modules; none uses them but `undo`.

pub mod across;
pub mod actions;
pub mod deliveries;
pub mod event_test;
pub mod events;
pub mod inbound;
pub mod integrations;
