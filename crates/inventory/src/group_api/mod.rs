//! The operations on groups, on what they hold, and on the groups of a resource.

pub mod holding;
pub mod http;
pub mod members;
pub mod operations;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    operations::device::routes(config);
    operations::service::routes(config);
    config.tagged("Device groups").service(holding::list);
}
