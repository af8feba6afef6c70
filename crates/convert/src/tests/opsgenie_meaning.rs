//! Schedules of Opsgenie, random ones: who is on call by the source, worked out here by its documentation and without
//! `calendar`, and by the roster that is written.

use std::collections::BTreeSet;

use base::Timestamp;
use jiff::{civil, tz::TimeZone};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{at, export, meaning::Roster, of_kind, reading};
use crate::{conversion::Settings, options::Product};

const ZONES: [&str; 6] = [
    "Europe/Vienna",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Africa/Casablanca",
    "America/Sao_Paulo",
];
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Who is on call by the source.
fn on_call(schedule: &Value, overrides: &[Value], at: Timestamp) -> BTreeSet<String> {
    let within = |value: &Value| {
        let bound = |name: &str| value[name].as_str().map(super::at);
        bound("startDate").is_none_or(|start| start <= at) && bound("endDate").is_none_or(|end| at < end)
    };
    let user = |value: &Value| value["username"].as_str().unwrap().to_owned();
    let overrides: Vec<&Value> = overrides.iter().filter(|one| within(one)).collect();
    if let Some(whole) = overrides.iter().find(|one| one["rotations"] == json!([])) {
        return BTreeSet::from([user(&whole["user"])]);
    }
    let zone = TimeZone::get(schedule["timezone"].as_str().unwrap()).unwrap();
    let local = |at: Timestamp| zone.to_datetime(jiff::Timestamp::from_millisecond(at.millis()).unwrap());
    let now = local(at);
    let mut all = BTreeSet::new();
    for rotation in schedule["rotations"].as_array().unwrap() {
        if !within(rotation) || !allows(&rotation["timeRestriction"], now) {
            continue;
        }
        let of_rotation = |one: &&&Value| one["rotations"][0]["id"] == rotation["id"];
        if let Some(one) = overrides.iter().find(of_rotation) {
            all.insert(user(&one["user"]));
            continue;
        }
        let start = super::at(rotation["startDate"].as_str().unwrap());
        let length = rotation["length"].as_i64().unwrap();
        let shown = |from: civil::DateTime, to: civil::DateTime| from.duration_until(to).as_secs();
        let turn = match rotation["type"].as_str().unwrap() {
            "hourly" => (at.millis() - start.millis()) / 3_600_000 / length,
            "daily" => shown(local(start), now) / 86_400 / length,
            _ => shown(local(start), now) / 604_800 / length,
        };
        let order = rotation["participants"].as_array().unwrap();
        let place = &order[usize::try_from(turn).unwrap() % order.len()];
        if place["type"] == "user" {
            all.insert(user(place));
        }
    }
    all
}

fn allows(restriction: &Value, now: civil::DateTime) -> bool {
    let clock = |value: &Value, which: &str| {
        value[format!("{which}Hour")].as_i64().unwrap() * 60 + value[format!("{which}Min")].as_i64().unwrap()
    };
    let minute = i64::from(now.hour()) * 60 + i64::from(now.minute());
    match restriction["type"].as_str() {
        None => true,
        Some("time-of-day") => {
            let (start, end) = (clock(&restriction["restriction"], "start"), clock(&restriction["restriction"], "end"));
            if start < end { (start..end).contains(&minute) } else { minute >= start || minute < end }
        }
        Some(_) => restriction["restrictions"].as_array().unwrap().iter().any(|one| {
            let day = |which: &str| DAYS.iter().position(|day| one[format!("{which}Day")] == *day).unwrap() as i64;
            let start = day("start") * 1_440 + clock(one, "start");
            let end = day("end") * 1_440 + clock(one, "end");
            let now = i64::from(now.weekday().to_monday_zero_offset()) * 1_440 + minute;
            if start < end { (start..end).contains(&now) } else { now >= start || now < end }
        }),
    }
}

/// Half hours that no clock skips or repeats.
fn half_hour() -> impl Strategy<Value = (i64, i64)> {
    (4..24_i64, prop::sample::select(vec![0, 30_i64]))
}

fn restriction() -> impl Strategy<Value = Value> {
    let bound =
        |which: &str, (hour, minute): (i64, i64)| json!({format!("{which}Hour"): hour, format!("{which}Min"): minute});
    let joined = |one: Value, other: Value| {
        let mut all = one.as_object().unwrap().clone();
        all.extend(other.as_object().unwrap().clone());
        Value::Object(all)
    };
    let of_day = (half_hour(), half_hour())
        .prop_filter("a time that begins when it ends", |(start, end)| start != end)
        .prop_map(move |(start, end)| {
            json!({"type": "time-of-day",
            "restriction": joined(bound("start", start), bound("end", end))})
        });
    let one = (0..7_usize, half_hour(), 0..7_usize, half_hour())
        .prop_filter("an end on the same day that is not later", |(first, start, last, end)| {
            first != last || start < end
        })
        .prop_map(move |(first, start, last, end)| {
            let days = json!({"startDay": DAYS[first], "endDay": DAYS[last]});
            joined(days, joined(bound("start", start), bound("end", end)))
        });
    let of_week = prop::collection::vec(one, 1..4)
        .prop_map(|all| json!({"type": "weekday-and-time-of-day", "restrictions": all}));
    prop_oneof![Just(Value::Null), of_day, of_week]
}

