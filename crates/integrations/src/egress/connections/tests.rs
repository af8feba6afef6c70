use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::future::join_all;
use hyper::Method;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::{super::Guard, *};

/// What a peer does on each of its connections, and how many it had.
struct Peer {
    base: String,
    connections: Arc<AtomicUsize>,
}

impl Peer {
    /// Answers each request on a connection with one of these texts, and closes it after the last.
    async fn answering(texts: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Relaxed);
                tokio::spawn(async move {
                    for text in texts {
                        head(&mut stream).await;
                        stream.write_all(text.as_bytes()).await.unwrap();
                    }
                });
            }
        });
        Self { base, connections }
    }
}

/// Reads a request without a body.
async fn head(stream: &mut TcpStream) -> String {
    let mut read = String::new();
    while !read.ends_with("\r\n\r\n") {
        let byte = stream.read_u8().await.unwrap();
        read.push(char::from(byte));
    }
    read
}

const IDLE: Duration = Duration::from_millis(500);

fn bounded(most_to_one: usize, most: usize) -> Connections {
    let dialler = Dialler::new(Arc::new(Guard::default().with_loopback()), &[]).unwrap();
    Connections::bounded(dialler, most_to_one, most, IDLE)
}

fn connections() -> Connections {
    bounded(2, 9)
}

fn request(url: &str) -> Request<Body> {
    let body = Full::new(Bytes::new());
    Request::builder().method(Method::GET).uri(url).body(body).unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

const SHORT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn a_connection_carries_call_after_call() {
    let peer = Peer::answering(&[SHORT, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", SHORT]).await;
    let connections = connections();
    for status in [200, 404, 200] {
        let Response { head, body, cut } = connections.exchange(request(&peer.base), 10, soon()).await.unwrap();
        assert_eq!((head.status.as_u16(), cut), (status, None));
        assert_eq!(body, (if status == 200 { &b"ok"[..] } else { b"" }));
    }
    assert_eq!(peer.connections.load(Relaxed), 1);
}

#[tokio::test]
async fn what_the_other_side_closed_is_not_used() {
    let peer = Peer::answering(&[SHORT]).await;
    let connections = connections();
    for _ in 0..3 {
        connections.exchange(request(&peer.base), 10, soon()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(peer.connections.load(Relaxed), 3);
}

#[tokio::test]
async fn what_is_not_read_to_its_end_is_not_kept() {
    let peer = Peer::answering(&["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nlong", SHORT]).await;
    let connections = connections();
    let Response { body, cut, .. } = connections.exchange(request(&peer.base), 3, soon()).await.unwrap();
    assert_eq!((body.as_slice(), cut), (&b"lon"[..], None), "as much as was asked for");
    connections.exchange(request(&peer.base), 3, soon()).await.unwrap();
    assert_eq!(peer.connections.load(Relaxed), 2);
    let closing = Peer::answering(&["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end"]).await;
    assert_eq!(connections.exchange(request(&closing.base), 100, soon()).await.unwrap().body, b"to the end");
}

#[tokio::test]
async fn an_answer_that_breaks_off_has_its_head() {
    let connections = connections();
    let nothing = Peer::answering(&[""]).await;
    let failed = connections.exchange(request(&nothing.base), 10, soon()).await.unwrap_err();
    assert!(matches!(failed, ExchangeError::Client(_)), "{failed:?}");
    for (text, status, body) in [
        (&["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"], 200, &b"ab"[..]),
        (&["HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nx"], 503, b"ab"),
    ] {
        let part = Peer::answering(text).await;
        let answer = connections.exchange(request(&part.base), 10, soon()).await.unwrap();
        assert_eq!((answer.head.status.as_u16(), answer.body.as_slice()), (status, body));
        assert_eq!(answer.cut, Some(Cut::Broken));
        // A request that may have arrived is not sent again.
        assert_eq!(part.connections.load(Relaxed), 1);
    }
    assert_eq!(nothing.connections.load(Relaxed), 1);
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let failed = connections.exchange(request(&format!("http://{closed}")), 10, soon()).await.unwrap_err();
    assert!(matches!(&failed, ExchangeError::Client(error) if error.is_connect()), "{failed:?}");
}

#[tokio::test]
async fn an_answer_that_does_not_end_has_its_head() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let texts = ["", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"];
    let answering = tokio::spawn(async move {
        let mut open = Vec::new();
        for text in texts {
            let (mut stream, _) = listener.accept().await.unwrap();
            head(&mut stream).await;
            stream.write_all(text.as_bytes()).await.unwrap();
            open.push(stream);
        }
        std::future::pending::<()>().await;
    });
    let connections = connections();
    let quickly = || Instant::now() + Duration::from_millis(200);
    let failed = connections.exchange(request(&base), 10, quickly()).await.unwrap_err();
    assert!(matches!(failed, ExchangeError::Late), "{failed:?}");
    let answer = connections.exchange(request(&base), 10, quickly()).await.unwrap();
    assert_eq!((answer.head.status.as_u16(), answer.body.as_slice(), answer.cut), (200, &b"ab"[..], Some(Cut::Late)));
    answering.abort();
}

/// How many connections it takes to call each of these so many times at once.
async fn opened(connections: &Connections, peers: &[&Peer], times: usize) -> usize {
    let count = || peers.iter().map(|peer| peer.connections.load(Relaxed)).sum::<usize>();
    let before = count();
    let urls = peers.iter().flat_map(|peer| std::iter::repeat_n(&peer.base, times));
    for answered in join_all(urls.map(|url| connections.exchange(request(url), 10, soon()))).await {
        answered.unwrap();
    }
    // A connection goes back to the pool in a task of its own.
    tokio::time::sleep(Duration::from_millis(20)).await;
    count() - before
}

#[tokio::test]
async fn idle_connections_are_bounded_and_closed_in_the_end() {
    let many = &[SHORT; 9];
    let (one, other) = (Peer::answering(many).await, Peer::answering(many).await);
    let to_one = bounded(2, 9);
    assert_eq!(opened(&to_one, &[&one], 3).await, 3);
    assert_eq!(opened(&to_one, &[&one], 3).await, 1, "two to one peer are kept");
    let in_all = bounded(2, 3);
    assert_eq!(opened(&in_all, &[&one, &other], 2).await, 4);
    assert_eq!(opened(&in_all, &[&one, &other], 2).await, 1, "three in all are kept");
    tokio::time::sleep(IDLE * 3).await;
    assert_eq!(opened(&in_all, &[&one, &other], 1).await, 2, "all are closed");
    assert_eq!(opened(&in_all, &[&one, &other], 1).await, 0, "and leave room for others");
}
