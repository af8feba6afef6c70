//! What root does by hand leaves the files to the user of the service.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

use muster_tests::{Backend, Exit, Server, fresh_database, muster};

/// The user and the group of the service, as Debian has them for nobody.
const SERVICE: (u32, u32) = (65_534, 65_534);

/// Gives a directory and what is in it to the service; `false` for anyone who may not, and who does not need to.
fn give(directory: &Path) -> bool {
    if !rustix::process::geteuid().is_root() {
        return false;
    }
    let within = fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path());
    for path in within.chain([directory.to_owned()]) {
        chown(path, Some(SERVICE.0), Some(SERVICE.1)).unwrap();
    }
    true
}

#[track_caller]
fn belongs_to_the_service(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let found = entry.metadata().unwrap();
        assert_eq!((found.uid(), found.gid()), SERVICE, "{}", entry.path().display());
        assert_eq!(found.mode() & 0o007, 0, "{}: {:o}", entry.path().display(), found.mode());
    }
}

#[track_caller]
fn run(arguments: &[&str], data: &Path) -> String {
    let exit = Exit::of(muster().args(arguments).arg("--data-dir").arg(data));
    assert!(exit.status.success(), "{arguments:?}: {}{}", exit.stdout, exit.stderr);
    exit.stdout
}

#[test]
fn a_rotation_keeps_owner_and_mode() {
    let mut server = Server::start(Backend::Sqlite);
    let key = server.data_dir().join("secrets.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    if !give(&server.data_dir()) {
        return;
    }
    let before = fs::read_to_string(&key).unwrap();
    run(&["secrets", "rotate"], &server.data_dir());
    assert_ne!(fs::read_to_string(&key).unwrap(), before);
    assert_eq!(fs::metadata(&key).unwrap().mode() & 0o777, 0o640);
    belongs_to_the_service(&server.data_dir());
    // Also of what SQLite makes while nobody else has the database open.
    server.stop();
    run(&["key", "create", "--tenant", "client_1", "--name", "by root", "--role", "viewer"], &server.data_dir());
    belongs_to_the_service(&server.data_dir());
    server.restart();
    belongs_to_the_service(&server.data_dir());
}

#[test]
fn what_root_makes_in_the_directory_of_the_service_is_the_services() {
    let directory = tempfile::tempdir().unwrap();
    if !give(directory.path()) {
        return;
    }
    run(&["tenant", "create", "--partner", "First"], directory.path());
    belongs_to_the_service(directory.path());
    // A whole start makes the rest: credentials, keys, locks.
    let mut server = Server::start(Backend::Sqlite);
    server.stop();
    let data = server.data_dir();
    fs::read_dir(&data).unwrap().flatten().for_each(|entry| fs::remove_file(entry.path()).unwrap());
    give(&data);
    let mut command = server.serve_command();
    command.env_remove("MUSTER_BOOTSTRAP_KEY").env_remove("MUSTER_BOOTSTRAP_SECRET");
    let mut running = muster_tests::Guard::spawn(&mut command);
    super::until("it has started", std::time::Duration::from_secs(20), || data.join("address").exists());
    belongs_to_the_service(&data);
    assert!(data.join("credentials.env").exists() && data.join("secrets.key").exists());
    let _ = running.process().kill();
}

/// With Postgres the key is the only file, and is made by a rotation as by a start.
#[test]
fn a_key_of_gateways_on_postgres_is_kept_too() {
    let url = fresh_database();
    let directory = tempfile::tempdir().unwrap();
    if !give(directory.path()) {
        return;
    }
    run(&["migrate", "--database-url", &url], directory.path());
    for _ in 0..2 {
        run(&["secrets", "rotate", "--database-url", &url], directory.path());
        belongs_to_the_service(directory.path());
    }
}
