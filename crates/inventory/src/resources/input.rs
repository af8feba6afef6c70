//! The fields of a create or update body of a resource (`docs/interface.md`, "Create a resource").

use api::Request;
use base::{
    body::{Fields, Request as _},
    net::ip_key,
    text::fold,
    timestamp::Timestamp,
};
use serde_json::{Map, Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Object, RefOr,
        schema::{ObjectBuilder, Schema, SchemaType, Type},
    },
};

use super::wire::Bios;
use crate::{
    model::document::{CLOUD, Document, KINDS, STATES, SYNTHETIC, TEXTS, Tag},
    reports::roles::APP_ROLES,
    types,
};

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

/// A site, by its id or its name; `{}` for none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Request)]
#[request(schema = "LocationReference", check = names_one)]
pub struct LocationReference {
    /// Its integer id.
    pub id: Option<i64>,
    /// Its name.
    #[request(chars = LONGEST)]
    pub name: Option<String>,
}

fn names_one(reference: &LocationReference, fields: &mut Fields<'_>) {
    // A site that is called otherwise is an error, not the wish for none.
    if *reference == LocationReference::default() && !fields.is_empty() {
        fields.error("id", "is required, or name");
    }
}

/// An application role by its name.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "AppRoleReference")]
pub struct RoleReference {
    /// One of the 45 names.
    #[request(words = APP_ROLES)]
    pub name: &'static str,
}

/// The fields of a body; `None` leaves what a resource has. [`ResourceInput`] is what the document says of it.
#[derive(Clone, Debug, Default, PartialEq, Request)]
pub struct Input {
    /// `DEVICE` (default, unless `resourceType` is the name of another one), `AUTO_SCALING`, `EBS`, `LOAD_BALANCER`,
    /// `SQL_DATABASE`, `SQL_SERVER` or `SYNTHETIC`.
    #[request(name = "type", words = KINDS)]
    pub kind: Option<&'static str>,
    /// A resource type by name or path; a new one is added.
    #[request(with = resource_type, chars = LONGEST)]
    pub resource_type: Option<String>,
    /// `active` (default), `inactive` or `discovered`.
    #[request(words = STATES)]
    pub state: Option<&'static str>,
    /// Does an agent report for it?
    pub agent_installed: Option<bool>,
    /// A site of the same tenant; `{}` for none.
    pub location: Option<LocationReference>,
    /// Text attributes; an empty one removes the value.
    #[request(with = texts, default, undocumented)]
    pub texts: Vec<(&'static str, String)>,
    /// Of a cloud instance: when it was launched; an empty text removes the value.
    #[request(name = "launchDate", with = launched, schema = String, pattern = Timestamp::PATTERN_OR_EMPTY)]
    pub launched: Option<Option<Timestamp>>,
    /// Custom attributes; they replace all existing ones.
    #[request(with = tags, schema = Vec<Tag>, items = 0..=MOST_TAGS)]
    pub tags: Option<Vec<Tag>>,
    /// In place of those that there are.
    #[request(from = Vec<RoleReference>, parse = app_roles)]
    pub app_roles: Option<Vec<String>>,
    /// Nested parts of the detail.
    #[request(with = parts, default, undocumented)]
    pub nested: Vec<(&'static str, Value)>,
}

/// The nested parts of a body, each in place of that which there is.
#[derive(Clone, Debug, PartialEq, Request)]
struct Parts {
    /// Objects of any fields.
    #[request(with = objects, schema = Vec<Object>)]
    cpus: Option<Value>,
    /// Objects of any fields.
    #[request(with = objects, schema = Vec<Object>)]
    consoles: Option<Value>,
    /// Of a synthetic: UUIDs.
    #[request(schema = Vec<String>)]
    location_uuids: Option<Vec<String>>,
    /// Any object.
    meta_data: Option<Map<String, Value>>,
    /// Any object.
    management_profile: Option<Map<String, Value>>,
    /// Names.
    #[request(chars = LONGEST)]
    components: Option<Vec<String>>,
    /// Serial and model.
    #[request(with = bios, schema = Bios)]
    bios: Option<Value>,
    /// Cards without a number are numbered.
    #[request(with = cards, schema = Vec<NetworkCardInput>)]
    network_card_details: Option<Value>,
    /// Of a cloud resource.
    #[request(with = metrics, schema = Vec<MetricTypeInput>)]
    metric_types: Option<Value>,
    /// Of a synthetic; its secrets are write-only.
    #[request(with = credential, schema = Object)]
    credential: Option<Value>,
}

fn parts(fields: &mut Fields<'_>, _: &str) -> Option<Vec<(&'static str, Value)>> {
    let Parts {
        cpus,
        consoles,
        location_uuids,
        meta_data,
        management_profile,
        components,
        bios,
        network_card_details,
        metric_types,
        credential,
    } = base::body::Request::read(fields);
    let all = [
        ("cpus", cpus),
        ("consoles", consoles),
        ("locationUuids", location_uuids.map(|locations| json!(locations))),
        ("metaData", meta_data.map(Value::Object)),
        ("managementProfile", management_profile.map(Value::Object)),
        ("components", components.map(|components| json!(components))),
        ("bios", bios),
        ("networkCardDetails", network_card_details),
        ("metricTypes", metric_types),
        ("credential", credential),
    ];
    Some(all.into_iter().filter_map(|(name, part)| Some((name, part?))).collect())
}

/// [`Input`] in the document, with the text attributes, of which there are lists.
pub struct ResourceInput;

impl PartialSchema for ResourceInput {
    fn schema() -> RefOr<Schema> {
        let or_null = |kind| ObjectBuilder::new().schema_type(SchemaType::from_iter([kind, Type::Null]));
        let text = |name| or_null(Type::String).max_length(Some(longest(name))).description(Some(text_of(name)));
        let own = [Input::schema(), Parts::schema()].into_iter().flat_map(|schema| match schema {
            RefOr::T(Schema::Object(object)) => object.properties,
            _ => Default::default(),
        });
        let input = own.fold(ObjectBuilder::new(), |input, (name, schema)| input.property(name, schema));
        let texts = TEXTS.iter().chain(&CLOUD).chain(&SYNTHETIC);
        let input = texts.fold(input, |input, name| input.property(*name, text(*name)));
        let properties = or_null(Type::Object).description(Some("Cloud attributes"));
        let description = "A resource to create, or the changes to one; every field is optional. Cloud attributes may \
                           stand here or inside `properties`.";
        input.property("properties", properties).description(Some(description)).into()
    }
}

impl ToSchema for ResourceInput {
    fn name() -> std::borrow::Cow<'static, str> {
        "ResourceInput".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Input::schemas(schemas);
        Parts::schemas(schemas);
    }
}

/// The OpenAPI description of a text attribute.
fn text_of(name: &str) -> &'static str {
    match name {
        "installedIntgId" => "`INTG-<uuid>`",
        "ipAddress" => "IPv4 or IPv6",
        "checkType" => "Of a synthetic, such as `HTTP`",
        name if SYNTHETIC.contains(&name) => "Of a synthetic",
        name if CLOUD.contains(&name) => "Cloud attribute",
        _ => "Text; an empty one removes the value",
    }
}

