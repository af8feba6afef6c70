//! The same on Postgres: while a part is measured there, each data directory has a database of its own on the tests'
//! Postgres, and a directory with rows in its SQLite file has them there too.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context as _, Result, ensure};
use muster_tests::{fresh_database, muster, postgres_program, psql};

use crate::sqlite::{Database, Row, Value};

/// The parts that are measured on Postgres as well. The others begin a Postgres of their own, or build.
pub const PARTS: [&str; 17] = [
    "points",
    "pages",
    "list",
    "memory",
    "filters",
    "bulk",
    "reports",
    "rosters",
    "maintenance",
    "jobs",
    "alerts",
    "heartbeats",
    "integrations",
    "paging",
    "writes",
    "overload",
    "start",
];

/// So many bytes are handed to psql at once.
const PIECE: usize = 1 << 20;

/// Rows may come before those that they refer to.
const ANY_ORDER: &str = "SET session_replication_role = replica";

static ON: AtomicBool = AtomicBool::new(false);
static URLS: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// Does so with every server that is started meanwhile on Postgres.
pub fn on_postgres<T>(what: impl FnOnce() -> T) -> T {
    ON.store(true, Ordering::Relaxed);
    let done = what();
    ON.store(false, Ordering::Relaxed);
    done
}

/// Are servers started on Postgres?
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The database of a data directory: an empty one when it has none yet.
pub fn url(directory: &Path) -> String {
    let mut urls = URLS.lock().unwrap_or_else(PoisonError::into_inner);
    urls.entry(directory.to_owned()).or_insert_with(fresh_database).clone()
}

/// How many bytes that database has.
pub fn size(directory: &Path) -> Result<u64> {
    Ok(psql(&url(directory), "SELECT pg_database_size(current_database())").trim().parse()?)
}

/// What psql prints for a script.
pub fn run(url: &str, script: &str) -> Result<String> {
    let mut command = Command::new(postgres_program("psql").context("psql is not installed")?);
    command.args(["-XqtA", "-v", "ON_ERROR_STOP=1", "-d", url]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("psql reads nothing")?;
    std::thread::scope(|scope| {
        // Both ways at once, or each would wait for the other. One that failed reads no more, and says why below.
        scope.spawn(move || drop(input.write_all(script.as_bytes())));
        text_of(child.wait_with_output()?, "psql")
    })
}

/// The statements that make a database like this one, as pg_dump writes them.
pub fn dump(url: &str, options: &[&str]) -> Result<String> {
    let mut command = Command::new(postgres_program("pg_dump").context("pg_dump is not installed")?);
    text_of(command.args(options).args(["-d", url]).stdin(Stdio::null()).output()?, "pg_dump")
}

fn text_of(output: Output, program: &str) -> Result<String> {
    ensure!(output.status.success(), "{program}: {:.500}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// All rows of a query, as texts.
pub fn rows(url: &str, sql: &str) -> Result<Vec<Row>> {
    let printed = run(url, &format!("COPY ({sql}) TO STDOUT;\n"))?;
    Ok(printed.lines().map(|line| line.split('\t').map(value).collect()).collect())
}

/// A value in the text format of COPY.
fn value(written: &str) -> Value<'static> {
    if written == "\\N" {
        return Value::Null;
    }
    let mut text = String::with_capacity(written.len());
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('v') => '\u{b}',
                Some(other) => other,
                None => break,
            },
            letter => letter,
        });
    }
    Value::Text(Cow::Owned(text))
}

/// Fills the database of a data directory with what is in its SQLite file; once.
pub fn fill(directory: &Path, file: &Path) -> Result<()> {
    if URLS.lock().unwrap_or_else(PoisonError::into_inner).contains_key(directory) {
        return Ok(());
    }
    let url = url(directory);
    let migrated = muster().args(["migrate", "--database-url", &url, "--data-dir"]).arg(directory).output()?;
    ensure!(migrated.status.success(), "muster migrate: {}", String::from_utf8_lossy(&migrated.stderr));
    let source = Database::open(file)?;
    let there = psql(&url, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'");
    let there: BTreeSet<&str> = there.lines().filter(|name| !name.starts_with('_')).collect();
    let tables = source.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", &[])?;
    // Notes of what changed are numbered by each database in its own way.
    let tables: Vec<String> =
        tables.into_iter().filter(|name| there.contains(name.as_str()) && name != "resource_changes").collect();
    // What the migrations wrote is among the rows.
    psql(&url, &format!("TRUNCATE {}", tables.join(", ")));
    for table in &tables {
        copy(&source, &url, table).with_context(|| format!("the rows of {table}"))?;
    }
    psql(&url, "VACUUM ANALYZE");
    Ok(())
}

/// The rows of a table, as psql reads them.
fn copy(source: &Database, url: &str, table: &str) -> Result<()> {
    let columns = source.texts("SELECT name FROM pragma_table_info(?)", &[Value::text(table)])?;
    let program = postgres_program("psql").context("psql is not installed")?;
    let sql = format!("\\copy {table} ({}) FROM STDIN", columns.join(", "));
    let mut command = Command::new(program);
    let mut child = command
        .args(["-Xq", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", ANY_ORDER, "-c", &sql])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().context("psql reads nothing")?;
    let mut text = String::new();
    source.prepare(&format!("SELECT * FROM {table}"))?.each(&[], |row| {
        line(&mut text, &row);
        if text.len() > PIECE {
            input.write_all(text.as_bytes())?;
            text.clear();
        }
        Ok(())
    })?;
    input.write_all(text.as_bytes())?;
    drop(input);
    ensure!(child.wait()?.success(), "psql does not take them");
    Ok(())
}

/// A row in the text format of COPY.
fn line(text: &mut String, row: &[Value<'_>]) {
    for (place, value) in row.iter().enumerate() {
        if place > 0 {
            text.push('\t');
        }
        match value {
            Value::Null => text.push_str("\\N"),
            Value::Integer(number) => text.push_str(&number.to_string()),
            Value::Blob(bytes) => {
                text.push_str("\\\\x");
                bytes.iter().for_each(|byte| text.push_str(&format!("{byte:02x}")));
            }
            Value::Text(written) => written.chars().for_each(|letter| match letter {
                '\\' => text.push_str("\\\\"),
                '\t' => text.push_str("\\t"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                letter => text.push(letter),
            }),
        }
    }
    text.push('\n');
}
