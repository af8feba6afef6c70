//! What is due, and what becomes of what was missed. Pure.
//!
//! Due times come from the rule and the last due time alone, never from how long something took. So a clock that moves
//! makes runs early or late, but neither fewer nor more of them: moved back, nothing is due until the rule's next time
//! comes; moved forward, what lies between is made up for as after any other absence.

use base::{problem::Problem, timestamp::Timestamp};
use calendar::due::Latest;

use crate::job::{row::Job, rules};

/// How late a run that is not to be made up for may begin, in seconds, when the job does not say: the scheduler itself
/// may be busy for a moment.
const GRACE_S: i64 = 60;

/// How many due times of one job are told apart at once; of those before, the history has the number.
const MOST: usize = 100;

/// What becomes of one due time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DueTimeOutcome {
    /// A run is made.
    Run,
    /// It is too late for one; why.
    Missed(String),
}

/// What a job is due for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Each due time with its fate, in order.
    pub due: Vec<(i64, DueTimeOutcome)>,
    /// When the job is due after those.
    pub next_ms: Option<i64>,
}

/// Works out what a job is due for at an instant.
///
/// # Errors
/// 500 for a stored schedule that cannot be read.
pub fn plan(job: &Job, now: Timestamp) -> Result<Plan, Problem> {
    let Some(first) = job.next_due_ms.filter(|due| *due <= now.millis()) else {
        return Ok(Plan { due: Vec::new(), next_ms: job.next_due_ms });
    };
    let rule = rules::rule(job)?;
    let next_ms = rules::next_due(&rule, now);
    let Latest { times, before, more } = rule.latest(Timestamp::from_millis(first), now, MOST);
    let times: Vec<i64> = times.into_iter().map(Timestamp::millis).collect();
    let last = times.last().copied().unwrap_or(first);
    let mut due: Vec<(i64, DueTimeOutcome)> = times.iter().map(|time| (*time, fate(job, *time, last, now))).collect();
    if let (true, Some((_, fate))) = (before > 0, due.first_mut()) {
        let told = match fate {
            DueTimeOutcome::Missed(reason) => reason.clone(),
            DueTimeOutcome::Run => "Too many due times were missed at once.".to_owned(),
        };
        let many = if more { "more than " } else { "" };
        *fate = DueTimeOutcome::Missed(format!("{told} So were {many}{before} due times before it."));
    }
    Ok(Plan { due, next_ms })
}

fn fate(job: &Job, due: i64, last: i64, now: Timestamp) -> DueTimeOutcome {
    let late_s = (now.millis() - due) / 1_000;
    let skips = job.misfire == "skip";
    let most = job.lateness_s.or(skips.then_some(GRACE_S));
    if most.is_some_and(|most| late_s > most) {
        return DueTimeOutcome::Missed(format!(
            "The service came {late_s} s late, and the job may not begin as late as that."
        ));
    }
    // One that skips what it missed has no use for what is not the latest either.
    if job.misfire != "all" && due != last {
        let last = Timestamp::from_millis(last);
        return DueTimeOutcome::Missed(format!(
            "The service came {late_s} s late; the run that was due at {last} stands for it."
        ));
    }
    DueTimeOutcome::Run
}

#[cfg(test)]
mod tests {
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
}
