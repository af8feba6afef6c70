//! Deliveries: what an event sent, sends and will send.

pub mod queue;
pub mod row;
pub mod store;
#[cfg(test)]
mod tests;
pub mod wire;
