//! What every answer says to browsers, and what the log says of those who may not come in.

use muster_tests::{Backend, Server, both_backends, unique};
use serde_json::json;

both_backends![
    answers_are_no_pages_of_others,
    those_who_may_not_come_in_are_in_the_log,
    no_secret_of_a_path_is_logged_however_it_is_written,
];

fn answers_are_no_pages_of_others(server: &Server) {
    let client = server.admin();
    let page = server.get("/docs/");
    let data =
        [client.get("/resources/minimal"), client.get("/unknown"), server.get("/nowhere"), server.get("/metrics")];
    for answer in &data {
        assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"), "{answer}");
        let policy = answer.header("Content-Security-Policy");
        let ours = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
        assert_eq!(policy, Some(ours), "{answer}");
        assert_eq!(answer.header("Strict-Transport-Security"), None, "it is not encrypted: {answer}");
    }
    let policy = page.header("Content-Security-Policy").unwrap_or_default();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    for path in
        ["/", "/docs/", "/console/", "/auth/sign-in?code=x", "/api/v2/answers?token=x", "/nowhere", "/health/live"]
    {
        let answer = server.get(path);
        let policy = answer.header("Content-Security-Policy").unwrap_or_default();
        assert!(policy.contains("base-uri 'none'") && policy.contains("form-action '"), "{path}: {policy}");
    }
    // What the page loads is allowed, and it holds no script of its own.
    let text = page.text();
    assert!(policy.contains("script-src 'self';") && !text.contains("<script>"), "{text}");
    for file in ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-initializer.js"] {
        assert_eq!(server.get(&format!("/docs/{file}")).status, 200, "{file}");
    }
    assert!(server.get("/docs/swagger-initializer.js").text().contains("\"/openapi-3.0.json\""));
    let versions = ["/openapi.json", "/openapi-3.0.json"].map(|path| server.get(path).json()["openapi"].clone());
    assert_eq!(versions, ["3.1.0", "3.0.3"]);
    assert_eq!(server.get("/docs/unknown").status, 404);
}

fn those_who_may_not_come_in_are_in_the_log(backend: Backend) {
    let server = Server::start_with(backend, &["--rate-limit", "5"]);
    let (key, _) = server.credentials();
    let form = format!("grant_type=client_credentials&client_id={key}&client_secret=wrong");
    for _ in 0..40 {
        server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form.clone()).send();
        server.admin().with_token("unknown").get("/resources/minimal");
    }
    let greedy = server.caller("client_1", "viewer");
    while greedy.get("/resources/minimal").status == 200 {}
    let log = server.log();
    let lines = |said: &str| log.lines().filter(|line| line.contains(said) && line.contains("127.0.0.1")).count();
    assert!(lines("a wrong key or secret") >= 1 && lines("an unknown token") >= 1, "{log}");
    assert!(log.lines().any(|line| line.contains("a wrong key or secret") && line.contains(&key[..8])), "{log}");
    assert!(lines("too many requests") >= 1, "{log}");
    assert!(!log.contains("client_secret") && !log.contains(key), "a key is not told to the end\n{log}");
}

/// A secret in a path, in some spellings that lead to the same place, and some that lead nowhere.
fn no_secret_of_a_path_is_logged_however_it_is_written(backend: Backend) {
    let server = Server::start_with(backend, &["--log", "debug"]);
    let client = server.new_client();
    let address = client.post("/inbound", &json!({"name": unique("monitor")})).ok();
    let token = address["token"].as_str().unwrap_or_default().to_owned();
    let heartbeat = client.post("/heartbeats", &json!({"name": unique("beat"), "interval": "1h", "grace": "1m"})).ok();
    let ping = heartbeat["url"].as_str().and_then(|url| url.rsplit('/').next()).unwrap_or_default().to_owned();
    assert!(token.len() > 30 && ping.len() > 30, "{address} {heartbeat}");
    let encoded: String = token.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let report = |path: &str| server.request("POST", path).json(&json!({"subject": "s"})).send().status;
    let spellings = [
        "/api/v2/inbound/T",
        "/api/v2/%69nbound/T",
        "/api/v2//inbound///T",
        "/%61pi/v2/inb%6Fund/T",
        "/api/v2/%69nbound/T/zabbix",
    ];
    for path in spellings {
        assert!([200, 400].contains(&report(&path.replace('T', &token))), "{path}");
    }
    assert_eq!(report(&format!("/api/v2/inbound/{encoded}")), 200);
    for path in [
        "/api/v2/Inbound/T",
        "/api/v2/inbound/T/a/b",
        "/inbound/T",
        "/T",
        "/api/v2/inbound%2FT",
        "/api/v2/answers%3Ftoken=T",
    ] {
        report(&path.replace('T', &token));
        server.get(&path.replace('T', &token));
    }
    for path in ["/api/v2/heartbeats/P", "/api/v2/%68eartbeats/P", "/api/v2/heartbeats//P"] {
        assert_eq!(server.get(&path.replace('P', &ping)).status, 200, "{path}");
        server.request("DELETE", &path.replace('P', &ping)).send();
    }
    let calendar = "c".repeat(64);
    let sign_in = "s".repeat(43);
    server.get(&format!("/api/v2/tenants/{}/rosters/ES-1/calendar.ics?token={calendar}", client.tenant_id()));
    server.get(&format!("/auth/sign-in?code={sign_in}"));
    server.get(&format!("/auth/sign-in/{sign_in}"));
    let log = server.log();
    assert!(log.lines().filter(|line| line.contains("/[secret]")).count() > spellings.len(), "{log}");
    for secret in [&token, &ping, &encoded, &encoded.to_uppercase(), &calendar, &sign_in] {
        let line = log.lines().find(|line| line.contains(secret.as_str()));
        assert_eq!(line, None);
    }
}
