//! What clients see and say of categories ("Incident categories" in `docs/interface.md`).

use base::{
    Fields,
    problem::{FieldError, Wrong},
    text::{fold, name_error},
};
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::rules::{self, LONGEST_NAME, MOST_NAMES, Reference};

/// A category.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentCategory)]
pub struct Category {
    /// `SCAT-<uuid>`.
    #[schema(example = "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
    /// Unique among its siblings, whatever the letter case.
    pub name: String,
    /// What it stands below; left out at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_category: Option<CategoryName>,
    /// The tenant that it belongs to. A client reads those of its partner, and changes its own.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// Who created it.
    pub created_by: Author,
    /// Who changed it last.
    pub updated_by: Author,
    /// When it was created.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_date: String,
    /// When it changed last.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub updated_date: String,
    /// Those below it, by name, when the list is asked for as a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion)]
    pub children: Option<Vec<Category>>,
}

/// What of a category is shown in others, and in incidents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentCategoryName)]
pub struct CategoryName {
    /// `SCAT-<uuid>`.
    #[schema(example = "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
    /// The name.
    pub name: String,
}

/// Categories to create, all or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCategories {
    /// Without blanks around them; no two of them equal when folded.
    pub names: Vec<String>,
    /// What they are to stand below.
    pub parent: Option<Reference>,
}

/// A change of a category.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CategoryChange {
    /// Another name.
    pub name: Option<String>,
    /// Another place: below one, or (`Some(None)`) at the top.
    pub parent: Option<Option<Reference>>,
}

impl NewCategories {
    /// Reads a body, and says which fields are wrong, by their paths; of two equal names the second.
    pub fn read(body: &Value) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        fields.require("names");
        let items = fields.raw_array("names").unwrap_or_default();
        if items.is_empty() && fields.value("names").is_some_and(Value::is_array) {
            fields.error("names", "must have at least one name");
        }
        if items.len() > MOST_NAMES {
            fields.error("names", format!("must have at most {MOST_NAMES} names"));
        } else {
            for FieldError { field_name, message, .. } in bad_names(&items) {
                fields.error(&field_name, message);
            }
        }
        let parent = parent(&mut fields);
        let names = items.iter().filter_map(Value::as_str).map(|name| name.trim().to_owned());
        (Self { names: names.collect(), parent }, fields.wrong())
    }
}

fn bad_names(items: &[Value]) -> Vec<FieldError> {
    let mut seen = std::collections::HashMap::new();
    let check = |(index, item): (usize, &Value)| {
        let message = match item.as_str() {
            None => Some("must be a string".to_owned()),
            Some(name) => name_error(name, LONGEST_NAME).or_else(|| {
                let first = *seen.entry(fold(name.trim())).or_insert(index);
                (first != index).then(|| format!("is the same name as names[{first}]"))
            }),
        };
        message.map(|message| FieldError::new(format!("names[{index}]"), message))
    };
    items.iter().enumerate().filter_map(check).collect()
}

fn parent(fields: &mut Fields<'_>) -> Option<Reference> {
    reference(fields, "parentCategory")
}

/// A category that a body names: `{uniqueId, name}`.
pub fn reference(fields: &mut Fields<'_>, field: &str) -> Option<Reference> {
    let mut object = fields.object(field)?;
    let id = object.text("uniqueId").filter(|id| !id.trim().is_empty());
    let name = object.text("name").filter(|name| !name.trim().is_empty());
    match (id, name) {
        (Some(id), _) => Some(Reference::Id(rules::normal_id(&id))),
        (None, Some(name)) => Some(Reference::Name(fold(name.trim()))),
        (None, None) => {
            if object.check().is_ok() {
                object.error("uniqueId", "is required");
            }
            None
        }
    }
}

impl CategoryChange {
    /// Reads the body of an update, and says which fields are wrong, by their paths.
    pub fn read(body: &Value) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        let name = fields.name("name", LONGEST_NAME);
        let parent = parent(&mut fields).map(Some);
        (Self { name, parent }, fields.wrong())
    }

    /// Reads the body of a move, as [`CategoryChange::read`] does.
    pub fn read_move(body: &Value) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        let parent = parent(&mut fields);
        (Self { name: None, parent: Some(parent) }, fields.wrong())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(body: &Value) -> Vec<String> {
        let errors = NewCategories::read(body).1.check().unwrap_err().errors;
        errors.into_iter().map(|error| format!("{} {}", error.field_name, error.message)).collect()
    }

    #[test]
    fn names_are_read_in_order_without_blanks_around_them() {
        let new = NewCategories::read(&json!({"names": [" b ", "a"], "parentCategory": {"uniqueId": "scat-X"}}));
        let parent = Some(Reference::Id("SCAT-x".to_owned()));
        let expected = NewCategories { names: vec!["b".to_owned(), "a".to_owned()], parent };
        assert_eq!(new, (expected, Wrong::default()));
    }

    #[test]
    fn what_is_wrong_with_names_is_listed() {
        assert_eq!(named(&json!({})), ["names is required"]);
        assert_eq!(named(&json!({"names": []})), ["names must have at least one name"]);
        assert_eq!(named(&json!({"names": "a"})), ["names must be an array"]);
        assert_eq!(
            named(&json!({"names": ["a", 7, " ", "A", "x\u{7}", "E\u{301}", "é"], "parentCategory": {}})),
            [
                "names[1] must be a string",
                "names[2] is required",
                "names[3] is the same name as names[0]",
                "names[4] must not contain control characters",
                "names[6] is the same name as names[5]",
            ]
        );
        let many: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
        assert_eq!(named(&json!({"names": many})), ["names must have at most 1000 names"]);
        assert_eq!(named(&json!({"names": ["a"], "parentCategory": {}})), ["parentCategory.uniqueId is required"]);
    }
}
