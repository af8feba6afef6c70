//! The requests and answers for categories ("Knowledge base" in `docs/interface.md`).

use api::Request;
use ports::Author;
use serde::Serialize;
use utoipa::ToSchema;

use super::row::SEPARATOR;
use crate::state;

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;

api::path_id! {
    /// `KBC` and digits.
    pub CategoryId = "categoryId", "KBC0000000001", normal_id
}

/// An id as it is stored, whatever the letter case it came in.
pub fn normal_id(text: &str) -> String {
    text.trim().to_ascii_uppercase()
}

/// A category.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KbCategory)]
pub struct Category {
    /// `KBC` and digits.
    #[schema(example = "KBC0000000001")]
    pub id: String,
    /// Unique among its siblings outside the trash.
    pub name: String,
    /// A description; left out when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// The category above it; left out at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_category: Option<CategoryName>,
    /// Who created it.
    pub created_by: Author,
    /// Who changed it last.
    pub updated_by: Author,
    /// The names from the top down to its own, joined by ` >> `.
    #[schema(example = "Network >> Wireless")]
    pub path: String,
    /// `ACTIVE`, `INACTIVE` or `TRASH`.
    #[schema(pattern = "^(ACTIVE|INACTIVE|TRASH)$", example = "ACTIVE")]
    pub state: String,
    /// When it was created.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_date: String,
    /// When it changed last.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub updated_date: String,
}

/// A category, as others and articles show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KbCategoryName)]
pub struct CategoryName {
    /// `KBC` and digits.
    #[schema(example = "KBC0000000001")]
    pub id: String,
    /// The name.
    pub name: String,
}

/// A category to create.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "KbCategoryInput")]
#[request(update(
    name = CategoryChange,
    schema = "KbCategoryUpdate",
    doc = "The changes to a category; fields left out stay as they are."
))]
pub struct NewCategory {
    /// Unique among its siblings outside the trash, whatever the letter case; without `>>`.
    #[request(line, chars = LONGEST_NAME, from = String, parse = name)]
    pub name: String,
    /// A description.
    #[request(default)]
    pub description: String,
    /// `ACTIVE` (default) or `INACTIVE`.
    #[request(words = state::OUTSIDE_TRASH, default = state::ACTIVE)]
    pub state: &'static str,
    /// The category below which it is put; without it, a new one is at the top.
    #[request(name = "parentCategory")]
    pub parent: Option<CategoryReference>,
}

/// Where a category is to be moved.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "KbCategoryMove")]
pub struct CategoryMove {
    /// The category below which it is to be; without it, or with `null`, at the top.
    #[request(name = "parentCategory")]
    pub parent: Option<CategoryReference>,
}

/// A category of the same tenant.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "KbCategoryReference", example = json!({"id": "KBC0000000001"}))]
pub struct CategoryReference {
    /// `KBC` and digits.
    #[request(filled, parse = id)]
    pub id: String,
}

fn name(name: String) -> Result<String, &'static str> {
    if name.contains(SEPARATOR.trim()) {
        return Err("must not contain >>, which joins the names of a path");
    }
    Ok(name)
}

/// Refuses a malformed id together with the other errors of the body; the look-up comes later.
fn id(given: String) -> Result<String, &'static str> {
    let id = normal_id(&given);
    let is_id = id.strip_prefix("KBC").is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
    if is_id { Ok(id) } else { Err("names no knowledge-base category: an id is KBC and digits") }
}
