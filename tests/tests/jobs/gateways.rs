//! Two gateways on one Postgres, one of which is killed while jobs become due: each run is made once.

use std::time::{Duration, Instant, UNIX_EPOCH};

use muster_tests::{Backend, Client, Server, fresh_database, rounds};
use serde_json::{Value, json};

use super::{everyday, job, runs};

/// A time in whole seconds from now, as the interface has it.
fn in_seconds(client: &Client, seconds: u64) -> String {
    // The service writes times: a job that is made now says when that is.
    let at = UNIX_EPOCH.elapsed().unwrap().as_secs() + seconds;
    let days = at / 86_400;
    let made = client.post("/jobs", &job("2035-01-01T00:00:00Z", json!({"type": "never"}))).ok();
    let today = made["createdDate"].as_str().unwrap()[..10].to_owned();
    client.delete(&format!("/jobs/{}", made["id"].as_str().unwrap())).ok();
    assert_eq!(days, (at - seconds) / 86_400, "not around midnight");
    let (hour, minute, second) = (at / 3_600 % 24, at / 60 % 60, at % 60);
    format!("{today}T{hour:02}:{minute:02}:{second:02}Z")
}

mod postgres {
    use super::*;

    #[test]
    fn one_of_two_gateways_dies_and_each_run_is_made_once() {
        let count = rounds("jobs that are due at once", 400, 10_000);
        let url = fresh_database();
        let mut first = Server::start_at(Backend::Postgres, Some(url.clone()), &[]);
        let client = first.new_client();
        let tenant = client.tenant_id().to_owned();
        let (key, secret) = first.credentials();
        let (key, secret) = (key.to_owned(), secret.to_owned());
        let second = Server::start_at(Backend::Postgres, Some(url), &[]);
        let other = second.anonymous().with_token(&second.token(&key, &secret)).tenant(&tenant);
        let made = Instant::now();
        let ahead = 10 + count as u64 / 20;
        let due = in_seconds(&client, ahead);
        let mut body = job(&due, everyday());
        body["overlapPolicy"] = json!("allow");
        let ids: Vec<String> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..4)
                .map(|maker| {
                    let (client, body) = (if maker % 2 == 0 { &client } else { &other }, &body);
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
}
