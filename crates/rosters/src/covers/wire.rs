//! What clients see and say of requests for cover.

use base::{Fields, problem::Problem, timestamp::Timestamp};
use calendar::Interval;
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store;
use crate::{
    crowd::Crowd,
    overrides::wire::{ShiftReference, read_shift, read_time},
    roster::{crew::user_id, documented::UserReference},
};

/// How many users may be asked by name.
const MOST_ASKED: usize = 100;

/// A request for cover.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterCoverRequest)]
pub struct Cover {
    /// `CVR-<uuid>`.
    #[schema(example = "CVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Who is to be relieved.
    pub user: Author,
    /// From here on.
    #[schema(value_type = String, example = "2026-11-20T20:00:00+0000")]
    pub start: Timestamp,
    /// Until here.
    #[schema(value_type = String, example = "2026-11-21T04:00:00+0000")]
    pub end: Timestamp,
    /// The id of the shift; left out for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<String>,
    /// Who is asked; left out for everybody.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub asked: Vec<Author>,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// `OPEN`, `ACCEPTED`, `DECLINED`, `WITHDRAWN`, or `EXPIRED` when its time is over.
    #[schema(example = "OPEN")]
    pub status: String,
    /// Who accepted, declined last, or withdrew it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<Author>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:00+0000")]
    pub answered_time: Option<Timestamp>,
    /// The override that came of it, `OVR-<uuid>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_id: Option<String>,
    /// Who made it.
    pub created_by: Author,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
}

/// A request for cover to make.
#[derive(ToSchema)]
#[schema(as = RosterCoverRequestInput, example = json!({
    "start": "2026-12-24T00:00:00+0000", "end": "2026-12-25T00:00:00+0000", "note": "Christmas"
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct CoverInput {
    /// Who is to be relieved; by default the caller.
    user: Option<UserReference>,
    /// From here on; the years 1970 to 9998.
    start: String,
    /// Until here: after `start` and after now, by 366 days at most.
    end: String,
    /// A shift of the roster; without it, whatever shift the user is on call through.
    shift: Option<ShiftReference>,
    /// Who may accept; without it, everybody but the user.
    #[schema(max_items = 100)]
    asked: Option<Vec<UserReference>>,
    /// At most 4,000 characters.
    note: Option<String>,
}

/// A request for cover to make.
#[derive(Clone, Debug)]
pub struct NewCover {
    /// Who is to be relieved; `None` for the caller.
    pub user: Option<String>,
    /// When.
    pub time: Interval,
    /// Which shift.
    pub shift: Option<String>,
    /// Who may accept; nobody for everybody.
    pub asked: Vec<String>,
    /// Empty when there is none.
    pub note: String,
}

impl NewCover {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let user = fields.object("user").map(|mut user| user_id(&user.required_text("id")));
        let time = read_time(&mut fields);
        let shift = read_shift(&mut fields);
        let items = fields.objects("asked").unwrap_or_default();
        let many = items.len() > MOST_ASKED;
        let read = items.into_iter().take(MOST_ASKED).map(|mut item| user_id(&item.required_text("id")));
        let mut asked: Vec<String> = read.collect();
        asked.sort_unstable();
        asked.dedup();
        if many {
            fields.error("asked", format!("must have at most {MOST_ASKED} elements"));
        }
        let note = fields.text("note").map(|note| note.trim().to_owned()).unwrap_or_default();
        fields.finish()?;
        let time = time.ok_or_else(Problem::internal)?;
        Ok(Self { user, time, shift, asked, note })
    }
}

/// What became of a request, as of an instant.
pub fn status(row: &store::Cover, now: Timestamp) -> &str {
    if row.state == store::OPEN && row.end_ms <= now.millis() { "EXPIRED" } else { &row.state }
}

impl Cover {
    /// As it is shown.
    pub fn new(row: &store::Cover, crowd: &Crowd, now: Timestamp) -> Self {
        Self {
            id: row.id.clone(),
            user: crowd.author(&row.user_id),
            start: Timestamp::from_millis(row.start_ms),
            end: Timestamp::from_millis(row.end_ms),
            shift: row.shift_id.clone(),
            asked: row.asked().iter().map(|id| crowd.author(id)).collect(),
            note: Some(row.note.clone()).filter(|note| !note.is_empty()),
            status: status(row, now).to_owned(),
            answered_by: row.answered_ms.map(|_| crowd.author(&row.answered_by)),
            answered_time: row.answered_ms.map(Timestamp::from_millis),
            override_id: row.override_id.clone(),
            created_by: crowd.author(&row.created_by),
            created_time: Timestamp::from_millis(row.created_ms),
        }
    }
}
