//! What the document says of a value: its references followed, its alternatives put together.

use std::collections::BTreeSet;

use serde_json::Value;

/// How many references and alternatives are followed into each other.
const DEEPEST: usize = 16;

/// The document, or a part of it that may hold references to others.
#[derive(Clone, Copy)]
pub struct Schema<'d> {
    document: &'d Value,
    value: &'d Value,
    /// The object of which it is a field, and its name there: alternatives of the object may each have another field of
    /// it.
    within: Option<(&'d Value, &'d str)>,
}

/// What kind of value it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
    /// Anything that is JSON.
    Any,
}

/// A field of an object.
#[derive(Clone, Copy)]
pub struct Property<'d> {
    pub name: &'d str,
    pub schema: Schema<'d>,
    pub required: bool,
}

impl Kind {
    /// As help and errors call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "TEXT",
            Self::Integer => "INTEGER",
            Self::Number => "NUMBER",
            Self::Boolean => "BOOLEAN",
            Self::Array => "ARRAY",
            Self::Object => "OBJECT",
            Self::Any => "JSON",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "string" => Self::Text,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }
}

impl<'d> Schema<'d> {
    /// A part of a document, behind its references.
    pub fn new(document: &'d Value, value: &'d Value) -> Self {
        Self { document, value: resolve(document, value), within: None }
    }

    /// The part itself, behind its references.
    pub const fn value(self) -> &'d Value {
        self.value
    }

    /// The first kind that its alternatives have; `null` is none.
    pub fn kind(self) -> Kind {
        let own = self.words().find_map(Kind::of);
        let has = |name: &str| self.value.get(name).is_some();
        own.or_else(|| has("properties").then_some(Kind::Object))
            .or_else(|| self.all().into_iter().skip(1).map(Self::own_kind).find(|kind| *kind != Kind::Any))
            .unwrap_or(Kind::Any)
    }

    fn own_kind(self) -> Kind {
        let properties = self.value.get("properties").map(|_| Kind::Object);
        self.words().find_map(Kind::of).or(properties).unwrap_or(Kind::Any)
    }

    /// May it be `null`?
    pub fn nullable(self) -> bool {
        self.all().into_iter().any(|one| one.words().any(|word| word == "null"))
    }

    /// The words that it may be, when they are a closed list.
    pub fn choices(self) -> Vec<&'d str> {
        let lists = self.all().into_iter().filter_map(|one| one.value.get("enum")?.as_array());
        lists.flatten().filter_map(Value::as_str).collect()
    }

    /// What is said of it, the first paragraph as one line.
    pub fn description(self) -> String {
        let said = self.all().into_iter().find_map(|one| one.value.get("description")?.as_str());
        one_line(said.unwrap_or_default())
    }

    /// What the elements of an array are.
    pub fn items(self) -> Option<Self> {
        let items = self.all().into_iter().find_map(|one| one.value.get("items"))?;
        Some(Self::new(self.document, items))
    }

    /// The fields of an object, in the order of the document; of alternatives, those of all.
    pub fn properties(self) -> Vec<Property<'d>> {
        let mut found: Vec<Property<'d>> = Vec::new();
        let required = self.required(DEEPEST);
        for part in self.all() {
            for (name, value) in part.value.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if found.iter().all(|one| one.name != name) {
                    let schema = Self { within: Some((self.value, name)), ..Self::new(self.document, value) };
                    found.push(Property { name, schema, required: required.contains(name.as_str()) });
                }
            }
        }
        found
    }

    /// The fields that an object has to have, whichever of its alternatives it is.
    fn required(self, depth: usize) -> BTreeSet<&'d str> {
        let list = |name: &str| self.value.get(name).and_then(Value::as_array).into_iter().flatten();
        let mut found: BTreeSet<&str> = list("required").filter_map(Value::as_str).collect();
        if depth == 0 {
            return found;
        }
        let of = |part: &'d Value| Self::new(self.document, part);
        for part in list("allOf") {
            found.extend(of(part).required(depth - 1));
        }
        for name in ["oneOf", "anyOf"] {
            let alternatives = list(name).map(of).filter(|one| one.words().next() != Some("null"));
            let each = alternatives.map(|one| one.required(depth - 1));
            found.extend(each.reduce(|all, one| &all & &one).unwrap_or_default());
        }
        found
    }

    /// A field by its name, exactly or in another spelling of it.
    pub fn property(self, name: &str) -> Option<Property<'d>> {
        let properties = self.properties();
        let exact = properties.iter().find(|one| one.name == name);
        exact.or_else(|| properties.iter().find(|one| names_match(one.name, name))).copied()
    }

    fn words(self) -> impl Iterator<Item = &'d str> {
        let one = self.value.get("type").into_iter();
        one.flat_map(|kind| match kind {
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        })
    }

    /// This one and its alternatives, and those that it has in alternatives of the object.
    fn all(self) -> Vec<Self> {
        let mut found = self.parts();
        let (owner, name) = self.within.unwrap_or((&Value::Null, ""));
        for part in Self::new(self.document, owner).parts() {
            let Some(value) = part.value.get("properties").and_then(|all| all.get(name)) else { continue };
            let other = Self::new(self.document, value);
            if !std::ptr::eq(other.value, self.value) {
                found.extend(other.parts());
            }
        }
        found
    }

    /// This one and its alternatives.
    fn parts(self) -> Vec<Self> {
        let mut found = vec![self];
        self.add_alternatives(DEEPEST, &mut found);
        found
    }

    fn add_alternatives(self, depth: usize, found: &mut Vec<Self>) {
        if depth == 0 {
            return;
        }
        for name in ["allOf", "oneOf", "anyOf"] {
            for one in self.value.get(name).and_then(Value::as_array).into_iter().flatten() {
                let one = Self::new(self.document, one);
                found.push(one);
                one.add_alternatives(depth - 1, found);
            }
        }
    }
}

