//! What clients see of several rosters.

use std::sync::Arc;

use base::timestamp::Timestamp;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::{
    coverage::Cover,
    lines::Level,
    overrides::wire::Reference,
    pre_serialized::PreSerialized,
    timeline::wire::{OnCallOverride, OnCallWhy, Reason, Timeline, TimelineEntry, TimelineGap, TimelineOverlap},
};

/// The final schedules of several rosters, and what they cover together.
#[derive(Serialize, ToSchema)]
#[schema(as = RosterTimelines)]
pub struct Timelines {
    /// The range.
    #[schema(value_type = String)]
    pub from: Timestamp,
    /// The range.
    #[schema(value_type = String)]
    pub to: Timestamp,
    /// By name.
    #[schema(value_type = Vec<OneTimeline>)]
    pub rosters: Vec<Arc<Part>>,
    /// When nobody is on call through any of them, and somebody should be.
    pub gaps: Vec<TimelineGap>,
    /// In percent: of the time in which somebody should be on call through any of them, how much somebody is.
    #[schema(example = 97.5)]
    pub coverage: f64,
}

/// The final schedule of one of several rosters.
#[derive(Serialize, ToSchema)]
#[schema(as = RosterTimelineOfMany)]
pub struct OneTimeline {
    /// The roster.
    pub roster: Reference,
    /// Who is on call when, cut to the range and in order.
    pub entries: Vec<TimelineEntry>,
    /// When more than one shift of a level takes place.
    pub overlaps: Vec<TimelineOverlap>,
    /// When nobody is on call, off hours aside.
    pub gaps: Vec<TimelineGap>,
    /// How much of the range somebody is on call, off hours aside, in percent.
    pub coverage: f64,
}

/// The timeline of one of several rosters, written, and what it covers.
pub struct Part {
    pub timeline: PreSerialized<OneTimeline>,
    pub cover: Cover,
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.timeline.serialize(serializer)
    }
}

/// When a user is on call.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserShifts {
    /// The range.
    #[schema(value_type = String)]
    pub from: Timestamp,
    /// The range.
    #[schema(value_type = String)]
    pub to: Timestamp,
    /// The user's id.
    pub user_id: String,
    /// Those that overlap the range, by when they begin.
    #[schema(value_type = Vec<UserShift>)]
    pub shifts: Vec<PreSerialized<UserShift>>,
}

/// A stretch of time during which a user is on call.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[schema(as = UserShift)]
pub struct UserShift {
    /// Through which roster.
    pub roster: Reference,
    /// Through which shift; left out for an override while no shift takes place.
    pub shift: Option<Reference>,
    /// The level of the shift, when it was given one.
    pub level: Option<Level>,
    /// Since when.
    #[schema(value_type = String)]
    pub since: Timestamp,
    /// Until when; left out when nothing ends it.
    #[schema(value_type = Option<String>)]
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: Reason,
    /// The override, when that is why.
    pub r#override: Option<OnCallOverride>,
    /// Why they have the turn of others, when they do.
    pub why: Option<OnCallWhy>,
}

/// What a change would do to a roster.
#[derive(Serialize, ToSchema)]
#[schema(as = RosterChangePreview)]
pub struct Preview {
    /// Its timeline as it is.
    pub before: Timeline,
    /// Its timeline as it would be.
    pub after: Timeline,
}
