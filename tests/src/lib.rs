//! The harness of the black-box tests: it starts the real program `muster` on SQLite or on a private
//! Postgres and speaks HTTP to it. It knows the contract (docs/interface.md) and nothing of the code.
//!
//! A test is a plain function that takes a [`Server`] (shared by all tests of the run, so it makes a
//! client tenant of its own) or a [`Backend`] (it starts, stops and kills servers itself). The macro
//! [`both_backends!`] turns it into one test per backend.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod archive;
pub mod browser;
mod certificates;
pub mod chromium;
mod client;
mod contract;
mod debian;
mod document;
pub mod oidc;
mod pauses;
mod postgres;
pub mod pressure;
mod program;
mod python;
mod raw;
pub mod receiver;
mod replication;
mod response;
mod server;
mod shared;
mod skipped;
mod unique;
mod watchdog;

use std::io::Write as _;

pub use crate::archive::ArchivedPostgres;
pub use crate::browser::Browser;
pub use crate::certificates::{Authority, IssuedCertificate};
pub use crate::client::{Client, Request, encode, http};
pub use crate::contract::validator;
pub use crate::debian::debian_programs;
pub use crate::document::parameters;
pub use crate::pauses::Pauses;
pub use crate::postgres::{fresh_database, postgres_authority, postgres_program, psql};
pub use crate::program::{
    Exit, Guard, built, muster, muster_obeying_modes, newer_source, own_memory_kib, program_at,
    without_variables_of_cargo,
};
pub use crate::python::python;
pub use crate::raw::Connection;
pub use crate::replication::ReplicatedPostgres;
pub use crate::response::Response;
pub use crate::server::{LogOnFailure, Server};
pub use crate::shared::{Shared, SharedByBackend};
pub use crate::skipped::{skipped, skipped_everywhere};
pub use crate::unique::{unique, uuid};

/// Where a server keeps its rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// A file in the server's own data directory.
    Sqlite,
    /// A database of its own in the private cluster of this test run.
    Postgres,
}

/// A test body: takes the server that all tests of a backend share, or the backend itself.
pub trait Scenario<Subject> {
    /// Runs the test; a panic is a failure and prints what the server logged meanwhile.
    fn run(self, backend: Backend);
}

impl<F: FnOnce(&Server)> Scenario<&Server> for F {
    fn run(self, backend: Backend) {
        let server = shared(backend);
        let _log = server.log_on_failure();
        self(server);
    }
}

impl<F: FnOnce(Backend)> Scenario<Backend> for F {
    fn run(self, backend: Backend) {
        self(backend);
    }
}

/// How often a long test does `what`: `quick` times, or `full` times with `MUSTER_TESTS_FULL=1`. Says so on the
/// terminal, past the capture of the test program.
pub fn rounds(what: &str, quick: usize, full: usize) -> usize {
    let all = std::env::var("MUSTER_TESTS_FULL").is_ok_and(|value| value == "1");
    let chosen = if all { full } else { quick };
    let note = if all { String::new() } else { format!(" of {full} (all with MUSTER_TESTS_FULL=1)") };
    let _ = writeln!(std::io::stderr(), "{chosen} {what}{note}");
    chosen
}

/// The one server per backend that the tests of a run share.
fn shared(backend: Backend) -> &'static Server {
    static SHARED: SharedByBackend<Server> = SharedByBackend::new();
    SHARED.get(backend, || Server::start_shared(backend))
}

/// Makes a `#[test]` per backend of each function named, in the modules `sqlite` and `postgres`.
/// A function that is left out is dead code, which the lints report.
#[macro_export]
macro_rules! both_backends {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() { $crate::Scenario::run(super::$name, $crate::Backend::Sqlite); })+
        }
        mod postgres {
            $(#[test] fn $name() { $crate::Scenario::run(super::$name, $crate::Backend::Postgres); })+
        }
    };
}

/// Makes a `#[test]` in the module `in_browser` of each function named, which looks at pages: where the browser itself
/// dies under one, that is told and the test begins anew, once. A function that is left out is dead code, which the
/// lints report.
#[macro_export]
macro_rules! in_browser {
    ($($name:ident),+ $(,)?) => {
        mod in_browser {
            $(#[test] fn $name() { $crate::chromium::once_more_after_a_crash(super::$name); })+
        }
    };
}
