//! The port of machine owners.

use base::timestamp::Timestamp;
use db::{Conn, Result};

/// Whose machines are.
pub trait Owners: Send + Sync {
    /// The user group that owns a machine of a tenant; its `uniqueId`.
    fn owner(&self, conn: &mut Conn, tenant: &str, machine: &str) -> Result<Option<String>>;

    /// The user groups that own these machines of a tenant, in their order; of no machine (an empty id), the one that
    /// owns what has no other owner.
    fn owners(&self, conn: &mut Conn, tenant: &str, machines: &[String]) -> Result<Vec<Option<String>>>;

    /// Who is told first when something is critical with a machine of a tenant; a user's id.
    fn called(&self, conn: &mut Conn, tenant: &str, machine: &str, at: Timestamp) -> Result<Option<String>>;
}
