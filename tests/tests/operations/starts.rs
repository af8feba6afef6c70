//! A start: with its database away, with one that will not do, and what it says first.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Exit, Guard, Server, both_backends, fresh_database, muster, psql};

use super::until;

both_backends![it_says_what_it_is_and_what_it_runs_on];

fn serve(url: &str, data: &Path, arguments: &[&str]) -> Command {
    let mut command = muster();
    command.args(["serve", "--listen", "127.0.0.1:0", "--database-url", url, "--data-dir"]).arg(data).args(arguments);
    command
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).unwrap().port()
}

/// The URL with another port, and the address that it had.
fn at(url: &str, port: u16) -> (String, String) {
    let (start, rest) = url.split_once('@').unwrap();
    let (address, database) = rest.split_once('/').unwrap();
    (format!("{start}@127.0.0.1:{port}/{database}"), address.to_owned())
}

#[test]
fn it_waits_for_a_database_that_starts_later() {
    let port = free_port();
    let (url, address) = at(&fresh_database(), port);
    let data = tempfile::tempdir().unwrap();
    let log = data.path().join("log");
    let output = || File::options().create(true).append(true).open(&log).unwrap();
    let mut running = Guard::spawn(serve(&url, data.path(), &[]).stdout(output()).stderr(output()));
    let said = || fs::read_to_string(&log).unwrap_or_default();
    until("it says that it waits", Duration::from_secs(10), || said().contains("waiting for the database"));
    assert!(said().contains("Connection refused"), "{}", said());
    // Nothing of it ends the wait.
    let hup = Command::new("kill").args(["-s", "HUP", &running.process().id().to_string()]).status();
    assert!(hup.is_ok_and(|status| status.success()));
    std::thread::sleep(Duration::from_secs(1));
    assert!(matches!(running.process().try_wait(), Ok(None)), "{}", said());
    assert_eq!(said().matches("waiting for the database").count(), 1, "a line in ten seconds: {}", said());
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&address) else { continue };
            for (mut from, mut to) in [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)] {
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(std::net::Shutdown::Both);
                });
            }
        }
    });
    until("it starts", Duration::from_secs(20), || said().contains("Muster listens at"));
}

#[test]
fn it_gives_up_when_it_was_told_to_and_where_waiting_does_not_help() {
    let data = tempfile::tempdir().unwrap();
    let (away, _) = at(&fresh_database(), free_port());
    for (variable, argument, least) in [(None, "3", 3), (Some("2"), "", 2), (None, "0", 0)] {
        let begun = Instant::now();
        let arguments: &[&str] = if argument.is_empty() { &[] } else { &["--wait-for-database", argument] };
        let mut command = serve(&away, data.path(), arguments);
        command.envs(variable.map(|seconds| ("MUSTER_WAIT_FOR_DATABASE", seconds)));
        let exit = Exit::of(&mut command);
        assert!(!exit.status.success() && exit.stderr.contains("Connection refused"), "{}", exit.stderr);
        let took = begun.elapsed();
        assert!(took >= Duration::from_secs(least) && took < Duration::from_secs(least + 5), "{took:?}");
        assert_eq!(exit.stderr.contains("waiting for the database"), least > 0, "{}", exit.stderr);
        // Each line is one, also of what libpq says in several.
        assert!(exit.stderr.lines().all(|line| line.starts_with('{')), "{}", exit.stderr);
    }
    let url = fresh_database();
    let (start, rest) = url.split_once('@').unwrap();
    let wrong_password = format!("{}x@{rest}", start);
    let missing = format!("{url}_missing");
    let unknown_mode = format!("{url}?sslmode=sometimes");
    for url in [wrong_password, missing, unknown_mode] {
        let begun = Instant::now();
        let exit = Exit::of(&mut serve(&url, data.path(), &[]));
        assert!(!exit.status.success() && begun.elapsed() < Duration::from_secs(10), "{url}: {}", exit.stderr);
    }
}

