//! The ingestion of agent reports: the machine is found or created, and the report is stored.

use base::{text::fold, timestamp::Timestamp};
use db::{Conn, Error, Result};
use outbox::Tx;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    model::document::{Document, Resource, Tag},
    reports::{IdentityKey, Origin, Report, TAG_OPTION, extra, kind, roles},
    resources::{
        changes,
        identities::{self, IdentityMatch},
        input::{LONGEST, MOST_TAGS},
        lock, rules, store,
    },
    sites,
    software::{antivirus, applications},
    types,
};

/// The source of tags that an agent reported; the others are the caller's and stay.
const AGENT: &str = "AGENT";

/// The source of a device that was scanned.
const NETWORK: &str = "NETWORK";

/// The texts by which firmware tells a machine from others. What a scan told of them ends when the agent reports: it
/// may be what several machines in an enclosure have.
const OF_FIRMWARE: [&str; 2] = ["systemUID", "serialNumber"];

/// What became of a report.
pub struct Ingested {
    pub outcome: IngestOutcome,
    /// The sections that the resource has no room for, by their names.
    pub left_out: Vec<String>,
}

impl Ingested {
    /// What the sender is told of the sections that were left out.
    pub fn warning(&self) -> Option<String> {
        let cut = |name: &String| name.chars().take(64).collect::<String>();
        let names = self.left_out.iter().map(cut).collect::<Vec<_>>().join(", ");
        let room = extra::MAX_EXTRA_BYTES >> 10;
        (!names.is_empty())
            .then(|| format!("metaData.inventory has room for {room} KiB, not for these sections: {names}"))
    }
}

/// The outcome of a reported machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IngestOutcome {
    /// It was new; this is its id.
    Created(String),
    /// It was known, and something changed.
    Updated(String),
    /// It was known, just so.
    Unchanged(String),
}

/// Takes in one report.
pub fn ingest(tx: &mut Tx<'_>, partner: &str, tenant: &str, report: &Report) -> Result<Ingested> {
    let keys = report.identity();
    let host = report.host_name.as_deref().or(report.name.as_deref()).unwrap_or_default();
    let find = if report.agent_installed() { identities::find } else { identities::find_scanned };
    let mut known = find(tx.conn, tenant, &keys, host)?;
    if known.is_none() {
        // Two first reports of one machine must not both create it.
        identities::lock_identities(tx.conn, tenant)?;
        known = find(tx.conn, tenant, &keys, host)?;
    }
    let Some(IdentityMatch { id, known_by, .. }) = known else { return create(tx, partner, tenant, report, &keys) };
    lock::lock_resource(tx.conn, &id)?;
    let row = store::find_current(tx.conn, &[tenant.to_owned()], &id)?;
    let Some(row) = row else { return create(tx, partner, tenant, report, &keys) };
    let old = row.clone().into_resource()?;
    let mut resource = old.clone();
    if report.agent_installed() && !old.agent_installed && old.document.text("source") == NETWORK {
        let scanned: Vec<_> =
            known_by.iter().filter(|key| key.is_of_firmware() && !keys.contains(key)).cloned().collect();
        identities::remove(tx.conn, &old, &scanned)?;
        OF_FIRMWARE.iter().for_each(|name| resource.document.set(name, ""));
    }
    let left_out = describe(tx, report, &mut resource)?;
    let is_sign = |key: &IdentityKey| report.agent_installed() || !old.agent_installed || !key.is_of_firmware();
    let new_keys: Vec<_> = keys.into_iter().filter(|key| !known_by.contains(key) && is_sign(key)).collect();
    identities::add(tx.conn, &resource, &new_keys)?;
    let software = store_software(tx.conn, report, &resource, tx.now)?;
    if resource == old && !software {
        return Ok(Ingested { outcome: IngestOutcome::Unchanged(old.id), left_out });
    }
    resource.version = old.version + 1;
    resource.updated = tx.now;
    store::update(tx.conn, partner, &row, &resource)?;
    changes::record_change(tx, Some(&old), Some(&resource))?;
    Ok(Ingested { outcome: IngestOutcome::Updated(old.id), left_out })
}

fn create(tx: &mut Tx<'_>, partner: &str, tenant: &str, report: &Report, keys: &[IdentityKey]) -> Result<Ingested> {
    let now = tx.now;
    let discovered = report.origin == Origin::NetworkDiscovery;
    let managed = (!discovered).then_some(now);
    let mut resource = Resource {
        tenant_id: tenant.to_owned(),
        id: store::new_id(),
        version: 1,
        kind: "DEVICE".to_owned(),
        resource_type: (0, String::new()),
        state: if discovered { "discovered" } else { "active" }.to_owned(),
        agent_installed: false,
        site_id: None,
        launched: None,
        created: now,
        updated: now,
        asset_managed: managed,
        first_asset_managed: managed,
        decommissioned: None,
        document: Document::default(),
    };
    let left_out = describe(tx, report, &mut resource)?;
    store::insert(tx.conn, partner, &resource, keys)?;
    store_software(tx.conn, report, &resource, now)?;
    changes::record_change(tx, None, Some(&resource))?;
    Ok(Ingested { outcome: IngestOutcome::Created(resource.id), left_out })
}

