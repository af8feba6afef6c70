//! Search for jobs: envelope, sorts, filters, cursors.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{FAR_AHEAD, create, everyday, job, text};

both_backends![
    the_envelope_is_the_documented_one,
    every_sort_is_total_and_walks_by_cursor,
    each_variable_filters,
    runs_are_found_across_jobs,
    runs_across_jobs_are_walked_by_cursor,
];

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
            let mut walked = Vec::new();
            let mut cursor = None::<String>;
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
    let one = named(&client, "Back up Ä", FAR_AHEAD);
    let other = named(&client, "Backup", FAR_AHEAD);
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

/// The ids of the jobs whose runs are found.
fn found_runs(client: &Client, query: &str) -> Vec<String> {
    let page = client.search("/jobs/runs/search?isDescendingOrder=false&sortName=id", query).page();
    page["results"].as_array().into_iter().flatten().map(|run| text(&run["job"]["id"])).collect()
}

fn runs_are_found_across_jobs(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let resource = text(&client.post("/resources", &json!({"hostName": "web"})).ok()["resourceUUID"]);
    let mut body = job(FAR_AHEAD, everyday());
    body["name"] = json!("Clean up");
    body["resources"] = json!([{"id": resource}]);
    let one = create(&client, &body);
    let two = named(&client, "Cleanup", FAR_AHEAD);
    let ran = [&one, &two].map(|id| text(&client.post_empty(&format!("/jobs/{id}/run")).ok()["id"]));
    let claimed = client.post("/jobs/runs/claim", &json!({"runner": "mine", "jobs": [two]})).ok();
    assert_eq!(claimed["runs"][0]["run"]["id"], json!(ran[1]));
    client.post(&format!("/jobs/runs/{}/result", ran[1]), &json!({"attempt": 1, "exitCode": 1})).ok();
    let run = client.get(&format!("/jobs/runs/{}", ran[1].to_lowercase())).ok();
    let runner = text(&run["runner"]["userId"]).to_lowercase();
    let both = vec![one.clone(), two.clone()];
    assert_eq!(found_runs(&client, ""), both);
    for (query, expected) in [
        ("status:queued,running".to_owned(), vec![one.clone()]),
        ("status:FAILED".to_owned(), vec![two.clone()]),
        (format!("jobId:{},{two}", one.to_uppercase()), both.clone()),
        (format!("id:{}", ran[0].to_lowercase()), vec![one.clone()]),
        ("jobName:clean".to_owned(), both.clone()),
        ("jobName:cleanup+isEquals:true".to_owned(), vec![two.clone()]),
        ("jobType:antivirus+trigger:manual".to_owned(), both.clone()),
        ("trigger:schedule".to_owned(), Vec::new()),
        ("runner:mine".to_owned(), vec![two.clone()]),
        (format!("runnerUserId:{runner}"), vec![two.clone()]),
        ("runner:min".to_owned(), Vec::new()),
        (format!("resourceId:{resource}"), vec![one.clone()]),
        ("startDate:2026-01-01T00:00:00Z+endDate:2099-01-01T00:00:00Z".to_owned(), both.clone()),
        ("endDate:2020-01-01T00:00:00Z".to_owned(), Vec::new()),
        ("startFinishedDate:2020-01-01T00:00:00Z".to_owned(), vec![two.clone()]),
        ("endFinishedDate:2020-01-01T00:00:00Z".to_owned(), Vec::new()),
    ] {
        assert_eq!(found_runs(&client, &query), expected, "{query}");
    }
    assert!(found_runs(&other, &format!("jobId:{one}")).is_empty());
    assert_eq!(found_runs(&server.admin(), &format!("jobId:{one}")), [one], "a partner sees its clients'");
    for query in ["status:x", "startDate:x", "nothing:x", "trigger:by hand"] {
        client.search("/jobs/runs/search", query).invalid(&["queryString"]);
    }
}

fn runs_across_jobs_are_walked_by_cursor(server: &Server) {
    let client = server.new_client();
    for number in 0..5 {
        let id = named(&client, &format!("job {number}"), FAR_AHEAD);
        client.post_empty(&format!("/jobs/{id}/run")).ok();
    }
    for sort in ["dueDate", "id"] {
        for descending in [false, true] {
            let list = format!("/jobs/runs/search?sortName={sort}&isDescendingOrder={descending}");
            let all: Vec<Value> = client.get(&list).page()["results"].as_array().cloned().unwrap_or_default();
            let mut walked = Vec::new();
            let mut next = String::new();
            loop {
                let page = client.get(&format!("{list}&pageSize=2{next}")).page();
                assert_eq!(page["totalResults"], json!(5));
                walked.extend(page["results"].as_array().cloned().unwrap_or_default());
                let Some(cursor) = page["nextCursor"].as_str() else { break };
                next = format!("&cursor={cursor}");
            }
            assert_eq!((walked.len(), walked), (5, all), "{sort} {descending}");
        }
    }
}
