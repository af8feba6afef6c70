//! What of a person's contact methods is used when ("Notification rules" in `docs/interface.md`).

pub mod http;
pub mod reminders;
pub mod row;
pub mod rules;
pub mod store;
mod undo;
pub mod wire;

pub use undo::Rules;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::list).service(http::set);
}
