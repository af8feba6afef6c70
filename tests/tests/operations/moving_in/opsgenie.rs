//! An account of Opsgenie: office hours by turns, nights of a team every second day, an override.

use serde_json::{Value, json};

use super::Account;

pub fn account() -> Account {
    Account {
        product: "opsgenie",
        answers: [people(), schedules(), alerting()].concat(),
        on_call: &[
            ("First line", "2026-11-02T10:00:00Z", &["bob@example.net"]),
            ("First line", "2026-11-09T06:59:59Z", &[]),
            ("First line", "2026-11-09T07:00:00Z", &["ann@example.net"]),
            ("First line", "2026-11-02T22:00:00Z", &[]),
            ("First line", "2026-11-03T22:00:00Z", &["ann@example.net", "bob@example.net"]),
            ("First line", "2026-11-04T03:00:00Z", &["ann@example.net", "bob@example.net"]),
            ("First line", "2026-12-25T12:00:00Z", &["bob@example.net"]),
            // The clocks went forward.
            ("First line", "2027-03-29T05:59:59Z", &[]),
            ("First line", "2027-03-29T06:00:00Z", &["ann@example.net"]),
        ],
        refused: &[
            "refused: maintenance \"Move\": it switches integrations and policies off, and a MaintenanceWindow of \
             Muster names machines, groups or sites: make one for the machines that it is about",
        ],
    }
}

fn people() -> Vec<(&'static str, Value)> {
    let user = |id: &str, name: &str, role: &str, blocked: bool| {
        json!({"id": id, "username": format!("{name}@example.net"), "fullName": format!("{name} of Graz"),
            "role": {"id": role, "name": role}, "blocked": blocked})
    };
    let users = [
        user("u1", "ann", "Owner", false),
        user("u2", "bob", "User", false),
        user("u3", "cy", "Stakeholder", false),
        user("u4", "dee", "User", true),
    ];
    let contact = |method: &str, to: &str| json!({"contactMethod": method, "to": to, "enabled": true});
    let contacts = [contact("email", "ann@example.net"), contact("sms", "43-6641234567")];
    let step = json!({"contact": {"method": "email", "to": "ann@example.net"},
        "sendAfter": {"timeAmount": 5, "timeUnit": "minutes"}, "enabled": true});
    let rule = json!({"id": "n1", "name": "New alert", "actionType": "create-alert", "enabled": true,
        "criteria": {"type": "match-all"}, "steps": [step]});
    let member = |id: &str, name: &str| json!({"user": {"id": id, "username": name}, "role": "user"});
    let members = [member("u1", "ann@example.net"), member("u2", "bob@example.net"), member("u4", "dee@example.net")];
    vec![
        ("users", json!({"data": users, "paging": {}})),
        ("users/u1", json!({"data": {"id": "u1", "username": "ann@example.net", "userContacts": contacts}})),
        ("users/u1/notification-rules/n1", json!({"data": rule})),
        ("teams", json!({"data": [{"id": "t1", "name": "Network", "description": "Switches"}]})),
        ("teams/t1", json!({"data": {"id": "t1", "name": "Network", "members": members}})),
    ]
}

fn schedules() -> Vec<(&'static str, Value)> {
    let times = |start: u8, end: u8| {
        json!({"type": "time-of-day",
            "restriction": {"startHour": start, "startMin": 0, "endHour": end, "endMin": 0}})
    };
    // From Monday, 08:00 in Vienna.
    let office = json!({"id": "r1", "name": "Office", "startDate": "2026-01-05T07:00:00Z", "type": "weekly",
        "length": 1, "participants": [{"type": "user", "id": "u1"}, {"type": "user", "username": "bob@example.net"}],
        "timeRestriction": times(8, 18)});
    let nights = json!({"id": "r2", "name": "Nights", "startDate": "2026-01-05T07:00:00Z", "type": "daily", "length": 1,
        "participants": [{"type": "team", "name": "Network"}, {"type": "none"}], "timeRestriction": times(22, 6)});
    let schedule = json!({"id": "s1", "name": "First line", "description": "", "timezone": "Europe/Vienna",
        "enabled": true, "rotations": [office, nights]});
    let holidays = json!({"alias": "holidays", "user": {"type": "user", "id": "u2"}, "rotations": [],
        "startDate": "2026-12-24T00:00:00Z", "endDate": "2026-12-27T00:00:00Z"});
    vec![("schedules", json!({"data": [schedule]})), ("schedules/s1/overrides", json!({"data": [holidays]}))]
}

fn alerting() -> Vec<(&'static str, Value)> {
    let rule = |minutes: u8, how: &str, recipient: Value| {
        json!({"condition": "if-not-acked", "notifyType": how, "delay": {"timeAmount": minutes},
            "recipient": recipient})
    };
    let rules = [
        rule(0, "default", json!({"type": "schedule", "id": "s1"})),
        rule(10, "all", json!({"type": "team", "id": "t1"})),
    ];
    let escalation = json!({"id": "e1", "name": "Network", "rules": rules,
        "repeat": {"waitInterval": 20, "count": 2}});
    let condition = json!({"field": "message", "operation": "contains", "expectedValue": "link"});
    let links = json!({"id": "q1", "name": "Links", "order": 1,
        "criteria": {"type": "match-all-conditions", "conditions": [condition]},
        "notify": {"type": "escalation", "name": "Network"}});
    let rest = json!({"id": "q2", "name": "Rest", "isDefault": true, "order": 0, "criteria": {"type": "match-all"},
        "notify": {"type": "schedule", "id": "s1"}});
    let backup = json!({"name": "backup", "interval": 25, "intervalUnit": "hours", "enabled": true,
        "alertPriority": "P3"});
    let disk = json!({"id": "a1", "message": "Disk full", "alias": "d1", "status": "open", "priority": "P2",
        "entity": "web-01", "tags": ["prod"], "details": {"env": "live"}});
    vec![
        ("escalations", json!({"data": [escalation]})),
        ("teams/t1/routing-rules", json!({"data": [rest, links]})),
        ("heartbeats", json!({"data": {"heartbeats": [backup]}})),
        ("integrations", json!({"data": [{"id": "i1", "name": "Prom", "type": "Prometheus", "enabled": true}]})),
        ("alerts", json!({"data": [disk]})),
        ("maintenance", json!({"data": [{"id": "m1", "description": "Move"}]})),
    ]
}
