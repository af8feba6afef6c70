//! The port of messages to people that are about no alert.

use base::timestamp::Timestamp;
use db::{Conn, Result};

/// A message to a person that is about no alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalMessage {
    /// The tenant of the person.
    pub tenant: String,
    /// The person's id.
    pub user: String,
    /// One line.
    pub subject: String,
    /// What else there is to say, in a few lines.
    pub description: String,
}

/// Sends messages to people by their contact methods.
pub trait Messages: Send + Sync {
    /// Sends messages as the notification rules of low urgency of their people say. To be called in a write, with which
    /// they commit.
    fn send(&self, conn: &mut Conn, messages: &[PersonalMessage], at: Timestamp) -> Result<()>;
}
