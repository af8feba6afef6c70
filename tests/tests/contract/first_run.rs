//! The first start on an empty directory, and starts that are refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use muster_tests::{Backend, Exit, Guard, Server, both_backends, muster};

both_backends![a_second_start_keeps_keys_and_rows, bootstrap_keys_count_only_on_an_empty_database];

fn a_second_start_keeps_keys_and_rows(backend: Backend) {
    let mut server = Server::start(backend);
    let client = server.admin().tenant("client_1");
    let id = super::device(&client, "kept");
    let token = client.bearer().to_owned();
    server.restart();
    let again = server.anonymous().tenant("client_1").with_token(&token);
    assert_eq!(again.get("/resources/minimal").list()[0]["id"], serde_json::json!(id));
    let (key, secret) = server.credentials();
    server.token(key, secret);
}

/// A second start with other bootstrap credentials must not let them in.
fn bootstrap_keys_count_only_on_an_empty_database(backend: Backend) {
    let mut server = Server::start(backend);
    server.stop();
    let mut command: Command = server.serve_command();
    command
        .env("MUSTER_BOOTSTRAP_KEY", "anotherkey0123456789")
        .env("MUSTER_BOOTSTRAP_SECRET", "anothersecret0123456789");
    let second = Guard::spawn(command.stdout(Stdio::null()).stderr(Stdio::null()));
    sleep(Duration::from_secs(2));
    drop(second);
    server.restart();
    let form = "grant_type=client_credentials&client_id=anotherkey0123456789&client_secret=anothersecret0123456789";
    let answer = server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form).send();
    assert_eq!(answer.status, 401, "{answer}");
}

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn binding_beyond_loopback_is_refused_naming_the_flag() {
    let directory = temporary();
    let mut command = muster();
    command.args(["serve", "--listen", "0.0.0.0:0", "--data-dir"]).arg(directory.path().join("data"));
    let exit = Exit::of(&mut command);
    assert!(!exit.status.success());
    assert!(exit.stderr.contains("--behind-proxy"), "{}", exit.stderr);
}

#[test]
fn an_unknown_database_scheme_is_refused() {
    for url in ["mysql://localhost/x", "nonsense://x", "oracle:thin", "redis://127.0.0.1/"] {
        let directory = temporary();
        let mut command = muster();
        command.args(["serve", "--listen", "127.0.0.1:0", "--database-url", url, "--data-dir"]);
        let exit = Exit::of(command.arg(directory.path().join("data")));
        assert!(!exit.status.success(), "{url} was taken");
        assert!(!exit.stderr.contains("panicked"), "{}", exit.stderr);
    }
}

#[test]
fn a_database_that_does_not_answer_is_told_without_its_password() {
    let directory = temporary();
    let mut command = muster();
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--database-url",
        "postgres://u:hushhush@127.0.0.1:1/x",
        "--data-dir",
    ]);
    let exit = Exit::of(command.arg(directory.path().join("data")));
    assert!(!exit.status.success());
    assert!(!exit.stderr.contains("hushhush") && !exit.stdout.contains("hushhush"), "{}", exit.stderr);
}

#[test]
fn an_empty_directory_gets_a_key_that_works() {
    let directory = temporary();
    let (data, printed) = (directory.path().join("data"), directory.path().join("printed"));
    let output = fs::File::create(&printed).unwrap_or_else(|error| panic!("{error}"));
    let mut command = muster();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(&data);
    let _first = Guard::spawn(command.stdout(output).stderr(Stdio::null()));
    let credentials = data.join("credentials.env");
    let base = || {
        let printed = fs::read_to_string(&printed).unwrap_or_default();
        let port: String =
            printed.split("http://127.0.0.1:").nth(1)?.chars().take_while(char::is_ascii_digit).collect();
        Some(format!("http://127.0.0.1:{port}"))
    };
    for _ in 0..200 {
        if credentials.is_file() && base().is_some() {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    sleep(Duration::from_millis(500));
    let found = fs::metadata(&credentials).unwrap_or_else(|error| panic!("credentials.env: {error}"));
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&credentials).unwrap_or_default();
    // Lines of a shell: …KEY=value and …SECRET=value, perhaps quoted.
    let value = |ending: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        let (_, value) = lines.find(|(name, _)| name.trim().ends_with(ending)).unwrap_or_default();
        value.trim_matches(['"', '\'']).to_owned()
    };
    let form = format!("grant_type=client_credentials&client_id={}&client_secret={}", value("KEY"), value("SECRET"));
    let answer = reqwest::blocking::Client::new()
        .post(format!("{}/auth/oauth/token", base().unwrap_or_default()))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(form)
        .send();
    assert_eq!(answer.map(|answer| answer.status().as_u16()).ok(), Some(200));
}

#[test]
fn help_and_mistakes_on_the_command_line_are_answered() {
    let exit = Exit::of(muster().arg("--help"));
    assert!(exit.status.success());
    for command in ["serve", "migrate", "openapi", "import"] {
        assert!(exit.stdout.contains(command), "{}", exit.stdout);
    }
    let exit = Exit::of(muster().args(["serve", "--no-such-flag"]));
    assert!(!exit.status.success());
    assert!(exit.stderr.contains("--no-such-flag"), "{}", exit.stderr);
}
