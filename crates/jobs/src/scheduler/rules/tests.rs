use base::body::Request as _;
use serde_json::json;

use super::*;
use crate::job::wire::NewJob;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A daily job at ten, which was due last at ten on 1 November.
fn job(change: serde_json::Value) -> Job {
    let mut body = json!({"name": "a", "script": {"jobType": "antivirus"}, "schedule":
            {"startDate": "2026-10-01T10:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}}});
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    let change = NewJob::parse(&body).unwrap().into();
    let now = at("2026-11-01T10:00:00Z");
    let mut job = rules::changed(&rules::blank("client_1", "j".to_owned(), "u", now), &change, "u", now).unwrap();
    job.next_due_ms = Some(at("2026-11-02T10:00:00Z").millis());
    job
}

/// `+` for a run, `-` for a missed one, and when it was due; the next due time last.
fn told(job: &Job, now: &str) -> String {
    let plan = plan(job, at(now)).unwrap();
    let mut told: Vec<String> = plan
        .due
        .iter()
        .map(|(due, fate)| {
            let sign = if *fate == DueTimeOutcome::Run { '+' } else { '-' };
            format!("{sign}{}", &Timestamp::from_millis(*due).to_string()[8..13])
        })
        .collect();
    told.push(plan.next_ms.map(|ms| Timestamp::from_millis(ms).to_string()[8..13].to_owned()).unwrap_or_default());
    told.join(" ")
}

#[test]
fn a_clock_that_moves_loses_no_run_and_repeats_none() {
    let mut daily = job(json!({}));
    assert_eq!(told(&daily, "2026-11-02T09:59:59Z"), "02T10");
    assert_eq!(told(&daily, "2026-11-02T10:00:00Z"), "+02T10 03T10");
    daily.next_due_ms = Some(at("2026-11-03T10:00:00Z").millis());
    assert_eq!(told(&daily, "2026-11-02T09:30:00Z"), "03T10", "moved back over the run that was made");
    assert_eq!(told(&daily, "2026-11-02T10:00:00Z"), "03T10", "ten o'clock, again");
    assert_eq!(told(&daily, "2026-11-03T10:45:00Z"), "+03T10 04T10", "moved forward over the next");
}

#[test]
fn what_was_missed_is_made_up_for_by_the_policy() {
    let now = "2026-11-04T12:00:00Z";
    assert_eq!(told(&job(json!({})), now), "-02T10 -03T10 +04T10 05T10");
    assert_eq!(told(&job(json!({"misfirePolicy": "all"})), now), "+02T10 +03T10 +04T10 05T10");
    assert_eq!(told(&job(json!({"misfirePolicy": "skip"})), now), "-02T10 -03T10 -04T10 05T10");
    assert_eq!(told(&job(json!({"misfirePolicy": "skip"})), "2026-11-02T10:00:59Z"), "+02T10 03T10");
    let within = |policy, seconds| job(json!({"misfirePolicy": policy, "maximumLateness": seconds}));
    assert_eq!(told(&within("all", 100_000), now), "-02T10 +03T10 +04T10 05T10");
    assert_eq!(told(&within("once", 7_199), now), "-02T10 -03T10 -04T10 05T10");
    assert_eq!(told(&within("skip", 7_200), now), "-02T10 -03T10 +04T10 05T10");
}

#[test]
fn runs_that_are_made_up_for_one_by_one_wait_for_each_other() {
    let waits = |policy: &str, now| plan(&job(json!({"misfirePolicy": policy})), at(now)).unwrap().waits;
    for (now, expected) in [
        ("2026-11-02T10:00:00Z", false),
        ("2026-11-02T10:01:00Z", false),
        ("2026-11-02T10:01:01Z", true),
        ("2026-11-03T10:00:00Z", true),
    ] {
        assert_eq!(waits("all", now), expected, "{now}");
    }
    assert!(!waits("once", "2026-11-03T12:00:00Z") && !waits("skip", "2026-11-03T12:00:00Z"));
}

#[test]
fn a_due_time_is_not_later_than_that_of_the_rule() {
    let next = |due: Option<&str>, now| {
        let due = due.map(|due| at(due).millis());
        let next = next_by_now(&Job { next_due_ms: due, ..job(json!({})) }, at(now)).unwrap();
        Timestamp::from_millis(next.unwrap()).to_string()
    };
    let now = "2026-11-02T12:00:00Z";
    for late in [Some("2028-01-05T10:00:00Z"), None] {
        assert_eq!(next(late, now), "2026-11-03T10:00:00+0000");
    }
    assert_eq!(next(Some("2026-11-01T10:00:00Z"), now), "2026-11-01T10:00:00+0000", "what is due stays due");
}

#[test]
fn decades_are_no_storm() {
    let mut old = job(json!({"misfirePolicy": "all"}));
    old.next_due_ms = Some(at("2026-11-02T10:00:00Z").millis());
    let plan = plan(&old, at("2046-11-02T12:00:00Z")).unwrap();
    assert_eq!(plan.due.len(), MOST);
    assert!(
        matches!(&plan.due[0].1, DueTimeOutcome::Missed(reason) if reason.contains("So were 72")),
        "{:?}",
        plan.due[0]
    );
    assert!(plan.due[1..].iter().all(|(_, fate)| *fate == DueTimeOutcome::Run));
}
