//! What clients see and say of requests for cover.

use api::Request;
use base::{Fields, timestamp::Timestamp};
use calendar::Instant;
use ports::Author;
use serde::Serialize;
use utoipa::ToSchema;

use super::row::STATUSES;
use crate::{
    overrides::wire::{ShiftReference, check_time, shift_id, trimmed},
    roster::input::UserReference,
};

/// How many users may be asked by name.
const MOST_ASKED: usize = 100;

api::path_id! {
    /// `CVR-<uuid>`.
    pub CoverId = "coverRequestId", "CVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f", prefix "CVR-"
}

/// Which requests for cover of a roster a list has.
#[derive(Clone, Copy, Debug, api::Parameters)]
pub struct OfStatus {
    /// `OPEN`, `ACCEPTED`, `DECLINED`, `WITHDRAWN` or `EXPIRED`; default all.
    #[request(words = STATUSES, default = "", example = "OPEN")]
    pub status: &'static str,
}

/// A request for cover.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterCoverRequest)]
pub struct Cover {
    /// `CVR-<uuid>`.
    #[schema(example = "CVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Who is to be relieved.
    pub user: Author,
    /// When it begins.
    #[schema(value_type = String, example = "2026-11-20T20:00:00+0000")]
    pub start: Timestamp,
    /// When it ends.
    #[schema(value_type = String, example = "2026-11-21T04:00:00+0000")]
    pub end: Timestamp,
    /// The id of the shift; left out for any.
    pub shift: Option<String>,
    /// Who is asked; left out for everybody.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub asked: Vec<Author>,
    /// Left out when there is none.
    pub note: Option<String>,
    /// `OPEN`, `ACCEPTED`, `DECLINED`, `WITHDRAWN`, or `EXPIRED` when its time is over.
    #[schema(pattern = "^(OPEN|ACCEPTED|DECLINED|WITHDRAWN|EXPIRED)$", example = "OPEN")]
    pub status: String,
    /// Who accepted, declined last, or withdrew it.
    pub answered_by: Option<Author>,
    /// When.
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:00+0000")]
    pub answered_time: Option<Timestamp>,
    /// The override that came of it, `OVR-<uuid>`.
    pub override_id: Option<String>,
    /// Who made it.
    pub created_by: Author,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
}

/// A request for cover to make.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterCoverRequestInput", check = check_cover, example = json!({
    "start": "2026-12-24T00:00:00+0000", "end": "2026-12-25T00:00:00+0000", "note": "Christmas"
}))]
pub struct NewCover {
    /// Who is to be relieved; by default the caller.
    pub user: Option<UserReference>,
    /// When it begins; the years 1970 to 9998.
    #[request(text = calendar::forms::INSTANT)]
    pub start: Instant,
    /// When it ends: after `start` by at most 366 days, and after now.
    #[request(text = calendar::forms::INSTANT)]
    pub end: Instant,
    /// A shift of the roster; without it, whatever shift the user is on call through.
    #[request(with = shift_id, schema = ShiftReference)]
    pub shift: Option<String>,
    /// Who may accept; without it, everybody but the user.
    #[request(items = 0..=MOST_ASKED, default)]
    pub asked: Vec<UserReference>,
    /// Why.
    #[request(parse = trimmed, default)]
    pub note: String,
}

impl NewCover {
    /// The ids of those who may accept, each once; nobody for everybody.
    pub fn asked_ids(&self) -> Vec<String> {
        let mut asked: Vec<String> = self.asked.iter().map(UserReference::user_id).collect();
        asked.sort_unstable();
        asked.dedup();
        asked
    }
}

fn check_cover(new: &NewCover, fields: &mut Fields<'_>) {
    check_time(new.start, new.end, fields);
}
