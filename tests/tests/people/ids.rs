//! Ids: unique among all tenants, and no tenant learns from its own how much the others make.

use std::time::Instant;

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::text;

both_backends![what_others_make_moves_no_id];

/// How many things another tenant makes meanwhile, on so many connections.
const MANY: usize = 240;
const CONNECTIONS: usize = 8;

/// Makes one thing, and answers its id.
type Make<'m> = Box<dyn Fn(&Client) -> Value + Sync + 'm>;

fn digits(id: &Value) -> i64 {
    match id {
        Value::Number(number) => number.as_i64().unwrap(),
        other => text(other).trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).parse().unwrap(),
    }
}

fn what_others_make_moves_no_id(server: &Server) {
    let one = server.new_client();
    let other = server.new_client();
    let post = |path: &'static str, body: fn() -> Value| -> Make<'_> {
        Box::new(move |client: &Client| client.post(path, &body()).ok()["id"].clone())
    };
    let article = |client: &Client| {
        let category = client.post("/kb/category", &json!({"name": unique("category")})).ok();
        let body = json!({"title": "x", "content": "x", "category": {"id": category["id"]}});
        client.post("/kb/article", &body).ok()["id"].clone()
    };
    // Of ten digits, an id follows the tenths of seconds; of more, the microseconds.
    let kinds: [(&str, bool, Make<'_>); 7] = [
        ("user", true, post("/users", || json!({"loginName": unique("user")}))),
        ("incident", true, post("/incidents", || json!({"subject": "x"}))),
        ("category", true, post("/kb/category", || json!({"name": unique("category")}))),
        ("article", true, Box::new(article)),
        ("site", false, post("/sites", || json!({"name": unique("site")}))),
        ("group", false, post("/deviceGroups", || json!({"name": unique("group")}))),
        (
            "script",
            false,
            post("/jobs/scripts", || json!({"name": unique("script"), "content": "true", "interpreter": "sh"})),
        ),
    ];
    for (kind, is_short, make) in kinds {
        let begun = Instant::now();
        let first = digits(&make(&one));
        let between = Instant::now();
        let theirs: Vec<i64> = std::thread::scope(|scope| {
            let makes = || (0..MANY / CONNECTIONS).map(|_| digits(&make(&other))).collect::<Vec<i64>>();
            let all: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(makes)).collect();
            all.into_iter().flat_map(|one| one.join().unwrap()).collect()
        });
        let at_least = between.elapsed();
        let second = digits(&make(&one));
        let at_most = begun.elapsed();
        let moved = u128::try_from(second - first).unwrap();
        let follows = match is_short {
            // With what is left to chance.
            true => moved <= at_most.as_millis() / 100 + 100,
            false => (at_least.as_micros() - 5_000..=at_most.as_micros() + 5_000).contains(&moved),
        };
        assert!(follows, "{kind}: from {first} to {second} within {at_least:?} to {at_most:?}");
        assert!(!theirs.contains(&first) && !theirs.contains(&second), "{kind}");
        let mut unique = theirs.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), theirs.len(), "{kind}");
    }
}
