//! `ETag` on what is read, `If-Match` on what is written.

use muster_tests::{Client, Server, both_backends};
use serde_json::json;

use super::{device, text};

both_backends![
    a_resource_has_an_etag_that_changes_with_it,
    if_match_guards_an_update,
    if_match_guards_a_delete,
    concurrent_writers_with_if_match_win_once,
    a_malformed_if_match_is_refused,
    api_keys_heed_if_match,
    what_shows_names_of_others_is_never_a_304,
];

#[track_caller]
fn etag(client: &Client, path: &str) -> String {
    let answer = client.get(path);
    answer.ok();
    match answer.header("ETag") {
        Some(tag) => {
            assert!(tag.trim_start_matches("W/").starts_with('"'), "an ETag is quoted: {tag}");
            tag.to_owned()
        }
        None => panic!("no ETag: {answer}"),
    }
}

fn a_resource_has_an_etag_that_changes_with_it(server: &Server) {
    let client = server.new_client();
    let path = format!("/resources/{}", device(&client, "tagged"));
    let first = etag(&client, &path);
    assert_eq!(etag(&client, &path), first, "reading changes nothing");
    client.post(&path, &json!({"description": "changed"})).ok();
    assert_ne!(etag(&client, &path), first);
}

fn if_match_guards_an_update(server: &Server) {
    let client = server.new_client();
    let path = format!("/resources/{}", device(&client, "guarded"));
    let update = |tag: &str, alias: &str| {
        client.request("POST", &path).header("If-Match", tag).json(&json!({"aliasName": alias})).send()
    };
    let alias = || client.get(&path).ok()["generalInfo"]["aliasName"].clone();
    let first = etag(&client, &path);
    update(&first, "one").ok();
    update(&first, "two").problem(412, "0004");
    update("\"something else\"", "three").problem(412, "0004");
    assert_eq!(alias(), json!("one"), "a 412 changes nothing");
    update(&etag(&client, &path), "four").ok();
    update("*", "five").ok();
    assert_eq!(alias(), json!("five"));
}

fn if_match_guards_a_delete(server: &Server) {
    let client = server.new_client();
    let path = format!("/resources/{}", device(&client, "guarded"));
    let old = etag(&client, &path);
    client.post(&path, &json!({"description": "changed"})).ok();
    client.request("DELETE", &path).header("If-Match", &old).send().problem(412, "0004");
    client.get(&path).ok();
    let new = etag(&client, &path);
    client.request("DELETE", &path).header("If-Match", &new).send().ok();
    client.get(&path).not_found();
}

fn concurrent_writers_with_if_match_win_once(server: &Server) {
    let client = server.new_client();
    let path = format!("/resources/{}", device(&client, "contended"));
    let tag = etag(&client, &path);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|number| {
                let client = client.clone();
                let path = &path;
                let tag = &tag;
                scope.spawn(move || {
                    let body = json!({"description": format!("writer {number}")});
                    client.request("POST", path).header("If-Match", tag).json(&body).send().status
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap_or_default()).collect()
    });
    let won = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(won, 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 409, 412].contains(status)), "{statuses:?}");
    let detail = client.get(&path).ok();
    assert!(text(&detail["generalInfo"]["description"]).starts_with("writer "));
}

fn a_malformed_if_match_is_refused(server: &Server) {
    let client = server.new_client();
    let path = format!("/resources/{}", device(&client, "malformed"));
    let send = |tag: &str| client.request("POST", &path).header("If-Match", tag).json(&json!({"make": "x"})).send();
    for wrong in ["1", "\"1", "1\"", "\"", "", "W/1", "\"1\"\"", "w/\"1\""] {
        let told = send(wrong).problem(400, "0002");
        assert!(text(&told["detail"]).contains("\"3\""), "it says how a tag looks: {told}");
    }
    for other in ["\"0\"", "\"\"", "\"of another service\"", "W/\"1\""] {
        send(other).problem(412, "0004");
    }
    send("\"1\"").ok();
}

