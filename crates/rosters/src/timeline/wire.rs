//! What clients say and see of timelines.

use std::rc::Rc;

use base::timestamp::Timestamp;
use calendar::Interval;
use ports::Author;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    away::Reason as AwayReason, conflicts::wire::Conflict, duty::Duty, lines::Level, moves::WhenAway,
    overrides::wire::Reference, people::RosterPeople, pre_serialized::PreSerialized, roster::wire::TimelineUser,
    schedule::Schedule,
};

/// An override, where it says why somebody is on call.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnCallOverride {
    /// `OVR-<uuid>`.
    #[schema(example = "OVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Who would be on call without it.
    pub replaces: Vec<Author>,
    /// Who made it.
    pub created_by: Author,
    /// Why; left out when no reason was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl OnCallOverride {
    /// The one that a duty comes from, with people as they are at an instant; `None` for one of a shift's own.
    pub fn of(schedule: &Schedule, staff: &RosterPeople, duty: &Duty<'_>, at: Timestamp) -> Option<Self> {
        let relief = schedule.overrides.get(duty.by?)?;
        Some(Self {
            id: relief.id.clone(),
            replaces: duty.replaces.iter().map(|id| author(staff, id, at)).collect(),
            created_by: author(staff, &relief.created_by, at),
            note: Some(relief.note.clone()).filter(|note| !note.is_empty()),
        })
    }
}

/// Why somebody has the turn of others.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnCallWhy {
    /// What the reason is.
    pub kind: WhyKind,
    /// `whenAway` of the rotation.
    pub mode: WhenAway,
    /// Who would be on call.
    pub instead_of: Vec<Author>,
    /// Which time off; left out when it is that of people of another tenant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub time_off: Vec<TimeOffReference>,
}

/// What a reason is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = OnCallWhyKind)]
pub enum WhyKind {
    /// Somebody is away.
    Away,
}

/// Time off, by its id.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TimeOffReference {
    /// `TOF-<uuid>`.
    #[schema(example = "TOF-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
}

impl OnCallWhy {
    /// That of a duty, with people as they are at an instant.
    pub fn of(staff: &RosterPeople, duty: &Duty<'_>, at: Timestamp) -> Option<Self> {
        let AwayReason { mode, instead_of, time_off } = duty.why?;
        Some(Self {
            kind: WhyKind::Away,
            mode: *mode,
            instead_of: instead_of.iter().map(|id| author(staff, id, at)).collect(),
            time_off: time_off.iter().map(|id| TimeOffReference { id: id.clone() }).collect(),
        })
    }
}

fn author(staff: &RosterPeople, id: &str, at: Timestamp) -> Author {
    staff.user_at(id, at).map_or_else(|| Author { id: id.to_owned(), ..Author::default() }, Author::from)
}

/// The final schedule within a range.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[schema(as = RosterTimeline)]
pub struct Timeline {
    /// The range.
    #[schema(value_type = String)]
    pub from: Timestamp,
    /// The range.
    #[schema(value_type = String)]
    pub to: Timestamp,
    /// Who is on call when, cut to the range and in order.
    pub entries: Vec<TimelineEntry>,
    /// When more than one shift of a level takes place.
    pub overlaps: Vec<TimelineOverlap>,
    /// When nobody is on call, off hours aside.
    pub gaps: Vec<TimelineGap>,
    /// How much of the range somebody is on call, off hours aside, in percent; rounded down to hundredths.
    #[schema(example = 97.5)]
    pub coverage: f64,
    /// What is wrong with the plan of the roster and of its people, who may stand in other rosters, too, by when it
    /// begins. A preview has it, and the timeline of one roster where `conflicts` asks for it.
    pub conflicts: Option<Vec<Conflict>>,
}

/// A stretch of time with the same people on call.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[schema(as = RosterTimelineEntry)]
pub struct TimelineEntry {
    /// When it begins.
    #[schema(value_type = String)]
    pub start: Timestamp,
    /// When it ends.
    #[schema(value_type = String)]
    pub end: Timestamp,
    /// Left out for an override while no shift takes place. A preview has no ids.
    #[schema(value_type = Option<TimelineShift>)]
    pub shift: Option<Rc<PreSerialized<TimelineShift>>>,
    /// The level of the shift, when it was given one.
    pub level: Option<Level>,
    /// Who is on call; members of groups are resolved. Nobody when all are deactivated: then it is a gap, too.
    #[schema(value_type = Vec<TimelineUser>)]
    pub users: Rc<PreSerialized<Vec<TimelineUser>>>,
    /// Why.
    pub reason: Reason,
    /// The override, when that is why.
    #[schema(value_type = Option<OnCallOverride>)]
    pub r#override: Option<PreSerialized<OnCallOverride>>,
    /// Why they have the turn of others, when they do.
    #[schema(value_type = Option<OnCallWhy>)]
    pub why: Option<PreSerialized<OnCallWhy>>,
}

/// Through what somebody is on call.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = OnCallReason)]
pub enum Reason {
    /// They stand in the shift.
    Shift,
    /// They have taken over.
    Override,
}

impl Reason {
    /// Why, where this is the override if there is one.
    pub fn of(relief: Option<&OnCallOverride>) -> Self {
        if relief.is_some() { Self::Override } else { Self::Shift }
    }
}

/// A shift, by its name and, when it is stored, its id.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RosterTimelineShift)]
pub struct TimelineShift {
    /// `ESD-<uuid>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name.
    pub name: String,
}

/// A stretch of time with nobody on call.
#[derive(Serialize, ToSchema)]
#[schema(as = RosterTimelineGap)]
pub struct TimelineGap {
    /// When it begins.
    #[schema(value_type = String)]
    pub start: Timestamp,
    /// When it ends.
    #[schema(value_type = String)]
    pub end: Timestamp,
}

impl TimelineGap {
    /// Those of these times.
    pub fn of(gaps: &[Interval]) -> Vec<Self> {
        gaps.iter().map(|gap| Self { start: gap.start(), end: gap.end() }).collect()
    }
}

/// A stretch of time with several shifts.
#[derive(Serialize, ToSchema)]
#[schema(as = RosterTimelineOverlap)]
pub struct TimelineOverlap {
    /// When it begins.
    #[schema(value_type = String)]
    pub start: Timestamp,
    /// When it ends.
    #[schema(value_type = String)]
    pub end: Timestamp,
    /// Which.
    #[schema(value_type = Vec<Reference>)]
    pub shifts: Vec<Rc<PreSerialized<TimelineShift>>>,
}
