//! Figures of alerts, compared with what the alerts and the pages themselves say.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{get, host, post, report, text};

both_backends![
    figures_are_what_alerts_and_pages_say,
    a_range_and_a_filter_leave_out_the_others,
    a_partner_sees_those_of_its_clients_and_a_client_no_roster_of_its_partner,
    what_is_wrong_is_refused,
];

pub const ALWAYS: &str = "from=2026-01-01T00:00:00Z&to=2027-02-01T00:00:00Z";
pub const WORDS: [&str; 6] = ["service", "owner", "roster", "person", "resource", "route"];

#[track_caller]
fn figures(client: &Client, by: &str) -> Value {
    client.get(&format!("/alerts/figures?by={by}&{ALWAYS}")).ok()
}

/// The row of a key.
fn row(figures: &Value, key: &str) -> Value {
    let rows = figures["results"].as_array().expect("results");
    rows.iter().find(|row| row["key"] == key).cloned().unwrap_or_else(|| panic!("no {key}: {figures}"))
}

fn all(client: &Client, path: &str) -> Vec<Value> {
    let page = client.get(&format!("{path}?pageSize=1000")).page();
    page["results"].as_array().expect("results").clone()
}

/// Seconds since some day, of a time in UTC.
fn seconds(time: &Value) -> i64 {
    let time = time.as_str().expect("a time");
    let number = |from: usize, to: usize| time[from..to].parse::<i64>().expect("digits");
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    // March is the first month, so that the day of a leap year is the last one.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    days * 86_400 + number(11, 13) * 3_600 + number(14, 16) * 60 + number(17, 19)
}

/// `count`, `p50` and `p90` of what took so long.
fn times(mut all: Vec<i64>) -> Value {
    all.sort_unstable();
    let count = all.len();
    let of = |percent: usize| all[(count * percent).div_ceil(100) - 1];
    if count == 0 { json!({"count": 0}) } else { json!({"count": count, "p50": of(50), "p90": of(90)}) }
}

/// The rows that alerts with these keys make, by what the alerts say and by these pages: of a key those that it has
/// itself, where it says so.
fn expected(alerts: &[Value], keys: impl Fn(&Value) -> Vec<String>, pages: impl Fn(&str, &str) -> Vec<Value>) -> Value {
    let mut by_key: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for alert in alerts {
        keys(alert).into_iter().for_each(|key| by_key.entry(key).or_default().push(alert));
    }
    let mut rows: Vec<Value> = by_key
        .into_iter()
        .map(|(key, alerts)| {
            let after = |alert: &Value, time: Option<&Value>| Some(seconds(time?) - seconds(&alert["createdDate"]));
            let answer = |alert: &Value| {
                let answers = ["/acknowledgement/time", "/previousAcknowledgement/time"];
                after(alert, answers.iter().find_map(|path| alert.pointer(path)))
            };
            let end = |alert: &Value| after(alert, alert.pointer("/closure/time"));
            let ids: Vec<String> = alerts.iter().map(|alert| text(&alert["id"])).collect();
            let told = |id: &String| {
                let own = pages(&key, id);
                own.into_iter().filter(|page| !["gap", "stopped"].contains(&page["status"].as_str().unwrap())).count()
            };
            let is_escalated = |id: &&String| pages("", id).iter().any(|page| page["step"].as_i64() > Some(1));
            let mut problems: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
            for alert in &alerts {
                let problem = format!("{} {} {}", alert["clientUniqueId"], alert["device"]["id"], alert["metric"]);
                problems.entry(problem).or_default().push(alert);
            }
            let mut repeats: Vec<Value> = problems
                .into_values()
                .filter(|alerts| alerts.len() > 1)
                .map(|alerts| {
                    let latest = alerts.iter().max_by_key(|alert| alert["id"].as_str()).unwrap();
                    json!({"id": latest["id"], "subject": latest["subject"], "count": alerts.len()})
                })
                .collect();
            repeats.sort_by_key(|repeat| {
                std::cmp::Reverse((repeat["count"].as_i64(), repeat["id"].as_str().map(ToOwned::to_owned)))
            });
            repeats.truncate(3);
            let closed: Vec<&&Value> = alerts.iter().filter(|alert| alert["status"] == "Closed").collect();
            json!({"key": key, "alerts": alerts.len(), "pages": ids.iter().map(told).sum::<usize>(),
                "acknowledged": times(alerts.iter().filter_map(|alert| answer(alert)).collect()),
                "closed": times(closed.iter().filter_map(|alert| end(alert)).collect()),
                "escalated": ids.iter().filter(is_escalated).count(),
                "noise": closed.iter().filter(|alert| answer(alert).is_none()).count(),
                "repeats": repeats})
        })
        .collect();
    rows.sort_by_key(|row| (-row["alerts"].as_i64().unwrap(), text(&row["key"])));
    json!(rows)
}

