use base::{NumberedPage, cursor::List};
use diesel::connection::SimpleConnection as _;
use proptest::prelude::*;

use super::*;
use crate::{DatabaseUrl, Db, Options};

const TEXTS: FullText = FullText { table: "texts", index: "text_words" };

fn database(directory: &tempfile::TempDir) -> Db {
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.write_here(|conn| {
        conn.batch_execute(
            "CREATE TABLE texts (tenant_id TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (tenant_id, number));
                 CREATE VIRTUAL TABLE text_words USING fts5(title, content, content = '',
                     contentless_delete = 1, tokenize = \"ascii tokenchars '_'\");
                 INSERT INTO texts VALUES ('client_1', 1), ('client_1', 2), ('client_2', 3);",
        )?;
        TEXTS.put(conn, "client_1", 1, "Disk is full", "Empty the trash.")?;
        TEXTS.put(conn, "client_1", 2, "Printer", "The disk of the printer; client_2 is not a tenant here")?;
        TEXTS.put(conn, "client_2", 3, "Disk", "Secret")
    })
    .unwrap();
    db
}

fn matching_ids(db: &Db, tenants: &[&str], text: &str) -> Vec<i64> {
    let tenants: Vec<String> = tenants.iter().map(|id| (*id).to_owned()).collect();
    let wanted: Vec<String> = words(text).map(|word| word.key).collect();
    let walk = PageRequest::numbered(NumberedPage { page_no: 1, page_size: 10 }, List::default());
    let (hits, total) =
        db.read_here(|conn| TEXTS.search(conn, &tenants, &wanted, &Condition::sql("1 = 1"), &walk)).unwrap();
    assert_eq!(i64::try_from(hits.len()).unwrap(), total);
    hits.into_iter().map(|(_, number)| number).collect()
}

#[test]
fn titles_count_more_and_tenants_are_apart() {
    let directory = tempfile::tempdir().unwrap();
    let db = database(&directory);
    assert_eq!(matching_ids(&db, &["client_1"], "DISK"), [1, 2]);
    assert_eq!(matching_ids(&db, &["client_1"], "pri dis"), [2]);
    assert_eq!(matching_ids(&db, &["client_1", "client_2"], "secret"), [3]);
    assert!(matching_ids(&db, &["client_1"], "secret").is_empty());
    assert!(matching_ids(&db, &["client_1"], "…").is_empty());
    db.write_here(|conn| TEXTS.put(conn, "client_1", 1, "Renamed", "")).unwrap();
    assert_eq!(matching_ids(&db, &["client_1"], "disk"), [2]);
}

#[test]
fn a_vector_has_weights_and_positions() {
    let terms = |words: &[&str]| words.iter().map(|word| term("client_1", word)).collect::<Vec<_>>();
    let text = vector(&terms(&["disk", "full"]), &terms(&["disk"]));
    assert_eq!(text, "'client_1_disk':1A,3 'client_1_full':2A");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_can_be_stored_and_searched(title: String, content: String, query: String) {
        let directory = tempfile::tempdir().unwrap();
        let db = database(&directory);
        let stored = title.clone();
        let text = content.clone();
        db.write_here(move |conn| TEXTS.put(conn, "client_1", 1, &stored, &text)).unwrap();
        matching_ids(&db, &["client_1"], &query);
        if words(&title).next().is_some() {
            prop_assert!(matching_ids(&db, &["client_1"], &title).contains(&1), "{:?}", title);
        }
    }
}

#[test]
fn marks_and_letters_that_are_symbols_are_parts_of_words() {
    let directory = tempfile::tempdir().unwrap();
    let db = database(&directory);
    db.write_here(|conn| {
        TEXTS.put(conn, "client_1", 1, "हिन्दी Ⓐ", "")?;
        TEXTS.put(conn, "client_1", 2, "हाना हवा", "Ⓑ")
    })
    .unwrap();
    for (text, found) in [("हि", vec![1]), ("हा", vec![2]), ("ह", vec![2, 1]), ("Ⓐ", vec![1]), ("🄱", vec![])]
    {
        assert_eq!(matching_ids(&db, &["client_1"], text), found, "{text}");
    }
}
