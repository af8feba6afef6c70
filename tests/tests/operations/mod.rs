//! Running it: load, limits, metrics, TLS, backups, and what happens when the machine fails.

mod audit;
mod background;
mod backup;
mod backup_folder;
mod broken_connections;
mod check;
mod client;
#[cfg(target_os = "linux")]
mod clocks;
mod configuration;
mod configuration_changes;
mod configuration_of_partners;
mod costs;
mod crowds;
mod database_moves;
mod demo;
#[cfg(target_os = "linux")]
mod disk;
mod doctor;
mod goaway;
mod greedy;
mod greedy_background;
mod hardening;
mod http2;
mod load;
mod log;
mod metrics;
mod migrations;
mod months;
mod moving_in;
mod operator;
mod options;
mod owners;
mod partitions;
mod pipelined;
mod point_in_time;
mod pooler;
mod postgres_tls;
mod rates;
mod readiness;
mod replica;
mod restarts;
mod retention;
mod sealing_keys;
mod settings;
mod shares;
mod shells;
mod stalled;
mod standstill;
mod starts;
mod stops;
mod streams;
mod tls;
mod traces;
mod undo_sequences;
#[cfg(target_os = "linux")]
mod unread;
mod workers;

use muster_tests::receiver::wait_for;

/// Waits until something is so, for so long at most.
#[track_caller]
fn until(what: &str, within: std::time::Duration, is_so: impl FnMut() -> bool) {
    wait_for(within, is_so, || what.to_owned());
}

/// Tests that need the machine for themselves (their figures are wrong beside a build) run with `MUSTER_TESTS_FULL=1`
/// alone; otherwise they say that they skip.
fn skipped(test: &str) -> bool {
    if !full_size() {
        eprintln!("skipped: {test} runs with MUSTER_TESTS_FULL=1");
    }
    !full_size()
}

/// Is the machine there for these tests alone?
fn full_size() -> bool {
    std::env::var("MUSTER_TESTS_FULL").is_ok_and(|value| value == "1")
}

/// Resident memory of a server in MiB, now, but for the program itself.
#[cfg(target_os = "linux")]
fn memory_mib(server: &muster_tests::Server) -> u64 {
    server.own_memory_kib().unwrap_or_default() / 1024
}
