//! What people configure: how they are reached, and who is told of which alert.

mod filter;
pub mod methods;
pub mod notification;
pub mod owners;
pub mod policies;
pub mod routing;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    methods::routes(&mut config.tagged("Contact methods"));
    notification::routes(&mut config.tagged("Contact methods"));
    policies::routes(config);
    routing::routes(config);
    owners::routes(config);
}
