//! Backups without a job: `--backup-to`, and the way back with `muster restore`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use muster_tests::{Backend, Exit, Server, fresh_database, muster};
use serde_json::json;

use super::until;

/// The copies in a folder, oldest first.
fn copies(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.starts_with("muster-") && name.ends_with("Z.sqlite"));
    names.sort();
    names
}

/// `2026-11-27T20:45:00Z` of `muster-20261127T204500Z.sqlite`.
fn time(name: &str) -> String {
    let digits = name.trim_start_matches("muster-");
    let part = |from: usize, to: usize| &digits[from..to];
    let date = format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8));
    format!("{date}T{}:{}:{}Z", part(9, 11), part(11, 13), part(13, 15))
}

fn restore(server: &Server, folder: &Path, at: &str) -> Exit {
    let mut command = muster();
    command.args(["restore", "--at", at, "--data-dir"]).arg(server.data_dir()).arg("--from").arg(folder);
    Exit::of(&mut command)
}

#[test]
fn a_database_goes_back_to_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let backups = folder.path().join("backups");
    let arguments = ["--backup-to", &backups.display().to_string(), "--every", "1s"];
    let mut server = Server::start_with(Backend::Sqlite, &arguments);
    let client = server.admin().tenant("client_1");
    let two_more = |since: usize| {
        until("there are newer backups", Duration::from_secs(20), || copies(&backups).len() >= since + 2);
        copies(&backups).last().cloned().unwrap()
    };
    client.post("/resources", &json!({"name": "before"})).ok();
    let then = time(&two_more(copies(&backups).len()));
    std::thread::sleep(Duration::from_millis(1_100));
    client.post("/resources", &json!({"name": "after"})).ok();
    two_more(copies(&backups).len());
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("\nmuster_backup_age_seconds "), "{metrics}");
    assert!(metrics.contains("\nmuster_backup_failures_total{} 0"), "{metrics}");
    let doctor = Exit::of(
        muster().args(["doctor", "--data-dir"]).arg(server.data_dir()).args(&arguments[..2]).args(&arguments[2..]),
    );
    assert!(doctor.stdout.contains("ok    backup: the last is of "), "{}{}", doctor.stdout, doctor.stderr);
    let refused = restore(&server, &backups, &then);
    assert!(!refused.status.success() && refused.stderr.contains("another `muster serve` runs"), "{}", refused.stderr);
    server.stop();

    let early = restore(&server, &backups, "2026-01-01T00:00:00Z");
    assert!(!early.status.success() && early.stderr.contains("the oldest backup is of"), "{}", early.stderr);
    let restored = restore(&server, &backups, &then);
    assert!(restored.status.success(), "{}", restored.stderr);
    let former = restored.stdout.lines().find_map(|line| line.strip_prefix("the former database is ")).unwrap();
    assert!(Path::new(former).is_file());
    server.restart();
    let list = |server: &Server| {
        let list = server.admin().tenant("client_1").get("/resources/minimal").list();
        list.iter().map(|row| row["name"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(&server), ["before"]);
    server.stop();
    // The former database is whole.
    fs::rename(former, server.data_dir().join("muster.sqlite")).unwrap();
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(server.data_dir().join(format!("muster.sqlite{ending}")));
    }
    server.restart();
    let mut both = list(&server);
    both.sort();
    assert_eq!(both, ["after", "before"]);
}

#[test]
fn what_cannot_be_backed_up_or_restored_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let serve = |more: &[&str]| Exit::of(muster().args(["serve", "--data-dir"]).arg(folder.path()).args(more));
    let exit = serve(&["--database-url", &fresh_database(), "--backup-to", "/tmp/backups", "--listen", "127.0.0.1:0"]);
    assert!(!exit.status.success() && exit.stderr.contains("Postgres has programs of its own"), "{}", exit.stderr);
    let exit = serve(&["--every", "500ms"]);
    assert!(!exit.status.success() && exit.stderr.contains("a time from 1s to 7d"), "{}", exit.stderr);
    let restore = |more: &[&str]| Exit::of(muster().args(["restore", "--data-dir"]).arg(folder.path()).args(more));
    let empty = tempfile::tempdir().unwrap();
    let exit = restore(&["--backup-to", &empty.path().display().to_string()]);
    assert!(!exit.status.success() && exit.stderr.contains("holds no backup"), "{}", exit.stderr);
    let exit = restore(&["--backup-to", "/nowhere/at/all"]);
    assert!(exit.stderr.contains("there is no directory /nowhere/at/all: name that of the backups"), "{}", exit.stderr);
    let exit = restore(&["--backup-to", &empty.path().display().to_string(), "--at", "yesterday"]);
    assert!(exit.stderr.contains("such as 2026-11-27T20:45:00Z"), "{}", exit.stderr);
    // A damaged copy changes nothing.
    fs::write(empty.path().join("muster-20261127T204500Z.sqlite"), "damaged").unwrap();
    let exit = restore(&["--backup-to", &empty.path().display().to_string()]);
    let told = exit.stderr.contains("is not good") && exit.stderr.contains("none before it is good");
    assert!(!exit.status.success() && told, "{}", exit.stderr);
    assert!(!folder.path().join("muster.sqlite").exists());
}

