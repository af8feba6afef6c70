//! When any window of a tenant is open.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, group, resource, text, window};

both_backends![
    the_occurrences_of_all_windows_are_one_list,
    occurrences_of_many_windows_are_walked_in_either_direction,
    a_range_with_too_many_occurrences_is_refused,
];

const WEEK: &str = "from=2031-05-05T00:00:00Z&to=2031-05-12T00:00:00Z";

/// Every so many days from a start, for an hour.
fn every(days: i64, start: &str, end: &str) -> Value {
    json!({"type": "Recurring", "startTime": start, "endTime": end, "timezone": "UTC",
        "pattern": {"type": "daily", "dayFrequency": "recurrence", "repeatFrequency": days}, "endBy": "NEVER"})
}

fn daily_at(hour: u8) -> Value {
    every(1, &format!("2031-05-01T{hour:02}:00:00+0000"), &format!("2031-05-01T{:02}:00:00+0000", hour + 1))
}

#[track_caller]
fn told(client: &Client, query: &str) -> Vec<String> {
    let page = client.get(&format!("/scheduleMaintenances/occurrences?{query}")).page();
    let all = page["results"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| format!("{} {}", &text(&one["start"])[5..16], text(&one["window"]["name"]))).collect()
}

fn the_occurrences_of_all_windows_are_one_list(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let (one, host) = resource(&client);
    let (two, _) = resource(&client);
    let (_, group) = group(&client, &[&two]);
    let named = |body: Value, name: &str| {
        let mut body = body;
        body["name"] = json!(name);
        body
    };
    create(&client, &named(window(&one, every(3, "2031-05-05T20:00:00+0000", "2031-05-05T21:00:00+0000")), "patches"));
    let late = create(&client, &named(window(&two, daily_at(22)), "backup"));
    let by_group = json!({"name": "group", "deviceGroups": [{"name": group}], "schedule": {"type": "One-Time",
        "startTime": "2031-05-06T22:00:00+0000", "endTime": "2031-05-07T02:00:00+0000", "timezone": "UTC"}});
    create(&client, &by_group);
    let range = "from=2031-05-05T00:00:00Z&to=2031-05-08T00:00:00Z";
    let all = told(&client, range);
    assert_eq!(all.len(), 5, "{all:?}");
    assert_eq!((&all[0], &all[1]), (&"05-05T20:00 patches".to_owned(), &"05-05T22:00 backup".to_owned()));
    let mut reversed = told(&client, &format!("{range}&isDescendingOrder=true"));
    reversed.reverse();
    assert_eq!(reversed, all);
    // What is skipped, and what is over, takes no place.
    client.post(&format!("{late}/skip"), &json!({"start": "2031-05-05T22:00:00Z"})).ok();
    assert_eq!(told(&client, range).len(), 4);
    // Filters are those of the search for windows.
    let found = |query: &str| {
        let page = client.search(&format!("/scheduleMaintenances/occurrences?{range}"), query).page();
        page["results"].as_array().into_iter().flatten().map(|one| text(&one["window"]["name"])).collect::<Vec<_>>()
    };
    assert_eq!(found("name:patch"), ["patches"]);
    assert_eq!(found(&format!("hostName:{host}")), ["patches"]);
    let mut of_two = found(&format!("resourceId:{two}"));
    of_two.sort();
    assert_eq!(of_two, ["backup", "backup", "group"]);
    assert!(found("state:Completed").is_empty());
    assert!(told(&other, range).is_empty());
    let id = late.rsplit('/').next().unwrap_or_default();
    let seen = server.admin().search(&format!("/scheduleMaintenances/occurrences?{range}"), &format!("id:{id}")).page();
    assert_eq!(seen["totalResults"], json!(2), "a partner sees its clients'");
    assert_eq!(seen["results"][0]["clientUniqueId"], json!(client.tenant_id()));
    client.get("/scheduleMaintenances/occurrences").invalid(&["from", "to"]);
    client.get(&format!("/scheduleMaintenances/occurrences?{range}&sortName=end")).invalid(&["sortName"]);
}

fn occurrences_of_many_windows_are_walked_in_either_direction(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    for hour in [3, 3, 3, 9, 15] {
        create(&client, &window(&id, daily_at(hour)));
    }
    for descending in [false, true] {
        let list = format!("/scheduleMaintenances/occurrences?{WEEK}&isDescendingOrder={descending}");
        let all: Vec<Value> = client.get(&list).page()["results"].as_array().cloned().unwrap_or_default();
        assert_eq!(all.len(), 35);
        let mut walked = Vec::new();
        let mut next = String::new();
        loop {
            let page = client.get(&format!("{list}&pageSize=4{next}")).page();
            assert_eq!(page["totalResults"], json!(35));
            walked.extend(page["results"].as_array().cloned().unwrap_or_default());
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            next = format!("&cursor={cursor}");
        }
        assert_eq!(walked, all, "{descending}");
        let numbered: Vec<Value> = (1..=9)
            .flat_map(|page| {
                let page = client.get(&format!("{list}&pageSize=4&pageNo={page}")).page();
                page["results"].as_array().cloned().unwrap_or_default()
            })
            .collect();
        assert_eq!(numbered, all);
    }
}

fn a_range_with_too_many_occurrences_is_refused(server: &Server) {
    let client = server.new_client();
    let (id, _) = resource(&client);
    for _ in 0..260 {
        create(&client, &window(&id, daily_at(3)));
    }
    let year = "from=2031-06-01T00:00:00Z&to=2032-07-01T00:00:00Z";
    client.get(&format!("/scheduleMaintenances/occurrences?{year}")).invalid(&["to"]);
    assert_eq!(told(&client, &format!("{WEEK}&pageSize=1000")).len(), 1000);
}
