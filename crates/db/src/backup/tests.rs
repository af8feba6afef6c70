use diesel::connection::SimpleConnection as _;

use super::*;

fn database(file: &Path, first_tenant: i64) {
    let mut conn = SqliteConnection::establish(&file.to_string_lossy()).unwrap();
    let tables = format!(
        "CREATE TABLE __diesel_schema_migrations (version TEXT); CREATE TABLE counters (name TEXT); \
             CREATE TABLE tenants (created_ms BIGINT); INSERT INTO __diesel_schema_migrations VALUES ('db0001'); \
             INSERT INTO tenants VALUES ({first_tenant}), ({first_tenant} + 7)"
    );
    conn.batch_execute(&tables).unwrap();
}

#[test]
fn a_copy_is_a_database_of_this_program() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let told = |name: &str| check_file(&file(name));
    database(&file("ours #1?%41.sqlite"), 5);
    assert_eq!(told("ours #1?%41.sqlite"), Ok(()));
    fs::write(file("empty"), "").unwrap();
    assert!(told("empty").unwrap_err().contains("it is empty"));
    fs::write(file("text"), "this is not a database, and longer than the header of one").unwrap();
    assert!(told("text").is_err());
    let mut foreign = SqliteConnection::establish(&file("foreign").to_string_lossy()).unwrap();
    foreign.batch_execute("CREATE TABLE tenants (created_ms BIGINT); INSERT INTO tenants VALUES (5)").unwrap();
    assert!(told("foreign").unwrap_err().contains("not a database of Muster"));
    assert!(told("missing").is_err() && !file("missing").exists());
}

#[test]
fn a_copy_is_restorable_where_this_program_starts_on_it() {
    let directory = tempfile::tempdir().unwrap();
    let after = |name: &str, change: &str| {
        let file = directory.path().join(name);
        database(&file, 5);
        SqliteConnection::establish(&file.to_string_lossy()).unwrap().batch_execute(change).unwrap();
        assert_eq!(check_file(&file), Ok(()));
        check_restorable(&file, &[])
    };
    assert_eq!(after("ours", ""), Ok(()));
    let newer = after("newer", "INSERT INTO __diesel_schema_migrations VALUES ('kb9999')").unwrap_err();
    assert!(newer.contains("kb9999"), "{newer}");
    let moved = "CREATE TABLE moved_to (id TEXT, url TEXT); INSERT INTO moved_to VALUES ('1', 'postgres://db/m')";
    let moved = after("moved", moved).unwrap_err();
    assert!(moved.contains("has moved to postgres://db/m"), "{moved}");
}

#[test]
fn copies_tell_whose_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    database(&file("one"), 5);
    database(&file("other"), 6);
    back_up(&DatabaseUrl::Sqlite(file("one")), &file("copy")).unwrap();
    let one = database_origin(&DatabaseUrl::Sqlite(file("one"))).unwrap();
    assert!(one.is_some());
    assert_eq!((copy_origin(&file("copy")), copy_origin(&file("one"))), (one, one));
    assert_ne!(copy_origin(&file("other")), one);
    fs::write(file("empty"), "").unwrap();
    assert_eq!((copy_origin(&file("empty")), copy_origin(&file("missing"))), (None, None));
    assert!(!file("missing").exists());
}
