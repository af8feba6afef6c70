//! Installations of GoAlert, small and made up, and random schedules of it: who is on call by its rules, as comparisons
//! read them, and by the roster that is written.

use base::Timestamp;
use jiff::{civil, tz::TimeZone};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{assert_refused, at, convert, entry, export, meaning::Roster, of_kind, reading};
use crate::{options::Product, report::Outcome};

fn answer(list: &str, nodes: &[Value]) -> Value {
    json!({"data": {list: {"nodes": nodes, "pageInfo": {"hasNextPage": false}}}})
}

fn users() -> (&'static str, Value) {
    let user = |number: usize| {
        json!({"id": format!("i{number}"), "name": format!("Per Son {number}"), "email": format!("u{number}@x.example"),
            "role": if number == 0 { "admin" } else { "user" },
            "contactMethods": [
                {"id": format!("m{number}"), "name": "Mail", "type": "EMAIL", "value": "mail@x.example"},
                {"id": format!("s{number}"), "name": "Phone", "dest": {"type": "builtin-twilio-sms",
                    "args": {"phone_number": "+431234"}}}],
            "notificationRules": [{"delayMinutes": 3, "contactMethodID": format!("m{number}")},
                {"delayMinutes": 0, "contactMethodID": format!("s{number}")}]})
    };
    ("users", answer("users", &(0..4).map(user).collect::<Vec<_>>()))
}

fn rotation(more: &Value) -> Value {
    let mut rotation = json!({"id": "r1", "name": "Web", "type": "weekly", "shiftLength": 1, "activeUserIndex": 1,
        "start": "2026-01-05T08:00:00Z", "timeZone": "Europe/Vienna", "userIDs": ["i0", "i1", "i2"]});
    for (name, value) in more.as_object().unwrap() {
        rotation[name] = value.clone();
    }
    rotation
}

fn schedule(targets: Value, temporary: Value) -> Value {
    json!({"id": "s1", "name": "Web", "description": "", "timeZone": "Europe/Vienna", "targets": targets,
        "temporarySchedules": temporary})
}

fn by_rotation(start: &str, end: &str, days: [bool; 7]) -> Value {
    json!([{"target": {"id": "r1", "type": "rotation", "name": "Web"},
        "rules": [{"start": start, "end": end, "weekdayFilter": days}]}])
}

const WEEKDAYS: [bool; 7] = [false, true, true, true, true, true, false];

#[test]
fn a_rotation_begins_with_the_turn_that_goes_on() {
    let conversion = convert(
        Product::Goalert,
        &[
            users(),
            ("rotations", answer("rotations", &[rotation(&json!({}))])),
            ("schedules", answer("schedules", &[schedule(by_rotation("09:00", "17:00", WEEKDAYS), json!([]))])),
        ],
    );
    let shift = &of_kind(&conversion, "Roster")[0]["shiftDetails"][0];
    assert_eq!(shift["name"], "Web Mon-Fri 09:00-17:00");
    let place = |user: usize| json!({"users": [{"loginName": format!("u{user}@x.example")}]});
    assert_eq!(
        shift["rotation"],
        json!({"order": [place(1), place(2), place(0)], "length": {"weeks": 1}, "start": "2026-10-26T09:00:00"})
    );
    let first = of_kind(&conversion, "User")[0].clone();
    assert_eq!((&first["role"], &first["mobileNumber"]), (&json!("admin"), &json!("+431234")));
    let rules = of_kind(&conversion, "NotificationRule");
    assert_eq!((rules.len(), &rules[0]["steps"]), (8, &json!([{"contactMethod": {"name": "Mail"}, "after": "3m"}])));
    assert_eq!(entry(&conversion, "rotation \"Web\"").outcome, Outcome::Omitted);
}

