//! What clients see of several rosters; `render` writes it.

use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    lines::Level,
    overrides::wire::Reference,
    timeline::wire::{OnCallOverride, Reason, TimelineEntry, TimelineGap, TimelineOverlap},
};

/// The final schedules of several rosters, and what they cover together.
#[derive(ToSchema)]
#[schema(as = RosterTimelines)]
#[expect(dead_code, reason = "documents what `render` writes")]
pub struct Timelines {
    /// The range.
    from: String,
    /// The range.
    to: String,
    /// By name.
    rosters: Vec<OneTimeline>,
    /// When nobody is on call through any of them, and somebody should be.
    gaps: Vec<TimelineGap>,
    /// In percent: of the time in which somebody should be on call through any of them, how much somebody is.
    #[schema(example = 97.5)]
    coverage: f64,
}

/// The final schedule of one of several rosters.
#[derive(ToSchema)]
#[schema(as = RosterTimelineOfMany)]
#[expect(dead_code, reason = "documents what `render` writes")]
pub struct OneTimeline {
    /// The roster.
    roster: Reference,
    /// Who is on call when, cut to the range and in order.
    entries: Vec<TimelineEntry>,
    /// When nobody is on call, off hours aside.
    gaps: Vec<TimelineGap>,
    /// When more than one shift of a level takes place.
    overlaps: Vec<TimelineOverlap>,
    /// How much of the range somebody is on call, off hours aside, in percent.
    coverage: f64,
}

/// When a user is on call.
#[derive(ToSchema)]
#[schema(as = UserShifts, rename_all = "camelCase")]
#[expect(dead_code, reason = "documents what `render` writes")]
pub struct UserShifts {
    /// The range.
    from: String,
    /// The range.
    to: String,
    /// The user's id.
    user_id: String,
    /// Those that overlap the range, by when they begin.
    shifts: Vec<UserShift>,
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
}

/// What a change would do to a roster.
#[derive(ToSchema)]
#[schema(as = RosterChangePreview)]
#[expect(dead_code, reason = "documents what `render` writes")]
pub struct Preview {
    /// Its timeline as it is.
    before: crate::timeline::wire::Timeline,
    /// Its timeline as it would be.
    after: crate::timeline::wire::Timeline,
}
