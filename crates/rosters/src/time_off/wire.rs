//! What clients see and say of time off ("Time off" in `docs/interface/rosters.md`).

use api::Request;
use base::{Fields, timestamp::Timestamp};
use calendar::{Instant, forms};
use ports::Author;
use serde::Serialize;
use utoipa::ToSchema;

use crate::overrides::wire::trimmed;

/// The longest time off, in milliseconds: 366 days.
pub const LONGEST_MS: i64 = 366 * 86_400_000;
/// What is said of a longer one.
pub const TOO_LONG: &str = "must be at most 366 days after from";
/// The longest reason, in characters.
const LONGEST_REASON: usize = 1_000;

api::path_id! {
    /// `TOF-<uuid>`.
    pub TimeOffId = "timeOffId", "TOF-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", prefix "TOF-"
}

/// Which time off of a user a list has.
#[derive(Clone, Copy, Debug, api::Parameters)]
pub struct TimeOffRange {
    /// Only what ends after this instant.
    #[request(example = "2026-12-01T00:00:00+0000")]
    pub from: Option<Timestamp>,
    /// Only what starts before this instant.
    #[request(example = "2027-01-01T00:00:00+0000")]
    pub to: Option<Timestamp>,
}

/// Time off of a user.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimeOff {
    /// `TOF-<uuid>`.
    #[schema(example = "TOF-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// Who is away.
    pub user: Author,
    /// When it begins.
    #[schema(value_type = String, example = "2026-12-21T00:00:00+0000")]
    pub from: Timestamp,
    /// When it ends.
    #[schema(value_type = String, example = "2026-12-28T00:00:00+0000")]
    pub to: Timestamp,
    /// Left out when there is none.
    pub reason: Option<String>,
    /// Who entered it.
    pub created_by: Author,
    /// When it was entered.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_time: Timestamp,
}

/// Time off to enter.
#[derive(Clone, Debug, Request)]
#[request(schema = "TimeOffInput", check = check_new, example = json!({
    "from": "2026-12-21T00:00:00+0000", "to": "2026-12-28T00:00:00+0000", "reason": "Skiing"
}))]
pub struct NewTimeOff {
    /// When it begins; the years 1970 to 9998.
    #[request(text = forms::INSTANT)]
    pub from: Instant,
    /// When it ends: after `from`, by at most 366 days.
    #[request(text = forms::INSTANT)]
    pub to: Instant,
    /// Why; who may read of the time off reads it, too.
    #[request(chars = LONGEST_REASON, parse = trimmed, default)]
    pub reason: String,
}

/// A change of time off; what is left out stays as it is.
#[derive(Clone, Debug, Request)]
#[request(schema = "TimeOffUpdate", example = json!({"to": "2026-12-29T00:00:00+0000"}))]
pub struct TimeOffChange {
    /// When it begins; the years 1970 to 9998.
    #[request(text = forms::INSTANT)]
    pub from: Option<Instant>,
    /// When it ends: after `from`, by at most 366 days.
    #[request(text = forms::INSTANT)]
    pub to: Option<Instant>,
    /// Why; an empty text takes it away.
    #[request(chars = LONGEST_REASON, parse = trimmed)]
    pub reason: Option<String>,
}

fn check_new(new: &NewTimeOff, fields: &mut Fields<'_>) {
    calendar::fields::check_order(fields, ("from", new.from), ("to", new.to));
    if new.from.until(new.to).is_some_and(|time| time.millis() > LONGEST_MS.unsigned_abs()) {
        fields.error("to", TOO_LONG);
    }
}
