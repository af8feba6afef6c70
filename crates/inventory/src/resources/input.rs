//! What a create or update body says about a resource (`docs/interface.md`, "Create a resource").

use base::{body::Fields, net::ip_key, text::fold, timestamp::Timestamp};
use serde_json::{Map, Value, json};

use super::document::{ARRAYS, CLOUD, Document, KINDS, OBJECTS, STATES, SYNTHETIC, TEXTS, Tag};
use crate::{reports::roles::APP_ROLES, types};

/// How the caller names a site, a group or anything else that has an id and a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    /// Its integer id.
    pub id: Option<i64>,
    /// Its name.
    pub name: Option<String>,
}

/// The fields of a body; `None` leaves what a resource has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    pub kind: Option<&'static str>,
    pub resource_type: Option<String>,
    pub state: Option<&'static str>,
    pub agent_installed: Option<bool>,
    pub location: Option<Reference>,
    pub launched: Option<Timestamp>,
    /// Text attributes; an empty one removes the value.
    pub texts: Vec<(&'static str, String)>,
    pub tags: Option<Vec<Tag>>,
    pub app_roles: Option<Vec<String>>,
    pub nested: Vec<(&'static str, Value)>,
}

/// The longest text attribute, in characters; a description may be four times as long.
pub const LONGEST: usize = 1000;

/// As many tags as a resource has at most.
pub const MOST_TAGS: usize = 1000;

/// Other names under which people send an attribute.
pub const SYNONYMS: [(&str, &str); 4] =
    [("dns", "dnsName"), ("osName", "os"), ("serial", "serialNumber"), ("uid", "systemUID")];

/// The parts of a synthetic's credential (`docs/interface.md`, "Resource detail"): integers, booleans, texts.
const CREDENTIAL_INTEGERS: [&str; 4] = ["id", "port", "spPort", "timeoutMs"];
const CREDENTIAL_BOOLEANS: [&str; 4] = ["secure", "autoEnableMode", "universal", "spSecure"];
const CREDENTIAL_TEXTS: [&str; 4] = ["snmpVersion", "securityLevel", "oauthAccessTokenUrl", "oauthGrantType"];
/// Write-only: taken, not kept (nothing in the service logs in with them), answered as an empty string.
const CREDENTIAL_SECRETS: [&str; 2] = ["oauthClientKey", "oauthClientSecret"];

impl Input {
    /// Reads a body; every problem is noted in `fields`.
    pub fn read(fields: &mut Fields<'_>) -> Self {
        let mut input = Self {
            kind: fields.one_of("type", &KINDS),
            resource_type: fields.text_max("resourceType", LONGEST).filter(|text| !text.trim().is_empty()),
            state: fields.one_of("state", &STATES),
            agent_installed: fields.boolean("agentInstalled"),
            location: fields.object("location").map(|mut location| reference(&mut location)),
            ..Self::default()
        };
        if input.resource_type.is_none() {
            input.resource_type = fields.text_max("deviceType", LONGEST).filter(|text| !text.trim().is_empty());
        }
        if input.kind.is_none() {
            input.kind = input.resource_type.as_deref().and_then(types::kind_of);
        }
        for name in TEXTS {
            let longest = if name == "description" { 4 * LONGEST } else { LONGEST };
            if let Some(text) = fields.text_max(name, longest) {
                // Spaces around an address are a slip; anywhere else they may be meant.
                let text = if name == "ipAddress" { text.trim().to_owned() } else { text };
                input.texts.push((name, text));
            }
        }
        for (synonym, name) in SYNONYMS {
            let given = fields.text_max(synonym, LONGEST);
            if let Some(text) = given.filter(|_| !fields.has(name)) {
                input.texts.push((name, text));
            }
        }
        for name in SYNTHETIC {
            if let Some(text) = fields.text_max(name, 2 * LONGEST) {
                input.texts.push((name, text));
            }
        }
        input.read_cloud(fields);
        if let Some(mut properties) = fields.object("properties") {
            input.read_cloud(&mut properties);
        }
        input.check_address(fields);
        input.tags = read_tags(fields);
        input.app_roles = read_app_roles(fields);
        input.read_nested(fields);
        input
    }

    fn read_cloud(&mut self, fields: &mut Fields<'_>) {
        for name in CLOUD {
            if let Some(text) = fields.text_max(name, LONGEST) {
                self.texts.push((name, text));
            }
        }
        if let Some(time) = fields.timestamp("launchDate") {
            self.launched = Some(time);
        }
    }

    fn check_address(&self, fields: &mut Fields<'_>) {
        let given = self.texts.iter().find(|(name, _)| *name == "ipAddress");
        if given.is_some_and(|(_, text)| !text.is_empty() && ip_key(text).is_none()) {
            fields.error("ipAddress", "must be an IPv4 or IPv6 address");
        }
    }

    fn read_nested(&mut self, fields: &mut Fields<'_>) {
        for name in ARRAYS {
            if let Some(array) = fields.raw_array(name) {
                self.nested.push((name, Value::Array(array)));
            }
        }
        for name in OBJECTS {
            if let Some(object) = fields.raw_object(name) {
                self.nested.push((name, Value::Object(object)));
            }
        }
        if let Some(components) = fields.texts("components") {
            for (place, component) in components.iter().enumerate() {
                if is_too_long(component) {
                    fields.error(&format!("components[{place}]"), too_long());
                }
            }
            self.nested.push(("components", json!(components)));
        }
        if let Some(mut bios) = fields.object("bios") {
            let mut object = Map::new();
            for name in ["systemSerial", "systemModel"] {
                if let Some(text) = bios.text_max(name, LONGEST) {
                    object.insert(name.to_owned(), text.into());
                }
            }
            self.nested.push(("bios", Value::Object(object)));
        }
        if let Some(cards) = fields.objects("networkCardDetails") {
            let cards: Vec<Value> = (1..).zip(cards).map(|(number, mut card)| read_card(&mut card, number)).collect();
            self.nested.push(("networkCardDetails", Value::Array(cards)));
        }
        if let Some(metrics) = fields.objects("metricTypes") {
            let metrics: Vec<Value> = metrics.into_iter().map(|mut metric| read_metric(&mut metric)).collect();
            self.nested.push(("metricTypes", Value::Array(metrics)));
        }
        if let Some(mut credential) = fields.object("credential") {
            self.nested.push(("credential", Value::Object(read_credential(&mut credential))));
        }
    }

    /// Puts the texts, tags, roles and parts into a document.
    pub fn apply(&self, document: &mut Document) {
        for (name, text) in &self.texts {
            document.set(name, text.as_str());
        }
        if let Some(tags) = &self.tags {
            document.tags.clone_from(tags);
        }
        if let Some(roles) = &self.app_roles {
            document.app_roles.clone_from(roles);
        }
        for (name, value) in &self.nested {
            document.set_part(name, value.clone());
        }
    }
}

/// `{"id"}` or `{"name"}`.
pub fn reference(fields: &mut Fields<'_>) -> Reference {
    let reference = Reference { id: fields.integer("id"), name: fields.text_max("name", LONGEST) };
    if reference == Reference::default() {
        fields.error("id", "is required, or name");
    }
    reference
}

fn is_too_long(text: &str) -> bool {
    text.len() > LONGEST && text.chars().nth(LONGEST).is_some()
}

fn too_long() -> String {
    format!("must have at most {LONGEST} characters")
}

/// What is wrong with more than [`MOST_TAGS`].
pub fn too_many_tags() -> String {
    format!("has more than {MOST_TAGS} tags")
}

fn read_tags(fields: &mut Fields<'_>) -> Option<Vec<Tag>> {
    let mut tags: Vec<Tag> = Vec::new();
    let items = fields.objects("tags")?;
    if items.len() > MOST_TAGS {
        fields.error("tags", too_many_tags());
        return None;
    }
    for mut item in items {
        let name = item.required_text("name").trim().to_owned();
        if tags.iter().any(|known| fold(&known.name) == fold(&name)) {
            item.error("name", "is given twice");
        }
        if is_too_long(&name) {
            item.error("name", too_long());
        }
        let value = item.text_max("value", LONGEST).unwrap_or_default();
        let tag_source = item.text_max("tagSource", 100).filter(|s| !s.is_empty()).unwrap_or_else(|| "API".to_owned());
        tags.push(Tag { name, value, tag_source });
    }
    Some(tags)
}

fn read_app_roles(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let mut roles = Vec::new();
    for mut item in fields.objects("appRoles")? {
        match item.one_of("name", &APP_ROLES) {
            Some(role) => roles.push(role.to_owned()),
            None if !item.has("name") => item.error("name", "is required"),
            None => {}
        }
    }
    roles.sort();
    roles.dedup();
    Some(roles)
}

/// A network card with every documented field; those left out are numbered or empty.
fn read_card(card: &mut Fields<'_>, number: i64) -> Value {
    let id = card.integer("id").unwrap_or(number);
    let dhcp_enabled = card.boolean("dhcpEnabled").unwrap_or(false);
    let mut text = |name: &str| card.text_max(name, LONGEST).unwrap_or_default();
    json!({
        "id": id, "networkName": text("networkName"), "status": text("status"), "ipAddress": text("ipAddress"),
        "macAddress": text("macAddress"), "dhcpEnabled": dhcp_enabled, "linkMode": text("linkMode"),
        "aliasIps": text("aliasIps"),
    })
}

/// A metric with every documented field.
fn read_metric(metric: &mut Fields<'_>) -> Value {
    let availability = metric.boolean("availabilityMetric").unwrap_or(false);
    let mut text = |name: &str| metric.text_max(name, LONGEST).unwrap_or_default();
    json!({
        "metricName": text("metricName"), "displayName": text("displayName"), "unit": text("unit"),
        "availabilityMetric": availability, "thresholdType": text("thresholdType"),
    })
}

fn read_credential(fields: &mut Fields<'_>) -> Map<String, Value> {
    let mut object = Map::new();
    for name in CREDENTIAL_INTEGERS {
        if let Some(number) = fields.integer(name) {
            object.insert(name.to_owned(), number.into());
        }
    }
    for name in CREDENTIAL_BOOLEANS {
        if let Some(flag) = fields.boolean(name) {
            object.insert(name.to_owned(), flag.into());
        }
    }
    for name in CREDENTIAL_TEXTS {
        if let Some(text) = fields.text_max(name, LONGEST) {
            object.insert(name.to_owned(), text.into());
        }
    }
    for name in CREDENTIAL_SECRETS {
        if fields.text(name).is_some() {
            object.insert(name.to_owned(), "".into());
        }
    }
    object
}
