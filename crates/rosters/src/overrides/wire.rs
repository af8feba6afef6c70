//! What clients see and say of overrides ("Overrides" in `docs/interface.md`).

use api::Request;
use base::{
    Fields,
    body::{Field as _, Limits},
    problem::Problem,
    timestamp::Timestamp,
};
use calendar::{Instant, Interval, fields::check_order, forms};
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::roster::{input::UserReference, wire::User};

/// The longest override, in milliseconds: 366 days.
const LONGEST_MS: u64 = 366 * 86_400_000;

api::path_id! {
    /// `OVR-<uuid>`.
    pub OverrideId = "overrideId", "OVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f", prefix "OVR-"
}

/// Which overrides of a roster a list has.
#[derive(Clone, Copy, Debug, api::Parameters)]
pub struct OverrideRange {
    /// Only those that end after this instant.
    #[request(example = "2026-11-20T00:00:00+0000")]
    pub from: Option<Timestamp>,
    /// Only those that start before this instant.
    #[request(example = "2026-11-27T00:00:00+0000")]
    pub to: Option<Timestamp>,
}

/// Somebody takes a shift, or the whole roster, for a time.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterOverride)]
pub struct Override {
    /// `OVR-<uuid>`.
    #[schema(example = "OVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Who takes over.
    pub user: User,
    /// When it begins.
    #[schema(value_type = String, example = "2026-11-20T20:00:00+0000")]
    pub start: Timestamp,
    /// When it ends.
    #[schema(value_type = String, example = "2026-11-21T04:00:00+0000")]
    pub end: Timestamp,
    /// The shift, as it was when this was made; left out for the whole roster.
    pub shift: Option<Reference>,
    /// Whom the user relieves; left out when that is the person on call.
    pub replaces: Option<User>,
    /// The swap that it is one half of.
    #[schema(example = "SWP-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub swap_id: Option<String>,
    /// Left out when there is none.
    pub note: Option<String>,
    /// Who made it.
    pub created_by: Author,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
}

/// A shift or a roster, by id and name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RosterReference)]
pub struct Reference {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// An override to make.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterOverrideInput", check = check_override, example = json!({
    "user": {"id": "USR0000000007"}, "start": "2026-11-20T20:00:00+0000", "end": "2026-11-21T04:00:00+0000",
    "shift": {"id": "ESD-7b0e7c39-6a55-4f5e-8f0e-1a2b3c4d5e6f"}, "note": "Swapped with Bob"
}))]
pub struct NewOverride {
    /// A user of the tenant or of its partner.
    pub user: UserReference,
    /// When it begins; the years 1970 to 9998.
    #[request(text = forms::INSTANT)]
    pub start: Instant,
    /// When it ends: after `start`, by at most 366 days.
    #[request(text = forms::INSTANT)]
    pub end: Instant,
    /// A shift of the roster, as `{"id"}` or as its id alone; without it, the person on call is relieved.
    #[request(with = shift_id, schema = ShiftReference)]
    pub shift: Option<String>,
    /// Whom the user relieves, while others who are on call stay; without it, the person on call.
    pub replaces: Option<UserReference>,
    /// Why.
    #[request(parse = trimmed, default)]
    pub note: String,
}

/// A swap to make.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterSwapInput", check = check_swap, example = json!({
    "first": {"user": {"id": "USR0000000007"}, "start": "2026-12-03T00:00:00+0000", "end": "2026-12-04T00:00:00+0000"},
    "second": {"user": {"id": "USR0000000008"}, "start": "2026-12-10T00:00:00+0000", "end": "2026-12-11T00:00:00+0000"}
}))]
pub struct NewSwap {
    /// Whose time the second takes.
    pub first: SwapHalf,
    /// Whose time the first takes.
    pub second: SwapHalf,
    /// A shift of the roster; without it, whatever shift they are on call through.
    #[request(with = shift_id, schema = ShiftReference)]
    pub shift: Option<String>,
    /// Why.
    #[request(parse = trimmed, default)]
    pub note: String,
}

