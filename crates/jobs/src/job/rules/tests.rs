use super::*;
use crate::job::wire::NewJob;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn made(start: &str, pattern: serde_json::Value, policy: &str, now: &str) -> Job {
    let body = json!({"name": "a", "schedule": {"startDate": start, "pattern": pattern},
            "script": {"jobType": "antivirus"}, "misfirePolicy": policy});
    let change = NewJob::parse(&body).unwrap().into();
    changed(&blank("client_1", "j".to_owned(), "u", at(now)), &change, "u", at(now)).unwrap()
}

fn due(job: &Job) -> Option<String> {
    job.next_due_ms.map(|ms| Timestamp::from_millis(ms).to_string())
}

#[test]
fn a_start_long_past_is_due_once_and_at_once() {
    let daily = json!({"type": "daily", "frequency": "everyday"});
    let now = "2026-11-20T12:00:00Z";
    let job = made("1970-01-01T10:00:00Z", daily.clone(), "once", now);
    assert_eq!(due(&job).unwrap(), "2026-11-20T10:00:00+0000");
    let job = made("1970-01-01T10:00:00Z", daily, "skip", now);
    assert_eq!(due(&job).unwrap(), "2026-11-21T10:00:00+0000");
    let job = made("1970-01-01T10:00:00Z", json!({"type": "run once"}), "once", now);
    assert_eq!(due(&job).unwrap(), "1970-01-01T10:00:00+0000");
    let job = made("1970-01-01T10:00:00Z", json!({"type": "run once"}), "skip", now);
    assert_eq!(due(&job), None);
    let job = made("2027-01-01T10:00:00Z", json!({"type": "run once"}), "skip", now);
    assert_eq!(due(&job).unwrap(), "2027-01-01T10:00:00+0000");
}

#[test]
fn what_is_too_late_when_a_job_is_made_is_not_due() {
    let body = json!({"name": "a", "script": {"jobType": "antivirus"}, "maximumLateness": 600, "schedule":
        {"startDate": "2026-01-01T02:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}}});
    let change = NewJob::parse(&body).unwrap().into();
    let due_at = |now| {
        let made = changed(&blank("client_1", "j".to_owned(), "u", at(now)), &change, "u", at(now)).unwrap();
        due(&made).unwrap()
    };
    assert_eq!(due_at("2026-11-20T02:10:00Z"), "2026-11-20T02:00:00+0000");
    assert_eq!(due_at("2026-11-20T02:10:01Z"), "2026-11-21T02:00:00+0000");
    assert_eq!(due_at("2026-11-20T15:00:00Z"), "2026-11-21T02:00:00+0000");
}

#[test]
fn a_change_counts_from_now_on_and_leaves_what_was_due() {
    let daily = json!({"type": "daily", "frequency": "everyday"});
    let job = made("2026-11-01T10:00:00Z", daily.clone(), "skip", "2026-11-20T09:00:00Z");
    let change = |body| JobChange::parse(&body).unwrap();
    let late = at("2026-11-20T10:30:00Z");
    let renamed = changed(&job, &change(json!({"name": "b"})), "u", late).unwrap();
    assert_eq!(due(&renamed).unwrap(), "2026-11-20T10:00:00+0000", "the run that is just due is not lost");
    let paused = changed(&job, &change(json!({"active": false})), "u", late).unwrap();
    assert_eq!(due(&paused), None);
    let resumed = changed(&paused, &change(json!({"active": true})), "u", late).unwrap();
    assert_eq!(due(&resumed).unwrap(), "2026-11-21T10:00:00+0000");
    let moved = json!({"schedule": {"startDate": "2026-11-01T08:00:00Z", "pattern": daily}});
    let moved = changed(&job, &change(moved), "u", late).unwrap();
    assert_eq!(due(&moved).unwrap(), "2026-11-21T08:00:00+0000");
}

#[test]
fn the_last_due_time_is_found_however_rare() {
    let monthly = json!({"type": "monthly", "dayOfMonth": "1", "repeatFrequency": 1});
    let job = made("1970-01-01T10:00:00Z", monthly, "all", "2026-11-20T12:00:00Z");
    assert_eq!(due(&job).unwrap(), "2026-11-01T10:00:00+0000");
    assert_eq!(upcoming(&job, 2).unwrap()[1], at("2026-12-01T10:00:00Z"));
}
