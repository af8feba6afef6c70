//! Options that are wrong: what is refused, in which words, and that no message shows a password.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use muster_tests::{Backend, Exit, Server, fresh_database, muster, psql};

use super::until;

/// A database that refuses connections at once.
const NOBODY: &str = "postgres://nobody@127.0.0.1:1/none";

fn run(arguments: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Exit {
    let folder = tempfile::tempdir().unwrap();
    let mut command = muster();
    command.args(arguments).current_dir(folder.path());
    change(&mut command);
    let exit = Exit::of(&mut command);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?} made something");
    exit
}

#[track_caller]
fn refuses(arguments: &[&str], told: &str) {
    let exit = run(arguments, |run| run);
    assert!(!exit.status.success() && exit.stderr.contains(told), "{arguments:?}: {}{}", exit.stdout, exit.stderr);
}

#[test]
fn a_word_that_is_not_a_level_is_refused() {
    refuses(&["config", "--log", "warning"], "warning is not a level; did you mean warn?");
    refuses(&["serve", "--log", "inf"], "inf is not a level; did you mean info?");
    refuses(&["serve", "--log", "verbose"], "verbose is not a level: write off, error, warn, info, debug or trace");
}

#[test]
fn why_a_service_ends_is_said_whatever_is_logged() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for log in ["off", "nothing=info", "muster=off"] {
        let exit = run(&["serve", "--listen", &address, "--log", log], |run| run);
        assert!(exit.stderr.contains(&format!("cannot listen on {address}")), "{log}: {}", exit.stderr);
        assert_eq!(exit.status.code(), Some(1));
    }
}

/// Whatever is in a password, and wherever it is said: no message has a part of it.
#[test]
fn no_message_shows_a_password() {
    let parts = ["hush-one-71", "hush-two-83"];
    let options = [
        ("database-url", "MUSTER_DATABASE_URL", "postgres", &["serve", "config", "check", "doctor", "migrate"][..]),
        ("read-url", "MUSTER_READ_URL", "postgresql", &["serve", "check", "doctor", "config"]),
        ("smtp-url", "MUSTER_SMTP_URL", "smtps", &["serve", "config", "doctor"]),
        ("otlp-endpoint", "MUSTER_OTLP_ENDPOINT", "http", &["serve", "config"]),
        ("oidc-issuer", "MUSTER_OIDC_ISSUER", "https", &["serve", "config"]),
        ("public-url", "MUSTER_PUBLIC_URL", "https", &["serve", "config"]),
        ("backup-to", "MUSTER_BACKUP_TO", "s3", &["serve", "config", "doctor"]),
        ("to", "MUSTER_MOVE_TO", "postgres", &["move"]),
        ("from", "MUSTER_MOVE_FROM", "postgres", &["move"]),
    ];
    let mut turn = 0;
    for special in [" ", "/", "@", ":", "?", "#", "%", "%zz", "&a="] {
        for (option, variable, scheme, commands) in options {
            for scheme in [scheme, "postgre"] {
                turn += 1;
                let value = format!("{scheme}://me:{}{special}{}@127.0.0.1:1/db", parts[0], parts[1]);
                let command = commands[turn % commands.len()];
                let exit = run(&[command], |run| {
                    run.env("MUSTER_OIDC_CLIENT_ID", "m").env("MUSTER_OIDC_CLIENT_SECRET_FILE", "/nowhere");
                    run.env("MUSTER_PUBLIC_URL", "https://muster.example").env("MUSTER_SMTP_FROM", "m@example.net");
                    run.env("MUSTER_OIDC_ISSUER", "https://issuer.example").env("MUSTER_WAIT_FOR_DATABASE", "0");
                    run.env("MUSTER_DATABASE_URL", NOBODY).env("MUSTER_LOG", "trace");
                    match turn % 3 {
                        0 => run.arg(format!("--{option}={value}")).env_remove(variable),
                        _ => run.env(variable, &value),
                    }
                });
                let shown = exit.stdout + &exit.stderr;
                let hides = parts.iter().all(|part| !shown.contains(part));
                assert!(hides, "{command} with {option} of {value:?} shows\n{shown}");
                assert!(!shown.is_empty(), "{command} with {option} says nothing");
            }
        }
    }
}

