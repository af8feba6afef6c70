//! Moves: a tree stays a tree.

use std::{sync::Barrier, thread};

use muster_tests::{Client, Server, both_backends};
use serde_json::json;

use super::{at, category};

both_backends![
    a_move_takes_along_what_is_below,
    nothing_stands_below_itself,
    of_two_opposite_moves_one_wins,
    a_tree_may_be_deep_and_has_an_end,
];

fn relocate(client: &Client, id: &str, parent: Option<&str>) -> u16 {
    let body = parent.map_or_else(|| json!({}), |parent| json!({"parentCategory": {"uniqueId": parent}}));
    client.post(&format!("{}/move", at(id)), &body).status
}

fn a_move_takes_along_what_is_below(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", None);
    let below = category(&client, "below", Some(&a));
    assert_eq!(relocate(&client, &a, Some(&b)), 200);
    assert_eq!(client.get(&at(&a)).ok()["parentCategory"]["uniqueId"], json!(b));
    assert_eq!(client.get(&at(&below)).ok()["parentCategory"]["uniqueId"], json!(a));
    assert_eq!(relocate(&client, &a, None), 200);
    assert!(client.get(&at(&a)).ok().get("parentCategory").is_none());
    // An update moves as well; a sibling of the name is in the way.
    category(&client, "A", Some(&b));
    client.post(&at(&a), &json!({"parentCategory": {"uniqueId": b}})).problem(409, "0004");
    client.post(&at(&a), &json!({"name": "c", "parentCategory": {"uniqueId": b}})).ok();
    client
        .post(&format!("{}/move", at(&a)), &json!({"parentCategory": {"uniqueId": "SCAT-x"}}))
        .invalid(&["parentCategory.uniqueId"]);
}

fn nothing_stands_below_itself(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", Some(&a));
    let c = category(&client, "c", Some(&b));
    for below in [&a, &b, &c] {
        assert_eq!(relocate(&client, &a, Some(below)), 409, "{below}");
    }
    assert_eq!(relocate(&client, &c, Some(&a)), 200);
}

fn of_two_opposite_moves_one_wins(server: &Server) {
    let client = server.new_client();
    for round in 0..20 {
        let a = category(&client, &format!("a{round}"), None);
        let b = category(&client, &format!("b{round}"), None);
        let together = Barrier::new(2);
        let mut statuses = thread::scope(|scope| {
            let run = |id: &str, parent: &str| {
                let client = client.clone();
                let id = id.to_owned();
                let parent = parent.to_owned();
                let together = &together;
                scope.spawn(move || {
                    together.wait();
                    relocate(&client, &id, Some(&parent))
                })
            };
            let moves = [run(&a, &b), run(&b, &a)];
            moves.map(|one| one.join().unwrap_or_default())
        });
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "round {round}");
    }
}

fn a_tree_may_be_deep_and_has_an_end(server: &Server) {
    let client = server.new_client();
    let mut chain = vec![category(&client, "top", None)];
    while chain.len() < 200 {
        chain.push(category(&client, &format!("n{}", chain.len()), chain.last().map(String::as_str)));
    }
    let top = &chain[0];
    let last = &chain[199];
    assert_eq!(relocate(&client, top, Some(last)), 409);
    let other = category(&client, "other", None);
    assert_eq!(relocate(&client, top, Some(&other)), 200);
    let mut deeper = last.clone();
    for level in 202..=250 {
        deeper = category(&client, &format!("n{level}"), Some(&deeper));
    }
    let body = json!({"names": ["x"], "parentCategory": {"uniqueId": deeper}});
    client.post("/incidents/categories", &body).problem(409, "0004");
    let above = category(&client, "above", None);
    assert_eq!(relocate(&client, &other, Some(&above)), 409, "251 levels");
}
