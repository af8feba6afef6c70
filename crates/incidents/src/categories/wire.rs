//! The requests and answers for categories ("Incident categories" in `docs/interface.md`).

use api::Request;
use base::{
    Fields,
    text::{fold, name_error},
};
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;
/// The most names of one request.
const MOST_NAMES: usize = 1_000;

api::path_id! {
    /// `SCAT-<uuid>`
    pub CategoryId = "categoryId", "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90", normal_id
}

/// An id as it is stored, whatever the letter case it came in.
pub fn normal_id(text: &str) -> String {
    base::text::spelled(text, "SCAT-")
}

/// A category.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentCategory)]
pub struct Category {
    /// `SCAT-<uuid>`.
    #[schema(example = "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
    /// Unique among its siblings, whatever the letter case.
    pub name: String,
    /// The category above it; left out at the top.
    pub parent_category: Option<CategoryName>,
    /// The tenant that it belongs to. A client reads the categories of its partner, and changes its own.
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
    /// The categories below it, by name, with `view=tree`.
    #[schema(no_recursion)]
    pub children: Option<Vec<Category>>,
}

/// A category, as others and incidents show it.
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
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentCategoriesInput")]
pub struct NewCategories {
    /// The name of each; unique among its siblings, whatever the letter case. At most 200 characters each.
    #[request(with = names, items = 1..=MOST_NAMES, chars = LONGEST_NAME, pattern = base::body::FILLED)]
    pub names: Vec<String>,
    /// The category below which they are put; without it, at the top.
    #[request(name = "parentCategory")]
    pub parent: Option<CategoryReference>,
}

/// The changes to a category; fields left out stay as they are.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentCategoryUpdate")]
pub struct CategoryChange {
    /// Unique among its siblings, whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: Option<String>,
    /// The category below which it is to be.
    #[request(name = "parentCategory")]
    pub parent: Option<CategoryReference>,
}

/// Where a category is to be moved.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentCategoryMove")]
pub struct CategoryMove {
    /// The category below which it is to be; without it, or with `null`, at the top.
    #[request(name = "parentCategory")]
    pub parent: Option<CategoryReference>,
}

/// A category of the same tenant: `uniqueId` says which; without it `name` does, if only one has that name.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentCategoryReference", check = require_id_or_name)]
#[request(example = json!({"uniqueId": "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct CategoryReference {
    /// `SCAT-<uuid>`.
    #[request(with = id)]
    pub unique_id: Option<String>,
    /// The category's name.
    #[request(with = folded_name)]
    pub name: Option<String>,
}

impl CategoryReference {
    /// Does it name a category? Refused fields do not count.
    pub fn is_set(&self) -> bool {
        self.unique_id.is_some() || self.name.is_some()
    }
}

/// Without blanks around them. What is wrong is noted by its place; of two names that are equal when folded, the
/// second.
fn names(fields: &mut Fields<'_>, field: &str) -> Option<Vec<String>> {
    let items = fields.raw_array(field)?;
    if items.is_empty() {
        fields.error(field, "must have at least one name");
    }
    if items.len() > MOST_NAMES {
        fields.error(field, format!("must have at most {MOST_NAMES} names"));
        return None;
    }
    let mut seen = std::collections::HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let message = match item.as_str() {
            None => Some("must be a string".to_owned()),
            Some(name) => name_error(name, LONGEST_NAME).or_else(|| {
                let first = *seen.entry(fold(name.trim())).or_insert(index);
                (first != index).then(|| format!("is the same name as {field}[{first}]"))
            }),
        };
        if let Some(message) = message {
            fields.error(&format!("{field}[{index}]"), message);
        }
    }
    Some(items.iter().filter_map(Value::as_str).map(|name| name.trim().to_owned()).collect())
}

fn id(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    filled_text(fields, field).map(|id| normal_id(&id))
}

fn folded_name(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    filled_text(fields, field).map(|name| fold(name.trim()))
}

/// A non-blank text.
fn filled_text(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    fields.text(field).filter(|text| !text.trim().is_empty())
}

fn require_id_or_name(reference: &CategoryReference, fields: &mut Fields<'_>) {
    if !reference.is_set() && fields.check().is_ok() {
        fields.error("uniqueId", "is required");
    }
}

#[cfg(test)]
mod tests {
    use base::{body::Request as _, problem::FieldErrors};
    use serde_json::json;

    use super::*;

    fn named(body: &Value) -> Vec<String> {
        let errors = NewCategories::parse(body).unwrap_err().errors;
        errors.into_iter().map(|error| format!("{} {}", error.field_name, error.message)).collect()
    }

    #[test]
    fn names_are_read_in_order_without_blanks_around_them() {
        let new =
            NewCategories::parse_with_errors(&json!({"names": [" b ", "a"], "parentCategory": {"uniqueId": "scat-X"}}));
        let parent = Some(CategoryReference { unique_id: Some("SCAT-x".to_owned()), name: None });
        let expected = NewCategories { names: vec!["b".to_owned(), "a".to_owned()], parent };
        assert_eq!(new, (expected, FieldErrors::default()));
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