#[test]
fn a_database_url_that_libpq_cannot_read_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("url");
    fs::write(&file, "postgres://me:hu%zzsh@127.0.0.1/db\n").unwrap();
    let exit = run(&["serve"], |run| run.env("MUSTER_DATABASE_URL_FILE", &file));
    assert!(!exit.status.success() && exit.stderr.contains("percent-encoded"), "{}", exit.stderr);
    assert!(!exit.stderr.contains("zz") && !exit.stderr.contains("waiting"), "{}", exit.stderr);
}

fn with_files<'a>(run: &'a mut Command, file: &Path, toml: &Path) -> &'a mut Command {
    run.env("MUSTER_DATABASE_URL_FILE", file).env("MUSTER_CONFIG", toml)
}

#[test]
fn a_secret_stands_in_a_file_that_a_variable_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("url");
    fs::write(&file, "postgres://me:hush@127.0.0.1:1/db\n").unwrap();
    let toml = folder.path().join("m.toml");
    fs::write(&toml, "database-url = \"sqlite:other\"\n").unwrap();
    let exit = run(&["config"], |run| with_files(run, &file, &toml));
    let line = exit.stdout.lines().find(|line| line.starts_with("database-url ")).unwrap().to_owned();
    assert!(line.contains("[secret]") && line.ends_with("environment MUSTER_DATABASE_URL_FILE"), "{line}");
    assert!(exit.stderr.is_empty(), "{}", exit.stderr);
    let exit = run(&["serve", "--wait-for-database", "0"], |run| with_files(run, &file, &toml));
    assert!(exit.stderr.contains("opening postgres://me@127.0.0.1:1/db"), "{}", exit.stderr);
    // An option comes before it.
    let exit = run(&["config", "--database-url", "sqlite:mine"], |run| with_files(run, &file, &toml));
    assert!(exit.stdout.lines().any(|line| line.starts_with("database-url ") && line.ends_with("option")));
    for (variable, value, told) in [
        ("MUSTER_DATABASE_URL", "sqlite:x", "MUSTER_DATABASE_URL and MUSTER_DATABASE_URL_FILE are both set"),
        ("MUSTER_SMTP_URL_FILE", "/nowhere", "MUSTER_SMTP_URL_FILE: /nowhere cannot be read"),
        ("MUSTER_READ_URL_FILE", "", "MUSTER_READ_URL_FILE is set to nothing"),
        ("MUSTER_LISTEN_FILE", "/x", "MUSTER_LISTEN_FILE is not a setting: MUSTER_LISTEN is not read from a file"),
        ("MUSTER_BOOTSTRAP_SECRET_FILE", "/x", "MUSTER_BOOTSTRAP_SECRET is not read from a file"),
    ] {
        for command in ["serve", "config"] {
            let exit = run(&[command], |run| with_files(run, &file, &toml).env(variable, value));
            assert!(!exit.status.success() && exit.stderr.contains(told), "{command} {told}: {}", exit.stderr);
        }
    }
}

#[test]
fn a_mistyped_variable_is_named_by_config() {
    let exit = run(&["config"], |run| run.env("MUSTER_LISTN", "1"));
    assert!(exit.status.success() && exit.stderr.contains("did you mean MUSTER_LISTEN"), "{}", exit.stderr);
}

