//! Request bodies of groups: groups to create and to change, and the children that they name.

use api::Request;
use base::{
    body::{Fields, Request as _, read_each},
    matching::Meter,
    problem::Problem,
};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Ref, RefOr,
        schema::{ArrayBuilder, OneOfBuilder, Schema},
    },
};

use super::{
    criteria::Criteria,
    kind::{Kind, Reference, Setting},
    wire::GroupFilterCriteria,
};
use crate::lists::{self, LONGEST_NAME, trim_name};

/// The reference to a parent group in a body: the first of these fields that is present.
#[derive(Clone, Debug, PartialEq)]
pub struct ParentReference {
    /// The field.
    pub field: &'static str,
    /// Its value.
    pub reference: Reference,
}

/// A group to create.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewGroup {
    /// Its name.
    pub name: String,
    /// Empty when absent.
    pub description: String,
    /// The group that it is to stand below.
    pub parent: Option<ParentReference>,
    /// The rules that make a resource a member.
    pub criteria: Option<Criteria>,
}

/// The integer or the unique id of a group.
const ID: &str = r"^([0-9]{1,18}|[DdSs][Gg][Pp]-[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$";

/// A group to create, or with its id the changes to one.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(update(
    name = ResourceGroupUpdate,
    doc = "The changes to a group: what is left out stays as it is."
))]
pub struct ResourceGroupInput {
    /// The integer or the unique id of the group that is changed; what is left out stays as it is.
    #[request(create, with = id, pattern = ID)]
    id: Option<String>,
    /// The same; `id` counts where both are given.
    #[request(create, with = unique_id, pattern = ID)]
    unique_id: Option<String>,
    /// Required without an id; unique among the tenant's groups of this kind, whatever the letter case.
    #[request(chars = LONGEST_NAME, filled, parse = trim_name)]
    name: Option<String>,
    /// Any text; an empty one is none.
    description: Option<String>,
    /// The group above it; `{}` for none.
    parent: Option<GroupReference>,
    /// Makes it a dynamic group; without rules it becomes a static one.
    #[request(with = read_separately, schema = GroupFilterCriteria)]
    filter_criteria: Option<Criteria>,
}

/// A group of the same tenant and kind, by one of these; the first that is there counts.
#[derive(Clone, Debug, PartialEq, Request)]
pub struct GroupReference {
    /// The integer or the unique id.
    #[request(with = id, pattern = ID)]
    id: Option<String>,
    /// `DGP-<uuid>` or `SGP-<uuid>`.
    #[request(with = unique_id, pattern = ID)]
    unique_id: Option<String>,
    /// Whatever the letter case.
    #[request(with = name)]
    name: Option<String>,
}

/// A text or a number; anything else becomes an empty text, which is not an id.
fn id(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    Some(match fields.value(field)? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    })
}

/// Not read beside an `id`.
fn unique_id(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    if fields.has("id") { None } else { id(fields, field) }
}

/// Not read beside an id.
fn name(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    if fields.has("id") || fields.has("uniqueId") { None } else { fields.text(field) }
}

/// Criteria are read where their expressions are counted.
fn read_separately(_: &mut Fields<'_>, _: &str) -> Option<Criteria> {
    None
}

/// Parses an id as a reference; an invalid one adds an error to `fields`.
fn reference(kind: Kind, id: &str, field: &str, fields: &mut Fields<'_>) -> Option<Reference> {
    let reference = Reference::parse(kind, id);
    if reference.is_none() {
        fields.error(field, format!("must be the id of a group: an integer or {}<uuid>", kind.prefix()));
    }
    reference
}

impl GroupReference {
    fn parent_reference(self, kind: Kind, fields: &mut Fields<'_>) -> Option<ParentReference> {
        for (field, id) in [("id", self.id), ("uniqueId", self.unique_id)] {
            if let Some(id) = id {
                return reference(kind, &id, &format!("parent.{field}"), fields)
                    .map(|reference| ParentReference { field, reference });
            }
        }
        Some(ParentReference { field: "name", reference: Reference::name(&self.name?) })
    }
}

