//! What becomes of an alert that people are to hear of: when which step of its policy is taken ([`rules`]), whom a step
//! means ([`resolve`]), what it has to do with other alerts ([`outages`]), what is decided then ([`engine`]), and what
//! becomes of a step whose pages fail ([`failures`]). What people do with it besides answering ([`actions`],
//! [`next_step`], [`hand_over`], [`alerts`]). And how that goes, before ([`explain`], [`on_call`]) and after
//! ([`timeline`], [`postmortem`]).

pub mod actions;
pub mod alerts;
pub mod correlation;
pub mod engine;
pub mod explain;
pub mod failures;
pub mod hand_over;
pub mod incidents;
pub mod next_step;
pub mod on_call;
pub mod outages;
pub mod port;
pub mod postmortem;
pub mod resolve;
pub mod rules;
pub mod scheduler;
pub mod store;
pub mod timeline;
pub mod work;

pub use scheduler::{Subscriber, start_pager};
