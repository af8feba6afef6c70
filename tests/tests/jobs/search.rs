//! Search for jobs: envelope, sorts, filters, cursors.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{FAR_AHEAD, create, everyday, job, text};

both_backends![the_envelope_is_the_documented_one, every_sort_is_total_and_walks_by_cursor, each_variable_filters,];

fn names(page: &Value) -> Vec<String> {
    page["results"].as_array().into_iter().flatten().map(|job| text(&job["name"])).collect()
}

fn named(client: &Client, name: &str, start: &str) -> String {
    let mut body = job(start, everyday());
    body["name"] = json!(name);
    create(client, &body)
}

fn the_envelope_is_the_documented_one(server: &Server) {
    let client = server.new_client();
    for number in 0..3 {
        named(&client, &format!("job {number}"), FAR_AHEAD);
    }
    let page = client.get("/jobs/search?pageSize=2").page();
    assert_eq!(names(&page), ["job 2", "job 1"], "by id, descending: the last one first");
    let envelope = |page: &Value| {
        let mut page = page.clone();
        page.as_object_mut().unwrap().retain(|name, _| !["results", "nextCursor"].contains(&name.as_str()));
        page
    };
    let expected = json!({"totalResults": 3, "pageNo": 1, "pageSize": 2, "totalPages": 2, "nextPage": true,
        "previousPageNo": 0, "orderBy": "id", "descendingOrder": true});
    assert_eq!(envelope(&page), expected);
    let page = client.get("/jobs/search?pageSize=2&pageNo=2&sortName=NAME&isDescendingOrder=false").page();
    assert_eq!(names(&page), ["job 2"]);
    let expected = json!({"totalResults": 3, "pageNo": 2, "pageSize": 2, "totalPages": 2, "nextPage": false,
        "previousPageNo": 1, "orderBy": "name", "descendingOrder": false});
    assert_eq!(envelope(&page), expected);
}

fn every_sort_is_total_and_walks_by_cursor(server: &Server) {
    let client = server.new_client();
    for number in 0..7 {
        named(&client, &format!("same {}", number % 2), &format!("2035-01-0{}T10:00:00Z", 1 + number % 3));
    }
    for sort in ["id", "name", "startDate"] {
        for descending in [false, true] {
            let list = format!("/jobs/search?sortName={sort}&isDescendingOrder={descending}");
            let all: Vec<Value> = client.get(&list).page()["results"].as_array().cloned().unwrap_or_default();
            let (mut walked, mut cursor) = (Vec::new(), None::<String>);
            loop {
                let from = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
                let page = client.get(&format!("{list}&pageSize=2{from}")).page();
                walked.extend(page["results"].as_array().cloned().unwrap_or_default());
                cursor = page["nextCursor"].as_str().map(ToOwned::to_owned);
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(walked, all, "{sort} {descending}");
            assert_eq!(all.len(), 7);
        }
    }
}

fn each_variable_filters(server: &Server) {
    let client = server.new_client();
    let (one, other) = (named(&client, "Back up Ä", FAR_AHEAD), named(&client, "Backup", FAR_AHEAD));
    client.post_empty(&format!("/jobs/{other}/run")).ok();
    let found = |query: &str| names(&client.search("/jobs/search?sortName=name&isDescendingOrder=false", query).page());
    assert_eq!(found("name:back"), ["Back up Ä", "Backup"]);
    assert_eq!(found("name:up ä"), ["Back up Ä"]);
    assert_eq!(found("name:backup+isEquals:true"), ["Backup"]);
    assert_eq!(found(&format!("id:{}", one.to_uppercase())), ["Back up Ä"]);
    assert_eq!((found("jobQueued:true"), found("jobQueued:FALSE")), (vec!["Backup".into()], vec!["Back up Ä".into()]));
    assert_eq!(found("jobType:ANTIVIRUS,custom").len(), 2);
    assert!(found("jobType:custom").is_empty());
    assert!(found("name:%").is_empty(), "a value is literal");
}
