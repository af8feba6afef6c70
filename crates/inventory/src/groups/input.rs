//! What bodies say of groups: those to create and to change, and the children that they name.

use base::{
    body::{Fields, Limits, parsed},
    matching::Meter,
    problem::Problem,
};
use serde::Serialize;
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
use crate::lists::{self, LONGEST_NAME};

/// How a body names a group: the first of these fields that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The field.
    pub field: &'static str,
    /// What it says.
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
    pub parent: Option<Named>,
    /// What makes a resource a member.
    pub criteria: Option<Criteria>,
}

/// A group to create, or with its id the changes to one.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceGroupInput {
    /// The integer or the unique id of the group that is changed; what is left out stays as it is.
    #[schema(pattern = r"^([0-9]{1,18}|[DdSs][Gg][Pp]-[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$")]
    id: Option<String>,
    /// The same; `id` counts where both are given.
    #[schema(pattern = r"^([0-9]{1,18}|[DdSs][Gg][Pp]-[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$")]
    unique_id: Option<String>,
    /// Required without an id; unique among the tenant's groups of this kind, whatever the letter case.
    #[schema(max_length = 200, min_length = 1, pattern = r"\S")]
    name: Option<String>,
    /// Any text.
    #[schema(max_length = 4000)]
    description: Option<String>,
    /// The group above it.
    parent: Option<GroupReference>,
    /// Makes it a dynamic group.
    filter_criteria: Option<GroupFilterCriteria>,
}

/// A group of the same tenant and kind, by one of these; the first that is there counts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupReference {
    /// The integer or the unique id.
    #[schema(pattern = r"^([0-9]{1,18}|[DdSs][Gg][Pp]-[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$")]
    id: Option<String>,
    /// `DGP-<uuid>` or `SGP-<uuid>`.
    #[schema(pattern = r"^([0-9]{1,18}|[DdSs][Gg][Pp]-[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$")]
    unique_id: Option<String>,
    /// Whatever the letter case.
    name: Option<String>,
}

/// A group of a body: one to create, or with an id the changes to the one that has it.
#[derive(Clone, Debug, PartialEq)]
pub enum GivenGroup {
    /// It has no id.
    New(NewGroup),
    /// It has this one.
    Known(Reference, GroupChange),
}

/// One group, or some.
#[derive(Clone, Debug, PartialEq)]
pub enum GivenGroups {
    /// The body is an object.
    One(GivenGroup),
    /// The body is an array.
    Many(Vec<GivenGroup>),
}

impl PartialSchema for GivenGroups {
    fn schema() -> RefOr<Schema> {
        let one = || Ref::from_schema_name(ResourceGroupInput::name());
        let many = ArrayBuilder::new().items(one()).min_items(Some(1)).max_items(Some(lists::MOST));
        let description =
            "One group to create or to change, or an array of up to 1,000, of which all are saved or none";
        OneOfBuilder::new().item(one()).item(many).description(Some(description)).into()
    }
}

impl ToSchema for GivenGroups {
    fn name() -> std::borrow::Cow<'static, str> {
        "ResourceGroupsInput".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ResourceGroupInput::name().into(), ResourceGroupInput::schema()));
        ResourceGroupInput::schemas(schemas);
    }
}

impl GivenGroups {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(kind: Kind, body: &Value, meter: &Meter) -> Result<Self, Problem> {
        if body.is_array() {
            return lists::read_each(body, |fields| GivenGroup::of(kind, fields, meter)).map(Self::Many);
        }
        let mut fields = Fields::of(body);
        let group = GivenGroup::of(kind, &mut fields, meter);
        fields.finish()?;
        Ok(Self::One(group))
    }
}

impl GivenGroup {
    fn of(kind: Kind, fields: &mut Fields<'_>, meter: &Meter) -> Self {
        let Some(field) = ["id", "uniqueId"].into_iter().find(|field| fields.has(field)) else {
            return Self::New(NewGroup::of(kind, fields, meter));
        };
        // What cannot be an id is noted, and the whole refused.
        let reference = read_id(kind, fields, field).unwrap_or(Reference::Id(0));
        Self::Known(reference, GroupChange::of(kind, fields, meter))
    }
}

impl NewGroup {
    fn of(kind: Kind, fields: &mut Fields<'_>, meter: &Meter) -> Self {
        fields.require("name");
        let change = GroupChange::of(kind, fields, meter);
        Self {
            name: change.name.unwrap_or_default(),
            description: change.description.unwrap_or_default(),
            parent: change.parent.over(None),
            criteria: change.criteria.over(None),
        }
    }
}

