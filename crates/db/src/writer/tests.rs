use std::{sync::mpsc, thread};

use crate::{Backend, DatabaseUrl, Db, Options};

use super::*;

fn open() -> (tempfile::TempDir, Db) {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    (directory, db)
}

/// Sends a write of a tenant, and says when it was answered.
fn send(db: &Db, tenant: &'static str, work: Duration, answered: &mpsc::Sender<(&'static str, Instant)>) {
    let answer = db.0.writer.as_ref().unwrap().submit(tenant, move |_| {
        thread::sleep(work);
        Ok(())
    });
    let answer = answer.unwrap();
    let answered = answered.clone();
    thread::spawn(move || {
        answer.blocking_recv().unwrap().unwrap();
        answered.send((tenant, Instant::now())).unwrap();
    });
}

#[test]
fn a_tenant_that_writes_much_delays_the_others_by_a_bounded_time() {
    let (_directory, db) = open();
    assert_eq!(db.backend(), Backend::Sqlite);
    let (answered, answers) = mpsc::channel();
    for _ in 0..200 {
        send(&db, "greedy", Duration::from_millis(5), &answered);
    }
    thread::sleep(Duration::from_millis(50));
    let sent = Instant::now();
    send(&db, "other", Duration::ZERO, &answered);
    let (mut before, waited) = (
        0,
        loop {
            if let ("other", at) = answers.recv().unwrap() {
                break at - sent;
            }
        },
    );
    while answers.try_recv().is_ok() {
        before += 1;
    }
    // Alone, the 200 take a second. The one waits for the commit under way, and for its own.
    assert!(waited < Duration::from_millis(300), "{waited:?}");
    assert!(before < 150, "{before}");
}

#[test]
fn what_waits_of_one_tenant_is_bounded() {
    let (_directory, db) = open();
    let (hold, held) = mpsc::channel::<()>();
    let writer = db.0.writer.as_ref().unwrap();
    let _first = writer.submit("greedy", move |_| Ok(held.recv().is_ok())).unwrap();
    let mut waiting = Vec::new();
    let refused = loop {
        match writer.submit("greedy", |_| Ok(())) {
            Ok(answer) => waiting.push(answer),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, Error::Unavailable(_)), "{refused}");
    let other = writer.submit("other", |_| Ok(7)).unwrap();
    drop(hold);
    assert_eq!(other.blocking_recv().unwrap().unwrap(), 7);
    for answer in waiting {
        answer.blocking_recv().unwrap().unwrap();
    }
    assert_eq!(db.numbers().writes.unwrap().waiting, 0);
}

#[test]
fn the_log_is_copied_into_the_file_behind_the_answers() {
    let (directory, db) = open();
    let file = directory.path().join("t.sqlite");
    let size = || std::fs::metadata(&file).unwrap().len();
    db.write_here(|conn| Ok(conn.batch_execute("CREATE TABLE t (a)")?)).unwrap();
    let part = |pages: i32| {
        let rows = format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {pages}) \
             INSERT INTO t SELECT randomblob(4000) FROM n"
        );
        db.write_here(move |conn| Ok(conn.batch_execute(&rows)?)).unwrap();
    };
    part(LOG_PAGES / 2);
    part(1);
    assert!(size() < 1 << 20, "{}", size());
    part(LOG_PAGES);
    let begun = Instant::now();
    while size() < u64::try_from(LOG_PAGES).unwrap() * 4096 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{} bytes", size());
        thread::sleep(Duration::from_millis(5));
    }
    // The log begins anew, so that it grows no further.
    part(1);
    let log = log_pages(&mut connect(&DatabaseUrl::Sqlite(file)).unwrap()).unwrap();
    assert!(log < LOG_PAGES, "{log}");
}
