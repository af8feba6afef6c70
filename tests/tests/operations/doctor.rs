//! `muster doctor`: a line for each thing, and a status by the worst of them.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use muster_tests::{Backend, Exit, Server, both_backends, fresh_database, muster, psql};

both_backends![a_service_is_looked_at_while_it_runs];

fn doctor(data_dir: &Path, more: &[&str]) -> Exit {
    Exit::of(muster().args(["doctor", "--data-dir"]).arg(data_dir).args(more))
}

fn backup(data_dir: &Path, copy: &Path) {
    let exit = Exit::of(muster().args(["backup", "--data-dir"]).arg(data_dir).arg(copy));
    assert!(exit.status.success(), "{}", exit.stderr);
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
    says(&exit, &format!("ok    service: it runs as process {} and is ready at {}", server.pid(), server.base()));
    if backend == Backend::Sqlite {
        says(&exit, "ok    pages: all ");
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
    says(&exit, "FAIL  mail: 127.0.0.1:1: the mail server is not reached");
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
    let mut server = Server::start(Backend::Sqlite);
    server.stop();
    backup(&server.data_dir(), &backups.join("muster-20991127T204500Z.sqlite"));
    let exit = doctor(folder.path(), &["--backup-to", &shown]);
    says(&exit, &format!("warn  backup: 1 in {shown} of a time that is yet to come: the clock was or is wrong"));
    backup(&server.data_dir(), &backups.join("muster-20260127T204500Z.sqlite"));
    let exit = doctor(folder.path(), &["--backup-to", &shown]);
    says(&exit, &format!("warn  backup: 1 in {shown} of a time that is yet to come: the clock was or is wrong"));
    says(&exit, "warn  backup: the last is of 2026-01-27T20:45:00+0000");
}

#[test]
fn the_backups_are_those_of_the_directory_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut server = Server::start(Backend::Sqlite);
    server.stop();
    // Another directory has one, which the note names.
    backup(&server.data_dir(), &path("elsewhere.sqlite"));
    let backups = path("backups");
    fs::create_dir(&backups).unwrap();
    let shown = backups.display().to_string();
    let look = || doctor(&server.data_dir(), &["--backup-to", &shown]);
    says(&look(), &format!("warn  backup: {shown} holds no backup"));
    says(&look(), "ok    disk of backups: ");
    backup(&server.data_dir(), &backups.join("muster-20201127T204500Z.sqlite"));
    says(&look(), "warn  backup: the last is of 2020-11-27");
    fs::write(backups.join("muster-20261127T204500Z.sqlite"), "x\n").unwrap();
    let exit = look();
    assert!(exit.stdout.contains("FAIL  backup: ") && exit.stdout.contains("which is not good"), "{}", exit.stdout);
    assert_eq!(exit.status.code(), Some(2));
    let mut other = Server::start(Backend::Sqlite);
    other.stop();
    backup(&other.data_dir(), &backups.join("muster-20261127T204501Z.sqlite"));
    let exit = look();
    assert!(exit.stdout.contains("which is of another database than"), "{}", exit.stdout);
    let exit = doctor(folder.path(), &["--database-url", &fresh_database(), "--backup-to", &shown]);
    says(&exit, "FAIL  backup: --backup-to copies a SQLite file");
}

#[test]
fn what_a_service_does_not_start_with_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("muster.toml");
    for text in ["listen = 8080 = 1", "no-such-setting = 1"] {
        fs::write(&file, text).unwrap();
        let exit = doctor(folder.path(), &["--config", &file.display().to_string()]);
        assert_eq!(exit.status.code(), Some(2), "{text}: {}{}", exit.stdout, exit.stderr);
    }
    let mut mistyped = muster();
    mistyped.args(["doctor", "--data-dir"]).arg(folder.path()).env("MUSTER_LISTN", "8080");
    says(&Exit::of(&mut mistyped), "FAIL  settings: MUSTER_LISTN is not a setting");
    let mut server = Server::start(Backend::Sqlite);
    server.stop();
    says(&doctor(&server.data_dir(), &[]), "ok    service: it does not run");
    let database = server.data_dir().join("muster.sqlite");
    let middle = fs::metadata(&database).unwrap().len() / 2;
    fs::OpenOptions::new().write(true).open(&database).unwrap().write_all_at(&[0x5a; 40_000], middle).unwrap();
    let exit = doctor(&server.data_dir(), &[]);
    // What stands in the middle may be read before all tables are looked at.
    let is_told = ["is damaged: ", "disk image is malformed"].iter().any(|words| exit.stdout.contains(words));
    assert!(is_told, "{}", exit.stdout);
    assert_eq!(exit.status.code(), Some(2), "{}", exit.stdout);
}

#[test]
fn a_service_that_was_killed_is_told() {
    let mut server = Server::start(Backend::Sqlite);
    server.kill9();
    says(&doctor(&server.data_dir(), &[]), "warn  service: it does not run: the process ");
}