#[test]
fn what_a_roster_cannot_say_is_refused_with_the_reason() {
    let refused = |more: Value, words: &str| {
        let conversion = convert(
            Product::Goalert,
            &[
                users(),
                ("rotations", answer("rotations", &[rotation(&more)])),
                ("schedules", answer("schedules", &[schedule(by_rotation("09:00", "09:00", [true; 7]), json!([]))])),
            ],
        );
        assert_refused(&conversion, "schedule \"Web\"", words);
    };
    refused(json!({"type": "monthly"}), "a turn of months");
    refused(json!({"type": "hourly", "shiftLength": 7}), "move with the clocks");
    refused(json!({"timeZone": "Europe/Paris"}), "by the clocks of Europe/Paris");
    refused(json!({"activeUserIndex": 3}), "whose turn it is");
    refused(json!({"userIDs": ["i0", "i9"]}), "\"i9\" is not among the users");
}

#[test]
fn overrides_replace_people_and_policies_tell_rotations() {
    let over = |id: &str, day: u8, add: Value, remove: Value| {
        json!({"id": id, "start": format!("2026-12-{day:02}T08:00:00Z"), "end": format!("2026-12-{day:02}T18:00:00Z"),
            "addUserID": add, "removeUserID": remove, "target": {"id": "s1", "type": "schedule"}})
    };
    let policies = [json!({"id": "p1", "name": "Web", "repeat": 1, "steps": [
        {"stepNumber": 1, "delayMinutes": 10,
            "targets": [{"id": "u", "type": "slackChannel"}, {"id": "i2", "type": "user"}]},
        {"stepNumber": 0, "delayMinutes": 5, "actions": [
            {"type": "builtin-schedule", "args": {"schedule_id": "s1"}},
            {"type": "builtin-rotation", "args": {"rotation_id": "r1"}}]}]})];
    let services = [json!({"id": "v1", "name": "Shop", "escalationPolicyID": "p1",
        "maintenanceExpiresAt": "2026-11-01T06:00:00Z",
        "integrationKeys": [{"id": "k1", "name": "Grafana", "type": "grafana"}],
        "heartbeatMonitors": [{"id": "h1", "name": "Backup", "timeoutMinutes": 90}]})];
    let temporary = json!([{"start": "2026-12-24T00:00:00Z", "end": "2026-12-27T00:00:00Z",
        "shifts": [{"userID": "i3", "start": "2026-12-24T08:00:00Z", "end": "2026-12-26T20:00:00Z"}]}]);
    let conversion = convert(
        Product::Goalert,
        &[
            users(),
            ("rotations", answer("rotations", &[rotation(&json!({}))])),
            ("schedules", answer("schedules", &[schedule(by_rotation("09:00", "09:00", [true; 7]), temporary)])),
            (
                "userOverrides",
                answer(
                    "userOverrides",
                    &[
                        over("o1", 1, json!("i0"), json!("i1")),
                        over("o2", 2, json!("i0"), json!("")),
                        over("o3", 3, json!(""), json!("i1")),
                        over("o4", 24, json!("i0"), json!("i1")),
                    ],
                ),
            ),
            ("escalationPolicies", answer("escalationPolicies", &policies)),
            ("services", answer("services", &services)),
        ],
    );
    assert_eq!(
        of_kind(&conversion, "RosterOverride"),
        [json!({"kind": "RosterOverride", "roster": {"name": "Web"}, "user": {"loginName": "u0@x.example"},
            "replaces": {"loginName": "u1@x.example"}, "start": "2026-12-01T08:00:00+0000",
            "end": "2026-12-01T18:00:00+0000"})]
    );
    assert_refused(&conversion, "override \"o2 of Web\"", "beside those");
    assert_refused(&conversion, "override \"o3 of Web\"", "off call");
    assert_refused(&conversion, "override \"o4 of Web\"", "temporary schedule");
    let roster = Roster::new(&of_kind(&conversion, "Roster")[0], &[]);
    let on_call = |time: &str| roster.on_call(at(time)).into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(on_call("2026-12-23T23:59:59Z"), "u0@x.example");
    assert_eq!(on_call("2026-12-24T07:59:59Z"), "");
    assert_eq!(on_call("2026-12-24T08:00:00Z"), "u3@x.example");
    assert_eq!(on_call("2026-12-26T19:59:59Z"), "u3@x.example");
    assert_eq!(on_call("2026-12-26T20:00:00Z"), "");
    assert_eq!(on_call("2026-12-27T00:00:00Z"), "u0@x.example");
    assert_eq!(
        of_kind(&conversion, "EscalationPolicy")[0]["steps"],
        json!([
            {"targets": [{"roster": {"name": "Web"}}, {"roster": {"name": "Rotation: Web"}}], "wait": "5m"},
            {"targets": [{"user": {"loginName": "u2@x.example"}}], "wait": "10m"}
        ])
    );
    assert_eq!(
        of_kind(&conversion, "Heartbeat"),
        [json!({"kind": "Heartbeat", "name": "Shop: Backup", "interval": "90m", "grace": "0s"})]
    );
    assert!(entry(&conversion, "escalation policy \"Web\"").notes[0].contains("slackChannel"));
    assert_eq!(entry(&conversion, "service \"Shop\"").becomes.len(), 4);
    assert_refused(&conversion, "maintenance of the service \"Shop\"", "to 2026-11-01T06:00:00+0000");
}