/// The rows without their names, which are there for all.
#[track_caller]
fn unnamed(figures: &Value) -> Value {
    let rows = figures["results"].as_array().expect("results").iter().cloned();
    let plain = rows.map(|mut row| {
        assert!(row["name"].as_str().is_some_and(|name| !name.is_empty()), "{row}");
        row.as_object_mut().unwrap().remove("name");
        row
    });
    Value::from(plain.collect::<Vec<_>>())
}

pub fn reachable(client: &Client, receiver: &Receiver) -> String {
    let body = json!({"loginName": unique("person"), "firstName": "Ann", "lastName": "Lee", "role": "operator"});
    let user = text(&client.post("/users", &body).ok()["id"]);
    for name in ["first", "second"] {
        let url = format!("{}/{name}", receiver.url());
        let method = json!({"name": name, "type": "HTTP", "url": url, "verified": true});
        client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    }
    user
}

pub fn roster(client: &Client, user: &str) -> String {
    let schedule = json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2120-01-01T00:00:00Z"});
    let shift = json!({"name": "a", "users": [{"id": user}], "userGroups": [], "schedule": schedule});
    let body = json!({"name": unique("roster"), "description": "always", "timeZone": {"name": "GMT"},
        "shiftDetails": [shift]});
    text(&client.post("/rosters", &body).ok()["id"])
}

pub fn route(client: &Client, rules: &Value, policy: &str) -> String {
    let body = json!({"name": unique("route"), "rules": rules, "policy": {"id": policy}});
    text(&client.post("/alertRoutes", &body).ok()["id"])
}

pub fn policy(client: &Client, steps: &Value) -> String {
    text(&client.post("/escalationPolicies", &json!({"name": unique("policy"), "steps": steps})).ok()["id"])
}

fn group(client: &Client, name: &str) -> String {
    text(&client.post("/userGroups", &json!({"name": name})).ok()["uniqueId"])
}

pub fn settle(client: &Client, pages: usize) {
    let state = || json!(all(client, "/pages/search")).to_string();
    let done = || {
        let all = all(client, "/pages/search");
        all.len() >= pages && all.iter().all(|page| page["status"] != "pending")
    };
    wait_for(Duration::from_secs(60), done, state);
}

