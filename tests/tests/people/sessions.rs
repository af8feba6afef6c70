//! Sign-in links and sessions: from a link to a cookie, what it may do, and when it ends.

use muster_tests::{
    Browser, Client, Exit, Server, both_backends,
    browser::{code_of, redeem},
    muster, unique,
};
use serde_json::{Value, json};

use super::{audit, person, text};

both_backends![
    a_link_signs_in_once,
    of_two_who_press_at_once_one_is_signed_in,
    a_page_shows_a_button_and_changes_nothing,
    a_session_is_a_caller_like_a_key,
    a_session_has_a_cookie_that_scripts_do_not_read,
    who_signs_in_gets_a_new_session,
    sessions_are_listed_and_ended,
    a_user_has_so_many_sessions_and_links,
    signing_out_ends_the_session,
    a_session_ends_with_its_user,
    a_session_ends_with_its_tenant,
    a_link_is_made_by_hand,
    the_first_page_says_what_this_is,
    signing_in_and_out_is_in_the_audit_log,
];

#[track_caller]
fn link(admin: &Client, user: &str) -> String {
    text(&admin.post_empty(&format!("/users/{user}/signInLink")).ok()["url"])
}

#[track_caller]
fn sign_in<'s>(server: &'s Server, admin: &Client, user: &str) -> Browser<'s> {
    Browser::sign_in(server, &link(admin, user))
}

/// The path of an operation at a client's tenant.
fn at(client: &Client, path: &str) -> String {
    format!("/api/v2/tenants/{}{path}", client.tenant_id())
}

fn a_link_signs_in_once(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "operator");
    let answer = client.post_empty(&format!("/users/{id}/signInLink"));
    assert_eq!(answer.header("Cache-Control"), Some("no-store"), "{answer}");
    let made = answer.ok();
    let url = text(&made["url"]);
    assert!(url.starts_with(&format!("{}/auth/sign-in?code=", server.base())), "{url}");
    assert!(text(&made["expires"]).ends_with("+0000"));
    let browser = Browser::sign_in(server, &url);
    let me = browser.get("/api/v2/me").ok();
    assert_eq!((&me["user"]["id"], &me["role"]), (&json!(id), &json!("operator")));
    assert!(text(&me["expires"]).ends_with("+0000"), "{me}");
    redeem(server, &code_of(&url)).send().problem(401, "invalid_token");
    for wrong in ["", "x", &"a".repeat(43), &"a".repeat(9_000), "%00", "a%20b"] {
        let answer = redeem(server, wrong).send();
        assert!([401, 413].contains(&answer.status), "{answer}");
        assert!(answer.header("Set-Cookie").is_none(), "{answer}");
    }
    let form = |body: &str| server.request("POST", "/auth/session").body("application/x-www-form-urlencoded", body);
    form("").send().invalid(&["code"]);
    server.request("POST", "/auth/session").json(&json!({"code": "x"})).send().problem(415, "0002");
}

fn of_two_who_press_at_once_one_is_signed_in(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "viewer");
    for _ in 0..5 {
        let code = code_of(&link(&client, &id));
        let press = || redeem(server, &code).send().status;
        let mut answers: Vec<u16> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|_| scope.spawn(press)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        answers.sort_unstable();
        assert_eq!(answers[0], 303, "{answers:?}");
        assert!(answers[1..].iter().all(|status| [401, 429].contains(status)), "{answers:?}");
    }
    let sessions = client.get(&format!("/users/{id}/sessions")).list();
    assert_eq!(sessions.len(), 5);
}

