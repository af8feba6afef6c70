//! `muster doctor`: a line for each thing, and a status by the worst of them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use muster_tests::{Backend, Exit, Server, both_backends, muster};

both_backends![a_service_is_looked_at_while_it_runs];

fn doctor(data_dir: &Path, more: &[&str]) -> Exit {
    Exit::of(muster().args(["doctor", "--data-dir"]).arg(data_dir).args(more))
}

#[track_caller]
fn says(exit: &Exit, line: &str) {
    assert!(exit.stdout.lines().any(|one| one.starts_with(line)), "{line} is not in\n{}{}", exit.stdout, exit.stderr);
}

fn a_service_is_looked_at_while_it_runs(backend: Backend) {
    let server = Server::start(backend);
    let url: Vec<&str> = server.database_url().map_or(Vec::new(), |url| vec!["--database-url", url]);
    let exit = doctor(&server.data_dir(), &url);
    for line in ["ok    clock: ", "ok    disk: ", "ok    database: ", "ok    migrations: ", "ok    queues: "] {
        says(&exit, line);
    }
    for line in ["ok    egress: ", "ok    mail: no server is set", "ok    open files: "] {
        says(&exit, line);
    }
    if backend == Backend::Sqlite {
        says(&exit, "warn  backup: none is known");
        assert_eq!(exit.status.code(), Some(1), "{}", exit.stdout);
        let copy = server.data_dir().join("copy.sqlite");
        let made = Exit::of(muster().args(["backup", "--data-dir"]).arg(server.data_dir()).arg(&copy));
        assert!(made.status.success(), "{}", made.stderr);
        let exit = doctor(&server.data_dir(), &url);
        says(&exit, "ok    backup: the last is of ");
        assert_eq!(exit.status.code(), Some(0), "{}", exit.stdout);
        fs::remove_file(copy).unwrap();
        says(&doctor(&server.data_dir(), &url), "warn  backup: ");
    } else {
        says(&exit, "ok    backup: ");
    }
    let key = server.data_dir().join("secrets.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let exit = doctor(&server.data_dir(), &url);
    says(&exit, "FAIL  key of secrets: others may read");
    assert_eq!(exit.status.code(), Some(2), "{}", exit.stdout);
}

#[test]
fn a_directory_alone_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let exit = doctor(&data, &[]);
    for what in ["clock", "data directory", "disk", "database", "backup"] {
        assert!(exit.stdout.contains(&format!(" {what}: ")), "{what}\n{}", exit.stdout);
    }
    assert!(exit.status.code().is_some_and(|code| code < 2) && !data.exists(), "{}{}", exit.stdout, exit.stderr);
    says(&exit, &format!("warn  data directory: {} is not there", data.display()));
    let unnamed = Exit::of(muster().arg("doctor").current_dir(folder.path()));
    says(&unnamed, "ok    data directory: data will be made");
    let exit = doctor(&data, &["--smtp-url", "smtp://127.0.0.1:1", "--smtp-from", "Muster <m@example.net>"]);
    says(&exit, "FAIL  mail: 127.0.0.1:1 does not answer");
    assert_eq!(exit.status.code(), Some(2));
    let exit = doctor(&data, &["--egress-allow", "0.0.0.0/0", "--egress-ca", "/nowhere.pem"]);
    says(&exit, "FAIL  egress: reading /nowhere.pem");
    says(&doctor(&data, &["--egress-allow", "0.0.0.0/0"]), "warn  egress: ");
}

#[test]
fn a_directory_of_backups_that_is_yet_to_be_made_is_no_failure_and_one_of_a_time_to_come_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let backups = folder.path().join("backups");
    let shown = backups.display().to_string();
    let exit = doctor(folder.path(), &["--backup-to", &shown]);
    says(&exit, &format!("warn  backup: {shown} is not there: muster serve will make it"));
    assert!(!exit.stdout.contains("FAIL") && !backups.exists(), "{}", exit.stdout);
    fs::create_dir(&backups).unwrap();
    fs::write(backups.join("muster-20991127T204500Z.sqlite"), "").unwrap();
    let exit = doctor(folder.path(), &["--backup-to", &shown]);
    says(&exit, "warn  backup: the last is of 2099-11-27T20:45:00+0000");
    assert!(exit.stdout.contains("the clock was or is wrong"), "{}", exit.stdout);
}
