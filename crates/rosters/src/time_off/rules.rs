//! What time off may be. Pure.

use base::{problem::Problem, timestamp::Timestamp};

use super::{
    row::TimeOff,
    wire::{LONGEST_MS, NewTimeOff, TOO_LONG, TimeOffChange},
};
use crate::absences::row::FormerTimeOff;

/// The entries of a person, past ones included.
pub const MOST: i64 = 500;
/// The same together with how they were before.
pub const MOST_FORMER: i64 = 2_500;

/// 404: no such user in the tenants of the request.
pub fn no_user() -> Problem {
    Problem::not_found("The user was not found.")
}

/// 409: the person has as much time off as is kept.
pub fn too_many() -> Problem {
    Problem::conflict(format!("A person has at most {MOST} entries of time off."))
}

/// 409: the time off of the person was changed as often as is kept.
pub fn too_many_changes() -> Problem {
    Problem::conflict(format!("The time off of a person has at most {MOST_FORMER} entries and earlier states."))
}

/// How time off was until an instant, if a turn that began then may depend on it: it was known for a while, and not
/// after the fact alone.
pub fn former(row: &TimeOff, until_ms: Option<i64>) -> Option<FormerTimeOff> {
    let was_known = until_ms.is_none_or(|until| row.updated_ms < until) && row.updated_ms < row.end_ms;
    was_known.then(|| FormerTimeOff {
        tenant_id: row.tenant_id.clone(),
        id: format!("TFF-{}", uuid::Uuid::now_v7()),
        time_off_id: row.id.clone(),
        user_id: row.user_id.clone(),
        start_ms: row.start_ms,
        end_ms: row.end_ms,
        known_from_ms: row.updated_ms,
        known_until_ms: until_ms,
    })
}

/// New time off of a person.
pub fn created(tenant: &str, user: &str, new: NewTimeOff, author: &str, now: Timestamp) -> TimeOff {
    TimeOff {
        tenant_id: tenant.to_owned(),
        id: format!("TOF-{}", uuid::Uuid::now_v7()),
        version: 1,
        user_id: user.to_owned(),
        start_ms: new.from.at().millis(),
        end_ms: new.to.at().millis(),
        reason: new.reason,
        created_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    }
}

/// The time off after a change.
///
/// # Errors
/// 400 when it would end before it begins, or be too long.
pub fn changed(old: &TimeOff, change: TimeOffChange, now: Timestamp) -> Result<TimeOff, Problem> {
    let start_ms = change.from.map_or(old.start_ms, |from| from.at().millis());
    let end_ms = change.to.map_or(old.end_ms, |to| to.at().millis());
    let named = if change.to.is_some() { "to" } else { "from" };
    if end_ms <= start_ms {
        let wrong = if named == "to" { "must be after from" } else { "must be before to" };
        return Err(Problem::field(named, wrong));
    }
    if end_ms.saturating_sub(start_ms) > LONGEST_MS {
        let wrong = if named == "to" { TOO_LONG } else { "must be at most 366 days before to" };
        return Err(Problem::field(named, wrong));
    }
    Ok(TimeOff {
        version: old.version + 1,
        start_ms,
        end_ms,
        reason: change.reason.unwrap_or_else(|| old.reason.clone()),
        updated_ms: now.millis().max(old.updated_ms),
        ..old.clone()
    })
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::{Value, json};

    use super::*;

    fn change(body: Value) -> Result<TimeOff, Problem> {
        let new = NewTimeOff::parse(&json!({"from": "2026-12-21T00:00:00Z", "to": "2026-12-28T00:00:00Z"})).unwrap();
        let old = created("client_1", "USR1", new, "USR2", Timestamp::from_millis(5));
        changed(&old, TimeOffChange::parse(&body)?, Timestamp::from_millis(7))
    }

    #[test]
    fn what_is_left_out_stays() {
        let row = change(json!({"reason": "Skiing"})).unwrap();
        assert_eq!((row.version, row.reason.as_str(), row.updated_ms), (2, "Skiing", 7));
        assert_eq!(row.end_ms - row.start_ms, 7 * 86_400_000);
    }

    #[test]
    fn how_it_was_is_kept_where_a_turn_may_depend_on_it() {
        let row = change(json!({"reason": "Skiing"})).unwrap();
        let known = former(&row, Some(9)).unwrap();
        assert_eq!((known.known_from_ms, known.known_until_ms, known.time_off_id), (7, Some(9), row.id.clone()));
        assert_eq!(former(&row, Some(7)), None, "never known");
        assert_eq!(former(&TimeOff { updated_ms: row.end_ms, ..row.clone() }, None), None, "entered after the fact");
        assert_eq!(former(&row, None).unwrap().known_until_ms, None);
    }

    #[test]
    fn it_ends_after_it_begins_and_within_a_year() {
        for (body, field) in [
            (json!({"to": "2026-12-21T00:00:00Z"}), "to"),
            (json!({"from": "2026-12-28T00:00:00Z"}), "from"),
            (json!({"to": "2028-01-01T00:00:00Z"}), "to"),
            (json!({"from": "2027-01-02T00:00:00Z", "to": "2027-01-01T00:00:00Z"}), "to"),
        ] {
            let wrong = change(body.clone()).unwrap_err().errors;
            assert!(wrong.iter().any(|error| error.field_name == field), "{body}: {wrong:?}");
        }
    }
}
