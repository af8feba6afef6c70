//! What is installed, for other domains.

use db::{Conn, Result};
use ports::{IntegrationSummary, Integrations};

use super::{store, wire::InstalledIntegration};
use crate::notifier;

/// Answers what is installed.
#[derive(Clone, Copy, Debug)]
pub struct InstalledIntegrations;

impl Integrations for InstalledIntegrations {
    fn installed(&self, conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<IntegrationSummary>> {
        let row = store::find(conn, tenants, id)?;
        Ok(row.map(|row| {
            let InstalledIntegration { id, display_name, integration, .. } = InstalledIntegration::of(&row);
            let notifier = row.notifier();
            let host = notifier::host_of(notifier.as_ref()).unwrap_or_default();
            let is_called = row.enabled && notifier.is_some();
            let kind_name = integration.name.to_owned();
            IntegrationSummary { id, display_name, kind: integration.id, kind_name, host, is_called }
        }))
    }
}
