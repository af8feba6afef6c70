//! Who is told in the demo company: two people who can be reached at `muster sink`, and a policy that takes every
//! alert.

use std::sync::Arc;

use base::{fold, tenant::TenantId, timestamp::Timestamp};
use db::{Db, Result};
use outbox::{Actor, Tx};
use ports::{OnCall, People, Seals};

use crate::configuration::{
    methods::{
        self,
        wire::{HTTP, PRESETS},
    },
    policies::{
        self,
        wire::{Document, Id, Step, Target},
    },
    routing,
};

/// Where `muster sink` takes HTTP unless it is told otherwise.
pub const SINK: &str = "http://127.0.0.1:8025";

/// Adds a policy to a tenant that has no alert route: the people on call through the tenant's rosters, and then one of
/// `people`. Everybody among them gets a contact method. Says whether it did anything.
pub fn fill(
    db: &Db,
    seals: &Arc<dyn Seals>,
    on_call: &Arc<dyn OnCall>,
    directory: &Arc<dyn People>,
    tenant: &TenantId,
    people: &[String],
    now: Timestamp,
) -> Result<bool> {
    let tenant = tenant.to_string();
    let people = people.to_vec();
    let seals = Arc::clone(seals);
    let on_call = Arc::clone(on_call);
    let directory = Arc::clone(directory);
    let actor = Actor::without_change_set("", "demo", "");
    db.write_here(move |conn| {
        Tx::run(conn, &actor, now, |tx| {
            let Some(last) = people.last().filter(|_| !routing::store::any(tx.conn, &tenant).unwrap_or(true)) else {
                return Ok(false);
            };
            for person in &people {
                method(tx, &*seals, &tenant, person)?;
            }
            let around = directory.own_and_partner(tx.conn, &tenant)?;
            let partner = around.iter().find(|other| **other != tenant).unwrap_or(&tenant);
            let mut rosters: Vec<String> = Vec::new();
            // The people on call at some hour of the day are so through a roster that there is.
            for hour in [0, 4, 8, 12, 16, 20] {
                let at = Timestamp::from_millis(now.millis() + hour * 3_600_000);
                let found = on_call.on_call(tx.conn, &tenant, partner, at)?;
                rosters.extend(found.into_iter().map(|found| found.roster_id));
            }
            rosters.sort();
            rosters.dedup();
            let roster = |id: String| Target { roster: Some(Id { id }), ..Target::default() };
            let first = Step { targets: rosters.into_iter().map(roster).collect(), wait: "5m".to_owned() };
            let user = Target { user: Some(Id { id: last.clone() }), ..Target::default() };
            let then = Step { targets: vec![user], wait: "15m".to_owned() };
            let steps = [first, then].into_iter().filter(|step| !step.targets.is_empty()).collect();
            policy(tx, &tenant, steps)
        })
    })
}

fn method(tx: &mut Tx<'_>, seals: &dyn Seals, tenant: &str, person: &str) -> Result<()> {
    let now_ms = tx.now.millis();
    let mut row = methods::row::Method {
        tenant_id: tenant.to_owned(),
        id: format!("CM-{}", uuid::Uuid::now_v7()),
        version: 1,
        user_id: person.to_owned(),
        name: "muster sink".to_owned(),
        kind: HTTP.to_owned(),
        preset: PRESETS[0].name.to_owned(),
        settings: db::Json::default(),
        sealed: String::new(),
        verified: true,
        code_hash: String::new(),
        code_until_ms: 0,
        code_tries: 0,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    row.set(seals, &[("url".to_owned(), format!("{SINK}/{person}"))].into())?;
    methods::store::insert(tx.conn, &row)
}

fn policy(tx: &mut Tx<'_>, tenant: &str, steps: Vec<Step>) -> Result<bool> {
    let now_ms = tx.now.millis();
    let document = Document {
        description: "The people on call, and then somebody who always is".to_owned(),
        steps,
        at_end: "STOP".to_owned(),
        ..Document::default()
    };
    let policy = policies::row::Policy {
        tenant_id: tenant.to_owned(),
        id: format!("EP-{}", uuid::Uuid::now_v7()),
        version: 1,
        name: "Service desk".to_owned(),
        name_key: fold("Service desk"),
        document: db::Json(document),
        created_by: String::new(),
        updated_by: String::new(),
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    policies::store::insert(tx.conn, &policy)?;
    let route = routing::row::Route {
        tenant_id: tenant.to_owned(),
        id: format!("AR-{}", uuid::Uuid::now_v7()),
        version: 1,
        name: "Everything".to_owned(),
        name_key: fold("Everything"),
        position: 10,
        is_default: true,
        rules: db::MaybeJson(None),
        policy_id: policy.id,
        created_by: String::new(),
        updated_by: String::new(),
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    routing::store::insert(tx.conn, &route)?;
    Ok(true)
}