fn a_page_shows_a_button_and_changes_nothing(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "viewer");
    let url = link(&client, &id);
    let path = url.strip_prefix(server.base()).unwrap().to_owned();
    // A program that fetches links signs nobody in.
    for method in ["GET", "HEAD", "GET"] {
        let page = server.request(method, &path).send();
        assert_eq!(page.status, 200, "{page}");
        assert!(page.header("Set-Cookie").is_none(), "{page}");
    }
    let page = server.get(&path);
    assert!(page.header("Content-Type").unwrap().starts_with("text/html"), "{page}");
    let policy = page.header("Content-Security-Policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"), "{policy}");
    assert_eq!((page.header("Cache-Control"), page.header("Referrer-Policy")), (Some("no-store"), Some("same-origin")));
    let html = page.text();
    assert!(!html.contains("<script") && html.contains(r#"action="/auth/session""#), "{html}");
    assert!(html.contains(&code_of(&url)), "{html}");
    for wrong in ["", "?code=", "?code=%3Cscript%3E", "?code=x%22y", "?cod=aaaaaaaaaaaaaaaaaaaaaaaaa"] {
        let page = server.get(&format!("/auth/sign-in{wrong}"));
        assert_eq!(page.status, 400, "{page}");
        assert!(!page.text().contains("<script"), "{page}");
    }
    Browser::sign_in(server, &url);
    // A person reads a page of what went wrong.
    let late = redeem(server, &code_of(&url)).header("Accept", "text/html,*/*").send();
    assert_eq!(late.status, 401, "{late}");
    assert!(late.text().contains("was used before") && late.header("Content-Type").unwrap().starts_with("text/html"));
}

fn a_session_is_a_caller_like_a_key(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let id = person(&client, "operator");
    let browser = sign_in(server, &client, &id);
    let site = browser.post(&at(&client, "/sites"), &json!({"name": unique("site")})).ok();
    let rows = audit(&client, &site["id"].to_string());
    assert_eq!(rows[0]["userId"], json!(id));
    assert!(text(&rows[0]["keyId"]).starts_with("SES-"), "{rows:?}");
    browser.get(&at(&client, "/sites/minimal")).list();
    browser.get(&at(&client, "/apiKeys")).forbidden();
    browser.get(&at(&other, "/sites/minimal")).not_found();
    browser.get("/api/v2/tenants/msp_1/sites/minimal").not_found();
    // What a role allows follows the user at once.
    client.post(&format!("/users/{id}"), &json!({"role": "viewer"})).ok();
    browser.post(&at(&client, "/sites"), &json!({"name": unique("site")})).forbidden();
    client.post(&format!("/users/{id}"), &json!({"role": "admin"})).ok();
    browser.get(&at(&client, "/apiKeys")).list();
    // Other credentials go first, and a session is neither a token nor a key.
    browser.request("GET", "/api/v2/me").header("Authorization", "Bearer nonsense").send().unauthenticated();
    server.anonymous().with_token(browser.token()).absolute("GET", "/api/v2/me").send().unauthenticated();
    for key in ["session", "muster_session", ""] {
        server.request("GET", "/api/v2/me").basic(key, browser.token()).send().unauthenticated();
    }
}

fn a_session_has_a_cookie_that_scripts_do_not_read(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "viewer");
    let answer = redeem(server, &code_of(&link(&client, &id))).send();
    assert_eq!((answer.status, answer.header("Location")), (303, Some("/console/")), "{answer}");
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    let set = answer.header("Set-Cookie").unwrap();
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Lax", "; Max-Age=604800"] {
        assert!(set.contains(part), "{set}");
    }
    // This is a loopback address without TLS; behind a proxy, or with TLS, it is sent encrypted only.
    assert!(set.starts_with("muster_session=") && !set.contains("Secure") && !set.contains("Domain"), "{set}");
    let secure = Server::start_with(server.backend, &["--behind-proxy"]);
    let admin = secure.admin();
    let id = person(&admin, "viewer");
    let made = admin.request("POST", &format!("/users/{id}/signInLink")).header("X-Forwarded-Host", "m.example").send();
    let url = text(&made.ok()["url"]);
    assert!(url.starts_with("https://m.example/auth/sign-in?code="), "{url}");
    let press = |origin: &str| {
        let form =
            secure.request("POST", "/auth/session").header("Origin", origin).header("X-Forwarded-Host", "m.example");
        form.body("application/x-www-form-urlencoded", format!("code={}", code_of(&url))).send()
    };
    press("http://m.example").forbidden();
    let answer = press("https://m.example");
    let set = answer.header("Set-Cookie").unwrap_or_else(|| panic!("{answer}"));
    assert!(set.starts_with("__Host-muster_session=") && set.ends_with("; Secure"), "{set}");
    let browser = Browser::of(&secure, &answer);
    browser.bare("GET", "/api/v2/me").send().ok();
    // One that a page of a neighbouring host could have set is none.
    let plain = format!("muster_session={}", browser.token());
    secure.request("GET", "/api/v2/me").header("Cookie", &plain).send().unauthenticated();
}

