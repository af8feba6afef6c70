//! Schedules of PagerDuty, random ones: who is on call by the source, worked out here by its documentation and without
//! `calendar`, and by the roster that is written.

use std::collections::BTreeSet;

use base::Timestamp;
use jiff::{civil, tz::TimeZone};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{at, export, meaning::Roster, of_kind, reading};
use crate::{conversion::Settings, options::Product};

const ZONES: [&str; 5] =
    ["Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns"];
const DAY: i64 = 86_400;

/// Who is on call by the source.
fn on_call(schedule: &Value, overrides: &[Value], at: Timestamp) -> BTreeSet<String> {
    let within = |value: &Value| {
        let bound = |name: &str| value[name].as_str().map(super::at);
        bound("start").is_none_or(|start| start <= at) && bound("end").is_none_or(|end| at < end)
    };
    let user = |value: &Value| BTreeSet::from([format!("{}@example.net", value["user"]["id"].as_str().unwrap())]);
    if let Some(one) = overrides.iter().find(|one| within(one)) {
        return user(one);
    }
    let zone = TimeZone::get(schedule["time_zone"].as_str().unwrap()).unwrap();
    let local = |at: Timestamp| zone.to_datetime(jiff::Timestamp::from_millisecond(at.millis()).unwrap());
    let now = local(at);
    let mut layers = schedule["schedule_layers"].as_array().unwrap().iter();
    let Some(layer) = layers.find(|layer| within(layer) && allows(&layer["restrictions"], now)) else {
        return BTreeSet::new();
    };
    let first = super::at(layer["rotation_virtual_start"].as_str().unwrap());
    let length = layer["rotation_turn_length_seconds"].as_i64().unwrap();
    let turn = if length % DAY == 0 {
        local(first).duration_until(now).as_secs() / length
    } else {
        (at.millis() - first.millis()) / 1_000 / length
    };
    let users = layer["users"].as_array().unwrap();
    user(&users[usize::try_from(turn).unwrap() % users.len()])
}

fn allows(restrictions: &Value, now: civil::DateTime) -> bool {
    let all = restrictions.as_array().unwrap();
    let of_day = i64::from(now.hour()) * 3_600 + i64::from(now.minute()) * 60 + i64::from(now.second());
    let of_week = i64::from(now.weekday().to_monday_zero_offset()) * DAY + of_day;
    all.is_empty()
        || all.iter().any(|one| {
            let start = at(&format!("1970-01-01T{}Z", one["start_time_of_day"].as_str().unwrap())).millis() / 1_000;
            let length = one["duration_seconds"].as_i64().unwrap();
            match one["start_day_of_week"].as_i64() {
                None => (of_day - start).rem_euclid(DAY) < length,
                Some(day) => (of_week - (day - 1) * DAY - start).rem_euclid(7 * DAY) < length,
            }
        })
}

/// Quarters of an hour that no clock skips or repeats.
fn time_of_day() -> impl Strategy<Value = i64> {
    (16..96_i64).prop_map(|quarter| quarter * 900)
}

fn shown(second: i64) -> String {
    format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)
}

fn restrictions() -> impl Strategy<Value = Vec<Value>> {
    // Ends lie outside the night, too, so that they mean one instant.
    let daily = (time_of_day(), time_of_day()).prop_filter("no length", |(start, end)| start != end).prop_map(
        |(start, end)| {
            json!({"type": "daily_restriction", "start_time_of_day": shown(start),
                "duration_seconds": (end - start).rem_euclid(DAY)})
        },
    );
    let weekly = (1..8_i64, time_of_day(), 0..7_i64, time_of_day())
        .prop_filter("no length", |(_, start, days, end)| days * DAY + end - start > 0)
        .prop_map(|(day, start, days, end)| {
            json!({"type": "weekly_restriction", "start_day_of_week": day, "start_time_of_day": shown(start),
                "duration_seconds": days * DAY + end - start})
        });
    prop_oneof![
        1 => Just(Vec::new()),
        1 => prop::collection::vec(daily, 1..3),
        2 => prop::collection::vec(weekly, 1..5),
    ]
}

