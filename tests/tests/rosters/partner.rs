//! A partner and its clients: what one of them changes, the partner sees at once, and nobody waits for it.

use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, daily, group, path, shift, user};

both_backends![what_changes_at_one_client_is_seen_at_its_partner, a_partner_with_many_clients_does_not_ask_each];

const DAY: &str = "from=2030-05-01T00:00:00Z&to=2030-05-02T00:00:00Z";

/// The elements of a list, in an order of their own.
fn sorted(list: &Value) -> Vec<String> {
    let mut texts: Vec<String> = list.as_array().into_iter().flatten().map(Value::to_string).collect();
    texts.sort_unstable();
    texts
}

/// A partner sees what its clients see, each of which is worked out by itself.
#[track_caller]
fn check_all(partner: &Client, clients: &[Client], after: &str) {
    let at = "at=2030-05-01T12:00:00Z";
    for (question, field) in [
        (format!("/rosters/onCall?{at}"), "onCall"),
        (format!("/rosters/onCall?{at}"), "next"),
        (format!("/rosters/timeline?{DAY}"), "rosters"),
    ] {
        let own = |client: &Client| sorted(&client.get(&question).ok()[field]);
        let mut expected: Vec<String> = clients.iter().flat_map(own).collect();
        expected.sort_unstable();
        assert_eq!(own(partner), expected, "{question} {field} after {after}");
    }
    let found = partner.get("/rosters/search?pageSize=1000").ok();
    let own = |client: &Client| sorted(&client.get("/rosters/search?allList=false").ok()["results"]);
    let mut expected: Vec<String> = clients.iter().flat_map(own).collect();
    expected.sort_unstable();
    assert_eq!(sorted(&found["results"]), expected, "search after {after}");
}

fn what_changes_at_one_client_is_seen_at_its_partner(backend: Backend) {
    let server = Server::start(backend);
    let partner = server.admin();
    let clients: Vec<Client> = (0..4).map(|_| server.new_client()).collect();
    let pat = user(&partner, "Pat");
    let of_partner = group(&partner, &[&pat]);
    let mut rosters = Vec::new();
    let mut people = Vec::new();
    for client in &clients {
        let ann = user(client, "Ann");
        let team = group(client, &[&ann, &pat]);
        let mut day = shift("Day", daily("08:00:00", "20:00:00"), &ann);
        day["userGroups"] = json!([{"uniqueId": of_partner}]);
        let night = json!({"name": "Night", "schedule": daily("20:00:00", "08:00:00"), "users": [],
            "userGroups": [{"uniqueId": team}]});
        rosters.push(create(client, "Europe/Paris", &[day, night]));
        people.push((ann, team));
    }
    check_all(&partner, &clients, "the beginning");
    let first = &clients[0];
    let second = &clients[1];
    let (ann, team) = &people[0];
    let steps: [(&str, &dyn Fn()); 13] = [
        ("a user that nobody names", &|| drop(user(first, "Eve"))),
        ("a name", &|| drop(first.post(&format!("/users/{ann}"), &json!({"firstName": "Anna"})).ok())),
        ("a name at the partner", &|| {
            drop(partner.post(&format!("/users/{pat}"), &json!({"firstName": "Patty"})).ok())
        }),
        ("somebody who goes", &|| {
            partner.post_empty(&format!("/users/{pat}/deactivate")).ok();
        }),
        ("a group that somebody joins", &|| {
            let bob = user(first, "Bob");
            first.post(&format!("/userGroups/{team}"), &json!({"users": [{"id": bob}, {"id": ann}]})).ok();
        }),
        ("a name of a member", &|| drop(first.post(&format!("/users/{ann}"), &json!({"lastName": "Li"})).ok())),
        ("a group of the partner", &|| {
            let sue = user(&partner, "Sue");
            partner.post(&format!("/userGroups/{of_partner}"), &json!({"users": [{"id": sue}]})).ok();
        }),
        ("an override", &|| {
            let cat = user(first, "Cat");
            let body = json!({"user": {"id": cat}, "start": "2030-05-01T10:00:00Z", "end": "2030-05-01T14:00:00Z"});
            first.post(&format!("{}/overrides", path(&rosters[0])), &body).ok();
        }),
        ("a roster", &|| drop(second.post(&path(&rosters[1]), &json!({"name": "Second line"})).ok())),
        ("shifts", &|| {
            let dan = user(second, "Dan");
            let body = json!({"shiftDetails": [shift("All", daily("00:00:00", "00:00:00"), &dan)]});
            second.post(&path(&rosters[1]), &body).ok();
        }),
        ("another roster", &|| {
            let fay = user(second, "Fay");
            create(second, "GMT", &[shift("More", daily("09:00:00", "17:00:00"), &fay)]);
        }),
        ("a roster that is gone", &|| drop(clients[2].delete(&path(&rosters[2])).ok())),
        ("nothing", &|| {}),
    ];
    for (name, change) in steps {
        change();
        check_all(&partner, &clients, name);
    }
    let now = partner.get("/rosters/onCall?at=2030-05-01T12:00:00Z").ok().to_string();
    for seen in ["Cat", "Sue", "Dan", "Fay", "Second line"] {
        assert!(now.contains(seen), "{seen} is not in {now}");
    }
    assert!(!now.contains("Patty"), "{now}");
}

