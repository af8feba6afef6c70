//! What an alert would be.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use serde_json::Value;

use crate::KnownResource;

/// The alert that a report would make.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldAlert {
    /// The resource that it is about.
    pub resource: Option<KnownResource>,
    /// Why it is about none, when the report names one.
    pub problem: Option<&'static str>,
    /// As clients would see it; what rules are compared with.
    pub alert: Value,
}

/// What alerts would be.
pub trait Alerts: Send + Sync {
    /// The alert that a report of a tenant would make at an instant, read exactly as one that is taken in; nothing is
    /// stored. `scope` are the tenants whose resources it may name.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    fn told(&self, conn: &mut Conn, tenant: &str, scope: &[String], report: &Value, at: Timestamp)
    -> Result<ToldAlert>;
}
