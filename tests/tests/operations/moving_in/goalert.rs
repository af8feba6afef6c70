//! An installation of GoAlert: a rotation within office hours, a temporary schedule, an override, a service.

use serde_json::{Value, json};

use super::Account;

pub fn account() -> Account {
    Account {
        product: "goalert",
        answers: [people(), schedules(), services()].concat(),
        on_call: &[
            ("Web", "2026-11-02T07:59:59Z", &[]),
            ("Web", "2026-11-02T10:00:00Z", &["u2@example.net"]),
            ("Web", "2026-11-02T16:00:00Z", &[]),
            ("Web", "2026-11-09T10:00:00Z", &["u0@example.net"]),
            ("Web", "2026-12-01T10:00:00Z", &["u3@example.net"]),
            ("Web", "2026-12-01T17:00:00Z", &[]),
            ("Web", "2026-12-25T20:00:00Z", &["u3@example.net"]),
            ("Web", "2026-12-26T20:00:00Z", &[]),
            // Monday at nine, once the clocks went forward: u1 hands over to u2.
            ("Web", "2027-03-29T06:59:59Z", &[]),
            ("Web", "2027-03-29T07:00:00Z", &["u2@example.net"]),
            ("Rotation: Web", "2026-11-02T20:00:00Z", &["u2@example.net"]),
        ],
        refused: &[],
    }
}

fn answer(list: &str, nodes: &[Value]) -> Value {
    json!({"data": {list: {"nodes": nodes, "pageInfo": {"hasNextPage": false}}}})
}

fn people() -> Vec<(&'static str, Value)> {
    let user = |number: usize| {
        let (method, address) = (format!("m{number}"), format!("u{number}@example.net"));
        json!({"id": format!("i{number}"), "name": format!("Per Son {number}"), "email": address,
            "role": if number == 0 { "admin" } else { "user" },
            "contactMethods": [{"id": method, "name": "Mail", "type": "EMAIL", "value": address}],
            "notificationRules": [{"delayMinutes": 3, "contactMethodID": method}]})
    };
    vec![("users", answer("users", &(0..4).map(user).collect::<Vec<_>>()))]
}

fn schedules() -> Vec<(&'static str, Value)> {
    let rotation = json!({"id": "r1", "name": "Web", "type": "weekly", "shiftLength": 1, "activeUserIndex": 1,
        "start": "2026-01-05T08:00:00Z", "timeZone": "Europe/Vienna", "userIDs": ["i0", "i1", "i2"]});
    let rule = json!({"start": "09:00", "end": "17:00",
        "weekdayFilter": [false, true, true, true, true, true, false]});
    let temporary = json!({"start": "2026-12-24T00:00:00Z", "end": "2026-12-27T00:00:00Z",
        "shifts": [{"userID": "i3", "start": "2026-12-24T08:00:00Z", "end": "2026-12-26T20:00:00Z"}]});
    let schedule = json!({"id": "s1", "name": "Web", "description": "", "timeZone": "Europe/Vienna",
        "targets": [{"target": {"id": "r1", "type": "rotation", "name": "Web"}, "rules": [rule]}],
        "temporarySchedules": [temporary]});
    let over = json!({"id": "o1", "start": "2026-12-01T08:00:00Z", "end": "2026-12-01T18:00:00Z", "addUserID": "i3",
        "removeUserID": "i0", "target": {"id": "s1", "type": "schedule"}});
    vec![
        ("rotations", answer("rotations", &[rotation])),
        ("schedules", answer("schedules", &[schedule])),
        ("userOverrides", answer("userOverrides", &[over])),
    ]
}

fn services() -> Vec<(&'static str, Value)> {
    let steps = json!([
        {"stepNumber": 0, "delayMinutes": 5, "targets": [{"id": "s1", "type": "schedule"},
            {"id": "r1", "type": "rotation"}]},
        {"stepNumber": 1, "delayMinutes": 10, "targets": [{"id": "i2", "type": "user"}]}]);
    let shop = json!({"id": "v1", "name": "Shop", "description": "Baskets", "escalationPolicyID": "p1",
        "integrationKeys": [{"id": "k1", "name": "Grafana", "type": "grafana"}],
        "heartbeatMonitors": [{"id": "h1", "name": "Backup", "timeoutMinutes": 90}]});
    vec![
        (
            "escalationPolicies",
            answer("escalationPolicies", &[json!({"id": "p1", "name": "Web", "repeat": 1, "steps": steps})]),
        ),
        ("services", answer("services", &[shop])),
    ]
}
