//! How a roster was before a change, as far as the audit log and its versions have it, and from when on it is to be so
//! again.

use std::collections::BTreeSet;

use api::restore;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Recorded as _, change_sets::objects::ObjectChange};
use serde_json::{Value, json};

use crate::roster::{
    row::{Roster, Shift},
    rules::effective_ms,
    versions,
    view::WithShifts,
};

pub const ZONE: &str = "timeZone.name";
pub const SHIFTS: &str = "shiftDetails";
pub const OFF_HOURS: &str = "offHours";
/// When a change took effect that was planned for later.
pub const EFFECTIVE_FROM: &str = "effectiveFrom";
/// What the versions of a roster have, however long it is.
pub const PLAN: [&str; 3] = [ZONE, SHIFTS, OFF_HOURS];

/// Do the versions of a roster have how it was before a change? They count seconds: of two changes in one, the first
/// left nothing.
pub fn is_in_versions(change: &ObjectChange) -> bool {
    let updated = restore::former_text(change, "updatedTime");
    let changed = Timestamp::from_millis(effective_ms(change.since));
    updated.is_some_and(|updated| Timestamp::parse(updated).map_or(updated.is_empty(), |at| at < changed))
}

/// The former value of a part of the plan that changed.
pub fn plan_field(conn: &mut Conn, roster: &Roster, change: &ObjectChange, name: &str) -> Result<Option<Value>> {
    let Some(field) = change.fields.get(name) else { return Ok(None) };
    if restore::is_whole(field.before.as_ref()) {
        return Ok(field.before.clone());
    }
    if !is_in_versions(change) {
        return Ok(None);
    }
    let before = payload_at(conn, roster, effective_ms(change.since) - 1)?;
    Ok(before.and_then(|before| at(&before, name).cloned()))
}

/// What is told of a roster as it is at an instant; `None` when it is not there then.
pub fn payload_at(conn: &mut Conn, roster: &Roster, at_ms: i64) -> Result<Option<Value>> {
    let shifts = versions::shifts_at(conn, std::slice::from_ref(roster), at_ms)?;
    let then = versions::as_of(conn, vec![roster.clone()], at_ms)?.pop();
    then.map(|then| WithShifts(&then, &shifts).event_payload()).transpose()
}

fn at<'p>(payload: &'p Value, path: &str) -> Option<&'p Value> {
    payload.pointer(&format!("/{}", path.replace('.', "/")))
}

/// From when on the former plan is to hold again: where it still holds until a change that is planned for later, from
/// then on; else from when on the change took effect, or now.
pub fn holds_from(conn: &mut Conn, roster: &Roster, change: &ObjectChange, now_ms: i64) -> Result<i64> {
    let mut cuts = BTreeSet::from([now_ms]);
    let Roster { tenant_id, id, .. } = roster;
    let is_later = |at: &i64| *at > now_ms;
    for Shift { valid_from_ms, valid_until_ms, .. } in versions::shifts_since(conn, tenant_id, id, now_ms)? {
        cuts.extend([Some(valid_from_ms), valid_until_ms].into_iter().flatten().filter(is_later));
    }
    for version in versions::since(conn, tenant_id, id, now_ms)? {
        cuts.extend(Some(version.valid_from_ms).filter(is_later));
    }
    let mut plans = Vec::new();
    for cut in cuts {
        let then = payload_at(conn, roster, cut)?.unwrap_or_default();
        let is_former = PLAN.iter().all(|name| {
            let before = change.fields.get(*name).map(|field| field.before.as_ref());
            before.is_none_or(|before| before == at(&then, name))
        });
        plans.push((cut, is_former));
    }
    let planned = change.fields.get(EFFECTIVE_FROM).and_then(|field| field.after.as_ref()?.as_str());
    let planned = planned.and_then(Timestamp::parse).map(Timestamp::millis).filter(is_later);
    Ok(first_other(&plans).or(planned).unwrap_or(now_ms))
}

/// The first instant after the last one at which the plan is as it was, if it is at any.
fn first_other(plans: &[(i64, bool)]) -> Option<i64> {
    let last = plans.iter().rposition(|(_, is_former)| *is_former)?;
    plans.get(last + 1).map(|(at, _)| *at)
}

/// The shifts of a body that makes them what they were: those that are so now by their ids alone, any other whole and
/// without its id. The second list has the UUIDs of these, in their order.
pub fn shifts(former: &Value, now: &Value) -> (Vec<Value>, Vec<String>) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let now = list(now);
    let mut ids = Vec::new();
    let body = list(former).into_iter().map(|mut shift| {
        if now.contains(&shift) {
            return json!({"id": shift["id"]});
        }
        let id = shift.as_object_mut().and_then(|shift| shift.remove("id"));
        let id = id.as_ref().and_then(Value::as_str).and_then(|id| id.strip_prefix("ESD-"));
        ids.push(id.unwrap_or_default().to_owned());
        shift
    });
    (body.collect(), ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_holds_again_from_when_on_it_was_to_be_another() {
        for (plans, from) in [
            (vec![(10, false)], None),
            (vec![(10, true), (20, false)], Some(20)),
            (vec![(10, false), (20, true), (30, false), (40, false)], Some(30)),
            (vec![(10, true)], None),
        ] {
            assert_eq!(first_other(&plans), from, "{plans:?}");
        }
    }

    #[test]
    fn shifts_that_changed_are_whole_and_have_their_ids() {
        let shift = |id: &str, name: &str| json!({"id": format!("ESD-{id}"), "name": name});
        let former = json!([shift("1", "Day"), shift("2", "Night"), shift("3", "Late")]);
        let now = json!([shift("2", "Evening"), shift("1", "Day")]);
        let expected = vec![json!({"id": "ESD-1"}), json!({"name": "Night"}), json!({"name": "Late"})];
        assert_eq!(shifts(&former, &now), (expected, vec!["2".to_owned(), "3".to_owned()]));
    }
}
