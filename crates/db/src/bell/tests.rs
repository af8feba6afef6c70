use std::sync::atomic::AtomicUsize;

use base::problem::Problem;
use diesel::connection::SimpleConnection as _;

use super::*;
use crate::{DatabaseUrl, Db, Options, savepoint};

#[test]
fn it_rings_once_for_a_commit_and_for_no_rollback() {
    static BELL: Bell = Bell::new();
    static OTHER: Bell = Bell::new();
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    let heard = Arc::new(AtomicUsize::new(0));
    let others = Arc::new(AtomicUsize::new(0));
    let count = |counter: &Arc<AtomicUsize>| {
        let counter = Arc::clone(counter);
        move || _ = counter.fetch_add(1, Ordering::SeqCst)
    };
    let listener = BELL.listen(count(&heard));
    let _other = OTHER.listen(count(&others));
    db.write_here(|conn| {
        BELL.ring_at_commit();
        BELL.ring_at_commit();
        Ok(conn.batch_execute("CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY)")?)
    })
    .unwrap();
    assert_eq!(heard.load(Ordering::SeqCst), 1);
    // A change that was rolled back alone does not ring.
    let refused = db.write_here(|_| {
        BELL.ring_at_commit();
        Err::<(), _>(Problem::invalid("no").into())
    });
    assert!(refused.is_err());
    db.write_here(|conn| savepoint(conn, |_| Ok(()))).unwrap();
    assert_eq!(heard.load(Ordering::SeqCst), 1);
    drop(listener);
    db.write_here(|_| {
        BELL.ring_at_commit();
        Ok(())
    })
    .unwrap();
    assert_eq!((heard.load(Ordering::SeqCst), others.load(Ordering::SeqCst)), (1, 0));
}

#[test]
fn what_it_tells_of_can_be_read() {
    static BELL: Bell = Bell::new();
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.write_here(|conn| Ok(conn.batch_execute("CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY)")?)).unwrap();
    let (told, hear) = std::sync::mpsc::channel();
    let told = Mutex::new(told);
    let _listener = BELL.listen(move || told.lock().unwrap().send(()).unwrap());
    for number in 0..50_i64 {
        db.write_here(move |conn| {
            BELL.ring_at_commit();
            Ok(conn.batch_execute(&format!("INSERT INTO t VALUES ({number})"))?)
        })
        .unwrap();
        hear.recv_timeout(std::time::Duration::from_secs(10)).unwrap();
        let found: i64 = db
            .read_here(|conn| {
                use diesel::RunQueryDsl as _;
                let row: Count = diesel::sql_query("SELECT count(*) AS number FROM t").get_result(conn)?;
                Ok(row.number)
            })
            .unwrap();
        assert_eq!(found, number + 1);
    }
}

#[derive(diesel::QueryableByName)]
struct Count {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    number: i64,
}