/// The longest text that an attribute may have.
fn longest(name: &str) -> usize {
    match name {
        "description" => 4 * LONGEST,
        name if SYNTHETIC.contains(&name) => 2 * LONGEST,
        _ => LONGEST,
    }
}

impl Input {
    /// The kind that the body says, or that its resource type decides.
    pub fn kind_hint(&self) -> Option<&'static str> {
        self.kind.or_else(|| self.resource_type.as_deref().and_then(types::kind_of))
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

fn resource_type(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    [name, "deviceType"].into_iter().find_map(|name| {
        let text = fields.text_max(name, LONGEST)?;
        (!text.trim().is_empty()).then_some(text)
    })
}

fn texts(fields: &mut Fields<'_>, _: &str) -> Option<Vec<(&'static str, String)>> {
    let mut texts = Vec::new();
    for name in TEXTS {
        if let Some(text) = fields.text_max(name, longest(name)) {
            // Spaces around an address are a slip; anywhere else they may be meant.
            let text = if name == "ipAddress" { text.trim().to_owned() } else { text };
            texts.push((name, text));
        }
    }
    for (synonym, name) in SYNONYMS {
        match fields.text_max(synonym, LONGEST) {
            Some(_) if fields.has(name) => fields.ignore(synonym),
            given => texts.extend(given.map(|text| (name, text))),
        }
    }
    for name in SYNTHETIC.into_iter().chain(CLOUD) {
        texts.extend(fields.text_max(name, longest(name)).map(|text| (name, text)));
    }
    if let Some(mut properties) = fields.object("properties") {
        texts.extend(CLOUD.into_iter().filter_map(|name| Some((name, properties.text_max(name, LONGEST)?))));
    }
    let address = texts.iter().find(|(name, _)| *name == "ipAddress");
    if address.is_some_and(|(_, text)| !text.is_empty() && ip_key(text).is_none()) {
        fields.error("ipAddress", "must be an IPv4 or IPv6 address");
    }
    Some(texts)
}

fn launched(fields: &mut Fields<'_>, name: &str) -> Option<Option<Timestamp>> {
    let own = fields.timestamp_or_empty(name);
    // The error that the part is not an object is added with the texts.
    let has_properties = fields.value("properties").is_some_and(Value::is_object);
    let properties = if has_properties { fields.object("properties") } else { None };
    properties.and_then(|mut properties| properties.timestamp_or_empty(name)).or(own)
}

fn is_too_long(text: &str) -> bool {
    text.len() > LONGEST && text.chars().nth(LONGEST).is_some()
}

fn too_long() -> String {
    format!("must have at most {LONGEST} characters")
}

/// The error for more than [`MOST_TAGS`] tags.
pub fn too_many_tags() -> String {
    format!("has more than {MOST_TAGS} tags")
}

fn tags(fields: &mut Fields<'_>, name: &str) -> Option<Vec<Tag>> {
    let mut tags: Vec<Tag> = Vec::new();
    let items = fields.objects(name)?;
    if items.len() > MOST_TAGS {
        fields.error(name, too_many_tags());
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
        let tag_source =
            item.text_max("tagSource", 100).filter(|s| !s.is_empty()).unwrap_or_else(|| Tag::API.to_owned());
        tags.push(Tag { name, value, tag_source });
    }
    Some(tags)
}

fn app_roles(given: Vec<RoleReference>) -> Result<Vec<String>, &'static str> {
    let mut roles: Vec<String> = given.into_iter().map(|role| role.name.to_owned()).collect();
    roles.sort();
    roles.dedup();
    Ok(roles)
}

