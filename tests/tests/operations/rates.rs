//! What one key may send.

use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Response, Server, both_backends, pressure};
use serde_json::json;

both_backends![
    a_key_that_sends_too_much_waits_and_others_do_not,
    tokens_are_requests_of_their_key,
    an_inbound_address_has_the_limit_of_a_key,
    who_does_not_heed_a_refusal_is_read_later,
    without_a_limit_nothing_is_told,
];

#[track_caller]
fn number(answer: &Response, name: &str) -> u32 {
    let value = answer.header(name).unwrap_or_else(|| panic!("no {name}: {answer}"));
    value.parse().unwrap_or_else(|error| panic!("{name} {value}: {error}"))
}

/// Sends until it is refused; gives the refusal and how many came through.
fn exhaust(client: &Client) -> (Response, u32) {
    for sent in 0..1_000 {
        let answer = client.get("/resources/minimal");
        if answer.status != 200 {
            return (answer, sent);
        }
        assert_eq!(number(&answer, "X-RateLimit-Limit"), 4);
        assert!(number(&answer, "X-RateLimit-Remaining") < 4 && number(&answer, "X-RateLimit-Reset") <= 2);
    }
    panic!("no limit after 1,000 requests");
}

fn a_key_that_sends_too_much_waits_and_others_do_not(backend: Backend) {
    let server = Server::start_with(backend, &["--rate-limit", "2"]);
    let greedy = server.caller("client_1", "operator");
    let other = server.caller("client_1", "viewer");
    let (refused, sent) = exhaust(&greedy);
    // One of the burst was for the token.
    assert!(sent >= 3, "{sent}");
    refused.problem(429, "throttled");
    assert_eq!(number(&refused, "Retry-After"), 1);
    assert_eq!((number(&refused, "X-RateLimit-Limit"), number(&refused, "X-RateLimit-Remaining")), (4, 0));
    assert!((1..=2).contains(&number(&refused, "X-RateLimit-Reset")), "{refused}");
    other.get("/resources/minimal").list();
    // Errors tell what is left as well; what needs no token does not count.
    assert!(other.get("/resources/unknown").header("X-RateLimit-Remaining").is_some());
    assert!(server.get("/health/live").header("X-RateLimit-Limit").is_none());
    assert!(server.get("/metrics").text().contains("muster_http_requests_throttled_total "));
    // A refused write is not carried out, and its connection can be used again.
    while greedy.post("/resources", &json!({"name": "greedy"})).status == 200 {}
    std::thread::sleep(Duration::from_millis(1_100));
    greedy.get("/resources/minimal").ok();
}

fn tokens_are_requests_of_their_key(backend: Backend) {
    let server = Server::start_with(backend, &["--rate-limit", "2"]);
    let made = server.admin().tenant("client_1").post("/apiKeys", &json!({"name": "greedy", "role": "viewer"})).ok();
    let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
    let key = text("key");
    let secret = text("secret");
    let ask = |secret: &str| {
        let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
        server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form).send()
    };
    // Who only knows the key uses up nothing of its limit.
    assert_eq!(ask("wrongwrongwrong12").status, 401);
    let refused = (0..1_000).map(|_| ask(&secret)).find(|answer| answer.status != 200);
    let refused = refused.expect("no limit after 1,000 tokens");
    refused.problem(429, "throttled");
    assert_eq!((number(&refused, "X-RateLimit-Limit"), number(&refused, "Retry-After")), (4, 1));
    std::thread::sleep(Duration::from_millis(1_100));
    assert!(number(&ask(&secret), "X-RateLimit-Remaining") < 4);
}

fn an_inbound_address_has_the_limit_of_a_key(backend: Backend) {
    let server = Server::start_with(backend, &["--rate-limit", "3"]);
    let address = |name: &str| {
        let made = server.admin().tenant("client_1").post("/inbound", &json!({"name": name})).ok();
        made["token"].as_str().unwrap_or_default().to_owned()
    };
    let greedy = address("greedy");
    let other = address("other");
    let report = |token: &str| {
        let request = server.request("POST", &format!("/api/v2/inbound/{token}"));
        request.json(&json!({"subject": "Disk is full", "state": "Critical"})).send()
    };
    let answers: Vec<u16> = (0..12).map(|_| report(&greedy).status).collect();
    assert!(answers[..6].iter().all(|status| *status == 200) && answers[6..].contains(&429), "{answers:?}");
    assert_eq!(report(&other).status, 200);
}

/// From the third refusal in a row on, the next request of the connection waits: 100 ms, then twice as long each time.
/// The key may send again each second, which ends a row, early on a slow machine: rows follow until one is long enough.
fn who_does_not_heed_a_refusal_is_read_later(backend: Backend) {
    let server = Server::start_with(backend, &["--rate-limit", "1"]);
    let greedy = server.caller("client_1", "viewer");
    let request = pressure::request(&greedy, "GET", "/resources/minimal", None);
    let mut connection = server.connection();
    let begun = Instant::now();
    let mut refused: u32 = 0;
    let (mut doubled, mut others_are_read) = (false, false);
    while !(doubled && others_are_read) {
        assert!(begun.elapsed() < Duration::from_secs(60), "doubled: {doubled}, others: {others_are_read}");
        let pause = refused.checked_sub(3).map_or(0, |beyond| 100 << beyond);
        let asked = Instant::now();
        connection.send(&request);
        // Others are read as ever, also of the same address.
        if pause > 100 {
            assert_eq!(server.get("/health/live").status, 200);
            others_are_read |= asked.elapsed() < Duration::from_millis(pause) / 2;
        }
        let status = connection.exchange(b"").map(|answer| answer.status);
        let took = asked.elapsed();
        assert!(took >= Duration::from_millis(pause) * 9 / 10, "after {refused} refusals: {took:?}");
        doubled |= pause > 100;
        match status {
            Some(200) => refused = 0,
            Some(429) => refused += 1,
            _ => panic!("{status:?}"),
        }
    }
}

fn without_a_limit_nothing_is_told(server: &Server) {
    let client = server.new_client();
    assert!(client.get("/resources/minimal").header("X-RateLimit-Limit").is_none());
}
