//! The fields that documents of a kind have: those of the body of an operation, with references and secrets.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::kinds::{self, Kind, SHIFT, Spelling};
use crate::{
    operations::Operation,
    schema::{self, Property, Schema},
};

/// What the document would say of a field that operations of their own set.
static SWITCH: LazyLock<Value> = LazyLock::new(|| json!({"type": "boolean"}));

/// What a value has to be.
pub enum Shape<'d> {
    /// An object of one field: the name of another object.
    Reference(Target<'d>),
    /// An object of one field: where a secret is found.
    Secret,
    Object(Vec<Field<'d>>),
    /// A list of such, and what the document says of the list.
    List(Box<Shape<'d>>, Schema<'d>, Spellings),
    Scalar(Schema<'d>, Spellings),
    /// Anything.
    Any,
}

/// What means nothing in the values of a field.
#[derive(Clone, Copy, Default)]
pub struct Spellings {
    /// Has a list no order?
    pub any_order: bool,
    /// How a text may be written.
    pub of_text: Option<Spelling>,
}

/// What a reference refers to.
#[derive(Clone, Copy)]
pub struct Target<'d> {
    pub kind: &'static str,
    /// The field of a file that the name of the other is unique in.
    pub within: Option<&'static str>,
    /// The field of a body and of answers that has the id.
    pub id: &'d str,
    /// Is the id a number in a body?
    pub is_number: bool,
}

/// A field of an object.
pub struct Field<'d> {
    pub name: &'d str,
    pub shape: Shape<'d>,
    pub required: bool,
    pub description: String,
    /// What the service takes when the field is left out.
    pub default: Option<Value>,
    /// What takes the value away.
    pub empty: Option<Value>,
}

