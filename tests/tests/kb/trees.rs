//! Paths follow names and places, whatever the size of the tree; a tree stays a tree.

use std::{
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use muster_tests::{Client, Server, both_backends};
use serde_json::json;

use super::{article, at, category, text};

both_backends![
    paths_follow_names_and_moves,
    nothing_stands_below_itself,
    of_two_opposite_moves_one_wins,
    a_deep_tree_follows,
    a_wide_tree_follows,
    a_path_is_bounded,
    what_follows_is_told,
];

fn path(client: &Client, id: &str) -> String {
    text(&client.get(&at(id)).ok()["path"])
}

fn relocate(client: &Client, id: &str, parent: Option<&str>) -> u16 {
    let body = parent.map_or_else(|| json!({}), |parent| json!({"parentCategory": {"id": parent}}));
    client.post(&format!("{}/move", at(id)), &body).status
}

fn paths_follow_names_and_moves(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", Some(&a));
    // A name that holds the path of another, and more than one byte to a letter.
    let c = category(&client, "a b", Some(&b));
    let other = category(&client, "abc", None);
    assert_eq!(path(&client, &c), "a >> b >> a b");
    let tag = client.get(&at(&c)).header("ETag").unwrap_or_default().to_owned();
    client.post(&at(&a), &json!({"name": "Ünï ☂"})).ok();
    assert_eq!(path(&client, &c), "Ünï ☂ >> b >> a b");
    assert_ne!(client.get(&at(&c)).header("ETag"), Some(tag.as_str()));
    client.post(&at(&a), &json!({"name": "x"})).ok();
    assert_eq!(path(&client, &c), "x >> b >> a b");
    assert_eq!(relocate(&client, &b, Some(&other)), 200);
    assert_eq!((path(&client, &c), path(&client, &a)), ("abc >> b >> a b".to_owned(), "x".to_owned()));
    assert_eq!(relocate(&client, &b, None), 200);
    assert_eq!((path(&client, &b), path(&client, &c)), ("b".to_owned(), "b >> a b".to_owned()));
    client.post(&at(&b), &json!({"name": "bb", "parentCategory": {"id": a}})).ok();
    assert_eq!(path(&client, &c), "x >> bb >> a b");
    // Paths in the trash follow as well.
    client.delete(&at(&c)).ok();
    client.post(&at(&a), &json!({"name": "y"})).ok();
    assert_eq!(path(&client, &c), "y >> bb >> a b");
    // Articles show the name of their category.
    let in_b = article(&client, &b, "t", "c");
    let tag = client.get(&format!("/kb/article/{in_b}")).header("ETag").unwrap_or_default().to_owned();
    client.post(&at(&b), &json!({"name": "bbb"})).ok();
    let shown = client.get(&format!("/kb/article/{in_b}"));
    assert_ne!(shown.header("ETag"), Some(tag.as_str()));
    assert_eq!(shown.ok()["category"]["name"], json!("bbb"));
}

fn nothing_stands_below_itself(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", Some(&a));
    for below in [&a, &b] {
        assert_eq!(relocate(&client, &a, Some(below)), 409);
        client.post(&at(&a), &json!({"parentCategory": {"id": below}})).problem(409, "0004");
    }
    assert_eq!(path(&client, &b), "a >> b");
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
            [run(&a, &b), run(&b, &a)].map(|one| one.join().unwrap_or_default())
        });
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "round {round}");
        let paths = [path(&client, &a), path(&client, &b)];
        let expected = [format!("a{round}"), format!("b{round}")];
        let chained = |one: usize| paths[one] == format!("{} >> {}", expected[1 - one], expected[one]);
        assert!(chained(0) != chained(1), "{paths:?}");
    }
}

fn a_deep_tree_follows(server: &Server) {
    let client = server.new_client();
    let mut chain = vec![category(&client, "n0", None)];
    while chain.len() < 200 {
        chain.push(category(&client, &format!("n{}", chain.len()), chain.last().map(String::as_str)));
    }
    client.post(&at(&chain[0]), &json!({"name": "renamed"})).ok();
    let names: Vec<String> = (1..200).map(|number| format!(" >> n{number}")).collect();
    assert_eq!(path(&client, &chain[199]), format!("renamed{}", names.concat()));
    assert_eq!(relocate(&client, &chain[0], Some(&chain[199])), 409);
    let other = category(&client, "other", None);
    assert_eq!(relocate(&client, &chain[100], Some(&other)), 200);
    assert_eq!(path(&client, &chain[199]), format!("other{}", names[99..].concat()));
    assert_eq!(path(&client, &chain[99]), format!("renamed{}", names[..99].concat()));
}

fn a_wide_tree_follows(server: &Server) {
    let client = server.new_client();
    let top = category(&client, "top", None);
    let width = muster_tests::rounds("children of one category", 500, 10_000);
    let ids: Vec<String> = thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let client = client.clone();
                let top = &top;
                scope.spawn(move || {
                    let mine = (writer..width).step_by(8);
                    mine.map(|number| category(&client, &format!("n{number}"), Some(top))).collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap_or_default()).collect()
    });
    assert_eq!(ids.len(), width);
    let started = Instant::now();
    client.post(&at(&top), &json!({"name": "renamed"})).ok();
    let other = category(&client, "other", None);
    assert_eq!(relocate(&client, &top, Some(&other)), 200);
    assert!(started.elapsed() < Duration::from_secs(20), "{width} paths took {:?}", started.elapsed());
    let page = client.get("/kb/categorylist?pageSize=1000&queryString=name:n").ok();
    for one in page["results"].as_array().into_iter().flatten().filter(|one| one["id"] != json!(top)) {
        assert_eq!(text(&one["path"]), format!("other >> renamed >> {}", text(&one["name"])));
    }
}

fn a_path_is_bounded(server: &Server) {
    let client = server.new_client();
    let mut last = category(&client, &"a".repeat(200), None);
    for _ in 1..19 {
        last = category(&client, &"a".repeat(200), Some(&last));
    }
    // 19 names and 18 separators, of 3,872 characters together.
    let body = |length: usize| json!({"name": "b".repeat(length), "parentCategory": {"id": last}});
    let refused = client.post("/kb/category", &body(125)).problem(409, "0004");
    assert!(text(&refused["detail"]).contains("at most 4000 characters"), "{refused}");
    let longest = text(&client.post("/kb/category", &body(124)).ok()["id"]);
    client.post(&at(&longest), &json!({"name": "b".repeat(125)})).problem(409, "0004");
    let above = category(&client, "c", None);
    let top = text(&client.get("/kb/categorylist?queryString=parentId:none%2Bname:aaa").page()["results"][0]["id"]);
    assert_eq!(relocate(&client, &top, Some(&above)), 409, "all below it would have longer paths");
    client.post(&at(&top), &json!({"name": "a"})).ok();
    assert_eq!(relocate(&client, &top, Some(&above)), 200);
}

fn what_follows_is_told(server: &Server) {
    let client = server.new_client();
    let top = category(&client, "top", None);
    let below = category(&client, "below", Some(&top));
    let told = crate::changes::while_watching(&client, "maxSeconds=3&entities=KbCategory", || {
        client.post(&at(&top), &json!({"name": "renamed"})).ok();
        client.delete(&at(&top)).ok();
    });
    let ids: Vec<String> = told.iter().map(|event| text(&event.data["entityId"])).collect();
    assert_eq!(ids, [&top, &below, &below, &top].map(String::as_str), "{told:?}");
}
