//! How long links and sessions are good, and for whom.

use std::sync::Arc;

use api::{Role, Subject};
use base::{
    problem::Problem,
    secret::Secret,
    timestamp::{MINUTE_MS, Timestamp},
};

use crate::users;

const HOUR_MS: i64 = 60 * MINUTE_MS;

/// How long a link is good, in minutes.
pub(crate) const LINK_MINUTES: i64 = 10;

/// How long a session lasts that is not used.
pub(crate) const IDLE_MS: i64 = 12 * HOUR_MS;

/// How long a session lasts at most.
pub(crate) const LIFE_MS: i64 = 7 * 24 * HOUR_MS;

/// How long a session lasts that began by the link of a page.
pub(crate) const LIMITED_LIFE_MS: i64 = HOUR_MS;

/// The newest sessions of a user that stay; one more ends the oldest.
pub(crate) const MOST_SESSIONS: usize = 20;

/// The newest links of a user that are good; one more ends the oldest.
pub(crate) const MOST_LINKS: i64 = 5;

/// The most sessions, and the most links, whose end with that of their tenant is recorded.
pub(crate) const MOST_RECORDED: i64 = 1_000;

/// The longest name of a browser that is kept, in characters.
const LONGEST_AGENT: usize = 200;

/// How somebody signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// By a link.
    Link,
    /// At an issuer of OpenID Connect.
    Oidc,
    /// By the link of a page.
    Page,
}

impl Method {
    /// The word used on the wire and in the database.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Oidc => "oidc",
            Self::Page => "page",
        }
    }
}

/// When a link ends that is made now.
pub(crate) fn end_of_link(now: Timestamp) -> Timestamp {
    Timestamp::from_millis(now.millis() + LINK_MINUTES * MINUTE_MS)
}

/// When a session ends that begins now, however much it is used.
pub(crate) fn end_of_session(now: Timestamp, limited: bool) -> Timestamp {
    Timestamp::from_millis(now.millis() + if limited { LIMITED_LIFE_MS } else { LIFE_MS })
}

/// The operations of a limited session besides reads, ascending. To be told of something is the right to acknowledge
/// it; all else takes the role operator, as it does by the link itself.
pub(crate) fn answers(subject: &Subject, role: Role) -> Arc<[String]> {
    let operations: &[&str] = match (subject, role >= Role::Operator) {
        (Subject::Alert(_), true) => &[
            "acknowledgeAlert",
            "closeAlert",
            "escalateAlert",
            "suppressAlert",
            "unacknowledgeAlert",
            "unsuppressAlert",
        ],
        (Subject::Alert(_), false) => &["acknowledgeAlert"],
        (Subject::Incident(_), true) => &["closeIncident"],
        (Subject::Incident(_), false) => &[],
    };
    operations.iter().map(ToString::to_string).collect()
}

/// When a session ends that was used last at `used_ms`, unless it is used again.
pub(crate) fn idle_end(used_ms: i64, expires_ms: i64) -> Timestamp {
    Timestamp::from_millis(used_ms.saturating_add(IDLE_MS).min(expires_ms))
}

/// The address of a sign-in link, as a browser opens it.
pub fn url(origin: &str, code: &Secret<String>) -> Secret<String> {
    Secret::new(format!("{origin}/auth/sign-in?code={}", code.expose()))
}

/// 404: no such session.
pub(crate) fn unknown() -> Problem {
    Problem::not_found("The session was not found.")
}

/// `SES-<uuid>`; nothing else is looked up.
pub(crate) fn is_id(text: &str) -> bool {
    text.strip_prefix(api::session::PREFIX).is_some_and(|rest| rest.len() == 36 && uuid::Uuid::try_parse(rest).is_ok())
}

/// May this user sign in? Only a person who is in use.
pub(crate) fn check_person(user: &users::Row) -> Result<(), Problem> {
    if user.is_program() {
        return Err(Problem::conflict("A program acts as this user: nobody can sign in as it."));
    }
    if !user.activated {
        return Err(Problem::conflict("The user is deactivated: activate it first."));
    }
    Ok(())
}

/// May this caller make somebody a link? A session may all that its user may; by one, a caller who is restricted to
/// operations would have what it is kept from.
pub(crate) fn check_maker(caller: &api::Caller, user: &users::Row) -> Result<(), Problem> {
    if caller.operations.is_some() {
        return Err(Problem::forbidden("A key that is restricted to certain operations cannot make sign-in links."));
    }
    if user.may() > caller.role {
        let detail =
            format!("A caller with the role {} makes no link for a user with the role {}.", caller.role, user.role);
        return Err(Problem::forbidden(detail));
    }
    Ok(())
}

/// What a browser calls itself, on one line and not too long.
pub(crate) fn agent(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(LONGEST_AGENT).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_when_it_is_idle_and_in_any_case() {
        let begun = Timestamp::from_millis(0);
        let hour = HOUR_MS;
        assert_eq!(end_of_session(begun, true).millis(), hour);
        let end = end_of_session(begun, false).millis();
        assert_eq!(end, 168 * hour);
        assert_eq!(idle_end(0, end).millis(), 12 * hour);
        assert_eq!(idle_end(100 * hour, end).millis(), 112 * hour);
        assert_eq!(idle_end(160 * hour, end).millis(), 168 * hour);
        assert_eq!(end_of_link(begun).millis(), 600_000);
    }

    #[test]
    fn a_limited_session_acknowledges_and_does_more_for_an_operator_alone() {
        let alert = Subject::Alert("ALT-1".to_owned());
        assert_eq!(&*answers(&alert, Role::Viewer), ["acknowledgeAlert"]);
        for role in [Role::Operator, Role::Admin] {
            let operations = answers(&alert, role);
            let all = ["acknowledgeAlert", "closeAlert", "escalateAlert", "suppressAlert", "unacknowledgeAlert"];
            assert_eq!(&*operations, [&all[..], &["unsuppressAlert"]].concat());
        }
        let incident = Subject::Incident("INC1".to_owned());
        assert!(answers(&incident, Role::Viewer).is_empty());
        assert_eq!(&*answers(&incident, Role::Operator), ["closeIncident"]);
    }

    #[test]
    fn ids() {
        assert!(is_id("SES-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"));
        for wrong in ["", "SES-", "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "SES-0b8f7c4e8f0e4f6e9d5a3c1d7a5b2e90"] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }

    #[test]
    fn names_of_browsers_are_short_and_of_one_line() {
        assert_eq!(agent(" Firefox\n\u{7}/1 "), "Firefox/1");
        assert_eq!(agent(&"x".repeat(999)).len(), 200);
    }
}
