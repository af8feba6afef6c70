//! An integration to look at, for `--demo`. It is disabled, and leads to a name that nobody can have: it calls nobody.

use std::sync::Arc;

use base::{matching::Meter, tenant::TenantId, timestamp::Timestamp};
use db::{Db, Result};
use outbox::{Actor, Tx};
use serde_json::json;

use crate::{
    egress::Guard,
    installed::{row::Row, store, wire::Change},
    operations,
    vault::Vault,
};

const PAYLOAD: &str = r#"{
  "title": "$incident.subject",
  "reference": "$incident.id",
  "urgency": "$incident.priority",
  "machines": "$incident.deviceList",
  "owner": "$incident.assignedTo.fullName",
  "opened": "$utils.convertDate($incident.createdDate,'yyyy-MM-dd HH:mm')"
}"#;

/// Adds it to a tenant that never had one, by the first of `people`; without one nothing happens. Says whether it did
/// anything.
pub fn fill(db: &Db, vault: &Arc<Vault>, tenant: &TenantId, people: &[String], now: Timestamp) -> Result<bool> {
    let Some(author) = people.first() else { return Ok(false) };
    let tenant = tenant.to_string();
    let author = author.clone();
    let vault = Arc::clone(vault);
    let actor = Actor::without_change_set(author.clone(), "demo", "");
    db.write_here(move |conn| Tx::run(conn, &actor, now, |tx| fill_empty(tx, &vault, &tenant, &author)))
}

fn fill_empty(tx: &mut Tx<'_>, vault: &Vault, tenant: &str, author: &str) -> Result<bool> {
    if store::revision(tx.conn, tenant)? != 0 {
        return Ok(false);
    }
    let guard = Guard::default();
    let now = tx.now;
    let body = json!({
        "displayName": "Ticket system",
        "description": "An example, disabled: give it the address of yours, try its event (\u{2026}/test),
        and enable it",
        "baseNotifier": {"type": "REST_API", "baseURI": "https://tickets.example.invalid/api/v1", "authType": "NONE"},
    });
    let change = Change::read_new(&body, &guard)?;
    let (made, _) = operations::integrations::create_row(tx, vault, tenant, author, change)?;
    let row = Row { enabled: false, ..made.changed(now) };
    store::update(tx.conn, &row)?;
    tx.record_change(Some(&made), Some(&row))?;
    let event = json!({
        "name": "A ticket for each pressing incident",
        "entity": "INCIDENT",
        "eventType": "CREATE",
        "filterCriteria": {"matchType": "ANY", "rules": [
            {"resourceType": "INCIDENT", "key": "priority", "operator": "Equals", "value": "Urgent"},
            {"resourceType": "INCIDENT", "key": "priority", "operator": "Equals", "value": "High"},
        ]},
        "endPointURI": "/tickets",
        "thirdPartyEventType": "POST",
        "headers": [{"key": "X-Source", "value": "muster"}],
        "eventPayload": PAYLOAD,
    });
    operations::events::create_row(tx, (vault, &guard, &Meter::new(Meter::REQUEST)), &row, None, &event, now)?;
    Ok(true)
}
