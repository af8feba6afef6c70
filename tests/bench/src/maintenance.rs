//! What covers a resource, when its tenant has ten thousand maintenance windows, against a hundred.

use std::{path::Path, time::Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::{
    http::Connection,
    load::median,
    server::Server,
    table::{Line, thousands},
};

const FEW: usize = 100;
const MANY: usize = 10_000;
/// Resources that the windows are spread over, and one that is asked about.
const RESOURCES: usize = 1_000;
/// Windows that cover the one, through itself, its group and its site.
const COVERING: usize = 9;

const ROUNDS: usize = 201;
const TARGET: f64 = 5.0;

/// Both numbers of windows, each on a database of its own.
pub fn measure(temporary: &Path) -> Result<Vec<Line>> {
    let (few, _) = time(&temporary.join("maintenance-few"), FEW)?;
    let (many, bytes) = time(&temporary.join("maintenance-many"), MANY)?;
    let ratio = many / few;
    Ok(vec![Line {
        name: format!(
            "GET /scheduleMaintenances/active?resourceId=, {} windows ({} bytes)",
            thousands(MANY as f64),
            thousands(bytes as f64)
        ),
        ours: format!("{} µs", thousands(many)),
        theirs: format!("{} µs ({FEW} windows)", thousands(few)),
        result: format!("{ratio:.1}"),
        target: format!("≤ {TARGET:.0}"),
        met: Some(ratio <= TARGET),
    }])
}

/// The median time of the answer, in microseconds, and its size.
fn time(directory: &Path, windows: usize) -> Result<(f64, usize)> {
    let server = Server::start(directory)?;
    let mut connection = server.connect()?;
    let resource = fill(&server, &mut connection, windows)?;
    let asked = server.get(&format!("/scheduleMaintenances/active?resourceId={resource}"));
    let answer = connection.exchange(&asked)?.ok()?.json()?;
    ensure!(answer["totalResults"] == COVERING, "not covered by {COVERING}: {answer}");
    let mut times = Vec::with_capacity(ROUNDS);
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let answer = connection.measure(&asked)?;
        ensure!(answer.status == 200, "status {}", answer.status);
        times.push(begun.elapsed().as_secs_f64() * 1e6);
        bytes = answer.length;
    }
    drop(connection);
    server.stop()?;
    Ok((median(&times), bytes))
}

/// Makes the resources and the windows, which are all open; answers the id of the resource that some of them cover.
fn fill(server: &Server, connection: &mut Connection, windows: usize) -> Result<String> {
    let mut ids = Vec::with_capacity(RESOURCES);
    for number in 0..=RESOURCES {
        let made = server.post(connection, "/resources", &json!({"hostName": format!("host-{number}")}))?;
        ids.push(made["resourceUUID"].as_str().context("no id")?.to_owned());
    }
    let one = ids.pop().context("no resource")?;
    let group = server.post(connection, "/deviceGroups", &json!({"name": "Bench"}))?;
    server.post(connection, &format!("/deviceGroups/{}/childs", group["id"]), &json!([{"id": one}]))?;
    let site = server.post(connection, "/sites", &json!({"name": "Bench"}))?;
    server.post(connection, &format!("/resources/{one}"), &json!({"location": {"id": site["id"]}}))?;
    let schedule = json!({
        "type": "Recurring", "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z",
        "timezone": "Europe/London", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"
    });
    for number in 0..windows {
        // A tenant may not store so many regular expressions.
        let rule = match number % 8 {
            0 => json!({"key": "subject", "operator": "Regex", "value": "^disk .* full$"}),
            _ => json!({"key": "subject", "operator": "Contains", "value": "disk"}),
        };
        let mut window: Value =
            json!({"name": format!("Window {number}"), "schedule": schedule, "alertConditions": {"rules": [rule]}});
        let (field, target) = match number {
            number if number >= COVERING => ("devices", json!({"uniqueId": ids[number % RESOURCES]})),
            number if number % 3 == 0 => ("devices", json!({"uniqueId": one})),
            number if number % 3 == 1 => ("deviceGroups", json!({"id": group["id"]})),
            _ => ("locations", json!({"id": site["id"]})),
        };
        window[field] = json!([target]);
        server.post(connection, "/scheduleMaintenances", &window)?;
    }
    Ok(one)
}
