//! Two gateways on one Postgres, of which one is killed while jobs become due: each run is made once.

use std::{
    thread::sleep,
    time::{Duration, Instant, UNIX_EPOCH},
};

use anyhow::{Context as _, Result};
use muster_tests::{Backend, Client, Server, fresh_database, unique};
use serde_json::{Value, json};

use crate::{
    dice::Dice,
    figures::{Broken, Figures},
    options::{Kind, Options},
};

/// Jobs of a round, half of them made by each gateway; a full run has 10,000.
const JOBS: usize = 144;
/// The jobs of a round are due so many seconds after the first of them is made; twice as long as it took last time, if
/// that is more.
const AHEAD: u64 = 3;
/// How long it may take until all runs are made.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs all rounds.
pub fn run(options: &Options, figures: &mut Figures) -> Result<()> {
    let mut first = Server::start_at(Backend::Postgres, Some(fresh_database()), &[]);
    let mut second = Server::start_beside(&first, &[]);
    let mut ahead = AHEAD;
    for round in 0..options.rounds(Kind::Schedules) {
        figures.rounds += 1;
        let mut dice = Dice::new(options.seed, Kind::Schedules as usize, round);
        let tenant = first.new_client().tenant_id().to_owned();
        // Jobs that are made after they were due get their one run then; only the storm is smaller.
        let due = seconds_now()? + ahead;
        let clients = [first.admin().tenant(&tenant), second.admin().tenant(&tenant)];
        let begun = Instant::now();
        let jobs = make(&clients, due, figures);
        ahead = AHEAD.max(begun.elapsed().as_secs() * 2);
        let ready = Duration::from_secs(due).saturating_sub(UNIX_EPOCH.elapsed()?);
        sleep(ready + Duration::from_millis(dice.of(0..1_200)));
        let victim = if dice.of(0..2) == 0 { &mut first } else { &mut second };
        victim.kill9();
        let begun = Instant::now();
        victim.restart();
        figures.starts.push(begun.elapsed());
        compare(&second.admin().tenant(&tenant), &jobs, figures);
        [&mut first, &mut second].into_iter().for_each(|gateway| figures.memory(gateway.peak_kib()));
    }
    Ok(())
}

fn seconds_now() -> Result<u64> {
    Ok(UNIX_EPOCH.elapsed().context("the clock is before 1970")?.as_secs())
}

/// A time as the interface has it.
fn time(seconds: u64) -> String {
    // The civil date of a day number, in years that begin in March, so that a leap day is the last of them.
    let days = seconds / 86_400 + 719_468;
    let era = days / 146_097;
    let day = days % 146_097;
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month < 3);
    let hour = seconds / 3_600 % 24;
    let minute = seconds / 60 % 60;
    let second = seconds % 60;
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Makes the jobs at both gateways; gives their ids.
fn make(clients: &[Client], due: u64, figures: &mut Figures) -> Vec<String> {
    let pattern = json!({"type": "daily", "frequency": "everyday"});
    let body = json!({"schedule": {"startDate": time(due), "pattern": pattern}, "overlapPolicy": "allow",
        "script": {"jobType": "antivirus"}});
    let make = |client: &Client| {
        let mut figures = Figures::default();
        let mut ids = Vec::new();
        for _ in 0..JOBS / 2 {
            let mut body = body.clone();
            body["name"] = json!(unique("job"));
            let outcome = figures.count(client.request("POST", "/jobs").json(&body).try_send());
            let made: Value = outcome.body().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
            ids.extend(made["id"].as_str().map(str::to_owned));
        }
        (ids, figures)
    };
    let mut all = Vec::new();
    std::thread::scope(|scope| {
        let makers: Vec<_> = clients.iter().map(|client| scope.spawn(|| make(client))).collect();
        for maker in makers {
            let (ids, counted) = maker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            all.extend(ids);
            figures.add(&counted);
        }
    });
    all
}

/// Waits for the runs; each job has one, and it is as the scheduler makes it.
fn compare(client: &Client, jobs: &[String], figures: &mut Figures) {
    let queued = || {
        let page = client.search("/jobs/search?pageSize=1", "jobQueued:true").page();
        page["totalResults"].as_u64().unwrap_or_default() as usize
    };
    let until = Instant::now() + LIMIT;
    while queued() < jobs.len() && Instant::now() < until {
        sleep(Duration::from_millis(50));
    }
    // Time for a second run of the same due time, were there one.
    sleep(Duration::from_millis(500));
    for job in jobs {
        let page = client.get(&format!("/jobs/{job}/runs")).page();
        let runs: Vec<&Value> = page["results"].as_array().into_iter().flatten().collect();
        figures.expect(!runs.is_empty(), Broken::Lost, || format!("no run of {job}"));
        figures.expect(runs.len() < 2, Broken::Doubled, || format!("{} runs of {job}", runs.len()));
        let queued = runs.iter().all(|run| run["status"] == "QUEUED" && run["attempt"] == 0);
        figures.expect(queued, Broken::HalfDone, || format!("runs of {job}: {runs:?}"));
    }
}