/// Applies a report to a resource, and gives the sections that it has no room for. Attributes that the report does not
/// have stay.
fn describe(tx: &mut Tx<'_>, report: &Report, resource: &mut Resource) -> Result<Vec<String>> {
    let now = tx.now;
    describe_place(tx, report, resource)?;
    if resource.agent_installed && !report.agent_installed() {
        add_texts(report, &mut resource.document);
        return Ok(Vec::new());
    }
    describe_type(tx.conn, report, resource)?;
    if report.origin != Origin::NetworkDiscovery && resource.state == "discovered" {
        rules::set_state(resource, "active", now);
    }
    if report.agent_installed() {
        resource.agent_installed = true;
        if resource.document.text("agentDeploytime").is_empty() {
            resource.document.set("agentDeploytime", now.to_string());
        }
    }
    describe_texts(report, &mut resource.document);
    let left_out = describe_parts(report, &mut resource.document)?;
    if resource.document.display_name().is_empty() {
        resource.document.set("name", report.device_id.as_str());
    }
    describe_tags(report, &mut resource.document);
    describe_roles(report, &mut resource.document);
    Ok(left_out)
}

fn describe_type(conn: &mut Conn, report: &Report, resource: &mut Resource) -> Result<()> {
    let (id, name) = &resource.resource_type;
    if *id == 0 || kind::replaces(report, &types::path(conn, &resource.tenant_id, *id, name)?) {
        resource.resource_type = types::resolve(conn, &resource.tenant_id, kind::of(report).path)?;
    }
    Ok(())
}

fn describe_place(tx: &mut Tx<'_>, report: &Report, resource: &mut Resource) -> Result<()> {
    if let (None, Some(place)) = (resource.site_id, report.location.as_deref().filter(|p| !p.trim().is_empty())) {
        // Two machines must not both add the place that they tell.
        identities::lock_identities(tx.conn, &resource.tenant_id)?;
        resource.site_id = Some(sites::store::find_or_create(tx, &resource.tenant_id, place)?);
    }
    Ok(())
}

/// Adds the facts of a scan that are not known. The agent on the machine knows its names, type, numbers and parts
/// better.
fn add_texts(report: &Report, document: &mut Document) {
    let mut seen = Document::default();
    describe_texts(report, &mut seen);
    for (name, text) in seen.texts.into_iter().filter(|(name, _)| !OF_FIRMWARE.contains(&name.as_str())) {
        document.texts.entry(name).or_insert(text);
    }
}

/// Replaces the agent's tags. A partial report says nothing of those of a section that it does not have.
fn describe_tags(report: &Report, document: &mut Document) {
    let mut told: Vec<Tag> = Vec::new();
    let option = report.tag.iter().map(|value| (TAG_OPTION, value));
    let others = report.tags.iter().flatten().map(|tag| (tag.name.as_str(), &tag.value));
    for (name, value) in option.chain(others) {
        let tag = Tag { name: cut(name), value: cut(value), tag_source: AGENT.to_owned() };
        if !told.iter().any(|other| fold(&other.name) == fold(&tag.name)) {
            told.push(tag);
        }
    }
    let is_told = |name: &str| match name {
        TAG_OPTION => !report.partial || report.tag.is_some(),
        _ => report.tags.is_some(),
    };
    let is_among = |known: &Tag| told.iter().any(|tag| fold(&tag.name) == fold(&known.name));
    document.tags.retain(|known| known.tag_source != AGENT || !is_told(&known.name) || is_among(known));
    let mut left = MOST_TAGS.saturating_sub(document.tags.len());
    for tag in told {
        match document.tags.iter_mut().find(|known| fold(&known.name) == fold(&tag.name)) {
            Some(known) if known.tag_source == AGENT => *known = tag,
            None if left > 0 => {
                left -= 1;
                document.tags.push(tag);
            }
            _ => {}
        }
    }
}

