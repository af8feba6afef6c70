//! A partner with five thousand clients, each with a user, a roster and a site: every list at its level, cold, again,
//! and after a change at one client, against the read of one row by the same server.

use std::{path::Path, time::Instant};

use anyhow::{Context as _, Result, ensure};
use muster_tests::parameters;
use serde_json::{Value, json};

use crate::{
    http::{Connection, request},
    load::median,
    server::Server,
    table::{Line, thousands},
};

const CLIENTS: usize = 5_000;
const ROUNDS: usize = 21;

/// How long a question may take when nothing is kept in memory, and how much longer after a change than without one, in
/// ms.
const COLD_MS: f64 = 300.0;
const CHANGE_MS: f64 = 10.0;

/// What is asked of all clients beside the lists of the document.
const QUESTIONS: [&str; 2] = ["/rosters/onCall", "/rosters/timeline?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z"];

/// All lists, on a new database.
pub fn measure(temporary: &Path) -> Result<Vec<Line>> {
    let data = temporary.join("partner");
    let server = Server::start(&data)?;
    let mut connection = server.connect()?;
    let person = fill(&server, &mut connection)?;
    drop(connection);
    server.stop()?;
    // What writing left in memory is gone.
    let server = Server::start(&data)?;
    let mut connection = server.connect()?;
    let document = send(&server, &mut connection, "GET", "/openapi.json", &Value::Null)?;
    let mut lines = Vec::new();
    let lists = lists(&document);
    for path in QUESTIONS.iter().map(|path| (*path).to_owned()).chain(lists) {
        lines.push(list(&server, &mut connection, &path, &person)?);
    }
    drop(connection);
    server.stop()?;
    Ok(lines)
}

/// The paged lists of the document that need nothing but the tenant.
fn lists(document: &Value) -> Vec<String> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let lists = paths.filter_map(|(path, item)| {
        let below = path.strip_prefix("/api/v2/tenants/{tenantId}")?;
        let operation = item.get("get").filter(|operation| operation.get("x-same-as").is_none())?;
        let own = || parameters(document, operation).filter(|parameter| parameter["in"] == "query");
        let is_paged = own().any(|parameter| parameter["name"] == "pageNo");
        let needs_more = below.contains('{') || own().any(|parameter| parameter["required"] == true);
        (is_paged && !needs_more).then(|| below.to_owned())
    });
    lists.collect()
}

fn list(server: &Server, connection: &mut Connection, path: &str, person: &str) -> Result<Line> {
    let asked = request("GET", &format!("/api/v2/tenants/msp_1{path}"), &server.token, b"");
    let mut bytes = 0;
    let mut time = |connection: &mut Connection| -> Result<f64> {
        let begun = Instant::now();
        let answer = connection.measure(&asked)?;
        ensure!(answer.status == 200, "{path}: status {}", answer.status);
        bytes = answer.length;
        Ok(begun.elapsed().as_secs_f64() * 1e3)
    };
    let cold = time(connection)?;
    let mut again = Vec::new();
    let mut changed = Vec::new();
    for round in 0..ROUNDS {
        again.push(time(connection)?);
        send(server, connection, "POST", person, &json!({"lastName": format!("Lee {round}")}))?;
        changed.push(time(connection)?);
    }
    let again = median(&again);
    let changed = median(&changed);
    Ok(Line {
        name: format!(
            "GET {path}, a partner with {} clients ({} bytes)",
            thousands(CLIENTS as f64),
            thousands(bytes as f64)
        ),
        ours: format!("{cold:.0} ms, {changed:.1} ms after a change"),
        theirs: format!("{again:.1} ms without a change"),
        result: format!("{:.1} ms", changed - again),
        target: format!("≤ {COLD_MS:.0} ms, + {CHANGE_MS:.0} ms"),
        met: Some(cold <= COLD_MS && changed - again <= CHANGE_MS),
    })
}

fn send(server: &Server, connection: &mut Connection, method: &str, path: &str, body: &Value) -> Result<Value> {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let request = request(method, path, &server.token, text.as_bytes());
    connection.exchange(&request)?.ok().with_context(|| format!("{method} {path} {body:.300}"))?.json()
}

/// Makes the clients; answers the path of a user of one of them.
fn fill(server: &Server, connection: &mut Connection) -> Result<String> {
    let mut person = String::new();
    for number in 0..CLIENTS {
        let client = send(
            server,
            connection,
            "POST",
            "/api/v2/tenants/msp_1/clients",
            &json!({"name": format!("Client {number}")}),
        )?;
        let tenant = format!("/api/v2/tenants/{}", client["uniqueId"].as_str().context("no id")?);
        let user = json!({"loginName": format!("user{number}"), "firstName": "Ann", "mobileNumber": "+1 555 0100"});
        let user = send(server, connection, "POST", &format!("{tenant}/users"), &user)?["id"].clone();
        let start = number % 24;
        let end = (number + 12) % 24;
        let roster = json!({
            "name": format!("Roster {number}"), "description": "bench", "timeZone": {"name": "Europe/Paris"},
            "shiftDetails": [{
                "name": "Line", "users": [{"id": user}], "userGroups": [],
                "schedule": {
                    "type": "recurring", "startDate": "2026-01-01T00:00:00Z",
                    "startTime": format!("{start:02}:00:00"), "endTime": format!("{end:02}:00:00"),
                    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}
                }
            }]
        });
        send(server, connection, "POST", &format!("{tenant}/rosters"), &roster)?;
        send(server, connection, "POST", &format!("{tenant}/sites"), &json!({"name": "Site"}))?;
        person = format!("{tenant}/users/{}", user.as_str().context("no id")?);
    }
    Ok(person)
}
