//! Backups that are made while others write, and what they are good for.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use muster_tests::{Backend, Client, Exit, Server, fresh_database, muster};
use serde_json::json;

fn backup(server: &Server, destination: &Path) -> Exit {
    Exit::of(muster().args(["backup", "--data-dir"]).arg(server.data_dir()).arg(destination))
}

#[track_caller]
fn succeeds(exit: &Exit) {
    assert!(exit.status.success(), "{}\n{}", exit.stdout, exit.stderr);
}

/// Writes until it is told to stop, and notes what was acknowledged.
fn write(client: &Client, writer: usize, stop: &AtomicBool, acknowledged: &Mutex<Vec<String>>) {
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let answer = client.post("/resources", &json!({"name": format!("w{writer}-{number}")})).ok();
        if let (Some(id), Ok(mut all)) = (answer["resourceUUID"].as_str(), acknowledged.lock()) {
            all.push(id.to_owned());
        }
    }
}

#[test]
fn what_was_acknowledged_before_a_backup_is_in_it() {
    let server = Server::start(Backend::Sqlite);
    let client = server.admin().tenant("client_1");
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let stop = AtomicBool::new(false);
    let acknowledged = Mutex::new(Vec::new());
    let so_far = || acknowledged.lock().map(|all| all.clone()).unwrap_or_default();
    let mut copies = Vec::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let client = &client;
            let stop = &stop;
            let acknowledged = &acknowledged;
            scope.spawn(move || write(client, writer, stop, acknowledged));
        }
        for number in 0..3 {
            std::thread::sleep(std::time::Duration::from_millis(300));
            let before = so_far();
            let copy = directory.path().join(format!("backup-{number}.sqlite"));
            let exit = backup(&server, &copy);
            let during = so_far().len() - before.len();
            copies.push((exit, copy, before, during));
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(copies.iter().any(|(.., during)| *during > 0), "nobody wrote during a backup");
    for (exit, copy, before, _) in &copies {
        succeeds(exit);
        let mode = fs::metadata(copy).map(|found| found.permissions().mode() & 0o777).unwrap_or_default();
        assert_eq!(mode, 0o600);
        // Restored as docs/operations.md says: the copy in the place of the file.
        let mut restored = Server::start(Backend::Sqlite);
        restored.stop();
        let file = restored.data_dir().join("muster.sqlite");
        fs::copy(copy, &file).unwrap_or_else(|error| panic!("{error}"));
        for end in ["-wal", "-shm"] {
            let _ = fs::remove_file(restored.data_dir().join(format!("muster.sqlite{end}")));
        }
        restored.restart();
        let (key, secret) = server.credentials();
        let client = restored.anonymous().with_token(&restored.token(key, secret)).tenant("client_1");
        let listed = client.get("/resources/minimal").text();
        let lost = before.iter().filter(|id| !listed.contains(id.as_str())).count();
        assert!(lost == 0 && !before.is_empty(), "{lost} of {} are not in the backup", before.len());
        client.post("/resources", &json!({"name": "after the backup"})).ok();
    }
}

#[test]
fn a_backup_overwrites_nothing_and_leaves_nothing_half_done() {
    let mut server = Server::start(Backend::Sqlite);
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let file = directory.path().join("notes.txt");
    fs::write(&file, "mine").unwrap_or_else(|error| panic!("{error}"));
    let exit = backup(&server, &file);
    let told = exit.stderr.contains("notes.txt is there already") && exit.stderr.contains("name a new file");
    assert!(!exit.status.success() && told, "{}", exit.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), "mine");
    assert!(!backup(&server, &directory.path().join("no/such/place")).status.success());

    // As well when the service is down; not when there is no database at all.
    server.stop();
    succeeds(&backup(&server, &directory.path().join("copy.sqlite")));
    let empty = directory.path().join("empty");
    let exit = Exit::of(muster().args(["backup", "--data-dir"]).arg(&empty).arg(directory.path().join("none")));
    assert!(!exit.status.success() && exit.stderr.contains("there is no database"), "{}", exit.stderr);
    let left: Vec<_> = fs::read_dir(directory.path()).map(Iterator::count).into_iter().collect();
    assert_eq!(left, [2], "only the notes and the copy");
}

#[test]
fn postgres_is_left_to_its_own_program() {
    let server = Server::start(Backend::Postgres);
    let client = server.admin().tenant("client_1");
    client.post("/resources", &json!({"name": "in-postgres"})).ok();
    let url = server.database_url().unwrap_or_default();
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let dump = directory.path().join("dump");
    let exit = Exit::of(muster().args(["backup", "--database-url", url]).arg(&dump));
    assert!(!exit.status.success() && exit.stdout.starts_with("pg_dump "), "{}\n{}", exit.stdout, exit.stderr);
    let password = url.split(['/', ':', '@']).nth(4).unwrap_or_default();
    assert!(password.len() > 20 && !exit.stdout.contains(password) && !exit.stderr.contains(password));

    // The command works as it is printed, and what it writes can be restored.
    let sh = |script: &str, url: &str| {
        let mut command = Command::new("sh");
        let output = command.args(["-c", script, "sh", url]).arg(&dump).env("PGPASSWORD", password).output();
        let output = output.unwrap_or_else(|error| panic!("{error}"));
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    };
    sh(&exit.stdout, url);
    let restored = fresh_database();
    sh(r#"pg_restore --no-owner --dbname="$1" "$2""#, &restored);
    let sealing_key = server.data_dir().join("secrets.key").display().to_string();
    let restored = Server::start_at(Backend::Postgres, Some(restored), &["--secrets-key-file", &sealing_key]);
    let (key, secret) = server.credentials();
    let client = restored.anonymous().with_token(&restored.token(key, secret)).tenant("client_1");
    assert_eq!(client.get("/resources/minimal").list().len(), 1);
}
