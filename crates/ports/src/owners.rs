//! The port of machine owners.

use base::timestamp::Timestamp;
use db::{Conn, Result};

/// Whose machines are.
pub trait Owners: Send + Sync {
    /// The user group that owns a machine of a tenant; its `uniqueId`.
    fn owner(&self, conn: &mut Conn, tenant: &str, machine: &str) -> Result<Option<String>>;

    /// Who is told first when something is critical with a machine of a tenant; a user's id.
    fn called(&self, conn: &mut Conn, tenant: &str, machine: &str, at: Timestamp) -> Result<Option<String>>;
}
