//! Incidents: alerts, the incidents opened for them, and the categories they are filed under.
//!
//! - [`alerts`]: problems that monitors report
//! - [`heartbeats`]: pings that are expected regularly
//! - [`categories`]: the tree of categories of each tenant
//! - [`records`]: incidents, their notes, and their documents for subscribers
//! - [`port`]: alerts and their incidents, for other domains
//!
//! Operation 8 of `docs/interface.md`, and the ones around it.

mod alerts;
mod categories;
pub mod demo;
mod heartbeats;
mod neighbours;
mod port;
pub mod records;
mod schema;

use std::sync::Arc;

use api::{Alias, Extras, Need, Restorer, Routes, Tag};

pub use crate::{
    alerts::{AcknowledgedAlerts, NoticeIntake, PACKED_DAYS, start_alert_days, start_escalator},
    heartbeats::{pings::Pings, watch::start_heartbeat_watch},
    neighbours::Neighbours,
    port::AlertPort,
    records::port::Records,
};

static QUOTAS: [&db::Quota; 2] = [&alerts::QUOTA, &records::store::QUOTA];

/// The state that handlers take from [`extras`].
const NEEDS: &[Need] = &[Need::of::<Neighbours>(), Need::of::<Pings>()];

/// The migrations, oldest first.
const MIGRATIONS: db::Migrations = db::migrations!(
    "incidents",
    both incidents0001_alerts,
    both incidents0002_categories,
    both incidents0003_incidents,
    both incidents0004_open_hosts,
    both incidents0005_heartbeats,
    both incidents0006_retention,
    both incidents0007_senders,
    both incidents0009_turns,
    both incidents0011_ids,
    both incidents0012_figures,
    both incidents0013_acknowledged_by,
    each incidents0014_alert_days,
    both incidents0015_acknowledged_index,
    each incidents0016_day_changes,
    each incidents0017_alert_partitions,
)
.with_backfills(&[alerts::ACKNOWLEDGED])
.with_partitions(&[alerts::PARTITIONED]);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[
    Tag { name: "Incidents", description: "Incidents and their notes, and the categories that they are filed under." },
    Tag { name: "Alerts", description: "Problems that monitors and scripts report: intake, search and actions." },
    Tag { name: "Heartbeats", description: "Expected signs of life, whose absence becomes an alert." },
    Tag::CONFIGURATION,
    Tag::INBOUND,
];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "incidents",
        title: "Muster: incidents",
        tags: TAGS,
        routes,
        root_routes,
        aliases: ALIASES,
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[alerts::RETENTION, alerts::RETENTION_OF_PROBLEMS, records::store::RETENTION],
        quotas: &QUOTAS,
    }
}

/// What of this domain is restored when a change set is undone.
pub fn restorers(neighbours: Neighbours, pings: Arc<Pings>) -> Vec<Arc<dyn Restorer>> {
    vec![
        Arc::new(heartbeats::HeartbeatRestorer(pings)),
        Arc::new(categories::Categories),
        Arc::new(alerts::Alerts(Arc::clone(&neighbours.people))),
        Arc::new(records::Incidents(neighbours)),
    ]
}

/// Makes the ports and the pings available to the handlers.
pub fn extras(neighbours: Neighbours, pings: Arc<Pings>) -> Extras {
    Extras::default().with(Arc::new(neighbours)).with(pings)
}

/// The paths by which clients of other services of this kind call the same operations.
const ALIASES: &[Alias] = &[Alias::get("/api/v2/alertTypes", "/api/v2/cfg/alertTypes", "listAlertTypesAlias")];

/// The operations outside a tenant: their address says which tenant they belong to.
fn root_routes(config: &mut Routes) {
    alerts::root_routes(config);
    heartbeats::root_routes(config);
    config.tagged(Tag::CONFIGURATION.name).service(alerts::kinds::types).service(alerts::kinds::technologies);
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    alerts::routes(config);
    heartbeats::routes(config);
    categories::routes(config);
    records::routes(config);
}