impl ResourceGroupUpdate {
    /// The change to a group of this kind; errors are added to `fields`.
    fn into_change(self, kind: Kind, fields: &mut Fields<'_>, meter: &Meter) -> GroupChange {
        let criteria = fields.object("filterCriteria");
        GroupChange {
            name: self.name,
            description: self.description,
            parent: setting(self.parent, |parent| parent.parent_reference(kind, fields)),
            criteria: setting(criteria, |mut criteria| Criteria::read(&mut criteria, meter)),
        }
    }
}

fn setting<T, U>(given: Option<T>, read: impl FnOnce(T) -> Option<U>) -> Setting<U> {
    match given {
        None => Setting::Keep,
        Some(given) => read(given).map_or(Setting::Clear, Setting::Set),
    }
}

/// A group of a body: one to create, or with an id the changes to the one that has it.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupEntry {
    /// It has no id.
    New(NewGroup),
    /// It has this one.
    Existing(Reference, GroupChange),
}

/// One group, or some.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupEntries {
    /// The body is an object.
    One(GroupEntry),
    /// The body is an array.
    Many(Vec<GroupEntry>),
}

impl PartialSchema for GroupEntries {
    fn schema() -> RefOr<Schema> {
        let one = || Ref::from_schema_name(ResourceGroupInput::name());
        let many = ArrayBuilder::new().items(one()).min_items(Some(1)).max_items(Some(lists::MOST));
        let description =
            "One group to create or to change, or an array of up to 1,000, of which all are saved or none";
        OneOfBuilder::new().item(one()).item(many).description(Some(description)).into()
    }
}

impl ToSchema for GroupEntries {
    fn name() -> std::borrow::Cow<'static, str> {
        "ResourceGroupsInput".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ResourceGroupInput::name().into(), ResourceGroupInput::schema()));
        ResourceGroupInput::schemas(schemas);
    }
}

impl GroupEntries {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(kind: Kind, body: &Value, meter: &Meter) -> Result<Self, Problem> {
        if body.is_array() {
            return read_each(body, 1..=lists::MOST, |fields| GroupEntry::of(kind, fields, meter)).map(Self::Many);
        }
        let mut fields = Fields::of(body);
        let group = GroupEntry::of(kind, &mut fields, meter);
        fields.finish()?;
        Ok(Self::One(group))
    }
}

impl GroupEntry {
    fn of(kind: Kind, fields: &mut Fields<'_>, meter: &Meter) -> Self {
        let ResourceGroupInput { id, unique_id, name, description, parent, filter_criteria } =
            ResourceGroupInput::read(fields);
        let known = id.map(|id| (id, "id")).or(unique_id.map(|id| (id, "uniqueId")));
        let change = ResourceGroupUpdate { name, description, parent, filter_criteria };
        match known {
            // An invalid id has added an error, so the whole body is refused.
            Some((id, field)) => {
                let reference = reference(kind, &id, field, fields).unwrap_or(Reference::Id(0));
                Self::Existing(reference, change.into_change(kind, fields, meter))
            }
            None => {
                fields.require("name");
                Self::New(change.into_change(kind, fields, meter).into())
            }
        }
    }
}

/// A new group is a change applied to an empty one.
impl From<GroupChange> for NewGroup {
    fn from(change: GroupChange) -> Self {
        Self {
            name: change.name.unwrap_or_default(),
            description: change.description.unwrap_or_default(),
            parent: change.parent.apply_to(None),
            criteria: change.criteria.apply_to(None),
        }
    }
}

/// The changes to a group of a kind; once it was looked up, its parent is an id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupChange<P = ParentReference> {
    /// Never empty.
    pub name: Option<String>,
    /// An empty text removes it.
    pub description: Option<String>,
    /// The group that it is to stand below.
    pub parent: Setting<P>,
    /// New criteria.
    pub criteria: Setting<Criteria>,
}

impl GroupChange {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(kind: Kind, body: &Value, meter: &Meter) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let change = ResourceGroupUpdate::read(&mut fields).into_change(kind, &mut fields, meter);
        fields.finish()?;
        Ok(change)
    }
}

