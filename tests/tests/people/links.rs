//! Sign-in links that people ask for by themselves, and get by mail.

use std::time::{Duration, Instant};

use muster_tests::{Backend, Browser, Client, Response, Server, both_backends, receiver::wait_for, unique};
use serde_json::{Value, json};

use super::{audit, key, person, text};
use crate::paging::smtp::{Fake, header};

both_backends![
    a_link_is_mailed_and_signs_in,
    an_unknown_address_is_answered_the_same,
    an_address_gets_one_mail_an_hour,
    of_two_gateways_one_mails_a_link,
    nobody_is_mailed_a_link_who_may_not_sign_in,
    what_is_not_an_address_is_refused,
    people_of_several_tenants_get_a_link_for_each,
    one_address_asks_for_so_many_links,
    a_mailed_link_leads_to_the_configured_address,
    without_a_mail_server_the_log_says_so,
    a_mail_that_is_not_taken_at_once_is_sent_again,
];

fn start(backend: Backend, fake: &Fake, more: &[&str]) -> Server {
    let mut arguments = vec!["--smtp-url"];
    let url = fake.url();
    arguments.extend([url.as_str(), "--smtp-from", "Muster <muster@example.net>"]);
    arguments.extend(more);
    Server::start_with(backend, &arguments)
}

fn silent() -> Fake {
    Fake::start(|_, _| None)
}

/// A new address of a user.
#[track_caller]
fn with_address(admin: &Client, email: &str) -> String {
    let id = person(admin, "operator");
    admin.post(&format!("/users/{id}"), &json!({"email": email})).ok();
    id
}

fn new_address() -> String {
    format!("{}@example.net", unique("ann"))
}

fn ask(server: &Server, email: &str) -> Response {
    server.request("POST", "/auth/signInLink").json(&json!({"email": email})).send()
}

#[track_caller]
fn accepted(answer: &Response) {
    assert_eq!((answer.status, answer.text().as_str()), (202, r#"{"validMinutes":10}"#), "{answer}");
}

/// The mails to an address, decoded.
fn mails(fake: &Fake, email: &str) -> Vec<String> {
    let to = |mail: &String| header(mail, "To").is_some_and(|to| to == email);
    fake.mails().into_iter().filter(to).map(|mail| decoded(&mail)).collect()
}

#[track_caller]
fn wait_for_mails(fake: &Fake, email: &str, count: usize) -> Vec<String> {
    let told = || format!("{:?}", fake.mails());
    wait_for(Duration::from_secs(30), || mails(fake, email).len() >= count, told);
    let found = mails(fake, email);
    assert_eq!(found.len(), count, "{found:?}");
    found
}

/// Waits until all that was asked for before is done: requests are taken in turn, and this one is behind them.
#[track_caller]
fn settle(server: &Server, fake: &Fake) {
    let email = new_address();
    with_address(&server.admin().tenant("client_1"), &email);
    accepted(&ask(server, &email));
    wait_for_mails(fake, &email, 1);
    std::thread::sleep(Duration::from_millis(300));
}

/// A text without the escapes of quoted-printable.
fn decoded(mail: &str) -> String {
    let whole = mail.replace("=\r\n", "");
    let mut pieces = whole.split('=');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(letter) => {
                text.push(char::from(letter));
                text.push_str(&piece[2..]);
            }
            None => {
                text.push('=');
                text.push_str(piece);
            }
        }
    }
    text
}

/// The links in the plain text of a mail.
fn links(mail: &str) -> Vec<String> {
    mail.lines().filter(|line| line.starts_with("http")).map(|line| line.trim().to_owned()).collect()
}

