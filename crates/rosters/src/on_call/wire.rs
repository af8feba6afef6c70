//! What clients see of who is on call; `render` writes it.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

use crate::{
    lines::Level,
    overrides::wire::Reference,
    roster::wire::User,
    timeline::wire::{OnCallOverride, Reason},
};

/// Who is on call at an instant, and who is next.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct OnCall {
    /// The instant.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    at: String,
    /// Those on call, one element for each user and shift; empty when nobody is.
    on_call: Vec<OnCallEntry>,
    /// For each roster and each level of its shifts, those whose time begins next.
    next: Vec<OnCallEntry>,
}

/// Somebody on call.
#[derive(ToSchema)]
pub struct OnCallEntry {
    /// Who, and how to reach them.
    user: User,
    /// Through which roster.
    roster: Reference,
    /// Through which shift; left out for an override while no shift takes place.
    shift: Option<Reference>,
    /// The level of the shift, when it was given one.
    level: Option<Level>,
    /// Since when; shifts that follow each other without a gap count as one.
    #[schema(example = "2026-11-20T16:00:00+0000")]
    since: String,
    /// Until when, this instant not included; left out when nothing ends it.
    #[schema(example = "2026-11-21T00:00:00+0000")]
    until: Option<String>,
    /// Why.
    #[schema(value_type = Reason)]
    reason: String,
    /// The override, when that is why.
    r#override: Option<OnCallOverride>,
}