/// A copy of the database of a server in this folder, under this time of November 2026.
fn copy(server: &Server, folder: &Path, time: &str) {
    let file = folder.join(format!("muster-202611{time}Z.sqlite"));
    let exit = Exit::of(muster().args(["backup", "--data-dir"]).arg(server.data_dir()).arg(file));
    assert!(exit.status.success(), "{}", exit.stderr);
}

#[test]
fn a_restoration_overwrites_no_former_database_and_is_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(Backend::Sqlite);
    server.stop();
    copy(&server, folder.path(), "27T200000");
    let database = server.data_dir().join("muster.sqlite");
    fs::set_permissions(&database, fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(server.data_dir().join("muster.sqlite-wal"), "").unwrap();
    let before = fs::read(&database).unwrap();
    let mut formers = BTreeSet::new();
    for _ in 0..4 {
        let exit = restore(&server, folder.path(), "2026-11-27T20:00:00Z");
        assert!(exit.status.success(), "{}", exit.stderr);
        let former = exit.stdout.lines().find_map(|line| line.strip_prefix("the former database is ")).unwrap();
        assert!(formers.insert(former.to_owned()), "{former} is told twice");
    }
    assert!(formers.iter().all(|former| Path::new(former).is_file()), "{formers:?}");
    assert!(formers.iter().any(|former| fs::read(former).unwrap() == before), "the first database is still there");
    assert_eq!(fs::metadata(&database).unwrap().permissions().mode() & 0o777, 0o600);
    server.restart();
}

#[test]
fn a_backup_that_is_not_good_is_refused_and_an_older_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(Backend::Sqlite);
    server.stop();
    let file = |time: &str| folder.path().join(format!("muster-202611{time}Z.sqlite"));
    copy(&server, folder.path(), "27T200000");
    fs::write(file("27T201500"), "").unwrap();
    let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript('CREATE TABLE bookmarks (id)')";
    let python = std::process::Command::new("python3").args(["-c", script]).arg(file("27T203000")).status();
    assert!(python.is_ok_and(|status| status.success()));
    let database = server.data_dir().join("muster.sqlite");
    let before = fs::read(&database).unwrap();
    for (at, wrong) in [("20:30", "it is not a database of Muster"), ("20:15", "it is empty")] {
        let exit = restore(&server, folder.path(), &format!("2026-11-27T{at}:00Z"));
        let told = exit.stderr.contains(wrong) && exit.stderr.contains("say --at 2026-11-27T20:00:00+0000 for it");
        assert!(!exit.status.success() && told, "{}{}", exit.stdout, exit.stderr);
        assert!(fs::read(&database).unwrap() == before, "nothing is changed");
    }
    let exit = restore(&server, folder.path(), "2026-11-27T20:00:00+0000");
    assert!(exit.status.success(), "{}", exit.stderr);
    server.restart();
}

#[test]
fn a_directory_of_backups_is_for_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = Server::start(Backend::Sqlite);
    one.stop();
    let mut other = Server::start(Backend::Sqlite);
    other.stop();
    copy(&one, folder.path(), "27T200000");
    // A second service, be its database there or not, does not start beside the backups of the first.
    let missing = folder.path().join("mistyped");
    for data in [other.data_dir(), missing.clone()] {
        let mut serve = muster();
        serve.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(&data).arg("--backup-to").arg(folder.path());
        let exit = Exit::within(Duration::from_secs(30), &mut serve);
        assert!(!exit.status.success() && exit.stderr.contains("a backup of another database"), "{}", exit.stderr);
    }
    assert!(!missing.exists(), "nothing is made");
    let at = "2026-11-27T22:00:00Z";
    let exit = restore(&other, folder.path(), at);
    assert!(!exit.status.success() && exit.stderr.contains("of another database than"), "{}", exit.stderr);
    // Where older versions mixed them, a database gets its own.
    copy(&other, folder.path(), "27T210000");
    let exit = restore(&one, folder.path(), at);
    let told = exit.stdout.contains("of another database: 1") && exit.stdout.contains("2026-11-27T20:00:00");
    assert!(exit.status.success() && told, "{}{}", exit.stdout, exit.stderr);
    fs::create_dir(&missing).unwrap();
    let mut to_missing = muster();
    to_missing.args(["restore", "--data-dir"]).arg(&missing).arg("--from").arg(folder.path());
    let exit = Exit::of(&mut to_missing);
    assert!(!exit.status.success() && exit.stderr.contains("has backups of 2 databases"), "{}", exit.stderr);
    // The first goes on with its own, in the same directory once the other's is away.
    fs::remove_file(folder.path().join("muster-20261127T210000Z.sqlite")).unwrap();
    one.set_arguments(&["--backup-to", &folder.path().display().to_string(), "--every", "1s"]);
    one.restart();
    until("it adds backups", Duration::from_secs(20), || copies(folder.path()).len() > 1);
}
