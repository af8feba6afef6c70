//! A test that is sent under an `Idempotency-Key` is sent once.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use muster_tests::{Backend, Client, Response, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{
    event, install, on_incidents, path,
    receiver::{Receiver, Reply, wait_for},
    server,
};

both_backends![
    a_test_is_sent_once_under_a_key,
    a_caller_that_went_away_finds_the_answer,
    what_was_cut_off_is_not_sent_again,
];

fn body() -> Value {
    json!({"object": {"subject": "disk"}, "send": true})
}

fn keyed(client: &Client, at: &str, key: &str, body: &Value) -> Response {
    client.request("POST", &format!("{at}/test")).header("Idempotency-Key", key).json(body).send()
}

fn a_test_is_sent_once_under_a_key(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::start(|_, number| {
        // A request meanwhile finds it under way.
        std::thread::sleep(Duration::from_millis(500));
        Reply::Answer(201, Vec::new(), format!("made {number}"))
    });
    let made = install(&client, &receiver.url());
    let at = event(&client, &made, &on_incidents("{\"s\": \"$incident.subject\"}"));
    let key = unique("key");
    let (first, meanwhile) = std::thread::scope(|scope| {
        let first = scope.spawn(|| keyed(&client, &at, &key, &body()));
        receiver.wait(1);
        let meanwhile = keyed(&client, &at, &key, &body());
        (first.join().unwrap(), meanwhile)
    });
    meanwhile.problem(409, "0004");
    assert_eq!((first.status, first.header("Idempotency-Replayed")), (200, None), "{first}");
    assert_eq!(first.json()["response"]["status"], json!(201));
    let again = keyed(&client, &at, &key, &body());
    assert_eq!((again.status, again.header("Idempotency-Replayed")), (200, Some("true")), "{again}");
    assert_eq!(again.text(), first.text());
    keyed(&client, &at, &key, &json!({"object": {}, "send": true})).problem(422, "0002");
    assert_eq!(receiver.count(), 1);
    // What was refused has sent nothing, and may be put right under its key.
    let unsaved = format!("{}/event", path(&made));
    let key = unique("key");
    let mut wrong = body();
    wrong["event"] = json!({"entity": "TICKET"});
    for _ in 0..2 {
        keyed(&client, &unsaved, &key, &wrong).invalid(&["event.entity"]);
    }
    let mut right = body();
    right["event"] = on_incidents("{}");
    keyed(&client, &unsaved, &key, &right).ok();
    assert_eq!(keyed(&client, &unsaved, &key, &right).header("Idempotency-Replayed"), Some("true"));
    assert_eq!(receiver.count(), 2);
    // Without a key it is sent as often as it is asked for.
    client.post(&format!("{at}/test"), &body()).ok();
    client.post(&format!("{at}/test"), &body()).ok();
    assert_eq!(receiver.count(), 4);
}

/// Sends a test, and closes the connection when the receiver has it.
fn send_and_leave(server: &Server, client: &Client, at: &str, key: &str, receiver: &Receiver) -> TcpStream {
    let body = body().to_string();
    let mut stream = TcpStream::connect(server.base().trim_start_matches("http://")).unwrap();
    let request = format!(
        "POST /api/v2/tenants/{}{at}/test HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nIdempotency-Key: {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        client.tenant_id(),
        client.bearer(),
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    receiver.wait(1);
    stream
}

fn a_caller_that_went_away_finds_the_answer(backend: Backend) {
    let server = server(backend);
    let client = server.new_client();
    let receiver = Receiver::start(|_, _| {
        std::thread::sleep(Duration::from_millis(500));
        Reply::status(202)
    });
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{}"));
    let key = unique("key");
    drop(send_and_leave(server, &client, &at, &key, &receiver));
    let again = || keyed(&client, &at, &key, &body());
    wait_for(Duration::from_secs(20), || again().status == 200, || again().to_string());
    assert_eq!((again().json()["response"]["status"].clone(), receiver.count()), (json!(202), 1));
}

fn what_was_cut_off_is_not_sent_again(backend: Backend) {
    let mut server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.admin().tenant("client_1");
    let receiver = Receiver::start(|_, _| Reply::Hang);
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{}"));
    let key = unique("key");
    let _open = send_and_leave(&server, &client, &at, &key, &receiver);
    server.kill9();
    server.restart();
    let client = server.admin().tenant("client_1");
    let told = keyed(&client, &at, &key, &body()).problem(409, "0004");
    assert!(told["detail"].as_str().unwrap_or_default().contains("new key"), "{told}");
    assert_eq!(receiver.count(), 1);
}
