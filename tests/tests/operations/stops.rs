//! Signals: what reads settings again, and how a stop leaves what it was told.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Exit, Server, both_backends, muster};
use serde_json::json;

use super::until;

both_backends![sighup_ends_nothing, a_stop_ends_streams_first_and_says_when_to_come_back];

fn sighup_ends_nothing(backend: Backend) {
    let mut server = Server::start(backend);
    for _ in 0..3 {
        server.signal("HUP");
    }
    until("it is told", Duration::from_secs(10), || server.log().contains("none has changed"));
    server.admin().tenant("client_1").post("/resources", &json!({"name": "after"})).ok();
    server.stop();
}

fn a_stop_ends_streams_first_and_says_when_to_come_back(backend: Backend) {
    let mut server = Server::start(backend);
    let client = server.admin().tenant("client_1");
    let mut streams: Vec<TcpStream> = (0..3)
        .map(|_| {
            let mut stream = TcpStream::connect(server.base().trim_start_matches("http://")).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let token = client.bearer();
            let path = "/api/v2/tenants/client_1/changes?maxSeconds=300";
            write!(stream, "GET {path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n\r\n").unwrap();
            stream
        })
        .collect();
    let mut begun = vec![String::new(); streams.len()];
    for (stream, said) in streams.iter_mut().zip(&mut begun) {
        while !said.contains("retry: ") {
            let mut some = [0; 4096];
            let length = stream.read(&mut some).unwrap();
            assert!(length > 0, "{said}");
            said.push_str(&String::from_utf8_lossy(&some[..length]));
        }
    }
    let started = Instant::now();
    server.stop();
    assert!(started.elapsed() < Duration::from_secs(3), "it took {:?}", started.elapsed());
    for stream in &mut streams {
        let mut rest = String::new();
        stream.read_to_string(&mut rest).unwrap();
        let events = rest.lines().filter(|line| line.starts_with("retry: ")).count();
        assert_eq!(events, 1, "{rest:?}");
        assert!(rest.ends_with("0\r\n\r\n"), "the stream ends as it should: {rest:?}");
    }
}

fn says(data: &Path, said: &str) -> bool {
    let exit = Exit::of(muster().args(["check", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data));
    assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
    exit.stdout.lines().any(|line| line.starts_with("warn  database") && line.contains(said))
}

#[test]
fn after_a_stop_the_file_alone_is_the_database() {
    let mut server = Server::start(Backend::Sqlite);
    let client = server.admin().tenant("client_1");
    for number in 0..50 {
        client.post("/resources", &json!({"name": format!("kept-{number}")})).ok();
    }
    server.stop();
    let log = server.data_dir().join("muster.sqlite-wal");
    assert_eq!(fs::metadata(&log).map_or(0, |found| found.len()), 0, "what is in the log is not in the file");
    let copy = |file: &str| {
        let directory = tempfile::tempdir().unwrap();
        fs::copy(server.data_dir().join(file), directory.path().join("muster.sqlite")).unwrap();
        directory
    };
    let whole = copy("muster.sqlite");
    assert!(!says(whole.path(), "-wal"));
    let listed = Exit::of(muster().args(["tenant", "list", "--data-dir"]).arg(whole.path()));
    assert!(listed.stdout.contains("client_1"), "{}{}", listed.stdout, listed.stderr);
    server.restart();
    assert_eq!(server.admin().tenant("client_1").get("/resources/minimal").list().len(), 50);

    // Also what a command wrote is there when it ends.
    server.stop();
    let made = Exit::of(muster().args(["tenant", "create", "--partner", "Later", "--data-dir"]).arg(server.data_dir()));
    assert!(made.status.success(), "{}", made.stderr);
    assert_eq!(fs::metadata(&log).map_or(0, |found| found.len()), 0);
}

#[test]
fn what_is_not_in_the_file_is_said_by_a_check() {
    let mut server = Server::start(Backend::Sqlite);
    server.admin().tenant("client_1").post("/resources", &json!({"name": "in the log"})).ok();
    server.kill9();
    let directory = tempfile::tempdir().unwrap();
    for file in ["muster.sqlite", "muster.sqlite-wal"] {
        fs::copy(server.data_dir().join(file), directory.path().join(file)).unwrap();
    }
    assert!(says(directory.path(), "muster.sqlite-wal"), "a part is beside the file");
    // The file of a first start that was killed, without its log.
    let alone = tempfile::tempdir().unwrap();
    fs::copy(server.data_dir().join("muster.sqlite"), alone.path().join("muster.sqlite")).unwrap();
    if fs::metadata(alone.path().join("muster.sqlite")).unwrap().len() < 10_000 {
        assert!(says(alone.path(), "is empty"), "it holds nothing");
    }
    let empty = tempfile::tempdir().unwrap();
    fs::write(empty.path().join("muster.sqlite"), "").unwrap();
    assert!(says(empty.path(), "is empty"));
}
