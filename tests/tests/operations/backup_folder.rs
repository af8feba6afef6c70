//! Backups without a job: `--backup-to`, and the way back with `muster restore`.

use std::fs;
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
    assert!(metrics.contains("muster_backup_age_seconds"), "{metrics}");
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
    let exit = restore(&["--backup-to", &empty.path().display().to_string(), "--at", "yesterday"]);
    assert!(exit.stderr.contains("such as 2026-11-27T20:45:00Z"), "{}", exit.stderr);
    // A damaged copy changes nothing.
    fs::write(empty.path().join("muster-20261127T204500Z.sqlite"), "damaged").unwrap();
    let exit = restore(&["--backup-to", &empty.path().display().to_string()]);
    assert!(!exit.status.success() && exit.stderr.contains("checking"), "{}", exit.stderr);
    assert!(!folder.path().join("muster.sqlite").exists());
}
