//! Due times, states and reports of heartbeats, as pure functions.

use base::{duration, fold, problem::Problem, timestamp::Timestamp};

use super::{
    row::Row,
    wire::{CRITICAL, HeartbeatUpdate, SEVERITIES},
};
use crate::alerts::report::{DeviceNames, Report};

/// The most heartbeats of a tenant.
pub const MOST: i64 = 10_000;
/// The sender of reports about heartbeats.
pub const SENDER: &str = "heartbeat";

/// 409: the tenant has as many heartbeats as it may have.
pub fn too_many() -> Problem {
    Problem::conflict(format!("A tenant has at most {MOST} heartbeats: delete one that is no longer used."))
}

/// How far in the future a stored time may be: clocks of gateways differ. One beyond that is of a clock that has gone
/// back since, and is not believed.
pub const CLOCK_STEP_MS: i64 = 60_000;

/// A heartbeat after a change. Another interval or grace counts from the last ping, or from when a ping that may have
/// been lost was excused, and ends a silence that it would not have reported yet.
pub fn apply_change(before: &Row, change: HeartbeatUpdate, now_ms: i64) -> Row {
    let mut after = before.clone();
    if let Some(name) = change.name {
        after.name_key = fold(&name);
        after.name = name;
    }
    after.interval_ms = change.interval_ms.unwrap_or(after.interval_ms);
    after.grace_ms = change.grace_ms.unwrap_or(after.grace_ms);
    if let Some(severity) = change.severity {
        severity.clone_into(&mut after.severity);
    }
    after.device = change.device.unwrap_or(after.device);
    if before.missed && after.severity != before.severity {
        after.report_ms = Some(now_ms);
    }
    if is_retimed(before, &after) {
        let from_last = before.last_ms.map(|last| due(after.interval_ms, after.grace_ms, last));
        let shifted = before.due_ms.map(|due| due.saturating_add(added_time(before, &after)));
        after.due_ms = from_last.max(shifted);
        if before.missed && after.due_ms.is_some_and(|due| due > now_ms) {
            after.missed = false;
            after.report_ms = Some(now_ms);
        }
    }
    after.version = before.version + 1;
    after.updated_ms = now_ms;
    after
}

/// Did the time change in which a heartbeat expects a ping?
pub fn is_retimed(before: &Row, after: &Row) -> bool {
    (before.interval_ms, before.grace_ms) != (after.interval_ms, after.grace_ms)
}

/// How much longer a heartbeat may be silent after a change; less than nothing for a shorter time.
///
/// What a due time allowed beyond interval and grace it keeps when it is moved by this: any gateway may have kept a
/// ping for the former storage delay.
pub fn added_time(before: &Row, after: &Row) -> i64 {
    (after.interval_ms + after.grace_ms) - (before.interval_ms + before.grace_ms)
}

/// How long a gateway may keep a ping before it stores it: a tenth of the interval, at most half a minute.
pub fn storage_delay(interval_ms: i64) -> i64 {
    (interval_ms / 10).min(30_000)
}

/// When silence after a ping at `heard_ms` is an alert. Later pings may not have been stored for as long as they may be
/// kept, so nobody is called silent before.
pub fn due(interval_ms: i64, grace_ms: i64, heard_ms: i64) -> i64 {
    [interval_ms, grace_ms, storage_delay(interval_ms)].into_iter().fold(heard_ms, i64::saturating_add)
}

/// `New` before the first ping, `Missing` after silence, else `Up`.
pub fn state(row: &Row) -> &'static str {
    match (row.missed, row.last_ms) {
        (true, _) => "Missing",
        (false, None) => "New",
        (false, Some(_)) => "Up",
    }
}

/// The report of a silence.
pub fn silence(row: &Row) -> Report {
    let since = row.last_ms.map_or_else(String::new, |at| format!(" since {}", Timestamp::from_millis(at)));
    let state = SEVERITIES.into_iter().find(|known| *known == row.severity).unwrap_or(CRITICAL);
    let interval = duration::text(row.interval_ms);
    Report {
        state,
        description: format!("Nothing was heard{since}; it is expected every {interval}."),
        ..report(row, format!("{} is silent", row.name))
    }
}

/// The report of the end of a silence, by a ping or by settings that allow a longer one.
pub fn recovery(row: &Row) -> Report {
    Report { state: "Ok", ..report(row, format!("{} is not overdue any more", row.name)) }
}

fn report(row: &Row, subject: String) -> Report {
    Report {
        subject,
        metric: "heartbeat".to_owned(),
        component: row.name.clone(),
        app: "Heartbeat".to_owned(),
        device: DeviceNames::of_text(&row.device),
        key: Some(row.id.clone()),
        ext_alert_id: row.id.clone(),
        ..Report::default()
    }
}

#[cfg(test)]
mod tests;
