//! Two gateways on one Postgres: each run is made once, also when one of them is killed while jobs become due, and what
//! becomes of it is told once.

use std::sync::Barrier;
use std::time::{Duration, Instant, UNIX_EPOCH};

use muster_tests::{Backend, Client, Response, Server, fresh_database, receiver::wait_for, rounds};
use serde_json::{Value, json};

use super::{FAR_AHEAD, claim, create, everyday, job, runs, text};

/// A time in whole seconds from now, as the interface has it.
fn in_seconds(client: &Client, seconds: u64) -> String {
    // The service writes times: a job that is made now says when that is.
    let at = UNIX_EPOCH.elapsed().unwrap().as_secs() + seconds;
    let days = at / 86_400;
    let made = client.post("/jobs", &job("2035-01-01T00:00:00Z", json!({"type": "never"}))).ok();
    let today = made["createdDate"].as_str().unwrap()[..10].to_owned();
    client.delete(&format!("/jobs/{}", made["id"].as_str().unwrap())).ok();
    assert_eq!(days, (at - seconds) / 86_400, "not around midnight");
    let hour = at / 3_600 % 24;
    let minute = at / 60 % 60;
    let second = at % 60;
    format!("{today}T{hour:02}:{minute:02}:{second:02}Z")
}

mod postgres {
    use super::*;

