use std::{rc::Rc, sync::Arc};

use actix_web::body::{BodySize, MessageBody as _, to_bytes};
use db::{DatabaseUrl, Options};

use super::*;
use crate::shed::{self, Entry, Limits, LoadGate, Reason, Ticket};

fn open() -> (tempfile::TempDir, Db) {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    (directory, db)
}

async fn ticket(streams: usize) -> (Arc<LoadGate>, Rc<Ticket>) {
    let gate = Arc::new(LoadGate::new(Limits { streams, ..Limits::for_size(1, 8) }));
    let ticket = another(&gate).await;
    (gate, ticket)
}

async fn another(gate: &Arc<LoadGate>) -> Rc<Ticket> {
    let ticket = Ticket::new(gate, Rc::new(gate.party_of([127, 0, 0, 1].into())), Entry::Usual);
    ticket.begin().await.unwrap();
    ticket
}

async fn list_for_test<F>(db: &Db, produce: F) -> Result<HttpResponse>
where
    F: FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Clone + Send + 'static,
{
    let request = actix_web::test::TestRequest::default().to_http_request();
    list(db, Admission::of(&request), ARRAY, produce).await
}

/// So many rows of a kilobyte.
fn rows(count: usize) -> impl FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Clone + Send {
    move |_, rows| (0..count).try_for_each(|_| rows.push(|buffer| buffer.extend_from_slice(&[b'1'; 1024])))
}

#[test]
fn a_client_that_takes_little_or_for_long_is_too_slow() {
    let seconds = Duration::from_secs;
    assert!(!is_too_slow(seconds(30), 0), "it may begin late");
    assert!(is_too_slow(seconds(31), 31 * SLOWEST - 1));
    assert!(!is_too_slow(seconds(31), 31 * SLOWEST));
    assert!(!is_too_slow(seconds(1800), 1 << 30));
    assert!(is_too_slow(seconds(1801), 1 << 40), "the database waits for it");
}

#[tokio::test]
async fn a_short_list_is_one_piece_and_no_stream() {
    let (_directory, db) = open();
    let (gate, ticket) = ticket(0).await;
    let response = shed::answer(ticket, list_for_test(&db, rows(3))).await.unwrap().unwrap();
    assert_eq!(response.body().size(), BodySize::Sized(3 * 1025 + 1));
    let empty = list_for_test(&db, rows(0)).await.unwrap();
    assert_eq!(to_bytes(empty.into_body()).await.unwrap(), "[]");
    assert_eq!(gate.shed(Reason::Streams), 0);
}

#[tokio::test]
async fn a_long_list_is_counted_while_it_is_sent() {
    let (_directory, db) = open();
    let (gate, first) = ticket(1).await;
    let response = shed::answer(first, list_for_test(&db, rows(1000))).await.unwrap().unwrap();
    assert_eq!((response.body().size(), gate.under_way().streams), (BodySize::Stream, 1));
    let refused = shed::answer(another(&gate).await, list_for_test(&db, rows(1000))).await.unwrap().unwrap_err();
    assert!(matches!(refused, Error(db::Error::Problem(problem)) if problem.kind.status() == 503));
    let bytes = to_bytes(response.into_body()).await.unwrap();
    assert_eq!((bytes.len(), bytes.last()), (1000 * 1025 + 1, Some(&b']')));
    assert_eq!(gate.under_way().streams, 0);
}

#[tokio::test]
async fn what_fails_halfway_is_cut_off() {
    let (_directory, db) = open();
    let fails = |conn: &mut Conn, all: &mut Rows| {
        rows(1000)(conn, all)?;
        Err(db::Error::Fault("halfway".to_owned()))
    };
    let response = list_for_test(&db, fails).await.unwrap();
    assert!(to_bytes(response.into_body()).await.is_err());
    let panics = |conn: &mut Conn, all: &mut Rows| {
        rows(1000)(conn, all)?;
        panic!("halfway");
    };
    let response = list_for_test(&db, panics).await.unwrap();
    assert!(to_bytes(response.into_body()).await.is_err(), "a part is never taken for the whole");
    assert!(list_for_test(&db, |_, _| Err(db::Error::Fault("at once".to_owned()))).await.is_err());
}
