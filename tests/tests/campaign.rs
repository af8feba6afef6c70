//! `make campaign`, small: interruptions that lose nothing, and broken promises that are noticed.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use muster_tests::{Exit, built};

/// Much longer than it takes: the last deliveries of what a killed program had in hand wait for its lease.
const LIMIT: Duration = Duration::from_secs(400);

/// Runs the program with these arguments to its end.
fn run(arguments: &[&str]) -> Exit {
    let mut command = Command::new(built("campaign"));
    Exit::within(LIMIT, command.args(arguments).stdin(Stdio::null()))
}

/// The same; what it printed, once it ended as it should.
fn campaign(arguments: &[&str]) -> String {
    let exit = run(arguments);
    assert!(exit.status.success(), "{}\n{}\n{}", exit.status, exit.stdout, exit.stderr);
    exit.stdout
}

mod sqlite {
    use super::*;

    #[test]
    fn kills_lose_nothing() {
        campaign(&["--kind", "kills", "--backend", "sqlite"]);
    }

    #[test]
    fn power_cuts_lose_nothing() {
        campaign(&["--kind", "cuts"]);
    }

    #[test]
    fn failing_calls_and_a_full_disk_lose_nothing() {
        campaign(&["--kind", "faults,full-disk"]);
    }

    #[test]
    fn events_arrive_through_kills() {
        campaign(&["--kind", "events", "--backend", "sqlite"]);
    }

    #[test]
    fn first_starts_that_are_cut_off_are_made_good() {
        campaign(&["--kind", "starts", "--backend", "sqlite", "--size", "12"]);
    }

    #[test]
    fn broken_promises_are_noticed() {
        let all = ["--kind", "kills,cuts,faults,full-disk,events", "--backend", "sqlite"];
        let printed = campaign(&[&all[..], &["--size", "1", "--control"]].concat());
        for found in ["cuts on Sqlite, round 1: Lost", "kills on Sqlite, round 1: Doubled"] {
            assert!(printed.contains(found), "{printed}");
        }
    }

    /// The control of the bound of memory: no gateway gets along with 1 MiB.
    #[test]
    #[cfg(target_os = "linux")]
    fn memory_beyond_its_bound_is_noticed() {
        let exit = run(&["--kind", "starts", "--backend", "sqlite", "--size", "1", "--memory", "1"]);
        assert_eq!(exit.status.code(), Some(1), "{}", exit.stdout);
        assert!(exit.stdout.contains(" MiB in memory, more than 1\nFAILED: "), "{}", exit.stdout);
    }
}

mod postgres {
    use super::*;

    #[test]
    fn kills_storms_and_first_starts_lose_nothing() {
        campaign(&["--kind", "kills,events,schedules,starts", "--backend", "postgres"]);
    }
}

#[test]
fn a_seed_repeats_a_run_and_mistakes_are_answered() {
    let printed = campaign(&["--kind", "kills", "--backend", "sqlite", "--size", "1", "--seed", "12345"]);
    assert!(printed.starts_with("seed 12345\n") && printed.contains("(seed 12345, "), "{printed}");
    assert!(campaign(&["--help"]).contains("--control"));
    for wrong in [
        &["--kind", "none"][..],
        &["--size", "0"],
        &["--control", "--kind", "schedules"],
        &["--memory", "much"],
        &["--fast"],
    ] {
        let status = Command::new(built("campaign")).args(wrong).stderr(Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some(2), "{wrong:?}");
    }
}
