use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::atomic::AtomicUsize,
    thread,
};

use traces::Kind;

use super::*;

/// Reads a request, and answers it; slowly where it has spans. Answers whether it had metrics.
fn answer(mut stream: &TcpStream) -> Option<bool> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line.trim().is_empty() {
            break;
        }
        head.push(line.to_ascii_lowercase());
    }
    let length = head.iter().find_map(|line| line.strip_prefix("content-length:"))?.trim().parse().ok()?;
    reader.read_exact(&mut vec![0; length]).ok()?;
    let has_metrics = head.first()?.contains(metrics::PATH);
    if !has_metrics {
        thread::sleep(Duration::from_millis(300));
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").ok()?;
    Some(has_metrics)
}

#[test]
fn a_collector_that_is_slow_with_spans_still_gets_metrics() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let received = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&received);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            count.fetch_add(usize::from(answer(&stream) == Some(true)), Ordering::Relaxed);
        }
    });
    let stop = Arc::new(AtomicBool::new(false));
    let mut work = Work {
        collector: Collector::new(&endpoint, &Headers::default(), None).unwrap(),
        resource: Resource::default(),
        queue: traces::start(1.0).unwrap(),
        batch: Vec::new(),
        stop: Arc::clone(&stop),
        is_failing: false,
        since_ns: now_ns(),
    };
    let working = thread::spawn(move || work.run(Duration::from_millis(200), &|| Some("# EOF\n".to_owned())));
    let begun = Instant::now();
    while received.load(Ordering::Relaxed) < 2 && begun.elapsed() < Duration::from_secs(20) {
        // More than a batch while the last one is sent, again and again.
        (0..2 * BATCH).filter_map(|_| Span::root(Kind::Server, "many")).for_each(Span::end);
        thread::sleep(Duration::from_millis(10));
    }
    assert!(received.load(Ordering::Relaxed) >= 2);
    stop.store(true, Ordering::Relaxed);
    working.join().unwrap();
}
