//! Whatever bytes arrive as a body: they are refused, or a schedule that is written, read back the same and asked.

#![no_main]

use base::{
    Fields, Timestamp,
    body::{Field as _, Limits},
    parse_json,
};
use calendar::{JobSchedule, MaintenanceSchedule, Rule, Zone, parse};
use libfuzzer_sys::fuzz_target;

/// 2026-11-20T20:37:00Z, and the ends of everything.
const ASKED: [i64; 4] = [1_795_207_020_000, 0, i64::MIN, i64::MAX];

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = parse_json(bytes) else {
        return;
    };
    let mut fields = Fields::of(&body);
    let zone = parse::zone(&mut fields, "timezone").unwrap_or(Zone::GMT);
    let _ = MaintenanceSchedule::read(&mut fields, "schedule", &Limits::NONE);
    if let Ok(schedule) = MaintenanceSchedule::from_json(&body) {
        assert_eq!(MaintenanceSchedule::from_json(&schedule.to_json()), Ok(schedule));
        ask(&schedule.rule());
    }
    if let Ok(schedule) = JobSchedule::from_json(&body) {
        for at in ASKED.map(Timestamp::from_millis) {
            assert!(schedule.due(zone).starts(at).take(3).all(|start| start > at));
        }
        assert_eq!(JobSchedule::from_json(&schedule.to_json()), Ok(schedule));
    }
});

fn ask(rule: &Rule) {
    for at in ASKED.map(Timestamp::from_millis) {
        let next = rule.next(3, at);
        assert!(next.iter().all(|occurrence| occurrence.start() > at));
        assert!(next.windows(2).all(|pair| pair[0].end() <= pair[1].start()));
        assert!(rule.contains(at).is_none_or(|occurrence| occurrence.contains(at)));
        assert!(rule.previous(at).is_none_or(|occurrence| occurrence.end() <= at));
        assert!(rule.starts(at).take(3).all(|start| start > at));
    }
}