fn who_signs_in_gets_a_new_session(server: &Server) {
    let client = server.new_client();
    let ann = person(&client, "viewer");
    let bob = person(&client, "viewer");
    // What somebody has put there before is not what signs in.
    let planted = "a".repeat(43);
    let press = |user: &str, cookie: &str| {
        let answer = redeem(server, &code_of(&link(&client, user))).header("Cookie", cookie).send();
        Browser::of(server, &answer)
    };
    let first = press(&ann, &format!("muster_session={planted}"));
    assert_ne!(first.token(), planted);
    server.request("GET", "/api/v2/me").header("Cookie", &format!("muster_session={planted}")).send().unauthenticated();
    // A second sign-in on the same browser is another session, and ends the first.
    let second = press(&bob, &first.cookie);
    assert_ne!(second.token(), first.token());
    first.get("/api/v2/me").unauthenticated();
    assert_eq!(second.get("/api/v2/me").ok()["user"]["id"], json!(bob));
    // Two cookies of one name: nobody knows which is meant.
    let both = format!("{}; muster_session={planted}", second.cookie);
    server.request("GET", "/api/v2/me").header("Cookie", &both).send().unauthenticated();
}

fn sessions_are_listed_and_ended(server: &Server) {
    let client = server.new_client();
    let ann = person(&client, "viewer");
    let bob = person(&client, "operator");
    let one = sign_in(server, &client, &ann);
    let two = sign_in(server, &client, &ann);
    let of_bob = sign_in(server, &client, &bob);
    let mine = one.get("/api/v2/me/sessions").list();
    assert_eq!(mine.len(), 2);
    let current: Vec<bool> = mine.iter().map(|session| session["current"] == json!(true)).collect();
    assert_eq!(current, [false, true], "newest first: {mine:?}");
    for name in ["id", "userId", "createdDate", "lastUsedAt", "expiresAt", "method"] {
        assert!(mine[0][name].is_string(), "{name}: {mine:?}");
    }
    let id_of = |session: &Value| text(&session["id"]);
    let of_two = id_of(&mine[0]);
    // One's own alone.
    of_bob.delete(&format!("/api/v2/me/sessions/{of_two}")).not_found();
    two.get("/api/v2/me").ok();
    one.delete(&format!("/api/v2/me/sessions/{of_two}")).ok();
    two.get("/api/v2/me").unauthenticated();
    one.delete(&format!("/api/v2/me/sessions/{of_two}")).not_found();
    one.delete("/api/v2/me/sessions/nonsense").not_found();
    // An admin sees and ends anybody's; nobody else does.
    let path = format!("/users/{ann}/sessions");
    let seen = client.get(&path).list();
    assert_eq!(seen.len(), 1);
    assert!(seen[0].get("current").is_none(), "{seen:?}");
    of_bob.get(&at(&client, &path)).forbidden();
    of_bob.delete(&at(&client, &path)).forbidden();
    let of_one = id_of(&seen[0]);
    client.delete(&format!("/users/{bob}/sessions/{of_one}")).not_found();
    client.delete(&format!("{path}/{of_one}")).ok();
    one.get("/api/v2/me").unauthenticated();
    let three = sign_in(server, &client, &ann);
    let four = sign_in(server, &client, &ann);
    let unused = link(&client, &ann);
    client.delete(&path).ok();
    three.get("/api/v2/me").unauthenticated();
    four.get("/api/v2/me").unauthenticated();
    redeem(server, &code_of(&unused)).send().problem(401, "invalid_token");
    of_bob.get("/api/v2/me").ok();
    // A client's admin does neither with its partner's people.
    let of_partner = person(&server.admin(), "viewer");
    let at_client = server.caller(client.tenant_id(), "admin");
    at_client.get(&format!("/users/{of_partner}/sessions")).not_found();
    at_client.delete(&format!("/users/{of_partner}/sessions")).not_found();
    at_client.post_empty(&format!("/users/{of_partner}/signInLink")).not_found();
}

