//! The configuration file: what comes before what, what is refused, and what SIGHUP takes up.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use muster_tests::{Backend, Exit, Server, muster};
use serde_json::Value;

use super::until;

/// `muster config` with a file of this text: its name, value and origin by line.
fn config(folder: &Path, text: &str, change: impl FnOnce(&mut Command)) -> Exit {
    let file = folder.join("muster.toml");
    fs::write(&file, text).unwrap();
    let mut command = muster();
    command.args(["config", "--config"]).arg(&file);
    change(&mut command);
    Exit::of(&mut command)
}

#[track_caller]
fn line<'e>(exit: &'e Exit, name: &str) -> Vec<&'e str> {
    let line = exit.stdout.lines().find(|line| line.split_whitespace().next() == Some(name));
    line.unwrap_or_else(|| panic!("{name} is not in\n{}{}", exit.stdout, exit.stderr)).split_whitespace().collect()
}

#[test]
fn an_option_comes_before_the_environment_before_the_file_before_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("smtp-url");
    fs::write(&secret, "smtp://me:hush-5f2c@mail.example\n").unwrap();
    let text = format!(
        "data-dir = \"{0}\"\nworkers = 3\nconnections = 4\nkeep-audit = 30\nbehind-proxy = true\n\
         egress-allow = [\"10.0.0.0/8\", \"192.168.0.0/16\"]\nsmtp-from = \"Muster <m@example.net>\"\n\
         smtp-url-file = \"{1}\"\ndatabase-url = \"postgres://muster:hush-77aa@db/muster\"\n",
        folder.path().join("data").display(),
        secret.display()
    );
    let exit = config(folder.path(), &text, |command| {
        command.args(["--workers", "1"]).env("MUSTER_WORKERS", "2").env("MUSTER_CONNECTIONS", "5");
        command.env("MUSTER_SECRETS_KEY", "hush-key");
    });
    assert!(exit.status.success(), "{}", exit.stderr);
    assert_eq!(line(&exit, "workers"), ["workers", "1", "option"]);
    assert_eq!(line(&exit, "connections"), ["connections", "5", "environment", "MUSTER_CONNECTIONS"]);
    assert_eq!(line(&exit, "keep-audit")[1..3], ["30", "file"]);
    assert_eq!(line(&exit, "behind-proxy")[1..3], ["true", "file"]);
    assert_eq!(line(&exit, "egress-allow")[1..3], ["10.0.0.0/8,192.168.0.0/16", "file"]);
    assert_eq!(line(&exit, "max-requests"), ["max-requests", "0", "default"]);
    assert_eq!(line(&exit, "tls-cert"), ["tls-cert", "none", "default"]);
    assert_eq!(line(&exit, "database-url")[1..3], ["[secret]", "file"]);
    assert_eq!(line(&exit, "smtp-url")[1..3], ["[secret]", "file"]);
    assert_eq!(line(&exit, "secrets-key"), ["secrets-key", "[secret]", "environment", "MUSTER_SECRETS_KEY"]);
    assert!(!exit.stdout.contains("hush"), "{}", exit.stdout);
    assert!(!folder.path().join("data").exists(), "it only prints");
}

#[test]
fn all_that_is_wrong_with_a_file_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = "listn = \"127.0.0.1:0\"\nconnections = 0\nbehind_proxy = 1\nkeep-audit = -1\n\n[more]\nx = 1\n";
    for command in ["config", "serve", "check", "migrate"] {
        fs::write(folder.path().join("muster.toml"), text).unwrap();
        let mut refused = muster();
        refused.arg(command).env("MUSTER_CONFIG", folder.path().join("muster.toml"));
        refused.current_dir(folder.path());
        let exit = Exit::of(&mut refused);
        assert_eq!(exit.status.code(), Some(1), "{command}: {}{}", exit.stdout, exit.stderr);
        for part in [
            "muster.toml:1: listn is not a setting; did you mean listen?",
            "muster.toml:2: connections: ",
            "muster.toml:3: behind_proxy: write true or false",
            "muster.toml:4: keep-audit: ",
            "muster.toml:6: more is not a setting",
        ] {
            assert!(exit.stderr.contains(part), "{command}: {part} is not in\n{}", exit.stderr);
        }
    }
    assert!(!folder.path().join("data").exists(), "nothing is made");
    let missing = Exit::of(muster().args(["serve", "--config", "/nowhere/muster.toml"]));
    assert!(missing.stderr.contains("/nowhere/muster.toml: cannot be read"), "{}", missing.stderr);
    let exit = config(folder.path(), "listen = \"127.0.0.1:0\"\nlisten = 1\n", |_| {});
    assert!(exit.stderr.contains("muster.toml:2: "), "{}", exit.stderr);
    let exit = config(folder.path(), "data-dir = \"a\"\ndata_dir = \"b\"\n", |_| {});
    assert!(exit.stderr.contains("muster.toml:2: data_dir: data-dir is said twice"), "{}", exit.stderr);
}

