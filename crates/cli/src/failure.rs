//! Why a call came to nothing, and how that is said.

use std::io::{self, Read as _, Write as _, stderr};

use reqwest::blocking::Response;
use serde_json::Value;

/// Why a call came to nothing.
pub enum Failure {
    /// The command line is wrong: each error. Nothing was sent.
    Usage(Vec<String>),
    /// The service said no, or something that is not an answer.
    Refused(String),
    /// There was no answer.
    Unreachable(String),
    /// Nobody takes what is printed.
    Output(io::Error),
}

/// An answer as a whole, when it is no longer than `most` bytes.
///
/// # Errors
/// When it is, or ends early.
pub fn read_body(answer: Response, most: u64) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    answer.take(most + 1).read_to_end(&mut body).map_err(|error| ended_early(&error))?;
    if u64::try_from(body.len()).is_ok_and(|length| length > most) {
        return Err(Failure::Refused(format!(
            "the answer is larger than {} MiB; --output json passes it on",
            most >> 20
        )));
    }
    Ok(body)
}

/// The value that an answer is.
///
/// # Errors
/// When it is not JSON.
pub fn parse(body: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure::Refused(format!("the answer is not JSON: {error}")))
}

/// An answer that ended early.
pub fn ended_early(error: &std::io::Error) -> Failure {
    Failure::Unreachable(format!("the answer ended early: {error}"))
}

/// Says something beside the answer.
pub fn print_error(text: &str) {
    // Anyone who does not listen is not told.
    let _ = writeln!(stderr().lock(), "{text}");
}
