//! Outgoing messages, and the sealed secrets that sending takes.

use std::{future::Future, pin::Pin};

use base::{secret::Secret, timestamp::Timestamp};
use db::Result;

/// The row and column that a secret stands in. What was sealed for one place opens in no other.
#[derive(Clone, Copy, Debug)]
pub struct SealedAt<'a> {
    /// The tenant of the row.
    pub tenant: &'a str,
    /// The table.
    pub table: &'static str,
    /// The row's id.
    pub row: &'a str,
    /// The column.
    pub column: &'static str,
}

/// Seals secrets under a key that is not in the database.
pub trait Seals: Send + Sync {
    /// Seals a secret for its place.
    fn seal(&self, place: SealedAt<'_>, secret: &Secret<String>) -> Result<String>;

    /// Opens what was sealed for this place; `None` for what was changed, or belongs elsewhere.
    fn open(&self, place: SealedAt<'_>, sealed: &str) -> Result<Option<Secret<String>>>;

    /// Is this sealed under the key in use?
    fn is_current(&self, sealed: &str) -> bool;
}

/// The recipient of a message.
#[derive(Clone, Debug)]
pub enum Recipient {
    /// A `POST` to a URL, which may be a secret as its headers may be.
    Url {
        /// Where.
        url: Secret<String>,
        /// Names and values, `Content-Type` among them.
        headers: Vec<(String, Secret<String>)>,
    },
    /// The notifier of an installed integration, with its credentials and signature.
    Integration {
        /// The tenant that has it.
        tenant_id: String,
        /// `INTG-<uuid>`.
        id: String,
    },
    /// An email address.
    Mail(Mail),
}

/// The fields of a mail besides its plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mail {
    /// The address.
    pub to: String,
    /// One line.
    pub subject: String,
    /// The same text for programs that show HTML.
    pub html: String,
    /// What mails of one conversation share; it becomes their `References`.
    pub thread: String,
}

/// Something to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The same on each attempt, so that the recipient can detect a repetition.
    pub id: String,
    /// Whom to.
    pub to: Recipient,
    /// The body, or the plain text of a mail.
    pub body: String,
}

/// Why something was not sent. The sentence holds no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendError {
    /// What happened.
    pub why: String,
    /// What the other side answered, if it did.
    pub status: Option<u16>,
    /// How long the other side asks to be left alone.
    pub wait_ms: Option<i64>,
    /// Is it of no use to try again?
    pub for_good: bool,
}

impl SendError {
    /// With this sentence; it may be tried again.
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), status: None, wait_ms: None, for_good: false }
    }
}

/// What a sending comes to: the status that was answered, or why there is none that will do.
pub type Sending<'a> = Pin<Box<dyn Future<Output = std::result::Result<u16, SendError>> + Send + 'a>>;

/// Sends, within the bounds of time and place that are set for all that leaves the service.
pub trait Sends: Send + Sync {
    /// May this URL be called?
    ///
    /// # Errors
    /// What is wrong with it, to be read after the name of its field.
    fn check_url(&self, text: &str) -> std::result::Result<(), String>;

    /// Is there a mail server?
    fn has_mail(&self) -> bool;

    /// Sends something; answers once the other side has it.
    fn send(&self, outgoing: Outgoing, now: Timestamp) -> Sending<'_>;
}

/// What was read, or why nothing was.
pub type Reading<'a> = Pin<Box<dyn Future<Output = std::result::Result<Vec<u8>, SendError>> + Send + 'a>>;

/// Reads what stands at URLs, within the bounds of time and place that are set for all that leaves the service.
pub trait ReadsUrls: Send + Sync {
    /// As [`Sends::check_url`].
    ///
    /// # Errors
    /// What is wrong with it, to be read after the name of its field.
    fn check_url(&self, text: &str) -> std::result::Result<(), String>;

    /// Reads what a URL answers; more than `most` bytes, and any answer but a 200, are an error.
    fn read<'a>(&'a self, url: &'a str, most: usize) -> Reading<'a>;
}
