//! Accounts of Opsgenie, small and made up.

use std::path::Path;

use serde_json::{Value, json};

use super::{assert_refused, convert, entry, of_kind, settings};
use crate::{conversion::Settings, options::Product, report::Outcome};

fn users() -> (&'static str, Value) {
    let user = |id: &str, name: &str, role: &str| {
        json!({"id": id, "username": format!("{name}@example.net"), "fullName": format!("{name} of Graz"),
            "role": {"id": role, "name": role}, "blocked": false})
    };
    let mut gone = user("u4", "dee", "User");
    gone["blocked"] = json!(true);
    let data = [user("u1", "ann", "Owner"), user("u2", "bob", "User"), user("u3", "cy", "Stakeholder"), gone];
    ("users", json!({"data": data, "paging": {}}))
}

fn teams() -> [(&'static str, Value); 2] {
    [
        ("teams", json!({"data": [{"id": "t1", "name": "Network", "description": "Switches"}]})),
        (
            "teams/t1",
            json!({"data": {"id": "t1", "name": "Network", "members": [
            {"user": {"id": "u1", "username": "ann@example.net"}, "role": "admin"},
            {"user": {"id": "u2", "username": "bob@example.net"}, "role": "user"},
            {"user": {"id": "u4", "username": "dee@example.net"}, "role": "user"}]}}),
        ),
    ]
}

fn rotation(more: &Value) -> Value {
    let mut rotation = json!({"id": "r1", "name": "Day", "startDate": "2026-01-05T08:00:00Z", "type": "weekly",
        "length": 1, "participants": [{"type": "user", "id": "u1"}, {"type": "user", "username": "bob@example.net"}]});
    for (name, value) in more.as_object().unwrap() {
        rotation[name] = value.clone();
    }
    rotation
}

fn schedule(rotations: &[Value]) -> (&'static str, Value) {
    (
        "schedules",
        json!({"data": [{"id": "s1", "name": "First line", "description": "Who answers",
        "timezone": "Europe/Vienna", "enabled": true, "rotations": rotations}]}),
    )
}

#[test]
fn users_have_contact_methods_rules_and_roles() {
    let contact =
        |method: &str, to: &str, enabled: bool| json!({"contactMethod": method, "to": to, "enabled": enabled});
    let contacts = [
        contact("email", "ann@example.net", true),
        contact("sms", "43-6641234567", true),
        contact("voice", "43-316123", true),
        contact("mobile", "phone", true),
        contact("email", "old@example.net", false),
    ];
    let step = |method: &str, to: &str, minutes: i64| {
        json!({"contact": {"method": method, "to": to}, "sendAfter": {"timeAmount": minutes, "timeUnit": "minutes"},
            "enabled": true})
    };
    let rule = json!({"data": {"id": "n1", "name": "New alert", "actionType": "create-alert", "enabled": true,
        "criteria": {"type": "match-all"}, "steps": [step("email", "ann@example.net", 5), step("sms", "43-66", 0)]}});
    let conversion = convert(
        Product::Opsgenie,
        &[
            users(),
            ("users/u1", json!({"data": {"id": "u1", "userContacts": contacts}})),
            ("users/u1/notification-rules/n1", rule),
        ],
    );
    let users = of_kind(&conversion, "User");
    assert_eq!(
        users[0],
        json!({"kind": "User", "loginName": "ann@example.net", "firstName": "ann of", "lastName": "Graz",
            "email": "ann@example.net", "phoneNumber": "+43-316123", "mobileNumber": "+43-6641234567",
            "role": "admin"})
    );
    let roles: Vec<&Value> = users.iter().map(|user| &user["role"]).collect();
    assert_eq!(roles, ["admin", "operator", "viewer"]);
    assert_eq!(
        of_kind(&conversion, "ContactMethod"),
        [json!({"kind": "ContactMethod", "user": {"loginName": "ann@example.net"}, "name": "ann@example.net",
            "type": "EMAIL", "address": "ann@example.net", "verified": true})]
    );
    let rules = of_kind(&conversion, "NotificationRule");
    assert_eq!(
        rules[0],
        json!({"kind": "NotificationRule", "user": {"loginName": "ann@example.net"}, "urgency": "high",
            "steps": [{"contactMethod": {"name": "ann@example.net"}, "after": "5m"}]})
    );
    assert_eq!((rules.len(), &rules[1]["urgency"]), (2, &json!("low")));
    let ann = entry(&conversion, "user \"ann@example.net\"");
    let notes = ann.notes.join("\n");
    for part in ["sms to 43-6641234567", "voice to", "no app of its own", "by sms is lost"] {
        assert!(notes.contains(part), "{part} is not in {notes}");
    }
    assert_eq!((ann.outcome, ann.becomes.len()), (Outcome::Partial, 4));
    assert_eq!(entry(&conversion, "user \"dee@example.net\"").outcome, Outcome::Omitted);
}

#[test]
fn teams_are_groups_without_those_who_are_blocked() {
    let conversion = convert(Product::Opsgenie, &[&[users()][..], &teams()].concat());
    assert_eq!(
        of_kind(&conversion, "UserGroup"),
        [json!({"kind": "UserGroup", "name": "Network", "description": "Switches",
            "users": [{"loginName": "ann@example.net"}, {"loginName": "bob@example.net"}]})]
    );
    let notes = entry(&conversion, "team \"Network\"").notes.join("\n");
    assert!(notes.contains("is blocked") && notes.contains("roles within the team"), "{notes}");
}

#[test]
fn a_schedule_is_a_roster_of_windows_and_turns() {
    let night = json!({"id": "r2", "name": "Night", "timeRestriction": {"type": "time-of-day",
        "restriction": {"startHour": 22, "startMin": 0, "endHour": 6, "endMin": 30}},
        "participants": [{"type": "team", "name": "Network"}, {"type": "none"}]});
    let day = json!({"startDate": "2026-01-04T23:00:00Z", "timeRestriction": {"type": "weekday-and-time-of-day",
        "restrictions": [{"startDay": "friday", "startHour": 18, "startMin": 0, "endDay": "monday", "endHour": 8,
            "endMin": 0}]}});
    let all = [&[users()][..], &teams(), &[schedule(&[rotation(&day), rotation(&night)])]].concat();
    let conversion = convert(Product::Opsgenie, &all);
    let files = cli::files(&conversion.documents).unwrap();
    let (_, text) = files.iter().find(|(path, _)| path == Path::new("rosters/first-line.yaml")).unwrap();
    let expected = "\
kind: Roster
name: First line
description: Who answers
timeZone:
  name: Europe/Vienna
shiftDetails:
- name: \"Day Fri, Sat 18:00-18:00\"
  schedule:
    type: recurring
    startDate: \"2026-01-04T23:00:00+0000\"
    startTime: \"18:00:00\"
    endTime: \"18:00:00\"
    pattern:
      type: weekly
      repeatFrequency: 1
      weekDays: \"Friday,Saturday\"
    endPattern:
      type: NEVER
  rotation:
    order:
    - users:
      - loginName: ann@example.net
    - users:
      - loginName: bob@example.net
    length:
      weeks: 1
    start: \"2026-01-05T00:00:00\"
- name: ";
    assert!(text.starts_with(expected), "{text}");
    let roster = &of_kind(&conversion, "Roster")[0];
    let names: Vec<&str> =
        roster["shiftDetails"].as_array().unwrap().iter().map(|shift| shift["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Day Fri, Sat 18:00-18:00", "Day Sun 18:00-08:00", "Night daily 22:00-06:30"]);
    assert_eq!(roster["shiftDetails"][2]["rotation"]["order"][0], json!({"userGroups": [{"name": "Network"}]}));
    assert_eq!(roster["shiftDetails"][2]["rotation"]["order"][1], json!({"users": []}));
    assert_eq!(entry(&conversion, "schedule \"First line\"").outcome, Outcome::Converted);
}

#[test]
fn what_begins_or_ends_within_a_window_has_a_part_of_it() {
    let night = json!({"startDate": "2026-12-06T00:00:00Z", "endDate": "2026-12-20T23:00:00Z",
        "timeRestriction": {"type": "time-of-day",
            "restriction": {"startHour": 22, "startMin": 0, "endHour": 6, "endMin": 0}}});
    let conversion = convert(Product::Opsgenie, &[users(), schedule(&[rotation(&night)])]);
    let shifts = of_kind(&conversion, "Roster")[0]["shiftDetails"].as_array().unwrap().clone();
    let schedules: Vec<&Value> = shifts.iter().map(|shift| &shift["schedule"]).collect();
    assert_eq!(schedules[0]["endPattern"], json!({"type": "DATE", "endDate": "2026-12-20T21:00:00+0000"}));
    assert_eq!(
        (schedules[1], schedules[2]),
        (
            &json!({"type": "one-time", "startDate": "2026-12-06T00:00:00+0000",
                "endDate": "2026-12-06T05:00:00+0000"}),
            &json!({"type": "one-time", "startDate": "2026-12-20T21:00:00+0000",
                "endDate": "2026-12-20T23:00:00+0000"})
        )
    );
    assert_eq!(
        (&shifts[1]["name"], &shifts[2]["name"]),
        (&json!("Day daily 22:00-06:00 (part)"), &json!("Day daily 22:00-06:00 (part) 2"))
    );
}

#[test]
fn what_a_roster_cannot_say_is_refused_with_the_reason() {
    let refused = |rotations: &[Value], words: &str| {
        let overrides = ("schedules/s1/overrides", json!({"data": [{"alias": "o"}]}));
        let conversion = convert(Product::Opsgenie, &[users(), schedule(rotations), overrides]);
        assert_refused(&conversion, "schedule \"First line\"", words);
        assert!(of_kind(&conversion, "Roster").is_empty() && of_kind(&conversion, "RosterOverride").is_empty());
    };
    refused(&[rotation(&json!({"type": "hourly", "length": 12}))], "--elapsed-hours");
    refused(&[rotation(&json!({"type": "monthly"}))], "monthly");
    refused(&[rotation(&json!({"length": 54}))], "378 days is longer");
    refused(&[rotation(&json!({"participants": [{"type": "escalation", "id": "e1"}]}))], "escalation takes a turn");
    refused(&[rotation(&json!({"participants": [{"type": "user", "id": "u4"}]}))], "blocked");
    refused(&[rotation(&json!({"participants": [{"type": "user", "id": "u9"}]}))], "not among the users");
    refused(&[rotation(&json!({"participants": [{"type": "none"}]}))], "nobody is ever on call");
    refused(&[rotation(&json!({"startDate": "tomorrow"}))], "not an instant");
    refused(&[rotation(&json!({"startDate": "2025-10-26T01:30:00Z"}))], "repeat");
    refused(&[], "no rotation");
    let times = |start: i64, end: i64| {
        json!({"timeRestriction": {"type": "time-of-day",
        "restriction": {"startHour": start, "startMin": 0, "endHour": end, "endMin": 0}}})
    };
    refused(&[rotation(&times(8, 8))], "all day or never");
    let week = json!({"timeRestriction": {"type": "weekday-and-time-of-day", "restrictions": [
        {"startDay": "monday", "startHour": 18, "endDay": "monday", "endHour": 8}]}});
    refused(&[rotation(&week)], "before it begins");
    let many: Vec<Value> = (0..101).map(|number| rotation(&json!({"name": format!("r{number}")}))).collect();
    refused(&many, "at most 100");
}

#[test]
fn turns_of_hours_are_taken_as_they_pass_where_that_is_known_or_said() {
    let hourly = rotation(&json!({"type": "hourly", "length": 12}));
    let answers = [users(), schedule(std::slice::from_ref(&hourly))];
    let elapsed = Settings { elapsed_hours: true, ..settings() };
    let conversion = Product::Opsgenie.convert(&super::export(&answers), elapsed);
    assert_eq!(of_kind(&conversion, "Roster")[0]["shiftDetails"][0]["rotation"]["length"], json!({"hours": 12}));
    let mut fixed = schedule(&[hourly]);
    fixed.1["data"][0]["timezone"] = json!("Asia/Kolkata");
    let conversion = convert(Product::Opsgenie, &[users(), fixed]);
    assert_eq!(of_kind(&conversion, "Roster").len(), 1);
}

#[test]
fn an_hour_that_the_clocks_skip_is_told_and_what_is_over_is_left_out() {
    let early = rotation(&json!({"startDate": "2026-01-05T01:30:00Z"}));
    let over = rotation(&json!({"name": "Old", "endDate": "2026-10-31T00:00:00Z"}));
    let conversion = convert(Product::Opsgenie, &[users(), schedule(&[early, over])]);
    let entry = entry(&conversion, "schedule \"First line\"");
    let notes = entry.notes.join("\n");
    assert!(notes.contains("\"Day\" begins, ends or hands over at 02:30"), "{notes}");
    assert!(notes.contains("\"Old\" is over"), "{notes}");
    assert_eq!(entry.outcome, Outcome::Partial);
}

#[test]
fn overrides_are_of_the_roster_or_of_shifts() {
    let of = |alias: &str, user: Value, start: &str, end: &str, rotations: Value| {
        json!({"alias": alias, "user": user, "startDate": start, "endDate": end,
            "rotations": rotations})
    };
    let bob = || json!({"type": "user", "id": "u2"});
    let office = json!({"id": "r2", "name": "Office", "timeRestriction": {"type": "time-of-day",
        "restriction": {"startHour": 9, "startMin": 0, "endHour": 17, "endMin": 0}}});
    let overrides = json!({"data": [
        of("past", bob(), "2026-01-10T08:00:00Z", "2026-01-11T08:00:00Z", json!([])),
        of("whole", bob(), "2026-12-01T08:00:00Z", "2028-01-01T08:00:00Z", json!([])),
        of("day", bob(), "2026-11-11T09:00:00Z", "2026-11-11T15:00:00Z", json!([{"name": "Office"}])),
        of("night", bob(), "2026-11-12T09:00:00Z", "2026-11-13T15:00:00Z", json!([{"id": "r2"}])),
        of("nobody", json!({"type": "none"}), "2026-11-14T09:00:00Z", "2026-11-14T15:00:00Z", json!([])),
        of("one", bob(), "2026-11-15T09:00:00Z", "2026-11-15T15:00:00Z", json!([])),
        of("other", bob(), "2026-11-15T14:00:00Z", "2026-11-15T16:00:00Z", json!([{"id": "r1"}])),
        of("lost", bob(), "2026-11-16T14:00:00Z", "2026-11-16T16:00:00Z", json!([{"id": "r9"}])),
    ]});
    let conversion = convert(
        Product::Opsgenie,
        &[users(), schedule(&[rotation(&json!({})), rotation(&office)]), ("schedules/s1/overrides", overrides)],
    );
    let made = of_kind(&conversion, "RosterOverride");
    assert_eq!(
        made[0],
        json!({"kind": "RosterOverride", "roster": {"name": "First line"}, "user": {"loginName": "bob@example.net"},
            "start": "2026-12-01T08:00:00+0000", "end": "2027-12-02T08:00:00+0000"})
    );
    assert_eq!(
        (&made[1]["start"], &made[1]["end"]),
        (&json!("2027-12-02T08:00:00+0000"), &json!("2028-01-01T08:00:00+0000"))
    );
    assert_eq!(made[2]["shift"], json!({"name": "Office daily 09:00-17:00"}));
    assert_eq!(made.len(), 3);
    let refused = |alias: &str, words: &str| {
        assert_refused(&conversion, &format!("override \"{alias} of First line\""), words);
    };
    refused("night", "does not take place through all of its time");
    refused("nobody", "takes everybody off call");
    refused("one", "overlaps");
    refused("other", "overlaps");
    refused("lost", "not in the roster");
    assert_eq!(entry(&conversion, "override \"past of First line\"").outcome, Outcome::Omitted);
}

#[test]
fn escalations_are_policies_and_routing_rules_are_routes_of_the_owner() {
    let rule = |minutes: i64, how: &str, recipient: Value| {
        json!({"condition": "if-not-acked", "notifyType": how, "delay": {"timeAmount": minutes},
            "recipient": recipient})
    };
    let roster = || json!({"type": "schedule", "id": "s1"});
    let escalations = json!({"data": [
        {"id": "e1", "name": "Network", "rules": [
            rule(10, "all", json!({"type": "team", "id": "t1"})), rule(0, "default", roster()),
            rule(10, "default", json!({"type": "user", "username": "ANN@example.net"}))],
            "repeat": {"waitInterval": 20, "count": 2, "closeAlertAfterAll": true, "resetRecipientStates": false}},
        {"id": "e2", "name": "Late", "rules": [rule(5, "default", roster())]},
        {"id": "e3", "name": "Next", "rules": [rule(0, "next", roster())]}]});
    let routing = json!({"data": [
        {"id": "q2", "name": "Rest", "isDefault": true, "order": 0, "criteria": {"type": "match-all"},
            "notify": {"type": "schedule", "id": "s1"}},
        {"id": "q1", "name": "Links", "order": 1, "criteria": {"type": "match-any-condition", "conditions": [
            {"field": "message", "operation": "contains", "expectedValue": "link"},
            {"field": "extra-properties", "key": "env", "not": true, "operation": "equals", "expectedValue": "test"}]},
            "notify": {"type": "escalation", "name": "Network"}},
        {"id": "q3", "name": "Night", "order": 2, "criteria": {"type": "match-all"}, "timeRestriction": {"type": "x"},
            "notify": {"type": "none"}}]});
    let all = [
        &[users()][..],
        &teams(),
        &[schedule(&[rotation(&json!({}))]), ("escalations", escalations), ("teams/t1/routing-rules", routing)],
    ];
    let conversion = convert(Product::Opsgenie, &all.concat());
    let policies = of_kind(&conversion, "EscalationPolicy");
    assert_eq!(
        policies[0],
        json!({"kind": "EscalationPolicy", "name": "Network", "repeat": 2, "steps": [
            {"targets": [{"roster": {"name": "First line"}}], "wait": "10m"},
            {"targets": [{"userGroup": {"name": "Network"}}, {"user": {"loginName": "ann@example.net"}}],
                "wait": "20m"}]})
    );
    assert!(entry(&conversion, "escalation \"Network\"").notes[0].contains("not closed after the last repetition"));
    assert_refused(&conversion, "escalation \"Late\"", "waits for 5m");
    assert_refused(&conversion, "escalation \"Next\"", "level secondary");
    assert_eq!(policies[1]["name"], "On call: First line");
    let routes = of_kind(&conversion, "AlertRoute");
    let owner = json!({"key": "owner", "operator": "Equals", "value": "Network"});
    assert_eq!(
        routes[1],
        json!({"kind": "AlertRoute", "name": "Network: Links (2)", "matchingType": "ALL", "position": 20,
            "rules": [owner, {"key": "tags.env", "operator": "NotEquals", "value": "test"}],
            "policy": {"name": "Network"}})
    );
    assert_eq!((routes.len(), &routes[2]["rules"]), (3, &json!([owner])));
    assert_refused(&conversion, "routing rule \"Night of Network\"", "for some times alone");
}

#[test]
fn heartbeats_addresses_and_alerts_come_along_and_the_rest_is_told() {
    let conversion = convert(
        Product::Opsgenie,
        &[
            (
                "heartbeats",
                json!({"data": {"heartbeats": [
            {"name": "backup", "interval": 25, "intervalUnit": "hours", "enabled": true, "alertPriority": "P3",
                "alertMessage": "no backup", "alertTags": []},
            {"name": "off", "interval": 1, "intervalUnit": "days", "enabled": false}]}}),
            ),
            (
                "integrations",
                json!({"data": [
            {"id": "i1", "name": "Prom", "type": "Prometheus", "enabled": true},
            {"id": "i2", "name": "Chat", "type": "SlackApp", "enabled": true}]}),
            ),
            (
                "alerts",
                json!({"data": [{"id": "a1", "message": "Disk full", "alias": "d1", "status": "open",
            "priority": "P2", "entity": "web-01", "tags": ["prod"], "details": {"env": "live"}}]}),
            ),
            ("maintenance", json!({"data": [{"id": "m1", "description": "Move"}]})),
            ("forwarding-rules", json!({"data": [{"alias": "holidays"}]})),
            ("services", json!({"data": [{"id": "x"}, {"id": "y"}]})),
        ],
    );
    assert_eq!(
        of_kind(&conversion, "Heartbeat"),
        [json!({"kind": "Heartbeat", "name": "backup", "interval": "25h", "severity": "Warning"})]
    );
    assert_eq!(of_kind(&conversion, "InboundAddress"), [json!({"kind": "InboundAddress", "name": "Prom"})]);
    let line: Value = serde_json::from_str(conversion.open_alerts.as_ref().unwrap()).unwrap();
    assert_eq!(
        line,
        json!({"currentState": "Critical", "subject": "Disk full", "extAlertId": "d1",
            "device": {"hostName": "web-01"},
            "tags": [{"name": "prod", "value": ""}, {"name": "env", "value": "live"}]})
    );
    assert_refused(&conversion, "maintenance \"Move\"", "names machines");
    assert_refused(&conversion, "forwarding rule \"holidays\"", "override");
    assert_eq!(entry(&conversion, "services (2)").outcome, Outcome::Omitted);
    assert_eq!(entry(&conversion, "integration \"Chat\"").outcome, Outcome::Omitted);
    let report = conversion.report.markdown("Opsgenie", &crate::opsgenie::ASSUMPTIONS);
    assert!(report.contains("## Refused (2)") && !report.contains("no backup"), "{report}");
}
