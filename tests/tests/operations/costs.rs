//! What callers' expressions cost: bounded before it is worked out, and worked out beside what others ask for.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, both_backends, unique};
use serde_json::{Value, json};

both_backends![
    an_expression_that_is_too_large_is_refused,
    a_search_that_takes_too_long_ends_and_delays_nobody,
    many_keys_of_a_tenant_have_no_more_turns_than_one_of_another,
    an_action_whose_filter_takes_too_long_is_told_of,
    saving_dear_expressions_holds_no_writes,
    what_others_saved_refuses_nobody,
    a_window_that_takes_too_long_catches_nothing,
];

/// Reads a text of these two letters with half of its 900 parts at work.
const SLOW: &str = "(?-u)[ab]*a[ab]{900}c";

/// So many letters for it.
fn letters(count: u32) -> String {
    let bit = |n: u32| n.wrapping_mul(2_654_435_761) >> 31;
    (0..count).map(|n| if bit(n) == 0 { 'a' } else { 'b' }).collect()
}

fn regex(key: &str, value: &str) -> Value {
    json!({"key": key, "operator": "Regex", "value": value})
}

/// The body of a window on this resource, with alert conditions.
fn window(resource: &str, rules: Vec<Value>) -> Value {
    json!({"name": unique("window"), "devices": [{"uniqueId": resource}],
        "schedule": {"type": "Recurring", "startTime": "2026-01-01T00:00:00+0000",
            "endTime": "2026-01-01T23:59:59+0000", "timezone": "GMT",
            "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"},
        "alertConditions": {"matchingType": "ANY", "rules": rules}})
}

fn resource(client: &Client) -> String {
    let made = client.post("/resources", &json!({"hostName": unique("host")})).ok();
    made["resourceUUID"].as_str().unwrap_or_default().to_owned()
}

/// An integration's path.
fn installed(client: &Client) -> String {
    let body = json!({"displayName": unique("integration"), "baseNotifier": {"baseURI": "https://203.0.114.1/"}});
    let made = client.post("/integrations/install/CUSTOM", &body).ok();
    format!("/integrations/installed/{}", made["id"].as_str().unwrap_or_default())
}

fn an_expression_that_is_too_large_is_refused(server: &Server) {
    let client = server.new_client();
    let viewer = server.caller("client_1", "viewer");
    let large = r"\w{20}";
    // Another one each time: what was checked once is known.
    let rules = |count: usize| (0..count).map(|n| regex("subject", &format!("{large}{n}"))).collect::<Vec<_>>();
    let preview = "/scheduleMaintenances/preview?from=2026-11-20T00:00:00Z&to=2026-11-27T00:00:00Z";
    let body = window(&resource(&client), rules(2));
    viewer.post(preview, &body).invalid(&[
        "alertConditions.rules[0].value",
        "alertConditions.rules[1].value",
        "devices[0].uniqueId",
    ]);
    client
        .post("/scheduleMaintenances", &body)
        .invalid(&["alertConditions.rules[0].value", "alertConditions.rules[1].value"]);
    let group = json!({"name": unique("group"), "filterCriteria": {"rules": [regex("hostName", large)]}});
    client.post("/deviceGroups", &group).invalid(&["filterCriteria.rules[0].value"]);
    let event = json!({"filterCriteria": {"rules": [regex("subject", large)]}});
    client.post(&format!("{}/event", installed(&client)), &event).invalid(&["filterCriteria.rules[0].value"]);
    // What people write is taken.
    let usual =
        [r"(?i)\bdisk (c|d):\\", r"^web-\w+\.example\.(net|com)$", r"\d+\.\d+\.\d+\.\d+:\d+", r"(?i)^[\w.-]+@[\w.-]+$"];
    client.post(preview, &window(&resource(&client), usual.map(|value| regex("subject", value)).to_vec())).ok();
}

