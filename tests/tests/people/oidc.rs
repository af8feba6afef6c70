//! Signing in by OpenID Connect, at a certified provider. Where that cannot be had the tests say so and pass.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use muster_tests::oidc::{Issuer, SERVICE};
use muster_tests::{Backend, Browser, Client, Response, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{audit, person, text};
use crate::secrets::kept_nowhere;

both_backends![
    a_person_signs_in_at_the_issuer,
    what_was_not_begun_here_is_refused,
    an_address_that_nobody_verified_binds_nobody,
    an_account_stays_bound_to_its_person,
    an_address_is_its_own_and_no_other_that_looks_alike,
    a_token_for_another_client_signs_nobody_in,
    a_binding_is_removed_by_an_admin_and_by_its_person,
    strangers_at_one_address_leave_calls_to_others,
    the_issuer_says_the_role,
    the_issuer_changes_its_keys,
    an_issuer_that_is_away_is_a_503,
    without_an_issuer_there_is_no_such_path,
];

struct World {
    issuer: Issuer,
    server: Server,
    secret: String,
}

/// A server with an issuer; `None` where there is none to be had.
fn world(backend: Backend, arguments: &[&str]) -> Option<World> {
    let secret = unique("clientsecret0123456789").replace('-', "");
    let issuer = Issuer::start(&secret)?;
    let server = serve(backend, &issuer.base, &secret, arguments);
    Some(World { issuer, server, secret })
}

fn serve(backend: Backend, issuer: &str, secret: &str, arguments: &[&str]) -> Server {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{secret}\n")).unwrap();
    let path = file.path().to_str().unwrap();
    let mut all = vec!["--public-url", SERVICE, "--oidc-issuer", issuer, "--oidc-client-id", "muster"];
    all.extend(["--oidc-client-secret-file", path]);
    all.extend(arguments);
    Server::start_with(backend, &all)
}

/// Leaves for the issuer: the address there, and the cookie to come back with.
#[track_caller]
fn leave(server: &Server) -> (String, String) {
    let answer = server.get("/auth/oidc/start");
    assert_eq!(answer.status, 303, "{answer}");
    let set = answer.header("Set-Cookie").unwrap();
    assert!(set.contains("; HttpOnly; SameSite=Lax") && set.contains("; Max-Age=600"), "{set}");
    let cookie = set.split(';').next().unwrap().to_owned();
    (answer.header("Location").unwrap().to_owned(), cookie)
}

fn come_back(server: &Server, path: &str, cookie: &str) -> Response {
    server.request("GET", path).header("Cookie", cookie).send()
}

/// Signs in as an account: the answer to who comes back.
#[track_caller]
fn sign_in(world: &World, account: &Value) -> Response {
    let (address, cookie) = leave(&world.server);
    come_back(&world.server, &world.issuer.sign_in(&address, account), &cookie)
}

fn account(sub: &str, email: &str) -> Value {
    json!({"sub": sub, "email": email, "email_verified": true})
}

/// A person with an address.
#[track_caller]
fn ann(admin: &Client) -> (String, String) {
    let id = person(admin, "operator");
    let email = format!("{}@example.net", unique("ann"));
    admin.post(&format!("/users/{id}"), &json!({"email": email})).ok();
    (id, email)
}

fn a_person_signs_in_at_the_issuer(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email"]) else { return };
    let client = world.server.new_client();
    let (id, email) = ann(&client);
    assert!(world.server.get("/").text().contains("/auth/oidc/start"));
    let answer = sign_in(&world, &account("sub-1", &email.to_uppercase()));
    assert_eq!((answer.status, answer.header("Location")), (303, Some("/console/")), "{answer}");
    let set = answer.header_values("Set-Cookie");
    assert!(set.iter().any(|one| one.starts_with("muster_oidc=; Max-Age=0")), "{set:?}");
    let browser = Browser::of(&world.server, &answer);
    let me = browser.get("/api/v2/me").ok();
    assert_eq!((&me["user"]["id"], &me["tenant"]), (&json!(id), &json!(client.tenant_id())));
    assert_eq!(browser.get("/api/v2/me/sessions").list()[0]["method"], json!("oidc"));
    let rows = audit(&client, &id);
    assert!(rows.iter().any(|row| row["entity"] == json!("UserIdentity") && row["userId"] == json!(id)), "{rows:?}");
    let session = browser.token().to_owned();
    kept_nowhere(&world.server, &email, &[("the client secret", &world.secret), ("the session", &session)]);
    // A user who is not in use does not sign in.
    client.post_empty(&format!("/users/{id}/deactivate")).ok();
    browser.get("/api/v2/me").unauthenticated();
    sign_in(&world, &account("sub-1", &email)).forbidden();
}

fn what_was_not_begun_here_is_refused(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email"]) else { return };
    let server = &world.server;
    let (_, email) = ann(&server.new_client());
    let account = account("sub-1", &email);
    let refused = |answer: Response| {
        answer.problem(401, "invalid_token");
        assert!(answer.header_values("Set-Cookie").iter().all(|set| !set.starts_with("muster_session=")), "{answer}");
    };
    let replaced = |path: &str, name: &str, value: &str| {
        let (before, rest) = path.split_once(&format!("{name}=")).unwrap();
        let after = rest.split_once('&').map_or(String::new(), |(_, after)| format!("&{after}"));
        format!("{before}{name}={value}{after}")
    };
    let (address, cookie) = leave(server);
    let path = world.issuer.sign_in(&address, &account);
    // Another state, another browser's cookie, none, and one that was made up.
    let (_, others) = leave(server);
    refused(come_back(server, &replaced(&path, "state", "other"), &cookie));
    refused(come_back(server, &path, &others));
    refused(server.get(&path));
    refused(come_back(server, &path, "muster_oidc=v1.00000000.AAAA"));
    refused(come_back(server, &path, &format!("{cookie}x")));
    refused(come_back(server, "/auth/oidc/callback?error=access_denied&state=x", &cookie));
    // Another code; then the right one, once.
    refused(come_back(server, &replaced(&path, "code", "other"), &cookie));
    assert_eq!(come_back(server, &path, &cookie).status, 303);
    refused(come_back(server, &path, &cookie));
    // An answer to another question: the nonce of the ID token is not the one that this browser left with, or the proof
    // of who asked does not fit.
    for (name, value) in [("nonce", "other"), ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")] {
        let (address, cookie) = leave(server);
        refused(come_back(server, &world.issuer.sign_in(&replaced(&address, name, value), &account), &cookie));
    }
}

fn an_address_that_nobody_verified_binds_nobody(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email"]) else { return };
    let client = world.server.new_client();
    let other = world.server.new_client();
    let (id, email) = ann(&client);
    for verified in [json!(false), Value::Null] {
        sign_in(&world, &json!({"sub": "sub-2", "email": email, "email_verified": verified})).forbidden();
    }
    sign_in(&world, &json!({"sub": "sub-2"})).forbidden();
    sign_in(&world, &account("sub-2", "nobody@example.net")).forbidden();
    // Of two with one address nobody knows which is meant.
    let twin = person(&other, "admin");
    other.post(&format!("/users/{twin}"), &json!({"email": email})).ok();
    sign_in(&world, &account("sub-2", &email)).forbidden();
    other.post_empty(&format!("/users/{twin}/deactivate")).ok();
    let answer = sign_in(&world, &account("sub-2", &email));
    assert_eq!(Browser::of(&world.server, &answer).get("/api/v2/me").ok()["user"]["id"], json!(id));
    // A person reads why.
    let (address, cookie) = leave(&world.server);
    let path = world.issuer.sign_in(&address, &account("sub-3", "nobody@example.net"));
    let page = world.server.request("GET", &path).header("Cookie", &cookie).header("Accept", "text/html").send();
    assert_eq!(page.status, 403, "{page}");
    assert!(page.text().contains("No user here belongs to this account"), "{page}");
}

fn an_account_stays_bound_to_its_person(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email"]) else { return };
    let client = world.server.new_client();
    let (id, email) = ann(&client);
    let user = |answer: &Response| Browser::of(&world.server, answer).get("/api/v2/me").ok()["user"]["id"].clone();
    assert_eq!(user(&sign_in(&world, &account("sub-1", &email))), json!(id));
    // A user who gets the address later is another user, and the account stays bound without it.
    sign_in(&world, &account("sub-9", &email)).forbidden();
    assert_eq!(user(&sign_in(&world, &json!({"sub": "sub-1"}))), json!(id));
    client.post(&format!("/users/{id}"), &json!({"email": "moved@example.net"})).ok();
    let (other, _) = ann(&client);
    client.post(&format!("/users/{other}"), &json!({"email": email})).ok();
    assert_eq!(user(&sign_in(&world, &account("sub-1", &email))), json!(id));
    assert_eq!(user(&sign_in(&world, &account("sub-9", &email))), json!(other));
}

fn the_issuer_says_the_role(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email", "--oidc-role-claim", "roles"]) else { return };
    let client = world.server.new_client();
    let (id, email) = ann(&client);
    let with = |roles: Value| {
        let answer = sign_in(&world, &json!({"sub": "s", "email": email, "email_verified": true, "roles": roles}));
        Browser::of(&world.server, &answer)
    };
    let browser = with(json!(["staff", "admin"]));
    assert_eq!(browser.get("/api/v2/me").ok()["role"], json!("admin"));
    assert_eq!(client.get(&format!("/users/{id}")).ok()["role"], json!("admin"));
    // Who is nothing there may read here; at once, in the session that was there before too.
    with(json!(["staff"]));
    assert_eq!(browser.get("/api/v2/me").ok()["role"], json!("viewer"));
    let changed = audit(&client, &id).into_iter().filter(|row| row["changes"].get("role").is_some()).count();
    assert!(changed >= 2);
}

fn the_issuer_changes_its_keys(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email"]) else { return };
    let (_, email) = ann(&world.server.new_client());
    assert_eq!(sign_in(&world, &account("s", &email)).status, 303);
    world.issuer.rotate();
    // It is asked for its keys again, though not more often than every few seconds.
    let begun = Instant::now();
    loop {
        let answer = sign_in(&world, &account("s", &email));
        if answer.status == 303 {
            break;
        }
        answer.problem(401, "invalid_token");
        assert!(begun.elapsed() < Duration::from_secs(15), "the new key is not taken: {answer}");
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn an_issuer_that_is_away_is_a_503(backend: Backend) {
    // Nobody listens there.
    let server = serve(backend, "http://127.0.0.1:9", "a-client-secret-of-nobody", &[]);
    for _ in 0..3 {
        let answer = server.get("/auth/oidc/start");
        answer.problem(503, "0005");
        assert!(answer.header("Retry-After").is_some(), "{answer}");
    }
    server.admin().absolute("GET", "/api/v2/me").send().ok();
}

fn without_an_issuer_there_is_no_such_path(backend: Backend) {
    let server = Server::start(backend);
    server.get("/auth/oidc/start").not_found();
    server.get("/auth/oidc/callback?code=x&state=y").not_found();
    assert!(!server.get("/").text().contains("/auth/oidc/start"));
    assert!(text(&server.admin().absolute("GET", "/api/v2/me").send().ok()["role"]) == "admin");
}

fn an_address_is_its_own_and_no_other_that_looks_alike(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email"]) else { return };
    let client = world.server.new_client();
    let user = |email: &str| {
        let id = person(&client, "operator");
        client.post(&format!("/users/{id}"), &json!({"email": email})).ok();
        id
    };
    let host = unique("host");
    for (number, (stored, alike)) in [
        ("ceo@fussball.HOST.example", "ceo@fu\u{df}ball.HOST.example"),
        ("ceo@fu\u{df}ball2.HOST.example", "ceo@fussball2.HOST.example"),
        ("kim@HOST.example", "\u{212a}im@HOST.example"),
        ("sam@HOST.example", "\u{17f}am@HOST.example"),
        ("stra\u{df}e@HOST.example", "strasse@HOST.example"),
        ("ann@ban\u{212a}.HOST.example", "ann@bank.HOST.example"),
        ("\u{e4}nn@HOST.example", "\u{c4}nn@HOST.example"),
    ]
    .into_iter()
    .enumerate()
    {
        let [stored, alike] = [stored, alike].map(|text| text.replace("HOST", &host));
        user(&stored);
        let answer = sign_in(&world, &account(&format!("alike-{number}"), &alike));
        assert_eq!(answer.status, 403, "{alike} is not {stored}: {answer}");
    }
    // A domain is one in each of its spellings.
    for (number, (stored, same)) in [
        ("Bob@HOST.Example", "bOB@HOST.eXAMPLE"),
        ("bob@fu\u{df}ball3.HOST.example", "bob@xn--fuball3-1va.HOST.example"),
        ("bob@xn--rzte-koa.HOST.example", "bob@\u{c4}rzte.HOST.example"),
    ]
    .into_iter()
    .enumerate()
    {
        let [stored, same] = [stored, same].map(|text| text.replace("HOST", &host));
        let id = user(&stored);
        let answer = sign_in(&world, &account(&format!("same-{number}"), &same));
        assert_eq!(answer.status, 303, "{same} is {stored}: {answer}");
        assert_eq!(Browser::of(&world.server, &answer).get("/api/v2/me").ok()["user"]["id"], json!(id));
    }
}

fn a_token_for_another_client_signs_nobody_in(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email"]) else { return };
    let (_, email) = ann(&world.server.new_client());
    let with =
        |party: &str| sign_in(&world, &json!({"sub": "azp", "email": email, "email_verified": true, "azp": party}));
    with("another").problem(401, "invalid_token");
    with("Muster").problem(401, "invalid_token");
    assert_eq!(with("muster").status, 303);
}

fn a_binding_is_removed_by_an_admin_and_by_its_person(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email"]) else { return };
    let client = world.server.new_client();
    let (id, email) = ann(&client);
    let browser = |answer: &Response| Browser::of(&world.server, answer);
    let first = browser(&sign_in(&world, &account("first", &email)));
    let path = format!("/users/{id}/identities");
    let listed = client.get(&path).list();
    assert_eq!(
        (listed.len(), &listed[0]["issuer"], &listed[0]["subject"]),
        (1, &json!(world.issuer.base), &json!("first"))
    );
    assert_eq!(first.get("/api/v2/me/identities").ok(), json!(listed));
    // For admins alone, and not for those of another tenant.
    world.server.caller(client.tenant_id(), "integrator").delete(&path).forbidden();
    world.server.new_client().delete(&path).not_found();
    sign_in(&world, &account("second", &email)).forbidden();
    client.delete(&path).ok();
    assert!(client.get(&path).list().is_empty());
    first.get("/api/v2/me").unauthenticated();
    let rows = audit(&client, &id);
    let removed = |row: &&Value| row["entity"] == json!("UserIdentity") && row["action"] == json!("DELETE");
    assert_eq!(rows.iter().filter(removed).count(), 1, "{rows:?}");
    // Another account of that address is bound now, and the person parts with it.
    let second = browser(&sign_in(&world, &account("second", &email)));
    sign_in(&world, &account("first", &email)).forbidden();
    let link = client.post_empty(&format!("/users/{id}/signInLink")).ok();
    let code = text(&link["url"]).split("code=").nth(1).unwrap().to_owned();
    let form = world.server.request("POST", "/auth/session");
    let by_link = browser(&form.body("application/x-www-form-urlencoded", format!("code={code}")).send());
    let parts = by_link.bare("DELETE", "/api/v2/me/identities").header("Origin", SERVICE).send();
    assert_eq!(parts.status, 200, "{parts}");
    second.get("/api/v2/me").unauthenticated();
    // What did not begin at the issuer goes on.
    assert!(by_link.get("/api/v2/me/identities").list().is_empty());
}

/// However many come from one address, with whatever they make up: others sign in.
fn strangers_at_one_address_leave_calls_to_others(backend: Backend) {
    let Some(world) = world(backend, &["--oidc-link-by-email", "--behind-proxy"]) else { return };
    let client = world.server.new_client();
    let people: Vec<(String, String)> = (0..4).map(|_| ann(&client)).collect();
    let server = &world.server;
    let start = |from: &str| server.request("GET", "/auth/oidc/start").header("X-Forwarded-For", from).send();
    let back = |path: &str, cookie: &str, from: &str| {
        server.request("GET", path).header("Cookie", cookie).header("X-Forwarded-For", from).send()
    };
    let cookie = |answer: &Response| answer.header("Set-Cookie").unwrap().split(';').next().unwrap().to_owned();
    let state = |answer: &Response| {
        let address = answer.header("Location").unwrap();
        address.split("state=").nth(1).unwrap().split('&').next().unwrap().to_owned()
    };
    assert_eq!(start("192.0.2.1").status, 303);
    // From here on a code takes the issuer a second.
    world.issuer.slow_down(1_000);
    let stop = AtomicBool::new(false);
    let calls = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..24 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let left = start("198.51.100.7");
                    assert_eq!(left.status, 303, "to leave calls nobody: {left}");
                    let path = format!("/auth/oidc/callback?code=made-up&state={}", state(&left));
                    back(&path, &cookie(&left), "198.51.100.7");
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let deadline = Instant::now() + Duration::from_secs(30);
        while calls.load(Ordering::Relaxed) < 24 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        for (number, (id, email)) in people.iter().enumerate() {
            let from = format!("203.0.113.{number}");
            let left = start(&from);
            assert_eq!(left.status, 303, "{left}");
            let path =
                world.issuer.sign_in(left.header("Location").unwrap(), &account(&format!("honest-{number}"), email));
            let answer = back(&path, &cookie(&left), &from);
            let is_in = answer.status == 303;
            if !is_in {
                stop.store(true, Ordering::Relaxed);
            }
            assert!(is_in, "{id}: {answer}");
        }
        stop.store(true, Ordering::Relaxed);
    });
}
