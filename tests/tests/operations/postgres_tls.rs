//! A Postgres that is reached over TLS.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use muster_tests::{Authority, Backend, Exit, Server, fresh_database, muster, postgres_authority};
use serde_json::json;

/// The URL of a new database with these parameters, at another host when one is given; `None` where the tests use a
/// Postgres that is not theirs.
fn database(parameters: &str) -> Option<String> {
    let authority = postgres_authority()?;
    let parameters = parameters.replace("ROOT", &authority.to_string_lossy());
    Some(format!("{}?{parameters}", fresh_database()))
}

fn psql(url: &str, statement: &str) -> String {
    let mut command = Command::new("psql");
    let output = command.env("PGSSLMODE", "disable").args(["-XqtA", "-d", url, "-c", statement]).output();
    let output = output.unwrap_or_else(|error| panic!("psql: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Serves over TLS: every connection but the one that asks is encrypted.
fn serves(parameters: &str) {
    let Some(url) = database(parameters) else { return };
    let server = Server::start_at(Backend::Postgres, Some(url.clone()), &[]);
    let client = server.admin().tenant("client_1");
    client.post("/resources", &json!({"name": "over-tls"})).ok();
    assert_eq!(client.get("/resources/minimal").list().len(), 1);
    let (plain_url, _) = url.split_once('?').unwrap_or((&url, ""));
    let connections = "SELECT count(*) FILTER (WHERE ssl) > 0 AND count(*) FILTER (WHERE NOT ssl) = 0 \
                       FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
    assert_eq!(psql(plain_url, connections), "t", "{parameters}");
}

/// Does not start, and says why.
#[track_caller]
fn refuses(url: &str, said: &str) {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let exit = Exit::of(muster().args(["migrate", "--database-url", url, "--data-dir"]).arg(directory.path()));
    assert!(!exit.status.success() && exit.stderr.contains(said), "no {said:?} in\n{}", exit.stderr);
    assert!(!exit.stderr.contains("password"), "{}", exit.stderr);
}

#[test]
fn each_mode_encrypts() {
    serves("sslmode=require");
    serves("sslmode=prefer");
    serves("sslmode=verify-ca&sslrootcert=ROOT");
    serves("sslmode=verify-full&sslrootcert=ROOT&application_name=muster");
    // Another name than the certificate bears, at the same address.
    serves("sslmode=verify-ca&sslrootcert=ROOT&host=db.test&hostaddr=127.0.0.1");
}

#[test]
fn a_wrong_certificate_is_refused() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let other = directory.path().join("other.pem");
    let write = |path: &Path, text: &str| std::fs::write(path, text).unwrap_or_else(|error| panic!("{error}"));
    write(&other, &Authority::new().certify(&["localhost"]).authority);
    for mode in ["require", "verify-ca", "verify-full"] {
        let Some(url) = database(&format!("sslmode={mode}&sslrootcert={}", other.display())) else { return };
        refuses(&url, "TLS: invalid peer certificate");
    }
    for (parameters, said) in [
        ("sslmode=verify-full", "UnknownIssuer"),
        ("sslmode=verify-full&sslrootcert=ROOT&host=db.test&hostaddr=127.0.0.1", "db.test"),
        ("sslmode=verify-full&sslrootcert=/nowhere.pem", "sslrootcert /nowhere.pem"),
        ("sslmode=sometimes", "none of disable"),
    ] {
        let Some(url) = database(parameters) else { return };
        refuses(&url, said);
    }
}

#[test]
fn a_server_without_tls_is_refused_when_tls_is_asked_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
    let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let mut asked = [0; 8];
            let _ = stream.read_exact(&mut asked);
            let _ = stream.write_all(b"N");
            // Whatever came now would be the password in the clear.
            let mut more = Vec::new();
            let _ = stream.read_to_end(&mut more);
            assert!(more.is_empty(), "{more:?}");
        }
    });
    refuses(&format!("postgres://u:p@{address}/m?sslmode=require"), "does not speak TLS");
}