fn layer(zone: &'static str, number: usize) -> impl Strategy<Value = Value> {
    let length = prop_oneof![
        (1..15_i64).prop_map(|days| days * DAY),
        (1..5_i64).prop_map(|weeks| weeks * 7 * DAY),
        (1..50_i64).prop_map(|hours| hours * 3_600),
    ];
    let users = prop::collection::vec(0..4_usize, 1..6);
    let before = 0..60_i64;
    let end = prop::option::of(0..700 * 96_i64);
    ((0..365_i64, time_of_day()), before, end, length, users, restrictions()).prop_map(
        move |((day, second), before, end, length, users, restrictions)| {
            let zone = TimeZone::get(zone).unwrap();
            let instant = |day: i64| {
                let local = civil::date(2026, 1, 1).at(0, 0, 0, 0) + jiff::Span::new().days(day).seconds(second);
                Timestamp::from_millis(zone.to_timestamp(local).unwrap().as_millisecond())
            };
            let first = instant(day);
            // The layer begins some quarters of an hour after its rotation, the first ones at its beginning.
            let start = Timestamp::from_millis(first.millis() + if before < 20 { 0 } else { before * 7 * 900_000 });
            let end = end.map(|quarters| Timestamp::from_millis(start.millis() + (quarters + 1) * 900_000).to_string());
            let users: Vec<Value> = users.iter().map(|user| json!({"user": {"id": format!("u{user}")}})).collect();
            json!({"name": format!("Layer {number}"), "start": start.to_string(), "end": end,
                "rotation_virtual_start": first.to_string(), "rotation_turn_length_seconds": length, "users": users,
                "restrictions": restrictions})
        },
    )
}

fn schedule() -> impl Strategy<Value = Value> {
    prop::sample::select(ZONES.to_vec()).prop_flat_map(|zone| {
        (1..5_usize).prop_flat_map(move |count| {
            (0..count)
                .map(|number| layer(zone, number))
                .collect::<Vec<_>>()
                .prop_map(move |layers| json!({"id": "S1", "name": "S", "time_zone": zone, "schedule_layers": layers}))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_roster_means_what_its_schedule_means(
        schedule in schedule(),
        days in prop::collection::vec(0..300_i64, 0..3),
        instants in prop::collection::vec((0..900 * 96_i64, -1..=1_i64), 300),
    ) {
        let users: Vec<Value> =
            (0..4).map(|user| json!({"id": format!("u{user}"), "email": format!("u{user}@example.net")})).collect();
        let overrides: Vec<Value> = days.iter().zip(0..).map(|(day, number)| {
            let start = at("2026-03-01T10:30:00Z").millis() + (number * 350 + day) * 86_400_000;
            let instant = |millis: i64| Timestamp::from_millis(millis).to_string();
            json!({"id": format!("O{number}"), "start": instant(start), "end": instant(start + 172_800_000),
                "user": {"id": "u3"}})
        }).collect();
        let answers = [
            ("users", json!({"users": users})),
            ("schedules/S1", json!({"schedule": schedule})),
            ("schedules/S1/overrides", json!({"overrides": overrides})),
        ];
        let elapsed = Settings { elapsed_hours: true, now: at("2025-01-01T00:00:00Z") };
        let export = export(&answers);
        let conversion = Product::Pagerduty.convert(&export, elapsed);
        let rosters = of_kind(&conversion, "Roster");
        if rosters.is_empty() {
            // Layers that end before one of their restrictions begins, or too many windows: nothing else is refused.
            let reason = conversion.report.entries.iter().find(|entry| entry.object.starts_with("sch")).unwrap();
            if reason.notes[0].contains("nobody is ever on call") {
                let first = at("2026-01-01T00:00:00Z").millis();
                let mut quarters = (0..1_200 * 96).map(|quarter| Timestamp::from_millis(first + quarter * 900_000));
                let anybody = quarters.find(|instant| !on_call(&schedule, &[], *instant).is_empty());
                prop_assert_eq!(anybody, None);
            } else {
                prop_assert!(reason.notes[0].contains("at most 100"), "{:?}", reason);
            }
            return Ok(());
        }
        let roster = Roster::new(&rosters[0], &of_kind(&conversion, "RosterOverride"));
        let reading = reading(Product::Pagerduty, &export);
        let first = at("2026-01-01T00:00:00Z").millis();
        for (quarter, second) in instants {
            let instant = Timestamp::from_millis(first + quarter * 900_000 + second * 1_000);
            let expected = on_call(&schedule, &overrides, instant);
            prop_assert_eq!(&roster.on_call(instant), &expected, "at {}", instant);
            prop_assert_eq!(&reading(instant), &expected, "as it is compared, at {}", instant);
        }
    }
}