fn figures_are_what_alerts_and_pages_say(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8", "--page-limit", "0"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let [first, second] = [reachable(&client, &receiver), reachable(&client, &receiver)];
    let machines: Vec<(String, String)> = (0..3).map(|_| host(&client)).collect();
    // The first two are Carts, which is a part of Shop; the second is in Shop itself, too.
    let shop = client.post("/serviceGroups", &json!({"name": "Shop"})).ok();
    let carts = client.post("/serviceGroups", &json!({"name": "Carts", "parent": {"name": "Shop"}})).ok();
    let join = |group: &Value, machines: &[&(String, String)]| {
        let members: Vec<Value> = machines.iter().map(|(id, _)| json!({"id": id})).collect();
        client.post(&format!("/serviceGroups/{}/childs", group["id"]), &json!(members)).ok();
    };
    join(&carts, &[&machines[0], &machines[1]]);
    join(&shop, &[&machines[1]]);
    // Carts have an owner, the third machine as well, and what has none the default.
    let [of_carts, of_third, of_rest] = ["Cart team", "Third", "Rest"].map(|name| group(&client, name));
    let owned = json!({"serviceGroup": {"id": carts["uniqueId"]}, "userGroup": {"uniqueId": of_carts}});
    client.post("/owners", &owned).ok();
    let owned = json!({"resource": {"id": machines[2].0}, "userGroup": {"uniqueId": of_third}});
    client.post("/owners", &owned).ok();
    client.post("/owners", &json!({"default": true, "userGroup": {"uniqueId": of_rest}})).ok();
    // What is of disks goes to the roster, and on to the other person at once; the rest to that person.
    let on_call = roster(&client, &first);
    let steps = json!([{"targets": [{"roster": {"id": on_call}}], "wait": "1s"},
        {"targets": [{"user": {"id": second}}], "wait": "1h"}]);
    let disks = json!([{"key": "metric", "operator": "Startswith", "value": "disk"}]);
    let disks = route(&client, &disks, &policy(&client, &steps));
    let load = json!([{"key": "metric", "operator": "Startswith", "value": "load"}]);
    let steps = json!([{"targets": [{"user": {"id": second}}], "wait": "1h"}]);
    let load = route(&client, &load, &policy(&client, &steps));
    let reported = |machine: usize, metric: &str| {
        let made = post(&client, &report(&machines[machine].1, "Critical", metric));
        text(&made["id"])
    };
    let act = |id: &str, action: &str| {
        client.post_empty(&format!("/alerts/{id}/actions/{action}")).ok();
    };
    for (machine, metric, answered, closed) in [
        (0, "load", true, true),
        (0, "load", false, true),
        (0, "load", false, true),
        (0, "disk", false, false),
        (1, "load", true, false),
        (1, "load2", true, true),
        (1, "disk", false, true),
        (2, "load", false, true),
        (2, "load", true, true),
        (2, "none", true, true),
    ] {
        let id = reported(machine, metric);
        settle(&client, 1);
        if metric == "disk" {
            // Two pages of the first step, and two of the next one.
            let told = || client.search("/pages/search", &format!("alertId:{id}")).page();
            let state = || told().to_string();
            wait_for(Duration::from_secs(60), || told()["totalResults"] == json!(4), state);
        }
        if answered {
            act(&id, "acknowledge");
        }
        if closed {
            act(&id, "close");
        }
    }
    // An alert of no machine, which was acknowledged and is not any more.
    let bare = json!({"currentState": "Critical", "subject": "bare", "metric": "disk of nobody"});
    let bare = text(&client.post("/alert", &bare).ok()["id"]);
    act(&bare, "acknowledge");
    act(&bare, "unacknowledge");
    let told = || client.search("/pages/search", &format!("alertId:{bare}+status:sent")).page();
    wait_for(Duration::from_secs(60), || told()["totalResults"].as_i64() >= Some(4), || told().to_string());
    act(&bare, "close");
    settle(&client, 20);
    // Each was taken in some time ago, so that it took some time.
    let tenant = client.tenant_id().to_owned();
    server.sql(&format!(
        "UPDATE alerts SET created_ms = created_ms - 60000 * (SELECT COUNT(*) FROM alerts AS before \
         WHERE before.tenant_id = alerts.tenant_id AND before.id < alerts.id) WHERE tenant_id = '{tenant}';"
    ));
    let alerts = all(&client, "/alerts/search");
    assert_eq!(alerts.len(), 11);
    let pages = all(&client, "/pages/search");
    let of_alert = |id: &str| pages.iter().filter(|page| page["alert"]["id"] == id).cloned().collect::<Vec<Value>>();
    let any = |_: &str, id: &str| of_alert(id);
    let machine_of = |alert: &Value| alert.pointer("/device/id").map(text);
    let place_of = |alert: &Value| {
        let id = machine_of(alert);
        machines.iter().position(|(machine, _)| Some(machine) == id.as_ref())
    };
    let services = |alert: &Value| match place_of(alert) {
        Some(0 | 1) => vec![text(&shop["uniqueId"]), text(&carts["uniqueId"])],
        _ => vec![],
    };
    let owners = |alert: &Value| match place_of(alert) {
        Some(0 | 1) => vec![of_carts.clone()],
        Some(_) => vec![of_third.clone()],
        None => vec![of_rest.clone()],
    };
    let sent_to = |alert: &Value| -> BTreeSet<String> {
        let told = of_alert(&text(&alert["id"])).into_iter().filter(|page| page["status"] == "sent");
        told.map(|page| text(&page["user"]["id"])).collect()
    };
    let routes = |alert: &Value| {
        let metric = text(&alert["metric"]);
        let route = [("disk", &disks), ("load", &load)].into_iter().find(|(word, _)| metric.starts_with(word));
        route.map(|(_, route)| route.clone()).into_iter().collect()
    };
    let own = |key: &str, id: &str| {
        let of_user = |page: &Value| key.is_empty() || page["user"]["id"] == key;
        of_alert(id).into_iter().filter(of_user).collect::<Vec<Value>>()
    };
    // Through the roster the first person was told, and nobody else.
    let through = |key: &str, id: &str| own(if key.is_empty() { key } else { &first }, id);
    let rosters =
        |alert: &Value| sent_to(alert).into_iter().filter(|id| *id == first).map(|_| on_call.clone()).collect();
    for (by, rows) in [
        ("resource", expected(&alerts, |alert| machine_of(alert).into_iter().collect(), any)),
        ("service", expected(&alerts, services, any)),
        ("owner", expected(&alerts, owners, any)),
        ("route", expected(&alerts, routes, any)),
        ("person", expected(&alerts, |alert| sent_to(alert).into_iter().collect(), own)),
        ("roster", expected(&alerts, rosters, through)),
    ] {
        let found = figures(&client, by);
        assert_eq!(unnamed(&found), rows, "{by}");
        assert_eq!((&found["by"], &found["total"], &found["truncated"]), (&json!(by), &json!(11), &json!(false)));
    }
    // In so many words.
    let of_first = row(&figures(&client, "resource"), &machines[0].0);
    assert_eq!((&of_first["alerts"], &of_first["noise"], &of_first["escalated"]), (&json!(4), &json!(2), &json!(1)));
    assert_eq!((&of_first["name"], &of_first["repeats"][0]["count"]), (&json!(machines[0].1), &json!(3)));
    assert_eq!(row(&figures(&client, "service"), &text(&carts["uniqueId"]))["name"], json!("Carts"));
    let of_roster = row(&figures(&client, "roster"), &on_call);
    assert_eq!((&of_roster["alerts"], &of_roster["acknowledged"]["count"]), (&json!(3), &json!(1)));
    // A second acknowledgement is not the first one.
    let id = reported(2, "load");
    act(&id, "acknowledge");
    let answered = |figures: &Value| row(figures, &machines[2].0)["acknowledged"].clone();
    let before = answered(&figures(&client, "resource"));
    act(&id, "unacknowledge");
    assert_eq!(answered(&figures(&client, "resource")), before, "what was acknowledged was");
    std::thread::sleep(Duration::from_millis(1_100));
    act(&id, "acknowledge");
    assert_eq!(answered(&figures(&client, "resource")), before);
}

