//! What clients see of who is on call.

use base::{query::Query, timestamp::Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    crew::user_id,
    lines::Level,
    overrides::wire::Reference,
    pre_serialized::PreSerialized,
    roster::wire::{User, instant},
    timeline::wire::{OnCallOverride, OnCallWhy, Reason},
};

/// Who is asked about, and when.
#[derive(Clone, Debug, api::Parameters)]
pub struct OfUser {
    /// Default now.
    #[request(with = instant, pattern = calendar::forms::INSTANT, example = "2026-11-20T20:37:00+0000")]
    pub at: Option<Timestamp>,
    /// `USR` and ten digits.
    #[request(with = user, schema = String, example = "USR0000000007")]
    pub user_id: Option<String>,
}

fn user(query: &mut Query, name: &str) -> Option<String> {
    query.text(name).map(|id| user_id(&id))
}

/// Who is on call at an instant, and who is next.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnCall<'e> {
    /// The instant.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub at: Timestamp,
    /// Those on call, one element for each user and shift; empty when nobody is.
    #[schema(value_type = Vec<OnCallEntry>)]
    pub on_call: Vec<&'e PreSerialized<OnCallEntry>>,
    /// For each roster and each level of its shifts, those whose time begins next.
    #[schema(value_type = Vec<OnCallEntry>)]
    pub next: Vec<&'e PreSerialized<OnCallEntry>>,
    /// Shifts that would take place, and do not for a holiday; left out where there is none, and with `userId`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<SkippedShift>, required = false)]
    pub skipped: Vec<&'e PreSerialized<SkippedShift>>,
}

/// A shift that does not take place, since it would start on a holiday.
#[derive(Serialize, ToSchema)]
#[schema(as = OnCallSkippedShift)]
pub struct SkippedShift {
    /// Its roster.
    pub roster: Reference,
    /// The shift.
    pub shift: Reference,
    /// When it would begin.
    #[schema(value_type = String, example = "2026-12-25T08:00:00+0000")]
    pub since: Timestamp,
    /// When it would end.
    #[schema(value_type = String, example = "2026-12-25T20:00:00+0000")]
    pub until: Timestamp,
    /// The holiday.
    pub holiday: SkippedDate,
}

/// A holiday on which a shift does not take place.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[schema(as = OnCallSkippedHoliday)]
pub struct SkippedDate {
    /// The date, on the clocks of the roster.
    #[schema(example = "2026-12-25")]
    pub date: String,
    /// What people call it; left out where it has no name.
    #[schema(example = "Christmas Day")]
    pub name: Option<String>,
    /// Its calendar.
    pub calendar: SkippedCalendar,
}

/// The calendar of a holiday on which a shift does not take place.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[schema(as = OnCallSkippedCalendar)]
pub struct SkippedCalendar {
    /// `HOL-<uuid>`.
    #[schema(example = "HOL-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// Its name; left out in the roster of a client for a calendar of the partner.
    #[schema(example = "Public holidays")]
    pub name: Option<String>,
}

/// Somebody on call.
#[api::without_none]
#[derive(Serialize, ToSchema)]
pub struct OnCallEntry {
    /// Who, and how to reach them.
    pub user: User,
    /// Through which roster.
    pub roster: Reference,
    /// Through which shift; left out for an override while no shift takes place.
    pub shift: Option<Reference>,
    /// The level of the shift, when it was given one.
    pub level: Option<Level>,
    /// Since when; shifts that follow each other without a gap count as one.
    #[schema(value_type = String, example = "2026-11-20T16:00:00+0000")]
    pub since: Timestamp,
    /// Until when, this instant not included; left out when nothing ends it.
    #[schema(value_type = Option<String>, example = "2026-11-21T00:00:00+0000")]
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: Reason,
    /// The override, when that is why.
    pub r#override: Option<OnCallOverride>,
    /// Why they have the turn of others, when they do.
    pub why: Option<OnCallWhy>,
}
