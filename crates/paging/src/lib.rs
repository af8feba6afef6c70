//! Paging: who is told of an alert, through what, and when somebody else is.
//!
//! - [`methods`]: how people are reached
//! - [`notification`]: what of that is used when
//! - [`reminders`]: who is told before a shift of theirs begins
//! - [`policies`]: who is told, one after the other
//! - [`routing`]: which alerts go to which policy
//! - [`owners`]: who owns what
//! - [`escalation`]: what becomes of an alert that people are to hear of
//! - [`pages`]: what was sent to whom, and what could not be
//! - [`sender`]: the sending
//! - [`answers`]: the links by which people answer
//!
//! "Paging" in `docs/interface.md`. This domain hears of alerts through the outbox, asks who is on call through
//! `ports`, and sends through [`ports::Sends`].

mod answers;
pub mod demo;
mod escalation;
#[cfg(test)]
mod fakes;
mod filter;
mod methods;
mod neighbours;
mod notification;
mod owners;
mod pages;
mod policies;
mod reminders;
mod reseal;
mod routing;
mod schema;
mod sender;
mod times;
mod whose;

use std::sync::Arc;

use api::{Extras, Need, Routes, Tag};
use db::Db;

pub use crate::{
    escalation::{Pager, Subscriber, port::Stored},
    neighbours::Neighbours,
    owners::port::Owned,
    reseal::{any as any_secrets, reseal},
    sender::Sender,
};

static QUOTAS: [&db::Quota; 4] =
    [&methods::store::QUOTA, &policies::store::QUOTA, &routing::store::QUOTA, &owners::store::QUOTA];

/// What handlers take from [`extras`].
const NEEDS: &[Need] = &[Need::of::<Neighbours>(), Need::of::<answers::http::Handle>()];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!(
    "paging",
    both paging0001_policies,
    both paging0002_pages,
    both paging0003_outages,
    both paging0004_reminders,
    both paging0005_requested_messages,
    both paging0007_turns,
    both paging0008_sender_turns,
);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[
    Tag {
        name: "Paging",
        description: "Who is told of an alert and when: escalation policies, routes, owners, pages and answers.",
    },
    Tag { name: "Contact methods", description: "How people are reached: contact methods and notification rules." },
];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "paging",
        title: "Muster: paging",
        tags: TAGS,
        routes,
        root_routes,
        aliases: &[],
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[
            escalation::store::RETENTION,
            pages::store::RETENTION,
            pages::store::REQUESTED,
            pages::limits::RETENTION,
        ],
        quotas: &QUOTAS,
    }
}

/// Puts those whom this domain asks, and the database, where the handlers look for them.
pub fn extras(db: Db, neighbours: Neighbours) -> Extras {
    Extras::default().with(Arc::new(neighbours)).with(Arc::new(answers::http::Handle(db)))
}

/// The operations outside a tenant: the link knows whose they are.
fn root_routes(config: &mut Routes) {
    config.service(answers::http::show).service(answers::http::act);
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    methods::routes(&mut config.tagged("Contact methods"));
    notification::routes(&mut config.tagged("Contact methods"));
    policies::routes(config);
    routing::routes(config);
    owners::routes(config);
    pages::routes(config);
}
