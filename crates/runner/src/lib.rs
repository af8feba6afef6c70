//! The runner of scripts, which is this program on another machine: [`run()`] takes runs of custom scripts from a
//! service, carries each out as an unprivileged user in namespaces of its own, and reports what it printed and how it
//! ended.
//!
//! It is a client of the interface like any other, and knows neither a domain nor the database. For each script it
//! starts its own program again, with the command `launch` ([`launch()`]).

mod confinement;
mod credentials;
mod launch;
#[cfg(target_os = "linux")]
mod namespaces;
mod options;
mod orphans;
mod output;
mod program;
mod run;
mod service;
mod stop;
mod user;
mod workspace;

pub use crate::{
    launch::launch,
    options::{Launch, Options},
    run::run,
};
