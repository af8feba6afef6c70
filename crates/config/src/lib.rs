//! What a program is configured with: an option of the command line before the environment, before a file, before the
//! default.
//!
//! The file is TOML, flat, and its names are those of the options of one command, the service. The other commands take
//! from it what they have an option for. A secret may stand in a file of its own, which `NAME-file` names there, and a
//! variable that ends in `_FILE` in the environment.

mod configuration;
pub mod environment;
mod error;
mod file;
mod origin;
mod secrecy;
pub mod values;

pub use self::{
    configuration::{Configuration, Setting, changed, read},
    error::Error,
    file::FILE,
    origin::Origin,
};
