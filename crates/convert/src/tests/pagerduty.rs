//! Accounts of PagerDuty, small and made up.

use serde_json::{Value, json};

use super::{assert_refused, convert, entry, of_kind};
use crate::{options::Product, report::Outcome};

fn users() -> (&'static str, Value) {
    let ann = json!({"id": "U1", "name": "Ann Maria Lee", "email": "ann@example.net", "role": "admin",
        "contact_methods": [
            {"id": "C1", "type": "email_contact_method", "address": "ann@example.net"},
            {"id": "C2", "type": "email_contact_method", "address": "ann@home.example"},
            {"id": "C3", "type": "sms_contact_method", "address": "6641234567", "country_code": 43},
            {"id": "C4", "type": "push_notification_contact_method", "address": "abc"}],
        "notification_rules": [
            {"urgency": "high", "start_delay_in_minutes": 5, "contact_method": {"id": "C2"}},
            {"urgency": "high", "start_delay_in_minutes": 0,
                "contact_method": {"id": "C3", "type": "sms_contact_method"}},
            {"urgency": "low", "start_delay_in_minutes": 0, "contact_method": {"id": "C1"}}]});
    let bob = json!({"id": "U2", "name": "Bob", "email": "bob@example.net", "role": "limited_user",
        "contact_methods": [], "notification_rules": []});
    ("users", json!({"users": [ann, bob], "more": false}))
}

fn layer(more: &Value) -> Value {
    let mut layer = json!({"id": "L1", "name": "Layer 1", "start": "2026-01-05T08:00:00+01:00", "end": null,
        "rotation_virtual_start": "2026-01-05T08:00:00+01:00", "rotation_turn_length_seconds": 604_800,
        "users": [{"user": {"id": "U1"}}, {"user": {"id": "U2"}}], "restrictions": []});
    for (name, value) in more.as_object().unwrap() {
        layer[name] = value.clone();
    }
    layer
}

fn schedule(layers: &[Value]) -> (&'static str, Value) {
    (
        "schedules/S1",
        json!({"schedule": {"id": "S1", "name": "Web", "description": "", "time_zone": "Europe/Vienna",
        "schedule_layers": layers, "final_schedule": {}}}),
    )
}

#[test]
fn users_have_contact_methods_and_rules() {
    let conversion = convert(Product::Pagerduty, &[users()]);
    assert_eq!(
        of_kind(&conversion, "User")[0],
        json!({"kind": "User", "loginName": "ann@example.net", "firstName": "Ann Maria", "lastName": "Lee",
            "email": "ann@example.net", "mobileNumber": "+43 6641234567", "role": "admin"})
    );
    let rules = of_kind(&conversion, "NotificationRule");
    assert_eq!(
        rules[0],
        json!({"kind": "NotificationRule", "user": {"loginName": "ann@example.net"}, "urgency": "high",
            "steps": [{"contactMethod": {"name": "ann@home.example"}, "after": "5m"}]})
    );
    assert_eq!((rules.len(), &rules[1]["steps"][0]["after"]), (2, &json!("0s")));
    assert_eq!(of_kind(&conversion, "ContactMethod").len(), 2);
    let notes = entry(&conversion, "user \"ann@example.net\"").notes.join("\n");
    for part in ["sms to 6641234567", "no app of its own", "high urgency by sms_contact_method is lost"] {
        assert!(notes.contains(part), "{part} is not in {notes}");
    }
}

#[test]
fn a_layer_hides_those_behind_it() {
    let office = layer(&json!({"id": "L2", "name": "Office", "users": [{"user": {"id": "U2"}}],
        "restrictions": [{"type": "daily_restriction", "start_time_of_day": "09:00:00", "duration_seconds": 28_800}]}));
    let conversion = convert(Product::Pagerduty, &[users(), schedule(&[office, layer(&json!({}))])]);
    let roster = &of_kind(&conversion, "Roster")[0];
    let names: Vec<&Value> = roster["shiftDetails"].as_array().unwrap().iter().map(|shift| &shift["name"]).collect();
    assert_eq!(names, ["Office daily 09:00-17:00", "Layer 1 daily 17:00-09:00"]);
    let of_office = &roster["shiftDetails"][0];
    assert_eq!(of_office["users"], json!([{"loginName": "bob@example.net"}]), "one user takes no turns");
    assert_eq!(
        roster["shiftDetails"][1]["rotation"],
        json!({"order": [{"users": [{"loginName": "ann@example.net"}]}, {"users": [{"loginName": "bob@example.net"}]}],
            "length": {"weeks": 1}, "start": "2026-01-05T08:00:00"})
    );
    assert_eq!(entry(&conversion, "schedule \"Web\"").outcome, Outcome::Converted);
}

#[test]
fn what_a_roster_cannot_say_is_refused_with_the_reason() {
    let refused = |layers: &[Value], words: &str| {
        let conversion = convert(Product::Pagerduty, &[users(), schedule(layers)]);
        assert_refused(&conversion, "schedule \"Web\"", words);
        assert!(of_kind(&conversion, "Roster").is_empty());
    };
    refused(&[layer(&json!({"rotation_turn_length_seconds": 43_200}))], "--elapsed-hours");
    refused(&[layer(&json!({"rotation_turn_length_seconds": 86_401}))], "not of whole hours");
    refused(&[layer(&json!({"rotation_virtual_start": "2026-01-06T08:00:00+01:00"}))], "begins before its rotation");
    refused(&[layer(&json!({"users": [{"user": {"id": "U9", "summary": "Zed"}}]}))], "\"Zed\" is not among the users");
    refused(&[layer(&json!({"users": []}))], "nobody is ever on call");
    let restricted = |restriction: Value| layer(&json!({"restrictions": [restriction]}));
    refused(
        &[restricted(json!({"type": "daily_restriction", "start_time_of_day": "9", "duration_seconds": 5}))],
        "\"9\"",
    );
    refused(
        &[restricted(json!({"type": "daily_restriction", "start_time_of_day": "09:00:00", "duration_seconds": 0}))],
        "0 seconds",
    );
    refused(
        &[restricted(json!({"type": "weekly_restriction", "start_time_of_day": "09:00:00", "duration_seconds": 9}))],
        "on which day of the week",
    );
    let conversion = convert(Product::Pagerduty, &[("schedules", json!({"schedules": [{"id": "S1", "name": "Web"}]}))]);
    assert_refused(&conversion, "schedule \"Web\"", "schedules/S1.json");
}