fn bios(fields: &mut Fields<'_>, name: &str) -> Option<Value> {
    let mut bios = fields.object(name)?;
    let given = ["systemSerial", "systemModel"].map(|name| (name, bios.text_max(name, LONGEST)));
    let given = given.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
    Some(Value::Object(given.collect()))
}

/// An array of objects, which are kept as they are.
fn objects(fields: &mut Fields<'_>, name: &str) -> Option<Value> {
    let items = fields.raw_array(name)?;
    for (index, _) in items.iter().enumerate().filter(|(_, item)| !item.is_object()) {
        fields.error(&format!("{name}[{index}]"), "must be an object");
    }
    Some(Value::Array(items))
}

fn cards(fields: &mut Fields<'_>, name: &str) -> Option<Value> {
    let cards = fields.objects(name)?;
    Some((1..).zip(cards).map(|(number, mut card)| read_card(&mut card, number)).collect())
}

fn metrics(fields: &mut Fields<'_>, name: &str) -> Option<Value> {
    Some(fields.objects(name)?.into_iter().map(|mut metric| read_metric(&mut metric)).collect())
}

/// A network card, as it is sent.
#[derive(Clone, Debug, PartialEq, Request)]
struct NetworkCardInput {
    /// Its number on the machine; without one, its place in the list.
    id: Option<i64>,
    /// The interface's name.
    #[request(chars = LONGEST, default)]
    network_name: String,
    /// `up` or `down`.
    #[request(chars = LONGEST, default)]
    status: String,
    /// Its first address.
    #[request(chars = LONGEST, default)]
    ip_address: String,
    /// Hardware address.
    #[request(chars = LONGEST, default)]
    mac_address: String,
    /// Did it get its address by DHCP?
    #[request(default)]
    dhcp_enabled: bool,
    /// Such as its speed.
    #[request(chars = LONGEST, default)]
    link_mode: String,
    /// Its other addresses, comma-separated.
    #[request(chars = LONGEST, default)]
    alias_ips: String,
}

/// A metric collected of a resource, as it is sent.
#[derive(Clone, Debug, PartialEq, Request)]
struct MetricTypeInput {
    /// Its name.
    #[request(chars = LONGEST, default)]
    metric_name: String,
    /// Its name for people.
    #[request(chars = LONGEST, default)]
    display_name: String,
    /// Its unit.
    #[request(chars = LONGEST, default)]
    unit: String,
    /// Does it measure availability?
    #[request(default)]
    availability_metric: bool,
    /// Kind of threshold.
    #[request(chars = LONGEST, default)]
    threshold_type: String,
}

/// A network card with every documented field; those left out are numbered or empty.
fn read_card(card: &mut Fields<'_>, number: i64) -> Value {
    let card = NetworkCardInput::read(card);
    json!({
        "id": card.id.unwrap_or(number), "networkName": card.network_name, "status": card.status,
        "ipAddress": card.ip_address, "macAddress": card.mac_address, "dhcpEnabled": card.dhcp_enabled,
        "linkMode": card.link_mode, "aliasIps": card.alias_ips,
    })
}

/// A metric with every documented field.
fn read_metric(metric: &mut Fields<'_>) -> Value {
    let metric = MetricTypeInput::read(metric);
    json!({
        "metricName": metric.metric_name, "displayName": metric.display_name, "unit": metric.unit,
        "availabilityMetric": metric.availability_metric, "thresholdType": metric.threshold_type,
    })
}

fn credential(fields: &mut Fields<'_>, name: &str) -> Option<Value> {
    let mut fields = fields.object(name)?;
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
    Some(Value::Object(object))
}
