//! Migrations: gateways that start at once on one Postgres, and what would run.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use muster_tests::{Backend, Exit, Server, both_backends, fresh_database, muster, psql};
use serde_json::json;

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

both_backends![
    what_would_run_is_said_and_not_run,
    a_database_of_a_newer_program_is_told_and_fails,
    a_program_runs_on_tables_to_which_a_newer_one_added,
    what_a_migration_added_is_filled_in_the_background,
];

fn what_would_run_is_said_and_not_run(backend: Backend) {
    let mut server = Server::start(backend);
    let client = server.admin().tenant("client_1");
    for number in 0..3 {
        client.post("/resources", &json!({"name": format!("r{number}")})).ok();
    }
    server.stop();
    let run = |option: &str| {
        let mut command = muster();
        command.args(["migrate", option, "--data-dir"]).arg(server.data_dir());
        if let Some(url) = server.database_url() {
            command.args(["--database-url", url]);
        }
        let exit = Exit::of(&mut command);
        assert!(exit.status.success(), "{}", exit.stderr);
        exit.stdout
    };
    assert!(run("--plan").starts_with("Nothing to do: all "));
    server.sql("DELETE FROM __diesel_schema_migrations WHERE version = 'outbox0009'");
    for _ in 0..2 {
        let plan = run("--plan");
        assert!(plan.starts_with("1 migration would run, "), "{plan}");
        assert!(plan.contains(" rows, less than a second"), "{plan}");
        let step = plan.lines().find(|line| line.starts_with("  change_set_parts gets an index: ")).expect("the step");
        let rows = step.split(": ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        assert_eq!(rows, Some(0), "{plan}");
        assert_eq!(plan.contains("writes to it wait (SHARE)"), backend == Backend::Postgres, "{plan}");
    }
    let status = run("--status");
    assert!(status.contains("pending  outbox0009_") && status.contains("ran      outbox0001"), "{status}");
    assert!(status.trim_end().ends_with(" ran, 1 pending."), "{status}");
}

#[test]
fn a_plan_of_nothing_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for data in [folder.path().to_owned(), folder.path().join("missing")] {
        for option in ["--plan", "--status"] {
            let exit = Exit::of(muster().args(["migrate", option, "--data-dir"]).arg(&data));
            assert!(exit.status.success() && exit.stdout.contains("outbox0001"), "{}{}", exit.stdout, exit.stderr);
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_in_the_place_of_the_data_directory_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("muster.sqlite");
    std::fs::write(&file, "").unwrap();
    for option in ["--plan", "--status"] {
        let exit = Exit::of(muster().args(["migrate", option, "--data-dir"]).arg(&file));
        let told = exit.stderr.contains("is a file: --data-dir names the directory");
        assert!(!exit.status.success() && exit.stdout.is_empty() && told, "{}{}", exit.stdout, exit.stderr);
        let url = format!("sqlite:{}/below", file.display());
        let exit = Exit::of(muster().args(["migrate", option, "--database-url", &url]).current_dir(folder.path()));
        assert!(!exit.status.success() && exit.stderr.contains("cannot be read"), "{}{}", exit.stdout, exit.stderr);
    }
}

/// One statement waits for a lock; those behind it do not wait for long.
#[test]
fn a_migration_that_waits_for_a_lock_lets_writers_go_on() {
    let url = fresh_database();
    assert!(Exit::of(&mut migrate(&url)).status.success());
    psql(&url, "DELETE FROM __diesel_schema_migrations WHERE version = 'outbox0009'; DROP INDEX change_set_parts_rows");
    let mut other = Command::new("psql").args(["-Xq", "-d", &url]).stdin(Stdio::piped()).spawn().unwrap();
    let mut says = other.stdin.take().unwrap();
    writeln!(says, "BEGIN; LOCK TABLE change_set_parts IN ROW EXCLUSIVE MODE;").unwrap();
    let held = "SELECT count(*) FROM pg_locks WHERE relation = 'change_set_parts'::regclass AND granted";
    super::until("the lock is held", Duration::from_secs(10), || psql(&url, held).trim() == "1");
    let waiting = std::thread::spawn({
        let mut command = migrate(&url);
        move || Exit::of(&mut command)
    });
    let waits = "SELECT count(*) FROM pg_locks WHERE relation = 'change_set_parts'::regclass AND NOT granted";
    super::until("the migration waits", Duration::from_secs(10), || psql(&url, waits).trim() == "1");
    let write = "SET statement_timeout = '3s'; INSERT INTO change_set_parts VALUES ('t', 's', 'o', 1, 'r')";
    psql(&url, write);
    assert_eq!(psql(&url, "SELECT count(*) FROM change_set_parts").trim(), "1");
    drop(says);
    let _ = other.wait();
    let exit = waiting.join().unwrap();
    assert!(exit.status.success() && exit.stderr.contains("waiting for writers"), "{}", exit.stderr);
    assert_eq!(psql(&url, "SELECT count(*) FROM pg_indexes WHERE indexname = 'change_set_parts_rows'").trim(), "1");
}

fn a_program_runs_on_tables_to_which_a_newer_one_added(backend: Backend) {
    let mut server = Server::start(backend);
    server.stop();
    let columns = "INSERT INTO __diesel_schema_migrations (version, program, oldest_program) VALUES";
    server.sql(&format!("{columns} ('outbox9998', '99.1.0', '')"));
    server.sql("ALTER TABLE resources ADD COLUMN added TEXT NOT NULL DEFAULT ''");
    server.restart();
    server.admin().tenant("client_1").post("/resources", &json!({"name": "beside"})).ok();
    server.stop();
    let run = |option: &str| {
        let mut command = muster();
        command.args(["migrate", option, "--data-dir"]).arg(server.data_dir());
        if let Some(url) = server.database_url() {
            command.args(["--database-url", url]);
        }
        Exit::of(&mut command)
    };
    let status = run("--status");
    assert!(status.status.success() && status.stdout.contains("outbox9998 (Muster 99.1.0)"), "{}", status.stderr);
    server.sql(&format!("{columns} ('outbox9999', '99.2.0', '99.1.0')"));
    let plan = run("--plan");
    assert!(!plan.status.success() && plan.stderr.contains("start Muster 99.1.0, or a newer one"), "{}", plan.stderr);
}

/// What `muster migrate --status` says.
fn status(server: &Server) -> String {
    let mut command = muster();
    command.args(["migrate", "--status", "--data-dir"]).arg(server.data_dir());
    if let Some(url) = server.database_url() {
        command.args(["--database-url", url]);
    }
    let exit = Exit::of(&mut command);
    assert!(exit.status.success(), "{}", exit.stderr);
    exit.stdout
}

#[test]
fn what_older_gateways_store_after_a_backfill_is_filled_when_the_last_is_gone() {
    let mut server = Server::start(Backend::Postgres);
    let url = server.database_url().expect("it has one").to_owned();
    let client = server.admin().tenant("client_1");
    let report = json!({"currentState": "Critical", "metric": "load", "device": "d1"});
    let alert = client.post("/alerts", &report).ok()[0]["id"].as_str().unwrap().to_owned();
    client.post(&format!("/alerts/{alert}/actions/acknowledge"), &json!({})).ok();
    let finished = |server: &Server| status(server).contains("backfill alerts-acknowledged: finished at ");
    super::until("it is finished", Duration::from_secs(20), || finished(&server));
    for older in ["one", "two"] {
        psql(&url, &format!("INSERT INTO gateways VALUES ('{older}', '0.0.9', 1, extract(epoch FROM now()) * 1000)"));
    }
    psql(&url, "UPDATE alerts SET acknowledged_ms = NULL, acknowledged_by = NULL");
    let waits = "backfill alerts-acknowledged: waiting for older gateways, 0 rows done, 1 to do";
    let unfilled = || psql(&url, "SELECT count(*) FROM alerts WHERE acknowledged_by IS NULL").trim() == "1";
    // A gateway that starts looks at once, and others every half minute.
    for older in ["one", "two"] {
        server.restart();
        std::thread::sleep(Duration::from_secs(3));
        assert!(status(&server).contains(waits) && unfilled(), "{}", status(&server));
        psql(&url, &format!("DELETE FROM gateways WHERE id = '{older}'"));
    }
    server.restart();
    super::until("it is finished again", Duration::from_secs(20), || finished(&server));
    assert!(!unfilled());
}

fn what_a_migration_added_is_filled_in_the_background(backend: Backend) {
    let mut server = Server::start(backend);
    let client = server.admin().tenant("client_1");
    for (number, action) in ["acknowledge", "acknowledge", "close"].into_iter().enumerate() {
        let report = json!({"currentState": "Critical", "metric": "load", "device": format!("d{number}")});
        let alert = client.post("/alerts", &report).ok()[0]["id"].as_str().unwrap().to_owned();
        client.post(&format!("/alerts/{alert}/actions/{action}"), &json!({})).ok();
    }
    // As a gateway of an older version left them.
    server.stop();
    server.sql("UPDATE alerts SET acknowledged_ms = NULL, acknowledged_by = NULL");
    server.sql("DELETE FROM backfills");
    let pending = "backfill alerts-acknowledged: 0 rows done, 3 to do";
    assert!(status(&server).contains(pending), "{}", status(&server));
    if backend == Backend::Postgres {
        server.sql("INSERT INTO gateways VALUES ('older', '0.0.9', 1, (extract(epoch FROM now()) * 1000)::bigint)");
        server.restart();
        std::thread::sleep(Duration::from_secs(4));
        let beside = status(&server);
        let waits = "backfill alerts-acknowledged: waiting for older gateways, 0 rows done, 3 to do";
        assert!(beside.contains(waits) && beside.contains("gateway  of Muster 0.0.9: older"), "{beside}");
        let own = format!("/{}/", server.pid());
        assert!(beside.lines().any(|line| line.starts_with("gateway  ") && line.contains(&own)), "{beside}");
        assert!(server.get("/metrics").text().contains("muster_backfills_unfinished 2"));
        server.stop();
        server.sql("DELETE FROM gateways");
    }
    server.restart();
    super::until("the alerts are filled", Duration::from_secs(20), || {
        status(&server).contains("backfill alerts-acknowledged: finished at ")
    });
    assert!(status(&server).contains(", 3 rows"), "{}", status(&server));
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("muster_backfill_rows{backfill=\"alerts-acknowledged\"} 3"), "{metrics}");
    // A key that is taken fails unless two alerts, and not the one that was only closed, are filled.
    server.stop();
    let filled = "SELECT count(*) FROM alerts WHERE acknowledged_ms IS NOT NULL AND acknowledged_by IS NOT NULL";
    server.sql("INSERT INTO counters (name, value) VALUES ('taken', 1)");
    server.sql(&format!("INSERT INTO counters (name, value) SELECT 'taken', 2 WHERE ({filled}) <> 2"));
}

fn a_database_of_a_newer_program_is_told_and_fails(backend: Backend) {
    let mut server = Server::start(backend);
    server.stop();
    for (program, told) in
        [("NULL", "made by a newer Muster (outbox9999)"), ("'99.1.0'", "start Muster 99.1.0, or a newer one")]
    {
        server.sql("DELETE FROM __diesel_schema_migrations WHERE version = 'outbox9999'");
        let columns = "INSERT INTO __diesel_schema_migrations (version, program) VALUES";
        server.sql(&format!("{columns} ('outbox9999', {program})"));
        for option in [Some("--plan"), Some("--status"), None] {
            let mut command = muster();
            command.arg("migrate").args(option).arg("--data-dir").arg(server.data_dir());
            if let Some(url) = server.database_url() {
                command.args(["--database-url", url]);
            }
            let exit = Exit::of(&mut command);
            assert!(!exit.status.success() && exit.stderr.contains(told), "{option:?} {}{}", exit.stdout, exit.stderr);
            assert!(!exit.stderr.contains("a newer Muster or"), "{}", exit.stderr);
            assert_eq!(exit.stdout.contains("outbox9999"), option == Some("--status"), "{}", exit.stdout);
        }
    }
}
