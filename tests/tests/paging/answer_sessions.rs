//! Sessions that begin by the link of a page: what they may do, and when they end.

use std::time::Duration;

use muster_tests::{
    Backend, Browser, Client, Request, Response, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{reachable, text};

both_backends![
    a_link_opens_the_console_at_its_alert,
    a_limited_session_answers_one_alert_and_reads_one_tenant,
    a_limited_session_hands_out_nothing,
    a_limited_session_follows_the_role_of_its_person,
    a_link_begins_one_session,
    a_link_that_may_not_answer_begins_no_session,
    a_limited_session_ends_after_an_hour,
];

/// A tenant whose alerts go to one person, and where that person's pages arrive.
struct Paged {
    client: Client,
    receiver: Receiver,
    person: String,
    policy: Value,
}

impl Paged {
    fn new(server: &Server) -> Self {
        let client = server.new_client();
        let receiver = Receiver::willing();
        let person = reachable(&client, &receiver.url());
        let steps = json!([{"targets": [{"user": {"id": person}}], "wait": "1h"}]);
        let policy = client.post("/escalationPolicies", &json!({"name": unique("links"), "steps": steps})).ok();
        let policy = json!({"id": policy["id"]});
        client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": policy})).ok();
        Self { client, receiver, person, policy }
    }

    /// A new alert and the token of its page, which is the one of this number.
    fn alert(&self, number: usize) -> (String, String) {
        let report = json!({"currentState": "Critical", "subject": unique("Down")});
        let alert = text(&self.client.post("/alert", &report).ok()["id"]);
        (alert, self.token(number))
    }

    fn token(&self, number: usize) -> String {
        let link = text(&self.receiver.wait(number)[number - 1].json()["link"]);
        link.split_once("token=").unwrap_or_else(|| panic!("no token: {link}")).1.to_owned()
    }

    fn path(&self, path: &str) -> String {
        format!("/api/v2/tenants/{}{path}", self.client.tenant_id())
    }

    fn status(&self, alert: &str) -> Value {
        self.client.get(&format!("/alerts/{alert}")).ok()["status"].clone()
    }
}

fn start_server(backend: Backend) -> Server {
    Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"])
}

/// The form of the button "Open in console".
fn form(server: &Server, token: &str) -> Request {
    let form = server.request("POST", "/api/v2/answers/session").header("Origin", server.base());
    form.body("application/x-www-form-urlencoded", format!("token={token}"))
}

fn open<'s>(server: &'s Server, token: &str) -> Browser<'s> {
    let answer = form(server, token).send();
    assert_eq!(answer.status, 303, "{answer}");
    Browser::of(server, &answer)
}

/// Refused, and not let in.
#[track_caller]
fn refused(answer: &Response, status: u16) {
    assert_eq!((answer.status, answer.header("Set-Cookie")), (status, None), "{answer}");
}

