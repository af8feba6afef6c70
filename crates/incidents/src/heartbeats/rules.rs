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
mod tests {
    use super::*;

    #[test]
    fn silence_and_its_end_are_one_problem() {
        let row = Row { id: "HB-1".into(), name: "backup".into(), severity: "Warning".into(), ..Row::default() };
        let silent = silence(&row);
        let over = recovery(&row);
        assert_eq!((silent.state, over.state, &silent.key), ("Warning", "Ok", &over.key));
    }

    #[test]
    fn a_silence_ends_with_an_interval_that_it_does_not_exceed() {
        let silent =
            Row { interval_ms: 10_000, last_ms: Some(0), due_ms: Some(11_000), missed: true, ..Row::default() };
        let with =
            |interval_ms| apply_change(&silent, HeartbeatUpdate { interval_ms, ..HeartbeatUpdate::default() }, 20_000);
        let long = with(Some(60_000));
        assert_eq!((long.missed, long.due_ms, long.report_ms), (false, Some(66_000), Some(20_000)));
        let short = with(Some(12_000));
        assert_eq!((short.missed, short.due_ms, short.report_ms), (true, Some(13_200), None));
        let same = with(Some(10_000));
        assert_eq!((same.missed, same.due_ms), (true, Some(11_000)), "nothing changes");
    }

    #[test]
    fn another_severity_of_a_silence_is_reported() {
        let missed = Row { missed: true, severity: "Info".into(), ..Row::default() };
        let with = |row: &Row, severity| {
            apply_change(row, HeartbeatUpdate { severity: Some(severity), ..HeartbeatUpdate::default() }, 7).report_ms
        };
        assert_eq!((with(&missed, "Critical"), with(&missed, "Info")), (Some(7), None));
        assert_eq!(with(&Row { missed: false, ..missed }, "Critical"), None);
    }

    #[test]
    fn a_change_takes_back_nothing_that_was_allowed() {
        let row = Row { interval_ms: 300_000, last_ms: Some(0), due_ms: Some(330_000), ..Row::default() };
        let changed = |row: &Row, interval_ms, grace_ms| {
            apply_change(row, HeartbeatUpdate { interval_ms, grace_ms, ..HeartbeatUpdate::default() }, 24_000)
        };
        // A gateway may keep a ping of 29 seconds after the last one that is stored: it holds for 30 more.
        let short = changed(&row, Some(30_000), None);
        assert_eq!(short.due_ms, Some(60_000));
        assert_eq!(changed(&short, None, Some(5_000)).due_ms, Some(65_000), "nor does a second change");
        assert_eq!(changed(&short, Some(300_000), None).due_ms, Some(330_000), "and the time does not grow");
        // What was excused at 200 seconds counts from then.
        let excused = Row { due_ms: Some(530_000), ..row };
        assert_eq!(changed(&excused, None, Some(10_000)).due_ms, Some(540_000));
        assert_eq!(changed(&excused, Some(60_000), None).due_ms, Some(290_000));
    }

    #[test]
    fn states_follow_what_was_heard() {
        let mut row = Row::default();
        assert_eq!(state(&row), "New");
        row.last_ms = Some(1);
        assert_eq!(state(&row), "Up");
        row.missed = true;
        assert_eq!(state(&row), "Missing");
        assert_eq!(due(i64::MAX, 1, 1), i64::MAX);
        assert_eq!(due(60_000, 5_000, 100), 100 + 60_000 + 5_000 + 6_000);
    }
}
