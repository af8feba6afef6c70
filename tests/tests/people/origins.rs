//! A request that changes something with a session has to come from a page of the service.

use std::time::Instant;

use muster_tests::{
    Browser, Server, both_backends,
    browser::{code_of, redeem},
    unique,
};
use serde_json::json;

use super::{person, sessions::command, text};

both_backends![
    another_sites_page_changes_nothing,
    a_session_changes_nothing_by_get,
    another_sites_page_signs_nobody_in,
    a_configured_address_is_the_only_one,
    guessing_codes_is_throttled,
    a_session_has_its_rate,
];

/// What browsers say of pages that are not the service's.
const FOREIGN: [&[(&str, &str)]; 8] = [
    &[("Origin", "null")],
    &[("Origin", "https://evil.example")],
    &[("Origin", "http://127.0.0.1:1")],
    &[("Sec-Fetch-Site", "cross-site")],
    &[("Sec-Fetch-Site", "same-site")],
    &[("Sec-Fetch-Site", "none")],
    &[("Sec-Fetch-Site", "same-origin"), ("Origin", "null")],
    &[("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")],
];

fn signed_in<'s>(server: &'s Server, role: &str) -> (muster_tests::Client, Browser<'s>) {
    let client = server.new_client();
    let id = person(&client, role);
    let url = text(&client.post_empty(&format!("/users/{id}/signInLink")).ok()["url"]);
    (client, Browser::sign_in(server, &url))
}

fn another_sites_page_changes_nothing(server: &Server) {
    let (client, browser) = signed_in(server, "operator");
    let sites = format!("/api/v2/tenants/{}/sites", client.tenant_id());
    let body = || json!({"name": unique("site")});
    for headers in FOREIGN.into_iter().chain([&[][..]]) {
        let request = |method: &str, path: &str| {
            headers.iter().fold(browser.bare(method, path), |request, (name, value)| request.header(name, value))
        };
        request("POST", &sites).json(&body()).send().forbidden();
        request("DELETE", "/auth/session").send().forbidden();
        request("POST", "/auth/sign-out").send().forbidden();
        // What only reads is not kept from anybody: the browser shows it to no other page.
        request("GET", &format!("{sites}/minimal")).send().list();
    }
    assert!(client.get("/sites/minimal").list().is_empty());
    let one = |name: &str, value: &str| browser.bare("POST", &sites).header(name, value).json(&body()).send().ok();
    one("Origin", server.base());
    one("Sec-Fetch-Site", "same-origin");
    // A key is sent by no browser by itself.
    let key =
        client.request("POST", "/sites").header("Origin", "https://evil.example").header("Cookie", &browser.cookie);
    key.json(&body()).send().ok();
}

