//! The port of sessions that begin by the link of a page.

use base::{secret::Secret, timestamp::Timestamp};
use db::{Conn, Result};

/// The alert or the incident of a page, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageSubject<'a> {
    /// An alert.
    Alert(&'a str),
    /// An incident.
    Incident(&'a str),
}

/// A browser in which somebody wants a session by the link of a page.
#[derive(Clone, Copy, Debug)]
pub struct LinkVisit<'a> {
    /// The tenant of the alert or the incident.
    pub tenant: &'a str,
    /// What the session may answer.
    pub subject: PageSubject<'a>,
    /// The person to whom the link was sent: of the tenant, or of its partner.
    pub user: &'a str,
    /// The token of the link, in one spelling.
    pub token: &'a str,
    /// What the browser calls itself.
    pub user_agent: &'a str,
    /// The token of the session that the browser has.
    pub cookie: Option<&'a Secret<String>>,
    /// The id of the request, for the audit log.
    pub request: &'a str,
}

/// The outcome of a visit.
#[derive(Debug)]
pub enum SessionStart {
    /// A session has begun.
    Begun {
        /// The value of its cookie.
        token: Secret<String>,
        /// How long it lasts.
        seconds: i64,
    },
    /// The browser has a session that may do this, or more.
    Present,
    /// A session began by this link before.
    Used,
}

/// The sessions of people.
pub trait Sessions: Send + Sync {
    /// Begins a session of an hour that reads the tenant, and answers what the link is about.
    ///
    /// # Errors
    /// 403 when the tenant of the person is suspended, 409 when the person does not sign in.
    fn begin(&self, conn: &mut Conn, visit: &LinkVisit<'_>, now: Timestamp) -> Result<SessionStart>;
}