fn a_range_and_a_filter_leave_out_the_others(server: &Server) {
    let client = server.new_client();
    let (machine, name) = host(&client);
    let made = post(&client, &report(&name, "Critical", "load"));
    post(&client, &report(&name, "Info", "disk"));
    let created = text(&get(&client, &made)["createdDate"]);
    let day = &created[..10];
    let count = |query: &str| {
        let found = client.get(&format!("/alerts/figures?by=Resource&{query}")).ok();
        (found["results"][0]["alerts"].as_i64(), found["total"].as_i64())
    };
    assert_eq!(count(ALWAYS), (Some(2), Some(2)));
    assert_eq!(count(&format!("{ALWAYS}&queryString=state:Info")), (Some(1), Some(1)));
    assert_eq!(count(&format!("from=2026-01-01T00:00:00Z&to={day}T00:00:00Z")), (None, Some(0)));
    let of_other = format!("{ALWAYS}&queryString=resourceId:{}", "5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f");
    assert_eq!(count(&of_other), (None, Some(0)));
    // The start is part of it, the end is not.
    let tenant = client.tenant_id();
    server.sql(&format!("UPDATE alerts SET created_ms = 1795003200000 WHERE tenant_id = '{tenant}';"));
    assert_eq!(count("from=2026-11-18T12:00:00Z&to=2026-11-18T12:00:01Z"), (Some(2), Some(2)));
    assert_eq!(count("from=2026-11-18T11:00:00Z&to=2026-11-18T12:00:00Z"), (None, Some(0)));
    // More than an answer names: those with most alerts are there. An alert of each of many machines, as copies.
    let columns = "version, problem, host_key, subject_key, metric_key, service_key, monitor_key, app_key, \
        component_key, type_key, ext_key, current_state, repeats, first_ms, last_ms, created_ms, updated_ms, \
        acknowledged, suppression, document, sender";
    server.sql(&format!(
        "WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 1100) \
         INSERT INTO alerts (tenant_id, id, resource_id, {columns}) \
         SELECT tenant_id, id || '-' || i, 'r' || i, {columns} FROM alerts CROSS JOIN numbers \
         WHERE tenant_id = '{tenant}' AND metric_key = 'load';"
    ));
    let found = figures(&client, "resource");
    let rows = found["results"].as_array().unwrap();
    assert_eq!((rows.len(), &found["total"], &found["truncated"]), (1_000, &json!(1_102), &json!(true)));
    assert_eq!((&rows[0]["key"], &rows[0]["alerts"]), (&json!(machine), &json!(2)));
}

