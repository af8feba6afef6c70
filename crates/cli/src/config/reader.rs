//! Reading of a tenant, for commands of other crates.

use serde_json::Value;

use super::{
    commands::connect,
    service::{Refusal, Service},
};
use crate::{operations, options::ConnectionOptions, problem};

/// A tenant that is read.
pub struct Reader<'r, 'd>(&'r mut Service<'d>);

/// Why nothing was read.
#[derive(Debug)]
pub struct ReadError {
    /// The status of the answer; [`None`] when there was no answer that can be read.
    pub status: Option<u16>,
    /// The reason, for people.
    pub text: String,
}

impl From<Refusal> for ReadError {
    fn from(refusal: Refusal) -> Self {
        let status = if let Refusal::Status(status, _) = &refusal { Some(status.as_u16()) } else { None };
        Self { status, text: problem::plain(&refusal.text()) }
    }
}

impl Reader<'_, '_> {
    /// What an operation answers. `ids` fill its path behind the tenant.
    ///
    /// # Errors
    /// What the service refused, or why there is no answer.
    pub fn object(&mut self, operation: &str, ids: &[&str], query: &[(&str, &str)]) -> Result<Value, ReadError> {
        Ok(self.0.read(operation, ids, query)?)
    }

    /// The rows of all pages of a list.
    pub fn rows(&mut self, operation: &str, query: &[(&str, &str)]) -> Result<Vec<Value>, ReadError> {
        Ok(self.0.rows(operation, &[], query)?)
    }
}

/// Does something with the tenant that options, profile and environment name. `document` makes the OpenAPI document.
///
/// # Errors
/// What is wrong with these, or what the work ends with.
pub fn read<R>(
    options: &ConnectionOptions,
    document: impl FnOnce() -> anyhow::Result<Value>,
    work: impl FnOnce(&mut Reader<'_, '_>) -> anyhow::Result<R>,
) -> anyhow::Result<R> {
    let document = document()?;
    let operations = operations::all(&document);
    let fault = |errors: Vec<String>| {
        let texts: Vec<&str> = errors.iter().map(|error| error.trim_start_matches("muster: ")).collect();
        anyhow::Error::msg(problem::plain(&texts.join("\n")))
    };
    let mut service = connect(options, &operations).map_err(fault)?;
    work(&mut Reader(&mut service))
}
