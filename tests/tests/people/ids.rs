//! Ids: unique among all tenants, and no tenant learns from its own how much the others make.

use std::time::Instant;

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::text;

both_backends![what_others_make_moves_no_id];

/// How many things another tenant makes meanwhile.
const MANY: usize = 200;

fn digits(id: &Value) -> i64 {
    match id {
        Value::Number(number) => number.as_i64().unwrap(),
        other => text(other).trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).parse().unwrap(),
    }
}

/// Makes one of each kind whose ids are numbers.
fn made(client: &Client) -> Vec<(&'static str, i64)> {
    let site = client.post("/sites", &json!({"name": unique("site")})).ok();
    let group = client.post("/deviceGroups", &json!({"name": unique("group")})).ok();
    let script = json!({"name": unique("script"), "content": "true", "interpreter": "sh"});
    let script = client.post("/jobs/scripts", &script).ok();
    let user = client.post("/users", &json!({"loginName": unique("user")})).ok();
    let incident = client.post("/incidents", &json!({"subject": "x"})).ok();
    let category = client.post("/kb/category", &json!({"name": unique("category")})).ok();
    let body = json!({"title": "x", "content": "x", "category": {"id": category["id"]}});
    let article = client.post("/kb/article", &body).ok();
    vec![
        ("site", digits(&site["id"])),
        ("group", digits(&group["id"])),
        ("script", digits(&script["id"])),
        ("user", digits(&user["id"])),
        ("incident", digits(&incident["id"])),
        ("category", digits(&category["id"])),
        ("article", digits(&article["id"])),
    ]
}

fn what_others_make_moves_no_id(server: &Server) {
    let (one, other) = (server.new_client(), server.new_client());
    let begun = Instant::now();
    let before = made(&one);
    let between = Instant::now();
    let mut theirs = Vec::new();
    for _ in 0..MANY / 8 {
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| made(&other))).collect();
            theirs.extend(all.into_iter().flat_map(|one| one.join().unwrap()));
        });
    }
    let at_least = between.elapsed();
    let after = made(&one);
    let at_most = begun.elapsed();
    for ((kind, first), (_, second)) in before.into_iter().zip(after) {
        let moved = second - first;
        // Of ten digits, an id follows the tenths of seconds; of more, the microseconds.
        let follows = match kind {
            "site" | "group" | "script" => {
                i128::from(moved) >= at_least.as_micros() as i128 - 5_000
                    && i128::from(moved) <= at_most.as_micros() as i128 + 5_000
            }
            _ => moved >= 1 && i128::from(moved) <= at_most.as_millis() as i128 / 100 + 10,
        };
        assert!(follows, "{kind}: from {first} to {second} within {at_least:?} to {at_most:?}");
        let same = theirs.iter().filter(|(known, id)| *known == kind && (*id == first || *id == second)).count();
        assert_eq!(same, 0, "{kind}");
    }
}
