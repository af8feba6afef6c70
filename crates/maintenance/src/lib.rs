//! Maintenance windows: when machines are worked on, and which alerts that concerns.
//!
//! - [`schedule`]: when a window is open, as it is said
//! - [`window`]: windows and their targets, and what is done with them during their life
//! - [`course`]: from a schedule, and what was said since, to when a window is open; states are computed, never stored
//! - [`cover`]: which windows cover which resources, and catch which alerts
//! - [`watch`]: tells when windows open and close
//! - [`calendars`]: feeds for calendar programs
//! - [`deletion`]: what ends with a window
//!
//! Operation 14 of `docs/interface.md`, and what is around it. When a schedule takes place, `calendar` works out; what
//! there is to cover, [`ports::Resources`] says. Other domains ask [`Windows`], as [`ports::Maintenance`].

mod calendars;
mod course;
mod cover;
mod deletion;
pub mod demo;
mod neighbours;
mod schedule;
mod schema;
mod undo;
mod watch;
mod window;

use std::sync::Arc;

use api::{Extras, Need, Routes, Tag};
use ports::Alerts;

use crate::neighbours::Neighbours;

pub use crate::{cover::Windows, undo::restorers, watch::start_window_watch};

static QUOTAS: [&db::Quota; 2] = [&window::store::QUOTA, &calendars::store::QUOTA];

/// What handlers take from [`extras`].
const NEEDS: &[Need] = &[Need::of::<Neighbours>(), Need::of::<Windows>(), Need::of::<dyn Alerts>()];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!(
    "maintenance",
    each maintenance0001_windows,
    both maintenance0002_watches,
    both maintenance0003_turns,
);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[Tag {
    name: "Maintenance windows",
    description: "Planned work on resources: schedules, occurrences, targets and the alerts that they hold back.",
}];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "maintenance",
        title: "Muster: maintenance windows",
        tags: TAGS,
        routes,
        root_routes: api::domain::no_routes,
        aliases: &[],
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[],
        quotas: &QUOTAS,
    }
}

/// Puts the windows, and those who know what alerts would be, where the handlers look for them.
pub fn extras(windows: Arc<Windows>, alerts: Arc<dyn Alerts>) -> Extras {
    Extras::default().with(Arc::clone(windows.neighbours())).with(windows).with(alerts)
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    calendars::literal_routes(config);
    config
        .service(window::http::create)
        .service(window::search::search)
        .service(cover::active::list)
        .service(window::across::list)
        .service(window::occurrences::preview)
        .service(cover::trial::try_alert)
        .service(window::http::get)
        .service(window::http::update)
        .service(deletion::delete)
        .service(window::occurrences::list)
        .service(window::life::suspend)
        .service(window::life::resume)
        .service(window::life::extend)
        .service(window::life::skip)
        .service(window::life::unskip)
        .service(window::life::finish)
        .service(window::contents::resources)
        .service(window::contents::device_groups)
        .service(window::contents::sites)
        .service(window::http::add_targets)
        .service(window::http::remove_targets);
    calendars::routes(config);
}
