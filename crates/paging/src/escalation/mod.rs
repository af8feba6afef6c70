//! What becomes of an alert that people are to hear of: when which step of its policy is taken ([`rules`]), whom a step means
//! ([`resolve`]), and what is decided then ([`engine`]).

pub mod engine;
pub mod resolve;
pub mod rules;
mod scheduler;
pub mod store;

pub use scheduler::{Pager, Subscriber};
