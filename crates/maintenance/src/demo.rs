//! Two windows for `--demo`: a nightly one for patches, and one of this weekend.

use base::{
    Fields,
    matching::Meter,
    problem::FieldErrors,
    tenant::TenantId,
    timestamp::{DAY_MS, Timestamp},
};
use db::{Db, Result};
use outbox::{Actor, Tx};
use serde_json::{Value, json};

use crate::{
    cover::Windows,
    window::{rules, store, targets, view::WithTargets, wire::NewWindow},
};

/// Adds the windows to a tenant that has none, for a device group and a host by their names; without those nothing
/// happens. Says whether it did anything.
pub fn fill(db: &Db, windows: &Windows, tenant: &TenantId, what: (&str, &str), now: Timestamp) -> Result<bool> {
    let bodies = bodies(what, now);
    let tenant = tenant.to_string();
    let actor = Actor::without_change_set("", "demo", "");
    let resources = windows.neighbours().shared_resources();
    db.write_here(move |conn| {
        Tx::run(conn, &actor, now, |tx| {
            if store::any(tx.conn, &tenant)? {
                return Ok(false);
            }
            for body in &bodies {
                let mut fields = Fields::of(body);
                let mut new = NewWindow::read_all(&mut fields, &Meter::new(Meter::REQUEST));
                fields.finish()?;
                let scope = std::slice::from_ref(&tenant);
                let mut unknown = FieldErrors::default();
                let targets = targets::resolve(tx.conn, &*resources, scope, &new.take_targets().all(), &mut unknown)?;
                if unknown.check().is_err() {
                    return Ok(false);
                }
                let id = format!("SM-{}", uuid::Uuid::new_v4());
                let window = rules::created(&new, &tenant, id, "", now)?;
                store::insert(tx.conn, &window, &targets)?;
                tx.record_change(None, Some(&WithTargets(&window, &targets)))?;
            }
            Ok(true)
        })
    })
}

fn bodies((group, host): (&str, &str), now: Timestamp) -> [Value; 2] {
    let midnight = now.millis().div_euclid(DAY_MS) * DAY_MS;
    // The epoch began on a Thursday.
    let saturday = midnight + (2 - midnight.div_euclid(DAY_MS)).rem_euclid(7) * DAY_MS;
    let at = |ms: i64| Timestamp::from_millis(ms);
    [
        json!({
            "name": "Nightly patches",
            "description": "Every night, an hour and a half",
            "deviceGroups": [{"name": group}],
            "schedule": {
                "type": "Recurring",
                "startTime": at(midnight - 30 * DAY_MS + DAY_MS / 24),
                "endTime": at(midnight - 30 * DAY_MS + DAY_MS / 24 + DAY_MS / 16),
                "timezone": "Europe/Paris",
                "pattern": {"type": "daily", "dayFrequency": "everyday"},
            },
            "endBy": "NEVER",
            "installPatch": true,
        }),
        json!({
            "name": "Storage firmware",
            "description": "Over the weekend; disk alerts are expected",
            "devices": [{"hostName": host}],
            "schedule": {"type": "One-Time", "startTime": at(saturday + DAY_MS / 3),
                "endTime": at(saturday + 2 * DAY_MS)},
            "alertConditions": {
                "matchingType": "ANY",
                "rules": [
                    {"key": "subject", "operator": "Contains", "value": "disk"},
                    {"key": "metric", "operator": "Startswith", "value": "storage."},
                ],
            },
        }),
    ]
}
