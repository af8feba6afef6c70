//! Who is on call through a thousand rosters, and a year of one, against the read of one row by the same server.

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

const ROUNDS: usize = 101;

/// How many times the read of a row each may take.
const ON_CALL: f64 = 20.0;
const TIMELINE: f64 = 5.0;

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
    let lines = vec![
        compare(
            &mut connection,
            &row,
            &on_call,
            &format!("GET /rosters/onCall, {ROSTERS} rosters of {SHIFTS} shifts"),
            ON_CALL,
        )?,
        compare(&mut connection, &row, &year, "GET /rosters/{id}/timeline, a year", TIMELINE)?,
    ];
    drop(connection);
    server.stop()?;
    Ok(lines)
}

fn compare(connection: &mut Connection, row: &[u8], asked: &[u8], name: &str, target: f64) -> Result<Line> {
    let mut bytes = 0;
    let mut time = |request: &[u8]| -> Result<f64> {
        let begun = Instant::now();
        let answer = connection.measure(request)?;
        ensure!(answer.status == 200, "status {}", answer.status);
        bytes = answer.length;
        Ok(begun.elapsed().as_secs_f64() * 1e6)
    };
    let (mut rows, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (one, other) = (time(row)?, time(asked)?);
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
        let shifts: Vec<Value> = (0..SHIFTS)
            .map(|shift| {
                // Five shifts around the clock, every day.
                let (start, end) = (shift * 24 / SHIFTS, (shift + 1) * 24 / SHIFTS % 24);
                json!({
                    "name": format!("Shift {shift}"),
                    "schedule": {
                        "type": "recurring", "startDate": "2020-01-01T00:00:00Z",
                        "startTime": format!("{start:02}:00:00"), "endTime": format!("{end:02}:00:00"),
                        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}
                    },
                    "users": [{"id": users[(number + shift) % USERS]}],
                    "userGroups": []
                })
            })
            .collect();
        let roster = json!({
            "name": format!("Roster {number}"), "description": "bench",
            "timeZone": {"name": ZONES[number % ZONES.len()]}, "shiftDetails": shifts
        });
        let created = server.post(connection, "/rosters", &roster)?;
        id = created["id"].as_str().context("no id")?.to_owned();
    }
    Ok(id)
}
