//! The port of tenants.

use std::collections::HashMap;

use db::{Conn, Result};

/// What tenants are called.
pub trait Tenants: Send + Sync {
    /// The names of these tenants, by id; unknown ids are left out.
    fn names(&self, conn: &mut Conn, ids: &[String]) -> Result<HashMap<String, String>>;

    /// The partner of a tenant, which is its own; an unknown tenant is taken for one.
    fn partner(&self, conn: &mut Conn, tenant: &str) -> Result<String>;
}