/// Following a link changes nothing, on any site.
fn a_session_changes_nothing_by_get(server: &Server) {
    let (client, browser) = signed_in(server, "operator");
    let schedule = json!({"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}});
    let job =
        json!({"name": unique("job"), "description": "d", "schedule": schedule, "script": {"jobType": "antivirus"}});
    let job = text(&client.post("/jobs", &job).ok()["id"]);
    let run = format!("/api/v2/tenants/{}/jobs/{job}/run", client.tenant_id());
    for headers in FOREIGN.into_iter().chain([&[][..]]) {
        let request = browser.bare("GET", &run);
        headers.iter().fold(request, |request, (name, value)| request.header(name, value)).send().forbidden();
    }
    for spelled in [run.clone(), run.replace("/run", "/%72un"), run.replace("/jobs", "//jobs"), format!("{run}?x=1")] {
        browser.get(&spelled).forbidden();
        assert_eq!(browser.request("HEAD", &spelled).send().status, 405);
    }
    let navigated = [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-User", "?1")];
    navigated
        .into_iter()
        .fold(browser.request("GET", &run), |it, (name, value)| it.header(name, value))
        .send()
        .forbidden();
    let runs = || client.get(&format!("/jobs/{job}/runs")).page()["totalResults"].clone();
    assert_eq!(runs(), json!(0));
    // A request with a key is not a browser's, and a page of the console posts.
    client.get(&format!("/jobs/{job}/run")).ok();
    let first = text(&client.get(&format!("/jobs/{job}/runs")).page()["results"][0]["id"]);
    client.post_empty(&format!("/jobs/runs/{first}/cancel")).ok();
    browser.request("POST", &run).send().ok();
    assert_eq!(runs(), json!(2));
    // So it is with every operation that says of itself that it changes something by GET.
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().unwrap().iter();
    let changing: Vec<_> = paths.filter(|(_, item)| item["get"]["x-changes"] == json!(true)).collect();
    assert!(!changing.is_empty());
    for (path, _) in changing {
        let path = path.replace("{tenantId}", client.tenant_id()).replace("{jobId}", &job);
        assert!(!path.contains('{'), "an example for {path}");
        browser.get(&path).forbidden();
    }
}

fn another_sites_page_signs_nobody_in(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "viewer");
    let url = text(&client.post_empty(&format!("/users/{id}/signInLink")).ok()["url"]);
    let form = || {
        let form = server.request("POST", "/auth/session");
        form.body("application/x-www-form-urlencoded", format!("code={}", code_of(&url)))
    };
    for headers in FOREIGN {
        let answer = headers.iter().fold(form(), |request, (name, value)| request.header(name, value)).send();
        answer.forbidden();
        assert!(answer.header("Set-Cookie").is_none(), "{answer}");
    }
    assert_eq!(redeem(server, &code_of(&url)).send().status, 303);
}

fn a_configured_address_is_the_only_one(server: &Server) {
    let server = Server::start_with(server.backend, &["--public-url", "https://muster.example"]);
    let admin = server.admin();
    let id = person(&admin, "admin");
    let url = text(&admin.post_empty(&format!("/users/{id}/signInLink")).ok()["url"]);
    assert!(url.starts_with("https://muster.example/auth/sign-in?code="), "{url}");
    let login = unique("heidi");
    command(&server, &["user", "create", &login, "--tenant", "client_1"]);
    let printed = command(&server, &["user", "sign-in", &login]);
    assert!(printed.stdout.starts_with("https://muster.example/auth/sign-in?code="), "{}", printed.stderr);
    let press = |origin: &str| {
        let form = server.request("POST", "/auth/session").header("Origin", origin);
        form.body("application/x-www-form-urlencoded", format!("code={}", code_of(&url))).send()
    };
    press(server.base()).forbidden();
    let answer = press("https://muster.example");
    assert!(answer.header("Set-Cookie").is_some_and(|set| set.starts_with("__Host-") && set.ends_with("; Secure")));
}

fn guessing_codes_is_throttled(server: &Server) {
    let server = Server::start(server.backend);
    let admin = server.admin();
    let id = person(&admin, "viewer");
    let url = text(&admin.post_empty(&format!("/users/{id}/signInLink")).ok()["url"]);
    let guess = || redeem(&server, &unique("guess").replace('-', "0")).send().status;
    let begun = Instant::now();
    let answers: Vec<u16> = (0..200).map(|_| guess()).collect();
    let heard = answers.iter().filter(|status| **status == 401).count();
    // 60 at once, and another each second.
    let most = 62 + usize::try_from(begun.elapsed().as_secs()).unwrap_or(usize::MAX);
    assert!((60..=most).contains(&heard) && answers.contains(&429), "{heard} of at most {most}: {answers:?}");
    // The right one is never refused.
    Browser::sign_in(&server, &url).get("/api/v2/me").ok();
}

fn a_session_has_its_rate(server: &Server) {
    let server = Server::start_with(server.backend, &["--rate-limit", "3"]);
    let admin = server.admin();
    let id = person(&admin, "viewer");
    let url = text(&admin.post_empty(&format!("/users/{id}/signInLink")).ok()["url"]);
    let browser = Browser::sign_in(&server, &url);
    let answers: Vec<_> = (0..20).map(|_| browser.get("/api/v2/me")).collect();
    assert!(answers.iter().any(|answer| answer.status == 429), "a session is not counted");
    assert_eq!(answers[0].header("X-RateLimit-Limit"), Some("6"), "{}", answers[0]);
}
