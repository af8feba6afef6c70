//! Rosters: who is on call, when, and through which shift.
//!
//! - [`roster`]: rosters and their shifts, in versions
//! - [`overrides`]: somebody takes over for a time
//! - [`lines`]: from both to what is planned when
//! - [`duty`]: from that and the people that there are to who is on call when
//! - [`coverage`]: when nobody is on call and somebody should be
//! - [`on_call`], [`timeline`]: the questions
//! - [`across`]: the same across rosters
//! - [`hours`]: how long people are on call, by [`hour_categories`]
//! - [`cache`]: all rosters of a tenant, kept in memory
//! - [`time_off`]: when people are away, and [`absences`], as far as turns depend on it
//! - [`moves`], [`away`]: which turns of a rotation move for it
//! - [`holidays`]: holiday calendars, and [`dated_holidays`]: what of them was known when
//! - [`conflicts`]: gaps, and what the plan asks too much of somebody
//! - [`calendars`]: feeds for calendar programs
//! - [`deletion`]: what ends with a roster
//! - [`zones`]: the time zones
//!
//! Operations 10 and 11 of `docs/interface.md`, and what is around them. When a shift takes place, `calendar` works
//! out; who the people are, [`ports::People`] says.

mod absences;
mod across;
mod away;
mod cache;
mod calendars;
mod conflict_watches;
mod conflicts;
mod coverage;
mod covers;
mod crew;
mod dated_holidays;
mod deletion;
pub mod demo;
mod duty;
mod filter;
mod holidays;
mod hour_categories;
mod hours;
mod lines;
mod moves;
mod on_call;
mod overrides;
mod people;
mod pre_serialized;
mod revisions;
mod roster;
mod schedule;
mod schema;
mod time_off;
mod timeline;
mod undo;
mod watch;
mod zone_history;
mod zones;

use std::sync::Arc;

use api::{Extras, Need, Routes, Tag};
use ports::{People, ReadsUrls, SentPages, WorkedTimes};

use crate::{
    across::cache::PartCache, cache::RosterCache, on_call::cache::OnCallCache, timeline::cache::TimelineCache,
};
pub use crate::{
    holidays::reader::start_holiday_reader,
    on_call::port::Rosters,
    undo::restorers,
    watch::{start_conflict_watch, start_roster_watch},
};

static QUOTAS: [&db::Quota; 8] = [
    &roster::store::QUOTA,
    &overrides::store::QUOTA,
    &covers::store::QUOTA,
    &calendars::store::QUOTA,
    &time_off::store::QUOTA,
    &holidays::store::QUOTA,
    &holidays::store::DAYS,
    &holidays::store::OWNERS,
];

/// What handlers take from [`extras`].
const NEEDS: &[Need] = &[
    Need::of::<dyn People>(),
    Need::of::<dyn ReadsUrls>(),
    Need::of::<dyn SentPages>(),
    Need::of::<dyn WorkedTimes>(),
    Need::of::<RosterCache>(),
    Need::of::<OnCallCache>(),
    Need::of::<TimelineCache>(),
    Need::of::<PartCache>(),
];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!(
    "rosters",
    both rosters0001_rosters,
    both rosters0002_rotations,
    both rosters0003_watches,
    both rosters0004_covers,
    both rosters0005_turns,
    both rosters0006_hour_categories,
    both rosters0007_time_off,
    both rosters0008_holiday_calendars,
    both rosters0009_time_off_known,
    both rosters0010_conflicts_told,
    both rosters0011_override_settings,
    both rosters0012_gaps_told,
);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[
    Tag {
        name: "Rosters",
        description: "Who is on call: shifts, rotations, overrides, cover requests, time off, holidays, timelines and \
                      calendar feeds.",
    },
    Tag::CONFIGURATION,
];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "rosters",
        title: "Muster: rosters",
        tags: TAGS,
        routes,
        root_routes,
        aliases: &[],
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[
            roster::versions::RETENTION,
            covers::store::RETENTION,
            time_off::store::RETENTION,
            watch::CONFLICTS_TOLD,
        ],
        quotas: &QUOTAS,
    }
}

/// Puts those who answer for people, and for what alerts ask of them, where the handlers look for them.
pub fn extras(
    people: Arc<dyn People>,
    pages: Arc<dyn SentPages>,
    worked: Arc<dyn WorkedTimes>,
    reads: Arc<dyn ReadsUrls>,
) -> Extras {
    let rosters = RosterCache::default();
    Extras::default()
        .with(Arc::new(OnCallCache::new(rosters.clone())))
        .with(Arc::new(rosters))
        .with(Arc::new(TimelineCache::default()))
        .with(Arc::new(PartCache::default()))
        .with(people)
        .with(pages)
        .with(worked)
        .with(reads)
}

fn root_routes(config: &mut Routes) {
    config.tagged(Tag::CONFIGURATION.name).service(zones::list);
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    calendars::literal_routes(config);
    config
        .service(roster::http::create)
        .service(roster::http::search)
        .service(on_call::http::all)
        .service(across::http::timelines)
        .service(hours::http::hours)
        .service(hour_categories::http::get)
        .service(hour_categories::http::set)
        .service(conflicts::http::list)
        .service(timeline::http::preview)
        .service(roster::http::get)
        .service(roster::http::update)
        .service(deletion::delete)
        .service(on_call::http::one)
        .service(timeline::http::timeline)
        .service(across::http::preview)
        .service(overrides::http::create)
        .service(overrides::http::list)
        .service(overrides::http::delete)
        .service(overrides::swaps::create)
        .service(covers::http::create)
        .service(covers::http::list)
        .service(covers::http::accept)
        .service(covers::http::decline)
        .service(covers::http::withdraw)
        .service(across::http::of_user);
    time_off::routes(config);
    holidays::routes(config);
    calendars::routes(config);
}
