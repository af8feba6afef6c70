//! Integrations: call third-party endpoints when something happens.
//!
//! - [`installed`]: integrations, each with a notifier and a signing secret
//! - [`event`]: events, which say when to call which endpoint with which message
//! - [`template`]: the texts of messages, with placeholders
//! - [`firing`]: from an action to deliveries
//! - [`delivery`]: messages to send, and the log of their attempts
//! - [`sender`]: the calls
//! - [`operations`]: the handlers, above all of these
//! - [`egress`]: where calls may go
//! - [`mail`]: electronic mail
//! - [`OutgoingSender`]: sends what other domains ask for (the port [`ports::Sends`])
//! - [`vault`]: secrets at rest
//!
//! Operation 7 of `docs/interface.md`, and what is around it.

mod delivery;
pub mod demo;
pub mod egress;
mod event;
mod facts;
mod firing;
mod headers;
mod installed;
pub mod mail;
mod notifier;
mod operations;
mod placeholders;
mod port;
mod reporters;
mod reseal;
mod schema;
pub mod sender;
mod services;
mod template;
mod undo;
pub mod vault;

use std::sync::Arc;

use api::{Need, Routes, Tag};
use ports::People;

pub use crate::{
    firing::{Rules, Subscriber},
    installed::InstalledIntegrations,
    port::OutgoingSender,
    reporters::{AuthType, Credentials, Reporter, Reporters},
    reseal::{
        ResealCounts, any_secrets, check as check_secrets, claim_sealing_key, note_sealing_key, reseal, sealing_key,
        start_key_watch,
    },
    services::{Services, extras},
    undo::restorers,
};

/// The deliveries that are due.
pub const DUE: db::DueRows = delivery::queue::LANES;

static QUOTAS: [&db::Quota; 1] = [&installed::store::QUOTA];

/// The shared data that handlers need; [`extras`] adds it.
const NEEDS: &[Need] = &[Need::of::<Services>()];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!(
    "integrations",
    both integrations0001_integrations,
    both integrations0002_retention,
    each integrations0003_search,
    both integrations0004_inbound,
    both integrations0005_turns,
    both integrations0006_traces,
    each integrations0007_delivery_partitions,
    both integrations0008_gone,
    both integrations0009_gone_index,
)
.with_partitions(&[delivery::queue::PARTITIONED]);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[Tag {
    name: "Integrations",
    description: "Installed integrations, the events that call third-party endpoints, and their deliveries.",
}];

/// The domain, for the gateway's list. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "integrations",
        title: "Muster: integrations",
        tags: TAGS,
        routes,
        root_routes: api::domain::no_routes,
        aliases: &[],
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[delivery::queue::RETENTION],
        quotas: &QUOTAS,
    }
}

/// Who answers for people, as the handlers of other domains have it.
pub fn rules(people: Arc<dyn People>) -> Arc<Rules> {
    Arc::new(Rules::new(people))
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    config
        .service(operations::integrations::install)
        .service(operations::integrations::search)
        .service(installed::kinds::search)
        .service(operations::events::place_holders)
        .service(operations::actions::create)
        .service(operations::across::search)
        .service(operations::integrations::get)
        .service(operations::integrations::update)
        .service(operations::integrations::delete)
        .service(operations::integrations::enable)
        .service(operations::integrations::disable)
        .service(operations::integrations::set_notifier)
        .service(operations::integrations::rotate)
        .service(operations::inbound::set_inbound)
        .service(operations::events::list)
        .service(operations::events::create)
        .service(operations::event_test::test_unsaved)
        .service(operations::events::configure)
        .service(operations::events::get)
        .service(operations::events::delete)
        .service(operations::events::activate)
        .service(operations::events::deactivate)
        .service(operations::event_test::test_saved)
        .service(operations::deliveries::search)
        .service(operations::deliveries::replay)
        .service(operations::deliveries::get)
        .service(operations::deliveries::resend);
}