fn random_rules() -> impl Strategy<Value = Vec<Value>> {
    // No clock skips or repeats these hours.
    let time = || (4..24_u8, prop::sample::select(vec![0_u8, 15, 30])).prop_map(|(h, m)| format!("{h:02}:{m:02}"));
    let rule = (time(), time(), prop::array::uniform7(any::<bool>()))
        .prop_map(|(start, end, days)| json!({"start": start, "end": end, "weekdayFilter": days}));
    prop::collection::vec(rule, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_roster_means_what_its_schedule_means(
        zone in prop::sample::select(vec!["Europe/Vienna", "America/New_York", "Asia/Kolkata"]),
        rules in random_rules(),
        of_user in prop::option::of(random_rules()),
        kind in prop::sample::select(vec!["daily", "weekly", "hourly"]),
        length in prop::sample::select(vec![1, 2, 3, 4, 6, 12_i64]),
        users in prop::collection::vec(0..4_usize, 1..5),
        active in 0..100_usize,
        start in (-400..400_i64, 4..24_i8),
        instants in prop::collection::vec((0..800 * 96_i64, -1..=1_i64), 200),
    ) {
        let now = at("2026-11-01T00:00:00Z");
        let zoned = TimeZone::get(zone).unwrap();
        let local = civil::date(2026, 11, 1).at(start.1, 0, 0, 0) + jiff::Span::new().days(start.0);
        let begin = zoned.to_timestamp(local).unwrap().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let ids: Vec<String> = users.iter().map(|user| format!("i{user}")).collect();
        let rotation = rotation(&json!({"type": kind, "shiftLength": length, "activeUserIndex": active % users.len(),
            "start": begin, "timeZone": zone, "userIDs": ids}));
        let mut targets = vec![json!({"target": {"id": "r1", "type": "rotation", "name": "R"}, "rules": rules})];
        let user = |rules| json!({"target": {"id": "i3", "type": "user", "name": "U"}, "rules": rules});
        targets.extend(of_user.map(user));
        let mut schedule = schedule(json!(targets), json!([]));
        schedule["timeZone"] = json!(zone);
        let answers = [
            self::users(),
            ("rotations", answer("rotations", std::slice::from_ref(&rotation))),
            ("schedules", answer("schedules", std::slice::from_ref(&schedule))),
        ];
        let conversion = convert(Product::Goalert, &answers);
        let rosters = of_kind(&conversion, "Roster");
        if rosters.is_empty() {
            let reason = entry(&conversion, "schedule \"Web\"");
            let known = ["nobody is ever", "move with the clocks", "at most 100"];
            let told = known.iter().any(|words| reason.notes[0].contains(words));
            prop_assert!(told, "{:?}", reason);
            return Ok(());
        }
        let roster = Roster::new(&rosters[0], &[]);
        let export = export(&answers);
        let reading = reading(Product::Goalert, &export);
        for (quarter, second) in instants {
            let instant = Timestamp::from_millis(now.millis() + 1_000 + quarter * 900_000 + second * 1_000);
            prop_assert_eq!(roster.on_call(instant), reading(instant), "at {}", instant);
        }
    }
}
