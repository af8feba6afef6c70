//! What a program is configured with: an option of the command line before the environment, before a file, before the
//! default.
//!
//! The file is TOML, flat, and its names are those of the options of one command, the service. The other commands take
//! from it what they have an option for. A secret may stand in a file of its own, which `NAME-file` names.

mod configuration;
pub mod environment;
mod error;
mod file;

pub use self::{
    configuration::{Configuration, Origin, Setting, changed, read},
    error::Error,
    file::FILE,
};