#[test]
fn a_hangup_takes_up_what_can_be_and_names_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("muster.toml");
    fs::write(&file, "log = \"info\"\nkeep-alerts = 400\nmax-requests = 100\n").unwrap();
    let server = Server::start_with(Backend::Sqlite, &["--config", &file.display().to_string()]);
    let says = |text: &str| server.log().contains(text);
    let debug = || server.log().lines().filter(|line| line.contains("\"level\":\"DEBUG\"")).count();
    assert_eq!(debug(), 0);
    fs::write(&file, "log = \"info,api=debug\"\nkeep-alerts = 30\nmax-requests = 200\n").unwrap();
    server.signal("HUP");
    until("it is told", Duration::from_secs(10), || says("settings that are in force now: keep-alerts, log"));
    until("the rest is named", Duration::from_secs(10), || says("changed and need a restart: max-requests"));
    server.get("/health/live");
    until("reads are logged", Duration::from_secs(10), || debug() > 0);
    fs::write(&file, "log = \"info\"\nnonsense = 1\n").unwrap();
    server.signal("HUP");
    until("a wrong file changes nothing", Duration::from_secs(10), || says("nonsense is not a setting"));
    assert!(server.get("/health/live").status == 200);
}

#[test]
fn the_format_of_the_log_is_chosen() {
    for (format, is_json) in [("json", true), ("text", false)] {
        let server = Server::start_with(Backend::Sqlite, &["--log-format", format]);
        let log = server.log();
        let of_start = log.lines().find(|line| line.contains("Muster starts")).expect("it is logged");
        let line = of_start.trim_start_matches("stderr: ");
        assert_eq!(serde_json::from_str::<Value>(line).is_ok(), is_json, "{line}");
        assert!(is_json || line.contains(" INFO "), "{line}");
    }
    let wrong = Exit::of(muster().args(["serve", "--log-format", "xml"]));
    assert!(wrong.stderr.contains("json, text"), "{}", wrong.stderr);
}

/// The defaults that the operations page names are those that `muster config` prints.
#[test]
fn the_defaults_of_the_page_are_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let exit = Exit::of(muster().arg("config").current_dir(folder.path()));
    assert!(exit.status.success(), "{}", exit.stderr);
    let page = crate::house::read("docs/operations.md");
    let section = page.split("\n## Settings\n").nth(1).and_then(|rest| rest.split("\n#").next()).unwrap();
    let mut compared = 0;
    for row in section.lines().filter(|line| line.starts_with("| `MUSTER_")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let names = cells[2].split(", ").filter_map(|cell| cell.strip_prefix("`--")?.strip_suffix('`'));
        let told = match cells[3].trim_matches('`') {
            "SQLite in the data directory" => "sqlite:data/muster.sqlite",
            "`secrets.key` in the data directory" | "secrets.key` in the data directory" => "data/secrets.key",
            "JSON, on a terminal text" => "json, on a terminal text",
            "required with it" => "none",
            told => told,
        };
        for name in names {
            let line = exit.stdout.lines().find(|line| line.split_whitespace().next() == Some(name));
            let line = line.unwrap_or_else(|| panic!("{name} is not in\n{}", exit.stdout));
            let value = line.trim_start_matches(name).trim().trim_end_matches("default").trim();
            assert_eq!(value, told, "{row}\n{line}");
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn a_variable_that_is_set_to_nothing_is_named() {
    for variable in ["MUSTER_KEEP_AUDIT", "MUSTER_DATA_DIR", "MUSTER_DATABASE_URL", "MUSTER_BEHIND_PROXY"] {
        let exit = Exit::of(muster().arg("config").env(variable, ""));
        let told = format!("error: {variable} is set to nothing: give it a value, or unset it for the default");
        assert!(!exit.status.success() && exit.stderr.contains(&told), "{}{}", exit.stdout, exit.stderr);
    }
    let exit = Exit::of(muster().arg("config").env("MUSTER_KEEP_AUDIT", "soon"));
    assert!(exit.stderr.contains("'soon'"), "{}", exit.stderr);
}

#[test]
fn an_empty_list_in_the_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let exit = config(folder.path(), "egress-allow = []\n", |_| {});
    assert!(exit.status.success(), "{}", exit.stderr);
    assert_eq!(line(&exit, "egress-allow")[1..3], ["none", "file"]);
}
