//! What clients see of several rosters; `render` writes it.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

use crate::{
    lines::Level,
    overrides::wire::Reference,
    timeline::wire::{OnCallOverride, Reason, TimelineEntry, TimelineGap, TimelineOverlap},
};

/// The final schedules of several rosters, and what they cover together.
#[derive(ToSchema)]
#[schema(as = RosterTimelines)]
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
#[derive(ToSchema)]
#[schema(as = UserShift)]
pub struct UserShift {
    /// Through which roster.
    roster: Reference,
    /// Through which shift; left out for an override while no shift takes place.
    shift: Option<Reference>,
    /// The level of the shift, when it was given one.
    level: Option<Level>,
    /// Since when.
    since: String,
    /// Until when; left out when nothing ends it.
    until: Option<String>,
    /// Why.
    #[schema(value_type = Reason)]
    reason: String,
    /// The override, when that is why.
    r#override: Option<OnCallOverride>,
}

/// What a change would do to a roster.
#[derive(ToSchema)]
#[schema(as = RosterChangePreview)]
pub struct Preview {
    /// Its timeline as it is.
    before: crate::timeline::wire::Timeline,
    /// Its timeline as it would be.
    after: crate::timeline::wire::Timeline,
}
