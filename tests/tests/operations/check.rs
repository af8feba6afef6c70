//! `muster check`: a line for each thing, and a status for scripts.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use muster_tests::{Authority, Backend, Exit, Server, both_backends, fresh_database, muster, muster_obeying_modes};

both_backends![what_serves_is_right];

/// Runs it with these arguments; a free port unless they name one.
fn check(directory: &Path, arguments: &[&str]) -> Exit {
    let mut command = muster();
    command.args(["check", "--data-dir"]).arg(directory);
    if !arguments.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    Exit::of(command.args(arguments))
}

#[track_caller]
fn says(exit: &Exit, right: bool, lines: &[&str]) {
    let told = format!("{}\n{}", exit.stdout, exit.stderr);
    assert_eq!(exit.status.success(), right, "{told}");
    for line in lines {
        assert!(exit.stdout.lines().any(|found| found.contains(line)), "no {line:?} in\n{told}");
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap_or_else(|error| panic!("{error}"));
}

fn what_serves_is_right(backend: Backend) {
    let server = Server::start(backend);
    let mut arguments = Vec::new();
    if let Some(url) = server.database_url() {
        arguments.extend(["--database-url", url]);
    }
    let database = if backend == Backend::Sqlite { "(SQLite 3." } else { "(Postgres " };
    says(&check(&server.data_dir(), &arguments), true, &["ok    data directory", "ok    clock", "durable", database]);
    // Its own port is taken, by itself.
    let address = server.base().trim_start_matches("http://");
    arguments.extend(["--listen", address]);
    says(&check(&server.data_dir(), &arguments), false, &[&format!("FAIL  address: cannot listen on {address}")]);
}

#[test]
fn before_the_first_start_nothing_is_made() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let data = directory.path().join("data");
    says(&check(&data, &[]), true, &["data directory", "will be made", "127.0.0.1:0 is free"]);
    assert!(!data.exists());
}

#[test]
fn what_is_wrong_is_said_and_all_of_it() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = |name: &str| directory.path().join(name);
    mode(directory.path(), 0o755);
    fs::write(path("credentials.env"), "MUSTER_KEY=x").unwrap_or_else(|error| panic!("{error}"));
    mode(&path("credentials.env"), 0o644);
    fs::write(path("secrets.key"), "x").unwrap_or_else(|error| panic!("{error}"));
    mode(&path("secrets.key"), 0o640);
    fs::write(
        path("muster.sqlite"),
        "this is not a database, and it is longer than a header of one would be: 0123456789",
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let taken = TcpListener::bind("127.0.0.1:0").and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, _listener) = taken.unwrap_or_else(|error| panic!("{error}"));
    let one = Authority::new().certify(&["a.test"]);
    let other = Authority::new().certify(&["a.test"]);
    fs::write(path("cert.pem"), one.certificate).unwrap_or_else(|error| panic!("{error}"));
    fs::write(path("key.pem"), other.key).unwrap_or_else(|error| panic!("{error}"));
    let certificate = path("cert.pem");
    let key = path("key.pem");
    let certificate = certificate.to_string_lossy();
    let key = key.to_string_lossy();
    let address = address.to_string();
    let exit = check(directory.path(), &["--listen", &address, "--tls-cert", &certificate, "--tls-key", &key]);
    let wrong = [
        "warn  data directory",
        "FAIL  first credentials",
        "FAIL  key of secrets: others may read",
        "FAIL  key of secrets: reading",
        "FAIL  database: sqlite:",
        "FAIL  address: cannot listen on 127.0.0.1:",
        "FAIL  certificate: ",
    ];
    says(&exit, false, &wrong);
    assert!(exit.stderr.contains("6 things are wrong"), "{}", exit.stderr);
    says(&check(directory.path(), &["--listen", "0.0.0.0:0"]), false, &["--behind-proxy"]);
    fs::write(path("key.pem"), one.key).unwrap_or_else(|error| panic!("{error}"));
    let exit = check(directory.path(), &["--listen", "0.0.0.0:0", "--tls-cert", &certificate, "--tls-key", &key]);
    says(&exit, false, &["ok    address", "ok    certificate: belongs to its key, until "]);
}

/// As older versions made it. What SQLite makes beside a file has the mode of that file.
#[test]
fn a_database_that_others_may_read_is_said_and_closed() {
    let mut server = Server::start(Backend::Sqlite);
    server.kill9();
    let data = server.data_dir();
    let files = || -> Vec<(String, u32)> {
        let found = fs::read_dir(&data).unwrap_or_else(|error| panic!("{error}")).flatten();
        let named = found.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.metadata()));
        named
            .filter(|(name, _)| name.starts_with("muster.sqlite") && !name.ends_with(".lock"))
            .map(|(name, found)| (name, found.map_or(0, |found| found.permissions().mode() & 0o777)))
            .collect()
    };
    let names = files();
    assert!(names.len() == 3, "it was killed: {names:?}");
    names.iter().for_each(|(name, _)| mode(&data.join(name), 0o644));
    let file = data.join("muster.sqlite");
    let warning = format!("warn  database: others may read {}, mode 0644: chmod 600", file.display());
    says(&check(&data, &[]), true, &[&warning]);
    server.restart();
    server.admin().get("/resources/minimal").list();
    assert!(files().iter().all(|(_, mode)| *mode == 0o600), "a start closes them: {:?}", files());
    server.stop();
    let exit = check(&data, &[]);
    assert!(exit.status.success() && !exit.stdout.contains("others may read"), "{}", exit.stdout);
}

