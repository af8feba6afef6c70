//! `Idempotency-Key`: a request that is sent again and again, by several senders at once and across crashes of the
//! server, has one effect and one answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError, RwLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Response, Server, both_backends, rounds, unique};
use serde_json::{Value, json};

both_backends![
    a_key_has_one_effect_for_all_its_senders_through_crashes,
    another_request_under_the_key_is_refused,
    a_key_has_visible_characters_only,
    a_replay_is_the_first_answer,
    what_was_refused_may_be_sent_again,
    callers_and_tenants_have_keys_of_their_own,
    a_key_that_is_none_is_refused,
];

const SENDERS: usize = 10;
/// Keys that are being sent at the same time.
const LANES: usize = 2;
const CRASHES: usize = 5;
/// After this the test has failed.
const LIMIT: Duration = Duration::from_secs(240);

/// What the senders of all keys came to.
struct Sending {
    /// Where the server is; `None` while there is none.
    line: RwLock<Option<Client>>,
    until: Instant,
    sent: AtomicUsize,
    conflicts: AtomicUsize,
    lost: AtomicUsize,
    answers: Mutex<BTreeMap<usize, Vec<Result<String, String>>>>,
}

impl Sending {
    /// Sends until there is an answer. Never panics: the other senders of the key would wait for ever.
    fn send(&self, key: &str, body: &Value) -> Result<String, String> {
        while Instant::now() < self.until {
            let client = self.line.read().unwrap_or_else(PoisonError::into_inner).clone();
            let Some(client) = client else {
                sleep(Duration::from_millis(5));
                continue;
            };
            match client.request("POST", "/resources").header("Idempotency-Key", key).json(body).try_send() {
                Ok(answer) if answer.status == 200 => return Ok(answer.text()),
                Ok(answer) if answer.status == 409 && answer.header("Retry-After").is_some() => {
                    self.conflicts.fetch_add(1, Ordering::Relaxed);
                    sleep(Duration::from_millis(5));
                }
                Ok(answer) if [429, 503].contains(&answer.status) => sleep(Duration::from_millis(100)),
                Ok(answer) => return Err(answer.to_string()),
                Err(_) => {
                    self.lost.fetch_add(1, Ordering::Relaxed);
                    sleep(Duration::from_millis(5));
                }
            }
        }
        Err("no answer in time".to_owned())
    }

