//! The outbox: the audit log and the events of a write, stored in the same transaction.
//!
//! A write runs in a [`Tx`]. It notes each [`Change`] it makes; with the write commit, or with it vanish: one row of
//! the audit log and one event for each entity, and the record by which a repeated request is answered again
//! ([`idempotency`]). A [`Worker`] hands events on to [`Subscriber`]s, at least once and in order for each entity.

pub mod audit;
mod backfills;
mod background;
mod change;
pub mod change_sets;
mod events;
pub mod idempotency;
mod packing;
pub mod retention;
mod schema;
#[cfg(test)]
mod tests;
mod turns;
mod waiting;
mod worker;

pub use backfills::{hosts_of_other_gateways, start_backfills};
pub use background::Background;
pub use change::{Action, Actor, Change, Entity, Recorded, TimedEvent, Tx, Unpublished, payload};
pub use change_sets::SetMembership;
pub use events::Event;
pub use retention::{Keep, Periods, Retention, Setting, Sweeper};
pub use turns::TenantTurns;
pub use waiting::start_wait_watch;
pub use worker::{Subscriber, Worker};

/// The events that are due.
pub const DUE: db::DueRows = events::ROWS;

/// The rows of this crate that are not kept for ever.
pub const RETENTION: [Retention; 4] =
    [audit::RETENTION, idempotency::RETENTION, events::RETENTION, change_sets::RETENTION];

/// The tables of this crate.
pub const fn migrations() -> db::Migrations {
    db::migrations!(
        "outbox",
        each outbox0001_changes,
        both outbox0002_audit_ids,
        both outbox0003_retention,
        each outbox0004_audit_rows,
        both outbox0005_event_age,
        both outbox0006_turns,
        both outbox0007_change_sets,
        both outbox0008_undos,
        both outbox0009_sets_of_rows,
        both outbox0010_traces,
        each outbox0011_audit_partitions,
    )
    .with_partitions(&[audit::PARTITIONED])
}
