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

/// What somebody does with an alert without a request of their own: by a link in a message.
#[derive(Clone, Copy, Debug)]
pub struct AlertDeed<'a> {
    /// The tenant of the alert.
    pub tenant: &'a str,
    /// `ALT-<uuid>`.
    pub id: &'a str,
    /// Who does it.
    pub user: &'a str,
    /// By what, as the audit log has it in place of a key.
    pub by: &'a str,
    /// The request, as the audit log has it.
    pub request: &'a str,
    /// What is done.
    pub what: AlertAct,
    /// What they have to say.
    pub note: &'a str,
}

/// What can be done with an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertAct {
    /// Somebody works on it.
    Acknowledge,
    /// It is over.
    Close,
    /// Nobody needs to hear of it until then.
    Suppress(Timestamp),
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

    /// The alert with this id among those of these tenants, as clients see it at an instant.
    fn find(&self, _conn: &mut Conn, _tenants: &[String], _id: &str, _at: Timestamp) -> Result<Option<Value>> {
        Ok(None)
    }

    /// Does something with an alert, in the name of a person: with its row of the audit log and its event. To be called in a
    /// write.
    ///
    /// # Errors
    /// 404 for an unknown alert, 409 when its state does not allow it.
    fn act(&self, _conn: &mut Conn, _deed: AlertDeed<'_>, _at: Timestamp) -> Result<Value> {
        Err(base::Problem::not_found("The alert was not found.").into())
    }
}
