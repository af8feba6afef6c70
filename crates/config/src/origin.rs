//! Where values are from.

use std::{
    fmt::{self, Display, Formatter},
    path::PathBuf,
};

/// Where a value is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An option of the command line.
    Option,
    /// This variable of the environment.
    Environment(String),
    /// This file.
    File(PathBuf),
    /// Nobody says anything else.
    Default,
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option => f.write_str("option"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}
