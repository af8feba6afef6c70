//! Where secrets are looked for: answers, metrics, files, tables, a backup.

use std::fs;
use std::path::Path;

use muster_tests::{Backend, Exit, Server, muster, parameters, psql};
use serde_json::Value;

use super::{Canaries, contains};

/// What every operation without ids shows an admin, and the metrics.
pub(super) fn read_everything(server: &Server) -> Vec<String> {
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().expect("paths");
    let read_at = |(path, item): (&String, &Value)| {
        let parameters = parameters(&document, item.get("get")?);
        let is_asked = |one: &Value| one["required"] == true || one["name"] == "maxSeconds";
        let asked = parameters.filter(|one| one["in"] == "query" && is_asked(one));
        let asked = asked.filter_map(|one| match one["name"].as_str()? {
            "from" => Some("from=2026-11-20T00:00:00Z".to_owned()),
            "to" => Some("to=2026-11-27T00:00:00Z".to_owned()),
            // A stream that ends with what there is.
            "maxSeconds" => Some("maxSeconds=0".to_owned()),
            name => Some(format!("{name}={}", one["schema"]["enum"][0].as_str().unwrap_or("open"))),
        });
        let asked = asked.collect::<Vec<_>>().join("&");
        Some(if asked.is_empty() { path.clone() } else { format!("{path}?{asked}") })
    };
    let reads = paths.iter().filter_map(read_at);
    let mut read = Vec::new();
    for path in reads.filter(|path| !path.replace("{tenantId}", "").contains('{')) {
        for tenant in ["msp_1", "client_1"] {
            let answer = server.admin().absolute("GET", &path.replace("{tenantId}", tenant)).send();
            // A page for signed-in users refuses other requests.
            assert!(
                answer.status == 200
                    || tenant == "client_1"
                    || path.starts_with("/auth/")
                    || path.ends_with("/answers?token=open")
                    // Opsgenie's clients sign in with a key of their own.
                    || path.starts_with("/v2/alerts"),
                "{answer}"
            );
            read.push(answer.whole());
        }
    }
    let metrics = server.get("/metrics");
    assert_eq!(metrics.status, 200, "{metrics}");
    read.push(metrics.whole());
    read
}

/// The files of the data directory, and the tables of Postgres.
pub(super) fn stored_nowhere(server: &Server, canaries: &Canaries, open: &str) {
    let mut all = Vec::new();
    files(&server.data_dir(), &mut all);
    if let Some(url) = server.database_url() {
        all.push(("the tables".to_owned(), tables(url)));
    }
    assert!(all.iter().any(|(_, bytes)| contains(bytes, open)), "the public text was not found either");
    for (name, bytes) in &all {
        canaries.absent(name, bytes);
    }
}

fn files(directory: &Path, into: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(directory).expect("the directory is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, into);
        } else if path.file_name().is_some_and(|name| name != "secrets.key") {
            // The key has to be somewhere; what it seals is not there.
            into.push((path.display().to_string(), fs::read(&path).expect("root reads every file")));
        }
    }
}

/// Every row of every table, as text.
fn tables(url: &str) -> Vec<u8> {
    const ALL: &str =
        r"SELECT format('SELECT t::text FROM %I t', tablename) FROM pg_tables WHERE schemaname = 'public' \gexec";
    let rows = psql(url, &format!("{ALL}\n")).into_bytes();
    assert!(!rows.is_empty(), "no table has a row");
    rows
}

/// A backup of the running server. Of Postgres its own tools make one, of the tables above.
pub(super) fn backed_up_nowhere(server: &Server, canaries: &Canaries, open: &str) {
    if server.backend != Backend::Sqlite {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let destination = directory.path().join("backup");
    let done = Exit::of(muster().arg("backup").arg(&destination).arg("--data-dir").arg(server.data_dir()));
    assert!(done.status.success(), "{}{}", done.stdout, done.stderr);
    let mut all = vec![("what the backup printed".to_owned(), (done.stdout + &done.stderr).into_bytes())];
    files(directory.path(), &mut all);
    assert!(all.iter().any(|(_, bytes)| contains(bytes, open)), "the backup holds nothing");
    for (name, bytes) in &all {
        canaries.absent(name, bytes);
    }
}
