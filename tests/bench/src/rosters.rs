//! Who is on call through a thousand rosters with rotations, a year of one, and a year of a hundred, against the read
//! of one row by the same server.

use std::{path::Path, time::Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::{
    http::Connection,
    load::median,
    server::Server,
    table::{Line, thousands},
};

const ROSTERS: usize = 1_000;
const SHIFTS: usize = 5;
const USERS: usize = 50;
/// How many take turns in each shift.
const PLACES: usize = 10;
/// Of how many rosters a year is told together: each has one shift around the clock, by turns of a week. A year of as
/// many with five shifts a day is more than one answer may have.
const TOGETHER: usize = 100;

const ROUNDS: usize = 101;

/// How many times the read of a row each may take.
const ON_CALL: f64 = 20.0;
const TIMELINE: f64 = 5.0;
const TIMELINES: f64 = 60.0;

const ZONES: [&str; 5] = ["Europe/Paris", "America/New_York", "Asia/Tokyo", "GMT", "Australia/Sydney"];

/// Both, on a new database.
pub fn measure(temporary: &Path) -> Result<Vec<Line>> {
    let server = Server::start(&temporary.join("rosters"))?;
    let mut connection = server.connect()?;
    let roster = fill(&server, &mut connection)?;
    let site = server.post(&mut connection, "/sites", &json!({"name": "Bench"}))?;
    let row = server.get(&format!("/sites/{}", site["id"]));
    let on_call = server.get("/rosters/onCall?at=2026-05-05T12:30:00Z");
    let answer = connection.exchange(&on_call)?.ok()?.json()?;
    ensure!(answer["onCall"].as_array().is_some_and(|list| list.len() >= ROSTERS), "somebody is missing on call");
    let year = format!("/rosters/{roster}/timeline?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z");
    let year = server.get(&year);
    // What was told is kept until something changes, so each round asks for another year.
    let all: Vec<Vec<u8>> = (0..ROUNDS)
        .map(|round| {
            let second = format!("00:{:02}:{:02}Z", round / 60, round % 60);
            server.get(&format!("/rosters/timeline?from=2026-01-01T{second}&to=2027-01-01T{second}&name=together"))
        })
        .collect();
    let answer = connection.exchange(&all[0])?.ok()?.json()?;
    ensure!(answer["rosters"].as_array().is_some_and(|list| list.len() == TOGETHER), "a roster is missing");
    let lines = vec![
        compare(
            &mut connection,
            &row,
            std::slice::from_ref(&on_call),
            &format!("GET /rosters/onCall, {ROSTERS} rosters of {SHIFTS} shifts, {PLACES} by turns"),
            ON_CALL,
        )?,
        compare(&mut connection, &row, std::slice::from_ref(&year), "GET /rosters/{id}/timeline, a year", TIMELINE)?,
        compare(
            &mut connection,
            &row,
            &all,
            &format!("GET /rosters/timeline, a year of {TOGETHER} by turns"),
            TIMELINES,
        )?,
    ];
    drop(connection);
    server.stop()?;
    Ok(lines)
}

/// The requests take turns.
fn compare(connection: &mut Connection, row: &[u8], asked: &[Vec<u8>], name: &str, target: f64) -> Result<Line> {
    let mut bytes = 0;
    let mut time = |request: &[u8]| -> Result<f64> {
        let begun = Instant::now();
        let answer = connection.measure(request)?;
        ensure!(answer.status == 200, "status {}", answer.status);
        bytes = answer.length;
        Ok(begun.elapsed().as_secs_f64() * 1e6)
    };
    let mut rows = Vec::new();
    let mut ours = Vec::new();
    let mut ratios = Vec::new();
    for asked in asked.iter().cycle().take(ROUNDS) {
        let one = time(row)?;
        let other = time(asked)?;
        rows.push(one);
        ours.push(other);
        ratios.push(other / one);
    }
    let ratio = median(&ratios);
    Ok(Line {
        name: format!("{name} ({} bytes)", thousands(bytes as f64)),
        ours: format!("{} µs", thousands(median(&ours))),
        theirs: format!("{} µs (one row)", thousands(median(&rows))),
        result: format!("{ratio:.1}"),
        target: format!("≤ {target:.0}"),
        met: Some(ratio <= target),
    })
}

/// Makes the people and the rosters; answers the id of one.
fn fill(server: &Server, connection: &mut Connection) -> Result<String> {
    let mut users = Vec::new();
    for number in 0..USERS {
        let user = json!({"loginName": format!("user{number}"), "mobileNumber": "+1 555 0100"});
        users.push(server.post(connection, "/users", &user)?["id"].clone());
    }
    let mut id = String::new();
    for number in 0..ROSTERS {
        let count = if number < TOGETHER { 1 } else { SHIFTS };
        let shifts: Vec<Value> = (0..count)
            .map(|shift| {
                // Around the clock, every day.
                let start = shift * 24 / count;
                let end = (shift + 1) * 24 / count % 24;
                json!({
                    "name": format!("Shift {shift}"),
                    "schedule": {
                        "type": "recurring", "startDate": "2020-01-01T00:00:00Z",
                        "startTime": format!("{start:02}:00:00"), "endTime": format!("{end:02}:00:00"),
                        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}
                    },
                    "rotation": {
                        "order": (0..PLACES)
                            .map(|place| json!({"users": [{"id": users[(number + shift + place) % USERS]}]}))
                            .collect::<Vec<_>>(),
                        "length": {"weeks": 1},
                        "start": "2020-01-06T09:00:00"
                    },
                    "users": [],
                    "userGroups": []
                })
            })
            .collect();
        let roster = json!({
            "name": format!("Roster {number}{}", if number < TOGETHER { " together" } else { "" }),
            "description": "bench", "timeZone": {"name": ZONES[number % ZONES.len()]}, "shiftDetails": shifts
        });
        let created = server.post(connection, "/rosters", &roster)?;
        id = created["id"].as_str().context("no id")?.to_owned();
    }
    Ok(id)
}