/// Somebody's time.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterSwapHalf", check = check_half)]
pub struct SwapHalf {
    /// A user of the tenant or of its partner.
    pub user: UserReference,
    /// When it begins; the years 1970 to 9998.
    #[request(text = forms::INSTANT)]
    pub start: Instant,
    /// When it ends: after `start`, by at most 366 days.
    #[request(text = forms::INSTANT)]
    pub end: Instant,
}

/// A shift, by its id.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterShiftReference")]
pub struct ShiftReference {
    /// `ESD-<uuid>`.
    #[request(filled, parse = trimmed)]
    pub id: String,
}

/// The time between two instants of a body of which nothing is wrong.
///
/// # Errors
/// 500 when something is wrong nevertheless.
pub fn time(start: Instant, end: Instant) -> Result<Interval, Problem> {
    start.until(end).ok_or_else(|| Problem::internal())
}

/// Notes that a time ends before it begins, or is too long.
pub fn check_time(start: Instant, end: Instant, fields: &mut Fields<'_>) {
    check_order(fields, ("start", start), ("end", end));
    if start.until(end).is_some_and(|time| time.millis() > LONGEST_MS) {
        fields.error("end", "must be at most 366 days after start");
    }
}

/// Reads the id of a shift, alone or in an object.
pub fn shift_id(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    match fields.value(name) {
        Some(Value::String(id)) => Some(id.trim().to_owned()).filter(|id| !id.is_empty()),
        _ => ShiftReference::read(fields, name, &Limits::NONE).map(|shift| shift.id),
    }
}

/// Takes over a text without the blanks around it.
///
/// # Errors
/// Never.
pub fn trimmed(text: String) -> Result<String, String> {
    Ok(text.trim().to_owned())
}

fn check_override(new: &NewOverride, fields: &mut Fields<'_>) {
    check_time(new.start, new.end, fields);
    if new.replaces.as_ref().is_some_and(|relieved| relieved.user_id() == new.user.user_id()) {
        fields.error("replaces.id", "must be another user than user");
    }
}

fn check_swap(new: &NewSwap, fields: &mut Fields<'_>) {
    let first = new.first.user.user_id();
    if !first.is_empty() && new.second.user.user_id() == first {
        fields.error("second.user.id", "must be another user than that of first");
    }
}

fn check_half(half: &SwapHalf, fields: &mut Fields<'_>) {
    check_time(half.start, half.end, fields);
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::json;

    use super::*;

    fn errors(body: Value) -> Vec<String> {
        NewOverride::parse(&body).unwrap_err().errors.into_iter().map(|error| error.field_name).collect()
    }

    #[test]
    fn every_wrong_field_is_listed() {
        assert_eq!(errors(json!({})), ["user", "start", "end"]);
        let body = json!({"user": {}, "start": "9999-01-01T00:00:00Z", "end": 5, "shift": 7, "note": []});
        assert_eq!(errors(body), ["user.id", "start", "end", "shift", "note"]);
        let body = |start, end| json!({"user": {"id": "usr1"}, "start": start, "end": end});
        assert_eq!(errors(body("2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z")), ["end"]);
        assert_eq!(errors(body("2026-01-02T00:00:00Z", "2027-01-04T00:00:00Z")), ["end"]);
    }

    #[test]
    fn nobody_relieves_themselves() {
        let (start, end) = ("2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z");
        let body = json!({"user": {"id": "usr1"}, "replaces": {"id": "USR1"}, "start": start, "end": end});
        assert_eq!(errors(body), ["replaces.id"]);
        let half = |user| json!({"user": {"id": user}, "start": start, "end": end});
        let swap = |other| NewSwap::parse(&json!({"first": half("usr1"), "second": half(other)}));
        assert_eq!(swap("USR1").unwrap_err().errors[0].field_name, "second.user.id");
        assert!(swap("USR2").is_ok());
    }

    #[test]
    fn a_shift_is_named_either_way() {
        for shift in [json!("ESD-1"), json!({"id": "ESD-1"})] {
            let body = json!({"user": {"id": "usr1"}, "start": "2026-01-02T00:00:00Z",
                "end": "2026-01-03T00:00:00Z", "shift": shift});
            let read = NewOverride::parse(&body).unwrap();
            assert_eq!((read.user.user_id().as_str(), read.shift.as_deref()), ("USR1", Some("ESD-1")));
        }
    }
}
