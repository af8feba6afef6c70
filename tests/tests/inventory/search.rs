//! `GET /resources/search`: the minimal list in pages, sorted.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, text};

both_backends![
    it_is_the_minimal_list_in_pages,
    every_sort_name_sorts_both_ways,
    pages_lose_and_repeat_nothing_when_keys_are_equal,
    a_cursor_walks_the_same_rows,
    the_state_and_the_variables_filter,
    all_parameters_that_are_wrong_are_named,
];

const PATH: &str = "/resources/search";

#[track_caller]
fn results(page: &Value) -> Vec<String> {
    page["results"].as_array().map(|items| items.iter().map(|item| text(&item["name"])).collect()).unwrap_or_default()
}

fn five(client: &Client) {
    for (name, host, address) in [
        ("c", "h2", "10.0.0.10"),
        ("a", "h2", "10.0.0.9"),
        ("b", "h1", "10.0.0.100"),
        ("e", "h3", "9.0.0.1"),
        ("d", "h3", "10.0.0.9"),
    ] {
        create(client, &json!({"name": name, "hostName": host, "resourceName": host, "ipAddress": address}));
    }
}

fn it_is_the_minimal_list_in_pages(server: &Server) {
    let client = server.new_client();
    five(&client);
    let page = client.get(&format!("{PATH}?sortName=name&isDescendingOrder=false&pageSize=2")).page();
    assert_eq!(results(&page), ["a", "b"]);
    assert_eq!((&page["totalResults"], &page["totalPages"], &page["nextPage"]), (&json!(5), &json!(3), &json!(true)));
    let page = client.get(&format!("{PATH}?sortName=name&isDescendingOrder=false&pageSize=2&pageNo=3")).page();
    assert_eq!(results(&page), ["e"]);
    let listed = client.search("/resources/minimal", "hostName:h1").list();
    let searched = client.search(PATH, "hostName:h1").page();
    for name in super::keys(&listed[0]) {
        assert_eq!(searched["results"][0][name], listed[0][name], "{name}");
    }
}

fn every_sort_name_sorts_both_ways(server: &Server) {
    let client = server.new_client();
    five(&client);
    for name in ["id", "name", "hostName", "resourceName", "ipAddress", "createdDate", "updatedDate"] {
        let all = |descending: bool| {
            let page = client.get(&format!("{PATH}?sortName={name}&isDescendingOrder={descending}")).page();
            assert_eq!((&page["orderBy"], &page["descendingOrder"]), (&json!(name), &json!(descending)));
            page["results"].as_array().cloned().unwrap_or_default()
        };
        let ascending = all(false);
        let descending = all(true);
        assert_eq!(ascending.len(), 5);
        if ["id", "name", "hostName", "resourceName"].contains(&name) {
            let values = |items: &[Value]| items.iter().map(|item| text(&item[name])).collect::<Vec<_>>();
            let mut sorted = values(&ascending);
            sorted.sort();
            assert_eq!(values(&ascending), sorted, "{name}");
            sorted.reverse();
            assert_eq!(values(&descending), sorted, "{name}");
        }
    }
}

fn page_request(client: &Client, path: &str, mut next: impl FnMut(&Value) -> Option<String>) -> Vec<String> {
    let mut ids = Vec::new();
    let mut parameters = String::new();
    for _ in 0..50 {
        let page = client.get(&format!("{path}{parameters}")).ok();
        let items = page["results"].as_array().cloned().unwrap_or_default();
        ids.extend(items.iter().map(|item| text(&item["id"])));
        match next(&page) {
            Some(more) => parameters = more,
            None => return ids,
        }
    }
    panic!("50 pages and no end");
}

fn is_every_row_once(mut ids: Vec<String>, total: usize) {
    assert_eq!(ids.len(), total);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), total, "rows repeat");
}

fn pages_lose_and_repeat_nothing_when_keys_are_equal(server: &Server) {
    let client = server.new_client();
    for number in 0..20 {
        create(&client, &json!({"name": "same", "hostName": format!("h{}", number % 2)}));
    }
    for sort in ["name", "hostName", "resourceName", "ipAddress", "createdDate", "id"] {
        for descending in [true, false] {
            let path = format!("{PATH}?sortName={sort}&isDescendingOrder={descending}&pageSize=3");
            let ids = page_request(&client, &path, |page| {
                let number = page["pageNo"].as_i64().unwrap_or_default();
                page["nextPage"].as_bool().filter(|more| *more).map(|_| format!("&pageNo={}", number + 1))
            });
            is_every_row_once(ids, 20);
        }
    }
}

/// `cursor` and `nextCursor` are an extra: where they are offered, they walk every row once, also
/// while rows are added.
fn a_cursor_walks_the_same_rows(server: &Server) {
    let client = server.new_client();
    for number in 0..10 {
        create(&client, &json!({"name": format!("n{}", number % 3)}));
    }
    let path = format!("{PATH}?sortName=name&isDescendingOrder=false&pageSize=3");
    if client.get(&path).ok().get("nextCursor").is_none() {
        return;
    }
    let mut added = false;
    let ids = page_request(&client, &path, |page| {
        if !added {
            create(&client, &json!({"name": "a first one"}));
            added = true;
        }
        let cursor = page.get("nextCursor").and_then(Value::as_str)?;
        Some(format!("&cursor={}", muster_tests::encode(cursor)))
    });
    is_every_row_once(ids, 10);
    client.get(&format!("{path}&cursor=nonsense")).invalid(&["cursor"]);
}

fn the_state_and_the_variables_filter(server: &Server) {
    let client = server.new_client();
    five(&client);
    create(&client, &json!({"name": "off", "hostName": "h1", "state": "inactive"}));
    let total = |path: &str| client.get(path).page()["totalResults"].clone();
    assert_eq!(total(PATH), json!(5));
    assert_eq!(total(&format!("{PATH}?state=all")), json!(6));
    assert_eq!(total(&format!("{PATH}?queryString=hostName:h1%2Bstate:all")), json!(2));
    assert_eq!(total(&format!("{PATH}?queryString=hostName:h1")), json!(1));
    assert_eq!(total(&format!("{PATH}?queryString=ipAddress:10.0.0.0/8&pageSize=1&pageNo=2")), json!(4));
}

fn all_parameters_that_are_wrong_are_named(server: &Server) {
    let client = server.new_client();
    let wrong = "foo=1&queryString=zzz:1&deviceGroupId=x";
    client.get(&format!("{PATH}?pageSize=0&{wrong}")).invalid(&["pageSize", "foo", "queryString", "deviceGroupId"]);
    for path in ["/resources/minimal", "/resources/export"] {
        client.get(&format!("{path}?{wrong}")).invalid(&["foo", "queryString", "deviceGroupId"]);
    }
}