fn a_link_opens_the_console_at_its_alert(backend: Backend) {
    let server = start_server(backend);
    let paged = Paged::new(&server);
    let (alert, token) = paged.alert(1);
    let page = server.get(&format!("/api/v2/answers?token={token}"));
    assert!(page.text().contains(r#"action="/api/v2/answers/session""#), "{page}");
    assert!(page.text().contains("Open in console"), "{page}");
    let answer = form(&server, &token).send();
    assert_eq!((answer.status, answer.header("Location")), (303, Some(&*format!("/console/alerts/{alert}"))));
    let cookie = answer.header("Set-Cookie").unwrap();
    assert!(cookie.contains("Max-Age=3600; Path=/; HttpOnly; SameSite=Lax"), "{cookie}");
    let browser = Browser::of(&server, &answer);
    let me = browser.get("/api/v2/me").ok();
    assert_eq!((&me["user"]["id"], &me["role"]), (&json!(paged.person), &json!("viewer")), "{me}");
    assert_eq!(me["limitedTo"], json!({"tenant": paged.client.tenant_id(), "alertId": alert}));
    assert!(me["operations"].as_array().unwrap().contains(&json!("acknowledgeAlert")), "{me}");
    let sessions = browser.get("/api/v2/me/sessions").list();
    assert_eq!((&sessions[0]["method"], &sessions[0]["limitedTo"]["alertId"]), (&json!("page"), &json!(alert)));
    // The browser that has a session keeps it, and gets to the alert again.
    let again = form(&server, &token).header("Cookie", &browser.cookie).send();
    refused(&again, 303);
    // So does one in which the person is signed in: the link takes nothing from it.
    let link = paged.client.post_empty(&format!("/users/{}/signInLink", paged.person)).ok();
    let signed_in = Browser::sign_in(&server, &text(&link["url"]));
    let (other, token) = paged.alert(2);
    let kept = form(&server, &token).header("Cookie", &signed_in.cookie).send();
    refused(&kept, 303);
    assert_eq!(kept.header("Location"), Some(&*format!("/console/alerts/{other}")));
    assert_eq!(signed_in.get("/api/v2/me").ok()["role"], "operator");
    // A page of another site opens nothing, nor does the address of the link.
    refused(&form(&server, &token).header("Sec-Fetch-Site", "cross-site").send(), 403);
    let query = server.request("POST", &format!("/api/v2/answers/session?token={token}"));
    assert!([400, 415].contains(&query.send().status));
    let log = server.log();
    assert!(!log.contains(&token) && !log.contains(browser.token()), "a token in the log");
}

fn a_limited_session_answers_one_alert_and_reads_one_tenant(backend: Backend) {
    let server = start_server(backend);
    let paged = Paged::new(&server);
    let (alert, token) = paged.alert(1);
    let (other, _) = paged.alert(2);
    let foreign = server.new_client();
    let report = json!({"currentState": "Critical", "subject": "x"});
    let strange = text(&foreign.post("/alert", &report).ok()["id"]);
    let browser = open(&server, &token);
    for path in ["/alerts/search", "/resources/search", "/users/search", "/rosters/search", "/jobs/search"] {
        browser.get(&paged.path(path)).ok();
    }
    browser.get(&paged.path(&format!("/alerts/{alert}"))).ok();
    browser.get(&paged.path(&format!("/alerts/{alert}/timeline"))).ok();
    // Of another tenant it sees nothing.
    for path in ["/alerts/search".to_owned(), format!("/alerts/{strange}")] {
        browser.get(&format!("/api/v2/tenants/{}{path}", foreign.tenant_id())).problem(404, "0003");
    }
    assert_eq!(browser.get(&paged.path(&format!("/alerts/{strange}"))).status, 404);
    let act = |tenant: &Client, alert: &str, action: &str| {
        let path = format!("/api/v2/tenants/{}/alerts/{alert}/actions/{action}", tenant.tenant_id());
        browser.post(&path, &json!({}))
    };
    for action in ["acknowledge", "unacknowledge", "suppress", "unsuppress", "close"] {
        act(&paged.client, &other, action).forbidden();
        act(&paged.client, &strange, action).forbidden();
        assert_eq!(act(&foreign, &strange, action).status, 404, "{action}");
    }
    assert_eq!((paged.status(&other), paged.status(&alert)), (json!("New"), json!("New")));
    // Another site's page cannot use it.
    let path = paged.path(&format!("/alerts/{alert}/actions/acknowledge"));
    browser.bare("POST", &path).json(&json!({})).header("Origin", "https://evil.example").send().forbidden();
    act(&paged.client, &alert, "acknowledge").ok();
    let shown = paged.client.get(&format!("/alerts/{alert}")).ok();
    assert_eq!(shown["acknowledgement"]["by"]["id"], json!(paged.person), "{shown}");
    act(&paged.client, &alert, "close").ok();
    assert_eq!(paged.status(&alert), json!("Closed"));
    // The audit log names the person, and the session that was opened by the link.
    let rows = paged.client.search("/auditLog/search", &format!("entityId:{alert}+userId:{}", paged.person)).page();
    let by_session = |row: &Value| row["keyId"].as_str().is_some_and(|key| key.starts_with("SES-"));
    assert!(rows["results"].as_array().unwrap().iter().any(by_session), "{rows}");
}

fn a_limited_session_hands_out_nothing(backend: Backend) {
    let server = start_server(backend);
    let paged = Paged::new(&server);
    let (alert, token) = paged.alert(1);
    // The person may do all of this.
    paged.client.post(&format!("/users/{}", paged.person), &json!({"role": "admin"})).ok();
    let browser = open(&server, &token);
    let person = &paged.person;
    for (path, body) in [
        ("/apiKeys".to_owned(), json!({"name": "mine", "role": "viewer"})),
        ("/users".to_owned(), json!({"loginName": unique("mine"), "firstName": "A", "lastName": "B"})),
        (format!("/users/{person}"), json!({"email": "mine@example.net"})),
        (format!("/users/{person}/signInLink"), json!({})),
        (format!("/users/{person}/contactMethods"), json!({"name": "x", "type": "EMAIL", "address": "a@b.example"})),
        (format!("/rosters/users/{person}/calendars"), json!({"name": "x"})),
        ("/paging/test".to_owned(), json!({})),
        ("/alert".to_owned(), json!({"currentState": "Ok", "subject": "x"})),
        ("/incidents".to_owned(), json!({"alerts": [{"id": alert}]})),
        ("/kb/article".to_owned(), json!({"title": "x", "content": "x"})),
        ("/resources".to_owned(), json!({"hostName": "mine"})),
    ] {
        browser.post(&paged.path(&path), &body).forbidden();
    }
    for path in ["/apiKeys", "/auditLog/search"] {
        browser.get(&paged.path(path)).forbidden();
    }
    browser.get(&paged.path(&format!("/users/{person}/sessions"))).forbidden();
    browser.delete("/api/v2/me/identities").forbidden();
    let own = browser.get("/api/v2/me/sessions").list();
    browser.delete(&format!("/api/v2/me/sessions/{}", text(&own[0]["id"]))).forbidden();
    assert!(paged.client.get("/apiKeys").list().iter().all(|key| key["name"] != "mine"));
    // It may sign itself out.
    browser.delete("/auth/session").ok();
    browser.get("/api/v2/me").problem(401, "invalid_token");
    refused(&form(&server, &token).send(), 409);
}

fn a_limited_session_follows_the_role_of_its_person(backend: Backend) {
    let server = start_server(backend);
    let paged = Paged::new(&server);
    let role = |role: &str| paged.client.post(&format!("/users/{}", paged.person), &json!({"role": role})).ok();
    role("viewer");
    let (alert, token) = paged.alert(1);
    let browser = open(&server, &token);
    let act = |action: &str| browser.post(&paged.path(&format!("/alerts/{alert}/actions/{action}")), &json!({}));
    for action in ["close", "suppress", "unacknowledge"] {
        act(action).forbidden();
    }
    // To be told is the right to acknowledge.
    act("acknowledge").ok();
    role("operator");
    act("close").ok();
    // Of an incident it is closing.
    let incident = text(&paged.client.post("/incidents", &json!({"subject": "x", "priority": "Urgent"})).ok()["id"]);
    paged.client.post(&format!("/incidents/{incident}/escalate"), &json!({"policy": paged.policy})).ok();
    let token = paged.token(2);
    let answer = form(&server, &token).send();
    assert_eq!(answer.header("Location"), Some(&*format!("/console/incidents/{incident}")), "{answer}");
    let browser = Browser::of(&server, &answer);
    assert_eq!(browser.get("/api/v2/me").ok()["limitedTo"]["incidentId"], json!(incident));
    browser.post(&paged.path(&format!("/incidents/{incident}")), &json!({"subject": "mine"})).forbidden();
    browser.post(&paged.path(&format!("/incidents/{incident}/close")), &json!({})).ok();
}

fn a_link_begins_one_session(backend: Backend) {
    let server = start_server(backend);
    let paged = Paged::new(&server);
    let (_, token) = paged.alert(1);
    // Of several who press at once, one gets in.
    let press = || form(&server, &token).send().status;
    let mut answers: Vec<u16> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(press)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    answers.sort_unstable();
    assert_eq!(answers, [303, 409, 409, 409]);
    // A person who got the link forwarded does not get in, in whatever letters its token is written.
    let spelling = token.replace('-', "%2B").replace('_', "%2F");
    for token in [&token, &spelling] {
        refused(&form(&server, token).send(), 409);
        let page = form(&server, token).header("Accept", "text/html").send();
        refused(&page, 409);
        assert!(page.text().contains("has opened the console before"), "{page}");
        assert!(page.text().contains("Acknowledge"), "{page}");
    }
}

fn a_link_that_may_not_answer_begins_no_session(backend: Backend) {
    let server = start_server(backend);
    let paged = Paged::new(&server);
    let (_, token) = paged.alert(1);
    for wrong in ["", "x", &format!("{token}x"), &"a".repeat(9_000)] {
        let answer = form(&server, wrong).send();
        assert!([404, 413].contains(&answer.status), "{answer}");
        refused(&answer, answer.status);
    }
    server.request("POST", "/api/v2/answers/session").json(&json!({"token": token})).send().problem(415, "0002");
    let browser = open(&server, &token);
    browser.get("/api/v2/me").ok();
    let (_, second) = paged.alert(2);
    paged.client.post_empty(&format!("/users/{}/deactivate", paged.person)).ok();
    refused(&form(&server, &second).send(), 403);
    // The session ends with its person, and does not come back.
    browser.get("/api/v2/me").problem(401, "invalid_token");
    paged.client.post_empty(&format!("/users/{}/activate", paged.person)).ok();
    browser.get("/api/v2/me").problem(401, "invalid_token");
    let browser = open(&server, &second);
    server.admin().post_empty(&format!("/clients/{}/suspend", paged.client.tenant_id())).ok();
    browser.get("/api/v2/me").problem(401, "invalid_token");
}

fn a_limited_session_ends_after_an_hour(backend: Backend) {
    let server = start_server(backend);
    let paged = Paged::new(&server);
    let (alert, token) = paged.alert(1);
    let browser = open(&server, &token);
    let own = browser.get("/api/v2/me/sessions").list().remove(0);
    // An hour later, however much it was used.
    server.sql(&format!("UPDATE sessions SET expires_ms = expires_ms - 3600000 WHERE id = '{}'", text(&own["id"])));
    let asked = || browser.get("/api/v2/me");
    wait_for(Duration::from_secs(5), || asked().status == 401, || asked().to_string());
    let path = paged.path(&format!("/alerts/{alert}/actions/close"));
    browser.post(&path, &json!({})).problem(401, "invalid_token");
    refused(&form(&server, &token).header("Cookie", &browser.cookie).send(), 409);
    assert_eq!(paged.status(&alert), json!("New"));
}
