//! What clients see and say of categories ("Knowledge base" in `docs/interface.md`).

use base::{Fields, problem::Problem};
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::rules::{LONGEST_NAME, SEPARATOR};
use crate::state;

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
    /// What it is about; left out when there is nothing to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// What it stands below; left out at the top.
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
    #[schema(example = "ACTIVE")]
    pub state: String,
    /// When it was created.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_date: String,
    /// When it changed last.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub updated_date: String,
}

/// What of a category is shown in others, and in articles.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCategory {
    /// Without blanks around it.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The id of what it is to stand below.
    pub parent: Option<String>,
    /// `ACTIVE` or `INACTIVE`.
    pub state: &'static str,
}

/// A change of a category: what is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CategoryChange {
    /// Another name.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Another state outside the trash.
    pub state: Option<&'static str>,
    /// Another place: below the one with this id, or (`Some(None)`) at the top.
    pub parent: Option<Option<String>>,
}

impl NewCategory {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        fields.require("name");
        let name = name(&mut fields).unwrap_or_default();
        let description = fields.text("description").unwrap_or_default();
        let parent = reference(&mut fields, "parentCategory");
        let state = fields.one_of("state", &state::OUTSIDE_TRASH).unwrap_or(state::ACTIVE);
        fields.finish()?;
        Ok(Self { name, description, parent, state })
    }
}

impl CategoryChange {
    /// Reads the body of an update.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let name = name(&mut fields);
        let description = fields.text("description");
        let state = fields.one_of("state", &state::OUTSIDE_TRASH);
        let parent = reference(&mut fields, "parentCategory").map(Some);
        fields.finish()?;
        Ok(Self { name, description, state, parent })
    }

    /// Reads the body of a move.
    ///
    /// # Errors
    /// As [`CategoryChange::read`].
    pub fn read_move(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let parent = reference(&mut fields, "parentCategory");
        fields.finish()?;
        Ok(Self { parent: Some(parent), ..Self::default() })
    }
}

fn name(fields: &mut Fields<'_>) -> Option<String> {
    let name = fields.name("name", LONGEST_NAME)?;
    if name.contains(SEPARATOR.trim()) {
        fields.error("name", "must not contain >>, which joins the names of a path");
    }
    Some(name)
}

/// The id of a category that a body names: `{id}`.
pub fn reference(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    let mut object = fields.object(field)?;
    let given = object.required_text("id");
    let id = super::rules::normal_id(&given);
    // Said with the other errors of the body; what an id means is found out later.
    let is_id = id.strip_prefix("KBC").is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
    if !id.is_empty() && !is_id {
        object.error("id", "names no knowledge-base category: an id is KBC and digits");
    }
    Some(id)
}