#[test]
fn overrides_policies_and_services_follow_the_schedule() {
    let overrides = json!({"overrides": [
        {"id": "O1", "start": "2026-12-01T08:00:00+01:00", "end": "2026-12-02T08:00:00+01:00", "user": {"id": "U2"}},
        {"id": "O2", "start": "2026-12-05T08:00:00+01:00", "end": "2026-12-06T08:00:00+01:00", "user": {"id": "U2"}},
        {"id": "O3", "start": "2026-12-05T20:00:00+01:00", "end": "2026-12-06T08:00:00+01:00", "user": {"id": "U1"}},
        {"id": "O4", "start": "2026-10-05T20:00:00+01:00", "end": "2026-10-06T08:00:00+01:00", "user": {"id": "U1"}}]});
    let policies = json!({"escalation_policies": [
        {"id": "P1", "name": "Web", "num_loops": 2, "escalation_rules": [
            {"escalation_delay_in_minutes": 15, "targets": [{"id": "S1", "type": "schedule_reference"}]},
            {"escalation_delay_in_minutes": 60, "targets": [{"id": "U1", "type": "user_reference"}]}]},
        {"id": "P2", "name": "Round", "escalation_rules": [{"escalation_delay_in_minutes": 15,
            "escalation_rule_assignment_strategy": {"type": "round_robin"},
            "targets": [{"id": "U1", "type": "user_reference"}]}]}]});
    let service = |id: &str, name: &str, policy: &str| {
        json!({"id": id, "name": name, "status": "active",
        "escalation_policy": {"id": policy}, "acknowledgement_timeout": 1_800, "auto_resolve_timeout": null,
        "incident_urgency_rule": {"type": "constant", "urgency": "low"}, "integrations": [{"summary": "Events"}]})
    };
    let conversion = convert(
        Product::Pagerduty,
        &[
            users(),
            schedule(&[layer(&json!({}))]),
            ("schedules/S1/overrides", overrides),
            ("escalation_policies", policies),
            ("services", json!({"services": [service("V1", "Shop", "P1"), service("V2", "Blog", "P2")]})),
            (
                "maintenance_windows",
                json!({"maintenance_windows": [
                {"id": "M1", "description": "Move", "services": [{"id": "V1", "summary": "Shop"}],
                    "start_time": "2026-12-01T20:00:00Z", "end_time": "2026-12-01T22:00:00Z"},
                {"id": "M2", "description": "Old", "services": [{"id": "V1", "summary": "Shop"}],
                    "start_time": "2026-10-01T20:00:00Z", "end_time": "2026-10-01T22:00:00Z"}]}),
            ),
            ("teams", json!({"teams": [{"id": "T1", "name": "Web"}]})),
            ("teams/T1/members", json!({"members": [{"user": {"id": "U2"}, "role": "manager"}]})),
        ],
    );
    assert_eq!(
        of_kind(&conversion, "RosterOverride"),
        [json!({"kind": "RosterOverride", "roster": {"name": "Web"}, "user": {"loginName": "bob@example.net"},
            "start": "2026-12-01T07:00:00+0000", "end": "2026-12-02T07:00:00+0000"})]
    );
    assert_refused(&conversion, "override \"O2 of Web\"", "overlaps");
    assert_eq!(entry(&conversion, "override \"O4 of Web\"").outcome, Outcome::Omitted);
    assert_eq!(
        of_kind(&conversion, "EscalationPolicy"),
        [json!({"kind": "EscalationPolicy", "name": "Web", "repeat": 2, "steps": [
            {"targets": [{"roster": {"name": "Web"}}], "wait": "15m"},
            {"targets": [{"user": {"loginName": "ann@example.net"}}], "wait": "1h"}]})]
    );
    assert_refused(&conversion, "escalation policy \"Round\"", "in turn");
    assert_refused(&conversion, "service \"Blog\"", "is not converted");
    assert_refused(&conversion, "maintenance window \"Move\"", "(Shop; from 2026-12-01T20:00:00+0000 to");
    assert_eq!(entry(&conversion, "maintenance window \"Old\"").outcome, Outcome::Omitted);
    assert_eq!(
        of_kind(&conversion, "AlertRoute"),
        [json!({"kind": "AlertRoute", "name": "Service: Shop", "matchingType": "ALL", "position": 10,
            "rules": [{"key": "serviceGroups", "operator": "Equals", "value": "Shop"}], "policy": {"name": "Web"}})]
    );
    let shop = entry(&conversion, "service \"Shop\"");
    assert_eq!(
        shop.becomes,
        ["ServiceGroup \"Shop\"", "AlertRoute \"Service: Shop\"", "InboundAddress \"Shop: Events\""]
    );
    let notes = shop.notes.join("\n");
    assert!(notes.contains("holds for 30m") && notes.contains("urgency is \"low\""), "{notes}");
    assert_eq!(of_kind(&conversion, "UserGroup")[0]["users"], json!([{"loginName": "bob@example.net"}]));
}