#[test]
fn a_database_of_another_encoding_is_refused() {
    let url = fresh_database();
    let name = format!("{}_latin", url.rsplit('/').next().unwrap_or_default());
    psql(&url, &format!("CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"));
    let latin = format!("{}/{name}", url.rsplit_once('/').unwrap().0);
    let data = tempfile::tempdir().unwrap();
    for command in ["serve", "migrate", "check"] {
        let mut program = muster();
        program.args([command, "--database-url", &latin, "--data-dir"]).arg(data.path());
        if command != "migrate" {
            program.args(["--listen", "127.0.0.1:0"]);
        }
        let exit = Exit::of(&mut program);
        let said = format!("{}{}", exit.stdout, exit.stderr);
        assert!(!exit.status.success() && said.contains("LATIN1"), "{command}: {said}");
    }
    assert_eq!(psql(&latin, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").trim(), "0");
    psql(&url, &format!("DROP DATABASE {name}"));
}

fn it_says_what_it_is_and_what_it_runs_on(backend: Backend) {
    let server = Server::start(backend);
    let log = server.log();
    let version = Exit::of(muster().arg("--version")).stdout;
    let version = version.trim().rsplit(' ').next().unwrap_or_default();
    let line = log.lines().find(|line| line.contains("Muster starts")).unwrap_or_else(|| panic!("{log}"));
    let server = if backend == Backend::Sqlite { "SQLite 3." } else { "Postgres 1" };
    assert!(line.contains(version) && line.contains(server), "{line}");
    let database = if backend == Backend::Sqlite { "muster.sqlite" } else { "postgres://muster@127.0.0.1" };
    assert!(line.contains(database), "{line}");
}

#[test]
fn settings_that_are_none_are_said() {
    let data = tempfile::tempdir().unwrap();
    let check = |variables: &[(&str, &str)]| {
        let mut command = muster();
        command.args(["check", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data.path().join("data"));
        let exit = Exit::of(command.envs(variables.iter().copied()));
        (exit.status.success(), format!("{}{}", exit.stdout, exit.stderr))
    };
    for (name, value, said) in [
        ("MUSTER_WORKERS", "abc", "FAIL  settings: MUSTER_WORKERS"),
        ("MUSTER_RATE_LIMIT", "-1", "FAIL  settings: MUSTER_RATE_LIMIT"),
        ("MUSTER_BEHIND_PROXY", "perhaps", "FAIL  settings: MUSTER_BEHIND_PROXY"),
        ("MUSTER_KEEP_AUDIT", "long", "FAIL  settings: MUSTER_KEEP_AUDIT"),
        ("MUSTER_SMTP_URL", "smtp://mail.test", "FAIL  settings: "),
        ("MUSTER_LISTN", "127.0.0.1:0", "MUSTER_LISTN is not a setting; did you mean MUSTER_LISTEN"),
        ("MUSTER_WORKER", "2", "did you mean MUSTER_WORKERS"),
    ] {
        let (right, told) = check(&[(name, value)]);
        assert!(!right && told.contains(said), "{name}: {told}");
    }
    let (_, both) =
        check(&[("MUSTER_WORKERS", "abc"), ("MUSTER_DELIVERY_CALLS", "0"), ("MUSTER_METRICS_PUBLIC", "true")]);
    assert!(both.contains("MUSTER_WORKERS: ") && both.contains("MUSTER_DELIVERY_CALLS: "), "all of them: {both}");
    let secret = "smtp://user:hunter2@mail.test:x";
    let (_, told) = check(&[("MUSTER_SMTP_URL", secret), ("MUSTER_SMTP_FROM", "a@b.test")]);
    assert!(!told.contains("hunter2"), "{told}");
    let (right, told) = check(&[("MUSTER_SOMETHING_ELSE_ALTOGETHER", "1"), ("MUSTER_SERVICE_HOST", "10.0.0.1")]);
    assert!(right && told.contains("warn  settings: MUSTER_SOMETHING_ELSE_ALTOGETHER"), "{told}");
    assert!(!told.contains("MUSTER_SERVICE_HOST"), "Kubernetes sets it: {told}");

    let mut server = Server::start(Backend::Sqlite);
    server.set_environment(vec![("MUSTER_LISTN".to_owned(), "1".to_owned())]);
    server.restart();
    assert!(server.log().contains("MUSTER_LISTN is not a setting of this program; did you mean MUSTER_LISTEN"));
}

/// Anyone who types a command reads what went wrong, also through a pipe; anyone who keeps the log of a service parses
/// it.
#[test]
fn commands_say_what_went_wrong_in_words() {
    let data = tempfile::tempdir().unwrap();
    for arguments in
        ["key list", "tenant list", "backup /tmp/x", "secrets rotate", "import nothing.csv", "user sign-in x"]
    {
        let missing = data.path().join("missing");
        let exit = Exit::of(muster().args(arguments.split(' ')).arg("--data-dir").arg(&missing));
        assert!(!exit.status.success(), "{arguments}");
        let last = exit.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: ") && !exit.stderr.contains('{'), "{arguments}: {}", exit.stderr);
    }
    let silent =
        Exit::of(muster().args(["key", "list", "--log", "off", "--data-dir"]).arg(data.path().join("missing")));
    assert!(silent.stderr.starts_with("error: there is no database"), "{}", silent.stderr);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let exit = Exit::of(muster().args(["serve", "--listen", &address, "--data-dir"]).arg(data.path().join("d")));
    assert!(exit.stderr.lines().all(|line| line.starts_with('{')), "{}", exit.stderr);
    let _ = std::io::stdout().flush();
}
