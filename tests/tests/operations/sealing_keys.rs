//! Gateways on one database seal secrets under one key.

use std::fs;
use std::path::{Path, PathBuf};

use muster_tests::{Backend, Exit, Server, both_backends, fresh_database, muster};
use serde_json::json;

both_backends![a_database_of_before_takes_the_key_of_the_first_start, a_rotation_changes_the_key_of_the_database];

/// A start with this data directory that ends by itself; all that it said.
fn refused(url: &str, data: &Path, variables: &[(&str, &str)]) -> String {
    let mut command = muster();
    command.args(["serve", "--listen", "127.0.0.1:0", "--database-url", url, "--data-dir"]).arg(data);
    let exit = Exit::of(command.envs(variables.iter().copied()));
    assert!(!exit.status.success(), "{}{}", exit.stdout, exit.stderr);
    exit.stderr
}

fn store_a_secret(server: &Server) {
    let body = json!({"type": "CUSTOM", "name": "hook", "authType": "NONE", "baseNotifier": {
        "type": "REST_API", "baseURI": "https://example.com", "authType": "NONE"}});
    server.new_client().post("/integrations/install/CUSTOM", &body).ok();
}

fn key_of(server: &Server) -> PathBuf {
    server.data_dir().join("secrets.key")
}

fn command(server: &Server, arguments: &[&str]) -> Exit {
    let mut command = muster();
    command.args(arguments).arg("--data-dir").arg(server.data_dir());
    if let Some(url) = server.database_url() {
        command.args(["--database-url", url]);
    }
    Exit::of(&mut command)
}

#[test]
fn a_second_gateway_with_a_key_of_its_own_is_refused() {
    let url = fresh_database();
    let first = Server::start_at(Backend::Postgres, Some(url.clone()), &[]);
    let directory = tempfile::tempdir().unwrap();
    let other = directory.path().join("secrets.key");
    // Before and after there is a secret: the first one may be made by either gateway.
    for has_secret in [false, true] {
        if has_secret {
            store_a_secret(&first);
        }
        let said = refused(&url, directory.path(), &[]);
        assert!(said.contains("secrets.key") && said.contains("MUSTER_SECRETS_KEY"), "{said}");
        assert!(!other.exists(), "it makes no key of its own");
        fs::write(&other, "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE\n").unwrap();
        let said = refused(&url, directory.path(), &[]);
        assert!(said.contains("copy the") && said.contains(&other.display().to_string()), "{said}");
        let said =
            refused(&url, directory.path(), &[("MUSTER_SECRETS_KEY", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE")]);
        assert!(said.contains("MUSTER_SECRETS_KEY"), "{said}");
        let mut check = muster();
        check.args(["check", "--listen", "127.0.0.1:0", "--database-url", &url, "--data-dir"]).arg(directory.path());
        let exit = Exit::of(&mut check);
        assert!(!exit.status.success() && exit.stdout.contains("FAIL  key of secrets"), "{}", exit.stdout);
        fs::remove_file(&other).unwrap();
    }
    // With the key of the first it starts.
    drop(Server::start_beside(&first, &[]));
}

#[test]
fn of_two_first_gateways_that_start_at_once_one_stays() {
    let url = fresh_database();
    let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let migrate = ["migrate", "--database-url", &url, "--data-dir"];
    assert!(Exit::of(muster().args(migrate).arg(directories[0].path())).status.success());
    let started: Vec<bool> = std::thread::scope(|scope| {
        let start = |directory: &tempfile::TempDir| {
            let data = directory.path().to_owned();
            let url = url.clone();
            scope.spawn(move || {
                let mut command = muster();
                command.args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url, "--data-dir"]).arg(&data);
                let log = fs::File::create(data.join("log")).unwrap();
                let mut running = muster_tests::Guard::spawn(command.stdout(log.try_clone().unwrap()).stderr(log));
                let said = || fs::read_to_string(data.join("log")).unwrap_or_default();
                super::until("it starts or says why not", std::time::Duration::from_secs(20), || {
                    said().contains("Muster listens at") || matches!(running.process().try_wait(), Ok(Some(_)))
                });
                // The other one has decided by then, too.
                std::thread::sleep(std::time::Duration::from_secs(2));
                let started = said().contains("Muster listens at");
                assert!(started || said().contains("copy the secrets.key"), "{}", said());
                assert_eq!(started, data.join("secrets.key").exists(), "a key that counts for nothing stays");
                started
            })
        };
        let both = [start(&directories[0]), start(&directories[1])];
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(started.iter().filter(|started| **started).count(), 1, "{started:?}");
}

fn a_database_of_before_takes_the_key_of_the_first_start(backend: Backend) {
    let mut server = Server::start(backend);
    store_a_secret(&server);
    server.stop();
    server.sql("DELETE FROM counters WHERE name = 'sealing_key'");
    server.restart();
    server.stop();
    let key = fs::read_to_string(key_of(&server)).unwrap();
    fs::write(key_of(&server), "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE\n").unwrap();
    let exit = Exit::of(&mut server.serve_command());
    assert!(!exit.status.success() && exit.stderr.contains("secret"), "{}", exit.stderr);
    fs::write(key_of(&server), key).unwrap();
    server.restart();
}

fn a_rotation_changes_the_key_of_the_database(backend: Backend) {
    let mut server = Server::start(backend);
    store_a_secret(&server);
    let before = fs::read_to_string(key_of(&server)).unwrap();
    let exit = command(&server, &["secrets", "rotate"]);
    assert!(exit.status.success(), "{}", exit.stderr);
    server.restart();
    server.stop();
    let after = fs::read_to_string(key_of(&server)).unwrap();
    fs::write(key_of(&server), &before).unwrap();
    let exit = Exit::of(&mut server.serve_command());
    assert!(!exit.status.success() && exit.stderr.contains("key"), "{}", exit.stderr);
    fs::write(key_of(&server), after.lines().next().unwrap_or_default()).unwrap();
    server.restart();
}

/// Nothing is lost with a key under which nothing was sealed.
#[test]
fn a_key_that_sealed_nothing_can_be_replaced() {
    let mut alone = Server::start(Backend::Sqlite);
    alone.stop();
    fs::remove_file(key_of(&alone)).unwrap();
    alone.restart();

    let mut server = Server::start(Backend::Postgres);
    server.stop();
    fs::remove_file(key_of(&server)).unwrap();
    let exit = Exit::of(&mut server.serve_command());
    assert!(!exit.status.success() && exit.stderr.contains("muster secrets rotate"), "{}", exit.stderr);
    let exit = command(&server, &["secrets", "rotate"]);
    assert!(exit.status.success(), "{}", exit.stderr);
    server.restart();
}
