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
    a_step_of_a_star_restricts_the_other_day,
    cron_and_elapsed_time_are_kept_as_they_are_given,
    what_was_missed_by_the_minute_is_bounded,
    jobs_that_are_due_often_are_few,
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

fn a_step_of_a_star_restricts_the_other_day(server: &Server) {
    let client = server.new_client();
    for (cron, expected) in [
        ("0 0 */2 * 1", ["2037-01-05", "2037-01-19", "2037-02-09"]),
        ("0 0 */1 * MON", ["2037-01-05", "2037-01-12", "2037-01-19"]),
        ("0 0 1 * */2", ["2037-01-01", "2037-02-01", "2037-03-01"]),
        ("0 0 ? * 1", ["2037-01-05", "2037-01-12", "2037-01-19"]),
        ("0 0 13 * 5", ["2037-01-02", "2037-01-09", "2037-01-13"]),
    ] {
        let mut body = job("2037-01-01T00:00:00Z", Value::Null);
        body["schedule"] = json!({"startDate": "2037-01-01T00:00:00Z", "cron": cron});
        let id = create(&client, &body);
        let next = client.get(&format!("/jobs/{id}/next?count=3")).ok().to_string();
        assert!(expected.iter().all(|date| next.contains(&format!("{date}T00:00:00"))), "{cron}: {next}");
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

fn scheduled(schedule: Value) -> Value {
    let mut body = job(LONG_AGO, everyday());
    body["schedule"] = schedule;
    body
}

fn cron_and_elapsed_time_are_kept_as_they_are_given(server: &Server) {
    let client = server.new_client();
    let cron = json!({"startDate": "2035-03-24T00:00:00+0000", "cron": "30 * * * *", "timezone": "Europe/Vienna"});
    let id = create(&client, &scheduled(cron.clone()));
    assert_eq!(client.get(&format!("/jobs/{id}")).ok()["schedule"], cron);
    let next = |id: &str, count: usize| {
        let found = client.get(&format!("/jobs/{id}/next?count={count}")).ok();
        found["nextRuns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|at| at.as_str().unwrap()[5..16].to_owned())
            .collect::<Vec<_>>()
    };
    // Through a change of the clocks, once in each hour.
    let change =
        json!({"schedule": {"startDate": "2035-03-24T22:00:00Z", "cron": "30 * * * *", "timezone": "europe/vienna"}});
    client.post(&format!("/jobs/{id}"), &change).ok();
    assert_eq!(next(&id, 5), ["03-24T22:30", "03-24T23:30", "03-25T00:30", "03-25T01:30", "03-25T02:30"]);
    // A named hour that does not exist.
    let change =
        json!({"schedule": {"startDate": "2035-03-24T22:00:00Z", "cron": "30 2 * * *", "timezone": "Europe/Vienna"}});
    client.post(&format!("/jobs/{id}"), &change).ok();
    assert_eq!(next(&id, 2), ["03-25T01:00", "03-26T00:30"]);
    let pattern = json!({"type": "daily", "frequency": "recurrence", "repeatFrequency": 90, "repeatType": "minutes"});
    let id = create(&client, &scheduled(json!({"startDate": "2035-03-24T22:00:00+0000", "pattern": pattern})));
    assert_eq!(client.get(&format!("/jobs/{id}")).ok()["schedule"]["pattern"], pattern);
    assert_eq!(next(&id, 3), ["03-24T22:00", "03-24T23:30", "03-25T01:00"]);
    for (schedule, field) in [
        (json!({"startDate": FAR_AHEAD, "cron": "61 * * * *"}), "schedule.cron"),
        (json!({"startDate": FAR_AHEAD, "cron": "* * * * *", "pattern": everyday()}), "schedule.cron"),
        (json!({"startDate": FAR_AHEAD, "cron": "* * * * *", "timezone": "Europe/Wien"}), "schedule.timezone"),
        (
            json!({"startDate": FAR_AHEAD, "cron": "* * * * *", "timezone": "GMT", "timeZone": {"name": "GMT"}}),
            "schedule.timezone",
        ),
        (json!({"startDate": FAR_AHEAD}), "schedule.pattern"),
    ] {
        client.post("/jobs", &scheduled(schedule)).invalid(&[field]);
    }
}

fn what_was_missed_by_the_minute_is_bounded(server: &Server) {
    let client = server.new_client();
    let mut body = scheduled(json!({"startDate": "1990-01-01T00:00:00Z", "cron": "* * * * *"}));
    body["overlapPolicy"] = json!("skip");
    let id = create(&client, &body);
    let found = wait_for_runs(&client, &id, 1);
    let due = found.last().unwrap()["dueDate"].as_str().unwrap().to_owned();
    assert!(due.as_str() > "2026" && due.ends_with(":00+0000"), "{due}");
    assert!(found.len() <= 2, "one run for the last minute, and no storm: {found:?}");
}

fn jobs_that_are_due_often_are_few(server: &Server) {
    let client = server.new_client();
    let often = scheduled(json!({"startDate": FAR_AHEAD, "cron": "*/30 * * * *"}));
    let first = create(&client, &often);
    for _ in 1..500 {
        create(&client, &often);
    }
    client.post("/jobs", &often).invalid(&["schedule"]);
    let hourly = create(&client, &scheduled(json!({"startDate": FAR_AHEAD, "cron": "0 * * * *"})));
    client.post(&format!("/jobs/{hourly}"), &json!({"schedule": often["schedule"]})).invalid(&["schedule"]);
    client.post(&format!("/jobs/{first}"), &json!({"name": "as before"})).ok();
    client.delete(&format!("/jobs/{first}")).ok();
    create(&client, &often);
}
