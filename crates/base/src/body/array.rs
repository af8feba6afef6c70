//! A body that is an array of objects.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{Fields, MAX_ERRORS};
use crate::problem::Problem;

/// Reads every object of an array of so many elements. Errors are named by position: `[2].name`.
///
/// # Errors
/// 400 when the body is not an array or has too few elements or too many, and 400 that lists what `read` noted.
pub fn read_each<T>(
    body: &Value,
    length: RangeInclusive<usize>,
    mut read: impl FnMut(&mut Fields<'_>) -> T,
) -> Result<Vec<T>, Problem> {
    let wrong = |message: String| Err(Problem::field("body", message));
    let Some(items) = body.as_array() else { return wrong("must be a JSON array of objects".to_owned()) };
    if items.len() > *length.end() {
        return wrong(format!("must have at most {} elements", length.end()));
    }
    if items.len() < *length.start() {
        return wrong("must have at least one element".to_owned());
    }
    let mut found = Vec::with_capacity(items.len());
    let mut errors = Vec::new();
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::{Limits, required},
        *,
    };

    fn errors(body: &Value, fewest: usize) -> Vec<String> {
        let name = Limits { filled: true, ..Limits::NONE };
        let read = read_each(body, fewest..=1000, |fields| required::<String>(fields, "name", &name));
        let errors = read.err().map(|problem| problem.errors).unwrap_or_default();
        errors.iter().map(|error| format!("{} {}", error.field_name, error.message)).collect()
    }

    #[test]
    fn errors_have_their_position() {
        let body = json!([{"name": "a"}, {}, 7, {"name": " "}, {"name": 5}]);
        assert_eq!(
            errors(&body, 1),
            ["[1].name is required", "[2] must be a JSON object", "[3].name is required", "[4].name must be a string"]
        );
    }

    #[test]
    fn only_arrays_of_some_length() {
        assert_eq!(errors(&json!({"name": "a"}), 1), ["body must be a JSON array of objects"]);
        assert_eq!(errors(&json!(vec![0; 1001]), 1), ["body must have at most 1000 elements"]);
        assert_eq!(errors(&json!(vec![0; 1000]), 1).len(), MAX_ERRORS);
        assert_eq!(errors(&json!([]), 1), ["body must have at least one element"]);
        assert!(errors(&json!([]), 0).is_empty());
    }
}
