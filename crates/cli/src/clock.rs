//! The clock of commands for people.

use base::timestamp::Timestamp;

/// The present second.
///
/// # Errors
/// When the clock of the machine is before 1970.
#[expect(clippy::disallowed_methods, reason = "a command for people, on their machine")]
pub fn now() -> anyhow::Result<Timestamp> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Ok(Timestamp::from_millis(i64::try_from(since.as_secs())?.saturating_mul(1_000)))
}
