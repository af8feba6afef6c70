//! What groups and sites have in common: bodies that are arrays of objects, the names in them, and pages of ordered lists.

use base::{
    body::{Fields, FromBody, Request},
    problem::Problem,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The most elements of one body: the write that they make is not to keep all others waiting.
pub const MOST: usize = 1000;
/// The longest name of a group or a site, in characters.
pub const LONGEST_NAME: usize = 200;
/// Errors beyond this many are not listed.
const MAX_ERRORS: usize = 100;

/// A body that is an array of requests.
pub struct Each<T>(pub Vec<T>);

impl<T: Request> FromBody for Each<T> {
    fn from_body(body: Value) -> Result<Self, Problem> {
        read_each(&body, T::read).map(Self)
    }
}

/// Reads every object of an array. Errors are named by position: `[2].name`.
///
/// # Errors
/// 400 when the body is no array or has more than [`MOST`] elements, and 400 that lists what `read` noted.
pub fn read_each<T>(body: &Value, mut read: impl FnMut(&mut Fields<'_>) -> T) -> Result<Vec<T>, Problem> {
    let Some(items) = body.as_array() else {
        return Err(Problem::field("body", "must be a JSON array of objects"));
    };
    if items.is_empty() {
        return Err(Problem::field("body", "must have at least one element"));
    }
    if items.len() > MOST {
        return Err(Problem::field("body", format!("must have at most {MOST} elements")));
    }
    let (mut found, mut errors) = (Vec::with_capacity(items.len()), Vec::new());
    for (index, item) in items.iter().enumerate() {
        let mut fields = Fields::element(item, index);
        found.push(read(&mut fields));
        if let Err(problem) = fields.finish() {
            errors.extend(problem.errors);
        }
        if errors.len() >= MAX_ERRORS {
            break;
        }
    }
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() { Ok(found) } else { Err(Problem::fields(errors)) }
}

/// A name without the blanks around it.
pub fn trimmed(text: String) -> Result<String, &'static str> {
    Ok(text.trim().to_owned())
}

/// The envelope of a list that has an order, for the document: as `api::spec::PageOf`, but the order is always told.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PageOf)]
pub struct OrderedPageOf<T> {
    /// The records of the page.
    results: Vec<T>,
    /// How many records match in all.
    total_results: i64,
    /// From 1.
    page_no: u32,
    /// The page size used.
    page_size: u32,
    /// 0 when nothing matches.
    total_pages: i64,
    /// Is there a further page?
    next_page: bool,
    /// 0 on the first page.
    previous_page_no: u32,
    /// The sort key used.
    order_by: String,
    /// Largest first?
    descending_order: bool,
    /// Where the next page starts; there whenever `nextPage` is true. To be sent back as `cursor`.
    next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use base::body::{Limits, required};
    use serde_json::json;

    use super::*;

    fn errors(body: &Value) -> Vec<String> {
        let name = Limits { filled: true, ..Limits::NONE };
        let problem = read_each(body, |fields| required::<String>(fields, "name", &name));
        let errors = problem.unwrap_err().errors.into_iter();
        errors.map(|error| format!("{} {}", error.field_name, error.message)).collect()
    }

    #[test]
    fn errors_have_their_position() {
        let body = json!([{"name": "a"}, {}, 7, {"name": " "}, {"name": 5}]);
        assert_eq!(
            errors(&body),
            ["[1].name is required", "[2] must be a JSON object", "[3].name is required", "[4].name must be a string"]
        );
    }

    #[test]
    fn only_arrays_of_some_length() {
        assert_eq!(errors(&json!({"name": "a"})), ["body must be a JSON array of objects"]);
        assert_eq!(errors(&json!(vec![0; MOST + 1])), ["body must have at most 1000 elements"]);
        assert_eq!(errors(&json!(vec![0; MOST])).len(), MAX_ERRORS);
        assert_eq!(errors(&json!([])), ["body must have at least one element"]);
    }
}
