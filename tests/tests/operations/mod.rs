//! Running it: load, limits, metrics, TLS, backups, and what happens when the machine fails.

mod backup;
mod check;
mod demo;
#[cfg(target_os = "linux")]
mod disk;
mod load;
mod metrics;
mod partitions;
mod postgres_tls;
mod rates;
mod stalled;
mod streams;
mod tls;

/// Tests that need the machine for themselves (their figures are wrong beside a build) run with `MUSTER_TESTS_FULL=1`
/// alone; otherwise they say that they skip.
fn skipped(test: &str) -> bool {
    let full = std::env::var("MUSTER_TESTS_FULL").is_ok_and(|value| value == "1");
    if !full {
        eprintln!("skipped: {test} runs with MUSTER_TESTS_FULL=1");
    }
    !full
}
