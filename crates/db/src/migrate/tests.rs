use super::*;
use crate::{DatabaseUrl, Db, Options, backend};

#[test]
fn an_older_program_leaves_a_newer_database_alone() {
    let directory = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::Sqlite(directory.path().join("test.sqlite"));
    let db = Db::open(&url, Options::default()).unwrap();
    let mut conn = backend::connect(&url).unwrap();
    assert_eq!(newer(&mut conn, &[OWN]).unwrap(), None, "an empty database is nobody's");
    assert!(!db.migrate(&[]).unwrap().is_empty());
    assert!(db.migrate(&[]).unwrap().is_empty());
    assert_eq!(newer(&mut conn, &[OWN]).unwrap(), None);

    let arrive = |conn: &mut Conn, version: &str, program: &str| {
        let text = "INSERT INTO __diesel_schema_migrations (version, program) VALUES (?, nullif(?, ''))";
        sql_query(text).bind::<Text, _>(version).bind::<Text, _>(program).execute(conn).unwrap();
    };
    arrive(&mut conn, "things0002", "");
    let told = db.migrate(&[]).unwrap_err().to_string();
    assert!(told.contains("a newer Muster (things0002)") && told.contains(PROGRAM), "{told}");
    arrive(&mut conn, "things0003", "9.9.0");
    arrive(&mut conn, "things0004", "9.10.0");
    let told = db.migrate(&[]).unwrap_err().to_string();
    assert!(told.contains("Muster 9.10.0 (things0004)"), "{told}");
    assert!(matches!(db.migrate(&[]), Err(Error::Unavailable(_))));
}

#[test]
fn an_older_program_runs_beside_what_only_adds() {
    let directory = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::Sqlite(directory.path().join("test.sqlite"));
    Db::open(&url, Options::default()).unwrap().migrate(&[]).unwrap();
    let mut conn = backend::connect(&url).unwrap();
    let mut refused = |version: &str, oldest: &str| {
        let columns = "INSERT INTO __diesel_schema_migrations (version, program, oldest_program) VALUES";
        sql_query(format!("{columns} (?, '99.2.0', ?)"))
            .bind::<Text, _>(version)
            .bind::<Text, _>(oldest)
            .execute(&mut conn)
            .unwrap();
        newer(&mut conn, &[OWN]).unwrap()
    };
    assert_eq!(refused("things0002", ""), None);
    assert_eq!(refused("things0003", "0.0.1"), None);
    assert_eq!(refused("things0004", PROGRAM), None);
    let told = refused("things0005", "99.1.0").unwrap();
    assert!(told.contains("Muster 99.1.0 (things0005)") && told.contains("start Muster 99.1.0, or"), "{told}");
}

#[test]
fn versions_are_of_one_domain_and_of_its_own() {
    assert!(check(&[OWN]).is_ok());
    assert!(check(&[OWN, Migrations { domain: "d", ..OWN }]).is_err(), "two domains have them");
    assert!(check(&[Migrations { domain: "things", ..OWN }]).is_err(), "they start with the name of another");
}

#[test]
fn versions_are_compared_as_numbers() {
    assert!(in_order("1.10.0") > in_order("1.9.9") && in_order("0.2.0-rc1") >= in_order("0.2.0"));
}
