//! Installations of Grafana OnCall, small and made up, and random schedules of it: who is on call by its events, as
//! comparisons read them, and by the roster that is written.

use base::Timestamp;
use jiff::{Span, civil};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{assert_refused, at, convert, entry, export, meaning::Roster, of_kind, reading};
use crate::{conversion::Settings, options::Product, report::Outcome};

const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

fn users() -> (&'static str, Value) {
    let user = |number: usize| {
        json!({"id": format!("U{number}"), "email": format!("u{number}@x.example"), "username": format!("u{number}"),
            "role": if number == 0 { "admin" } else { "user" }, "teams": ["T1"]})
    };
    ("users", json!({"count": 4, "next": null, "results": (0..4).map(user).collect::<Vec<_>>()}))
}

fn shift(more: &Value) -> Value {
    let mut shift = json!({"id": "O1", "name": "Week", "type": "rolling_users", "time_zone": "Europe/Vienna",
        "level": 0,
        "start": "2026-01-05T08:00:00", "rotation_start": "2026-01-05T08:00:00", "duration": 604_800,
        "frequency": "weekly", "interval": 1, "week_start": "MO", "by_day": null, "until": null,
        "rolling_users": [["U0"], ["U1", "U2"]], "start_rotation_from_user_index": 1});
    for (name, value) in more.as_object().unwrap() {
        shift[name] = value.clone();
    }
    shift
}

