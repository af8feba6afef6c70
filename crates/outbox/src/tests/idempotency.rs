//! Stored answers for repeated requests.

use base::timestamp::Timestamp;

use super::{NOW, fixture};
use crate::idempotency;

#[test]
fn an_answer_is_kept_for_its_request_alone_and_for_a_day() {
    let fixture = fixture();
    let request = |body: &[u8]| idempotency::Request {
        tenant_id: "client_1".into(),
        caller: "key".into(),
        key: "k-1".into(),
        fingerprint: idempotency::Request::fingerprint("POST", "/x", body),
        is_report: false,
    };
    let stored = idempotency::Stored { etag: Some(3), body: "{}".into() };
    let first = request(b"a");
    let answer = stored.clone();
    fixture.db.write_here(move |conn| idempotency::insert(conn, &first, &answer, NOW)).unwrap();
    let find = |request: idempotency::Request, now: i64| {
        fixture.db.write_here(move |conn| idempotency::find(conn, &request, Timestamp::from_millis(now)))
    };
    assert_eq!(find(request(b"a"), NOW.millis() + 1).unwrap(), Some(stored));
    assert!(matches!(find(request(b"b"), NOW.millis() + 1), Err(db::Error::Problem(_))));
    assert_eq!(find(request(b"a"), NOW.millis() + idempotency::KEPT_MS + 1).unwrap(), None);
}

#[test]
fn what_was_begun_is_not_begun_again() {
    let fixture = fixture();
    let request = idempotency::Request {
        tenant_id: "client_1".into(),
        caller: "key".into(),
        key: "k-1".into(),
        fingerprint: idempotency::Request::fingerprint("POST", "/x", b"a"),
        is_report: false,
    };
    let other = idempotency::Request { fingerprint: "other".into(), ..request.clone() };
    let begin = |request: &idempotency::Request| {
        let request = request.clone();
        fixture.db.write_here(move |conn| idempotency::begin(conn, &request, NOW))
    };
    let refused = |request: &idempotency::Request| match begin(request) {
        Err(db::Error::Problem(problem)) => problem.kind.status(),
        other => panic!("{other:?}"),
    };
    assert_eq!(begin(&request).unwrap(), None);
    assert_eq!((refused(&request), refused(&other)), (409, 422));
    let abandoned = request.clone();
    fixture.db.write_here(move |conn| idempotency::abandon(conn, &abandoned)).unwrap();
    assert_eq!(begin(&request).unwrap(), None, "it did nothing");
    let answer = idempotency::Stored { etag: None, body: "{}".into() };
    let finished = request.clone();
    let stored = answer.clone();
    fixture.db.write_here(move |conn| idempotency::finish(conn, &finished, &stored)).unwrap();
    let late = request.clone();
    fixture.db.write_here(move |conn| idempotency::abandon(conn, &late)).unwrap();
    assert_eq!(begin(&request).unwrap(), Some(answer), "an answer stays");
}

#[test]
fn a_report_is_a_retry_of_the_last_one_under_its_key_alone() {
    let fixture = fixture();
    let request = |body: &[u8]| idempotency::Request {
        tenant_id: "client_1".into(),
        caller: "inbound".into(),
        key: "fixed".into(),
        fingerprint: idempotency::Request::fingerprint("POST", "/x", body),
        is_report: true,
    };
    // Whether it counts as a report of its own.
    let report = |body: &[u8], after_ms: i64| {
        let now = Timestamp::from_millis(NOW.millis() + after_ms);
        let request = request(body);
        let found = fixture.db.write_here(move |conn| {
            let found = idempotency::find(conn, &request, now)?;
            if found.is_none() {
                idempotency::insert(conn, &request, &idempotency::Stored { etag: None, body: "{}".into() }, now)?;
            }
            Ok(found)
        });
        found.unwrap().is_none()
    };
    assert!(report(b"down", 0));
    assert!(!report(b"down", 1_000), "sent again");
    assert!(report(b"up", 2_000), "something else under the same key");
    assert!(report(b"down", 3_000), "down once more");
    assert!(!report(b"down", 3_000 + 60_000), "a minute later");
    assert!(report(b"down", 3_001 + 60_000), "said again, not sent again");
}
