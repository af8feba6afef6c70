//! Tests that cannot look, because a program is not on this machine.

use std::io::Write as _;

/// Says on the terminal, past the capture of the test program, why a test did not look. Where `CI` is `true` this is a
/// failure: the test would pass without having looked.
#[track_caller]
pub fn skipped(why: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "skipped: {why}");
    skipped_everywhere(why);
}

/// The same for a program that CI need not have, either.
pub fn skipped_everywhere(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