/// Replaces the roles that earlier reports told by the same sections; those from elsewhere stay.
fn describe_roles(report: &Report, document: &mut Document) {
    let before = document.text("reportedRoles").split(',').filter(|role| !role.is_empty()).map(str::to_owned);
    let (replaced, mut reported): (Vec<String>, Vec<String>) = before.partition(|role| roles::is_told(report, role));
    let told: Vec<String> = roles::of(report).into_iter().map(str::to_owned).collect();
    document.app_roles.retain(|role| !replaced.contains(role));
    for roles in [&mut document.app_roles, &mut reported] {
        roles.extend(told.iter().cloned());
        roles.sort();
        roles.dedup();
    }
    document.set("reportedRoles", reported.join(","));
}

fn describe_texts(report: &Report, document: &mut Document) {
    let os = report.os.as_ref();
    let memory = report.physical_memory();
    let texts = [
        ("hostName", report.host_name.as_deref()),
        ("dnsName", report.dns_name.as_deref()),
        ("description", report.description.as_deref()),
        ("systemUID", report.system_uuid.as_deref()),
        ("serialNumber", report.serial_number.as_deref()),
        ("make", report.make.as_deref()),
        ("model", report.model.as_deref()),
        ("os", report.os_name()),
        ("osArchitecture", os.and_then(|os| os.arch.as_deref())),
        ("physicalMemory", memory.as_deref()),
        ("ipAddress", report.primary_ip.as_deref()),
        ("macAddress", report.primary_mac.as_deref()),
        ("keyboardType", report.keyboard_type.as_deref()),
        ("encodingType", report.encoding_type.as_deref()),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            document.set(name, text);
        }
    }
    if let Some(reported) = report.name.as_deref() {
        // A name that a person gave the machine stays; the agent's own name follows the machine.
        let before = document.text("reportedName").to_owned();
        for name in ["name", "resourceName"] {
            if document.text(name) == before {
                document.set(name, reported);
            }
        }
        document.set("reportedName", reported);
    }
    document.set("source", if report.agent_installed() { AGENT } else { NETWORK });
    document.set("status", "UP");
}

/// As much of a text as a caller could give: a machine cannot be told to send less.
fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

fn describe_parts(report: &Report, document: &mut Document) -> Result<Vec<String>> {
    let mut extra = report.extra.clone();
    if let Some(bios) = &report.bios {
        let mut shown = match document.nested.remove("bios") {
            Some(Value::Object(shown)) if report.partial => shown,
            _ => Map::new(),
        };
        for (name, text) in [("systemSerial", &bios.system_serial), ("systemModel", &bios.system_model)] {
            let shown = shown.entry(name).or_insert_with(|| json!(""));
            if let Some(text) = text {
                *shown = json!(text);
            }
        }
        document.set_part("bios", Value::Object(shown));
        extra.insert("bios".to_owned(), part(bios)?);
    }
    if let Some(cpus) = &report.cpus {
        document.set_part("cpus", part(cpus)?);
    }
    if let Some(cards) = &report.network_cards {
        document.set_part("networkCardDetails", part(cards)?);
    }
    if let Some(consoles) = &report.consoles {
        document.set_part("consoles", part(consoles)?);
    }
    if !report.partial || !report.components.is_empty() {
        let known = document.nested.get("components").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
        let components: Vec<String> = report.component_list(&known).into_iter().map(cut).collect();
        document.set_part("components", part(&components)?);
    }
    if let Some(machines) = &report.virtual_machines {
        extra.insert("virtualMachines".to_owned(), json!(machines));
    }
    if report.partial && extra.is_empty() {
        return Ok(report.extra_dropped.clone());
    }
    Ok(keep_extra(document, extra, report))
}

/// Sections that have no place of their own in the detail are shown under `metaData.inventory`, as far as there is
/// room; the others are returned. What a caller put beside it stays.
fn keep_extra(document: &mut Document, extra: Map<String, Value>, report: &Report) -> Vec<String> {
    let mut meta = match document.nested.remove("metaData") {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    let stored = match meta.remove("inventory") {
        Some(Value::Object(sections)) => sections,
        _ => Map::new(),
    };
    let (sections, left_out) = extra::merge(stored, extra, report);
    if !sections.is_empty() {
        meta.insert("inventory".to_owned(), Value::Object(sections));
    }
    document.set_part("metaData", if meta.is_empty() { Value::Null } else { Value::Object(meta) });
    left_out
}

fn part<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::Fault(format!("a part of a report: {error}")))
}

/// Stores installed applications and antivirus products, where the report speaks of them.
fn store_software(conn: &mut Conn, report: &Report, resource: &Resource, now: Timestamp) -> Result<bool> {
    let tenant = &resource.tenant_id;
    let id = &resource.id;
    let mut changed = false;
    if let Some(softwares) = &report.softwares {
        changed = applications::replace(conn, tenant, id, softwares, now)?;
    }
    if let Some(products) = &report.antivirus {
        antivirus::replace(conn, tenant, id, products, now)?;
    }
    Ok(changed)
}
