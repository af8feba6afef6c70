//! The thin layer over the generated code, against answers that are made up here.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    time::{Duration, UNIX_EPOCH},
};

use muster_client::{
    Error, Muster, SearchResources, format_time,
    models::{BulkLine, ResourceInput, SiteInput},
    parse_time,
};

const PROBLEM: &str = r#"{"type": "about:blank", "title": "Invalid", "status": 400, "detail": "name: is missing",
    "code": "0002", "message": "name: is missing", "requestId": "r",
    "errors": [{"code": "0002", "fieldName": "name", "message": "is missing"}]}"#;

#[derive(Clone, Debug)]
struct Seen {
    line: String,
    key: Option<String>,
    body: String,
}

/// A caller of a server that gives these answers; a status of 0 is a connection that ends without one.
fn caller(answers: &[(u16, &str)]) -> (Muster, Arc<Mutex<Vec<Seen>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let answers: Vec<(u16, String)> = answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect();
    std::thread::spawn(move || {
        let mut answers = answers.into_iter();
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let mut head = String::new();
            let mut length = 0;
            let mut key = None;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let (name, value) = line.split_once(':').unwrap_or(("", ""));
                match name.to_ascii_lowercase().as_str() {
                    "content-length" => length = value.trim().parse().unwrap(),
                    "idempotency-key" => key = Some(value.trim().to_owned()),
                    _ => {}
                }
                if line.trim().is_empty() {
                    break;
                }
                if head.is_empty() {
                    head = line.trim().to_owned();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let is_token = head.contains("/auth/oauth/token");
            noted.lock().unwrap().push(Seen { line: head, key, body: String::from_utf8(body).unwrap() });
            let token = || (200, r#"{"access_token": "t", "expires_in": 7199}"#.to_owned());
            let (status, text) = if is_token { token() } else { answers.next().unwrap() };
            if status > 0 {
                let answer = format!(
                    "HTTP/1.1 {status} A\r\ncontent-length: {}\r\nretry-after: 0\r\nconnection: close\r\n\r\n{text}",
                    text.len()
                );
                reader.get_mut().write_all(answer.as_bytes()).unwrap();
            }
        }
    });
    (Muster::with_patience(&url, "k", "s", "client_1", Duration::from_secs(5)).unwrap(), seen)
}

#[test]
fn a_post_is_sent_again_under_its_key() {
    let (muster, seen) = caller(&[(0, ""), (503, PROBLEM), (200, r#"{"resourceUUID": "u"}"#)]);
    let input = ResourceInput { host_name: Some("a".to_owned()), ..ResourceInput::default() };
    assert_eq!(muster.create_resource(&input).unwrap().resource_uuid, "u");
    let seen = seen.lock().unwrap();
    let keys: Vec<_> = seen[1..].iter().map(|request| request.key.clone().unwrap()).collect();
    assert_eq!(keys, vec![keys[0].clone(); 3]);
}

#[test]
fn a_delete_whose_answer_is_lost_is_not_sent_again() {
    let (muster, seen) = caller(&[(0, "")]);
    assert!(matches!(muster.delete_site(7), Err(Error::Lost(_))));
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[test]
fn a_revoked_token_is_replaced_once() {
    let (muster, seen) = caller(&[(401, PROBLEM), (401, PROBLEM)]);
    assert_eq!(muster.get_site(7).unwrap_err().refusal().unwrap().status, 401);
    assert_eq!(seen.lock().unwrap().len(), 4);
}

#[test]
fn pages_follow_the_cursor() {
    let pages = [
        (200, r#"{"results": [{"name": "a"}], "nextCursor": "c"}"#),
        (200, r#"{"results": [], "nextCursor": "d"}"#),
        (200, r#"{"results": [{"name": "b"}]}"#),
    ];
    let (muster, seen) = caller(&pages);
    let asked = SearchResources { page_no: Some(1), page_size: Some(1), ..SearchResources::default() };
    let names: Vec<String> = muster.each(Muster::search_resources, asked).map(|one| one.unwrap().name).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(seen.lock().unwrap()[2].line.contains("?pageSize=1&cursor=c "), "{seen:?}");
}

#[test]
fn bulk_sends_and_reads_lines() {
    let lines = "{\"line\": 1, \"result\": \"created\"}\n{\"result\": \"summary\", \"rows\": 1, \"created\": 1}\n";
    let (muster, seen) = caller(&[(200, lines)]);
    let input = ResourceInput { host_name: Some("a".to_owned()), ..ResourceInput::default() };
    let answered: Vec<BulkLine> = muster.bulk(&[input]).unwrap().map(|line| line.unwrap()).collect();
    assert!(matches!(&answered[..], [BulkLine::BulkResult(_), BulkLine::BulkSummary(last)] if last.created == 1));
    let seen = seen.lock().unwrap();
    assert_eq!((seen[1].body.as_str(), &seen[1].key), ("{\"hostName\":\"a\"}\n", &None));
}

#[test]
fn a_problem_names_the_fields() {
    let (muster, _) = caller(&[(400, PROBLEM)]);
    let error = muster.create_site(&SiteInput::default()).unwrap_err();
    assert_eq!(error.refusal().unwrap().fields().into_iter().collect::<Vec<_>>(), [("name", "is missing")]);
}

#[test]
fn times_are_read_and_written() {
    for (text, seconds) in [
        ("1970-01-01T00:00:00+0000", 0),
        ("2000-02-29T23:59:59+0000", 951_868_799),
        ("2026-11-20T20:37:00+0000", 1_795_207_020),
        ("2100-03-01T00:00:00+0000", 4_107_542_400),
    ] {
        let instant = UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(parse_time(text), Some(instant), "{text}");
        assert_eq!(format_time(instant), text);
    }
    assert_eq!(parse_time("2026-11-20T21:37:00+0100"), parse_time("2026-11-20T20:37:00+0000"));
    assert_eq!(parse_time("yesterday"), None);
}
