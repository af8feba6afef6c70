//! What a window covers: how it is named, whether it exists, and how it is kept.

use std::collections::HashSet;

use api::Request;
use base::{
    Fields,
    body::Request as _,
    problem::{FieldError, FieldErrors, shorten},
};
use db::{Conn, Result};
use ports::{PlaceKey, PlaceKind, ResourceKey, Resources};
use serde_json::Value;

/// The most targets of a window.
pub const MOST: usize = 100;

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A resource.
    Device,
    DeviceGroup,
    /// A site.
    Location,
}

impl Kind {
    /// All of them, the most direct first.
    pub const ALL: [Self; 3] = [Self::Device, Self::DeviceGroup, Self::Location];

    /// The word on the wire, which is also stored.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::DeviceGroup => "deviceGroup",
            Self::Location => "location",
        }
    }

    /// The list of a body.
    pub const fn list(self) -> &'static str {
        match self {
            Self::Device => "devices",
            Self::DeviceGroup => "deviceGroups",
            Self::Location => "locations",
        }
    }

    /// Reads a word that was stored.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The kind of a place.
    pub const fn of(kind: PlaceKind) -> Self {
        match kind {
            PlaceKind::DeviceGroup => Self::DeviceGroup,
            PlaceKind::Location => Self::Location,
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Device => "resource",
            Self::DeviceGroup => "device group",
            Self::Location => "location",
        }
    }
}

/// Something that a window covers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// What it is.
    pub kind: Kind,
    /// The tenant that owns it.
    pub tenant: String,
    /// The id of a resource, the number of a place.
    pub id: String,
}

/// How somebody names something that a window is to cover.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What it is to be.
    pub kind: Kind,
    /// Where in the body it is named.
    path: String,
    /// What names it there.
    text: String,
    key: Key,
}

#[derive(Clone, Debug, PartialEq)]
enum Key {
    /// The first that names one resource counts.
    Resource(Vec<ResourceKey>),
    Place(PlaceKey),
}

/// The lists of a body, by the order of [`Kind::ALL`]; `None` for one that it does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists(pub [Option<Vec<Reference>>; 3]);

/// Reads the `devices` of a body. What is wrong is noted there; nothing is read of more than a window may have.
pub fn devices(fields: &mut Fields<'_>, _: &str) -> Option<Vec<Reference>> {
    list(fields, Kind::Device)
}

/// The same of its `deviceGroups`.
pub fn device_groups(fields: &mut Fields<'_>, _: &str) -> Option<Vec<Reference>> {
    list(fields, Kind::DeviceGroup)
}

/// The same of its `locations`.
pub fn locations(fields: &mut Fields<'_>, _: &str) -> Option<Vec<Reference>> {
    list(fields, Kind::Location)
}

fn list(fields: &mut Fields<'_>, kind: Kind) -> Option<Vec<Reference>> {
    if number(fields).is_some_and(|number| number > MOST) {
        return None;
    }
    let given = fields.value(kind.list()).and_then(Value::as_array);
    let items = fields.objects(kind.list())?;
    // Of what is not an object nothing more is said than that.
    let items = items.into_iter().zip(given.into_iter().flatten()).filter(|(_, given)| given.is_object());
    Some(items.filter_map(|(mut item, _)| Reference::read(&mut item, kind)).collect())
}

/// How many targets the lists of a body name together; that is not to be said when one is not a list.
fn number(fields: &Fields<'_>) -> Option<usize> {
    let given = Kind::ALL.into_iter().filter_map(|kind| fields.value(kind.list()));
    given.map(|list| list.as_array().map(Vec::len)).sum()
}

/// Notes when the lists of a body name more than a window may have, or nothing where something is `needed`.
pub fn check_number(fields: &mut Fields<'_>, needed: bool) {
    let number = number(fields).filter(|number| needed || *number > MOST);
    if let Some(message) = number.and_then(wrong_number) {
        let named = Kind::ALL.into_iter().find(|kind| fields.has(kind.list()));
        fields.error(named.unwrap_or(Kind::Device).list(), message);
    }
}

impl Lists {
    /// All that they name.
    pub fn all(self) -> Vec<Reference> {
        self.0.into_iter().flatten().flatten().collect()
    }

    /// Does the body have a list of this kind?
    pub fn has(&self, kind: Kind) -> bool {
        self.0.get(kind as usize).is_some_and(Option::is_some)
    }
}

fn wrong_number(number: usize) -> Option<String> {
    let lists = "devices, deviceGroups and locations";
    match number {
        0 => Some(format!("must name something, or another of {lists} must")),
        number if number > MOST => Some(format!("{lists} together must have at most {MOST} elements, not {number}")),
        _ => None,
    }
}

/// Adds a number of targets that no window may have to what is wrong. What they are must be known for that.
pub fn refuse_number(number: usize, wrong: &mut FieldErrors) {
    let known = !Kind::ALL.into_iter().any(|kind| wrong.has(kind.list()));
    if let Some(message) = wrong_number(number).filter(|_| known) {
        wrong.add(Kind::Device.list(), message);
    }
}

