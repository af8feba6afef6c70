use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use super::*;

/// A product on this machine: answers each request by what a function makes of its first line and its number.
struct Product {
    root: Url,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Product {
    fn start(answer: impl Fn(&str, usize) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let root = Url::parse(&format!("http://{}/base", listener.local_addr().unwrap())).unwrap();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &noted, &answer);
            }
        });
        Self { root, seen }
    }

    fn client(&self) -> Client {
        let token = Secret::new("Bearer hush".to_owned());
        Client::new(self.root.clone(), vec![("authorization", token)]).unwrap()
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, seen: &Mutex<Vec<String>>, answer: &impl Fn(&str, usize) -> String) {
    let mut writer = stream.try_clone().unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    assert!(headers.iter().any(|line| line.eq_ignore_ascii_case("authorization: Bearer hush")), "{headers:?}");
    let target = first.split(' ').nth(1).unwrap().to_owned();
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(target.clone());
        seen.len()
    };
    let _ = writer.write_all(answer(&target, number).as_bytes());
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn status(status: &str, more: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{more}content-length: 0\r\n\r\n")
}

#[test]
fn pages_are_followed_and_the_token_stays_with_the_product() {
    let product = Product::start(|target, _| match target {
        "/base/v2/users?limit=2" => {
            ok(r#"{"data": [{"id": "a"}], "paging": {"next": "https://evil.example.net/base/v2/users?offset=1"}}"#)
        }
        "/base/v2/users?offset=1" => ok(r#"{"data": [{"id": "b"}], "paging": {"next": ""}}"#),
        _ => status("404 Not Found", ""),
    });
    let mut export = Export::default();
    let mut client = product.client();
    client.pages(&mut export, "users", "v2/users?limit=2", Paging::Link(&["paging", "next"])).unwrap();
    assert_eq!(export.list("users").len(), 2);
    client.optional_pages(&mut export, "alerts", "v2/alerts", Paging::None).unwrap();
    assert_eq!(client.missing, [("alerts".to_owned(), "404 Not Found".to_owned())]);
    let error = client.pages(&mut export, "teams", "v2/teams", Paging::None).unwrap_err();
    assert!(format!("{error:#}").contains("teams cannot be read: the product answered 404"), "{error:#}");
    client.object(&mut export, &["users", "a/../b?c"], "v2", "expand=contact").unwrap();
    assert_eq!(product.seen().last().unwrap(), "/base/v2/users/a%2F..%2Fb%3Fc?expand=contact");
}

#[test]
fn offsets_count_what_came_and_a_page_that_repeats_itself_ends_it() {
    let product = Product::start(|target, _| match target {
        "/base/users?limit=2" => ok(r#"{"users": [{"id": "a"}, {"id": "b"}], "more": true}"#),
        "/base/users?limit=2&offset=2" => ok(r#"{"users": [{"id": "c"}], "more": false}"#),
        _ => ok(r#"{"users": [], "more": true, "next": "/base/again"}"#),
    });
    let mut export = Export::default();
    product.client().pages(&mut export, "users", "users?limit=2", Paging::Offset).unwrap();
    assert_eq!(export.list("users").len(), 3);
    let error = product.client().pages(&mut export, "again", "again", Paging::Link(&["next"])).unwrap_err();
    assert!(format!("{error:#}").contains("same page"), "{error:#}");
}

#[test]
fn a_busy_product_is_asked_again_when_it_says_so() {
    let product = Product::start(|_, number| match number {
        1 => status("429 Too Many Requests", "retry-after: 1\r\n"),
        2 => status("503 Service Unavailable", "retry-after: 0\r\n"),
        _ => ok("[]"),
    });
    let before = std::time::Instant::now();
    let mut export = Export::default();
    product.client().pages(&mut export, "users", "users", Paging::None).unwrap();
    assert!(before.elapsed() >= Duration::from_secs(1) && product.seen().len() == 3);

    let product = Product::start(|_, _| status("429 Too Many Requests", "retry-after: 0\r\n"));
    let error = product.client().pages(&mut export, "users", "users", Paging::None).unwrap_err();
    assert!(format!("{error:#}").contains("429") && product.seen().len() == 6, "{error:#}");
    let product = Product::start(|_, _| status("429 Too Many Requests", "retry-after: 86400\r\n"));
    product.client().pages(&mut export, "users", "users", Paging::None).unwrap_err();
    assert_eq!(product.seen().len(), 1, "a day is too long to wait");
}

#[test]
fn redirects_tokens_and_texts_are_refused() {
    let product = Product::start(|target, _| match target {
        "/base/moved" => status("302 Found", "location: /base/users\r\n"),
        "/base/shut" => status("401 Unauthorized", ""),
        _ => ok("<html>"),
    });
    let mut export = Export::default();
    let mut error =
        |path: &str| format!("{:#}", product.client().pages(&mut export, "users", path, Paging::None).unwrap_err());
    assert!(error("moved").contains("302"));
    assert!(error("shut").contains("refuses the token"));
    assert!(error("text").contains("not JSON"));
    for bad in ["http://192.0.2.1", "ftp://127.0.0.1", "https://a:b@example.net", "example.net"] {
        assert!(address(bad).is_err(), "{bad}");
    }
    for good in ["https://api.example.net", "http://127.0.0.1:1/", "http://[::1]:8080"] {
        assert!(address(good).is_ok(), "{good}");
    }
}
