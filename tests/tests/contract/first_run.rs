//! The first start on an empty directory, and starts that are refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
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
        "--wait-for-database",
        "0",
        "--data-dir",
    ]);
    let exit = Exit::of(command.arg(directory.path().join("data")));
    assert!(!exit.status.success());
    assert!(!exit.stderr.contains("hushhush") && !exit.stdout.contains("hushhush"), "{}", exit.stderr);
}

#[test]
fn an_empty_directory_gets_a_key_that_works() {
    let directory = temporary();
    let data = directory.path().join("data");
    let printed = directory.path().join("printed");
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

/// Starts `serve` on a directory, without keys of the environment; what it prints goes to a file.
fn first_start(data: &Path, printed: &Path) -> Guard {
    let output = fs::File::create(printed).unwrap_or_else(|error| panic!("{error}"));
    let mut command = muster();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data);
    Guard::spawn(command.stdout(output).stderr(Stdio::null()))
}

/// Waits until the service has printed this; answers all that it printed.
#[track_caller]
fn prints(printed: &Path, what: &str) -> String {
    for _ in 0..400 {
        let told = fs::read_to_string(printed).unwrap_or_default();
        if told.contains(what) {
            return told;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("it did not print {what}: {}", fs::read_to_string(printed).unwrap_or_default());
}

/// Starts it, and looks whether the key of `credentials.env` is one that the database knows.
#[track_caller]
fn has_a_key_that_works(data: &Path) {
    let printed = data.with_file_name("printed");
    let _running = first_start(data, &printed);
    prints(&printed, "Reference");
    let text = fs::read_to_string(data.join("credentials.env")).unwrap_or_default();
    let key = text.lines().find_map(|line| line.strip_prefix("MUSTER_KEY=")).unwrap_or("nothing");
    let exit = Exit::of(muster().args(["key", "list", "--data-dir"]).arg(data));
    assert!(exit.stdout.contains(key), "nobody has the first key: {}\n{}", exit.stdout, exit.stderr);
}

#[test]
fn a_first_start_that_cannot_tell_its_key_makes_none() {
    let directory = temporary();
    let data = directory.path().join("data");
    let blocked = data.join("credentials.env");
    fs::create_dir_all(&blocked).unwrap_or_else(|error| panic!("{error}"));
    let mut command = muster();
    let exit = Exit::of(command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(&data));
    assert!(!exit.status.success() && exit.stderr.contains("credentials.env"), "{}", exit.stderr);
    assert!(!data.join("muster.sqlite").exists(), "it has made a database");
    fs::remove_dir(&blocked).unwrap_or_else(|error| panic!("{error}"));
    has_a_key_that_works(&data);
}

#[test]
fn a_first_start_that_is_killed_leaves_a_key_that_somebody_has() {
    for round in 0..12_u64 {
        let directory = temporary();
        let data = directory.path().join("data");
        let mut first = first_start(&data, &directory.path().join("first"));
        for _ in 0..4_000 {
            if data.join("muster.sqlite").exists() {
                break;
            }
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(round * 12));
        let _ = first.process().kill();
        drop(first);
        has_a_key_that_works(&data);
    }
}

#[test]
fn credentials_that_are_there_are_never_written_over() {
    let directory = temporary();
    let data = directory.path().join("data");
    let credentials = || fs::read_to_string(data.join("credentials.env")).unwrap_or_default();
    has_a_key_that_works(&data);
    let first = credentials();
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(data.join(format!("muster.sqlite{ending}")));
    }
    has_a_key_that_works(&data);
    assert_eq!(credentials(), first, "another database takes the key that is there");
}

#[test]
fn a_first_key_that_is_lost_is_said_with_what_helps() {
    let directory = temporary();
    let data = directory.path().join("data");
    has_a_key_that_works(&data);
    fs::remove_file(data.join("credentials.env")).unwrap_or_else(|error| panic!("{error}"));
    let printed = directory.path().join("printed");
    let _second = first_start(&data, &printed);
    let told = prints(&printed, "muster key rotate");
    let command = told.split("muster ").last().unwrap_or_default().trim().to_owned();
    assert!(command.starts_with("key rotate KEY-") && told.contains("never used"), "{told}");
    // What it says is what helps.
    let exit = Exit::of(muster().args(command.split_whitespace()));
    assert!(exit.status.success() && exit.stdout.contains("MUSTER_SECRET="), "{}{}", exit.stdout, exit.stderr);
}

#[test]
fn files_of_the_database_are_their_owners_alone() {
    let server = Server::start(Backend::Sqlite);
    server.admin().get("/resources/minimal").list();
    let mut seen = Vec::new();
    for entry in fs::read_dir(server.data_dir()).unwrap_or_else(|error| panic!("{error}")) {
        let entry = entry.unwrap_or_else(|error| panic!("{error}"));
        let mode = entry.metadata().unwrap_or_else(|error| panic!("{error}")).permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} has the mode {mode:04o}", entry.path().display());
        seen.push(entry.file_name().to_string_lossy().into_owned());
    }
    assert!(seen.iter().any(|name| name.ends_with("-wal")), "{seen:?}");
}

