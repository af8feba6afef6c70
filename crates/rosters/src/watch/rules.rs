//! What a look at a roster finds. Pure.

use base::timestamp::Timestamp;
use calendar::Interval;
use db::Json;
use outbox::TimedEvent;
use serde_json::{Value, json};

use crate::{
    duty::Duties,
    people::RosterPeople,
    roster::{
        row::Roster,
        watches::{ToldGap, Watch},
        wire::User,
    },
    schedule::{Schedule, look_back},
};

/// People come and go without a hand-over: that is noticed at the next look, so many milliseconds later at most.
const AGAIN_MS: i64 = 300_000;

/// How soon there is another look where it found more than is told at once.
const SOON_MS: i64 = 1_000;

/// How much is told of a roster at once.
const MOST_AT_ONCE: usize = 200;

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
    let ahead = Interval::new(now, Timestamp::from_millis(now.millis().saturating_add(AHEAD_MS)));
    let gaps = ahead.map(|ahead| duties.unstaffed(ahead)).unwrap_or_default();
    let mut uncovered = Vec::with_capacity(gaps.len());
    let mut has_more = false;
    for (label, time) in gaps {
        let shift = schedule.shift(label);
        let gap = ToldGap { shift: shift.map(|(id, _)| id.to_owned()), start_ms: time.start().millis() };
        if !is_told(watch, &gap, time, now) {
            if told.len() >= MOST_AT_ONCE {
                has_more = true;
                continue;
            }
            let after = json!({
                "id": roster.id,
                "name": roster.name,
                "clientUniqueId": roster.tenant_id,
                "shift": shift.map(|(id, name)| json!({"id": id, "name": name})),
                "start": time.start(),
                "end": time.end(),
            });
            told.push(about("UNCOVERED", None, after));
        }
        uncovered.push(gap);
    }
    let again = now.millis().saturating_add(if has_more { SOON_MS } else { AGAIN_MS });
    // What ends now is looked at when it is over.
    let due = state.until.map_or(again, |until| until.millis().max(now.millis() + 1).min(again));
    let is = users.iter().map(ToString::to_string).collect();
    let next = Watch {
        seq: watch.seq + 1,
        due_ms: due,
        on_call: Some(Json(is)),
        uncovered: Some(Json(uncovered)),
        ..watch.clone()
    };
    (next, told)
}

/// Was a stretch told of that has not ended since? One that goes on begins when it was told to, or before that; of one
/// that goes on for longer than people are known its beginning moves with the time.
fn is_told(watch: &Watch, gap: &ToldGap, time: Interval, now: Timestamp) -> bool {
    let Some(told) = &watch.uncovered else { return gap.start_ms <= watch.warned_ms };
    let is_old = time.start() <= look_back(now);
    told.iter()
        .filter(|told| told.shift == gap.shift)
        .any(|told| told.start_ms < time.end().millis() && (gap.start_ms <= told.start_ms || is_old))
}

#[cfg(test)]
mod tests;
