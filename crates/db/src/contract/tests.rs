use diesel::{RunQueryDsl as _, sql_query};

use super::*;
use crate::{BackfillStep, DatabaseUrl, Db, Options, Presence, migration_state, presence::now};

const FIRST: MigrationTexts = text(
    "things0001_things",
    "CREATE TABLE things (id BIGINT NOT NULL PRIMARY KEY, old TEXT NOT NULL); \
     INSERT INTO things VALUES (1, 'a'), (2, 'b'), (3, 'c')",
);
const EXPAND: MigrationTexts = text("things0002_new", "ALTER TABLE things ADD COLUMN new TEXT");
const CONTRACT: MigrationTexts =
    text("things0003_no_old", "-- contract: 0.0.9\n-- backfill: things-new\nALTER TABLE things DROP COLUMN old");

const NEW: Backfill = Backfill {
    name: "things-new",
    left: |conn, cursor| {
        let text = format!("SELECT count(*) AS count FROM things WHERE id > {}", number(cursor));
        Ok(sql_query(text).get_result::<crate::migrate::Count>(conn)?.count)
    },
    lock: |_, _| Ok(()),
    step: |conn, cursor, most| {
        let (from, most) = (number(cursor), i64::try_from(most).unwrap().min(2));
        let text = format!("UPDATE things SET new = old WHERE id > {from} AND id <= {}", from + most);
        let rows = sql_query(text).execute(conn)?;
        Ok(BackfillStep { rows, cursor: (rows > 0).then(|| (from + most).to_string()) })
    },
};

const fn text(name: &'static str, text: &'static str) -> MigrationTexts {
    MigrationTexts { name, sqlite: text, postgres: text }
}

fn number(cursor: &str) -> i64 {
    cursor.parse().unwrap_or(0)
}

/// The versions N, N + 1 and N + 2 of a program.
fn version(number: usize) -> [Migrations; 1] {
    const ALL: [&[MigrationTexts]; 3] = [&[FIRST], &[FIRST, EXPAND], &[FIRST, EXPAND, CONTRACT]];
    const BACKFILLS: [&[Backfill]; 3] = [&[], &[NEW], &[NEW]];
    [Migrations { domain: "things", all: ALL[number], backfills: BACKFILLS[number], partitioned: &[] }]
}

struct Fixture {
    db: Db,
    url: DatabaseUrl,
    _directory: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(directory.path().join("t.sqlite"));
        Self { db: Db::open(&url, Options::default()).unwrap(), url, _directory: directory }
    }

    fn obstacle(&self) -> Option<String> {
        self.db.write_here(|conn| obstacle(conn, &CONTRACT, &version(2))).unwrap()
    }

    /// One of these versions says that it is there, as on Postgres.
    fn arrive(&self, program: &'static str) {
        let now = now(self.url.backend());
        let text = format!("INSERT INTO gateways VALUES ('{program}', '{program}', 1, {now})");
        self.db.write_here(move |conn| Ok(sql_query(text).execute(conn)?)).unwrap();
    }

    /// Another version does a step.
    fn step(&self, number: usize) -> bool {
        let presence = Presence::new(self.db.clone(), "gateway".to_owned(), &version(number));
        let expected = self.db.backfill_progress(NEW.name).unwrap();
        let done = self.db.step_backfill(&presence, &NEW, &expected, 2, 1_000).unwrap();
        done.is_some_and(|(progress, _)| progress.finished_ms.is_some())
    }

    fn values(&self) -> String {
        #[derive(diesel::QueryableByName)]
        struct Values {
            #[diesel(sql_type = diesel::sql_types::Text)]
            all: String,
        }
        let text = "SELECT group_concat(new, ' ' ORDER BY id) AS \"all\" FROM things";
        self.db.read_here(|conn| Ok(sql_query(text).get_result::<Values>(conn)?.all)).unwrap()
    }
}

#[test]
fn a_contract_is_refused_while_an_older_gateway_runs_or_its_backfill_is_not_finished() {
    let fixture = Fixture::new();
    fixture.db.migrate(&version(1)).unwrap();
    let unfinished = |done, left| {
        format!(
            "the migration things0003_no_old takes away what the backfill things-new reads, which is not finished \
             ({done} rows done, {left} to do): run gateways of Muster 0.0.9, and no older one, until `muster migrate \
             --status` says that it is finished"
        )
    };
    assert_eq!(fixture.obstacle(), Some(unfinished(0, 3)));
    assert!(!fixture.step(1));
    assert_eq!(fixture.obstacle(), Some(unfinished(2, 1)));
    assert!(!fixture.step(1) && fixture.step(1));
    assert_eq!(fixture.obstacle(), None);
    // A gateway of N + 2 beside one of N.
    fixture.arrive("0.0.8");
    let beside = "the migration things0003_no_old takes away what Muster 0.0.8 needs, and a gateway of that version \
                  runs on this database: stop it, or upgrade it to Muster 0.0.9 first";
    assert_eq!(fixture.obstacle().as_deref(), Some(beside));
}

#[test]
fn no_step_is_done_while_an_older_gateway_is_there() {
    let fixture = Fixture::new();
    fixture.db.migrate(&version(1)).unwrap();
    fixture.arrive("0.0.8");
    assert!(!fixture.step(1));
    assert_eq!(fixture.db.backfill_progress(NEW.name).unwrap(), crate::BackfillProgress::default());
}

#[test]
fn who_skips_a_version_where_nobody_else_writes_has_the_backfill_done_before_the_contract() {
    let fixture = Fixture::new();
    fixture.db.migrate(&version(0)).unwrap();
    let plan = migration_state(&fixture.url, &version(2)).unwrap();
    let text = plan.plan_text(fixture.url.backend());
    assert!(
        text.contains("things0003_no_old\n  is preceded by the rest of the backfill things-new: 3 rows\n"),
        "{text}"
    );
    assert_eq!(fixture.db.migrate(&version(2)).unwrap(), ["things0002", "things0003"]);
    assert_eq!(fixture.values(), "a b c");
    let finished = fixture.db.backfill_progress(NEW.name).unwrap();
    assert_eq!((finished.done, finished.finished_ms.is_some()), (3, true));
    // Nor does it begin in a database that has never had what it reads.
    let fresh = Fixture::new();
    fresh.db.migrate(&version(2)).unwrap();
    assert!(fresh.db.backfill_progress(NEW.name).unwrap().finished_ms.is_some());
}

#[test]
fn a_contract_that_names_an_unknown_backfill_is_a_fault() {
    let fixture = Fixture::new();
    let told = fixture.db.migrate(&[Migrations { backfills: &[], ..version(2)[0] }]).unwrap_err().to_string();
    assert!(told.contains("things0003_no_old names the backfill things-new"), "{told}");
}
