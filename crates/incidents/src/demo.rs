//! Alerts of the demo company, for `--demo`: some open, some closed, one for a machine that is not in the inventory.

use base::{tenant::TenantId, timestamp::Timestamp};
use db::{Db, Result};
use outbox::{Actor, Tx};
use serde_json::{Value, json};

use crate::{
    alerts::{
        intake::{self, Origin},
        report, store,
    },
    neighbours::Neighbours,
};

/// Minutes ago, state, subject, metric, component, host.
type DemoReport = (i64, &'static str, &'static str, &'static str, &'static str, &'static str);

const REPORTS: [DemoReport; 9] = [
    (190, "Warning", "Disk is 81 % full", "disk.used", "/var", "db-01"),
    (130, "Warning", "Disk is 86 % full", "disk.used", "/var", "db-01"),
    (70, "Critical", "Disk is 93 % full", "disk.used", "/var", "db-01"),
    (65, "Critical", "Checkout answers 502", "http.status", "checkout", "web-02"),
    (52, "Ok", "Checkout answers 200", "http.status", "checkout", "web-02"),
    (40, "Warning", "4,120 messages wait", "queue.length", "orders", "queue-01"),
    (35, "Warning", "5,306 messages wait", "queue.length", "orders", "queue-01"),
    (20, "Info", "The certificate ends in 20 days", "tls.days_left", "shop.example", "web-01"),
    (8, "Critical", "No answer to ping", "ping.lost", "", "print-07"),
];

/// Adds the alerts to a tenant that has none; true when it added any.
pub fn fill(db: &Db, tenant: &TenantId, neighbours: &Neighbours, now: Timestamp) -> Result<bool> {
    let tenant = tenant.to_string();
    let neighbours = neighbours.clone();
    let actor = Actor::without_change_set("", "demo", "");
    db.write_here(move |conn| {
        if store::any(conn, &tenant)? {
            return Ok(false);
        }
        let origin = Origin { home: tenant.clone(), scope: vec![tenant], sender: String::new() };
        for reported in REPORTS {
            let minutes = reported.0;
            let body = report(reported, now);
            // Taken in when it was reported, so that lists have something to sort.
            let then = Timestamp::from_millis(now.millis() - minutes * 60_000);
            Tx::run(conn, &actor, then, |tx| intake::take_in(tx, &neighbours, &origin, &[report::read(&body)]))?;
        }
        Ok(true)
    })
}

fn report((minutes, state, subject, metric, component, host): DemoReport, now: Timestamp) -> Value {
    json!({
        "currentState": state, "subject": subject, "metric": metric, "component": component, "app": "monitord",
        "device": {"hostName": host}, "alertTime": Timestamp::from_millis(now.millis() - minutes * 60_000),
    })
}
