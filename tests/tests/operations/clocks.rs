//! Gateways on one Postgres whose machines have other times go by the clock of the database.

use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use muster_tests::{Backend, Server, psql, unique};
use serde_json::json;
use tempfile::TempDir;

/// Seconds that the wrong clock is ahead: more than the heartbeat of the test may be silent for.
const AHEAD: u32 = 120;

/// What is preloaded: the clock of the machine, ahead.
const WRONG_CLOCK: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t which, struct timespec *found) {
    long failed = syscall(SYS_clock_gettime, which, found);
    if (!failed && which == CLOCK_REALTIME) found->tv_sec += AHEAD;
    return failed;
}
";

/// A gateway beside another one, on a machine whose clock is ahead.
fn start_ahead(other: &Server, folder: &TempDir) -> Server {
    let [source, library] = ["clock.c", "clock.so"].map(|name| folder.path().join(name));
    fs::write(&source, WRONG_CLOCK).unwrap();
    let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()));
    compiler.args(["-shared", "-fPIC"]).arg(format!("-DAHEAD={AHEAD}")).arg("-o").arg(&library).arg(&source);
    let compiled = compiler.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut ahead = Server::start_beside(other, &[]);
    ahead.set_environment(vec![("LD_PRELOAD".to_owned(), library.display().to_string())]);
    ahead.restart();
    ahead
}

#[test]
fn a_gateway_whose_clock_is_ahead_goes_by_that_of_the_database() {
    let right = Server::start(Backend::Postgres);
    let folder = tempfile::tempdir().unwrap();
    let ahead = start_ahead(&right, &folder);
    assert!(ahead.log().contains("the database has another time than this machine"), "{}", ahead.log());

    let client = right.new_client();
    let body = json!({"name": unique("heartbeat"), "interval": "1m", "grace": "10s"});
    let heartbeat = client.post("/heartbeats", &body).ok();
    let (id, url) = (heartbeat["id"].as_str().unwrap(), heartbeat["url"].as_str().unwrap());
    let way = &url[url.find("/api/").unwrap()..];
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(4) {
        right.get(way).ok();
        let found = client.get(&format!("/heartbeats/{id}")).ok();
        assert_ne!(found["state"], "Missing", "{found}");
        thread::sleep(Duration::from_millis(500));
    }

    let name = unique("other");
    client.at(ahead.base()).post("/heartbeats", &json!({"name": name, "interval": "1m"})).ok();
    let age = format!("SELECT now() - to_timestamp(created_ms / 1000) FROM heartbeats WHERE name = '{name}'");
    let found = psql(ahead.database_url().unwrap(), &format!("SELECT ({age}) BETWEEN '-5 s' AND '60 s'"));
    assert_eq!(found.trim(), "t");
}
