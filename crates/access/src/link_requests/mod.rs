//! Sign-in links that people ask for by themselves, and get by mail ("Signing in" in `docs/interface.md`).
//!
//! A request is put into a queue and answered, whether or not anybody has the address; whose it is, is looked up behind
//! the request ([`LinkMailer`]).

pub(crate) mod http;
mod mailer;
pub(crate) mod queue;
mod rules;
pub(crate) mod store;
mod wire;

pub use self::{mailer::LinkMailer, queue::LinkQueue};
