//! An account of PagerDuty: a layer of office hours above one of turns, an override, services.

use serde_json::{Value, json};

use super::Account;

pub fn account() -> Account {
    Account {
        product: "pagerduty",
        answers: [people(), schedules(), services()].concat(),
        on_call: &[
            ("Web", "2026-11-02T07:59:59Z", &["bob@example.net"]),
            ("Web", "2026-11-02T10:00:00Z", &["cy@example.net"]),
            ("Web", "2026-11-02T18:00:00Z", &["bob@example.net"]),
            ("Web", "2026-11-09T18:00:00Z", &["ann@example.net"]),
            ("Web", "2026-12-01T06:59:59Z", &["bob@example.net"]),
            ("Web", "2026-12-01T07:00:00Z", &["ann@example.net"]),
            ("Web", "2026-12-01T10:00:00Z", &["ann@example.net"]),
            // The clocks went forward: office hours begin at nine.
            ("Web", "2027-03-29T06:59:59Z", &["ann@example.net"]),
            ("Web", "2027-03-29T07:00:00Z", &["cy@example.net"]),
        ],
        refused: &[],
    }
}

fn people() -> Vec<(&'static str, Value)> {
    let user = |id: &str, name: &str, role: &str| {
        let address = format!("{name}@example.net");
        let method = format!("C{id}");
        json!({"id": id, "name": format!("{name} Lee"), "email": address, "role": role,
            "contact_methods": [{"id": method, "type": "email_contact_method", "address": address},
                {"id": "S", "type": "sms_contact_method", "address": "6641234567", "country_code": 43}],
            "notification_rules": [
                {"urgency": "high", "start_delay_in_minutes": 5, "contact_method": {"id": method}}]})
    };
    let users = [user("U1", "ann", "admin"), user("U2", "bob", "limited_user"), user("U3", "cy", "user")];
    vec![
        ("users", json!({"users": users, "more": false})),
        ("teams", json!({"teams": [{"id": "T1", "name": "Web"}]})),
        ("teams/T1/members", json!({"members": [{"user": {"id": "U2"}, "role": "manager"}]})),
    ]
}

fn schedules() -> Vec<(&'static str, Value)> {
    let layer = |name: &str, users: &[&str], restrictions: Value| {
        let users: Vec<Value> = users.iter().map(|id| json!({"user": {"id": id}})).collect();
        json!({"id": name, "name": name, "start": "2026-01-05T08:00:00+01:00", "end": null,
            "rotation_virtual_start": "2026-01-05T08:00:00+01:00", "rotation_turn_length_seconds": 604_800,
            "users": users, "restrictions": restrictions})
    };
    let office = json!([{"type": "daily_restriction", "start_time_of_day": "09:00:00", "duration_seconds": 28_800}]);
    let layers = [layer("Office", &["U3"], office), layer("Turns", &["U1", "U2"], json!([]))];
    let over = json!({"id": "O1", "start": "2026-12-01T08:00:00+01:00", "end": "2026-12-02T08:00:00+01:00",
        "user": {"id": "U1"}});
    vec![
        ("schedules", json!({"schedules": [{"id": "S1", "name": "Web"}], "more": false})),
        (
            "schedules/S1",
            json!({"schedule": {"id": "S1", "name": "Web", "description": "", "time_zone": "Europe/Vienna",
                "schedule_layers": layers}}),
        ),
        ("schedules/S1/overrides", json!({"overrides": [over]})),
    ]
}

fn services() -> Vec<(&'static str, Value)> {
    let rules = json!([
        {"escalation_delay_in_minutes": 15, "targets": [{"id": "S1", "type": "schedule_reference"}]},
        {"escalation_delay_in_minutes": 60, "targets": [{"id": "U1", "type": "user_reference"}]}]);
    let policy = json!({"id": "P1", "name": "Web", "num_loops": 2, "escalation_rules": rules});
    let shop = json!({"id": "V1", "name": "Shop", "status": "active", "escalation_policy": {"id": "P1"},
        "acknowledgement_timeout": 1_800, "incident_urgency_rule": {"type": "constant", "urgency": "low"},
        "integrations": [{"summary": "Events"}]});
    vec![("escalation_policies", json!({"escalation_policies": [policy]})), ("services", json!({"services": [shop]}))]
}