/// A resource or a group of the same kind.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(example = json!({"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}))]
pub struct GroupChildReference {
    /// UUID of a resource, or unique id of a group.
    #[request(with = id, filled)]
    id: String,
    /// `DEVICE_GROUP` or `SERVICE_GROUP` says that `id` is a group's integer id; otherwise not needed.
    r#type: Option<String>,
}

/// A reference to a child of a group in a body.
#[derive(Clone, Debug, PartialEq)]
pub enum ChildReference {
    /// A resource, by its UUID in lower case.
    Resource(String),
    /// A group of the same kind.
    Group(Reference),
}

impl std::fmt::Display for ChildReference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Resource(id) => f.write_str(id),
            Self::Group(reference) => reference.fmt(f),
        }
    }
}

impl ChildReference {
    /// Reads the array of a body. An id is a group's when it has the prefix of the kind, or when `type` says so.
    ///
    /// # Errors
    /// 400 that lists every element whose `id` can name nothing.
    pub fn read_all(kind: Kind, body: &Value) -> Result<Vec<Self>, Problem> {
        read_each(body, 1..=lists::MOST, |fields| Self::of(kind, fields))
    }

    fn of(kind: Kind, fields: &mut Fields<'_>) -> Self {
        let none = || Self::Resource(String::new());
        let GroupChildReference { id, r#type } = GroupChildReference::read(fields);
        if !fields.has("id") {
            return none();
        }
        let says = r#type.is_some_and(|text| text.eq_ignore_ascii_case(kind.child_type()));
        let has = id.get(..kind.prefix().len()).is_some_and(|start| start.eq_ignore_ascii_case(kind.prefix()));
        if says || has {
            return reference(kind, &id, "id", fields).map_or_else(none, Self::Group);
        }
        if id.is_empty() {
            let message = format!("must be the UUID of a resource or {}<uuid> of a group", kind.prefix());
            fields.error("id", message);
        }
        Self::Resource(id.to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const UNIQUE: &str = "DGP-0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f";

    fn errors<T: std::fmt::Debug>(result: Result<T, Problem>) -> Vec<String> {
        result.unwrap_err().errors.into_iter().map(|error| error.field_name).collect()
    }

    #[test]
    fn a_parent_is_named_in_three_ways_and_cleared_by_an_empty_object() {
        let meter = Meter::new(Meter::REQUEST);
        let read = |body: Value| GroupChange::read(Kind::Device, &json!({"parent": body}), &meter);
        let parent = |body: Value| read(body).map(|change| change.parent);
        let parent_reference = |field, reference| Ok(Setting::Set(ParentReference { field, reference }));
        assert_eq!(parent(json!({"id": 3, "name": "x"})), parent_reference("id", Reference::Id(3)));
        assert_eq!(parent(json!({"id": UNIQUE})), parent_reference("id", Reference::UniqueId(UNIQUE.to_owned())));
        assert_eq!(parent(json!({"name": " Shop "})), parent_reference("name", Reference::Name("shop".to_owned())));
        assert_eq!(parent(json!({})), Ok(Setting::Clear));
        assert_eq!(parent(Value::Null), Ok(Setting::Keep));
        assert_eq!(errors(parent(json!({"uniqueId": "SGP-1"}))), ["parent.uniqueId"]);
        assert_eq!(errors(parent(json!({"id": 1.5}))), ["parent.id"]);
        assert_eq!(errors(parent(json!("Shop"))), ["parent"]);
    }

    #[test]
    fn a_child_is_a_resource_unless_its_id_or_type_says_otherwise() {
        let body = json!([{"id": "ABC"}, {"id": UNIQUE.to_lowercase()}, {"id": 7, "type": "device_group"}]);
        let expected = [
            ChildReference::Resource("abc".to_owned()),
            ChildReference::Group(Reference::UniqueId(UNIQUE.to_owned())),
            ChildReference::Group(Reference::Id(7)),
        ];
        assert_eq!(ChildReference::read_all(Kind::Device, &body).unwrap(), expected);
        let body = json!([{}, {"id": []}, {"id": "dgp-x"}, {"id": ""}]);
        assert_eq!(errors(ChildReference::read_all(Kind::Device, &body)), ["[0].id", "[1].id", "[2].id", "[3].id"]);
    }
}
