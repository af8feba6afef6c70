//! The harness itself: what a broken machine should fail first, with a clear reason.

use std::process::Command;

use muster_tests::fresh_database;

#[test]
fn each_database_is_new_and_writes_are_durable() {
    let (first, second) = (fresh_database(), fresh_database());
    assert_ne!(first, second);
    assert_eq!(psql(&first, "CREATE TABLE t (v text); INSERT INTO t VALUES ('é'); SELECT v FROM t"), "é");
    assert_eq!(psql(&second, "SELECT count(*) FROM pg_class WHERE relname = 't'"), "0");
    assert_eq!(psql(&second, "SHOW synchronous_commit"), "on");
    assert_eq!(psql(&second, "SHOW server_encoding"), "UTF8");
    assert_eq!(psql(&second, "CREATE EXTENSION pg_trgm; SELECT show_trgm('a') <> '{}'"), "t");
}

fn psql(url: &str, statements: &str) -> String {
    let output = Command::new("psql").args(["-XqtA", "-d", url, "-c", statements]).output();
    let output = output.unwrap_or_else(|error| panic!("psql: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
