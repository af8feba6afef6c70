//! The harness itself: what a broken machine should fail first, with a clear reason.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use muster_tests::{fresh_database, newer_source};

#[test]
fn each_database_is_new_and_writes_are_durable() {
    let first = fresh_database();
    let second = fresh_database();
    assert_ne!(first, second);
    assert_eq!(psql(&first, "CREATE TABLE t (v text); INSERT INTO t VALUES ('é'); SELECT v FROM t"), "é");
    assert_eq!(psql(&second, "SELECT count(*) FROM pg_class WHERE relname = 't'"), "0");
    assert_eq!(psql(&second, "SHOW synchronous_commit"), "on");
    assert_eq!(psql(&second, "SHOW server_encoding"), "UTF8");
    assert_eq!(psql(&second, "CREATE EXTENSION pg_trgm; SELECT show_trgm('a') <> '{}'"), "t");
}

#[test]
fn a_program_that_is_older_than_its_sources_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let touch = |path: &Path, age: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000 - age);
        File::create(path).unwrap().set_modified(time).unwrap();
    };
    let program = path("muster");
    let first = path("first.rs");
    let second = path("the second.rs");
    touch(&program, 50);
    [&first, &second].into_iter().for_each(|source| touch(source, 60));
    assert_eq!(newer_source(&program), None, "without a list of sources");
    let names =
        [&program, &first, &second, &path("gone.rs")].map(|path| path.display().to_string().replace(' ', "\\ "));
    fs::write(path("muster.d"), format!("{}: {}\n", names[0], names[1..].join(" "))).unwrap();
    assert_eq!(newer_source(&program), None, "built after the last change");
    touch(&second, 40);
    assert_eq!(newer_source(&program), Some(second));
}

fn psql(url: &str, statements: &str) -> String {
    let output = Command::new("psql").args(["-XqtA", "-d", url, "-c", statements]).output();
    let output = output.unwrap_or_else(|error| panic!("psql: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
