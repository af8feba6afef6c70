//! How many inbound addresses there are, and what their ids look like.

use base::problem::Problem;

/// The most inbound addresses of a tenant.
pub(crate) const MOST: i64 = 1_000;

/// 404: no such inbound address.
pub(crate) fn unknown() -> Problem {
    Problem::not_found("The inbound address was not found.")
}

/// The 409 of one too many.
pub(crate) fn too_many() -> Problem {
    Problem::conflict(format!("A tenant has at most {MOST} inbound addresses: delete one that is no longer used."))
}

/// `INB-<uuid>`; nothing else is looked up.
pub(crate) fn is_id(text: &str) -> bool {
    text.strip_prefix("INB-").is_some_and(|rest| rest.len() == 36 && uuid::Uuid::try_parse(rest).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        assert!(is_id("INB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"));
        for wrong in ["", "INB-", "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }
}