fn a_search_that_takes_too_long_ends_and_delays_nobody(server: &Server) {
    let viewer = server.caller("client_1", "viewer");
    let at = format!("{}/event/test", installed(&server.admin().tenant("client_1")));
    let event =
        json!({"entity": "INCIDENT", "eventType": "CREATE", "filterCriteria": {"rules": [regex("subject", SLOW)]}});
    let body = json!({"event": event, "object": {"subject": letters(1 << 20)}});
    let other = server.new_client();
    let id = resource(&other);
    let begun = Instant::now();
    let slowest = std::thread::scope(|scope| {
        let tests: Vec<_> = (0..4).map(|_| scope.spawn(|| viewer.post(&at, &body).invalid(&["object"]))).collect();
        let mut slowest = Duration::ZERO;
        while !tests.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            let asked = Instant::now();
            other.get(&format!("/resources/{id}")).ok();
            slowest = slowest.max(asked.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        slowest
    });
    // Without a bound each of them takes seconds, in a release build.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(slowest < Duration::from_secs(2), "somebody else waited for {slowest:?}");
    // A text of usual length is searched.
    let short = json!({"event": event, "object": {"subject": letters(900) + "c"}});
    assert_eq!(viewer.post(&at, &short).ok()["rules"][0]["matches"], false);
}

/// Each key of the greedy tenant has work under way all the time; the other tenant's waits for two of them at most, not
/// for all.
fn many_keys_of_a_tenant_have_no_more_turns_than_one_of_another(server: &Server) {
    const KEYS: usize = 24;
    let greedy = server.new_client();
    let good = server.new_client();
    let body = |letters: String| {
        let rules = json!({"rules": [regex("subject", SLOW)]});
        json!({"event": {"entity": "INCIDENT", "eventType": "CREATE", "filterCriteria": rules},
            "object": {"subject": letters}})
    };
    let at = format!("{}/event/test", installed(&greedy));
    let body = body(letters(1 << 13));
    let at_good = format!("{}/event/test", installed(&good));
    let keys: Vec<Client> = (0..KEYS).map(|_| server.caller(greedy.tenant_id(), "viewer")).collect();
    let done = AtomicBool::new(false);
    let turns = AtomicUsize::new(0);
    let waited = std::thread::scope(|scope| {
        for key in &keys {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let had_its_turn = [200, 400].contains(&key.post(&at, &body).status);
                    turns.fetch_add(usize::from(had_its_turn), Ordering::Relaxed);
                }
            });
        }
        while turns.load(Ordering::Relaxed) < 3 {
            std::thread::sleep(Duration::from_millis(10));
        }
        let waited: Vec<usize> = (0..5)
            .map(|_| {
                let before = turns.load(Ordering::Relaxed);
                let status = good.post(&at_good, &body).status;
                assert!([200, 400].contains(&status), "{status}");
                turns.load(Ordering::Relaxed) - before
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        waited
    });
    // So many answers of others came before each of its own.
    let mut sorted = waited.clone();
    sorted.sort_unstable();
    let median = sorted[sorted.len() / 2];
    assert!(median <= KEYS / 3, "{waited:?}");
}

fn an_action_whose_filter_takes_too_long_is_told_of(server: &Server) {
    let client = server.new_client();
    let installed = installed(&client);
    let event = |rule: Value| {
        let body = json!({"entity": "INCIDENT", "eventType": "CREATE", "filterCriteria": {"rules": [rule]}});
        let made = client.post(&format!("{installed}/event"), &body).ok();
        format!("{installed}/event/{}", made["id"].as_str().unwrap_or_default())
    };
    let slow = event(regex("subject", SLOW));
    let action = json!({"entity": "INCIDENT", "eventType": "CREATE", "object": {"subject": letters(1 << 20)}});
    let begun = Instant::now();
    client.post("/integrations/actions", &action).ok();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    // Nobody knows whether it was meant: it is not a silence.
    let page = client.get(&format!("{slow}/deliveries")).page();
    assert_eq!(page["results"][0]["status"], json!("failed"), "{page}");
}

/// Far more expressions than are kept ready for all, each of which costs what a request may and a write may not.
fn what_others_saved_refuses_nobody(backend: Backend) {
    let server = Server::start(backend);
    for tenant in 0..10 {
        let client = server.new_client();
        let events = format!("{}/event", installed(&client));
        for save in 0..3 {
            let rules: Vec<_> = (0..50).map(|n| regex("subject", &format!(r"(?i)\pL\pN{tenant}-{save}-{n}"))).collect();
            client.post(&events, &json!({"filterCriteria": {"rules": rules}})).ok();
        }
    }
}

