//! What a user group is made of.

use base::{problem::Problem, query_string, tenant::TenantId, text::fold, timestamp::Timestamp};

use super::{
    row::{PREFIX, Row, normal_id},
    wire::{MOST_MEMBERS, NewUserGroup},
};

/// The query variables of the search for groups.
const VARIABLES: [&str; 5] = ["uniqueId", "name", "userId", "activated", "isEquals"];

/// 404: no such group.
pub(crate) fn unknown() -> Problem {
    Problem::not_found("The user group was not found.")
}

/// A new id.
pub(crate) fn new_id() -> String {
    format!("{PREFIX}{}", uuid::Uuid::new_v4())
}

/// Refuses a group of too many members.
pub(crate) fn check_size(members: usize) -> Result<(), Problem> {
    if members > MOST_MEMBERS {
        return Err(Problem::invalid(format!("A user group has at most {MOST_MEMBERS} members.")));
    }
    Ok(())
}

/// A new group of a tenant.
pub(crate) fn created(new: &NewUserGroup, tenant: &TenantId, id: String, now: Timestamp) -> Row {
    Row {
        tenant_id: tenant.to_string(),
        id,
        name_fold: fold(&new.name),
        name: new.name.clone(),
        description: new.description.clone(),
        activated: true,
        version: 1,
        created_ms: now.millis(),
        updated_ms: None,
    }
}

/// A group under another name or description; what is `None` stays.
pub(crate) fn renamed(group: &Row, name: Option<String>, description: Option<String>) -> Row {
    let name = name.unwrap_or_else(|| group.name.clone());
    let description = description.unwrap_or_else(|| group.description.clone());
    Row { name_fold: fold(&name), name, description, ..group.clone() }
}

/// A group that has changed now.
pub(crate) fn touched(group: Row, now: Timestamp) -> Row {
    Row { version: group.version + 1, updated_ms: Some(now.millis()), ..group }
}

/// What a search for groups asks: alternatives within a field, all fields together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// An id of the wrong form matches nothing.
    pub(crate) ids: Option<Vec<String>>,
    /// Members, by their ids.
    pub(crate) users: Option<Vec<String>>,
    /// Folded names, whole or in part.
    pub(crate) names: Option<Vec<String>>,
    /// Do the names match as a whole?
    pub(crate) whole: bool,
    /// In use, or not any more?
    pub(crate) activated: Option<bool>,
}

/// Reads a `queryString`.
pub(crate) fn filter(text: &str) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    for term in query_string::parse(text, &VARIABLES)? {
        let values = &term.values;
        match term.name {
            // The prefix may be in any letter case; the letters of a UUID may be so anyway.
            "uniqueId" => filter.ids = Some(values.iter().filter_map(|text| normal_id(text)).collect()),
            "userId" => filter.users = Some(values.iter().map(|id| id.to_ascii_uppercase()).collect()),
            "name" => filter.names = Some(values.iter().map(|name| fold(name)).collect()),
            "activated" => filter.activated = Some(term.boolean()?),
            _ => filter.whole = term.boolean()?,
        }
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90";

    #[test]
    fn ids_have_one_spelling() {
        assert_eq!(normal_id(&new_id()).map(|id| id.len()), Some(43));
        for id in [ID.to_uppercase(), ID.to_lowercase(), ID.to_owned()] {
            assert_eq!(normal_id(&id).as_deref(), Some(ID));
        }
        for wrong in ["", "USRGRP-", "0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "USRGRP-0b8f7c4e8f0e4f6e9d5a3c1d7a5b2e90"]
        {
            assert_eq!(normal_id(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_first_update_is_told() {
        let at = Timestamp::from_millis;
        let new = NewUserGroup { name: "On Call".to_owned(), description: String::new(), users: vec![] };
        let new = created(&new, &TenantId::client(1), ID.to_owned(), at(1));
        assert_eq!((new.updated_ms, new.name_fold.as_str()), (None, "on call"));
        let same = renamed(&new, None, None);
        assert_eq!(same, new);
        let changed = touched(renamed(&new, Some("Nights".to_owned()), None), at(2));
        assert_eq!((changed.updated_ms, changed.version, changed.name_fold.as_str()), (Some(2), 2, "nights"));
    }

    #[test]
    fn filters() {
        let full = filter(&format!("uniqueId:{},x+userId:usr1+name:ON+activated:true", ID.to_lowercase())).unwrap();
        assert_eq!(full.ids, Some(vec![ID.to_owned()]));
        assert_eq!(full.users, Some(vec!["USR1".to_owned()]));
        assert_eq!((full.names, full.activated), (Some(vec!["on".to_owned()]), Some(true)));
        assert!(filter("description:x").is_err());
    }

    #[test]
    fn a_group_has_a_thousand_members() {
        assert!(check_size(1000).is_ok() && check_size(1001).is_err());
    }
}