fn a_user_has_so_many_sessions_and_links(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "viewer");
    let links: Vec<String> = (0..6).map(|_| link(&client, &id)).collect();
    redeem(server, &code_of(&links[0])).send().problem(401, "invalid_token");
    let first = Browser::sign_in(server, &links[1]);
    for _ in 0..20 {
        sign_in(server, &client, &id);
    }
    first.get("/api/v2/me").unauthenticated();
    assert_eq!(client.get(&format!("/users/{id}/sessions")).list().len(), 20);
}

fn signing_out_ends_the_session(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "viewer");
    let browser = sign_in(server, &client, &id);
    let answer = browser.delete("/auth/session");
    answer.ok();
    let gone = answer.header("Set-Cookie").unwrap();
    assert!(gone.starts_with("muster_session=; Max-Age=0;"), "{gone}");
    browser.get("/api/v2/me").unauthenticated();
    browser.delete("/auth/session").unauthenticated();
    // Nothing but a session is ended.
    server.admin().absolute("DELETE", "/auth/session").send().problem(409, "0004");
    server.admin().absolute("GET", "/api/v2/me").send().ok();
    // From the page.
    let browser = sign_in(server, &client, &id);
    for _ in 0..2 {
        let answer = browser.request("POST", "/auth/sign-out").send();
        assert_eq!((answer.status, answer.header("Location")), (303, Some("/")), "{answer}");
        browser.get("/api/v2/me").unauthenticated();
    }
}

/// What the audit log says to have ended of sessions and links: by use, or by what was done to their user or tenant.
fn ended(client: &Client) -> Vec<String> {
    let page = client.search("/auditLog/search", "action:DELETE").page();
    let rows = page["results"].as_array().into_iter().flatten();
    let mut kinds: Vec<String> = rows.map(|row| text(&row["entity"])).collect();
    kinds.sort();
    kinds
}

fn a_session_ends_with_its_user(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "admin");
    let browser = sign_in(server, &client, &id);
    let unused = link(&client, &id);
    browser.get("/api/v2/me").ok();
    client.post_empty(&format!("/users/{id}/deactivate")).ok();
    assert_eq!(ended(&client), ["Session", "SignInLink", "SignInLink"]);
    browser.get("/api/v2/me").unauthenticated();
    redeem(server, &code_of(&unused)).send().problem(401, "invalid_token");
    client.post_empty(&format!("/users/{id}/signInLink")).problem(409, "0004");
    client.post_empty(&format!("/users/{id}/activate")).ok();
    browser.get("/api/v2/me").unauthenticated();
    redeem(server, &code_of(&unused)).send().problem(401, "invalid_token");
    sign_in(server, &client, &id).get("/api/v2/me").ok();
    // Nobody signs in as a program.
    let key = super::key(&client, &json!({"role": "viewer"}));
    client.post_empty(&format!("/users/{}/signInLink", text(&key["userId"]))).problem(409, "0004");
}