/// Copies the rows of one client that `only` names; `changes` are made to each copy, which `copied` numbers.
fn copies(table: &str, only: &str, changes: &[(&str, &str)], count: usize) -> String {
    let changes: Vec<String> = changes.iter().map(|(column, value)| format!("{column} = {value}")).collect();
    format!(
        "CREATE TEMP TABLE copy AS WITH RECURSIVE numbers(copied) AS \
         (SELECT 1000000 UNION ALL SELECT copied + 1 FROM numbers WHERE copied < 1000000 + {count}) \
         SELECT {table}.*, copied FROM {table}, numbers WHERE {only}; \
         UPDATE copy SET {}; ALTER TABLE copy DROP COLUMN copied; \
         INSERT INTO {table} SELECT * FROM copy; DROP TABLE copy;",
        changes.join(", ")
    )
}

fn a_partner_with_many_clients_does_not_ask_each(backend: Backend) {
    const CLIENTS: usize = 2_000;
    let mut server = Server::start(backend);
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "Europe/Paris", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let tenant = client.tenant_id().to_owned();
    server.stop();
    let own = |column: &str| format!("{column} = '{tenant}'");
    let tenant_id = ("tenant_id", "'client_' || copied");
    let roster_id = ("roster_id", "'ES-' || copied");
    let crew = format!("replace(crew, '{ann}', 'USR000' || copied)");
    let sql = [
        copies(
            "tenants",
            &own("id"),
            &[
                ("id", "'client_' || copied"),
                ("number", "copied"),
                ("name", "'c' || copied"),
                ("name_fold", "'c' || copied"),
            ],
            CLIENTS,
        ),
        copies(
            "users",
            &format!("{} AND id = '{ann}'", own("tenant_id")),
            &[tenant_id, ("id", "'USR000' || copied")],
            CLIENTS,
        ),
        copies("rosters", &own("tenant_id"), &[tenant_id, ("id", "'ES-' || copied")], CLIENTS),
        copies("roster_versions", &own("tenant_id"), &[tenant_id, roster_id], CLIENTS),
        copies("roster_shifts", &own("tenant_id"), &[tenant_id, roster_id, ("crew", &crew)], CLIENTS),
        copies("roster_revisions", &own("tenant_id"), &[tenant_id], CLIENTS),
    ];
    server.sql(&sql.concat());
    server.restart();
    let partner = server.admin();
    let client = client.at(server.base());
    let time = |path: &str| {
        let begun = Instant::now();
        let answer = partner.get(path).ok();
        (begun.elapsed(), answer)
    };
    let fastest = |path: &str| (0..5).map(|_| time(path).0).min().unwrap_or_default();
    let on_call = "/rosters/onCall?at=2030-05-01T12:00:00Z";
    let timeline = format!("/rosters/timeline?{DAY}");
    let all = time(on_call).1;
    assert_eq!(all["onCall"].as_array().map(Vec::len), Some(CLIENTS + 2), "{all:.300}");
    assert_eq!(time(&timeline).1["rosters"].as_array().map(Vec::len), Some(CLIENTS + 2));
    // Where each tenant is looked for with each id, these are fifty times as long.
    for question in [on_call, &timeline] {
        let known = fastest(question);
        let after = |change: &dyn Fn()| {
            let round = |_| {
                change();
                time(question).0
            };
            (0..3).map(round).min().unwrap_or_default()
        };
        let changes: [(&str, &dyn Fn()); 3] = [
            ("a user of a client", &|| drop(user(&client, "Eve"))),
            ("a user of the partner", &|| drop(user(&partner, "Pat"))),
            ("a roster", &|| drop(client.post(&path(&made), &json!({"description": "other"})).ok())),
        ];
        for (name, change) in changes {
            let took = after(change);
            assert!(
                took < known * 6 + Duration::from_millis(100),
                "{question} after {name}: {took:?}, before {known:?}"
            );
        }
    }
    let one = fastest("/rosters/search?pageSize=1");
    let many = fastest("/rosters/search?pageSize=200");
    assert!(many < one * 6 + Duration::from_millis(100), "{many:?} for 200 rosters, {one:?} for one");
    // A client does not wait for what the others are.
    let begun = Instant::now();
    assert_eq!(client.get(on_call).ok()["onCall"].as_array().map(Vec::len), Some(1));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}
