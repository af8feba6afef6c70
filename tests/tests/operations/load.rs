//! More than it can carry: what is let in is answered as ever, the rest is refused soon, and memory stays flat.

use std::time::Duration;

use muster_tests::pressure::{LoadResult, Pressure, request};
use muster_tests::{Backend, Server, both_backends};
use serde_json::{Value, json};

both_backends![five_times_the_reads, five_times_the_writes];

/// Requests that are worked on at once: few, so that a test machine reaches the bound.
const BOUND: usize = 16;

const TIME: Duration = Duration::from_secs(2);

fn overloaded(backend: Backend, method: &str, path: &str, body: Option<&Value>) {
    if super::skipped("operations::load") {
        return;
    }
    let server = Server::start_with(backend, &["--max-requests", &BOUND.to_string(), "--log", "warn"]);
    let client = server.admin().tenant("client_1");
    for number in 0..300 {
        client.post("/resources", &json!({"hostName": format!("machine-{number:03}")})).ok();
    }
    let request = request(&client, method, path, body);
    let press = |connections, per_second| Pressure { connections, time: TIME, per_second }.on(server.base(), &request);
    let _warm = press(BOUND, None);

    let peak = press(BOUND, None);
    let (memory_before, _) = server.memory_kib().unwrap_or_default();
    // Clients that wait for their answers, and then such as do not care how many are under way.
    let five_times_as_many = press(5 * BOUND, None);
    let rate = 5 * peak.count(200) / TIME.as_secs() as usize;
    let five_times_as_often = press(12 * BOUND, Some(rate));
    let (memory_after, _) = server.memory_kib().unwrap_or_default();

    let told = format!(
        "{backend:?} {method} {path}\n  peak: {peak}\n  5 × connections: {five_times_as_many}\n  5 × rate: \
         {five_times_as_often}\n  memory: {memory_before} KiB, then {memory_after} KiB"
    );
    tell(&told);
    assert_eq!(peak.count(200), peak.times.values().map(Vec::len).sum::<usize>(), "{told}");
    let answered =
        |seen: &LoadResult| seen.lost == 0 && seen.times.keys().all(|status| [200, 429, 503].contains(status));
    assert!(answered(&five_times_as_many) && answered(&five_times_as_often), "{told}");
    // The service is to hold 90 %. This machine makes the load as well, with a hundred threads, and runs other tests.
    assert!(five_times_as_many.count(200) * 10 >= peak.count(200) * 7, "{told}");
    assert!(five_times_as_often.count(200) * 10 >= peak.count(200) * 4, "{told}");
    assert!(five_times_as_often.percentile_99(503) < Duration::from_millis(250), "{told}");
    assert!(memory_after < memory_before + 48 * 1024, "{told}");
}

fn five_times_the_reads(backend: Backend) {
    overloaded(backend, "GET", "/resources/search?queryString=hostName:machine&pageSize=50", None);
}

fn five_times_the_writes(backend: Backend) {
    overloaded(backend, "POST", "/resources", Some(&json!({"name": "under-pressure"})));
}

/// The figures, for anyone who runs this with `--nocapture`.
#[expect(clippy::print_stdout, reason = "a test that measures says what it measured")]
fn tell(figures: &str) {
    println!("{figures}");
}
