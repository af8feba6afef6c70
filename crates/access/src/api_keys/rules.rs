//! Which API keys there are, and which may go.

use api::Role;
use base::{
    problem::Problem,
    tenant::{Level, TenantId},
};

/// The 404 of an API key.
pub(crate) fn unknown() -> Problem {
    Problem::not_found("The API key was not found.")
}

/// `KEY-<uuid>`; nothing else is looked up.
pub(crate) fn is_id(text: &str) -> bool {
    text.strip_prefix("KEY-").is_some_and(|rest| rest.len() == 36 && uuid::Uuid::try_parse(rest).is_ok())
}

/// May a key of this role be revoked, while its tenant has `admins` live admin keys? A partner without one could
/// never make another; a client's keys its partner makes.
pub(crate) fn check_revocable(tenant: &TenantId, role: &str, admins: i64) -> Result<(), Problem> {
    if tenant.level() == Level::Partner && role == Role::Admin.as_str() && admins <= 1 {
        let detail = "This is the last admin key of the partner: create or keep another one first.";
        return Err(Problem::conflict(detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_admin_key_of_a_partner_stays() {
        let (partner, client) = (TenantId::partner(1), TenantId::client(1));
        assert!(check_revocable(&partner, "admin", 1).is_err());
        assert!(check_revocable(&partner, "admin", 2).is_ok());
        assert!(check_revocable(&partner, "viewer", 1).is_ok());
        assert!(check_revocable(&client, "admin", 1).is_ok());
    }

    #[test]
    fn ids() {
        assert!(is_id("KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"));
        for wrong in ["", "KEY-", "0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "KEY-0b8f7c4e8f0e4f6e9d5a3c1d7a5b2e90"] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }
}
