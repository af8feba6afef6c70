use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    sync::mpsc::{Receiver, channel},
};

use super::*;

/// What the service says of the requests of a run, one after the other: status, head and body.
type Answer = (u16, &'static str, &'static str);

const PROBLEM: &str = "Content-Type: application/problem+json\r\n";
const OK: Answer = (200, "", "{}");
/// While the same request is under way.
const UNDER_WAY: Answer = (409, "Content-Type: application/problem+json\r\nRetry-After: 1\r\n", "{}");
const OVER: Answer = (409, PROBLEM, r#"{"detail": "The run is over: CANCELLED."}"#);
const SUSPENDED: Answer = (403, PROBLEM, r#"{"detail": "The tenant of this API key is suspended."}"#);
const OF_PROXY: Answer = (404, "Content-Type: text/plain\r\n", "404 page not found\n");

/// A service with these answers, and what it is asked: operation, `Idempotency-Key` and body.
fn service(answers: Vec<Answer>) -> (Service, Receiver<(String, String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = channel();
    let mut answers = answers.into_iter();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let (mut path, mut key, mut length) = (String::new(), String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let Some((name, value)) = line.trim().split_once([':', ' ']) else { break };
                match name.to_ascii_lowercase().as_str() {
                    "post" => value.split(' ').next().unwrap().clone_into(&mut path),
                    "idempotency-key" => value.trim().clone_into(&mut key),
                    "content-length" => length = value.trim().parse().unwrap(),
                    _ => {}
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let (status, head, text) = if path.ends_with("/token") {
                (200, "", r#"{"access_token": "t"}"#)
            } else {
                let operation = path.rsplit('/').next().unwrap().to_owned();
                sender.send((operation, key, serde_json::from_slice(&body).unwrap())).unwrap();
                answers.next().expect("one more answer")
            };
            let length = text.len();
            let answer =
                format!("HTTP/1.1 {status} x\r\n{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{text}");
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    let root = root.parse().unwrap();
    let secret = Secret::new("hush".to_owned());
    (Service::new(&root, "client_1", ("key", secret), None, Stop::default()).unwrap(), asked)
}

fn log() -> Log<'static> {
    Log { run: "RUN-1", attempt: 1, number: 0, lines: Vec::new(), offered: 0, full: false }
}

#[test]
fn lines_that_wait_are_sent_again_as_they_were() {
    for passing in [UNDER_WAY, SUSPENDED, OF_PROXY] {
        let (mut service, asked) = service(vec![passing, OK, OK]);
        let mut log = log();
        log.take(vec!["one".to_owned()]);
        assert!(matches!(log.send(&mut service, None), SendResult::Nothing));
        log.take(vec!["two".to_owned()]);
        assert!(matches!(log.send(&mut service, None), SendResult::Accepted));
        let told: Vec<_> = asked.try_iter().map(|(_, key, body)| (key, body["lines"].clone())).collect();
        let (first, last) = told.split_at(2);
        assert!(first.iter().all(|told| *told == ("RUN-1-1-log-0".to_owned(), json!(["one"]))), "{first:?}");
        assert_eq!(last, [("RUN-1-1-log-1".to_owned(), json!(["two"]))]);
    }
}

#[test]
fn a_run_that_is_over_is_gone() {
    let (mut service, _asked) = service(vec![OVER, OK, OVER, OVER]);
    let mut log = log();
    log.take(vec!["one".to_owned()]);
    assert!(matches!(log.send(&mut service, None), SendResult::Nothing), "that was about the key");
    assert!(matches!(log.send(&mut service, None), SendResult::Gone));
}

#[test]
fn the_last_lines_keep_a_result_waiting_no_longer_than_the_service_is_away() {
    let away = [OF_PROXY, OF_PROXY];
    let refused = [OF_PROXY, OK];
    let (mut service, asked) = service([away.to_vec(), refused.repeat(LINES_REFUSED)].concat());
    let mut log = log();
    log.take(vec!["one".to_owned()]);
    assert!(matches!(log.send(&mut service, Some(&Stop::default())), SendResult::Nothing));
    let operations: Vec<String> = asked.try_iter().map(|(operation, ..)| operation).collect();
    assert_eq!(operations, ["log", "heartbeat"].repeat(LINES_REFUSED + 1));
}