/// A resource, by any of these. The first of them that names exactly one counts, in the order `uniqueId`,
/// `extResourceId`, addresses, names.
#[derive(Debug, Request)]
#[request(schema = "MaintenanceDeviceReference", check = check_device, example = json!({"hostName": "web-01"}))]
pub struct DeviceReference {
    /// Any of its names, whatever the letter case; it must be unique in the tenant. A full name finds the machine that
    /// is called by its first label and has no other full name, and a short one the machine whose full name begins with
    /// it.
    #[request(when = is_without_id, with = text, schema = String, filled)]
    host_name: Option<String>,
    /// The same.
    #[request(when = is_without_id, with = text, schema = String, filled)]
    dns_name: Option<String>,
    /// The same.
    #[request(when = is_without_id, with = text, schema = String, filled)]
    resource_name: Option<String>,
    /// The same.
    #[request(when = is_without_id, with = text, schema = String, filled)]
    alias_name: Option<String>,
    /// Its address, or that of one of its network cards.
    #[request(when = is_without_id, with = text, schema = String, filled)]
    ip_address: Option<String>,
    /// The hardware address of one of its network cards.
    #[request(when = is_without_id, with = text, schema = String, filled)]
    mac_address: Option<String>,
    /// The id that another system has for it.
    #[request(when = is_without_id, with = text, schema = String, filled)]
    ext_resource_id: Option<String>,
    /// UUID.
    #[request(also = ["id"], with = text, schema = String, filled)]
    unique_id: Option<String>,
}

impl DeviceReference {
    /// What it gives, the best first: the field, the text, and what that means.
    fn given(self) -> Vec<(&'static str, ResourceKey)> {
        let all = [
            ("uniqueId", self.unique_id.map(ResourceKey::Id)),
            ("extResourceId", self.ext_resource_id.map(ResourceKey::ExtResourceId)),
            ("ipAddress", self.ip_address.map(ResourceKey::IpAddress)),
            ("macAddress", self.mac_address.map(ResourceKey::MacAddress)),
            ("hostName", self.host_name.map(ResourceKey::Name)),
            ("dnsName", self.dns_name.map(ResourceKey::Name)),
            ("resourceName", self.resource_name.map(ResourceKey::Name)),
            ("aliasName", self.alias_name.map(ResourceKey::Name)),
        ];
        all.into_iter().filter_map(|(field, key)| Some((field, key?))).collect()
    }
}

/// A device group or a site, by one of these.
#[derive(Debug, Request)]
#[request(schema = "MaintenancePlaceReference", check = check_place, example = json!({"name": "Web servers"}))]
pub struct PlaceReference {
    /// Its name, whatever the letter case.
    #[request(when = is_without_id, with = text, schema = String, filled)]
    name: Option<String>,
    /// Its number; of a group also its `DGP-<uuid>`.
    #[request(with = place_id, schema = String, filled)]
    id: Option<String>,
}

/// The fields that hold an id, the first that counts before the other.
const IDS: [&str; 2] = ["uniqueId", "id"];

