//! What was acknowledged stays, however the program ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Exit, Server, both_backends, muster};
use serde_json::json;

both_backends![
    sigterm_ends_it_with_status_0_and_answers_what_is_under_way,
    what_was_acknowledged_survives_a_kill,
    migrate_works_on_its_own_and_twice,
];

/// Writes until it is told to stop or the server is gone; gives the ids that were acknowledged.
fn write_until(client: &Client, stop: &AtomicBool, path: &str) -> Vec<String> {
    let mut acknowledged = Vec::new();
    let url = format!("{path}/api/v2/tenants/{}/resources", client.tenant_id());
    let http = reqwest::blocking::Client::new();
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let body = json!({"name": format!("w{number}")}).to_string();
        let request = http.post(&url).bearer_auth(client.bearer()).header("Content-Type", "application/json");
        let Ok(answer) = request.body(body).send() else {
            break;
        };
        let status = answer.status().as_u16();
        match answer.text() {
            Ok(text) if status == 200 => {
                let id = serde_json::from_str(&text).unwrap_or(json!(null))["resourceUUID"].clone();
                acknowledged.push(super::text(&id));
            }
            Ok(text) => assert_eq!(status, 503, "{text}"),
            Err(_) => break,
        }
    }
    acknowledged
}

fn survives(backend: Backend, end: impl FnOnce(&mut Server)) {
    let mut server = Server::start(backend);
    let client = server.admin().tenant("client_1");
    let stop = AtomicBool::new(false);
    let base = server.base().to_owned();
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4).map(|_| scope.spawn(|| write_until(&client, &stop, &base))).collect();
        std::thread::sleep(Duration::from_millis(700));
        end(&mut server);
        stop.store(true, Ordering::Relaxed);
        writers.into_iter().flat_map(|writer| writer.join().unwrap_or_default()).collect()
    });
    server.restart();
    assert!(!acknowledged.is_empty());
    let listed = server.admin().tenant("client_1").get("/resources/minimal").text();
    let lost: Vec<_> = acknowledged.iter().filter(|id| !listed.contains(id.as_str())).collect();
    assert!(lost.is_empty(), "{} of {} acknowledged writes are lost", lost.len(), acknowledged.len());
}

fn sigterm_ends_it_with_status_0_and_answers_what_is_under_way(backend: Backend) {
    survives(backend, |server| {
        let started = Instant::now();
        server.stop();
        assert!(started.elapsed() < Duration::from_secs(15), "took {:?}", started.elapsed());
    });
}

fn what_was_acknowledged_survives_a_kill(backend: Backend) {
    survives(backend, Server::kill9);
}

fn migrate_works_on_its_own_and_twice(backend: Backend) {
    let mut server = Server::start(backend);
    server.stop();
    for _ in 0..2 {
        let mut command = muster();
        command.arg("migrate").arg("--data-dir").arg(server.data_dir());
        if let Some(url) = server.database_url() {
            command.args(["--database-url", url]);
        }
        let exit = Exit::of(&mut command);
        assert!(exit.status.success(), "{}\n{}", exit.stdout, exit.stderr);
    }
    server.restart();
    server.admin().get("/resources/minimal").list();
}
