//! An installation of Grafana OnCall: office hours of a higher level than turns, an override, a chain.

use serde_json::{Value, json};

use super::Account;

pub fn account() -> Account {
    Account {
        product: "oncall",
        answers: [people(), schedules(), alerting()].concat(),
        on_call: &[
            ("Web", "2026-11-02T10:00:00Z", &["u3@example.net"]),
            ("Web", "2026-11-02T18:00:00Z", &["u0@example.net"]),
            ("Web", "2026-11-09T18:00:00Z", &["u1@example.net", "u2@example.net"]),
            ("Web", "2026-12-01T07:59:59Z", &["u0@example.net"]),
            ("Web", "2026-12-01T18:00:00Z", &["u2@example.net"]),
            ("Web", "2027-03-29T06:59:59Z", &["u1@example.net", "u2@example.net"]),
            ("Web", "2027-03-29T07:00:00Z", &["u3@example.net"]),
        ],
        refused: &[
            "refused: route \"prod of I1\": it is an expression over what a monitor sends, and an AlertRoute asks for \
             fields of an alert: make one",
        ],
    }
}

fn people() -> Vec<(&'static str, Value)> {
    let user = |number: usize| {
        let name = format!("u{number}");
        json!({"id": format!("U{number}"), "email": format!("{name}@example.net"), "username": name,
            "role": if number == 0 { "admin" } else { "user" }, "teams": ["T1"]})
    };
    let rules = json!([
        {"user_id": "U0", "position": 0, "type": "wait", "duration": 120, "important": true},
        {"user_id": "U0", "position": 1, "type": "notify_by_email", "duration": null, "important": true}]);
    vec![
        ("users", json!({"results": (0..4).map(user).collect::<Vec<_>>(), "next": null})),
        ("teams", json!({"results": [{"id": "T1", "name": "Net"}]})),
        ("personal_notification_rules", json!({"results": rules})),
    ]
}

fn schedules() -> Vec<(&'static str, Value)> {
    let turns = json!({"id": "O1", "name": "Week", "type": "rolling_users", "time_zone": "Europe/Vienna", "level": 0,
        "start": "2026-01-05T08:00:00", "rotation_start": "2026-01-05T08:00:00", "duration": 604_800,
        "frequency": "weekly", "interval": 1, "week_start": "MO", "by_day": null, "until": null,
        "rolling_users": [["U0"], ["U1", "U2"]], "start_rotation_from_user_index": 1});
    let office = json!({"id": "O2", "name": "Office", "type": "recurrent_event", "time_zone": "Europe/Vienna",
        "level": 1, "start": "2026-01-05T09:00:00", "duration": 28_800, "frequency": "daily", "interval": 1,
        "users": ["U3"]});
    let over = json!({"id": "O3", "type": "override", "name": "o", "time_zone": "UTC", "schedule": "S1",
        "duration": 86_400, "start": "2026-12-01T08:00:00", "users": ["U2"]});
    let web = json!({"id": "S1", "name": "Web", "type": "web", "time_zone": "Europe/Vienna", "shifts": ["O1", "O2"]});
    vec![("schedules", json!({"results": [web]})), ("on_call_shifts", json!({"results": [turns, office, over]}))]
}

fn alerting() -> Vec<(&'static str, Value)> {
    let steps = json!([
        {"escalation_chain_id": "C1", "position": 0, "type": "notify_on_call_from_schedule",
            "notify_on_call_from_schedule": "S1"},
        {"escalation_chain_id": "C1", "position": 1, "type": "wait", "duration": 900},
        {"escalation_chain_id": "C1", "position": 2, "type": "notify_team_members", "notify_to_team_members": "T1"}]);
    let grafana = json!({"id": "I1", "name": "Grafana", "default_route": {"escalation_chain_id": "C1"}});
    vec![
        ("escalation_chains", json!({"results": [{"id": "C1", "name": "Web"}]})),
        ("escalation_policies", json!({"results": steps})),
        ("integrations", json!({"results": [grafana]})),
        ("routes", json!({"results": [{"id": "R1", "integration_id": "I1", "routing_regex": "prod"}]})),
    ]
}