fn a_session_ends_with_its_tenant(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "admin");
    let browser = sign_in(server, &client, &id);
    let unused = link(&client, &id);
    let of_partner = person(&server.admin(), "viewer");
    let of_partner = sign_in(server, &server.admin(), &of_partner);
    let tenant = format!("/clients/{}", client.tenant_id());
    server.admin().post_empty(&format!("{tenant}/suspend")).ok();
    assert_eq!(ended(&client), ["Session", "SignInLink", "SignInLink"]);
    browser.get("/api/v2/me").unauthenticated();
    redeem(server, &code_of(&unused)).send().problem(401, "invalid_token");
    // One that is made meanwhile signs nobody in either.
    let late = link(&client, &id);
    redeem(server, &code_of(&late)).send().forbidden();
    of_partner.get(&at(&client, "/sites/minimal")).list();
    server.admin().post_empty(&format!("{tenant}/resume")).ok();
    browser.get("/api/v2/me").unauthenticated();
    redeem(server, &code_of(&unused)).send().problem(401, "invalid_token");
}

/// A command with the service's database and data directory.
pub fn command(server: &Server, arguments: &[&str]) -> Exit {
    let mut command = muster();
    command.args(arguments).arg("--data-dir").arg(server.data_dir());
    if let Some(url) = server.database_url() {
        command.args(["--database-url", url]);
    }
    Exit::of(&mut command)
}

fn a_link_is_made_by_hand(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let login = unique("grace");
    let made = command(server, &["user", "create", &login, "--tenant", client.tenant_id(), "--role", "admin"]);
    assert!(made.status.success(), "{}", made.stderr);
    let printed = command(server, &["user", "sign-in", &login, "--public-url", server.base()]);
    assert!(printed.status.success(), "{}", printed.stderr);
    let me = Browser::sign_in(server, printed.stdout.trim()).get("/api/v2/me").ok();
    assert_eq!((&me["user"]["id"], &me["role"]), (&json!(made.stdout.trim()), &json!("admin")));
    let rows = audit(&client, made.stdout.trim());
    assert_eq!(rows[0]["keyId"], json!("muster user create"), "{rows:?}");
    // Of two of one name the command says which.
    command(server, &["user", "create", &login, "--tenant", other.tenant_id()]);
    let refused = command(server, &["user", "sign-in", &login]);
    assert!(!refused.status.success() && refused.stderr.contains("--tenant"), "{}", refused.stderr);
    let printed = command(server, &["user", "sign-in", &login, "--tenant", other.tenant_id()]);
    // The link leads to where the service listens.
    let url = printed.stdout.trim();
    assert!(url.starts_with(&format!("{}/auth/sign-in?code=", server.base())), "{url}");
    assert_eq!(Browser::sign_in(server, url).get("/api/v2/me").ok()["tenant"], json!(other.tenant_id()));
    let refused = command(server, &["user", "sign-in", &unique("nobody")]);
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{}", refused.stdout);
}

fn the_first_page_says_what_this_is(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "operator");
    let page = server.get("/");
    assert_eq!(page.status, 200, "{page}");
    assert!(page.text().contains("/docs/") && page.text().contains("not signed in"), "{page}");
    assert!(!page.text().contains("<script"), "{page}");
    let browser = sign_in(server, &client, &id);
    let answer = browser.get("/");
    assert_eq!((answer.status, answer.header("Location")), (303, Some("/console/")), "{answer}");
    browser.delete("/auth/session").ok();
    assert_eq!(browser.get("/").status, 200);
}

fn signing_in_and_out_is_in_the_audit_log(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "viewer");
    let browser = sign_in(server, &client, &id);
    let session = text(&browser.get("/api/v2/me/sessions").list()[0]["id"]);
    browser.delete("/auth/session").ok();
    let rows = audit(&client, &session);
    let told: Vec<_> =
        rows.iter().map(|row| (text(&row["action"]), text(&row["userId"]), text(&row["keyId"]))).collect();
    let row = |action: &str| (action.to_owned(), id.clone(), session.clone());
    assert_eq!(told, [row("DELETE"), row("CREATE")], "{rows:?}");
    let page = client.search("/auditLog/search", "entity:SignInLink").page();
    let links: Vec<_> = page["results"].as_array().unwrap().iter().map(|row| text(&row["action"])).collect();
    assert_eq!(links, ["DELETE", "CREATE"], "{page}");
    assert!(!page.to_string().contains(browser.token()), "{page}");
}
