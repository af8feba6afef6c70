//! Secrets that were given to the service, rightly or by mistake, are found nowhere: in no answer but the one that
//! makes them, no log, no byte of the database, no metric, no backup.

mod places;

/// Secrets of another test are neither in the log of its server nor in what it stores; `open` is, which shows that it
/// was looked for where things are.
pub(crate) fn kept_nowhere(server: &Server, open: &str, secrets: &[(&str, &str)]) {
    let canaries = Canaries::default();
    secrets.iter().for_each(|(what, secret)| canaries.add(what, secret));
    canaries.absent("the log", server.log().as_bytes());
    stored_nowhere(server, &canaries, open);
    backed_up_nowhere(server, &canaries, open);
}

use std::cell::RefCell;
use std::fs;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use muster_tests::browser::{code_of, redeem};
use muster_tests::{Backend, Browser, Client, Exit, Request, Response, Server, both_backends, muster, unique, uuid};
use serde_json::{Value, json};

use self::places::{backed_up_nowhere, read_everything, stored_nowhere};

both_backends![planted_secrets_are_found_nowhere];

const FORM: &str = "application/x-www-form-urlencoded";

/// The secrets, and all that was answered.
#[derive(Default)]
struct Canaries {
    /// What it is, and what is looked for.
    planted: RefCell<Vec<(String, String)>>,
    heard: RefCell<Vec<String>>,
}

impl Canaries {
    /// A new secret, of the form that real ones have.
    fn plant(&self, what: &str) -> String {
        let secret = format!("{}{}", uuid(), uuid()).replace('-', "")[..43].to_owned();
        self.add(what, &secret);
        secret
    }

    fn add(&self, what: &str, secret: &str) {
        assert!(secret.len() >= 20, "{what} is too short to be looked for");
        self.planted.borrow_mut().push((what.to_owned(), secret.to_owned()));
    }

    /// Key and secret as they stand in the header, for a request that is wrong.
    fn basic(&self, what: &str, key: &str) -> String {
        let encoded = STANDARD.encode(format!("{key}:{}", self.plant(what)));
        self.add(&format!("{what}, encoded"), &encoded);
        format!("Basic {encoded}")
    }

    fn send(&self, request: Request) -> Response {
        let answer = request.send();
        self.heard.borrow_mut().push(answer.whole());
        answer
    }

    /// Sends a request whose answer makes a secret: this one answer may show it.
    fn made(&self, what: &str, request: Request, field: &str) -> Value {
        let answer = request.send().ok();
        self.add(what, answer[field].as_str().unwrap_or_else(|| panic!("{what}: no {field}: {answer}")));
        answer
    }