    /// One of the senders of a lane's keys.
    fn sender(&self, keys: impl Iterator<Item = usize>, together: &Barrier) {
        for number in keys {
            together.wait();
            let name = format!("key-{number}");
            let body = of_key(number);
            let answer = self.send(&name, &body);
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).entry(number).or_default().push(answer);
            self.sent.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn of_key(number: usize) -> Value {
    json!({"name": format!("once-{number}"), "tags": [{"name": "effect", "value": number.to_string()}]})
}

fn a_key_has_one_effect_for_all_its_senders_through_crashes(backend: Backend) {
    let keys = rounds("idempotency keys", 200, 1000);
    let mut server = Server::start(backend);
    let tenant = server.new_client().tenant_id().to_owned();
    let sending = Sending {
        line: RwLock::new(Some(server.admin().tenant(&tenant))),
        until: Instant::now() + LIMIT,
        sent: AtomicUsize::new(0),
        conflicts: AtomicUsize::new(0),
        lost: AtomicUsize::new(0),
        answers: Mutex::default(),
    };
    let barriers: Vec<Barrier> = (0..LANES).map(|_| Barrier::new(SENDERS)).collect();
    std::thread::scope(|scope| {
        let sending = &sending;
        for (lane, together) in barriers.iter().enumerate() {
            for _ in 0..SENDERS {
                scope.spawn(move || sending.sender((lane..keys).step_by(LANES), together));
            }
        }
        for crash in 1..=CRASHES {
            let due = keys * SENDERS * crash / (CRASHES + 1);
            while sending.sent.load(Ordering::Relaxed) < due && Instant::now() < sending.until {
                sleep(Duration::from_millis(1));
            }
            server.kill9();
            *sending.line.write().unwrap_or_else(PoisonError::into_inner) = None;
            server.restart();
            let line = server.admin().tenant(&tenant);
            *sending.line.write().unwrap_or_else(PoisonError::into_inner) = Some(line);
        }
    });

    let answers = sending.answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(answers.len(), keys);
    let mut ids = BTreeSet::new();
    for (number, answers) in &answers {
        assert_eq!(answers.len(), SENDERS);
        assert!(answers.iter().all(Result::is_ok), "key-{number}: {answers:?}");
        assert!(answers.iter().all(|answer| answer == &answers[0]), "key-{number}: {answers:?}");
        ids.insert(answers[0].clone().unwrap_or_default());
    }
    assert_eq!(ids.len(), keys, "each key has an answer of its own");
    let conflicts = sending.conflicts.into_inner();
    assert!(conflicts > 0, "of {SENDERS} senders at once none was told that another is under way");
    assert!(sending.lost.into_inner() > 0, "the crashes hit nobody");

    let client = server.admin().tenant(&tenant);
    let mut effects: BTreeMap<String, usize> = BTreeMap::new();
    for resource in client.get("/resources/minimal?state=all").list() {
        *effects.entry(resource["name"].to_string()).or_default() += 1;
    }
    let several: Vec<_> = effects.iter().filter(|(_, count)| **count != 1).collect();
    assert!(several.is_empty(), "carried out more than once: {several:?}");
    assert_eq!(effects.len(), keys);
    assert_eq!(client.get("/resources/search?pageSize=1").page()["totalResults"], json!(keys));
    let log = client.search("/auditLog/search?pageSize=1", "entity:Resource").page();
    assert_eq!(log["totalResults"], json!(keys), "one row of the audit log for each effect");
}

/// `POST` with a key.
fn keyed(client: &Client, key: &str, path: &str, body: &Value) -> Response {
    client.request("POST", path).header("Idempotency-Key", key).json(body).send()
}

fn names(client: &Client) -> Vec<String> {
    let listed = client.get("/resources/minimal?state=all").list();
    listed.iter().map(|resource| resource["name"].as_str().unwrap_or_default().to_owned()).collect()
}

fn a_key_has_visible_characters_only(server: &Server) {
    let client = server.new_client();
    for wrong in ["a b", "a\tb", "ä", "", &"k".repeat(256)] {
        keyed(&client, wrong, "/resources", &json!({"name": "a"})).invalid(&["Idempotency-Key"]);
    }
    assert!(names(&client).is_empty());
    keyed(&client, &"~!".repeat(127), "/resources", &json!({"name": "a"})).ok();
}

fn another_request_under_the_key_is_refused(server: &Server) {
    let client = server.new_client();
    let key = unique("key");
    let first = keyed(&client, &key, "/resources", &json!({"name": "a"}));
    first.ok();
    keyed(&client, &key, "/resources", &json!({"name": "b"})).problem(422, "0002");
    keyed(&client, &key, "/sites", &json!({"name": "a"})).problem(422, "0002");
    client.request("POST", "/resources").header("Idempotency-Key", &key).json(&json!({})).send().problem(422, "0002");
    assert_eq!(names(&client), ["a"]);
    assert!(client.get("/sites/minimal").list().is_empty());
    assert_eq!(keyed(&client, &key, "/resources", &json!({"name": "a"})).text(), first.text());
}

fn a_replay_is_the_first_answer(server: &Server) {
    let client = server.new_client();
    let mut made = Vec::new();
    for (path, body) in [
        ("/resources", json!({"name": "a"})),
        ("/sites", json!({"name": "a"})),
        ("/deviceGroups", json!({"name": "a"})),
        ("/serviceGroups", json!([{"name": "a"}])),
        ("/users", json!({"loginName": "a"})),
        ("/userGroups", json!({"name": "a"})),
    ] {
        let key = unique("key");
        let call = || keyed(&client, &key, path, &body);
        let first = call();
        let second = call();
        first.ok();
        assert_eq!((second.status, second.text()), (200, first.text()), "{path}");
        assert_eq!(second.header("ETag"), first.header("ETag"), "{path}");
        assert_eq!((first.header("Idempotency-Replayed"), second.header("Idempotency-Replayed")), (None, Some("true")));
        made.push((path, key, body.clone(), first.text()));
    }
    let id = client.get("/resources/minimal").list()[0]["id"].as_str().unwrap_or_default().to_owned();
    let one = format!("/resources/{id}");
    let key = unique("key");
    let first = keyed(&client, &key, &one, &json!({"description": "first"}));
    first.ok();
    client.post(&one, &json!({"description": "second"})).ok();
    assert_eq!(keyed(&client, &key, &one, &json!({"description": "first"})).text(), first.text());
    assert_eq!(client.get(&one).ok()["generalInfo"]["description"], json!("second"), "a replay does nothing");
    client.delete(&one).ok();
    for (path, key, body, first) in &made {
        assert_eq!(keyed(&client, key, path, body).text(), *first, "{path}");
    }
    assert!(names(&client).is_empty());
    let page = client.get("/deviceGroups/search").page();
    assert_eq!(page["totalResults"], json!(1));
}

fn what_was_refused_may_be_sent_again(server: &Server) {
    let client = server.new_client();
    let key = unique("key");
    keyed(&client, &key, "/resources", &json!({"name": 7})).problem(400, "0002");
    let misplaced = json!({"name": "a", "location": {"name": "Atlantis"}});
    keyed(&client, &key, "/resources", &misplaced).problem(400, "0002");
    client.post("/sites", &json!({"name": "Atlantis"})).ok();
    keyed(&client, &key, "/resources", &misplaced).ok();
    assert_eq!(names(&client), ["a"]);
    keyed(&client, &key, "/resources", &misplaced).ok();
    assert_eq!(names(&client), ["a"]);
}

fn callers_and_tenants_have_keys_of_their_own(server: &Server) {
    let one = server.new_client();
    let other = server.new_client();
    let key = unique("key");
    let colleague = server.caller(one.tenant_id(), "operator");
    for (number, caller) in [&one, &other, &colleague].into_iter().enumerate() {
        let first = keyed(caller, &key, "/resources", &json!({"name": format!("of {number}")}));
        first.ok();
        assert_eq!(first.header("Idempotency-Replayed"), None, "{first}");
    }
    assert_eq!((names(&one).len(), names(&other).len()), (2, 1));
}

fn a_key_that_is_none_is_refused(server: &Server) {
    let client = server.new_client();
    for wrong in ["", " ", &"k".repeat(256)] {
        keyed(&client, wrong, "/resources", &json!({"name": "a"})).invalid(&["Idempotency-Key"]);
        // Where nothing is written, too.
        for path in ["/resources/bulk?dryRun=true", "/scheduleMaintenances/match", "/paging/explain"] {
            keyed(&client, wrong, path, &json!({})).invalid(&["Idempotency-Key"]);
        }
    }
    let twice = client.request("POST", "/resources").header("Idempotency-Key", "a").header("Idempotency-Key", "b");
    twice.json(&json!({"name": "a"})).send().invalid(&["Idempotency-Key"]);
    assert!(names(&client).is_empty());
    keyed(&client, &"k".repeat(255), "/resources", &json!({"name": "a"})).ok();
}
