//! Which API keys there are, and which may go.

use api::{Caller, Role, access::Roles};
use base::{
    problem::Problem,
    tenant::{Level, TenantId},
    timestamp::Timestamp,
};

use crate::users;

/// 404: no such API key.
pub(crate) fn unknown() -> Problem {
    Problem::not_found("The API key was not found.")
}

/// `KEY-<uuid>`; nothing else is looked up.
pub(crate) fn is_id(text: &str) -> bool {
    text.strip_prefix("KEY-").is_some_and(|rest| rest.len() == 36 && uuid::Uuid::try_parse(rest).is_ok())
}

/// What keeps a key of this role from being restricted to an operation, if anything does.
pub(crate) fn operation_error(name: &str, role: Role, roles: &Roles) -> Option<String> {
    match roles.get(name) {
        None => {
            let names = "the names are the operationIds of the document";
            Some(format!("{name:.64} is not an operation that needs a key: {names}"))
        }
        Some(needed) if *needed > role => Some(format!("{name} needs the role {needed}")),
        Some(_) => None,
    }
}

/// May a caller who is restricted to these operations hand out a secret of a key that is restricted to those? Else it
/// could make itself a key for everything.
pub(crate) fn check_within(caller: Option<&[String]>, given: Option<&[String]>) -> Result<(), Problem> {
    let within = match (caller, given) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(caller), Some(given)) => given.iter().all(|one| caller.contains(one)),
    };
    if within {
        return Ok(());
    }
    Err(Problem::forbidden(
        "A key that is restricted to certain operations cannot hand out credentials that may do more than it may.",
    ))
}

/// What those may call who report alerts for somebody else, in order.
pub(crate) const REPORTS: [&str; 3] = ["reportAlert", "reportAlertmanagerAlerts", "reportAlerts"];

/// May this caller let somebody report, for ever? One that is restricted to certain operations only when it may do so
/// itself.
pub(crate) fn check_lets_report(caller: &Caller) -> Result<(), Problem> {
    check_within(caller.operations.as_deref(), Some(&REPORTS.map(str::to_owned)))?;
    check_end(caller, None)
}

/// May this caller hand out a secret of a key that acts as this person, `None` for a program's? One that is restricted
/// to certain operations only as itself: else what it does would stand in records under somebody else's name.
pub(crate) fn check_names(caller: &Caller, person: Option<&str>) -> Result<(), Problem> {
    match person {
        Some(person) if caller.operations.is_some() && person != caller.user_id => Err(Problem::forbidden(
            "A key that is restricted to certain operations cannot hand out a key that acts as somebody else.",
        )),
        _ => Ok(()),
    }
}

/// May this caller hand out a secret that is good until then, `None` for ever? One that is restricted to certain
/// operations hands out none that is good for longer than it is itself.
pub(crate) fn check_end(caller: &Caller, end: Option<Timestamp>) -> Result<(), Problem> {
    match (&caller.operations, caller.expires) {
        (Some(_), Some(own)) if end.is_none_or(|end| end > own) => Err(Problem::forbidden(
            "A key that is restricted to certain operations cannot hand out credentials that are good for longer than \
             it is.",
        )),
        _ => Ok(()),
    }
}

/// 403: a person's key that is restricted hands out a program's.
pub(crate) fn outlives_person() -> Problem {
    Problem::forbidden(
        "A person's key that is restricted to certain operations hands out only keys that act as that person, and end \
         with it.",
    )
}

/// May a key with this role act as a person? Only as one who is in use, and for no more than that one may; programs
/// have users of their own.
pub(crate) fn check_personal(key: Role, person: Option<&users::Row>) -> Result<(), Problem> {
    match person {
        Some(person) if person.activated && !person.is_program() => {
            if key > person.may() {
                let message = format!("must not be more than the user's, which is {}", person.role);
                return Err(Problem::field("role", message));
            }
            Ok(())
        }
        Some(person) if person.activated => {
            Err(Problem::field("userId", "must be a person: this is the user of a program"))
        }
        Some(_) => Err(Problem::field("userId", "must be active: this user is deactivated")),
        None => Err(Problem::field("userId", "must be a user of this tenant")),
    }
}

/// May a key be revoked that `is_admin` without narrowing or end, while its tenant has `admins` of those? A partner
/// without one could never make another; a client's keys its partner makes.
pub(crate) fn check_revocable(tenant: &TenantId, is_admin: bool, admins: i64) -> Result<(), Problem> {
    if tenant.level() == Level::Partner && is_admin && admins <= 1 {
        let detail = "This is the last admin key of the partner: create or keep another one first.";
        return Err(Problem::conflict(detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callers::{join_operations, sort_operations, split_operations};

    #[test]
    fn the_last_admin_key_of_a_partner_stays() {
        let partner = TenantId::partner(1);
        let client = TenantId::client(1);
        assert!(check_revocable(&partner, true, 1).is_err());
        assert!(check_revocable(&partner, true, 2).is_ok());
        assert!(check_revocable(&partner, false, 1).is_ok());
        assert!(check_revocable(&client, true, 1).is_ok());
    }

    #[test]
    fn a_key_is_narrowed_to_what_its_role_may() {
        let roles = Roles::from([("getSite".to_owned(), Role::Viewer), ("createSite".to_owned(), Role::Operator)]);
        assert_eq!(operation_error("getSite", Role::Viewer, &roles), None);
        assert_eq!(operation_error("createSite", Role::Admin, &roles), None);
        assert_eq!(operation_error("createSite", Role::Viewer, &roles).unwrap(), "createSite needs the role operator");
        assert!(operation_error("getsite", Role::Admin, &roles).unwrap().starts_with("getsite is not an operation"));
        let names = |text: &str| sort_operations(split_operations(text));
        assert_eq!(join_operations(&names("b a b")), "a b");
        let [one, both] = [names("a"), names("a b")];
        let within = |caller: Option<&Vec<String>>, given: Option<&Vec<String>>| {
            check_within(caller.map(Vec::as_slice), given.map(Vec::as_slice)).is_ok()
        };
        assert!(within(None, None) && within(None, Some(&one)) && within(Some(&both), Some(&one)));
        assert!(!within(Some(&one), None) && !within(Some(&one), Some(&both)));
    }

    #[test]
    fn a_narrow_key_hands_out_nothing_that_is_good_for_longer() {
        let at = |millis: i64| Some(Timestamp::from_millis(millis));
        let may = |narrow: bool, own: Option<Timestamp>, end: Option<Timestamp>| {
            let caller = Caller {
                key_id: String::new(),
                user_id: "USR0000000001".to_owned(),
                home: TenantId::client(1),
                role: Role::Admin,
                operations: narrow.then(|| vec!["createApiKey".to_owned()].into()),
                expires: own,
                limit: None,
            };
            check_end(&caller, end).is_ok()
        };
        assert!(may(false, at(10), None) && may(true, None, None) && may(true, None, at(20)));
        assert!(may(true, at(10), at(10)) && may(true, at(10), at(9)));
        assert!(!may(true, at(10), at(11)) && !may(true, at(10), None));
    }

    #[test]
    fn ids() {
        assert!(is_id("KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"));
        for wrong in ["", "KEY-", "0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "KEY-0b8f7c4e8f0e4f6e9d5a3c1d7a5b2e90"] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }
}
