//! What keeps a program from its configuration.

use thiserror::Error;

/// Why there is no configuration.
#[derive(Debug, Error)]
pub enum Error {
    /// All that is wrong with the file, a line each.
    #[error("{}", .0.join("\n"))]
    File(Vec<String>),
    /// The command line or the environment.
    #[error(transparent)]
    CommandLine(#[from] clap::Error),
}
