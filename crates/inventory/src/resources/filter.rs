//! From `queryString` to a condition on `resources` (`docs/interface.md`, "List minimal resources" and "Search
//! decommissioned resources").

use base::{
    net::{cidr_range, ip_key},
    problem::Problem,
    query_string::Term,
    text::{fold, listed},
};
use db::{Condition, Conn, Result};

pub use super::predicate::tenants;
use super::predicate::{Filter, NameFilter};
use crate::{
    groups,
    model::document::{KINDS, STATES},
    reports::roles::APP_ROLES,
    sites, types,
};

/// The variables of the inventory's `queryString`.
pub const VARIABLES: [&str; 32] = listed(
    "id name hostName dnsName resourceName aliasName serialNumber systemUID ipAddress state type deviceType \
    resourceType startCreationDate endCreationDate startUpdationDate endUpdationDate tags template agentProfile \
    gatewayProfile instanceId accountNumber installedIntgId agentInstalled deviceGroup serviceGroup deviceLocation \
    isEquals assetManagedTime firstAssetManagedTime appRoles",
);

/// The variables of the history's `queryString`.
pub const HISTORY_VARIABLES: [&str; 20] = listed(
    "id state hostName ipAddress instanceId tags startDate endDate type accountNumber provider owner instanceType \
    instanceState zone region ami hostedServiceName startLaunchDate endLaunchDate",
);

/// Resources in one of these states.
pub fn states<'a>(states: impl IntoIterator<Item = &'a str>) -> Condition {
    Condition::text_in("resources.state IN", states)
}

/// Resources at these sites.
pub fn at_sites(ids: impl IntoIterator<Item = i64>) -> Condition {
    Condition::integer_in("resources.site_id IN", ids)
}

/// One condition for all terms. Groups and places are looked up by name, so this reads the database.
pub fn condition(conn: &mut Conn, scope: &[String], terms: &[Term]) -> Result<Condition> {
    let filters = filters(conn, scope, terms)?;
    Ok(Condition::all(filters.iter().map(|filter| filter.condition(scope))))
}

/// The filters of the terms. Groups and places are looked up by name, so this reads the database.
pub fn filters(conn: &mut Conn, scope: &[String], terms: &[Term]) -> Result<Vec<Filter>> {
    let exact = terms.iter().find(|term| term.name == "isEquals").map(Term::boolean).transpose()?.unwrap_or(false);
    let mut all = Vec::with_capacity(terms.len() + 1);
    for term in terms.iter().filter(|term| term.name != "isEquals") {
        all.push(term_filter(conn, scope, term, exact)?);
    }
    if terms.iter().any(|term| term.name == "deviceType") {
        all.push(Filter::Row(Condition::sql("resources.type = 'DEVICE'")));
    }
    Ok(all)
}

fn term_filter(conn: &mut Conn, scope: &[String], term: &Term, exact: bool) -> Result<Filter> {
    let name = |column| Filter::Name(NameFilter { column, exact, keys: keys(term).collect() });
    let row = match term.name {
        "name" => return Ok(name("resources.name_key")),
        "hostName" => return Ok(name("resources.host_key")),
        "dnsName" => return Ok(name("resources.dns_key")),
        "resourceName" => return Ok(name("resources.resource_key")),
        "aliasName" => return Ok(name("resources.alias_key")),
        "tags" => return Ok(Filter::Tags(keys(term).collect())),
        "appRoles" => return Ok(Filter::Roles(app_roles(term)?)),
        "deviceGroup" => {
            return Ok(Filter::Groups(groups::store::find_ids_by_name(conn, scope, "device", &term.values, exact)?));
        }
        "serviceGroup" => {
            return Ok(Filter::Groups(groups::store::find_ids_by_name(conn, scope, "service", &term.values, exact)?));
        }
        "instanceState" => return Ok(Filter::Walked(instance_states(term))),
        "id" => Condition::text_in("resources.id IN", keys(term)),
        "serialNumber" => Condition::text_in("resources.serial_key IN", keys(term)),
        "systemUID" => Condition::text_in("resources.uid_key IN", keys(term)),
        "ipAddress" => addresses(term)?,
        "state" => in_states(term)?,
        "type" => kinds(term)?,
        "deviceType" | "resourceType" => types::condition(conn, scope, &term.values)?,
        "startCreationDate" => from("resources.created_ms >= ", term)?,
        "endCreationDate" => until("resources.created_ms < ", term)?,
        "startUpdationDate" => from("resources.updated_ms >= ", term)?,
        "endUpdationDate" => until("resources.updated_ms < ", term)?,
        "assetManagedTime" => second("resources.asset_managed_ms >= ", " AND resources.asset_managed_ms < ", term)?,
        "firstAssetManagedTime" => {
            second("resources.first_asset_managed_ms >= ", " AND resources.first_asset_managed_ms < ", term)?
        }
        "template" => Condition::text_in("resources.template_key IN", keys(term)),
        "agentProfile" => Condition::text_in("resources.agent_profile_key IN", keys(term)),
        "gatewayProfile" => Condition::text_in("resources.gateway_profile_key IN", keys(term)),
        "installedIntgId" => Condition::text_in("resources.installed_intg_key IN", keys(term)),
        "agentInstalled" if term.boolean()? => Condition::sql("resources.agent_installed = TRUE"),
        "agentInstalled" => Condition::sql("resources.agent_installed = FALSE"),
        "instanceId" => Condition::text_in("resources.instance_id_key IN", keys(term)),
        "accountNumber" => Condition::text_in("resources.account_number_key IN", keys(term)),
        "provider" => Condition::text_in("resources.provider_key IN", keys(term)),
        "owner" => Condition::text_in("resources.owner_key IN", keys(term)),
        "instanceType" => Condition::text_in("resources.instance_type_key IN", keys(term)),
        "zone" => Condition::text_in("resources.zone_key IN", keys(term)),
        "region" => Condition::text_in("resources.region_key IN", keys(term)),
        "ami" => Condition::text_in("resources.ami_key IN", keys(term)),
        "hostedServiceName" => Condition::text_in("resources.hosted_service_key IN", keys(term)),
        "startDate" => from("resources.decommissioned_ms >= ", term)?,
        "endDate" => until("resources.decommissioned_ms < ", term)?,
        "startLaunchDate" => from("resources.launch_ms >= ", term)?,
        "endLaunchDate" => until("resources.launch_ms < ", term)?,
        "deviceLocation" => at_sites(sites::store::find_ids_by_name(conn, scope, &term.values, exact)?),
        other => return Err(db::Error::Fault(format!("variable {other} has no condition"))),
    };
    Ok(Filter::Row(row))
}

