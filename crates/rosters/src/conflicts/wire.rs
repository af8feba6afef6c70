//! What clients see of conflicts.

use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{overrides::wire::Reference, roster::wire::TimelineUser};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterConflictKind)]
pub enum Kind {
    /// Nobody is on call, and somebody should be.
    Gap,
    /// Somebody is on call through several shifts at once.
    DoubleBooking,
    /// Somebody is on call during time off, or on a holiday of their own.
    TimeOff,
    /// Somebody's next shift begins too soon.
    Rest,
    /// Somebody is on call in too many nights in a row.
    Nights,
}

/// A conflict.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterConflict)]
pub struct Conflict {
    /// What is wrong.
    pub kind: Kind,
    /// When it begins.
    #[schema(value_type = String, example = "2026-12-24T20:00:00+0000")]
    pub from: Timestamp,
    /// When it ends.
    #[schema(value_type = String, example = "2026-12-25T08:00:00+0000")]
    pub to: Timestamp,
    /// Where: of `doubleBooking` and `rest` the roster of the shift that begins later.
    pub roster: Reference,
    /// Through which shift; left out where no shift takes place: in most gaps, and in an override of the whole roster.
    pub shift: Option<Reference>,
    /// Whom it concerns; left out for a gap.
    pub user: Option<TimelineUser>,
    /// Of `doubleBooking` and `rest`: the other shifts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub others: Vec<ConflictShift>,
    /// Of `timeOff`: which, `TOF-<uuid>`; left out for a holiday.
    #[schema(example = "TOF-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub time_off_id: Option<String>,
}

/// A shift that another one is in conflict with.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RosterConflictShift)]
pub struct ConflictShift {
    /// Its roster.
    pub roster: Reference,
    /// Left out for an override of the whole roster while no shift takes place.
    pub shift: Option<Reference>,
}

/// The conflicts within a range.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RosterConflicts)]
pub struct Conflicts {
    /// By when they begin.
    pub results: Vec<Conflict>,
}