/// Behind the references of a part of a document.
pub fn resolve<'d>(document: &'d Value, mut value: &'d Value) -> &'d Value {
    for _ in 0..DEEPEST {
        let target = value.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
        match target.and_then(|pointer| document.pointer(pointer)) {
            Some(found) => value = found,
            None => break,
        }
    }
    value
}

/// Are two names one, whatever their letter case and hyphens: `pageSize`, `page-size`, `PAGE_SIZE`?
pub fn names_match(one: &str, other: &str) -> bool {
    plain(one).eq(plain(other))
}

fn plain(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|letter| !matches!(letter, '-' | '_')).map(|letter| letter.to_ascii_lowercase())
}

/// The first paragraph of a text, on one line.
pub fn one_line(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_and_alternatives_are_followed() {
        let document = json!({"components": {"schemas": {
            "Site": {"type": "object", "required": ["id"], "properties": {"id": {"type": ["integer", "null"]}}},
            "Kind": {"type": "string", "enum": ["A", "B"]},
        }}});
        let body = json!({"oneOf": [{"$ref": "#/components/schemas/Site"}, {"type": "null"}]});
        let schema = Schema::new(&document, &body);
        assert_eq!(schema.kind(), Kind::Object);
        assert!(schema.nullable());
        let id = schema.property("ID").unwrap();
        assert!(id.required && id.schema.nullable() && id.schema.kind() == Kind::Integer);
        let word = json!({"allOf": [{"$ref": "#/components/schemas/Kind"}], "description": "Which\none.\n\nMore."});
        let word = Schema::new(&document, &word);
        assert_eq!((word.kind(), word.choices()), (Kind::Text, vec!["A", "B"]));
        assert_eq!(word.description(), "Which one.");
    }

    #[test]
    fn of_alternatives_only_what_all_have_is_required_and_each_value_is_a_choice() {
        let document = json!({"components": {"schemas": {
            "Once": {"type": "object", "required": ["type", "at"], "properties": {
                "type": {"type": "string", "enum": ["once"]}, "at": {"type": "string"}}},
            "Daily": {"type": "object", "required": ["type", "every"], "properties": {
                "type": {"type": "string", "enum": ["daily"]}, "every": {"type": "integer"}}},
            "When": {"oneOf": [{"$ref": "#/components/schemas/Once"}, {"$ref": "#/components/schemas/Daily"}]},
        }}});
        // As a field has it, which adds a description.
        for body in
            [json!({"$ref": "#/components/schemas/When"}), json!({"allOf": [{"$ref": "#/components/schemas/When"}]})]
        {
            let schema = Schema::new(&document, &body);
            let required: Vec<&str> =
                schema.properties().into_iter().filter(|one| one.required).map(|one| one.name).collect();
            assert_eq!(required, ["type"], "{body}");
            assert_eq!(schema.property("type").unwrap().schema.choices(), ["once", "daily"], "{body}");
            assert_eq!(schema.property("every").unwrap().schema.kind(), Kind::Integer, "{body}");
        }
    }

    #[test]
    fn a_name_has_several_spellings() {
        assert!(
            names_match("pageSize", "page-size")
                && names_match("Idempotency-Key", "idempotencyKey")
                && !names_match("id", "ids")
        );
    }
}
