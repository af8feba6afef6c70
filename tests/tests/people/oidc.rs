//! Signing in by OpenID Connect, at a certified provider. Where that cannot be had the tests say so and pass.

use std::time::{Duration, Instant};

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
    let (id, email) = (person(admin, "operator"), format!("{}@example.net", unique("ann")));
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
    let (client, other) = (world.server.new_client(), world.server.new_client());
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
    // Whoever gets the address later is somebody else, and the account is the same one without it.
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