#[test]
fn a_file_without_a_certificate_is_refused_wherever_one_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    fs::write(&empty, "no certificate\n").unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "hush\n").unwrap();
    let (empty, secret) = (empty.display().to_string(), secret.display().to_string());
    let data = folder.path().join("data").display().to_string();
    let base = ["serve", "--listen", "127.0.0.1:0", "--data-dir", &data];
    let oidc = ["--oidc-issuer", "https://127.0.0.1:1", "--oidc-client-id", "m", "--oidc-client-secret-file", &secret];
    for more in [
        &["--egress-ca", &empty][..],
        &["--otlp-endpoint", "http://127.0.0.1:1", "--otlp-ca", &empty],
        &[&oidc[..], &["--public-url", "https://muster.example", "--oidc-ca", &empty]].concat(),
    ] {
        refuses(&[&base[..], more].concat(), "empty.pem holds no certificate");
    }
}

#[test]
fn backups_go_to_a_directory_of_this_machine() {
    refuses(&["serve", "--every", "2s"], "--backup-to <DIR>");
    refuses(&["serve", "--backup-to", "s3://bucket/x"], "is an address: name a directory of this machine");
    refuses(&["restore", "--backup-to", "s3://bucket/x"], "docs/operations.md");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let same = ["serve", "--listen", "127.0.0.1:0", "--data-dir", &path, "--backup-to", &format!("{path}/.")];
    refuses(&same, "--backup-to is the data directory");
}

#[test]
fn what_is_not_a_number_is_told_its_unit() {
    for (arguments, told) in [
        (["--keep-audit=730d", "--workers=1"], "write a number of days, 0 for ever"),
        (["--keep-audit=-3", "--workers=1"], "write a number of days, 0 for ever"),
        (["--workers=x", "--page-limit=1"], "write a number of threads, 0 for one per core"),
        (["--wait-for-database=soon", "--workers=1"], "write a number of seconds, such as 60, or 0 to end at once"),
        (["--connections=0", "--workers=1"], "write a number of connections from 1 to 1000"),
        (["--data-dir=", "--workers=1"], "is set to nothing: name a directory"),
    ] {
        refuses(&[&["config"], &arguments[..]].concat(), told);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.toml");
    let with = |text: &str| {
        fs::write(&file, text).unwrap();
        run(&["config"], |run| run.env("MUSTER_CONFIG", &file))
    };
    let exit = with("otlp-sample = 0.25\n");
    let is_taken = |line: &str| line.starts_with("otlp-sample ") && line.contains("0.25");
    assert!(exit.stdout.lines().any(is_taken), "{}", exit.stderr);
    let exit = with("[serve]\nworkers = 1\n");
    assert!(exit.stderr.contains("serve is not a setting: the file has no sections"), "{}", exit.stderr);
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let url = fresh_database();
    psql(&url, "CREATE TABLE resources (id int)");
    for command in [&["migrate", "--plan"][..], &["migrate"], &["serve", "--listen", "127.0.0.1:0"]] {
        let exit = run(command, |run| run.env("MUSTER_DATABASE_URL", &url).env("MUSTER_DATA_DIR", "/tmp"));
        assert_eq!(exit.status.code(), Some(1), "{command:?}: {}{}", exit.stdout, exit.stderr);
        let told = "a database of another program, with tables of the same names as those of Muster (resources)";
        assert!(exit.stderr.contains(told), "{command:?}: {}", exit.stderr);
    }
    assert_eq!(psql(&url, "SELECT count(*) FROM pg_tables WHERE tablename = 'tenants'").trim(), "0");
}

#[test]
fn a_hangup_with_a_wrong_level_keeps_the_former() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("muster.toml");
    fs::write(&file, "log = \"info\"\n").unwrap();
    let server = Server::start_with(Backend::Sqlite, &["--config", &file.display().to_string()]);
    fs::write(&file, "log = \"loud\"\n").unwrap();
    server.signal("HUP");
    let says = |text: &str| server.log().contains(text);
    until("it is told", Duration::from_secs(10), || says("loud is not a level"));
    assert!(says("the former settings stay in force") && !says("certificate"), "{}", server.log());
}