fn id_field(fields: &Fields<'_>) -> Option<&'static str> {
    IDS.into_iter().find(|name| fields.has(name))
}

fn is_without_id(of: &Fields<'_>) -> bool {
    id_field(of).is_none()
}

fn place_id(fields: &mut Fields<'_>, _: &str) -> Option<String> {
    let name = id_field(fields)?;
    text(fields, name)
}

fn text(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    let text = match fields.value(name)? {
        Value::Number(number) if name == "id" => number.to_string(),
        _ => fields.required_text(name).trim().to_owned(),
    };
    Some(text).filter(|text| !text.is_empty())
}

fn check_device(_: &mut DeviceReference, fields: &mut Fields<'_>) {
    const OTHERS: [&str; 7] =
        ["hostName", "dnsName", "resourceName", "aliasName", "ipAddress", "macAddress", "extResourceId"];
    if is_without_id(fields) && !OTHERS.into_iter().any(|name| fields.has(name)) {
        fields.error("hostName", format!("is required, or uniqueId or one of {} is", OTHERS[1..].join(", ")));
    }
}

fn check_place(_: &mut PlaceReference, fields: &mut Fields<'_>) {
    if is_without_id(fields) && !fields.has("name") {
        fields.error("name", "is required, or id is");
    }
}

impl Reference {
    fn read(fields: &mut Fields<'_>, kind: Kind) -> Option<Self> {
        if kind == Kind::Device {
            let given = DeviceReference::read(fields).given();
            let (field, first) = given.first()?;
            let field = if *field == "uniqueId" { id_field(fields).unwrap_or(field) } else { field };
            let path = fields.path(field);
            let text = first.text().to_owned();
            let keys = given.into_iter().map(|(_, key)| key).collect();
            return Some(Self { kind, path, text, key: Key::Resource(keys) });
        }
        let PlaceReference { name, id } = PlaceReference::read(fields);
        let is_named = id.is_none();
        let text = id.or(name)?;
        let key = match text.parse() {
            _ if is_named => PlaceKey::Name(text.clone()),
            Ok(id) => PlaceKey::Id(id),
            Err(_) => PlaceKey::UniqueId(text.clone()),
        };
        let path = fields.path(id_field(fields).unwrap_or("name"));
        Some(Self { kind, path, text, key: Key::Place(key) })
    }

    /// Does it name a target by its id?
    pub fn is(&self, target: &Target) -> bool {
        self.kind == target.kind
            && match &self.key {
                Key::Resource(keys) => {
                    matches!(keys.as_slice(), [ResourceKey::Id(id)] if id.eq_ignore_ascii_case(&target.id))
                }
                Key::Place(PlaceKey::Id(id)) => id.to_string() == target.id,
                _ => false,
            }
    }

    /// What is said of one that names nothing.
    pub fn unknown(&self) -> FieldError {
        let noun = self.kind.noun();
        FieldError::new(&self.path, format!("names no {noun} of the tenant: {}", shorten(&self.text)))
    }
}

/// What each reference names among the records of these tenants.
pub fn find(
    conn: &mut Conn,
    resources: &dyn Resources,
    tenants: &[String],
    references: &[Reference],
) -> Result<Vec<std::result::Result<Target, FieldError>>> {
    let mut found: Vec<Option<std::result::Result<Target, FieldError>>> = vec![None; references.len()];
    for kind in Kind::ALL {
        let places: Vec<usize> =
            (0..references.len()).filter(|at| references.get(*at).is_some_and(|r| r.kind == kind)).collect();
        let asked: Vec<&Reference> = places.iter().filter_map(|at| references.get(*at)).collect();
        if asked.is_empty() {
            continue;
        }
        let targets = match kind {
            Kind::Device => find_devices(conn, resources, tenants, &asked)?,
            Kind::DeviceGroup => find_places(conn, resources, tenants, PlaceKind::DeviceGroup, &asked)?,
            Kind::Location => find_places(conn, resources, tenants, PlaceKind::Location, &asked)?,
        };
        for (at, target) in places.into_iter().zip(targets) {
            if let Some(place) = found.get_mut(at) {
                *place = Some(target);
            }
        }
    }
    let complete = found.into_iter().zip(references);
    Ok(complete.map(|(target, reference)| target.unwrap_or_else(|| Err(reference.unknown()))).collect())
}

type Answers = Vec<std::result::Result<Target, FieldError>>;

fn find_devices(
    conn: &mut Conn,
    resources: &dyn Resources,
    tenants: &[String],
    asked: &[&Reference],
) -> Result<Answers> {
    let keys = asked.iter().map(|reference| match &reference.key {
        Key::Resource(keys) => keys.clone(),
        Key::Place(_) => Vec::new(),
    });
    let all = resources.named(conn, tenants, &keys.collect::<Vec<_>>())?;
    let target = |(found, reference): (Vec<ports::ResourceSummary>, &&Reference)| match found.as_slice() {
        [] => Err(reference.unknown()),
        [_, _, ..] => {
            let text = shorten(&reference.text);
            Err(FieldError::new(&reference.path, format!("names more than one resource, give its uniqueId: {text}")))
        }
        [one] => Ok(Target { kind: Kind::Device, tenant: one.tenant_id.clone(), id: one.id.clone() }),
    };
    Ok(all.into_iter().zip(asked).map(target).collect())
}

fn find_places(
    conn: &mut Conn,
    resources: &dyn Resources,
    tenants: &[String],
    kind: PlaceKind,
    asked: &[&Reference],
) -> Result<Answers> {
    let keys: Vec<PlaceKey> = asked
        .iter()
        .map(|reference| match &reference.key {
            Key::Place(key) => key.clone(),
            Key::Resource(_) => PlaceKey::Name(String::new()),
        })
        .collect();
    let all = resources.places(conn, tenants, kind, &keys)?;
    let target = |(places, reference): (Vec<ports::Place>, &&Reference)| match places.as_slice() {
        [] => Err(reference.unknown()),
        [_, _, ..] => {
            let noun = reference.kind.noun();
            let text = shorten(&reference.text);
            Err(FieldError::new(&reference.path, format!("names more than one {noun}, give its id: {text}")))
        }
        [one] => Ok(Target { kind: Kind::of(kind), tenant: one.tenant_id.clone(), id: one.id.to_string() }),
    };
    Ok(all.into_iter().zip(asked).map(target).collect())
}

/// What all references name, each once; those that name nothing, or more than one thing, are added to what is wrong.
pub fn resolve(
    conn: &mut Conn,
    resources: &dyn Resources,
    tenants: &[String],
    references: &[Reference],
    wrong: &mut FieldErrors,
) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    let mut seen = HashSet::new();
    for found in find(conn, resources, tenants, references)? {
        match found {
            Ok(target) if seen.insert(target.clone()) => targets.push(target),
            Ok(_) => {}
            Err(error) => wrong.add(&error.field_name, error.message),
        }
    }
    Ok(targets)
}