    /// None of the secrets is in there.
    fn absent(&self, place: &str, bytes: &[u8]) {
        for (what, secret) in self.planted.borrow().iter() {
            let found = contains(bytes, secret);
            assert!(!found, "{what} is in {place}: {}", excerpt(bytes, secret));
        }
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn excerpt(bytes: &[u8], text: &str) -> String {
    let at = bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap_or_default();
    let piece = &bytes[at.saturating_sub(200)..bytes.len().min(at + 200)];
    String::from_utf8_lossy(piece).into_owned()
}

fn planted_secrets_are_found_nowhere(backend: Backend) {
    let mut server = Server::start_with(backend, &["--log", "debug"]);
    let canaries = Canaries::default();
    let client = server.admin().tenant("client_1");
    // A public text is found: else the search would prove nothing.
    let open = format!("openly-{}", uuid());
    let seen = format!("seen-{}", uuid());
    let told = client.request("POST", "/resources").header("X-Request-Id", &seen);
    told.json(&json!({"name": "open", "description": open})).send().ok();

    of_callers(&server, &canaries);
    of_commands(&server, &canaries);
    of_calendars(&server, &client, &canaries);
    of_inbound_addresses(&server, &client, &canaries);
    of_sessions(&server, &client, &canaries);
    of_synthetics(&client, &canaries);
    of_integrations(&server, &client, &canaries);
    in_wrong_requests(&server, &client, &canaries);
    assert!(canaries.planted.borrow().len() >= 20);

    let read = read_everything(&server);
    assert!(read.iter().any(|answer| answer.contains("open")));
    for answer in canaries.heard.borrow().iter().chain(&read) {
        canaries.absent("an answer", answer.as_bytes());
    }
    assert!(server.log().contains(&seen), "the log has no line of a request");
    stored_nowhere(&server, &canaries, &open);
    backed_up_nowhere(&server, &canaries, &open);
    server.stop();
    stored_nowhere(&server, &canaries, &open);
    canaries.absent("the log", server.log().as_bytes());
}

/// Keys, their secrets and tokens.
fn of_callers(server: &Server, canaries: &Canaries) {
    let (key, secret) = server.credentials();
    canaries.add("the first secret", secret);
    canaries.add("the first token", server.admin().bearer());
    if let Some(password) =
        server.database_url().and_then(|url| url.split("://").nth(1)?.split('@').next()?.split(':').nth(1))
    {
        canaries.add("the password of the database", password);
    }
    let admin = server.admin().tenant("client_1");
    let create = |name: &str| admin.request("POST", "/apiKeys").json(&json!({"name": name, "role": "admin"}));
    let made = canaries.made("a secret", create("one"), "secret");
    let retry = || create("two").header("Idempotency-Key", "a-key-for-a-key");
    canaries.made("a secret that was asked for with a key", retry(), "secret");
    // Asked again, it is the answer to the same request, but the secret was shown once.
    let again = canaries.send(retry());
    assert!([200, 409].contains(&again.status), "{again}");

    let one = format!("/apiKeys/{}", made["id"].as_str().unwrap_or_default());
    let rotate = |body: Value| admin.request("POST", &format!("{one}/rotate")).json(&body);
    let second = canaries.made("a second secret", rotate(json!({})), "secret");
    let rotated = canaries.made("a third secret", rotate(json!({})).header("Idempotency-Key", "rotation"), "secret");
    canaries.send(rotate(json!({})).header("Idempotency-Key", "rotation"));

    let token = |key: &str, secret: &str| {
        let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
        server.request("POST", "/auth/oauth/token").body(FORM, form)
    };
    canaries.made("a token", token(key, secret), "access_token");
    // A retry that rotated again would have dropped the secret before.
    let of = |name: &str| second[name].as_str().unwrap_or_default();
    canaries.made("a token of the second secret", token(of("key"), of("secret")), "access_token");
    let key = rotated["key"].as_str().unwrap_or_default();
    let secret = rotated["secret"].as_str().unwrap_or_default();
    canaries.add("key and secret, encoded", &STANDARD.encode(format!("{key}:{secret}")));
    let basic = server.request("POST", "/auth/oauth/token").basic(key, secret);
    canaries.made("another token", basic.body(FORM, "grant_type=client_credentials"), "access_token");
    let report = json!({"action": "inventory", "deviceid": unique("d"), "content": {"hardware": {"name": "reported"}}});
    let path = "/api/v2/tenants/client_1/agents/reports";
    canaries.send(server.request("POST", path).basic(key, secret).json(&report)).ok();
}

/// Keys that are made and rotated on the command line.
fn of_commands(server: &Server, canaries: &Canaries) {
    let run = |arguments: &[&str]| {
        let mut command = muster();
        command.args(arguments).args(["--log", "debug", "--data-dir"]).arg(server.data_dir());
        if let Some(url) = server.database_url() {
            command.args(["--database-url", url]);
        }
        let exit = Exit::of(&mut command);
        assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
        canaries.heard.borrow_mut().push(exit.stderr);
        let value =
            |name: &str| exit.stdout.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
        canaries.add("a secret of a command", &value("MUSTER_SECRET="));
        value("MUSTER_KEY=")
    };
    let key = run(&["key", "create", "--tenant", "client_1", "--name", "made by hand", "--role", "viewer"]);
    run(&["key", "rotate", &key]);
    run(&["key", "rotate", "--revoke-previous", &key]);
}

/// Addresses of calendars: the token in them gives access.
fn of_calendars(server: &Server, client: &Client, canaries: &Canaries) {
    let user = client.post("/users", &json!({"loginName": unique("on-call")})).ok()["id"].clone();
    let shift = json!({"name": "one", "users": [{"id": user}], "userGroups": [], "schedule": {
        "type": "one-time", "startDate": "2026-11-20T00:00:00Z", "endDate": "2026-11-21T00:00:00Z"}});
    let roster = json!({"name": unique("roster"), "description": "on call", "timeZone": {"name": "Europe/Paris"},
        "shiftDetails": [shift]});
    let roster = client.post("/rosters", &roster).ok()["id"].clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for of in [text(&roster), format!("users/{}", text(&user))] {
        let path = format!("/rosters/{of}/calendars");
        let create = || client.request("POST", &path).header("Idempotency-Key", &of);
        let made = canaries.made("the token of a calendar", create(), "token");
        canaries.send(create()).ok();
        canaries.send(client.request("GET", &path)).list();
        let url = text(&made["url"]).replace(server.base(), "");
        assert_eq!(canaries.send(server.request("GET", &url)).status, 200, "{made}");
        let wrong = format!("/api/v2/tenants/client_1/rosters/{of}/calendar.ics?token=");
        canaries.send(server.request("GET", &(wrong + &canaries.plant("a wrong token of a calendar")))).not_found();
    }
}

/// Codes of sign-in links, made by an operation and by the command, used and not, and cookies of sessions.
fn of_sessions(server: &Server, client: &Client, canaries: &Canaries) {
    let user = client.post("/users", &json!({"loginName": "signs-in"})).ok()["id"].clone();
    let path = format!("/users/{}/signInLink", user.as_str().unwrap_or_default());
    let by_hand = || {
        let mut command = muster();
        command.args(["user", "sign-in", "signs-in", "--log", "debug", "--data-dir"]).arg(server.data_dir());
        if let Some(url) = server.database_url() {
            command.args(["--database-url", url]);
        }
        let exit = Exit::of(&mut command);
        assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
        canaries.heard.borrow_mut().push(exit.stderr);
        exit.stdout.trim().to_owned()
    };
    let by_admin = || {
        let request = || client.request("POST", &path).header("Idempotency-Key", "a-key-for-a-link");
        let made = request().send().ok();
        canaries.send(request()).ok();
        made["url"].as_str().unwrap_or_default().to_owned()
    };
    canaries.add("a code that nobody used", &code_of(&by_hand()));
    for url in [by_hand(), by_admin()] {
        let code = code_of(&url);
        canaries.add("a code", &code);
        // The page holds the code that it was asked with.
        assert_eq!(server.get(&format!("/auth/sign-in?code={code}")).status, 200);
        let browser = Browser::sign_in(server, &url);
        canaries.add("the cookie of a session", browser.token());
        canaries.send(redeem(server, &code));
        canaries.send(browser.request("GET", "/api/v2/me")).ok();
        canaries.send(browser.request("GET", "/api/v2/me/sessions")).list();
        canaries.send(browser.request("GET", "/"));
        canaries.send(browser.request("GET", "/api/v2/me").header("X-Request-Id", "of-a-session")).ok();
    }
    let wrong = canaries.plant("a wrong code");
    canaries.send(redeem(server, &wrong)).unauthenticated();
    let wrong = canaries.plant("a wrong cookie");
    canaries
        .send(server.request("GET", "/api/v2/me").header("Cookie", &format!("muster_session={wrong}")))
        .unauthenticated();
}

/// Tokens of inbound addresses, in a path, a header and a body.
fn of_inbound_addresses(server: &Server, client: &Client, canaries: &Canaries) {
    let made = client.request("POST", "/inbound").json(&json!({"name": "monitor"}));
    let made = canaries.made("the token of an inbound address", made, "token");
    let token = made["token"].as_str().unwrap_or_default().to_owned();
    let wrong = canaries.plant("a wrong token of an inbound address");
    for (token, status) in [(&token, 200), (&wrong, 401)] {
        let path = format!("/api/v2/inbound/{token}");
        let plain = json!({"subject": "by an inbound address", "state": "Info"});
        assert_eq!(canaries.send(server.request("POST", &path).json(&plain)).status, status);
        canaries.send(server.request("POST", &format!("{path}/zabbix")).json(&json!({})));
        canaries.send(server.request("GET", &path));
        let event = json!({"routing_key": token, "event_action": "trigger", "payload": {"summary": "s"}});
        canaries.send(server.request("POST", "/v2/enqueue").json(&event));
        let genie = server.request("POST", "/v2/alerts").header("Authorization", &format!("GenieKey {token}"));
        canaries.send(genie.json(&json!({"message": "m"})));
    }
    canaries.send(client.request("GET", "/inbound")).list();
    let made = client.request("POST", "/heartbeats").json(&json!({"name": "backup", "interval": "1h"}));
    let made = canaries.made("the address of a heartbeat", made, "url");
    let token = made["url"].as_str().and_then(|url| url.rsplit('/').next()).unwrap_or_default();
    canaries.add("the token of a heartbeat", token);
    for method in ["GET", "POST", "DELETE"] {
        canaries.send(server.request(method, &format!("/api/v2/heartbeats/{token}")));
    }
    canaries.send(client.request("GET", "/heartbeats/search")).page();
}

/// Credentials of integrations and what signs their calls: kept, since they have to be sent, but sealed.
fn of_integrations(server: &Server, client: &Client, canaries: &Canaries) {
    let notifier = |when: &str| {
        json!({"baseURI": "https://receiver.invalid", "authType": "OAUTH2", "grantType": "PASSWORD", "userName": "ann",
            "password": canaries.plant(&format!("a password of a notifier {when}")),
            "apiKey": canaries.plant(&format!("an apiKey {when}")),
            "apiSecret": canaries.plant(&format!("an apiSecret {when}")),
            "accessTokenURL": "https://receiver.invalid/token"})
    };
    let body = json!({"displayName": "tickets", "baseNotifier": notifier("of an install")});
    let install =
        || client.request("POST", "/integrations/install/CUSTOM").header("Idempotency-Key", "tickets").json(&body);
    let made = canaries.made("a signing secret", install(), "signingSecret");
    canaries.send(install()).ok();
    let one = format!("/integrations/installed/{}", made["id"].as_str().unwrap_or_default());
    canaries.send(client.request("POST", &format!("{one}/notifier")).json(&notifier("of a change"))).ok();
    let rotate =
        || client.request("POST", &format!("{one}/signingSecret/rotate")).header("Idempotency-Key", "rotate-it");
    canaries.made("a second signing secret", rotate(), "signingSecret");
    canaries.send(rotate()).ok();
    for (kind, place) in [("BASIC", "apiKeyPairs/0/secret"), ("WEBHOOK", "token")] {
        let admit = || {
            let request = client.request("POST", &format!("{one}/inbound/authentication"));
            request.header("Idempotency-Key", kind).json(&json!({"authType": kind}))
        };
        let made = admit().send().ok();
        let secret = made.pointer(&format!("/inboundConfig/authentication/{place}")).and_then(Value::as_str);
        canaries.add(&format!("what an integration reports with by {kind}"), secret.unwrap_or_default());
        canaries.send(admit()).ok();
        canaries.send(client.request("GET", &one)).ok();
    }
    let event = json!({"name": "e", "entity": "TASK", "eventType": "CREATE", "notifier": notifier("of an event"),
        "headers": [{"key": "Authorization-Token", "value": canaries.plant("a header")}], "eventPayload": "{}"});
    let tried = json!({"event": event, "object": {}});
    canaries.send(client.request("POST", &format!("{one}/event/test")).json(&tried)).ok();
    let event = canaries.send(client.request("POST", &format!("{one}/event")).json(&event)).ok();
    let event = format!("{one}/event/{}", event["id"].as_str().unwrap_or_default());
    let action = json!({"entity": "TASK", "eventType": "CREATE", "object": {"id": "T-1"}});
    canaries.send(client.request("POST", "/integrations/actions").json(&action)).ok();
    let wrong =
        json!({"notifier": {"type": "SMTP", "password": canaries.plant("a password of a notifier that is refused")}});
    canaries.send(client.request("POST", &event).json(&wrong)).problem(400, "0002");
    let mut command = muster();
    command.args(["secrets", "rotate", "--log", "debug", "--data-dir"]).arg(server.data_dir());
    if let Some(url) = server.database_url() {
        command.args(["--database-url", url]);
    }
    let exit = Exit::of(&mut command);
    assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
    canaries.heard.borrow_mut().extend([exit.stdout, exit.stderr]);
    let keys = fs::read_to_string(server.data_dir().join("secrets.key")).expect("the key is in the data directory");
    assert_eq!(keys.lines().count(), 2, "the new one and the one before");
    keys.lines().for_each(|key| canaries.add("a key that seals secrets", key));
    // What was sealed anew still opens: the call is made, and finds nobody.
    let sent = json!({"object": {}, "send": true});
    let answer = canaries.send(client.request("POST", &format!("{event}/test")).json(&sent)).ok();
    assert!(answer["response"]["error"].as_str().is_some_and(|error| error.contains("token")), "{answer}");
    canaries.send(client.request("GET", &event)).ok();
    canaries.send(client.request("GET", &format!("{event}/deliveries"))).ok();
}

/// Credentials of synthetics, which are write-only.
fn of_synthetics(client: &Client, canaries: &Canaries) {
    let credential = |when: &str| {
        json!({
            "port": 8443, "oauthAccessTokenUrl": "https://example.net/token", "oauthGrantType": "client_credentials",
            "oauthClientSecret": canaries.plant(&format!("oauthClientSecret {when}")),
            "oauthClientKey": canaries.plant(&format!("oauthClientKey {when}")),
            // No field of the interface; but people send what they have.
            "password": canaries.plant(&format!("a password {when}")),
        })
    };
    let body = json!({"type": "SYNTHETIC", "name": "shop", "checkType": "HTTP", "url": "https://example.net",
        "credential": credential("of a create")});
    let create = || client.request("POST", "/resources").header("Idempotency-Key", "synthetic").json(&body);
    let id = canaries.send(create()).ok()["resourceUUID"].as_str().unwrap_or_default().to_owned();
    canaries.send(create()).ok();
    let one = format!("/resources/{id}");
    let shown = canaries.send(client.request("GET", &one)).ok()["credential"].clone();
    assert_eq!((&shown["oauthClientSecret"], &shown["oauthClientKey"]), (&json!(""), &json!("")), "{shown}");
    canaries.send(client.request("POST", &one).json(&json!({"credential": credential("of an update")}))).ok();
    let nested = json!({"credential": {"oauthClientSecret": {"value": canaries.plant("a secret of the wrong type")}}});
    canaries.send(client.request("POST", &one).json(&nested)).problem(400, "0002");
    let flat = json!({"credential": canaries.plant("a credential of the wrong type")});
    canaries.send(client.request("POST", &one).json(&flat)).problem(400, "0002");
    canaries.send(client.request("POST", &format!("{one}/decommission")).json(&json!({"reason": "moved"}))).ok();
    canaries.send(client.request("GET", &format!("/history{one}"))).ok();
}

/// Secrets where they do not belong, and wrong ones where they do.
fn in_wrong_requests(server: &Server, client: &Client, canaries: &Canaries) {
    let (key, _) = server.credentials();
    let nobody = |method: &str, path: &str| server.request(method, path);
    let token = |form: String| nobody("POST", "/auth/oauth/token").body(FORM, form);
    let path = format!("/api/v2/tenants/{}/resources", client.tenant_id());
    let reports = format!("/api/v2/tenants/{}/agents/reports", client.tenant_id());
    let statuses = [
        (
            401,
            nobody("POST", &reports)
                .header("Authorization", &canaries.basic("a wrong agent's secret", key))
                .json(&json!({})),
        ),
        (401, nobody("GET", &path).header("Authorization", &canaries.basic("a secret in place of a token", key))),
        (401, nobody("GET", &path).header("Authorization", &format!("Basic {}", canaries.plant("broken Basic")))),
        (401, nobody("GET", &path).header("Authorization", &canaries.plant("a header without scheme"))),
        (401, nobody("GET", &path).header("Authorization", &format!("Bearer {}", canaries.plant("a wrong token")))),
        (401, nobody("GET", &path).header("Cookie", &format!("session={}", canaries.plant("a cookie")))),
        (401, nobody("GET", &path).header("X-Api-Key", &canaries.plant("a key in a header"))),
        (401, nobody("GET", &path).header("Proxy-Authorization", &canaries.basic("a proxy's secret", key))),
        (401, nobody("GET", &format!("{path}/minimal?access_token={}", canaries.plant("a token in the query, alone")))),
        (
            400,
            client
                .request("GET", &format!("/resources/minimal?access_token={}", canaries.plant("a token in the query"))),
        ),
        (404, client.request("GET", &format!("/nowhere?password={}", canaries.plant("a password in the query")))),
        (
            400,
            client.request("POST", "/resources").body(
                "application/json",
                format!(
                    r#"{{"name": "a", "credential": {{"oauthClientSecret": "{}""#,
                    canaries.plant("a secret in half a body")
                ),
            ),
        ),
        (400, client.request("POST", "/resources").body("application/json", canaries.plant("a secret as a body"))),
        (415, client.request("POST", "/resources").body("text/plain", canaries.plant("a secret as text"))),
        (400, client.request("POST", "/apiKeys").json(&json!({"name": "n", "role": canaries.plant("a role")}))),
        (
            401,
            nobody("POST", "/auth/oauth/token")
                .header("Authorization", &canaries.basic("a wrong secret", key))
                .body(FORM, "grant_type=client_credentials"),
        ),
        (
            401,
            token(format!(
                "grant_type=client_credentials&client_id={key}&client_secret={}",
                canaries.plant("a wrong secret in the form")
            )),
        ),
        (
            400,
            token(format!(
                "grant_type=client_credentials&client_id={key}&client_secret=a&client_secret={}",
                canaries.plant("a secret given twice")
            )),
        ),
        (400, token(format!("grant_type=password&username={key}&password={}", canaries.plant("somebody's password")))),
        (400, token(format!("client_secret={}", canaries.plant("a secret without grant")))),
        (
            400,
            nobody("POST", &format!("/auth/oauth/token?client_secret={}", canaries.plant("a secret in the URL")))
                .body(FORM, "grant_type=client_credentials"),
        ),
        (
            400,
            nobody("POST", "/auth/oauth/token")
                .body("application/json", json!({"client_secret": canaries.plant("a secret as JSON")}).to_string()),
        ),
        (
            400,
            nobody("GET", &path)
                .header("Authorization", &format!("Bearer {}", client.bearer()))
                .header("Authorization", &format!("Bearer {}", canaries.plant("a second header"))),
        ),
    ];
    for (status, request) in statuses {
        let answer = canaries.send(request);
        // The role is a word of the interface; a wrong one may be told back, but is not.
        assert!(answer.status == status || [400, 401, 405].contains(&answer.status), "expected {status}: {answer}");
    }
}