    #[test]
    fn one_of_two_gateways_dies_and_each_run_is_made_once() {
        let count = rounds("jobs that are due at once", 400, 10_000);
        let url = fresh_database();
        let mut first = Server::start_at(Backend::Postgres, Some(url), &[]);
        let client = first.new_client();
        let tenant = client.tenant_id().to_owned();
        let (key, secret) = first.credentials();
        let key = key.to_owned();
        let secret = secret.to_owned();
        let second = Server::start_beside(&first, &[]);
        let other = second.anonymous().with_token(&second.token(&key, &secret)).tenant(&tenant);
        let made = Instant::now();
        let ahead = 10 + count as u64 / 20;
        let due = in_seconds(&client, ahead);
        let mut body = job(&due, everyday());
        body["overlapPolicy"] = json!("allow");
        let ids: Vec<String> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..4)
                .map(|maker| {
                    let client = if maker % 2 == 0 { &client } else { &other };
                    let body = &body;
                    scope.spawn(move || (0..count / 4).map(|_| super::super::create(client, body)).collect::<Vec<_>>())
                })
                .collect();
            makers.into_iter().flat_map(|maker| maker.join().unwrap()).collect()
        });
        assert!(made.elapsed() < Duration::from_secs(ahead), "the jobs were made too slowly to be due together");
        let queued = || {
            let page = other.search("/jobs/search?pageSize=1", "jobQueued:true").page();
            page["totalResults"].as_u64().unwrap() as usize
        };
        let until = Instant::now() + Duration::from_secs(ahead + 60);
        // Then it is asked without a pause: the gateway is to be killed amid its work.
        std::thread::sleep(Duration::from_secs(ahead).saturating_sub(made.elapsed() + Duration::from_secs(1)));
        while queued() == 0 {
            assert!(Instant::now() < until, "nothing became due");
        }
        first.kill9();
        while queued() < ids.len() {
            assert!(Instant::now() < until, "{} of {} runs", queued(), ids.len());
            std::thread::sleep(Duration::from_millis(100));
        }
        std::thread::sleep(Duration::from_secs(1));
        for id in &ids {
            let made: Vec<Value> = runs(&other, id);
            assert_eq!(made.len(), 1, "{made:?}");
            assert_eq!((&made[0]["status"], &made[0]["attempt"]), (&json!("QUEUED"), &json!(0)));
        }
    }

    /// Runs that fail, that take too long, whose runner vanished, and that nobody made in time.
    #[test]
    fn what_does_not_run_well_is_one_alert_at_two_gateways() {
        const EACH: usize = 12;
        let first = Server::start(Backend::Postgres);
        let second = Server::start_beside(&first, &[]);
        let one = first.new_client();
        let gateways = [one.clone(), one.at(second.base())];
        let alarmed = |body: Value| {
            let mut body = body;
            body["alertOnFailure"] = json!(true);
            body
        };
        let begun = || -> Vec<(String, String)> {
            let made = (0..EACH).map(|number| {
                let client = &gateways[number % 2];
                let id = create(client, &alarmed(job(FAR_AHEAD, everyday())));
                client.post_empty(&format!("/jobs/{id}/run")).ok();
                (id.clone(), claim(client, &id))
            });
            made.collect()
        };
        let failed = begun();
        let slow = begun();
        // Their last attempt, of which nothing is heard: whichever gateway looks first says that they failed.
        let vanished = begun();
        let lost: Vec<String> = vanished.iter().map(|(_, run)| format!("'{run}'")).collect();
        first.sql(&format!("UPDATE job_runs SET attempt = 3, lease_ms = 0 WHERE id IN ({})", lost.join(",")));
        let mut late = alarmed(job(FAR_AHEAD, everyday()));
        late["maximumLateness"] = json!(1);
        let missed = (0..EACH).map(|number| {
            let id = create(&gateways[number % 2], &late);
            gateways[number % 2].post_empty(&format!("/jobs/{id}/run")).ok();
            id
        });
        let missed: Vec<String> = missed.collect();
        let ends = [(&failed, json!({"exitCode": 1})), (&slow, json!({"exitCode": 1, "status": "TIMED_OUT"}))];
        for (runs, end) in &ends {
            runs.iter().for_each(|(_, run)| tell_both(&gateways, run, end));
        }
        let jobs: Vec<&String> =
            [&failed, &slow, &vanished].into_iter().flatten().map(|(id, _)| id).chain(&missed).collect();
        let in_state =
            |state: &str| alerts(&gateways[0]).iter().filter(|alert| alert["currentState"] == *state).count();
        wait(|| in_state("Critical") >= jobs.len());
        // Time for one too many.
        std::thread::sleep(Duration::from_secs(2));
        for (jobs, status) in [
            (failed.iter().map(|(id, _)| id).collect::<Vec<_>>(), "FAILED"),
            (slow.iter().map(|(id, _)| id).collect(), "TIMED_OUT"),
            (vanished.iter().map(|(id, _)| id).collect(), "FAILED"),
            (missed.iter().collect(), "MISSED"),
        ] {
            for id in jobs {
                let ended: Vec<Value> = runs(&gateways[1], id);
                assert_eq!((ended.len(), &ended[0]["status"]), (1, &json!(status)), "{ended:?}");
                assert_eq!(history(&gateways[1], id), (json!("Critical"), json!(1), 1), "{status}");
            }
        }
        assert_eq!(alerts(&gateways[1]).len(), jobs.len());
        // Two good runs of each: the first closes it, and the second has nothing to say.
        for _ in 0..2 {
            for (number, id) in jobs.iter().enumerate() {
                gateways[number % 2].post_empty(&format!("/jobs/{id}/run")).ok();
                let run = claim(&gateways[(number + 1) % 2], id);
                tell_both(&gateways, &run, &json!({"exitCode": 0}));
            }
        }
        std::thread::sleep(Duration::from_secs(1));
        for id in &jobs {
            assert_eq!(history(&gateways[0], id), (json!("Ok"), json!(1), 2));
        }
        assert_eq!((alerts(&gateways[0]).len(), in_state("Ok")), (jobs.len(), jobs.len()));
    }

    fn wait(done: impl Fn() -> bool) {
        wait_for(Duration::from_secs(60), done, || "alerts are missing".to_owned());
    }

    /// Says of a run what became of it at both gateways at once: one is believed, and the other is told that it is
    /// over.
    #[track_caller]
    fn tell_both(gateways: &[Client; 2], run: &str, end: &Value) {
        let mut body = json!({"attempt": 1});
        body.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
        let together = &Barrier::new(2);
        let body = &body;
        let answers: Vec<Response> = std::thread::scope(|scope| {
            let tellers = gateways.each_ref().map(|client| {
                scope.spawn(move || {
                    together.wait();
                    client.post(&format!("/jobs/runs/{run}/result"), body)
                })
            });
            tellers.into_iter().map(|teller| teller.join().unwrap()).collect()
        });
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{} {}", answers[0], answers[1]);
    }

    #[track_caller]
    fn alerts(client: &Client) -> Vec<Value> {
        let page = client.get("/alerts/search?pageSize=1000").page();
        page["results"].as_array().cloned().unwrap_or_default()
    }

    /// The state of the one alert of a job, how often the problem was reported, and how often the alert was written.
    #[track_caller]
    fn history(client: &Client, job: &str) -> (Value, Value, usize) {
        let mut found = alerts(client);
        found.retain(|alert| alert["extAlertId"] == *job);
        let [alert] = &found[..] else { panic!("{} alerts: {found:?}", found.len()) };
        let log = client.search("/auditLog/search", &format!("entityId:{}", text(&alert["id"]))).page();
        let written = log["results"].as_array().map_or(0, Vec::len);
        (alert["currentState"].clone(), alert["repeatCount"].clone(), written)
    }
}