/// An instant at a local half hour of 2026.
fn start(zone: &'static str) -> impl Strategy<Value = String> {
    (0..365_i64, half_hour()).prop_map(move |(day, (hour, minute))| {
        let local = civil::date(2026, 1, 1).at(hour as i8, minute as i8, 0, 0) + jiff::Span::new().days(day);
        TimeZone::get(zone).unwrap().to_timestamp(local).unwrap().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    })
}

fn rotation(zone: &'static str, number: usize) -> impl Strategy<Value = Value> {
    let participant = prop_oneof![
        4 => (0..4_usize).prop_map(|user| json!({"type": "user", "username": format!("u{user}@example.net")})),
        1 => Just(json!({"type": "none"})),
    ];
    let kind = prop::sample::select(vec!["daily", "weekly", "hourly"]);
    let end = prop::option::of(0..900_i64);
    (start(zone), end, kind, 1..10_i64, prop::collection::vec(participant, 1..6), restriction()).prop_map(
        move |(start, end, kind, length, participants, restriction)| {
            let end = end.map(|hours| {
                let end = super::at(&start).millis() + (7_200 + hours * 24) * 3_600_000 + 1_800_000;
                Timestamp::from_millis(end).to_string()
            });
            json!({"id": format!("r{number}"), "name": format!("Rotation {number}"), "startDate": start,
                "endDate": end, "type": kind, "length": length, "participants": participants,
                "timeRestriction": restriction})
        },
    )
}

fn schedule() -> impl Strategy<Value = Value> {
    prop::sample::select(ZONES.to_vec()).prop_flat_map(|zone| {
        (1..4_usize).prop_flat_map(move |count| {
            (0..count).map(|number| rotation(zone, number)).collect::<Vec<_>>().prop_map(move |rotations| {
                json!({"id": "s1", "name": "S", "timezone": zone, "enabled": true, "rotations": rotations})
            })
        })
    })
}

/// Overrides that do not meet: one in each of some quarters.
fn overrides() -> impl Strategy<Value = Vec<Value>> {
    let one = |quarter: i64| {
        (0..40_i64, 1..900_i64, 0..4_usize, prop::option::of(0..3_usize)).prop_map(
            move |(day, hours, user, rotation)| {
                let start = at("2026-12-01T00:00:00Z").millis() + (quarter * 91 + day) * 86_400_000;
                let instant = |millis: i64| Timestamp::from_millis(millis).to_string();
                let rotations: Vec<Value> = rotation.iter().map(|number| json!({"id": format!("r{number}")})).collect();
                json!({"alias": format!("o{quarter}"), "startDate": instant(start),
                    "endDate": instant(start + hours * 3_600_000), "rotations": rotations,
                    "user": {"type": "user", "username": format!("u{user}@example.net")}})
            },
        )
    };
    (one(0), one(1), one(2), one(3)).prop_map(|(a, b, c, d)| vec![a, b, c, d])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_roster_means_what_its_schedule_means(
        schedule in schedule(),
        overrides in overrides(),
        instants in prop::collection::vec((0..900 * 48_i64, -1..=1_i64), 300),
    ) {
        let users: Vec<Value> =
            (0..4).map(|user| json!({"id": format!("i{user}"), "username": format!("u{user}@example.net")})).collect();
        let answers = [
            ("users", json!({"data": users})),
            ("schedules", json!({"data": [schedule]})),
            ("schedules/s1/overrides", json!({"data": overrides})),
        ];
        let elapsed = Settings { elapsed_hours: true, now: at("2025-01-01T00:00:00Z") };
        let conversion = Product::Opsgenie.convert(&export(&answers), elapsed);
        let rosters = of_kind(&conversion, "Roster");
        let entries = conversion.report.entries.iter();
        let refusals: Vec<_> = entries.filter(|entry| entry.object.starts_with("sch")).collect();
        if rosters.is_empty() {
            // Nobody ever: that is the one reason here.
            prop_assert!(refusals[0].notes[0].contains("nobody is ever on call"), "{:?}", refusals);
            return Ok(());
        }
        // Overrides that are refused are not a part of what is compared.
        let kept: Vec<Value> = overrides.iter().filter(|one| {
            let name = format!("override {:?}", format!("{} of S", one["alias"].as_str().unwrap()));
            conversion.report.entries.iter().any(|entry| entry.object == name && !entry.becomes.is_empty())
        }).cloned().collect();
        let roster = Roster::new(&rosters[0], &of_kind(&conversion, "RosterOverride"));
        let kept_alone = [answers[0].clone(), answers[1].clone(), ("schedules/s1/overrides", json!({"data": kept}))];
        let export = export(&kept_alone);
        let reading = reading(Product::Opsgenie, &export);
        let first = at("2026-01-01T00:00:00Z").millis();
        for (half_hour, second) in instants {
            let instant = Timestamp::from_millis(first + half_hour * 1_800_000 + second * 1_000);
            let expected = on_call(&schedule, &kept, instant);
            prop_assert_eq!(&roster.on_call(instant), &expected, "at {}", instant);
            prop_assert_eq!(&reading(instant), &expected, "as it is compared, at {}", instant);
        }
    }
}
