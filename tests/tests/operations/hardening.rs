//! What every answer says to browsers, and what the log says of those who may not come in.

use muster_tests::{Backend, Server, both_backends};

both_backends![answers_are_no_pages_of_others, those_who_may_not_come_in_are_in_the_log];

fn answers_are_no_pages_of_others(server: &Server) {
    let client = server.admin();
    let page = server.get("/docs/");
    let data =
        [client.get("/resources/minimal"), client.get("/unknown"), server.get("/nowhere"), server.get("/metrics")];
    for answer in &data {
        assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"), "{answer}");
        let policy = answer.header("Content-Security-Policy");
        assert_eq!(policy, Some("default-src 'none'; frame-ancestors 'none'"), "{answer}");
        assert_eq!(answer.header("Strict-Transport-Security"), None, "it is not encrypted: {answer}");
    }
    let policy = page.header("Content-Security-Policy").unwrap_or_default();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    // What the page loads is allowed, and it holds no script of its own.
    let text = page.text();
    assert!(policy.contains("script-src 'self';") && !text.contains("<script>"), "{text}");
    for file in ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-initializer.js"] {
        assert_eq!(server.get(&format!("/docs/{file}")).status, 200, "{file}");
    }
    assert!(server.get("/docs/swagger-initializer.js").text().contains("openapi.json"));
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