/// The changes to a group: what is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, ToSchema)]
#[schema(as = ResourceGroupUpdate)]
pub struct GroupChange {
    /// Unique among the tenant's groups of this kind, whatever the letter case; never empty.
    #[schema(max_length = 200, min_length = 1)]
    pub name: Option<String>,
    /// An empty text removes it.
    #[schema(max_length = 4000)]
    pub description: Option<String>,
    /// The group below which it is to be; `{}` for none.
    #[schema(value_type = Option<GroupReference>)]
    pub parent: Setting<Named>,
    /// New criteria; without rules the group becomes a static one.
    #[schema(rename = "filterCriteria", value_type = Option<GroupFilterCriteria>)]
    pub criteria: Setting<Criteria>,
}

impl GroupChange {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(kind: Kind, body: &Value, meter: &Meter) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let change = Self::of(kind, &mut fields, meter);
        fields.finish()?;
        Ok(change)
    }

    fn of(kind: Kind, fields: &mut Fields<'_>, meter: &Meter) -> Self {
        Self {
            name: read_name(fields),
            description: fields.text("description"),
            parent: setting(fields.object("parent"), |parent| read_parent(kind, parent)),
            criteria: setting(fields.object("filterCriteria"), |criteria| Criteria::read(criteria, meter)),
        }
    }
}

fn read_name(fields: &mut Fields<'_>) -> Option<String> {
    let limits = Limits { chars: Some(LONGEST_NAME), filled: true, ..Limits::NONE };
    parsed(fields, "name", &limits, lists::trimmed)
}

fn setting<'v, T>(object: Option<Fields<'v>>, read: impl FnOnce(&mut Fields<'v>) -> Option<T>) -> Setting<T> {
    match object {
        None => Setting::Keep,
        Some(mut object) => read(&mut object).map_or(Setting::Clear, Setting::Set),
    }
}

fn read_parent(kind: Kind, fields: &mut Fields<'_>) -> Option<Named> {
    for field in ["id", "uniqueId"] {
        if fields.has(field) {
            return read_id(kind, fields, field).map(|reference| Named { field, reference });
        }
    }
    let reference = Reference::name(&fields.text("name")?);
    Some(Named { field: "name", reference })
}

/// The integer or unique id of a group; anything else is noted.
fn read_id(kind: Kind, fields: &mut Fields<'_>, field: &str) -> Option<Reference> {
    let reference = id_text(fields, field).and_then(|text| Reference::parse(kind, &text));
    if reference.is_none() {
        fields.error(field, format!("must be the id of a group: an integer or {}<uuid>", kind.prefix()));
    }
    reference
}

fn id_text(fields: &Fields<'_>, field: &str) -> Option<String> {
    match fields.value(field)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A resource or a group of the same kind.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}))]
pub struct GroupChildReference {
    /// UUID of a resource, or unique id of a group.
    #[schema(min_length = 1)]
    id: String,
    /// `DEVICE_GROUP` or `SERVICE_GROUP` says that `id` is a group's integer id; otherwise not needed.
    r#type: Option<String>,
}

/// How a body names a child of a group.
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
        lists::read_each(body, |fields| Self::of(kind, fields))
    }

    fn of(kind: Kind, fields: &mut Fields<'_>) -> Self {
        let none = || Self::Resource(String::new());
        if !fields.require("id") {
            return none();
        }
        let text = id_text(fields, "id").unwrap_or_default();
        let says = fields.text("type").is_some_and(|text| text.eq_ignore_ascii_case(kind.child_type()));
        let has = text.get(..kind.prefix().len()).is_some_and(|start| start.eq_ignore_ascii_case(kind.prefix()));
        if says || has {
            return read_id(kind, fields, "id").map_or_else(none, Self::Group);
        }
        if text.is_empty() {
            let message = format!("must be the UUID of a resource or {}<uuid> of a group", kind.prefix());
            fields.error("id", message);
        }
        Self::Resource(text.to_ascii_lowercase())
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
        let named = |field, reference| Ok(Setting::Set(Named { field, reference }));
        assert_eq!(parent(json!({"id": 3, "name": "x"})), named("id", Reference::Id(3)));
        assert_eq!(parent(json!({"id": UNIQUE})), named("id", Reference::UniqueId(UNIQUE.to_owned())));
        assert_eq!(parent(json!({"name": " Shop "})), named("name", Reference::Name("shop".to_owned())));
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
