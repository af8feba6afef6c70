//! What becomes of a policy. Pure.

use std::collections::BTreeSet;

use base::{fold, problem::Problem, timestamp::Timestamp};
use db::Json;

use super::{
    row::Policy,
    wire::{Document, Id, MOST, NewPolicy, PolicyChange, Step, Target},
};

/// A new policy.
pub fn created(tenant: &str, new: NewPolicy, author: &str, now: Timestamp) -> Policy {
    let document = Document {
        description: new.description.trim().to_owned(),
        steps: new.steps,
        repeat: new.repeat,
        at_end: new.at_end.to_owned(),
        ack_timeout: new.ack_timeout,
        urgency: new.urgency,
        reopen_when_worse: new.reopen_when_worse,
    };
    Policy {
        tenant_id: tenant.to_owned(),
        id: format!("EP-{}", uuid::Uuid::now_v7()),
        version: 1,
        name_key: fold(&new.name),
        name: new.name,
        document: Json(document),
        created_by: author.to_owned(),
        updated_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    }
}

/// A policy that is not stored: all of these people at once, again and again.
pub fn for_people(tenant: &str, name: &str, people: BTreeSet<String>, now: Timestamp) -> Policy {
    let targets = people.into_iter().take(MOST).map(|id| Target { user: Some(Id { id }), ..Target::default() });
    let steps = vec![Step { targets: targets.collect(), wait: "15m".to_owned() }];
    let document = Document { steps, repeat: 3, ..Document::default() };
    Policy {
        tenant_id: tenant.to_owned(),
        id: String::new(),
        version: 1,
        name: name.to_owned(),
        name_key: fold(name),
        document: Json(document),
        created_by: String::new(),
        updated_by: String::new(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    }
}

/// The policy after a change.
pub fn changed(old: &Policy, change: PolicyChange, author: &str, now: Timestamp) -> Policy {
    let before = old.document.0.clone();
    let document = Document {
        description: change.description.map_or(before.description, |text| text.trim().to_owned()),
        steps: change.steps.unwrap_or(before.steps),
        repeat: change.repeat.unwrap_or(before.repeat),
        at_end: change.at_end.map_or(before.at_end, ToOwned::to_owned),
        ack_timeout: change.ack_timeout.unwrap_or(before.ack_timeout),
        urgency: change.urgency.unwrap_or(before.urgency),
        reopen_when_worse: change.reopen_when_worse.unwrap_or(before.reopen_when_worse),
    };
    let name = change.name.unwrap_or_else(|| old.name.clone());
    Policy {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        document: Json(document),
        updated_by: author.to_owned(),
        updated_ms: now.millis(),
        ..old.clone()
    }
}

/// 409: this alert route leads to it.
pub fn in_use(route: &str) -> Problem {
    Problem::conflict(format!("The alert route {route} leads to the policy: change it first."))
}
