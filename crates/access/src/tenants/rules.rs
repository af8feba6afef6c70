//! What a tenant may be called, and what a search for clients asks.

use base::{
    problem::Problem,
    query_string,
    tenant::{Level, TenantId},
    text::{fold, name_error},
    timestamp::Timestamp,
};
use db::Dates;

use super::{row::Row, wire::LONGEST_NAME};

/// The query variables of the search for clients.
const VARIABLES: [&str; 10] = [
    "id",
    "name",
    "uniqueId",
    "activated",
    "activeStatus",
    "startCreationDate",
    "endCreationDate",
    "startUpdationDate",
    "endUpdationDate",
    "isEquals",
];

/// 404: no such client.
pub(crate) fn unknown() -> Problem {
    Problem::not_found("The client was not found.")
}

/// A name from the command line, by the same rules.
pub(crate) fn read_name(text: &str) -> anyhow::Result<String> {
    match name_error(text, LONGEST_NAME) {
        Some(wrong) => anyhow::bail!("the name {wrong}"),
        None => Ok(text.trim().to_owned()),
    }
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Numbers; a text that is none matches nothing.
    pub(crate) ids: Option<Vec<i64>>,
    /// Tenant ids, in lower case.
    pub(crate) unique_ids: Option<Vec<String>>,
    /// Folded names, whole or in part.
    pub(crate) names: Option<Vec<String>>,
    /// Do the names match as a whole?
    pub(crate) whole: bool,
    /// In use, or suspended? All of them hold.
    pub(crate) activated: Vec<bool>,
    /// When it was created, and when it changed last.
    pub(crate) dates: Dates,
}

/// Reads a `queryString`.
pub(crate) fn filter(text: &str) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    for term in query_string::parse(text, &VARIABLES)? {
        let values = &term.values;
        match term.name {
            "id" => filter.ids = Some(values.iter().filter_map(|id| id.parse().ok()).collect()),
            "uniqueId" => filter.unique_ids = Some(values.iter().map(|id| id.to_ascii_lowercase()).collect()),
            "name" => filter.names = Some(values.iter().map(|name| fold(name)).collect()),
            "activated" | "activeStatus" => filter.activated.push(term.boolean()?),
            _ if filter.dates.take(&term)? => {}
            _ => filter.whole = term.boolean()?,
        }
    }
    Ok(filter)
}

/// A client under another name.
pub(crate) fn renamed(client: &Row, name: Option<&str>, now: Timestamp) -> Row {
    match name {
        Some(name) if name != client.name => {
            changed(Row { name: name.to_owned(), name_fold: fold(name), ..client.clone() }, now)
        }
        _ => client.clone(),
    }
}

/// A client that is suspended, or not any more.
///
/// # Errors
/// 409 when it is to be resumed and was terminated.
pub(crate) fn suspended(client: &Row, suspended: bool, now: Timestamp) -> Result<Row, Problem> {
    if client.suspended == suspended {
        return Ok(client.clone());
    }
    if client.terminated {
        return Err(Problem::conflict(format!("The client {} was terminated, and cannot be resumed.", client.name)));
    }
    Ok(changed(Row { suspended, activated: !suspended, ..client.clone() }, now))
}

/// A client that is shut for good.
pub(crate) fn terminated(client: &Row, now: Timestamp) -> Row {
    if client.terminated {
        return client.clone();
    }
    changed(Row { suspended: true, activated: false, terminated: true, ..client.clone() }, now)
}

fn changed(client: Row, now: Timestamp) -> Row {
    Row { version: client.version + 1, updated_ms: now.millis(), ..client }
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::json;

    use super::{super::wire::NewClient, *};

    #[test]
    fn names() {
        let from_body = |value| NewClient::parse(&value).map(|new| new.name);
        assert_eq!(from_body(json!({"name": "  Globex Corp. "})).unwrap(), "Globex Corp.");
        assert_eq!(from_body(json!({"name": "x".repeat(200)})).unwrap().len(), 200);
        for wrong in [json!({}), json!({"name": " "}), json!({"name": 1}), json!({"name": "a\nb"}), json!([])] {
            assert!(from_body(wrong.clone()).is_err(), "{wrong}");
        }
        assert!(read_name(" ").is_err() && read_name("a\nb").is_err());
        assert_eq!(read_name(" Globex ").unwrap(), "Globex");
        assert_eq!(from_body(json!({"name": "x".repeat(201)})).unwrap_err().errors[0].field_name, "name");
    }

    #[test]
    fn only_partners_have_clients() {
        assert!(check_partner(&TenantId::partner(1)).is_ok());
        assert!(check_partner(&TenantId::client(1)).is_err());
    }

    #[test]
    fn filters() {
        assert_eq!(filter("").unwrap(), Filter::default());
        let full = filter("id:1,x+name:GLO,Ö+uniqueId:CLIENT_2+isEquals:True+activated:FALSE").unwrap();
        assert_eq!(full.ids, Some(vec![1]));
        assert_eq!(full.names, Some(vec!["glo".to_owned(), "ö".to_owned()]));
        assert_eq!(full.unique_ids, Some(vec!["client_2".to_owned()]));
        assert!(full.whole);
        assert_eq!(full.activated, [false]);
        assert_eq!(filter("activeStatus:false+activated:true").unwrap().activated, [false, true], "both hold");
        assert!(filter("activated:maybe").is_err());
        assert!(filter("isEquals:perhaps").is_err());
        assert!(filter("city:Bonn").is_err());
    }
}