fn api_keys_heed_if_match(server: &Server) {
    let client = server.new_client();
    let made = client.post("/apiKeys", &json!({"name": "guarded", "role": "viewer"}));
    let path = format!("/apiKeys/{}", text(&made.ok()["id"]));
    let rotate = |tag: &str| client.request("POST", &format!("{path}/rotate")).header("If-Match", tag).send();
    let tag_of = |answer: &muster_tests::Response| answer.header("ETag").expect("an ETag").to_owned();
    let first = tag_of(&made);
    let rotated = rotate(&first);
    rotated.ok();
    let second = tag_of(&rotated);
    assert_ne!(first, second);
    rotate(&first).problem(412, "0004");
    rotate("\"999\"").problem(412, "0004");
    let revoke = |tag: &str| client.request("DELETE", &path).header("If-Match", tag).send();
    revoke(&first).problem(412, "0004");
    revoke("1").problem(400, "0002");
    assert!(client.get("/apiKeys").list().iter().any(|key| key["name"] == "guarded"), "a 412 changes nothing");
    revoke(&second).ok();
    rotate("*").not_found();
}

fn what_shows_names_of_others_is_never_a_304(server: &Server) {
    let client = server.new_client();
    let made = |path: &str, body, id: &str| {
        let answer = client.post(path, &body).ok();
        answer[id].as_str().map_or_else(|| answer[id].to_string(), ToOwned::to_owned)
    };
    let user = made("/users", json!({"loginName": "ann", "firstName": "Ann"}), "id");
    let group = made("/userGroups", json!({"name": "g", "users": [{"id": user}]}), "uniqueId");
    let site = made("/sites", json!({"name": "Graz"}), "id");
    let resource = made("/resources", json!({"name": "here", "location": {"id": site}}), "resourceUUID");
    let parent = made("/deviceGroups", json!({"name": "above"}), "id");
    let child = made("/deviceGroups", json!({"name": "below", "parent": {"id": parent}}), "id");
    let above = text(&client.post("/incidents/categories", &json!({"names": ["above"]})).list()[0]["uniqueId"]);
    let under = json!({"names": ["under"], "parentCategory": {"uniqueId": above}});
    let under = text(&client.post("/incidents/categories", &under).list()[0]["uniqueId"]);
    let schedule = json!({"type": "one-time", "startDate": "2026-11-20T00:00:00Z", "endDate": "2026-11-21T00:00:00Z"});
    let shift = json!({"name": "s", "schedule": schedule, "users": [{"id": user}], "userGroups": []});
    let roster =
        json!({"name": "r", "description": "d", "timeZone": {"name": "Europe/Paris"}, "shiftDetails": [shift]});
    let roster = made("/rosters", roster, "id");
    let notifier = json!({"baseURI": "https://receiver.invalid/one"});
    let body = json!({"displayName": "i", "baseNotifier": notifier});
    let integration = format!("/integrations/installed/{}", made("/integrations/install/CUSTOM", body, "id"));
    let event = made(&format!("{integration}/event"), json!({"name": "e"}), "id");
    let shelf = made("/kb/category", json!({"name": "shelf"}), "id");
    let inner = made("/kb/category", json!({"name": "inner", "parentCategory": {"id": shelf}}), "id");
    let article = made("/kb/article", json!({"title": "t", "content": "c", "category": {"id": shelf}}), "id");
    let paths = [
        (format!("/userGroups/{group}"), format!("/users/{user}"), json!({"firstName": "Anna"})),
        (format!("/resources/{resource}"), format!("/sites/{site}"), json!({"name": "Linz"})),
        (format!("/deviceGroups/{child}"), format!("/deviceGroups/{parent}"), json!({"name": "on top"})),
        (format!("/kb/article/{article}"), format!("/kb/category/{shelf}"), json!({"name": "rack"})),
        (format!("/kb/category/{inner}"), format!("/kb/category/{shelf}"), json!({"name": "box"})),
        (format!("/incidents/categories/{under}"), format!("/incidents/categories/{above}"), json!({"name": "top"})),
        (format!("/rosters/{roster}"), format!("/users/{user}"), json!({"firstName": "Annie"})),
        (
            format!("{integration}/event/{event}"),
            integration,
            json!({"baseNotifier": {"baseURI": "https://receiver.invalid/two"}}),
        ),
    ];
    for (path, other, change) in paths {
        let before = client.get(&path);
        client.post(&other, &change).ok();
        let tag = before.header("ETag").expect("an ETag");
        let after = client.request("GET", &path).header("If-None-Match", tag).send();
        assert_ne!(after.ok(), before.ok(), "{path} shows what changed");
    }
    // What shows nothing but itself is.
    let path = format!("/sites/{site}");
    let tag = etag(&client, &path);
    assert_eq!(client.request("GET", &path).header("If-None-Match", &tag).send().status, 304);
}
