//! What goes wrong.

use std::{collections::BTreeMap, fmt, time::Duration};

use crate::models::Problem;

/// What a call gives.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call gave nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The service refused it.
    Refused(Box<Refusal>),
    /// There was no answer.
    Lost(reqwest::Error),
    /// What was asked or answered is not what the document of the interface has.
    Unreadable(String),
}

/// A request that the service refused.
#[derive(Debug)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// What the service says about it, when it does.
    pub problem: Option<Problem>,
    /// After which time to try again.
    pub retry_after: Option<Duration>,
    pub(crate) told: String,
}

impl Refusal {
    /// A stable code, such as `0003` of what is not found.
    pub fn code(&self) -> &str {
        self.problem.as_ref().map_or("", |problem| &problem.code)
    }

    /// What is wrong with each field of the request.
    pub fn fields(&self) -> BTreeMap<&str, &str> {
        let errors = self.problem.iter().flat_map(|problem| problem.errors.iter().flatten());
        errors.map(|error| (error.field_name.as_str(), error.message.as_str())).collect()
    }
}

impl Error {
    /// The refusal, when the service refused it.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Lost(_) | Self::Unreadable(_) => None,
        }
    }

    pub(crate) fn unreadable(cause: impl fmt::Display) -> Self {
        Self::Unreadable(cause.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => f.write_str(&refusal.told),
            Self::Lost(cause) => write!(f, "no answer: {cause}"),
            Self::Unreadable(cause) => write!(f, "not as the interface has it: {cause}"),
        }
    }
}

impl std::error::Error for Error {}
