//! The stream of changes, as server-sent events: one for each tenant ("Changes" in `docs/interface.md`).
//!
//! A [`Subscriber`] of the outbox keeps what changed in rows, for ten minutes, while somebody watches the tenant or its
//! partner; a [`Broadcaster`] in each gateway reads them, once however many watch, and hands them to its [`Hub`] of
//! streams. So any gateway tells what any other stored, and a stream that comes back to another one goes on where it
//! was.

mod http;
mod hub;
mod row;
mod schema;
mod store;
mod subscriber;
mod wire;

use std::sync::Arc;

use api::{Extras, Need, Routes, Tag};

pub use self::{
    hub::{Broadcaster, Hub},
    subscriber::Subscriber,
};

/// What handlers take from [`extras`].
const NEEDS: &[Need] = &[Need::of::<Hub>()];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!("changes", both changes0001_changes);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[Tag {
    name: "Changes",
    description: "One stream of everything that changes in a tenant, as server-sent events.",
}];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "changes",
        title: "Muster: changes",
        tags: TAGS,
        routes,
        root_routes: api::domain::no_routes,
        aliases: &[],
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[store::RETENTION],
        quotas: &[],
    }
}

/// Puts the streams of this process where the handlers look for them.
pub fn extras(hub: Arc<Hub>) -> Extras {
    Extras::default().with(hub)
}

fn routes(config: &mut Routes) {
    config.service(http::watch);
}
