//! The token endpoint, and tokens in use.

use muster_tests::{Backend, Response, Server, both_backends};
use serde_json::json;

both_backends![
    both_paths_give_a_token,
    basic_gives_a_token,
    basic_does_as_a_token_does,
    parameters_are_checked,
    other_grants_are_unsupported,
    wrong_credentials_are_told_alike,
    failed_attempts_are_throttled,
    a_bad_token_is_a_401,
    a_token_works_only_in_its_header,
];

const FORM: &str = "application/x-www-form-urlencoded";

fn ask(server: &Server, form: &str) -> Response {
    server.request("POST", "/auth/oauth/token").body(FORM, form).send()
}

#[track_caller]
fn is_token(answer: &Response) {
    let body = answer.ok();
    assert!(body["access_token"].as_str().is_some_and(|token| token.len() >= 32), "{answer}");
    assert_eq!(body["token_type"], json!("bearer"));
    assert_eq!(body["expires_in"], json!(7199), "a number, for a token that was just made");
    assert_eq!(body["scope"], json!("global:manage"));
    assert!(answer.header("Cache-Control").is_some_and(|value| value.contains("no-store")), "{answer}");
}

#[track_caller]
fn is_error(answer: &Response, status: u16, error: &str) {
    assert_eq!(answer.status, status, "{answer}");
    let body = answer.json();
    assert_eq!(body["error"], json!(error), "{answer}");
    assert!(body["error_description"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
    assert!(answer.header("Content-Type").is_some_and(|value| value.starts_with("application/json")), "{answer}");
}

fn both_paths_give_a_token(server: &Server) {
    let (key, secret) = server.credentials();
    let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
    for path in ["/auth/oauth/token", "/tenancy/auth/oauth/token"] {
        let answer = server.request("POST", path).body(FORM, form.clone()).send();
        is_token(&answer);
        let token = super::text(&answer.json()["access_token"]);
        server.anonymous().with_token(&token).get("/resources/minimal").list();
    }
    let charset =
        server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded;charset=UTF-8", form);
    is_token(&charset.send());
}

fn basic_gives_a_token(server: &Server) {
    let (key, secret) = server.credentials();
    let request = server.request("POST", "/auth/oauth/token").basic(key, secret);
    is_token(&request.body(FORM, "grant_type=client_credentials").send());
}

/// On a server of its own: failures count against the address, which all tests share.
fn basic_does_as_a_token_does(backend: Backend) {
    let server = Server::start(backend);
    let (key, secret) = server.credentials();
    let at = |method: &str, path: &str| server.request(method, &format!("/api/v2/tenants/client_1{path}"));
    at("GET", "/resources/minimal").basic(key, secret).send().list();
    at("POST", "/sites").basic(key, secret).json(&json!({"name": "by basic"})).send().ok();
    server.request("GET", "/api/v2/cfg/timezones").basic(key, secret).send().list();
    at("GET", "/sites/minimal").header("Authorization", &format!("bASIC {}", encoded(key, secret))).send().list();
    // The role is that of the key, and wrong ones are throttled as at the token endpoint.
    let viewer = server.admin().tenant("client_1").post("/apiKeys", &json!({"name": "v", "role": "viewer"})).ok();
    let (viewer, its) = (super::text(&viewer["key"]), super::text(&viewer["secret"]));
    at("GET", "/sites/minimal").basic(&viewer, &its).send().list();
    at("POST", "/sites").basic(&viewer, &its).json(&json!({"name": "x"})).send().forbidden();
    let statuses: Vec<u16> =
        (0..12).map(|_| at("GET", "/resources/minimal").basic(key, "wrongwrongwrong12").send().status).collect();
    assert_eq!((statuses[0], statuses[11]), (401, 429), "{statuses:?}");
    at("GET", "/resources/minimal").basic(key, secret).send().list();
    // Once they were shown the right way, they are no token.
    for shown in [format!("{key}:{secret}"), encoded(key, secret), format!("basic {key}:{secret}")] {
        at("GET", "/resources/minimal").basic(key, secret).send().list();
        at("GET", "/resources/minimal").header("Authorization", &format!("Bearer {shown}")).send().unauthenticated();
    }
    // A browser is not asked for them.
    assert_eq!(at("GET", "/resources/minimal").send().header_values("WWW-Authenticate").len(), 1);
}

/// `key:secret` as HTTP Basic has it.
fn encoded(key: &str, secret: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(format!("{key}:{secret}"))
}

fn parameters_are_checked(server: &Server) {
    let (key, secret) = server.credentials();
    let good = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
    for form in [
        String::new(),
        "grant_type=client_credentials".to_owned(),
        format!("grant_type=client_credentials&client_id={key}"),
        format!("grant_type=client_credentials&client_secret={secret}"),
        format!("client_id={key}&client_secret={secret}"),
        format!("{good}&grant_type=client_credentials"),
        format!("{good}&client_id={key}"),
        format!("{good}&client_secret={secret}"),
    ] {
        is_error(&ask(server, &form), 400, "invalid_request");
    }
    let as_json = json!({"grant_type": "client_credentials", "client_id": key, "client_secret": secret});
    is_error(&server.request("POST", "/auth/oauth/token").json(&as_json).send(), 400, "invalid_request");
    is_error(&server.request("POST", "/auth/oauth/token").send(), 400, "invalid_request");
    // The secret belongs in the body: query parameters end in logs.
    let in_query = server.request("POST", &format!("/auth/oauth/token?{good}")).body(FORM, "").send();
    is_error(&in_query, 400, "invalid_request");
    assert_eq!(server.get(&format!("/auth/oauth/token?{good}")).status, 405);
}

fn other_grants_are_unsupported(server: &Server) {
    let (key, secret) = server.credentials();
    for grant in ["password", "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"] {
        let form = format!("grant_type={grant}&client_id={key}&client_secret={secret}");
        is_error(&ask(server, &form), 400, "unsupported_grant_type");
    }
}

/// On a server of its own: failures count against the address, which all tests share.
fn wrong_credentials_are_told_alike(backend: Backend) {
    let server = Server::start(backend);
    let (key, secret) = server.credentials();
    let grant = "grant_type=client_credentials";
    let answers = [
        ask(&server, &format!("{grant}&client_id={key}&client_secret=wrong")),
        ask(&server, &format!("{grant}&client_id=nobody&client_secret={secret}")),
        server.request("POST", "/auth/oauth/token").basic(key, "wrong").body(FORM, grant).send(),
    ];
    for answer in &answers {
        assert_eq!(answer.status, 401, "{answer}");
        let expected = json!({"error": "unauthorized", "error_description": "Bad API credentials"});
        assert_eq!(answer.json(), expected);
    }
    is_token(&ask(&server, &format!("{grant}&client_id={key}&client_secret={secret}")));
}

fn failed_attempts_are_throttled(backend: Backend) {
    let server = Server::start(backend);
    let (key, _) = server.credentials();
    let attempt = |_| ask(&server, &format!("grant_type=client_credentials&client_id={key}&client_secret=guess"));
    let answer = (0..200).map(attempt).find(|answer| answer.status != 401);
    match answer {
        Some(answer) => {
            assert_eq!(answer.status, 429, "{answer}");
            let seconds: u64 = answer.header("Retry-After").and_then(|value| value.parse().ok()).unwrap_or_default();
            assert!(seconds > 0, "Retry-After: {answer}");
        }
        None => panic!("200 wrong secrets in a row were all heard"),
    }
}

fn a_bad_token_is_a_401(server: &Server) {
    let anonymous = server.anonymous();
    anonymous.get("/resources/minimal").unauthenticated();
    let good = server.admin().bearer().to_owned();
    for value in [
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Bearer nonsense".to_owned(),
        format!("Bearer {good}x"),
        format!("Bearer {}", &good[1..]),
        format!("Bearer {} {good}", &good),
        format!("Token {good}"),
        good.clone(),
        format!("Bearer {}", "x".repeat(8_000)),
        format!("Bearer {}", good.to_uppercase() + "a"),
    ] {
        let answer = anonymous.request("GET", "/resources/minimal").header("Authorization", &value).send();
        answer.unauthenticated();
    }
    for scheme in ["bearer", "BEARER"] {
        let value = format!("{scheme} {good}");
        anonymous.request("GET", "/resources/minimal").header("Authorization", &value).send().list();
    }
}

fn a_token_works_only_in_its_header(server: &Server) {
    let good = server.admin().bearer().to_owned();
    let answer = server.anonymous().get(&format!("/resources/minimal?access_token={good}"));
    answer.unauthenticated();
    let cookie =
        server.anonymous().request("GET", "/resources/minimal").header("Cookie", &format!("access_token={good}"));
    cookie.send().unauthenticated();
}
