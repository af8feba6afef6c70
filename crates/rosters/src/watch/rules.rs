//! What a look at a roster finds. Pure.

use base::timestamp::Timestamp;
use calendar::Interval;
use db::Json;
use outbox::TimedEvent;
use serde_json::{Value, json};

use crate::{
    duty::{Duties, Duty},
    lines::LineSelection,
    people::RosterPeople,
    roster::{row::Roster, watches::Watch, wire::User},
    schedule::Schedule,
};

/// People come and go without a hand-over: that is noticed at the next look, so many milliseconds later at most.
const AGAIN_MS: i64 = 300_000;

/// How far ahead shifts without anybody are told of, in milliseconds.
const AHEAD_MS: i64 = 86_400_000;

/// What the row of a roster is moved on to, and what is told.
pub fn look(
    roster: &Roster,
    schedule: &Schedule,
    staff: &RosterPeople,
    watch: &Watch,
    now: Timestamp,
) -> (Watch, Vec<TimedEvent>) {
    let mut duties = Duties::new(schedule, staff);
    let state = duties.state(now);
    let mut users: Vec<&str> = state.current.iter().flat_map(|duty| duty.users.iter().copied()).collect();
    users.sort_unstable();
    users.dedup();
    let about = |action, before, after| TimedEvent {
        tenant_id: roster.tenant_id.clone(),
        entity: "Roster",
        entity_id: roster.id.clone(),
        action,
        before,
        after,
    };
    let named = |ids: &[&str]| -> Vec<Value> {
        ids.iter()
            .map(|id| staff.user_at(id, now).map_or_else(|| json!({"id": id}), |user| json!(User::full(user))))
            .collect()
    };
    let mut told = Vec::new();
    if let Some(was) = watch.on_call.as_deref().filter(|was| **was != users) {
        let was: Vec<&str> = was.iter().map(String::as_str).collect();
        let shown = |ids: &[&str]| {
            json!({"id": roster.id, "name": roster.name, "clientUniqueId": roster.tenant_id,
            "onCall": named(ids)})
        };
        let mut after = shown(&users);
        if let Some(members) = after.as_object_mut() {
            members.insert("from".to_owned(), json!(named(&was)));
            members.insert("to".to_owned(), json!(named(&users)));
            members.insert("at".to_owned(), json!(now));
        }
        told.push(about("ONCALLCHANGED", Some(shown(&was)), after));
    }
    let mut warned_ms = watch.warned_ms;
    if let Some(gap) = uncovered(&mut duties, now).filter(|gap| gap.time.start().millis() > warned_ms) {
        warned_ms = gap.time.start().millis();
        let shift = schedule.shift(gap.shift).map(|(id, name)| json!({"id": id, "name": name}));
        let after = json!({
            "id": roster.id,
            "name": roster.name,
            "clientUniqueId": roster.tenant_id,
            "shift": shift,
            "start": gap.time.start(),
            "end": gap.time.end(),
        });
        told.push(about("UNCOVERED", None, after));
    }
    let again = now.millis().saturating_add(AGAIN_MS);
    // What ends now is looked at when it is over.
    let due = state.until.map_or(again, |until| until.millis().max(now.millis() + 1).min(again));
    let is = users.iter().map(ToString::to_string).collect();
    let next = Watch { seq: watch.seq + 1, due_ms: due, on_call: Some(Json(is)), warned_ms, ..watch.clone() };
    (next, told)
}

/// The first stretch of a shift within the next day in which nobody stands in it.
fn uncovered<'s>(duties: &mut Duties<'s>, now: Timestamp) -> Option<Duty<'s>> {
    let range = Interval::new(now, Timestamp::from_millis(now.millis().saturating_add(AHEAD_MS)))?;
    let (all, _) = duties.within(range, LineSelection::All);
    let stands = |gap: &Duty<'_>| {
        all.iter()
            .any(|duty| duty.shift == gap.shift && !duty.users.is_empty() && duty.time.intersection(gap.time).is_some())
    };
    all.iter().find(|duty| duty.users.is_empty() && duty.time.end() > now && !stands(duty)).cloned()
}
