//! What becomes of a policy. Pure.

use base::{fold, problem::Problem, timestamp::Timestamp};
use db::Json;

use super::{
    row::Policy,
    wire::{Document, NewPolicy, PolicyChange},
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

/// 404: no policy has this id, in any tenant that the caller sees.
pub fn unknown() -> Problem {
    Problem::not_found("The escalation policy was not found.")
}

/// 409: another policy of the tenant has this name.
pub fn taken(name: &str) -> Problem {
    Problem::conflict(format!("The tenant has an escalation policy named {name} already."))
}

/// 409: this alert route leads to it.
pub fn in_use(route: &str) -> Problem {
    Problem::conflict(format!("The alert route {route} leads to the policy: change it first."))
}
