//! Pages by mail: a server that follows a script, and a real one.

use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    process::{Command, Stdio},
    time::Duration,
};

use muster_tests::{Backend, Client, Server, both_backends, python, receiver::wait_for, unique};
use serde_json::{Value, json};

use super::{person, smtp::Fake, text};

both_backends![
    a_mail_arrives_once_it_is_taken,
    what_is_refused_for_good_is_not_tried_again,
    a_server_that_says_too_much_is_left,
    a_real_server_takes_what_an_alert_says_as_text,
];

pub fn start(backend: Backend, url: &str) -> Server {
    Server::start_with(backend, &["--smtp-url", url, "--smtp-from", "Muster <muster@example.net>"])
}

/// A person who is told of every alert by mail.
pub fn reader(client: &Client) -> String {
    let user = person(client);
    let body = json!({"name": "mail", "type": "EMAIL", "address": "ann@example.net", "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &body).ok();
    let steps = json!([{"targets": [{"user": {"id": user}}], "wait": "1h"}]);
    let policy = text(&client.post("/escalationPolicies", &json!({"name": unique("mail"), "steps": steps})).ok()["id"]);
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy}})).ok();
    user
}

pub fn report(client: &Client, subject: &str) {
    client.post("/alert", &json!({"currentState": "Critical", "subject": subject})).ok();
}

pub fn page(client: &Client) -> Value {
    client.get("/pages/search?queryString=kind:page").page()["results"][0].clone()
}

#[track_caller]
pub fn wait(client: &Client, status: &str) -> Value {
    wait_for(Duration::from_secs(30), || page(client)["status"] == status, || page(client).to_string());
    page(client)
}

fn a_mail_arrives_once_it_is_taken(backend: Backend) {
    // Not now (greylisting), then the connection breaks in the middle, then it is taken.
    let fake = Fake::start(|count, said| match (count, said) {
        (1, said) if said.starts_with("RCPT") => Some(b"451 come again later\r\n".to_vec()),
        (2, "mail") => Some(b"421 going down\r\n".to_vec()),
        _ => None,
    });
    let server = start(backend, &fake.url());
    let client = server.new_client();
    reader(&client);
    report(&client, "Load is 31");
    let sent = wait(&client, "sent");
    let attempts = sent["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 3, "{sent}");
    assert_eq!(
        (&attempts[0]["status"], &attempts[1]["status"], &attempts[2]["status"]),
        (&json!(451), &json!(421), &json!(250))
    );
    let mails = fake.mails();
    assert_eq!(mails.len(), 1);
    let id = text(&sent["id"]);
    for expected in [
        &format!("Message-ID: <{id}@example.net>"),
        "Subject: [Critical] Load is 31",
        "To: ann@example.net",
        "text/html",
        "References: <CNV-",
    ] {
        assert!(mails[0].contains(expected), "{expected}: {}", mails[0]);
    }
}

fn what_is_refused_for_good_is_not_tried_again(backend: Backend) {
    let fake = Fake::start(|_, said| said.starts_with("RCPT").then(|| b"550 nobody of that name\r\n".to_vec()));
    let server = start(backend, &fake.url());
    let client = server.new_client();
    reader(&client);
    report(&client, "x");
    let failed = wait(&client, "failed");
    assert_eq!(failed["attempts"].as_array().unwrap().len(), 1, "{failed}");
    assert!(text(&failed["why"]).contains("550"), "{failed}");
}

fn a_server_that_says_too_much_is_left(backend: Backend) {
    let fake = Fake::start(|count, said| match (count, said) {
        (1, "") => Some(vec![b'2'; 100 << 20]),
        (2, "") => Some(b"220-\r\n".repeat(1_000_000)),
        (3, "") => Some(b"HTTP/1.1 400 Bad Request\r\n".to_vec()),
        _ => None,
    });
    let server = start(backend, &fake.url());
    let client = server.new_client();
    reader(&client);
    let before = server.own_memory_kib();
    report(&client, "x");
    let sent = wait(&client, "sent");
    assert_eq!(sent["attempts"].as_array().unwrap().len(), 4, "{sent}");
    if let (Some(before), Some(after)) = (before, server.own_memory_kib()) {
        assert!(after < before + 32 * 1024, "{before} KiB before, {after} KiB after");
    }
}

/// Takes mails until it is killed, and prints each as a line of JSON.
const REAL: &str = r#"
import email, email.policy, json, sys, threading
from aiosmtpd.controller import Controller
class Handler:
    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        names = sorted(set(name.lower() for name in mail.keys()))
        told = {"from": envelope.mail_from, "to": envelope.rcpt_tos, "names": names,
                "subject": mail["Subject"], "id": mail["Message-ID"], "parts": parts}
        print(json.dumps(told), flush=True)
        return "250 taken"
controller = Controller(Handler(), hostname="127.0.0.1", port=int(sys.argv[1]))
controller.start()
print("ready", flush=True)
threading.Event().wait()
"#;

fn a_real_server_takes_what_an_alert_says_as_text(backend: Backend) {
    let Some(python) = python() else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut real = Command::new(python).args(["-c", REAL, &port.to_string()]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(real.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "ready");
    let server = start(backend, &format!("smtp://127.0.0.1:{port}"));
    let client = server.new_client();
    reader(&client);
    let body = json!({"currentState": "Critical", "subject": "Läuft \u{2028} über\r\nBcc: eve@example.org",
        "description": "<script>alert(1)</script>\r\n.\r\nMAIL FROM:<eve@example.org>\r\n.", "metric": "disk"});
    client.post("/alert", &body).ok();
    wait(&client, "sent");
    line.clear();
    lines.read_line(&mut line).unwrap();
    let _ = real.kill();
    let _ = real.wait();
    let mail: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&mail["from"], &mail["to"]), (&json!("muster@example.net"), &json!(["ann@example.net"])));
    let names: Vec<String> = mail["names"].as_array().unwrap().iter().map(text).collect();
    assert!(!names.iter().any(|name| name == "bcc" || name == "cc"), "{names:?}");
    assert!(text(&mail["subject"]).contains("Läuft") && text(&mail["subject"]).contains("Bcc: eve"), "{mail}");
    assert_eq!(mail["id"], json!(format!("<{}@example.net>", text(&page(&client)["id"]))));
    let plain = text(&mail["parts"]["text/plain"]);
    let html = text(&mail["parts"]["text/html"]);
    assert!(plain.contains("MAIL FROM:<eve@example.org>"), "{plain}");
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script>"), "{html}");
}
