//! The port of installed integrations.

use db::{Conn, Result};

/// An installed integration, as other domains show one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegrationSummary {
    /// `INTG-<uuid>`.
    pub id: String,
    /// What people call it.
    pub display_name: String,
    /// What was installed: `CUSTOM`.
    pub kind: String,
    /// The name of that.
    pub kind_name: String,
    /// The host that its notifier calls; empty without one.
    pub host: String,
    /// Is it called: is it enabled, and has it a notifier?
    pub is_called: bool,
}

/// What is installed.
pub trait Integrations: Send + Sync {
    /// The integration with this id among those of these tenants.
    fn installed(&self, conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<IntegrationSummary>>;
}
