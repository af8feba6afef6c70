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

/// What clap says first, as one line.
pub(crate) fn first_lines(text: &str) -> String {
    let summary = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    summary.split_whitespace().collect::<Vec<_>>().join(" ")
}
