//! The port of maintenance windows.

use base::timestamp::Timestamp;
use db::{Conn, Result};

/// A maintenance window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The tenant that owns it: that of the resource, or its partner.
    pub tenant_id: String,
    /// `SM-<uuid>`.
    pub unique_id: String,
    /// Its name.
    pub name: String,
}

/// A window that is open and covers a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// Which window.
    pub window: Window,
    /// When this occurrence began.
    pub since: Timestamp,
    /// When it ends, this instant not included.
    pub until: Timestamp,
    /// Are alerts that are still open afterwards to be escalated?
    pub run_escalation_action: bool,
}

/// What a window needs to know of an alert.
#[derive(Clone, Copy, Debug)]
pub struct AlertFacts<'a> {
    /// The tenant that owns the resource.
    pub tenant_id: &'a str,
    /// The id of the resource.
    pub resource_id: &'a str,
    /// The alert as clients see it; the keys of rules are looked up in it, nested ones by their path.
    pub alert: &'a serde_json::Value,
}

/// Which machines are in maintenance.
pub trait Maintenance: Send + Sync {
    /// The windows that are open at an instant and cover each of these resources (tenant and id), in their order.
    fn covering(&self, conn: &mut Conn, resources: &[(String, String)], at: Timestamp) -> Result<Vec<Vec<Cover>>>;

    /// The windows that make each of these alerts a maintenance alert, in their order: they are open, cover the
    /// resource, and their conditions match. Of several, the one that counts is the first, which is open longest.
    fn catching(&self, conn: &mut Conn, alerts: &[AlertFacts<'_>], at: Timestamp) -> Result<Vec<Vec<Cover>>>;

    /// Until when each of these windows is open, in their order; `None` for one that is not open at that instant, or
    /// not there any more.
    fn open_until(&self, conn: &mut Conn, windows: &[Window], at: Timestamp) -> Result<Vec<Option<Timestamp>>>;

    /// Are alerts that are still open after each of these windows to be escalated, as the windows say now, in their
    /// order; `None` for one that is not there any more.
    fn escalating(&self, conn: &mut Conn, windows: &[Window]) -> Result<Vec<Option<bool>>>;
}
