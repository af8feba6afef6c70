//! The rules of creating, changing and decommissioning a resource. Pure: the time is a parameter.

use base::{problem::Problem, timestamp::Timestamp};

use super::input::Input;
use crate::{
    model::document::{DECOMMISSIONED, Document, Resource},
    reports::identity::IdentityKey,
};

/// A new resource needs something to be called by.
pub const NAMES: [&str; 7] = ["name", "hostName", "resourceName", "aliasName", "dnsName", "ipAddress", "instanceId"];

/// A resource made of a body. Its type, id and place are resolved by the caller.
pub fn create(input: &Input, tenant_id: &str, id: String, now: Timestamp) -> Result<Resource, Problem> {
    let state = input.state.unwrap_or("active");
    let managed = (state == "active").then_some(now);
    let mut resource = Resource {
        tenant_id: tenant_id.to_owned(),
        id,
        version: 1,
        kind: input.kind_hint().unwrap_or("DEVICE").to_owned(),
        resource_type: (0, String::new()),
        state: state.to_owned(),
        agent_installed: input.agent_installed.unwrap_or(false),
        site_id: None,
        launched: input.launched.flatten(),
        created: now,
        updated: now,
        asset_managed: managed,
        first_asset_managed: managed,
        decommissioned: None,
        document: Default::default(),
    };
    resource.document.set("source", "API");
    input.apply(&mut resource.document);
    check_named(&resource)?;
    Ok(resource)
}

/// A resource after a body was applied to it.
pub fn update(input: &Input, old: &Resource, now: Timestamp) -> Result<Resource, Problem> {
    let mut resource = changed(old, now);
    input.apply(&mut resource.document);
    if let Some(kind) = input.kind_hint() {
        resource.kind = kind.to_owned();
    }
    if let Some(agent) = input.agent_installed {
        resource.agent_installed = agent;
    }
    if let Some(launched) = input.launched {
        resource.launched = launched;
    }
    if let Some(state) = input.state {
        set_state(&mut resource, state, now);
    }
    check_named(&resource)?;
    Ok(resource)
}

/// The next version of a resource.
pub fn changed(old: &Resource, now: Timestamp) -> Resource {
    Resource { version: old.version + 1, updated: now, ..old.clone() }
}

/// Moves a resource between the states of the inventory; managing and unmanaging are noted with their time.
pub fn set_state(resource: &mut Resource, state: &str, now: Timestamp) {
    if resource.state == state {
        return;
    }
    let was_managed = resource.state == "active";
    state.clone_into(&mut resource.state);
    if state == "active" || was_managed {
        resource.asset_managed = Some(now);
    }
    if state == "active" {
        resource.first_asset_managed = resource.first_asset_managed.or(Some(now));
    }
}

/// Moves a resource to history.
pub fn decommission(old: &Resource, reason: &str, now: Timestamp) -> Resource {
    let mut resource = changed(old, now);
    DECOMMISSIONED.clone_into(&mut resource.state);
    resource.decommissioned = Some(now);
    resource.document.set("decommissionReason", reason);
    resource
}

/// Brings a resource back from history, in one of the states of the inventory.
pub fn recommission(old: &Resource, state: &str, now: Timestamp) -> Resource {
    let mut resource = changed(old, now);
    state.clone_into(&mut resource.state);
    resource.decommissioned = None;
    resource.document.set("decommissionReason", "");
    resource
}

/// The identity keys of a resource that was described by hand, most trusted first.
pub fn identities(resource: &Resource) -> Vec<IdentityKey> {
    identities_in(&resource.document)
}

/// As [`identities`], from the document alone.
pub fn identities_in(document: &Document) -> Vec<IdentityKey> {
    let text = |name: &str| document.text(name);
    [
        IdentityKey::uuid(text("systemUID")),
        IdentityKey::cloud(text("accountNumber"), text("instanceId")),
        IdentityKey::serial(text("make"), text("serialNumber")),
        IdentityKey::mac(text("macAddress")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// 404: no such resource, or it is another tenant's.
pub fn no_resource(id: &str) -> Problem {
    Problem::not_found(format!("No Resource found with UUID : {id:.100}"))
}

/// 409: somebody else changed the resource since it was read.
pub fn changed_meanwhile() -> Problem {
    Problem::conflict("Somebody else changed the resource meanwhile. Read it again.")
}

/// 409: the tenant has the machine already.
pub fn known_already(key: &str, id: &str) -> Problem {
    Problem::conflict(format!("This machine is in the inventory already, by its {key}: resource {id}."))
}

fn check_named(resource: &Resource) -> Result<(), Problem> {
    if resource.document.display_name().is_empty() {
        return Err(Problem::field("name", format!("is required, or one of {}", NAMES[1..].join(", "))));
    }
    Ok(())
}
