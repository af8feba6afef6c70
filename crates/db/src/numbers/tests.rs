use crate::{DatabaseUrl, Options};

use super::*;

fn open() -> (tempfile::TempDir, Db) {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    (directory, db)
}

#[test]
fn commits_are_counted_by_their_size() {
    let (_directory, db) = open();
    db.write_here(|_| Ok(())).unwrap();
    let refused: Result<()> = db.write_here(|_| Err(Error::Taken(String::new())));
    refused.unwrap_err();
    let writes = db.numbers().writes.unwrap();
    assert_eq!((writes.waiting, writes.committed), (0, 1));
    assert_eq!(writes.group_sizes, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_write_that_waits_is_counted() {
    let (_directory, db) = open();
    let waited = db.write_here({
        let db = db.clone();
        move |_| {
            let alone = db.is_waited_for();
            let other = db.clone();
            let thread = std::thread::spawn(move || other.write_here(|_| Ok(())));
            let begun = std::time::Instant::now();
            while !db.is_waited_for() && begun.elapsed() < std::time::Duration::from_secs(10) {
                std::thread::yield_now();
            }
            Ok((alone, db.is_waited_for(), thread))
        }
    });
    let (alone, with_another, thread) = waited.unwrap();
    thread.join().unwrap().unwrap();
    assert_eq!((alone, with_another, db.is_waited_for()), (false, true, false));
}

#[test]
fn the_pool_says_who_is_busy() {
    let (_directory, db) = open();
    db.read_here(|_| {
        let numbers = db.numbers();
        assert_eq!((numbers.connections - numbers.idle, numbers.most), (1, 8));
        Ok(())
    })
    .unwrap();
    // At once, since the pool opens another meanwhile.
    let numbers = db.numbers();
    assert_eq!(numbers.connections, numbers.idle);
}

#[test]
fn gauges_of_others() {
    let (_directory, db) = open();
    db.add_gauge("lag_seconds", "old", || Some(1.0));
    db.add_gauge("lag_seconds", "new", || Some(2.5));
    db.add_gauge("unknown", "nothing yet", || None);
    assert_eq!(db.gauges(), [("lag_seconds", "new", 2.5)]);
}

#[test]
fn families_of_others() {
    let (_directory, db) = open();
    db.add_family("rows", "old", true, Vec::new);
    db.add_family("rows", "new", false, || vec![(vec![("kind", "audit".into())], 2.0)]);
    let values = vec![(vec![("kind", "audit".into())], 2.0)];
    assert_eq!(db.families(), [Family { name: "rows", help: "new", is_counter: false, values }]);
}

#[test]
fn a_database_that_hangs_gathers_no_calls_without_end() {
    let (_directory, db) = open();
    let calls: Vec<_> = (0..MOST_CALLS).map(|_| db.call().unwrap()).collect();
    assert!(matches!(db.call(), Err(Error::Unavailable(_))));
    assert_eq!(db.numbers().calls, MOST_CALLS);
    drop(calls);
    assert_eq!(db.numbers().calls, 0);
}
