//! Paging: who is told of an alert, through what, and when somebody else is.
//!
//! - [`configuration`]: contact methods and when they are used, policies, routes and owners
//! - [`delivery`]: pages and their sending, and reminders of shifts
//! - [`escalation`]: who is told of an alert, step by step, until somebody answers
//! - [`answers`]: what people do by the links in pages
//!
//! Each of them knows those above it, and none below.
//!
//! "Paging" in `docs/interface.md`. This domain hears of alerts through the outbox, asks who is on call through
//! `ports`, and sends through [`ports::Sends`].

mod answers;
mod configuration;
mod delivery;
pub mod demo;
mod escalation;
#[cfg(test)]
#[path = "tests/fakes.rs"]
mod fakes;
mod neighbours;
mod reseal;
mod schema;
mod times;

use std::sync::Arc;

use api::{Extras, Need, Restorer, Routes, Tag};
use db::Db;

use crate::{
    configuration::{methods, notification, owners, policies, routing},
    delivery::pages,
};
pub use crate::{
    delivery::{messages::PagedMessages, sender::Sender},
    escalation::{
        Subscriber,
        port::{OwnersPort, StoredEscalations},
        start_pager,
    },
    neighbours::Neighbours,
    reseal::{any_secrets, reseal},
};

/// The pages that are due, and the codes and tests.
pub const DUE: [db::DueRows; 2] = [pages::queue::PAGES, pages::queue::CODES];

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
    both paging0009_actions,
    both paging0010_rosters,
    each paging0011_page_keys,
    each paging0012_page_indexes,
    each paging0013_page_partitions,
    both paging0014_page_calls,
    both paging0015_page_calls_index,
)
.with_partitions(&[pages::store::PARTITIONED]);

/// The keys of pages, which each database keeps for itself.
pub const PAGE_KEYS: &str = "page_keys";

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

/// What of paging is restored when a change set is undone.
pub fn restorers(neighbours: Neighbours) -> Vec<Arc<dyn Restorer>> {
    vec![
        Arc::new(policies::Policies(neighbours.clone())),
        Arc::new(routing::Routes),
        Arc::new(owners::Owners(neighbours.clone())),
        Arc::new(methods::Methods(neighbours.clone())),
        Arc::new(notification::Rules(neighbours)),
    ]
}

/// Starts the sender of pages.
///
/// # Errors
/// The system has no further thread.
pub fn start_sender(db: Db, neighbours: Neighbours) -> std::io::Result<Sender> {
    Sender::start(db, neighbours, escalation::failures::ESCALATIONS)
}

/// Puts those whom this domain asks, and the database, where the handlers look for them.
pub fn extras(db: Db, neighbours: Neighbours) -> Extras {
    Extras::default().with(Arc::new(neighbours)).with(Arc::new(answers::http::Handle(db)))
}

/// The operations outside a tenant: the link knows whose they are.
fn root_routes(config: &mut Routes) {
    config.service(answers::http::show).service(answers::http::act).service(answers::console::open_console);
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    configuration::routes(config);
    config
        .service(escalation::on_call::get)
        .service(pages::http::search)
        .service(escalation::timeline::get)
        .service(escalation::alerts::escalate)
        .service(escalation::alerts::hand_over)
        .service(escalation::postmortem::get)
        .service(escalation::incidents::escalate)
        .service(escalation::explain::explain)
        .service(pages::test_page::test);
    config.tagged("Contact methods").service(pages::test_page::send_code).service(pages::test_page::verify);
}
