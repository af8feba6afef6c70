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
    let silent = Row { interval_ms: 10_000, last_ms: Some(0), due_ms: Some(11_000), missed: true, ..Row::default() };
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
