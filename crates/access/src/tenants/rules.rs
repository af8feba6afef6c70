//! What a tenant may be called, and what a search for clients asks.

use base::{
    Fields,
    problem::Problem,
    query_string::{self, Term},
    tenant::{Level, TenantId},
    text::fold,
};

/// The longest name of a client or an API key, in characters.
const LONGEST_NAME: usize = 200;

/// The fields that clients may be sorted by.
pub(crate) const SORTS: [&str; 2] = ["id", "name"];

/// The query variables of the search for clients.
const VARIABLES: [&str; 4] = ["id", "name", "uniqueId", "isEquals"];

/// The required field `name`: without surrounding blanks, without control characters, of at most 200 characters.
pub(crate) fn name(fields: &mut Fields<'_>) -> String {
    let name = fields.required_text("name").trim().to_owned();
    if name.chars().nth(LONGEST_NAME).is_some() {
        fields.error("name", format!("must have at most {LONGEST_NAME} characters"));
    } else if name.chars().any(char::is_control) {
        fields.error("name", "must not contain control characters");
    }
    name
}

/// Only a partner has clients.
pub(crate) fn check_partner(tenant: &TenantId) -> Result<(), Problem> {
    match tenant.level() {
        Level::Partner => Ok(()),
        Level::Client => {
            let detail = "Clients belong to a partner: put the partner's tenant id (msp_<number>) into the path.";
            Err(Problem::invalid(detail))
        }
    }
}

/// What a search for clients asks: alternatives within a field, all fields together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Numbers; a text that is none matches nothing.
    pub(crate) ids: Option<Vec<i64>>,
    /// Tenant ids, in lower case.
    pub(crate) unique_ids: Option<Vec<String>>,
    /// Folded names, whole or in part.
    pub(crate) names: Option<Vec<String>>,
    /// Do the names match as a whole?
    pub(crate) whole: bool,
}

/// Reads a `queryString`.
pub(crate) fn filter(text: &str) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    for Term { name, value, values } in query_string::parse(text, &VARIABLES)? {
        match name {
            "id" => filter.ids = Some(values.iter().filter_map(|id| id.parse().ok()).collect()),
            "uniqueId" => filter.unique_ids = Some(values.iter().map(|id| id.to_ascii_lowercase()).collect()),
            "name" => filter.names = Some(values.iter().map(|name| fold(name)).collect()),
            _ => {
                filter.whole = match value.to_ascii_lowercase().as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return Err(Problem::field("queryString", "isEquals must be true or false")),
                };
            }
        }
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_name(value: serde_json::Value) -> Result<String, Problem> {
        let mut fields = Fields::of(&value);
        let name = name(&mut fields);
        fields.finish().map(|()| name)
    }

    #[test]
    fn names() {
        assert_eq!(read_name(json!({"name": "  Globex Corp. "})).unwrap(), "Globex Corp.");
        assert_eq!(read_name(json!({"name": "x".repeat(200)})).unwrap().len(), 200);
        for wrong in [json!({}), json!({"name": " "}), json!({"name": 1}), json!({"name": "a\nb"}), json!([])] {
            assert!(read_name(wrong.clone()).is_err(), "{wrong}");
        }
        assert_eq!(read_name(json!({"name": "x".repeat(201)})).unwrap_err().errors[0].field_name, "name");
    }

    #[test]
    fn only_partners_have_clients() {
        assert!(check_partner(&TenantId::partner(1)).is_ok());
        assert!(check_partner(&TenantId::client(1)).is_err());
    }

    #[test]
    fn filters() {
        assert_eq!(filter("").unwrap(), Filter::default());
        let full = filter("id:1,x+name:GLO,Ö+uniqueId:CLIENT_2+isEquals:True").unwrap();
        assert_eq!(full.ids, Some(vec![1]));
        assert_eq!(full.names, Some(vec!["glo".to_owned(), "ö".to_owned()]));
        assert_eq!(full.unique_ids, Some(vec!["client_2".to_owned()]));
        assert!(full.whole);
        assert!(filter("isEquals:perhaps").is_err());
        assert!(filter("city:Bonn").is_err());
    }
}
