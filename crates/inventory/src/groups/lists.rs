//! Bodies that are arrays of objects, and the names in them.

use base::{body::Fields, problem::Problem};
use serde_json::Value;

/// The most elements of one body: the write that they make is not to keep all others waiting.
pub const MOST: usize = 1000;
/// The longest name of a group or a site, in characters.
pub const LONGEST_NAME: usize = 200;
/// Errors beyond this many are not listed.
const MAX_ERRORS: usize = 100;

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

/// The field `name` without blanks around it; an empty one is noted as missing. `None` when it is not there.
pub fn name(fields: &mut Fields<'_>) -> Option<String> {
    let text = fields.text_max("name", LONGEST_NAME)?;
    let text = text.trim();
    if text.is_empty() {
        fields.error("name", "is required");
        return None;
    }
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn errors(body: &Value) -> Vec<String> {
        let problem = read_each(body, |fields| {
            fields.require("name");
            name(fields)
        });
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