#[test]
fn keys_that_are_wrong_are_said_before_anything_is_made() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let data = directory.path().join("data");
    for (given, said) in [
        (vec![("MUSTER_SECRETS_KEY", "abc")], "MUSTER_SECRETS_KEY"),
        (vec![("MUSTER_BOOTSTRAP_KEY", "abcdefgh12")], "given together"),
        (vec![("MUSTER_BOOTSTRAP_KEY", "abc"), ("MUSTER_BOOTSTRAP_SECRET", "0123456789abcdef")], "8 to 128"),
        (vec![("MUSTER_LOG", "fo=o=bar")], "fo=o=bar"),
    ] {
        for command in ["check", "serve"] {
            let mut program = muster();
            program.args([command, "--listen", "127.0.0.1:0", "--data-dir"]).arg(&data).envs(given.clone());
            let exit = Exit::of(&mut program);
            let told = format!("{}{}", exit.stdout, exit.stderr);
            assert!(!exit.status.success() && told.contains(said) && !data.exists(), "{command} {given:?}: {told}");
        }
    }
}

#[test]
fn commands_make_no_database() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let typo = directory.path().join("typo");
    for arguments in [
        "key list",
        "key create --tenant client_1 --name x --role viewer",
        "key revoke x",
        "tenant list",
        "tenant create --client x --of msp_1",
        "secrets rotate",
        "import rows.csv",
    ] {
        let exit = Exit::of(muster().args(arguments.split(' ')).arg("--data-dir").arg(&typo));
        assert!(!exit.status.success() && exit.stderr.contains("there is no database"), "{arguments}: {}", exit.stderr);
        assert!(exit.stdout.is_empty() && !typo.exists(), "{arguments}: {}", exit.stdout);
    }
}

#[test]
fn a_postgres_that_would_lose_writes_is_refused() {
    let url = fresh_database();
    let name = url.split(['/', '?']).nth(3).unwrap_or_default();
    let psql = |statement: &str| {
        let output = std::process::Command::new("psql").args(["-Xq", "-d", &url, "-c", statement]).output();
        assert!(output.is_ok_and(|output| output.status.success()), "{statement}");
    };
    psql(&format!("ALTER DATABASE {name} SET synchronous_commit = off"));
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let said = "the database would lose acknowledged writes";
    says(&check(directory.path(), &["--database-url", &url]), false, &[said]);
    let mut serve = muster();
    serve.args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url, "--data-dir"]).arg(directory.path());
    let exit = Exit::of(&mut serve);
    assert!(!exit.status.success() && exit.stderr.contains(said), "{}", exit.stderr);
    psql(&format!("ALTER DATABASE {name} SET synchronous_commit = on"));
    says(&check(directory.path(), &["--database-url", &url]), true, &["what is acknowledged is durable"]);
    let nowhere = "postgres://u:secretpassword@127.0.0.1:1/d";
    let exit = check(directory.path(), &["--database-url", nowhere]);
    says(&exit, false, &["FAIL  database: postgres://u@127.0.0.1:1/d"]);
    assert!(!format!("{}{}", exit.stdout, exit.stderr).contains("secretpassword"));
}

#[test]
fn what_cannot_be_read_is_not_taken_for_missing() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    mode(directory.path(), 0o755);
    let closed = directory.path().join("closed");
    let data = closed.join("data");
    fs::create_dir_all(&data).unwrap_or_else(|error| panic!("{error}"));
    fs::write(data.join("muster.sqlite"), "").unwrap_or_else(|error| panic!("{error}"));
    mode(&closed, 0o000);
    let run = |command: &[&str]| Exit::of(muster_obeying_modes().args(command).arg("--data-dir").arg(&data));
    let exit = run(&["check", "--listen", "127.0.0.1:0"]);
    says(&exit, false, &["FAIL  data directory", "FAIL  database"]);
    assert!(exit.stdout.contains("cannot be read") && !exit.stdout.contains("will be made"), "{}", exit.stdout);
    let exit = run(&["key", "list"]);
    assert!(exit.stderr.contains("cannot be read") && !exit.stderr.contains("there is no"), "{}", exit.stderr);
    mode(&closed, 0o755);
}