fn schedule(shifts: &[Value]) -> [(&'static str, Value); 2] {
    let ids: Vec<&Value> = shifts.iter().map(|shift| &shift["id"]).collect();
    let one = json!({"id": "S1", "name": "Web", "type": "calendar", "time_zone": "Europe/Vienna", "shifts": ids});
    [("schedules", json!({"results": [one]})), ("on_call_shifts", json!({"results": shifts}))]
}

#[test]
fn rolling_users_take_turns_from_the_first_one_named() {
    let all = [&[users()][..], &schedule(&[shift(&json!({}))])].concat();
    let conversion = convert(Product::Oncall, &all);
    let found = &of_kind(&conversion, "Roster")[0]["shiftDetails"][0];
    let login = |user: usize| json!({"loginName": format!("u{user}@x.example")});
    assert_eq!(
        found["rotation"],
        json!({"order": [{"users": [login(1), login(2)]}, {"users": [login(0)]}], "length": {"weeks": 1},
            "start": "2026-01-05T08:00:00"})
    );
    assert_eq!(of_kind(&conversion, "ContactMethod").len(), 4);
}

#[test]
fn what_a_roster_cannot_say_is_refused_with_the_reason() {
    let refused = |more: Value, words: &str| {
        let all = [&[users()][..], &schedule(&[shift(&more)])].concat();
        assert_refused(&convert(Product::Oncall, &all), "schedule \"Web\"", words);
    };
    refused(json!({"frequency": "monthly"}), "monthly");
    refused(json!({"by_month": [1]}), "by_month");
    refused(json!({"until": "2027-01-01T00:00:00"}), "until");
    refused(json!({"rotation_start": "2026-02-05T08:00:00"}), "rotation_start");
    refused(json!({"interval": 2}), "only for a part");
    refused(json!({"by_day": ["TU"], "duration": 3_600}), "by_day");
    refused(json!({"by_day": ["MO", "TU"], "duration": 90_000}), "before the one before it ends");
    refused(json!({"frequency": "daily", "by_day": ["MO", "TU"], "duration": 3_600}), "day by day");
    refused(json!({"frequency": "hourly", "interval": 12, "duration": 43_200}), "--elapsed-hours");
    refused(json!({"rolling_users": [["U0"], ["U9"]]}), "\"U9\" is not among the users");
    let gap = [shift(&json!({"rolling_users": [["U0"], []]})), shift(&json!({"id": "O2", "name": "Low", "level": 1}))];
    let all = [&[users()][..], &schedule(&gap)].concat();
    assert_refused(&convert(Product::Oncall, &all), "schedule \"Web\"", "a turn that nobody has");
    let mut ical = schedule(&[]);
    ical[0].1["results"][0]["type"] = json!("ical");
    assert_refused(&convert(Product::Oncall, &ical), "schedule \"Web\"", "calendar of another program");
    let zones = [shift(&json!({})), shift(&json!({"id": "O2", "name": "Two", "time_zone": "Asia/Kolkata"}))];
    let all = [&[users()][..], &schedule(&zones)].concat();
    assert_refused(&convert(Product::Oncall, &all), "schedule \"Web\"", "a roster has one zone");
}

#[test]
fn chains_overrides_and_rules_follow() {
    let over = |id: &str, day: u8, users: Value| {
        json!({"id": id, "type": "override", "name": "o", "time_zone": "UTC", "schedule": "S1", "duration": 86_400,
            "start": format!("2026-12-{day:02}T08:00:00"), "users": users})
    };
    let mut both = schedule(&[shift(&json!({}))]);
    let results = both[1].1["results"].as_array_mut().unwrap();
    results.extend([over("V1", 1, json!(["U3"])), over("V2", 5, json!(["U1", "U2"]))]);
    let step = |position: i64, kind: &str, more: Value| {
        let mut step = json!({"escalation_chain_id": "C1", "position": position, "type": kind});
        step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        step
    };
    let rule = |position: i64, kind: &str, duration: Value| {
        json!({"user_id": "U0", "position": position, "type": kind, "duration": duration,
            "important": true})
    };
    let all = [
        &[users()][..],
        &both,
        &[
            ("teams", json!({"results": [{"id": "T1", "name": "Net"}]})),
            ("escalation_chains", json!({"results": [{"id": "C1", "name": "Web"}, {"id": "C2", "name": "None"}]})),
            (
                "escalation_policies",
                json!({"results": [
                step(3, "notify_persons", json!({"persons_to_notify": ["U0"]})),
                step(0, "notify_on_call_from_schedule", json!({"notify_on_call_from_schedule": "S1"})),
                step(1, "trigger_webhook", json!({})),
                step(2, "wait", json!({"duration": 900})),
                step(4, "notify_team_members", json!({"notify_to_team_members": "T1"})),
                step(5, "repeat_escalation", json!({}))]}),
            ),
            (
                "personal_notification_rules",
                json!({"results": [
                rule(1, "notify_by_email", json!(null)), rule(0, "wait", json!(120)),
                rule(2, "notify_by_sms", json!(null))]}),
            ),
            (
                "integrations",
                json!({"results": [{"id": "I1", "name": "Grafana",
                "default_route": {"escalation_chain_id": "C1"}}]}),
            ),
            ("routes", json!({"results": [{"id": "R1", "integration_id": "I1", "routing_regex": "prod"}]})),
        ],
    ];
    let conversion = convert(Product::Oncall, &all.concat());
    assert_eq!(
        of_kind(&conversion, "EscalationPolicy"),
        [json!({"kind": "EscalationPolicy", "name": "Web", "repeat": 5, "steps": [
            {"targets": [{"roster": {"name": "Web"}}], "wait": "15m"},
            {"targets": [{"user": {"loginName": "u0@x.example"}}, {"userGroup": {"name": "Net"}}], "wait": "5m"}]})]
    );
    assert!(entry(&conversion, "escalation chain \"Web\"").notes[0].contains("trigger_webhook"));
    assert_refused(&conversion, "escalation chain \"None\"", "0 steps");
    assert_refused(&conversion, "override \"V2 of Web\"", "2 people");
    assert_eq!(of_kind(&conversion, "RosterOverride")[0]["start"], "2026-12-01T08:00:00+0000");
    assert_eq!(
        of_kind(&conversion, "NotificationRule"),
        [json!({"kind": "NotificationRule", "user": {"loginName": "u0@x.example"}, "urgency": "high",
            "steps": [{"contactMethod": {"name": "u0@x.example"}, "after": "2m"}]})]
    );
    assert_eq!(of_kind(&conversion, "UserGroup")[0]["users"].as_array().unwrap().len(), 4);
    assert_eq!(entry(&conversion, "integration \"Grafana\"").outcome, Outcome::Partial);
    assert_refused(&conversion, "route \"prod of I1\"", "AlertRoute");
}

fn random_shift(number: usize) -> impl Strategy<Value = Value> {
    let group = prop::collection::vec(0..4_usize, 1..3)
        .prop_map(|users| json!(users.iter().map(|user| format!("U{user}")).collect::<Vec<_>>()));
    let groups = prop::collection::vec(group, 1..4);
    // Times of day, in half hours, that no clock skips or repeats.
    let (start, end) = (8..48_i64, 8..48_i64);
    (
        0..500_i64,
        start,
        end,
        0..6_u8,
        groups,
        0..3_i64,
        prop::sample::subsequence(DAYS.to_vec(), 1..7),
        1..4_i64,
        0..7_usize,
    )
        .prop_map(move |(day, start, end, kind, groups, level, days, every, week_start)| {
            let begin =
                civil::date(2026, 1, 1).at((start / 2) as i8, (start % 2 * 30) as i8, 0, 0) + Span::new().days(day);
            let part = (end - start).rem_euclid(48) * 1_800;
            let part = if part == 0 { 86_400 } else { part };
            let mut days: Vec<&str> = days;
            let first = DAYS[begin.weekday().to_monday_zero_offset() as usize];
            if !days.contains(&first) {
                days.push(first);
            }
            let (frequency, every, by_day, duration) = match kind {
                0 => ("daily", 1, None, part),
                1 => ("daily", every, None, every * 86_400),
                2 => ("weekly", 1, None, part + 86_400 * (every + 1)),
                3 => ("weekly", every, None, every * 604_800),
                _ => ("weekly", 1, Some(days), part),
            };
            let first = week_start % groups.len();
            let kind = if level == 2 && kind < 3 { "recurrent_event" } else { "rolling_users" };
            let begin = begin.strftime("%Y-%m-%dT%H:%M:%S").to_string();
            json!({"id": format!("O{number}"), "name": format!("Shift {number}"), "type": kind, "level": level,
                "start": begin, "rotation_start": begin, "duration": duration, "frequency": frequency,
                "interval": every, "by_day": by_day, "week_start": DAYS[week_start], "users": groups[0],
                "rolling_users": groups, "start_rotation_from_user_index": first})
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_roster_means_what_its_schedule_means(
        zone in prop::sample::select(vec!["Europe/Vienna", "America/New_York", "Asia/Kolkata"]),
        shifts in (1..4_usize).prop_flat_map(|count| (0..count).map(random_shift).collect::<Vec<_>>()),
        instants in prop::collection::vec((0..900 * 48_i64, -1..=1_i64), 300),
    ) {
        let ids: Vec<&Value> = shifts.iter().map(|shift| &shift["id"]).collect();
        let one = json!({"id": "S1", "name": "Web", "type": "calendar", "time_zone": zone, "shifts": ids});
        let answers = [
            users(),
            ("schedules", json!({"results": [one]})),
            ("on_call_shifts", json!({"results": shifts})),
        ];
        let early = Settings { elapsed_hours: false, now: at("2025-01-01T00:00:00Z") };
        let export = export(&answers);
        let conversion = Product::Oncall.convert(&export, early);
        let rosters = of_kind(&conversion, "Roster");
        if rosters.is_empty() {
            let reason = entry(&conversion, "schedule \"Web\"");
            let told = ["nobody is ever", "at most 100"].iter().any(|words| reason.notes[0].contains(words));
            prop_assert!(told, "{:?}", reason);
            return Ok(());
        }
        let roster = Roster::new(&rosters[0], &[]);
        let reading = reading(Product::Oncall, &export);
        let first = at("2026-01-01T00:00:00Z").millis();
        for (half_hour, second) in instants {
            let instant = Timestamp::from_millis(first + half_hour * 1_800_000 + second * 1_000);
            prop_assert_eq!(roster.on_call(instant), reading(instant), "at {}", instant);
        }
    }
}
