//! The error of a refused report.

use std::fmt;

/// The kind of a refusal, by which HTTP chooses a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The bytes are not a well-formed report (400).
    Malformed,
    /// A bound was passed: inflated size, number of values (413).
    TooLarge,
}

/// A refusal with a message that may be shown to the sender.
///
/// The message names the fault and its place (line, byte or section path) and
/// never repeats the content of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportError {
    kind: ErrorKind,
    message: String,
}

impl ReportError {
    pub(super) fn malformed(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Malformed, message: message.into() }
    }

    pub(super) fn too_large(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::TooLarge, message: message.into() }
    }

    /// The kind of the refusal.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The public text.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReportError {}