#[test]
fn an_empty_postgres_and_one_of_another_program_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let url = fresh_database();
    let look = || doctor(folder.path(), &["--database-url", &url]);
    assert!(look().stdout.contains(" is empty: the next start of muster serve makes its tables"), "{}", look().stdout);
    psql(&url, "CREATE TABLE bookmarks (id text)");
    assert!(look().stdout.contains("it has tables of another program (bookmarks)"), "{}", look().stdout);
    psql(&url, "CREATE TABLE resources (id text)");
    let exit = look();
    assert!(exit.stdout.contains("FAIL  database: ") && exit.stdout.contains("(resources)"), "{}", exit.stdout);
    let mut serve = muster();
    serve.args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url, "--data-dir"]).arg(folder.path());
    let exit = Exit::of(&mut serve);
    assert!(!exit.status.success() && exit.stderr.contains("(resources)"), "{}", exit.stderr);
    for options in [["move", "--from"], ["move", "--check"]] {
        let mut command = muster();
        command.args(options).args([&url].into_iter().filter(|_| options[1] == "--from"));
        command.args(["--to", &url].into_iter().filter(|_| options[1] == "--check"));
        let server = (options[1] == "--check").then(|| Server::start(Backend::Sqlite));
        let data_dir = server.as_ref().map_or(folder.path().join("new"), |server| server.data_dir());
        let exit = Exit::of(command.arg("--data-dir").arg(data_dir));
        assert!(exit.stderr.contains("is not a database of Muster"), "{options:?}: {}", exit.stderr);
    }
}

#[test]
fn a_mail_server_greets_as_one() {
    let data = tempfile::tempdir().unwrap();
    let look = |scheme: &str, greeting: &'static str| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(greeting.as_bytes());
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                let _ = stream.write_all(b"250 mail.example.net\r\n");
            }
        });
        let exit = doctor(data.path(), &["--smtp-url", &url, "--smtp-from", "Muster <m@example.net>"]);
        let line = exit.stdout.lines().find(|line| line.contains(" mail: ")).unwrap_or_default().to_owned();
        assert!(line.contains(url.split_once("://").unwrap().1), "{line}");
        line
    };
    let good = look("smtp", "220 mail.example.net ESMTP\r\n");
    assert!(good.starts_with("ok ") && good.contains("without TLS"), "{good}");
    for (scheme, greeting, told) in [
        ("smtp", "HTTP/1.1 400 Bad Request\r\n\r\n", ""),
        ("smtp", "554 no\r\n", "554"),
        ("smtp", "", "no greeting of a mail server within 5 seconds"),
        ("smtps", "220 mail.example.net ESMTP\r\n", "no TLS with the mail server"),
    ] {
        let line = look(scheme, greeting);
        assert!(line.starts_with("FAIL") && line.contains(told), "{greeting}: {line}");
    }
}

/// As Kubernetes mounts a Secret for a process that is not root: the file belongs to root, and to a group of the
/// process.
#[test]
fn a_key_that_the_own_group_may_read_is_closed_enough() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut server = Server::start(Backend::Sqlite);
    server.stop();
    let key = folder.path().join("secrets.key");
    fs::copy(server.data_dir().join("secrets.key"), &key).unwrap();
    chown(&key, Some(0), Some(65_532)).unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    chown(&data, Some(65_532), Some(65_532)).unwrap();
    for (mode, told) in [(0o440, "ok    key of secrets: "), (0o444, "FAIL  key of secrets: others may read")] {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        for command in ["check", "doctor"] {
            let program = muster();
            let mut as_pod = Command::new("setpriv");
            as_pod.args(["--reuid=65532", "--regid=65532", "--clear-groups", "--"]).arg(program.get_program());
            as_pod.args([command, "--listen", "127.0.0.1:0", "--data-dir"]).arg(&data);
            says(&Exit::of(as_pod.arg("--secrets-key-file").arg(&key)), told);
        }
    }
}

#[test]
fn a_move_that_has_not_ended_is_told() {
    let mut server = Server::start(Backend::Sqlite);
    server.stop();
    let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(\"CREATE TABLE move_source (id TEXT, \
                  url TEXT); INSERT INTO move_source VALUES ('1', 'postgres://h/d'); CREATE TABLE move_log_sites (id); \
                  INSERT INTO move_log_sites VALUES (1), (2)\")";
    let python = Command::new("python3").args(["-c", script]).arg(server.data_dir().join("muster.sqlite")).status();
    assert!(python.is_ok_and(|status| status.success()));
    let exit = doctor(&server.data_dir(), &[]);
    assert!(exit.stdout.contains("a move to postgres://h/d has not ended"), "{}", exit.stdout);
    assert!(exit.stdout.contains("(2 so far)") && exit.status.code() == Some(1), "{}", exit.stdout);
}
