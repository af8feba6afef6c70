//! Who owns what ("Ownership" in `docs/interface.md`): a user group, inherited downwards from the tenant's default by a
//! site, by service groups and by device groups to a resource.

pub mod http;
pub mod machine;
mod row;
pub mod store;
mod undo;
mod view;
pub mod wire;

pub use undo::Owners;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::set).service(http::search).service(http::delete);
}
