//! Failed attempts: answered 429 beyond a limit, while the right credentials are always heard. Each test has a server
//! of its own, since failures count against the address, which all tests share.

use std::time::{Duration, Instant};

use muster_tests::{Backend, Response, Server, both_backends};
use serde_json::json;

both_backends![
    the_right_secret_is_heard_in_a_flood,
    agents_are_throttled_likewise,
    a_flood_of_tokens_hides_nobody,
    behind_a_proxy_each_client_counts_for_itself,
    without_a_proxy_the_header_means_nothing,
];

const FORM: &str = "application/x-www-form-urlencoded";

fn ask(server: &Server, key: &str, secret: &str, from: Option<&str>) -> Response {
    let request = server.request("POST", "/auth/oauth/token");
    let request = from.into_iter().fold(request, |request, from| request.header("X-Forwarded-For", from));
    request.body(FORM, format!("grant_type=client_credentials&client_id={key}&client_secret={secret}")).send()
}

/// Fails until that is answered otherwise than 401; how often it was.
fn flood(attempt: impl Fn() -> Response) -> (usize, Response) {
    for number in 0..2_000 {
        let answer = attempt();
        if answer.status != 401 {
            return (number, answer);
        }
    }
    panic!("2,000 failures in a row were all heard");
}

#[track_caller]
fn is_throttled(answer: &Response) -> u64 {
    answer.problem(429, "throttled");
    let number = |name: &str| {
        let value = answer.header(name).and_then(|value| value.parse::<u64>().ok());
        value.unwrap_or_else(|| panic!("{name}: {answer}"))
    };
    assert_eq!(number("X-RateLimit-Remaining"), 0, "{answer}");
    assert!(number("X-RateLimit-Limit") > 0 && number("X-RateLimit-Reset") >= number("Retry-After"), "{answer}");
    number("Retry-After")
}

fn the_right_secret_is_heard_in_a_flood(backend: Backend) {
    let server = Server::start(backend);
    let (key, secret) = server.credentials();
    let (heard, refused) = flood(|| ask(&server, key, "guess", None));
    assert!((5..50).contains(&heard), "{heard}");
    let wait = is_throttled(&refused);
    assert_eq!(ask(&server, key, secret, None).status, 200);
    assert_eq!(ask(&server, "somebodyelse", "guess", None).status, 401, "another key has a limit of its own");
    let begun = Instant::now();
    while ask(&server, key, "guess", None).status == 429 {
        assert!(begun.elapsed() < Duration::from_secs(wait + 2), "Retry-After said {wait} s");
        std::thread::sleep(Duration::from_millis(200));
    }
    // The address as a whole: many keys.
    let mut number = 0;
    while ask(&server, &format!("guessedkey{number}"), "guess", None).status == 401 {
        number += 1;
        assert!(number < 500, "500 guessed keys were all heard");
    }
    assert_eq!(ask(&server, key, secret, None).status, 200);
    server.admin().get("/resources/minimal").list();
}

fn agents_are_throttled_likewise(backend: Backend) {
    let server = Server::start(backend);
    let (key, secret) = server.credentials();
    let report = json!({"action": "inventory", "deviceid": "d", "content": {"hardware": {"name": "pc"}}});
    let send = |secret: &str| {
        let request = server.request("POST", "/api/v2/tenants/client_1/agents/reports");
        request.basic(key, secret).json(&report).send()
    };
    let (_, refused) = flood(|| send("wrong"));
    is_throttled(&refused);
    assert_eq!(send(secret).status, 200, "the right secret");
    is_throttled(&ask(&server, key, "guess", None));
}

fn a_flood_of_tokens_hides_nobody(backend: Backend) {
    let server = Server::start(backend);
    let admin = server.admin();
    let (_, refused) = flood(|| admin.with_token("nonsense").get("/resources/minimal"));
    is_throttled(&refused);
    admin.get("/resources/minimal").list();
    server.anonymous().get("/resources/minimal").unauthenticated();
    let (key, secret) = server.credentials();
    assert_eq!(ask(&server, key, secret, None).status, 200);
    assert_eq!(ask(&server, key, "wrong", None).status, 401, "tokens have a limit of their own");
}

fn behind_a_proxy_each_client_counts_for_itself(backend: Backend) {
    let server = Server::start_with(backend, &["--behind-proxy"]);
    let (key, _) = server.credentials();
    // What a client itself writes in front changes nothing.
    let number = std::cell::Cell::new(0);
    let spoofing = || {
        number.set(number.get() + 1);
        ask(&server, key, "guess", Some(&format!("203.0.113.{}, 192.0.2.1", number.get() % 250)))
    };
    let (heard, refused) = flood(spoofing);
    assert!(heard < 50, "{heard}");
    is_throttled(&refused);
    assert_eq!(ask(&server, key, "guess", Some("192.0.2.2")).status, 401, "another client");
}

fn without_a_proxy_the_header_means_nothing(backend: Backend) {
    let server = Server::start(backend);
    let (key, _) = server.credentials();
    let number = std::cell::Cell::new(0);
    let (heard, _) = flood(|| {
        number.set(number.get() + 1);
        ask(&server, key, "guess", Some(&format!("192.0.2.{}", number.get() % 250)))
    });
    assert!(heard < 50, "{heard}");
}
