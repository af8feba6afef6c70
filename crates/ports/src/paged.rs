//! Who was told of alerts, for who keeps a copy of it.
//!
//! Pages are also stored and removed where no port is at hand, so the listener is one of the whole process.

use std::sync::OnceLock;

use db::{Conn, Result};

/// Is told of which alerts of a tenant that changes.
pub type ToldListener = fn(conn: &mut Conn, tenant: &str, alerts: &[&str]) -> Result<()>;

static LISTENER: OnceLock<ToldListener> = OnceLock::new();

/// Says who listens; the first one does.
pub fn listen_to_told(listener: ToldListener) {
    LISTENER.get_or_init(|| listener);
}

/// To be called in each write that changes what [`PagedAlerts`](crate::PagedAlerts) has of some alerts of a tenant.
pub fn told_changes(conn: &mut Conn, tenant: &str, alerts: &[&str]) -> Result<()> {
    match LISTENER.get() {
        Some(listener) if !alerts.is_empty() => listener(conn, tenant, alerts),
        _ => Ok(()),
    }
}
