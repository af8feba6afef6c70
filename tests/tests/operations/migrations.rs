//! Gateways that start at once on one Postgres.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use muster_tests::{Exit, fresh_database, muster, psql};

/// The lock that a migration holds, as its number is written down in `crates/db`.
const LOCK: i64 = 0x4d75_7374_6572;

/// The locks that are held in this database: others have tests of their own.
const HELD: &str = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted \
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

fn migrate(url: &str) -> Command {
    let mut command = muster();
    command.args(["migrate", "--database-url", url, "--data-dir"]).arg(std::env::temp_dir());
    command
}

#[test]
fn who_waits_for_the_migration_of_another_says_so() {
    let url = fresh_database();
    let mut other = Command::new("psql").args(["-Xq", "-d", &url]).stdin(Stdio::piped()).spawn().unwrap();
    let mut says = other.stdin.take().unwrap();
    writeln!(says, "SELECT pg_advisory_lock({LOCK});").unwrap();
    super::until("the lock is held", Duration::from_secs(10), || psql(&url, HELD).trim() == "1");
    let waiting = std::thread::spawn({
        let mut command = migrate(&url);
        move || Exit::of(&mut command)
    });
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(psql(&url, "SELECT count(*) FROM pg_tables WHERE tablename = 'tenants'").trim(), "0");
    drop(says);
    let _ = other.wait();
    let exit = waiting.join().unwrap();
    assert!(
        exit.status.success() && exit.stderr.contains("waiting for another gateway's migration"),
        "{}",
        exit.stderr
    );
    assert_eq!(psql(&url, "SELECT count(*) FROM pg_tables WHERE tablename = 'tenants'").trim(), "1");
}

/// A migration is one transaction: a lock that somebody left behind keeps nobody from a database that is up to date.
#[test]
fn what_is_up_to_date_needs_no_lock() {
    let url = fresh_database();
    assert!(Exit::of(&mut migrate(&url)).status.success());
    let mut other = Command::new("psql").args(["-Xq", "-d", &url]).stdin(Stdio::piped()).spawn().unwrap();
    let mut says = other.stdin.take().unwrap();
    writeln!(says, "SELECT pg_advisory_lock({LOCK});").unwrap();
    super::until("the lock is held", Duration::from_secs(10), || psql(&url, HELD).trim() == "1");
    let exit = Exit::within(Duration::from_secs(10), &mut migrate(&url));
    assert!(exit.status.success() && !exit.stderr.contains("waiting"), "{}", exit.stderr);
    drop(says);
    let _ = other.wait();
}

#[test]
fn several_migrate_at_once_and_a_kill_leaves_nothing_held() {
    let url = fresh_database();
    let mut killed = muster_tests::Guard::spawn(&mut migrate(&url));
    std::thread::sleep(Duration::from_millis(150));
    let _ = killed.process().kill();
    let all: Vec<_> = (0..4)
        .map(|_| {
            let mut command = migrate(&url);
            std::thread::spawn(move || Exit::of(&mut command))
        })
        .collect();
    for one in all {
        let exit = one.join().unwrap();
        assert!(exit.status.success(), "{}", exit.stderr);
    }
    assert_eq!(psql(&url, HELD).trim(), "0");
}