fn keys(term: &Term) -> impl Iterator<Item = String> {
    term.values.iter().map(|value| fold(value))
}

fn wrong(term: &Term, message: impl std::fmt::Display) -> db::Error {
    Problem::field("queryString", format!("{}: {message}", term.name)).into()
}

fn from(text: &'static str, term: &Term) -> Result<Condition> {
    Ok(Condition::sql(text).integer(term.time()?.millis()))
}

/// The end of a range is part of it, to the whole second that clients see.
fn until(text: &'static str, term: &Term) -> Result<Condition> {
    Ok(Condition::sql(text).integer(term.time()?.millis().saturating_add(1000)))
}

/// Equal, to the whole second that clients see.
fn second(from: &'static str, until: &'static str, term: &Term) -> Result<Condition> {
    let start = term.time()?.millis();
    let start = start - start.rem_euclid(1000);
    Ok(Condition::sql(from).integer(start).then(until).integer(start.saturating_add(1000)))
}

fn addresses(term: &Term) -> Result<Condition> {
    let mut any = Vec::new();
    for value in &term.values {
        let condition = if value.contains('/') {
            let (first, last) = cidr_range(value)
                .ok_or_else(|| wrong(term, format_args!("{value:?} is not an address block such as 10.0.0.0/8")))?;
            Condition::sql("resources.ip_key >= ")
                .text(first.to_string())
                .then(" AND resources.ip_key <= ")
                .text(last.to_string())
        } else {
            let not_an_address = || {
                let expected = "neither an address such as 10.0.0.1 nor a block such as 10.0.0.0/8";
                wrong(term, format_args!("{value:?} is {expected}"))
            };
            Condition::sql("resources.ip_key = ").text(ip_key(value).ok_or_else(not_an_address)?)
        };
        any.push(condition);
    }
    Ok(Condition::any(any))
}

/// The states that a `state` term or parameter stands for.
pub fn states_of(value: &str) -> Option<Vec<&'static str>> {
    let folded = fold(value);
    if folded == "all" {
        return Some(STATES.to_vec());
    }
    STATES.into_iter().find(|state| *state == folded).map(|state| vec![state])
}

fn in_states(term: &Term) -> Result<Condition> {
    let mut all = Vec::new();
    for value in &term.values {
        all.extend(states_of(value).ok_or_else(|| wrong(term, "must be one of active, inactive, discovered, all"))?);
    }
    Ok(states(all))
}

fn kinds(term: &Term) -> Result<Condition> {
    let mut found = Vec::new();
    for value in &term.values {
        let kind = KINDS.into_iter().find(|kind| kind.eq_ignore_ascii_case(value));
        found.push(kind.ok_or_else(|| wrong(term, format_args!("must be one of {}", KINDS.join(", "))))?);
    }
    Ok(Condition::text_in("resources.type IN", found))
}

fn app_roles(term: &Term) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for key in keys(term) {
        if !APP_ROLES.contains(&key.as_str()) {
            return Err(wrong(term, format_args!("must be one of {}", APP_ROLES.join(", "))));
        }
        found.push(key);
    }
    Ok(found)
}

/// Every cloud instance in history is decommissioned, whatever state it had before.
fn instance_states(term: &Term) -> Condition {
    Condition::any(keys(term).map(|key| {
        if key == crate::model::document::DECOMMISSIONED {
            Condition::sql("resources.state = 'decommissioned' AND resources.instance_id_key IS NOT NULL")
        } else {
            Condition::sql("resources.instance_state_key = ").text(key)
        }
    }))
}
