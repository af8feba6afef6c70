//! The databases that are measured. A large one takes minutes to make, so each is kept in `target/bench` for the next
//! run, as long as the server would still write the same rows into the same tables.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::{
    copies, moved,
    seed::{self, Seed},
    server::TENANT,
    sqlite::{self, Database},
    table::thousands,
};

/// Counted up when the copies are made in another way.
const FORMAT: u32 = 1;

const NEEDLES: &str = "needles.json";

/// Where databases are made and kept.
pub struct Store {
    root: PathBuf,
    seed: Seed,
    seeded: PathBuf,
}

/// A database with many resources.
pub struct Data {
    /// The server's data directory.
    pub directory: PathBuf,
    /// How many resources are listed.
    pub size: u32,
    /// What the filters find.
    pub needles: Value,
}

impl Store {
    /// Makes the seed of all databases in `temporary`, and removes those from `root` that the server would make
    /// otherwise now.
    pub fn open(root: &Path, temporary: &Path) -> Result<Self> {
        let seeded = temporary.join("seed");
        let seed = seed::plant(&seeded).context("putting the first resources into an empty database")?;
        let database = Database::open(&seed::database(&seeded))?;
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")?;
        let key = format!("{:016x}", fingerprint(&database)?);
        drop(database);
        let kept = root.join("data");
        fs::create_dir_all(&kept)?;
        for entry in fs::read_dir(&kept)? {
            let entry = entry?;
            if entry.file_name() != key.as_str() {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(Self { root: kept.join(key), seed, seeded })
    }

    /// The database with so many resources.
    pub fn database(&self, size: u32) -> Result<Data> {
        let directory = self.root.join(size.to_string());
        if !directory.join(NEEDLES).is_file() {
            self.make(&directory, size).with_context(|| format!("making a database of {size} resources"))?;
        }
        if moved::is_on() {
            moved::fill(&directory, &seed::database(&directory)).context("moving the rows to Postgres")?;
        }
        let needles = serde_json::from_slice(&fs::read(directory.join(NEEDLES))?)?;
        Ok(Data { directory, size, needles })
    }

    fn make(&self, directory: &Path, size: u32) -> Result<()> {
        let begun = Instant::now();
        eprint!("making a database of {} resources … ", thousands(f64::from(size)));
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
        fs::create_dir_all(directory)?;
        let file = seed::database(directory);
        fs::copy(seed::database(&self.seeded), &file)?;
        let database = Database::open(&file)?;
        copies::fill(&database, &self.seed, size)?;
        let mut needles = self.seed.needles.clone();
        for (name, sets) in [("newestTime", seed::NEWEST), ("oldestTime", seed::OLDEST)] {
            let id = needles[sets[0]][0].as_str().context("no needle")?.to_owned();
            let sql = "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', created_ms / 1000, 'unixepoch') FROM resources \
                 WHERE tenant_id = ? AND id = ?";
            let time = database.texts(sql, &[sqlite::Value::text(TENANT), sqlite::Value::text(&id)])?;
            needles[name] = time.first().context("no needle")?.as_str().into();
        }
        drop(database);
        // Or the kernel would write it back while something is measured.
        fs::File::open(&file)?.sync_all()?;
        let mib = fs::metadata(&file)?.len() >> 20;
        // Last, for a directory that has it is complete.
        fs::write(directory.join(NEEDLES), needles.to_string())?;
        eprintln!("{mib} MiB in {:.0} s", begun.elapsed().as_secs_f64());
        Ok(())
    }
}

impl Data {
    /// The SQLite file.
    pub fn file(&self) -> PathBuf {
        seed::database(&self.directory)
    }

    /// Ids of resources that are listed, all made alike.
    pub fn some_ids(&self, count: u32) -> Result<Vec<String>> {
        let sql = "SELECT id FROM resources WHERE tenant_id = ? AND host_name LIKE 'webapp-%' LIMIT ?";
        let count = sqlite::Value::Integer(i64::from(count));
        let ids = Database::open(&self.file())?.texts(sql, &[sqlite::Value::text(TENANT), count])?;
        ensure!(!ids.is_empty(), "no resources in {}", self.file().display());
        Ok(ids)
    }
}

/// Ids that are drawn anew for each seed, beside those of resources.
const DRAWN: [&str; 3] = ["site_id", "group_id", "resource_type_id"];

/// The same for two seeds into which the same server put the same resources: ids and times do not count.
fn fingerprint(database: &Database) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    FORMAT.hash(&mut hasher);
    for sql in ["SELECT sql FROM sqlite_schema ORDER BY name", "SELECT tbl || idx || stat FROM sqlite_stat1 ORDER BY 1"]
    {
        database.texts(sql, &[])?.hash(&mut hasher);
    }
    let ids = database.texts("SELECT id FROM resources ORDER BY rowid", &[])?;
    for table in copies::tables_of_resources(database)? {
        let columns = copies::columns(database, &table)?;
        for (number, id) in ids.iter().enumerate() {
            for row in copies::rows_of(database, &table, id)? {
                let counts = |column: &String| !column.ends_with("_ms") && !DRAWN.contains(&column.as_str());
                for (_, value) in columns.iter().zip(&row).filter(|(column, _)| counts(column)) {
                    let text = value.as_text().replace(id, &number.to_string());
                    (text, value.as_integer()).hash(&mut hasher);
                }
            }
        }
    }
    Ok(hasher.finish())
}
