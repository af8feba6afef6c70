//! What time brings: windows that open within one minute, on two gateways that share a Postgres. Each is told once.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use muster_tests::{Server, psql, receiver::Receiver};
use serde_json::{Value, json};

use crate::table::{Line, thousands};

/// How many windows open, and within how many seconds.
const WINDOWS: u32 = 10_000;
const WITHIN_S: u32 = 60;

/// How long to wait for all of them to be told, once the last one is open.
const PATIENCE: Duration = Duration::from_secs(120);

const ARGUMENTS: [&str; 2] = ["--egress-allow", "127.0.0.0/8"];

/// Makes the windows, waits until they have opened, and looks for what was told.
pub fn measure() -> Result<Line> {
    let server = Server::start_with(muster_tests::Backend::Postgres, &ARGUMENTS);
    let key = server.data_dir().join("secrets.key").display().to_string();
    let arguments: Vec<&str> = ARGUMENTS.into_iter().chain(["--secrets-key-file", &key]).collect();
    let beside = Server::start_beside(&server, &arguments);
    let url = server.database_url().context("no Postgres")?.to_owned();
    let client = server.new_client();
    let receiver = Receiver::willing();
    let text = |value: &Value| value.as_str().map(str::to_owned).context("no text");
    let notifier = json!({"displayName": "bench", "baseNotifier": {"type": "REST_API", "baseURI": receiver.url()}});
    let installed = text(&client.post("/integrations/install/CUSTOM", &notifier).ok()["id"])?;
    let event = json!({"entity": "MaintenanceWindow", "eventType": "OPENED", "eventPayload": "$maintenanceWindow.id"});
    client.post(&format!("/integrations/installed/{installed}/event"), &event).ok();
    let resource = text(&client.post("/resources", &json!({"hostName": "bench"})).ok()["resourceUUID"])?;
    let once = json!({"type": "One-Time", "startTime": "2098-01-01T00:00:00Z", "endTime": "2099-01-01T00:00:00Z",
        "timezone": "GMT"});
    let window = json!({"name": "bench", "devices": [{"uniqueId": resource}], "schedule": once});
    let made = text(&client.post("/scheduleMaintenances", &window).ok()["uniqueId"])?;
    fill(&url, &made);
    let count = || {
        let found = psql(
            &url,
            "SELECT count(*), count(DISTINCT entity_id) FROM integration_deliveries WHERE action = 'OPENED'",
        );
        let numbers: Vec<u32> = found.trim().split('|').filter_map(|number| number.parse().ok()).collect();
        <[u32; 2]>::try_from(numbers).ok().context("psql says something else")
    };
    let until = Instant::now() + Duration::from_secs(u64::from(WITHIN_S) + 10) + PATIENCE;
    while count()?[1] < WINDOWS && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(500));
    }
    // One that is told twice would come late.
    std::thread::sleep(Duration::from_secs(3));
    let [told, distinct] = count()?;
    ensure!(distinct == WINDOWS, "{distinct} of {WINDOWS} openings were told");
    let late = |share: &str| -> Result<f64> {
        let sql = format!(
            "SELECT percentile_disc({share}) WITHIN GROUP (ORDER BY d.created_ms - w.opens_ms) \
             FROM integration_deliveries d JOIN maintenance_windows w ON w.id = d.entity_id WHERE d.action = 'OPENED'"
        );
        psql(&url, &sql).trim().parse().context("no number")
    };
    let median = late("0.5")?;
    let p99 = late("0.99")?;
    drop(beside);
    Ok(Line {
        name: format!("{} windows open within {WITHIN_S} s, two gateways", thousands(f64::from(WINDOWS))),
        ours: format!("p99 {} ms late, half {} ms", thousands(p99), thousands(median)),
        theirs: format!("{} told", thousands(f64::from(told))),
        result: format!("{} told twice", told - distinct),
        target: "0 told twice".to_owned(),
        met: Some(told == distinct),
    })
}

/// Copies of one window, each with a second of its own at which it opens, from ten seconds ahead on.
fn fill(url: &str, made: &str) {
    psql(
        url,
        &format!(
            "CREATE TEMPORARY TABLE opening AS \
                 SELECT n, 'SM-' || gen_random_uuid() AS id, \
                     date_trunc('second', now()) + interval '10 seconds' \
                     + (n % {WITHIN_S}) * interval '1 second' AS at \
                 FROM generate_series(1, {WINDOWS}) n; \
             INSERT INTO maintenance_windows \
                 SELECT w.tenant_id, o.id, w.version, w.name, w.name_key, w.description, \
                     replace(w.schedule, '2098-01-01T00:00:00', \
                     to_char(o.at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS')), \
                     w.holds, w.conditions, w.run_rba, w.install_patch, w.run_escalation, \
                     (extract(epoch FROM o.at) * 1000)::bigint, w.closes_ms, w.created_by, w.created_ms, w.updated_ms \
                 FROM opening o, maintenance_windows w WHERE w.id = '{made}'; \
             INSERT INTO maintenance_watches (tenant_id, window_id, seq, due_ms, looked_ms, open_ms) \
                 SELECT w.tenant_id, o.id, 0, (extract(epoch FROM o.at) * 1000)::bigint, w.created_ms, NULL \
                 FROM opening o, maintenance_windows w WHERE w.id = '{made}'; \
             ANALYZE maintenance_windows; ANALYZE maintenance_watches;"
        ),
    );
}
