//! What a user is made of.

use api::{Caller, Role};
use base::{
    problem::Problem,
    query_string::{self, Term},
    tenant::TenantId,
    text::{fold, listed},
    timestamp::Timestamp,
};
use db::Dates;

use super::{
    row::{KEYS, Row},
    wire::{NewUser, UserChange},
};

/// The query variables of the search for users.
const VARIABLES: [&str; 15] = listed(
    "id uniqueId loginName name firstName lastName email mailId activated status startCreationDate endCreationDate \
    startUpdationDate endUpdationDate isEquals",
);

/// What `status` asks: in use, or not any more.
const STATUSES: [&str; 2] = ["active", "inactive"];

/// 404: no such user.
pub(crate) fn unknown() -> Problem {
    Problem::not_found("The user was not found.")
}

/// `USR` and ten digits.
pub(crate) fn id(number: i64) -> String {
    format!("USR{number:010}")
}

/// The login name of the user that a new API key acts as.
pub(crate) fn login_of_key(number: i64) -> String {
    format!("{KEYS}{number}")
}

/// A new user of a tenant.
pub(crate) fn created(new: NewUser, tenant: &TenantId, number: i64, now: Timestamp) -> Row {
    let blank = Row {
        tenant_id: tenant.to_string(),
        id: id(number),
        login_name: String::new(),
        login_fold: String::new(),
        first_name: None,
        last_name: None,
        email: None,
        phone_number: None,
        mobile_number: None,
        activated: true,
        version: 1,
        created_ms: now.millis(),
        updated_ms: now.millis(),
        first_fold: String::new(),
        last_fold: String::new(),
        email_fold: String::new(),
        role: String::new(),
    };
    let NewUser { login_name, first_name, last_name, email, phone_number, mobile_number, role } = new;
    let login_name = Some(login_name);
    let role = Some(role);
    with(&blank, UserChange { login_name, first_name, last_name, email, phone_number, mobile_number, role })
}

/// A user after a change; the same one when nothing differs.
pub(crate) fn changed(user: &Row, change: UserChange, now: Timestamp) -> Row {
    touched(user, with(user, change), now)
}

/// A user who is in use, or not any more.
pub(crate) fn activated(user: &Row, activated: bool, now: Timestamp) -> Row {
    touched(user, Row { activated, ..user.clone() }, now)
}

/// A user after a change that this caller makes.
///
/// # Errors
/// 403 for more than the caller may, 409 for what says whose the user of a program is.
pub(crate) fn changed_by(
    caller: &Caller,
    (user, is_program): (&Row, bool),
    change: UserChange,
    now: Timestamp,
) -> Result<Row, Problem> {
    let after = changed(user, change, now);
    if is_program {
        check_program(user, &after)?;
    }
    check_change(caller, user.may(), after.may())?;
    check_address(caller, user.email.as_deref(), after.email.as_deref())?;
    Ok(after)
}

/// A user whom this caller activates.
///
/// # Errors
/// 403 for more than the caller may.
pub(crate) fn activated_by(caller: &Caller, user: &Row, now: Timestamp) -> Result<Row, Problem> {
    check_change(caller, user.may(), user.may())?;
    Ok(activated(user, true, now))
}

fn touched(before: &Row, after: Row, now: Timestamp) -> Row {
    if *before == after { after } else { Row { version: before.version + 1, updated_ms: now.millis(), ..after } }
}

/// May this caller make a user who may so much, or change one who might? Nobody gives more than it has. A caller that
/// is restricted to certain operations gives nothing: by a user who may more than read it would have what it is kept
/// from.
pub(crate) fn check_change(caller: &Caller, before: Role, after: Role) -> Result<(), Problem> {
    let most = before.max(after);
    if most > caller.role {
        let detail =
            format!("A caller with the role {} neither makes nor changes a user with the role {most}.", caller.role);
        return Err(Problem::forbidden(detail));
    }
    if caller.operations.is_some() && most > Role::Viewer {
        let detail =
            "A key that is restricted to certain operations cannot make or change users who may do more than read.";
        return Err(Problem::forbidden(detail));
    }
    Ok(())
}

/// May this caller give a user this address in place of the one before? By an address somebody can sign in at an
/// issuer, and a session is restricted to nothing: a caller that is restricted leaves it as it is.
pub(crate) fn check_address(caller: &Caller, before: Option<&str>, after: Option<&str>) -> Result<(), Problem> {
    let after = after.filter(|address| !address.is_empty());
    if caller.operations.is_some() && before != after {
        let detail = "A key that is restricted to certain operations cannot say or change the address of a user.";
        return Err(Problem::forbidden(detail));
    }
    Ok(())
}

/// Of the user of a program neither the login name nor the role changes: they say whose it is, and what that may do.
fn check_program(before: &Row, after: &Row) -> Result<(), Problem> {
    if before.login_fold != after.login_fold || before.role != after.role {
        let detail = "A program acts as this user: its login name and its role stay what they are.";
        return Err(Problem::conflict(detail));
    }
    Ok(())
}

/// An empty text removes a value.
fn with(user: &Row, change: UserChange) -> Row {
    let set = |old: &Option<String>, new: Option<String>| match new {
        None => old.clone(),
        Some(text) => Some(text).filter(|text| !text.is_empty()),
    };
    let login_name = change.login_name.unwrap_or_else(|| user.login_name.clone());
    let first_name = set(&user.first_name, change.first_name);
    let last_name = set(&user.last_name, change.last_name);
    let email = set(&user.email, change.email);
    let folded = |text: &Option<String>| text.as_deref().map(fold).unwrap_or_default();
    Row {
        login_fold: fold(&login_name),
        first_fold: folded(&first_name),
        last_fold: folded(&last_name),
        email_fold: folded(&email),
        login_name,
        first_name,
        last_name,
        email,
        phone_number: set(&user.phone_number, change.phone_number),
        mobile_number: set(&user.mobile_number, change.mobile_number),
        role: change.role.map_or_else(|| user.role.clone(), |role| role.as_str().to_owned()),
        ..user.clone()
    }
}

/// What a search for users asks: alternatives within a field, all fields together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// In capitals: each term has alternatives.
    pub(crate) ids: Vec<Vec<String>>,
    /// Folded texts, whole or in part, by their variable.
    pub(crate) texts: Vec<(&'static str, Vec<String>)>,
    /// Do the texts match as a whole?
    pub(crate) whole: bool,
    /// In use, or not any more?
    pub(crate) activated: Vec<bool>,
    /// When they were created, and when they changed last.
    pub(crate) dates: Dates,
}

/// Reads a `queryString`.
pub(crate) fn filter(text: &str) -> Result<Filter, Problem> {
    let mut filter = Filter::default();
    for term in query_string::parse(text, &VARIABLES)? {
        match term.name {
            "id" | "uniqueId" => filter.ids.push(term.values.iter().map(|id| id.to_ascii_uppercase()).collect()),
            "activated" => filter.activated.push(term.boolean()?),
            "status" => filter.activated.extend(in_use(&term)?),
            "isEquals" => filter.whole = term.boolean()?,
            _ if filter.dates.take(&term)? => {}
            _ => filter.texts.push((term.name, term.values.iter().map(|text| fold(text)).collect())),
        }
    }
    Ok(filter)
}

/// What `status` asks; `None` for users of either kind.
fn in_use(term: &Term) -> Result<Option<bool>, Problem> {
    let words = term.words(&STATUSES)?;
    let active = words.contains(&STATUSES[0]);
    let inactive = words.contains(&STATUSES[1]);
    Ok((active != inactive).then_some(active))
}

#[cfg(test)]
mod tests;