/// The fields of a kind, in the order of the document.
///
/// # Errors
/// When the document has no such operation, or no field of the table.
pub fn of_kind<'d>(kind: &'static Kind, operations: &[Operation<'d>]) -> Result<Vec<Field<'d>>, String> {
    let find = |id: &str| {
        operations.iter().find(|one| one.id == id).ok_or_else(|| format!("{}: there is no operation {id}", kind.name))
    };
    let body = find(kind.body())?.fields().map(|(_, schema)| schema);
    let body = body.ok_or_else(|| format!("{}: {} takes no fields", kind.name, kind.body()))?;
    let mut builder = Builder { kind, found: Vec::new() };
    let mut fields = builder.fields(body, "");
    if let Some(state) = &kind.state {
        let shape = Shape::Scalar(Schema::new(&SWITCH, &SWITCH), Spellings::default());
        let (description, default) = (state.about.to_owned(), Some(Value::Bool(true)));
        fields.push(Field { name: state.field, shape, required: false, description, default, empty: None });
    }
    if let Some(owner) = &kind.owner {
        let shape = Shape::Reference(Target { kind: owner.kind, within: None, id: "id", is_number: false });
        let description = format!("The {} that it belongs to.", owner.kind);
        let field = Field { name: owner.field, shape, required: true, description, default: None, empty: None };
        fields.insert(0, field);
    }
    let references = kind.references.iter().map(|one| one.path);
    let paths = references.chain(kind.secrets.iter().copied()).chain(kind.without.iter().copied());
    let restated = kind.restated.iter().flat_map(|one| one.with.iter().chain([&one.field]));
    for path in kind.merged.iter().chain(kind.kept).chain(restated) {
        if !fields.iter().any(|field| field.name == *path) {
            return Err(format!("{}: {} has no field {path}", kind.name, kind.body()));
        }
    }
    let paths = paths.chain(kind.spellings.iter().map(|(path, _)| *path));
    for path in paths.chain(kind.defaults.iter().chain(kind.empties).map(|(path, _)| *path)) {
        if !builder.found.contains(&path) {
            return Err(format!("{}: {} has no field {path}", kind.name, kind.body()));
        }
    }
    Ok(fields)
}

struct Builder {
    kind: &'static Kind,
    /// The paths of the table that were met.
    found: Vec<&'static str>,
}

impl Builder {
    fn fields<'d>(&mut self, schema: Schema<'d>, below: &str) -> Vec<Field<'d>> {
        schema.properties().into_iter().filter_map(|property| self.field(property, below)).collect()
    }

    fn field<'d>(&mut self, property: Property<'d>, below: &str) -> Option<Field<'d>> {
        let path = if below.is_empty() { property.name.to_owned() } else { format!("{below}.{}", property.name) };
        if let Some(found) = self.kind.without.iter().find(|one| **one == path) {
            self.found.push(found);
            return None;
        }
        let shape = self.shape(property.schema, &path);
        let description = property.schema.description();
        let known = self.kind.defaults.iter().find(|(one, _)| *one == path);
        self.found.extend(known.map(|(found, _)| *found));
        let default = match (known, &shape) {
            (Some((_, default)), _) => serde_json::from_str(default).ok(),
            (None, Shape::Scalar(schema, _)) => default(*schema, &description),
            _ => None,
        };
        let empty = self.empty(&shape, &path);
        Some(Field { name: property.name, shape, required: property.required, description, default, empty })
    }

    fn shape<'d>(&mut self, schema: Schema<'d>, path: &str) -> Shape<'d> {
        if schema.kind() == schema::Kind::Array {
            let items = schema.items().map_or(Shape::Any, |items| self.shape(items, path));
            // References of a list have no order of their own.
            let is_reference = matches!(items, Shape::Reference(_));
            let mut spellings = self.spellings(path);
            spellings.any_order |= is_reference;
            return Shape::List(Box::new(items), schema, spellings);
        }
        if let Some(found) = self.kind.secrets.iter().find(|one| **one == path) {
            self.found.push(found);
            return Shape::Secret;
        }
        if let Some(reference) = self.kind.references.iter().find(|one| one.path == path) {
            self.found.push(reference.path);
            let id = ["id", "uniqueId"].into_iter().find_map(|name| schema.property(name));
            let is_number = id.is_some_and(|id| id.schema.kind() == schema::Kind::Integer);
            let (kind, within) = (reference.kind, reference.within);
            return Shape::Reference(Target { kind, within, id: id.map_or("id", |id| id.name), is_number });
        }
        match schema.kind() {
            schema::Kind::Object if !schema.properties().is_empty() => Shape::Object(self.fields(schema, path)),
            schema::Kind::Object | schema::Kind::Any | schema::Kind::Array => Shape::Any,
            _ => Shape::Scalar(schema, self.spellings(path)),
        }
    }

    fn spellings(&mut self, path: &str) -> Spellings {
        let mut found = Spellings::default();
        for (one, spelling) in self.kind.spellings.iter().filter(|(one, _)| *one == path) {
            self.found.push(one);
            match spelling {
                Spelling::Order => found.any_order = true,
                of_text => found.of_text = Some(*of_text),
            }
        }
        found
    }

    /// What takes a value away; `None` where nothing does.
    fn empty(&mut self, shape: &Shape<'_>, path: &str) -> Option<Value> {
        if let Some((found, text)) = self.kind.empties.iter().find(|(one, _)| *one == path) {
            self.found.push(found);
            return serde_json::from_str(text).ok();
        }
        match shape {
            Shape::List(..) => Some(json!([])),
            Shape::Scalar(schema, _) if schema.kind() == schema::Kind::Text && schema.choices().is_empty() => {
                Some(json!(""))
            }
            _ => None,
        }
    }
}

impl Shape<'_> {
    /// Is it a secret, or has it one?
    pub fn has_secret(&self) -> bool {
        match self {
            Self::Secret => true,
            Self::Object(fields) => fields.iter().any(|field| field.shape.has_secret()),
            _ => false,
        }
    }
}

impl Field<'_> {
    /// What a document means that leaves the field out; `None` when it says nothing then.
    pub fn absent(&self) -> Option<&Value> {
        self.default.as_ref().or(self.empty.as_ref())
    }
}

/// The default that a schema has, or that its description names: "`STOP` (default)", "default `1m`" or "default true".
fn default(schema: Schema<'_>, about: &str) -> Option<Value> {
    let declared = schema.value().get("default").filter(|value| !value.is_null());
    if let Some(declared) = declared {
        return Some(declared.clone());
    }
    let before = about.split_once(" (default)").and_then(|(text, _)| text.split_whitespace().last());
    let behind = || about.split_once("efault ").and_then(|(_, text)| text.split_whitespace().next());
    let word = before.or_else(behind)?.trim_matches(|letter: char| "`.,;:()".contains(letter));
    match schema.kind() {
        schema::Kind::Boolean => word.parse::<bool>().ok().map(Value::from),
        schema::Kind::Integer => word.parse::<i64>().ok().map(Value::from),
        schema::Kind::Text if about.contains(&format!("`{word}`")) => Some(word.into()),
        _ => None,
    }
}

/// The field of a reference that names an object of a kind.
pub fn reference_field(kind: &str) -> &'static str {
    if kind == SHIFT { "name" } else { kinds::kind(kind).map_or("name", Kind::reference_field) }
}