#[test]
fn a_second_service_on_a_file_is_refused() {
    let mut server = Server::start(Backend::Sqlite);
    let second = || Exit::of(&mut server.serve_command());
    let exit = second();
    assert!(!exit.status.success() && exit.stderr.contains("another `muster serve` runs"), "{}", exit.stderr);
    // Commands work beside it, and it goes on.
    let exit = Exit::of(muster().args(["tenant", "list", "--data-dir"]).arg(server.data_dir()));
    assert!(exit.status.success(), "{}", exit.stderr);
    server.admin().get("/resources/minimal").list();
    // Whatever ends it, its place is free.
    server.kill9();
    server.restart();
}

/// On SQLite it is tested beside the code, which is the same.
#[test]
fn an_older_program_leaves_a_newer_database_alone() {
    let url = muster_tests::fresh_database();
    let mut server = Server::start_at(Backend::Postgres, Some(url.clone()), &[]);
    server.stop();
    let newer = "INSERT INTO __diesel_schema_migrations (version, program) VALUES ('things0001', '9.10.0')";
    muster_tests::psql(&url, newer);
    let directory = temporary();
    for command in
        [["serve", "--listen", "127.0.0.1:0"].as_slice(), &["check", "--listen", "127.0.0.1:0"], &["key", "list"]]
    {
        let mut program = muster();
        program.args(command).args(["--database-url", &url, "--data-dir"]).arg(directory.path().join("data"));
        let exit = Exit::of(&mut program);
        let told = format!("{}{}", exit.stdout, exit.stderr);
        assert!(!exit.status.success() && told.contains("Muster 9.10.0"), "{command:?}: {told}");
        assert!(!told.contains("panicked"), "{told}");
    }
}

#[test]
fn an_address_that_is_taken_makes_nothing() {
    let directory = temporary();
    let data = directory.path().join("data");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
    let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}")).to_string();
    let exit = Exit::of(muster().args(["serve", "--listen", &address, "--data-dir"]).arg(&data));
    assert!(!exit.status.success() && exit.stderr.contains("--listen"), "{}", exit.stderr);
    assert!(!data.exists(), "it made a data directory");
}

#[test]
fn options_that_are_wrong_say_what_to_write() {
    let directory = temporary();
    for (option, value, said) in [
        ("--listen", "example.com:80", "127.0.0.1:8080"),
        ("--listen", ":8080", "0.0.0.0:8080"),
        ("--log", "nonsense=", "nonsense="),
        ("--keep-audit", "x", "--keep-audit"),
    ] {
        let data = directory.path().join("data");
        let exit = Exit::of(muster().args(["serve", option, value, "--data-dir"]).arg(&data));
        assert!(!exit.status.success() && exit.stderr.contains(said), "{option} {value}: {}", exit.stderr);
        assert!(!data.exists());
    }
}
