//! HTTPS by the service itself.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use muster_tests::{Authority, Exit, Guard, muster};
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject as _};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

const KEY: &str = "tlsbootstrapkey0123456789";

pub(super) fn serve(directory: &Path, listen: &str) -> Command {
    let mut command = muster();
    command.args(["serve", "--listen", listen, "--data-dir"]).arg(directory.join("data"));
    command.arg("--tls-cert").arg(directory.join("cert.pem")).arg("--tls-key").arg(directory.join("key.pem"));
    command.env("MUSTER_BOOTSTRAP_KEY", KEY).env("MUSTER_BOOTSTRAP_SECRET", KEY);
    command
}

/// Writes a certificate for `localhost`; gives the one of its authority.
pub(super) fn certify(directory: &Path) -> String {
    let made = Authority::new().certify(&["localhost"]);
    // As renewing programs do it: each file is replaced at once.
    for (name, text) in [("cert.pem", made.certificate), ("key.pem", made.key)] {
        let new = directory.join("new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, directory.join(name))).unwrap_or_else(|e| panic!("{e}"));
    }
    made.authority
}

pub(super) fn get(port: u16, authority: &str, path: &str) -> std::io::Result<String> {
    let mut stream = connect(port, authority, &[])?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    match stream.read_to_string(&mut answer) {
        Err(error) if answer.is_empty() => Err(error),
        _ => Ok(answer),
    }
}

/// A connection that speaks one of these protocols, or HTTP/1.1.
pub(super) fn connect(
    port: u16,
    authority: &str,
    protocols: &[&[u8]],
) -> std::io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(authority.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    roots.add(authority).unwrap_or_else(|error| panic!("{error}"));
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap_or_else(|error| panic!("{error}"));
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let name = ServerName::try_from("localhost").unwrap_or_else(|error| panic!("{error}"));
    let connection = ClientConnection::new(Arc::new(config), name).unwrap_or_else(|error| panic!("{error}"));
    Ok(StreamOwned::new(connection, TcpStream::connect(("127.0.0.1", port))?))
}

/// Waits for the line that says where it listens.
pub(super) fn port(log: &Path, start: &str) -> u16 {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let text = fs::read_to_string(log).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(start)).filter(|_| text.contains("Reference"));
        if let Some(port) = line.and_then(|line| line.trim().parse().ok()) {
            return port;
        }
        assert!(Instant::now() < deadline, "{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn https_with_a_certificate_that_can_be_renewed() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let first = certify(directory.path());
    let log = directory.path().join("log");
    let output = || File::options().create(true).append(true).open(&log).unwrap_or_else(|error| panic!("{error}"));
    // Beyond loopback: TLS is enough.
    let mut server = Guard::spawn(serve(directory.path(), "0.0.0.0:0").stdout(output()).stderr(output()));
    let port = port(&log, "Muster listens at https://0.0.0.0:");
    let answer = get(port, &first, "/health/ready").unwrap_or_else(|error| panic!("{error}"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("strict-transport-security: max-age=31536000"), "{answer}");
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let metrics = get(port, &first, "/metrics").unwrap_or_else(|error| panic!("{error}"));
        // The one before may be on its way out.
        if metrics.contains("muster_http_connections 1\n") {
            break;
        }
        assert!(Instant::now() < deadline, "{metrics}");
    }
    assert!(get(port, &Authority::new().certify(&["x"]).authority, "/").is_err(), "another authority");

    let second = certify(directory.path());
    let pid = server.process().id().to_string();
    let sent = Command::new("kill").args(["-s", "HUP", &pid]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let deadline = Instant::now() + Duration::from_secs(10);
    while get(port, &second, "/health/live").is_err() {
        assert!(Instant::now() < deadline, "{}", fs::read_to_string(&log).unwrap_or_default());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(get(port, &first, "/health/live").is_err(), "the old certificate is gone");
}

#[test]
fn what_is_wrong_with_a_certificate_is_said_at_start() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let refuses = |command: &mut Command, said: &str| {
        let exit = Exit::of(command);
        assert!(!exit.status.success() && exit.stderr.contains(said), "no {said:?} in\n{}", exit.stderr);
    };
    refuses(&mut serve(directory.path(), "127.0.0.1:0"), "cert.pem");
    certify(directory.path());
    let other = Authority::new().certify(&["localhost"]);
    fs::write(directory.path().join("key.pem"), other.key).unwrap_or_else(|error| panic!("{error}"));
    refuses(&mut serve(directory.path(), "127.0.0.1:0"), "do not belong together");
    refuses(muster().args(["serve", "--tls-cert", "x"]), "--tls-key");
    refuses(muster().args(["serve", "--listen", "0.0.0.0:0"]), "--behind-proxy");
}
