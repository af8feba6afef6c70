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
