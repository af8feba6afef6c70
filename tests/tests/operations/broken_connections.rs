//! Connections to the database that end while they are in use.

use muster_tests::{Backend, Server, fresh_database, psql};
use serde_json::json;

/// Connections that the service has at most, by default.
const MOST: usize = 8;

#[test]
fn a_connection_that_postgres_ended_fails_one_request_at_most() {
    let url = fresh_database();
    let server = Server::start_at(Backend::Postgres, Some(url.clone()), &[]);
    let client = server.admin().tenant("client_1");
    let made = client.post("/resources", &json!({"name": "good"})).ok();
    let path = format!("/resources/{}", made["resourceUUID"].as_str().unwrap_or_default());
    for _ in 0..3 {
        client.get(&path).ok();
        psql(
            &url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        let answers: Vec<u16> = (0..5 * MOST).map(|_| client.get(&path).status).collect();
        let failed = answers.iter().filter(|status| **status != 200);
        assert!(failed.clone().count() <= MOST && failed.clone().all(|status| *status == 503), "{answers:?}");
        assert!(answers.ends_with(&[200; MOST]), "{answers:?}");
    }
}