/// An event and a window with as many expressions as they may have, each saved again and again.
fn saving_dear_expressions_holds_no_writes(backend: Backend) {
    let server = Server::start(backend);
    let greedy = server.new_client();
    let other = server.new_client();
    // No two alike: what was compiled once is known.
    let number = AtomicUsize::new(0);
    let rules = |expression: &str| {
        let save = number.fetch_add(1, Ordering::Relaxed);
        (0..50).map(|n| regex("subject", &format!("{expression}{save}-{n}"))).collect::<Vec<_>>()
    };
    // Cheap enough for the write itself, should they be displaced meanwhile.
    let event = || json!({"filterCriteria": {"rules": rules(r"\pN\d")}});
    let conditions = || rules(r"(?i)\pL\pN");
    let events = format!("{}/event", installed(&greedy));
    let made = greedy.post(&events, &event()).ok();
    let events = format!("{events}/{}", made["id"].as_str().unwrap_or_default());
    let made = greedy.post("/scheduleMaintenances", &window(&resource(&greedy), conditions())).ok();
    let windows = format!("/scheduleMaintenances/{}", made["uniqueId"].as_str().unwrap_or_default());
    let conditions = || json!({"alertConditions": {"matchingType": "ANY", "rules": conditions()}});
    let keys = [(); 2].map(|()| server.caller(greedy.tenant_id(), "integrator"));
    let stop = AtomicBool::new(false);
    let save = |caller: &Client, path: &str, body: &dyn Fn() -> Value| {
        let mut times = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let begun = Instant::now();
            caller.post(path, &body()).ok();
            times.push(begun.elapsed());
        }
        times
    };
    let (mut saves, worst) = std::thread::scope(|scope| {
        let savers =
            [scope.spawn(|| save(&keys[0], &events, &event)), scope.spawn(|| save(&keys[1], &windows, &conditions))];
        // Other tests run beside: one round of three has to go well.
        let rounds = (0..3).map(|_| {
            let writes = (0..20).map(|_| {
                std::thread::sleep(Duration::from_millis(50));
                let asked = Instant::now();
                other.post("/sites", &json!({"name": unique("beside")})).ok();
                asked.elapsed()
            });
            writes.max().unwrap_or_default()
        });
        let worst: Vec<Duration> = rounds.collect();
        stop.store(true, Ordering::Relaxed);
        (savers.map(|saver| saver.join().expect("all are saved")).concat(), worst)
    });
    saves.sort_unstable();
    eprintln!("{} saves took {:?}; the slowest write of each round {worst:?}", saves.len(), saves.get(saves.len() / 2));
    assert!(worst.iter().any(|slowest| *slowest < Duration::from_millis(500)), "somebody else waited: {worst:?}");
}

fn a_window_that_takes_too_long_catches_nothing(server: &Server) {
    let client = server.new_client();
    let id = resource(&client);
    let slow = (0..49).map(|n| regex("description", &format!("{SLOW}{n}")));
    let rules = slow.chain([json!({"key": "subject", "operator": "Contains", "value": "alert"})]);
    client.post("/scheduleMaintenances", &window(&id, rules.collect())).ok();
    let alert = |description: String| {
        json!({"device": {"id": id}, "subject": unique("alert"), "currentState": "Critical", "metric": unique("metric"),
            "description": description})
    };
    let short = alert("short".to_owned());
    let long = alert(letters(4_000));
    let try_it = "/scheduleMaintenances/match?at=2031-05-05T12:00:00Z";
    assert_eq!(client.post(try_it, &short).ok()["alertType"], json!("Maintenance"));
    client.post(try_it, &long).problem(400, "0002");
    // While others wait for the write, it does not go on: the alert is told rather than held back.
    let report = |alert: &Value| client.post("/alerts", &json!([alert])).ok()[0]["id"].clone();
    let kind =
        |id: Value| client.get(&format!("/alerts/{}", id.as_str().unwrap_or_default())).ok()["alertType"].clone();
    assert_eq!((kind(report(&short)), kind(report(&long))), (json!("Maintenance"), json!("Monitoring")));
}
