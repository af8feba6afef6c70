//! Rules that map an account of the issuer to a user and a role.

use api::Role;
use base::{problem::Problem, timestamp::Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::users;

/// How long somebody may take at the issuer.
const AWAY_MS: i64 = 600_000;

/// The account that signed in at the issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    /// Its id there, for ever.
    pub(crate) subject: String,
    /// Its address of electronic mail, when the issuer has verified it.
    pub(crate) verified_email: Option<String>,
    /// Its role, when the issuer assigns roles.
    pub(crate) role: Option<Role>,
}

/// A sign-in under way at the issuer; the browser carries it, sealed.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) state: String,
    pub(crate) nonce: String,
    pub(crate) verifier: String,
    until_ms: i64,
}

impl Pending {
    pub(crate) fn new(state: String, nonce: String, verifier: String, now: Timestamp) -> Self {
        Self { state, nonce, verifier, until_ms: now.millis() + AWAY_MS }
    }

    /// Did it leave with this state, and not too long ago?
    pub(crate) fn is_answered_by(&self, state: &str, now: Timestamp) -> bool {
        use subtle::ConstantTimeEq as _;
        self.until_ms > now.millis() && bool::from(self.state.as_bytes().ct_eq(state.as_bytes()))
    }
}

/// The role of a claim: the strongest that it names, in any letter case; `viewer` when it names none.
pub(crate) fn role_of(claim: Option<&Value>) -> Role {
    let named = |value: &Value| value.as_str().and_then(|word| Role::parse(&word.to_ascii_lowercase()));
    let strongest = match claim {
        Some(Value::Array(values)) => values.iter().filter_map(named).max(),
        Some(value) => named(value),
        None => None,
    };
    strongest.unwrap_or(Role::Viewer)
}

/// The only active person with a verified address. Several people with the address are refused, as is a person who is
/// bound to an account already.
pub(crate) fn single_match(mut found: Vec<(users::Row, bool)>) -> Result<users::Row, Problem> {
    found.retain(|(user, _)| user.activated && !user.is_program());
    match (found.pop(), found.is_empty()) {
        (Some((user, false)), true) => Ok(user),
        _ => Err(no_user()),
    }
}

/// The 403 of an account that belongs to no user.
pub(crate) fn no_user() -> Problem {
    Problem::forbidden("No user here belongs to this account. Ask an administrator of Muster.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_strongest_role_of_a_claim_counts() {
        for (claim, role) in [
            (json!("Operator"), Role::Operator),
            (json!(["viewer", "admin", "other"]), Role::Admin),
            (json!(["other"]), Role::Viewer),
            (json!([]), Role::Viewer),
            (json!("administrator"), Role::Viewer),
            (json!({"role": "admin"}), Role::Viewer),
            (json!(7), Role::Viewer),
        ] {
            assert_eq!(role_of(Some(&claim)), role, "{claim}");
        }
        assert_eq!(role_of(None), Role::Viewer);
    }

    #[test]
    fn who_left_comes_back_in_time_with_its_own_state() {
        let at = Timestamp::from_millis;
        let left = Pending::new("state".to_owned(), String::new(), String::new(), at(0));
        assert!(left.is_answered_by("state", at(1)) && left.is_answered_by("state", at(599_999)));
        assert!(!left.is_answered_by("state", at(600_000)));
        assert!(!left.is_answered_by("stat", at(1)) && !left.is_answered_by("", at(1)));
    }
}