fn a_link_is_mailed_and_signs_in(backend: Backend) {
    let fake = silent();
    let server = start(backend, &fake, &[]);
    let client = server.new_client();
    let email = new_address();
    let id = with_address(&client, &email);
    let request = server.request("POST", "/auth/signInLink").header("X-Request-Id", "asked-for-a-link");
    let answer = request.json(&json!({"email": format!(" {} ", email.to_uppercase())})).send();
    accepted(&answer);
    assert_eq!(answer.header("Cache-Control"), Some("no-store"), "{answer}");
    let mail = wait_for_mails(&fake, &email, 1).remove(0);
    assert_eq!(header(&mail, "Subject").as_deref(), Some("Sign in to Muster"), "{mail}");
    assert!(mail.contains("within 10 minutes") && mail.contains(client.tenant_id()), "{mail}");
    let links = links(&mail);
    assert_eq!(links.len(), 1, "{mail}");
    assert!(links[0].starts_with(&format!("{}/auth/sign-in?code=", server.base())), "{links:?}");
    let browser = Browser::sign_in(&server, &links[0]);
    assert_eq!(browser.get("/api/v2/me").ok()["user"]["id"], json!(id));
    let page = client.search("/auditLog/search", "entity:SignInLink").page();
    let rows = page["results"].as_array().unwrap();
    let made = rows.iter().find(|row| row["action"] == "CREATE").unwrap();
    assert_eq!((&made["keyId"], &made["requestId"]), (&json!("service:sign-in-links"), &json!("asked-for-a-link")));
    assert!(!page.to_string().contains(links[0].split_once("code=").unwrap().1), "{page}");
    // The page that is there without a script has the same.
    let page = server.get("/").text();
    assert!(page.contains(r#"action="/auth/signInLink""#) && page.contains("Send me a sign-in link"), "{page}");
    let other = new_address();
    with_address(&client, &other);
    let press = |email: &str| {
        let form = server.request("POST", "/auth/signInLink").header("Origin", server.base());
        let form = form.header("Accept", "text/html,*/*");
        form.body("application/x-www-form-urlencoded", format!("email={}", email.replace('@', "%40"))).send()
    };
    let known = press(&other);
    assert_eq!(known.status, 202, "{known}");
    assert!(known.text().contains("a link is on its way. It is valid for 10 minutes."), "{known}");
    assert_eq!(press("nobody@example.net").text(), known.text());
    wait_for_mails(&fake, &other, 1);
    let wrong = press("nobody");
    assert!(wrong.status == 400 && wrong.header("Content-Type").unwrap().starts_with("text/html"), "{wrong}");
}

fn an_unknown_address_is_answered_the_same(backend: Backend) {
    let fake = silent();
    let server = start(backend, &fake, &["--behind-proxy"]);
    let client = server.new_client();
    let known: Vec<String> = (0..15).map(|_| new_address()).collect();
    known.iter().for_each(|email| drop(with_address(&client, email)));
    let timed = |email: &str, from: usize| {
        let request = server.request("POST", "/auth/signInLink").header("X-Forwarded-For", &format!("192.0.2.{from}"));
        let request = request.json(&json!({"email": email}));
        let begun = Instant::now();
        let answer = request.send();
        (begun.elapsed(), answer)
    };
    let headers = |answer: &Response| {
        let names = ["Content-Type", "Content-Length", "Cache-Control", "Set-Cookie", "Retry-After", "Vary"];
        names.map(|name| answer.header(name).map(ToOwned::to_owned))
    };
    let mut times = [Vec::new(), Vec::new()];
    for (number, email) in known.iter().enumerate() {
        let (of_known, first) = timed(email, number);
        let (of_unknown, second) = timed(&new_address(), number);
        accepted(&first);
        accepted(&second);
        assert_eq!(headers(&first), headers(&second));
        times[0].push(of_known);
        times[1].push(of_unknown);
    }
    let [known_median, unknown_median] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    let slack = Duration::from_millis(20);
    assert!(known_median < unknown_median * 4 + slack, "known {known_median:?}, unknown {unknown_median:?}");
    assert!(unknown_median < known_median * 4 + slack, "known {known_median:?}, unknown {unknown_median:?}");
    for email in &known {
        wait_for_mails(&fake, email, 1);
    }
    assert_eq!(fake.mails().len(), known.len());
}

fn an_address_gets_one_mail_an_hour(backend: Backend) {
    let fake = silent();
    let mut server = start(backend, &fake, &[]);
    let email = new_address();
    with_address(&server.admin().tenant("client_1"), &email);
    accepted(&ask(&server, &email));
    wait_for_mails(&fake, &email, 1);
    accepted(&ask(&server, &email));
    accepted(&ask(&server, &email.to_uppercase()));
    settle(&server, &fake);
    // Another user who gets the address meanwhile waits as well.
    with_address(&server.new_client(), &email);
    server.restart();
    accepted(&ask(&server, &email));
    settle(&server, &fake);
    wait_for_mails(&fake, &email, 1);
    let pass = |server: &mut Server, minutes: i64| {
        server.stop();
        server.sql(&format!("UPDATE sign_in_mails SET until_ms = until_ms - {}", minutes * 60_000));
        server.restart();
    };
    pass(&mut server, 58);
    accepted(&ask(&server, &email));
    settle(&server, &fake);
    wait_for_mails(&fake, &email, 1);
    pass(&mut server, 3);
    accepted(&ask(&server, &email));
    let mails = wait_for_mails(&fake, &email, 2);
    assert_eq!(links(&mails[1]).len(), 2, "{mails:?}");
}

fn of_two_gateways_one_mails_a_link(backend: Backend) {
    // On SQLite there is one gateway.
    if backend == Backend::Sqlite {
        return;
    }
    let fake = silent();
    let one = start(backend, &fake, &[]);
    let url = fake.url();
    let other = Server::start_beside(&one, &["--smtp-url", &url, "--smtp-from", "muster@example.net"]);
    let emails: Vec<String> = (0..5).map(|_| new_address()).collect();
    let client = one.new_client();
    emails.iter().for_each(|email| drop(with_address(&client, email)));
    std::thread::scope(|scope| {
        for server in [&one, &other] {
            scope.spawn(|| emails.iter().for_each(|email| accepted(&ask(server, email))));
        }
    });
    emails.iter().for_each(|email| drop(wait_for_mails(&fake, email, 1)));
    for server in [&one, &other] {
        emails.iter().for_each(|email| accepted(&ask(server, email)));
        settle(server, &fake);
    }
    emails.iter().for_each(|email| drop(wait_for_mails(&fake, email, 1)));
}

fn nobody_is_mailed_a_link_who_may_not_sign_in(backend: Backend) {
    let fake = silent();
    let server = start(backend, &fake, &[]);
    let client = server.new_client();
    let [deactivated, of_program, suspended, terminated] = [(); 4].map(|()| new_address());
    let id = with_address(&client, &deactivated);
    client.post_empty(&format!("/users/{id}/deactivate")).ok();
    let program = text(&key(&client, &json!({"role": "viewer"}))["userId"]);
    client.post(&format!("/users/{program}"), &json!({"email": of_program})).ok();
    for (email, verb) in [(&suspended, "suspend"), (&terminated, "terminate")] {
        let other = server.new_client();
        with_address(&other, email);
        server.admin().post_empty(&format!("/clients/{}/{verb}", other.tenant_id())).ok();
    }
    for email in [&deactivated, &of_program, &suspended, &terminated] {
        accepted(&ask(&server, email));
    }
    settle(&server, &fake);
    assert_eq!(fake.mails().len(), 1, "{:?}", fake.mails());
    assert!(audit(&client, &id).iter().all(|row| row["entity"] != "SignInLink"));
    // Once the person is in use again, there is nothing to wait for.
    client.post_empty(&format!("/users/{id}/activate")).ok();
    accepted(&ask(&server, &deactivated));
    wait_for_mails(&fake, &deactivated, 1);
}

fn what_is_not_an_address_is_refused(backend: Backend) {
    let fake = silent();
    let server = start(backend, &fake, &[]);
    let email = new_address();
    with_address(&server.admin().tenant("client_1"), &email);
    let path = "/auth/signInLink";
    let send = |body: &Value| server.request("POST", path).json(body).send();
    for body in [json!({}), json!({"email": null}), json!({"email": ""}), json!({"email": 1}), json!({"mail": email})] {
        send(&body).invalid(&["email"]);
    }
    for wrong in [
        "ann",
        "@example.net",
        &format!("{email}\r\nBcc: eve@example.org"),
        &format!("{email}\nBcc: eve@example.org"),
        &format!("{email}\n"),
        &format!("{email}, eve@example.org"),
        &format!("{email}\0"),
        &format!("{}{email}", "a".repeat(250)),
    ] {
        send(&json!({"email": wrong})).invalid(&["email"]);
    }
    send(&json!([email])).problem(400, "0002");
    let post = |kind: &str, body: &str| server.request("POST", path).body(kind, body).send();
    post("application/json", "{").problem(400, "0002");
    post("application/json", &" ".repeat(5_000)).problem(413, "0002");
    post("text/plain", &json!({"email": email}).to_string()).problem(415, "0002");
    post("application/x-www-form-urlencoded", "email=").invalid(&["email"]);
    let foreign = server.request("POST", path).header("Origin", "https://evil.example");
    foreign.json(&json!({"email": email})).send().forbidden();
    server.get(path).problem(405, "0002");
    settle(&server, &fake);
    assert_eq!(mails(&fake, &email).len(), 0);
}

fn people_of_several_tenants_get_a_link_for_each(backend: Backend) {
    let fake = silent();
    let server = start(backend, &fake, &[]);
    let email = new_address();
    let crowd = server.new_client();
    for _ in 0..12 {
        with_address(&crowd, &email);
    }
    let tenants = [server.new_client(), server.admin()];
    let ids = tenants.each_ref().map(|tenant| with_address(tenant, &email));
    accepted(&ask(&server, &email));
    let mail = wait_for_mails(&fake, &email, 1).remove(0);
    let links = links(&mail);
    assert_eq!(links.len(), 10, "{mail}");
    let users: Vec<String> =
        links.iter().map(|link| text(&Browser::sign_in(&server, link).get("/api/v2/me").ok()["user"]["id"])).collect();
    assert!(ids.iter().all(|id| users.contains(id)), "{ids:?} {users:?}");
}

fn one_address_asks_for_so_many_links(backend: Backend) {
    let fake = silent();
    let server = start(backend, &fake, &["--behind-proxy"]);
    let ask = |from: &str| {
        let request = server.request("POST", "/auth/signInLink").header("X-Forwarded-For", from);
        request.json(&json!({"email": "nobody@example.net"})).send()
    };
    let answers: Vec<Response> = (0..30).map(|_| ask("192.0.2.1")).collect();
    let throttled: Vec<&Response> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!((5..=10).contains(&throttled.len()), "{}", throttled.len());
    assert!(throttled[0].header("Retry-After").is_some(), "{}", throttled[0]);
    answers.iter().filter(|answer| answer.status != 429).for_each(accepted);
    accepted(&ask("192.0.2.2"));
}

fn a_mailed_link_leads_to_the_configured_address(backend: Backend) {
    let fake = silent();
    for (arguments, expected) in
        [(&["--public-url", "https://m.example"][..], Some("https://m.example")), (&["--behind-proxy"][..], None)]
    {
        let server = start(backend, &fake, arguments);
        let email = new_address();
        with_address(&server.admin().tenant("client_1"), &email);
        let request = server.request("POST", "/auth/signInLink").header("X-Forwarded-Host", "evil.example");
        accepted(&request.header("Host", "evil.example").json(&json!({"email": email})).send());
        let mail = wait_for_mails(&fake, &email, 1).remove(0);
        let expected = format!("{}/auth/sign-in?code=", expected.unwrap_or(server.base()));
        assert!(links(&mail)[0].starts_with(&expected) && !mail.contains("evil"), "{mail}");
    }
}

fn without_a_mail_server_the_log_says_so(backend: Backend) {
    let server = Server::start(backend);
    let email = new_address();
    let client = server.new_client();
    with_address(&client, &email);
    accepted(&ask(&server, &email));
    accepted(&ask(&server, &new_address()));
    wait_for(Duration::from_secs(10), || server.log().contains("set --smtp-url"), || server.log());
    assert!(!server.get("/").text().contains("signInLink"));
    let page = client.search("/auditLog/search", "entity:SignInLink").page();
    assert_eq!(page["totalResults"], json!(0), "{page}");
}

fn a_mail_that_is_not_taken_at_once_is_sent_again(backend: Backend) {
    let fake = Fake::start(|count, said| match (count, said) {
        (1, said) if said.starts_with("RCPT") => Some(b"451 come again later\r\n".to_vec()),
        (2, "mail") => Some(b"550 not that one\r\n".to_vec()),
        _ => None,
    });
    let server = start(backend, &fake, &[]);
    let email = new_address();
    with_address(&server.admin().tenant("client_1"), &email);
    accepted(&ask(&server, &email));
    let refused = || fake.said().iter().filter(|said| said.contains("DATA")).count() == 1;
    wait_for(Duration::from_secs(20), refused, || format!("{:?}", fake.said()));
    settle(&server, &fake);
    assert_eq!(mails(&fake, &email).len(), 0, "what is refused for good is not sent again");
    assert!(!server.log().contains(&email), "{}", server.log());
}
