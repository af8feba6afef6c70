//! Undoing changes of users, user groups and inbound addresses. It knows them, and none of them knows it.

mod inbound;
mod user_groups;
mod users;

use std::sync::Arc;

use api::Restorer;

use crate::Authenticator;

/// What of tenants and callers is restored when a change set is undone.
pub fn restorers(authenticator: Arc<Authenticator>) -> Vec<Arc<dyn Restorer>> {
    vec![Arc::new(users::Users(authenticator)), Arc::new(user_groups::UserGroups), Arc::new(inbound::InboundAddresses)]
}
