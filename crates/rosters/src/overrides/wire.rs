//! What clients see and say of overrides ("Overrides" in `docs/interface.md`).

use base::{Fields, problem::Problem, timestamp::Timestamp};
use calendar::Interval;
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store;
use crate::{
    crowd::Crowd,
    roster::{crew::user_id, wire::User},
};

/// Instants that an override may name, in milliseconds: the years 1970 to 9998.
const INSTANTS: std::ops::Range<i64> = 0..253_370_764_800_000;

/// The longest override, in milliseconds: 366 days.
const LONGEST_MS: u64 = 366 * 86_400_000;

/// Somebody takes a shift, or the whole roster, for a time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterOverride)]
pub struct Override {
    /// `OVR-<uuid>`.
    #[schema(example = "OVR-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Who takes over.
    pub user: User,
    /// From here on.
    #[schema(value_type = String, example = "2026-11-20T20:00:00+0000")]
    pub start: Timestamp,
    /// Until here.
    #[schema(value_type = String, example = "2026-11-21T04:00:00+0000")]
    pub end: Timestamp,
    /// The shift, as it was when this was made; left out for the whole roster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<Reference>,
    /// Whom the user relieves; left out when that is whoever is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<User>,
    /// The swap that it is one half of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "SWP-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub swap_id: Option<String>,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
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

impl Override {
    /// As it is shown.
    pub fn new(row: store::Override, crowd: &Crowd) -> Self {
        let shown = |id: &String| {
            let unknown = || ports::Person { id: id.clone(), ..ports::Person::default() };
            crowd.user(id).map_or_else(|| User::full(&unknown()), User::full)
        };
        Self {
            id: row.id,
            user: shown(&row.user_id),
            replaces: row.replaces.as_ref().map(shown),
            swap_id: row.swap_id,
            start: Timestamp::from_millis(row.start_ms),
            end: Timestamp::from_millis(row.end_ms),
            shift: row.shift_id.zip(row.shift_name).map(|(id, name)| Reference { id, name }),
            note: Some(row.note).filter(|note| !note.is_empty()),
            created_by: crowd.author(&row.created_by),
            created_time: Timestamp::from_millis(row.created_ms),
        }
    }
}

/// An override to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOverride {
    /// Who takes over.
    pub user: String,
    /// When.
    pub time: Interval,
    /// Which shift; `None` for the whole roster.
    pub shift: Option<String>,
    /// Whom the user relieves; `None` for whoever is on call.
    pub replaces: Option<String>,
    /// Empty when there is none.
    pub note: String,
}

/// An override to make.
#[derive(ToSchema)]
#[schema(as = RosterOverrideInput, example = json!({
    "user": {"id": "USR0000000007"}, "start": "2026-11-20T20:00:00+0000", "end": "2026-11-21T04:00:00+0000",
    "shift": {"id": "ESD-7b0e7c39-6a55-4f5e-8f0e-1a2b3c4d5e6f"}, "note": "Swapped with Bob"
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct OverrideInput {
    /// A user of the tenant or of its partner.
    user: crate::roster::documented::UserReference,
    /// From here on; the years 1970 to 9998.
    start: String,
    /// Until here: after `start`, by 366 days at most.
    end: String,
    /// A shift of the roster, as `{"id"}` or as its id alone; without it, whoever is on call is relieved.
    shift: Option<ShiftReference>,
    /// Whom the user relieves, while others who are on call stay; without it, whoever is on call.
    replaces: Option<crate::roster::documented::UserReference>,
    /// At most 4,000 characters.
    note: Option<String>,
}

/// A shift, by its id.
#[derive(ToSchema)]
#[schema(as = RosterShiftReference)]
#[expect(dead_code, reason = "only its schema is used")]
pub struct ShiftReference {
    /// `ESD-<uuid>`.
    id: String,
}

impl NewOverride {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        fields.require("user");
        let user = fields.object("user").map(|mut user| user_id(&user.required_text("id")));
        let time = read_time(&mut fields);
        let shift = read_shift(&mut fields);
        let replaces = fields.object("replaces").map(|mut user| user_id(&user.required_text("id")));
        let note = fields.text("note").map(|note| note.trim().to_owned()).unwrap_or_default();
        fields.finish()?;
        match (user, time) {
            (Some(user), Some(time)) => Ok(Self { user, time, shift, replaces, note }),
            _ => Err(Problem::internal()),
        }
    }
}

/// Reads `start` and `end`.
pub fn read_time(fields: &mut Fields<'_>) -> Option<Interval> {
    let (start, end) = (instant(fields, "start"), instant(fields, "end"));
    let time = start.zip(end).and_then(|(start, end)| Interval::new(start, end));
    if start.is_some() && end.is_some() && time.is_none() {
        fields.error("end", "must be after start");
    }
    if time.is_some_and(|time| time.millis() > LONGEST_MS) {
        fields.error("end", "must be at most 366 days after start");
    }
    time
}

/// Reads `shift`: its id, alone or in an object.
pub fn read_shift(fields: &mut Fields<'_>) -> Option<String> {
    match fields.value("shift") {
        Some(Value::String(id)) => Some(id.trim().to_owned()).filter(|id| !id.is_empty()),
        _ => fields.object("shift").map(|mut shift| shift.required_text("id").trim().to_owned()),
    }
}

fn instant(fields: &mut Fields<'_>, name: &str) -> Option<Timestamp> {
    fields.require(name);
    let instant = fields.timestamp(name)?;
    if !INSTANTS.contains(&instant.millis()) {
        fields.error(name, "must lie in the years 1970 to 9998");
        return None;
    }
    Some(instant)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn errors(body: Value) -> Vec<String> {
        NewOverride::read(&body).unwrap_err().errors.into_iter().map(|error| error.field_name).collect()
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
    fn a_shift_is_named_either_way() {
        for shift in [json!("ESD-1"), json!({"id": "ESD-1"})] {
            let body = json!({"user": {"id": "usr1"}, "start": "2026-01-02T00:00:00Z",
                "end": "2026-01-03T00:00:00Z", "shift": shift});
            let read = NewOverride::read(&body).unwrap();
            assert_eq!((read.user.as_str(), read.shift.as_deref()), ("USR1", Some("ESD-1")));
        }
    }
}
