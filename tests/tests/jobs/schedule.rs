//! What becomes due, and when.

use std::time::Duration;

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{FAR_AHEAD, LONG_AGO, create, everyday, job, runs, wait_for_runs};

both_backends![
    a_start_in_1970_is_one_run_at_once_and_no_storm,
    a_job_that_skips_what_it_missed_waits_for_its_next_time,
    a_job_runs_once_when_it_says_so,
    a_job_that_is_not_active_is_not_due,
    next_runs_follow_the_pattern,
];

fn a_start_in_1970_is_one_run_at_once_and_no_storm(server: &Server) {
    let client = server.new_client();
    let mut body = job("1970-01-01T00:00:00Z", everyday());
    for policy in ["once", "all"] {
        body["misfirePolicy"] = json!(policy);
        let id = create(&client, &body);
        let found = wait_for_runs(&client, &id, 1);
        std::thread::sleep(Duration::from_millis(1_500));
        assert_eq!(runs(&client, &id), found, "one run, and no more");
        assert_eq!((&found[0]["status"], &found[0]["trigger"]), (&json!("QUEUED"), &json!("schedule")));
        let read = client.get(&format!("/jobs/{id}")).ok();
        assert_eq!(read["jobQueued"], json!(true));
        assert!(read["nextRun"].as_str().unwrap() > found[0]["createdDate"].as_str().unwrap(), "{read}");
    }
}

fn a_job_that_skips_what_it_missed_waits_for_its_next_time(server: &Server) {
    let client = server.new_client();
    let mut body = job(LONG_AGO, everyday());
    body["misfirePolicy"] = json!("skip");
    // Not just before midnight.
    let hour = 3_600_000;
    let at = (now_ms() + 12 * hour) % (24 * hour) / hour;
    body["schedule"]["startDate"] = json!(format!("2020-01-01T{at:02}:00:00Z"));
    let id = create(&client, &body);
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(runs(&client, &id).is_empty());
    assert_eq!(client.get(&format!("/jobs/{id}")).ok()["jobQueued"], json!(false));
}

fn now_ms() -> u64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

fn a_job_runs_once_when_it_says_so(server: &Server) {
    let client = server.new_client();
    for kind in ["run once", "never"] {
        let id = create(&client, &job(LONG_AGO, json!({"type": kind})));
        let found = wait_for_runs(&client, &id, 1);
        assert_eq!(found[0]["dueDate"], json!("2020-01-01T00:00:00+0000"));
        let read = client.get(&format!("/jobs/{id}")).ok();
        assert_eq!(read.get("nextRun"), None, "{read}");
    }
}

fn a_job_that_is_not_active_is_not_due(server: &Server) {
    let client = server.new_client();
    let mut body = job(LONG_AGO, everyday());
    body["active"] = json!(false);
    let id = create(&client, &body);
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(runs(&client, &id).is_empty());
    assert_eq!(client.post_empty(&format!("/jobs/{id}/run")).ok()["trigger"], json!("manual"));
}

fn next_runs_follow_the_pattern(server: &Server) {
    let client = server.new_client();
    let next = |pattern: Value| -> Vec<String> {
        let id = create(&client, &job(FAR_AHEAD, pattern));
        let next = client.get(&format!("/jobs/{id}/next?count=3")).ok();
        let days = next["nextRuns"].as_array().unwrap().iter().map(|at| at.as_str().unwrap()[..10].to_owned());
        days.collect()
    };
    // 1 January 2035 is a Monday.
    assert_eq!(next(json!({"type": "daily", "frequency": "every weekday"}))[2], "2035-01-03");
    assert_eq!(
        next(json!({"type": "weekly", "weekDays": "Sunday,Monday", "repeatFrequency": 2})),
        ["2035-01-01", "2035-01-14", "2035-01-15"]
    );
    assert_eq!(
        next(json!({"type": "monthly", "dayOfMonth": "31", "repeatFrequency": 1})),
        ["2035-01-31", "2035-02-28", "2035-03-31"]
    );
    assert_eq!(
        next(json!({"type": "monthly", "weekIndex": "Last", "dayOfWeek": "Friday", "repeatFrequency": 1})),
        ["2035-01-26", "2035-02-23", "2035-03-30"]
    );
}
