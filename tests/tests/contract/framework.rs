//! What the HTTP framework refuses by itself has the contract's shape as well.

use muster_tests::{Response, Server, both_backends};

both_backends![
    an_unknown_path_is_a_404,
    a_wrong_method_is_a_405_with_allow,
    a_url_too_long_is_a_414,
    a_path_is_guarded_however_it_is_written,
    doubled_slashes_are_tolerated,
    bytes_that_are_no_http_are_refused,
    odd_paths_are_404s_or_400s_and_never_more,
    head_and_options_do_not_break_anything,
    health_needs_no_token,
    api_answers_to_browsers_nothing_it_should_not,
];

fn an_unknown_path_is_a_404(server: &Server) {
    let admin = server.admin();
    for path in [
        "/",
        "/nothing/here",
        "/api",
        "/api/v2",
        "/api/v1/tenants/msp_1/resources/minimal",
        "/api/v2/tenants/msp_1/nothing",
        "/api/v2/tenants/msp_1/resources/minimal/more",
        "/api/v2/tenants/msp_1/resources/minimal/",
    ] {
        let answer = admin.absolute("GET", path).send();
        // The root may lead a person to the documentation.
        if path != "/" || !(200..400).contains(&answer.status) {
            answer.not_found();
        }
    }
}

fn a_wrong_method_is_a_405_with_allow(server: &Server) {
    let admin = server.admin();
    for (method, path, allowed) in [
        ("PUT", "/resources/minimal", "GET"),
        ("POST", "/resourceType/minimal", "GET"),
        ("DELETE", "/history/resources", "GET"),
        ("POST", "/resources/antivirus/search", "GET"),
        ("PATCH", "/resources", "POST"),
        ("PUT", "/resources/00000000-0000-4000-8000-000000000000", "GET"),
        ("DELETE", "/resources/00000000-0000-4000-8000-000000000000/applications", "GET"),
    ] {
        let answer = admin.request(method, path).send();
        answer.problem(405, "0002");
        let allow = answer.header("Allow").unwrap_or_default();
        assert!(allow.split(',').any(|name| name.trim() == allowed), "Allow {allow:?}: {answer}");
        assert!(!allow.split(',').any(|name| name.trim() == method), "Allow {allow:?}: {answer}");
        assert_eq!(allow.contains("HEAD"), allow.contains("GET"), "Allow {allow:?}: {answer}");
    }
}

fn a_url_too_long_is_a_414(server: &Server) {
    let admin = server.admin();
    let long = format!("/resources/minimal?queryString=name:{}", "x".repeat(20_000));
    admin.get(&long).problem(414, "0002");
    admin.get(&format!("/resources/{}", "x".repeat(20_000))).problem(414, "0002");
}

fn doubled_slashes_are_tolerated(server: &Server) {
    let admin = server.admin();
    for path in [
        "//api/v2/tenants/msp_1/resourceType/minimal",
        "/api//v2///tenants/msp_1//resourceType//minimal",
        "/api/v2/tenants/msp_1/resourceType//minimal",
    ] {
        assert!(!admin.absolute("GET", path).send().list().is_empty());
    }
    let (key, secret) = server.credentials();
    let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
    let token = server.request("POST", "//auth//oauth/token").body("application/x-www-form-urlencoded", form);
    token.send().ok();
}

/// The router reads `%65` as `e`, and so does what guards it.
fn a_path_is_guarded_however_it_is_written(server: &Server) {
    let admin = server.admin();
    for path in [
        "/api/v2/tenants/msp_1/resourc%65Type/minimal",
        "/api/v2/t%65nants/msp_1/resourceType/minimal",
        "/ap%69/v2/tenants/msp%5F1/resourceType/m%69nimal",
    ] {
        assert!(!admin.absolute("GET", path).send().list().is_empty(), "{path}");
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    assert_eq!(server.get("/api/v2/tenants/msp_1/us%65rs/search").status, 401);
}

/// Such bytes never reach the service's own code: the HTTP library answers them, with a bare 400, or
/// hangs up. What must not happen is another status, a text of its own, or a server that hangs.
fn bytes_that_are_no_http_are_refused(server: &Server) {
    let plain = |answer: Option<Response>| {
        if let Some(answer) = answer {
            assert!([400, 404, 405, 431, 501, 505].contains(&answer.status), "{answer}");
            if !answer.body.is_empty() {
                let code = if answer.status == 404 { "0003" } else { "0002" };
                answer.problem(answer.status, code);
            }
        }
    };
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /auth/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: minus\r\n\r\n",
        b"GET /health/live HTTP/1.1\r\nbad header line\r\n\r\n",
        b"POST /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
    ] {
        plain(server.raw(bytes));
    }
    assert_eq!(server.get("/health/live").status, 200);
}

fn odd_paths_are_404s_or_400s_and_never_more(server: &Server) {
    let client = server.new_client();
    for id in [
        "%00",
        "%FF",
        "%2F",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "' OR 1=1 --",
        "%F0%9F%98%80",
        "null",
        "-1",
        "{id}",
        "00000000-0000-0000-0000-00000000000",
        "00000000-0000-0000-0000-0000000000000",
    ] {
        for path in [
            format!("/resources/{id}"),
            format!("/resources/{id}/applications"),
            format!("/history/resources/{id}"),
            format!("/deviceGroups/{id}"),
            format!("/sites/{id}"),
        ] {
            let answer = client.get(&path);
            match answer.status {
                400 => answer.problem(400, "0002"),
                _ => answer.not_found(),
            };
        }
    }
}

fn head_and_options_do_not_break_anything(server: &Server) {
    let admin = server.admin();
    for method in ["HEAD", "OPTIONS", "TRACE"] {
        let answer = admin.request(method, "/resources/minimal").send();
        assert!(answer.status < 500, "{answer}");
        assert!(method != "HEAD" || answer.body.is_empty(), "{answer}");
    }
}

fn health_needs_no_token(server: &Server) {
    assert_eq!(server.get("/health/live").status, 200);
    assert_eq!(server.get("/health/ready").status, 200);
    server.request("POST", "/health/live").send().problem(405, "0002");
}

fn api_answers_to_browsers_nothing_it_should_not(server: &Server) {
    let answer = server.admin().request("GET", "/resources/minimal").header("Origin", "https://evil.example").send();
    let open = answer.header("Access-Control-Allow-Origin").unwrap_or_default();
    assert!(open != "*" && open != "https://evil.example", "{answer}");
}