fn a_partner_sees_those_of_its_clients_and_a_client_no_roster_of_its_partner(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let partner = server.admin();
    let [client, other] = [server.new_client(), server.new_client()];
    let receiver = Receiver::willing();
    let user = reachable(&partner, &receiver);
    let on_call = roster(&partner, &user);
    let everything = policy(&partner, &json!([{"targets": [{"roster": {"id": on_call}}], "wait": "1h"}]));
    let route = json!({"name": unique("all"), "isDefault": true, "policy": {"id": everything}});
    let route = text(&partner.post("/alertRoutes", &route).ok()["id"]);
    for tenant in [&client, &other] {
        let (_, name) = host(tenant);
        post(tenant, &report(&name, "Critical", "load"));
    }
    settle(&partner, 4);
    for (by, key) in [("roster", &on_call), ("route", &route)] {
        let found = figures(&partner, by);
        assert_eq!((found["results"].as_array().unwrap().len(), &found["total"]), (1, &json!(2)), "{by}: {found}");
        let row = row(&found, key);
        assert_eq!((&row["alerts"], &row["pages"]), (&json!(2), &json!(4)), "{by}");
        assert_eq!(figures(&client, by)["results"], json!([]), "{by}: what its partner has");
    }
    for tenant in [&client, &other] {
        let person = row(&figures(tenant, "person"), &user);
        assert_eq!((&person["alerts"], &person["pages"], &person["name"]), (&json!(1), &json!(2), &json!("Ann Lee")));
        assert_eq!(figures(tenant, "resource")["total"], json!(1));
    }
    assert_eq!(row(&figures(&partner, "person"), &user)["alerts"], json!(2));
    assert_eq!(figures(&partner, "resource")["results"].as_array().unwrap().len(), 2);
    let of_one = format!("/alerts/figures?by=resource&{ALWAYS}&queryString=clientIds:{}", client.tenant_id());
    assert_eq!(partner.get(&of_one).ok()["total"], json!(1));
}

fn what_is_wrong_is_refused(server: &Server) {
    let client = server.new_client();
    for by in WORDS {
        let nothing = json!({"from": "2026-01-01T00:00:00+0000", "to": "2027-02-01T00:00:00+0000", "by": by,
            "results": [], "total": 0, "truncated": false});
        assert_eq!(figures(&client, by), nothing);
    }
    let refused = |query: &str, fields: &[&str]| client.get(&format!("/alerts/figures?{query}")).invalid(fields);
    for by in ["by=team", "by=", "by=service,owner"] {
        let detail = text(&refused(&format!("{by}&{ALWAYS}"), &["by"])["detail"]);
        assert!(WORDS.iter().all(|word| detail.contains(word)), "{detail}");
    }
    refused("", &["by", "from", "to"]);
    refused("by=owner&from=2026-11-01T00:00:00Z", &["to"]);
    refused("by=owner&from=2026-11-01T00:00:00Z&to=2026-11-01T00:00:00Z", &["to"]);
    refused("by=owner&from=2025-01-01T00:00:00Z&to=2026-11-01T00:00:00Z", &["to"]);
    refused(&format!("by=owner&{ALWAYS}&pageSize=5"), &["pageSize"]);
    refused(&format!("by=owner&{ALWAYS}&queryString=state:Bad"), &["queryString"]);
}
