//! Many resources, made of few: the rows that the server wrote for each template are copied, with other names,
//! addresses and times, into the tables that the server made. Indexes are dropped and made again, which is faster.

use anyhow::{Context as _, Result, ensure};

use crate::{
    seed::{NEWEST, OLDEST, Seed},
    server::TENANT,
    slots::{Mould, Own},
    sqlite::{Database, Row, Value},
};

const DAY: i64 = 86_400_000;

/// Fast, and unsafe; the file is thrown away when this fails.
const PRAGMAS: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; \
     PRAGMA cache_size = -600000; PRAGMA threads = 2;";

/// What the copies are found by, and how many there are.
struct Copies {
    ids: Vec<[u8; 36]>,
    /// The first of those that are history.
    listed: u32,
    /// Templates that are listed; copies take turns.
    turns: u32,
    /// The time of the newest resource that the server made.
    now: i64,
}

/// Adds copies until `size` resources are listed, and an eighth as many in history.
pub fn fill(database: &Database, seed: &Seed, size: u32) -> Result<()> {
    database.execute(PRAGMAS)?;
    let number = |sql: &str| -> Result<i64> { Ok(database.rows(sql, &[])?[0][0].as_integer()) };
    let there = number("SELECT count(*) FROM resources WHERE state <> 'decommissioned'")?;
    let now = number("SELECT max(created_ms) / 1000 * 1000 FROM resources")?;
    let listed = size.checked_sub(u32::try_from(there)?).with_context(|| format!("a size below {there}"))?;
    let turns = u32::try_from(seed.templates.iter().filter(|template| !template.history).count())?;
    let ids = (0..listed + size / 8).map(uuid).collect();
    let copies = Copies { ids, listed, turns, now };

    database.execute("BEGIN")?;
    let statistics = database.rows("SELECT tbl, idx, stat FROM sqlite_stat1", &[])?;
    let indexes = indexes(database)?;
    for (name, _) in &indexes {
        database.execute(&format!("DROP INDEX {name}"))?;
    }
    for table in tables_of_resources(database)? {
        copies.fill_table(database, seed, &table)?;
    }
    copies.set_times(database, seed)?;
    for (_, sql) in &indexes {
        database.execute(sql)?;
    }
    // Dropping an index took its statistics along.
    database.execute("DELETE FROM sqlite_stat1")?;
    let mut insert = database.prepare("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)")?;
    for row in &statistics {
        insert.run(row)?;
    }
    drop(insert);
    database.execute("COMMIT; PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL;")
}

/// Names and texts of the indexes that are not part of a table.
fn indexes(database: &Database) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for table in tables_of_resources(database)? {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?";
        let rows = database.rows(sql, &[Value::text(&table)])?;
        found.extend(rows.iter().map(|row| (row[0].as_text().to_owned(), row[1].as_text().to_owned())));
    }
    Ok(found)
}

/// The tables that have rows of resources, `resources` first.
pub fn tables_of_resources(database: &Database) -> Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_schema s WHERE type = 'table' AND EXISTS \
         (SELECT 1 FROM pragma_table_info(s.name) WHERE name = 'tenant_id') AND (name = 'resources' OR EXISTS \
         (SELECT 1 FROM pragma_table_info(s.name) WHERE name = 'resource_id')) \
         AND name <> 'resource_changes' ORDER BY name <> 'resources', name";
    database.texts(sql, &[])
}

/// The columns of a table.
pub fn columns(database: &Database, table: &str) -> Result<Vec<String>> {
    database.texts("SELECT name FROM pragma_table_info(?)", &[Value::text(table)])
}

/// The rows that a table has of a resource.
pub fn rows_of(database: &Database, table: &str, id: &str) -> Result<Vec<Row>> {
    let column = if table == "resources" { "id" } else { "resource_id" };
    let sql = format!("SELECT * FROM {table} WHERE tenant_id = ? AND {column} = ?");
    database.rows(&sql, &[Value::text(TENANT), Value::text(id)])
}

/// The text that inserts a row.
pub fn insertion(table: &str, columns: usize) -> String {
    format!("INSERT INTO {table} VALUES ({})", vec!["?"; columns].join(", "))
}

impl Copies {
    fn fill_table(&self, database: &Database, seed: &Seed, table: &str) -> Result<()> {
        let columns = columns(database, table)?;
        let mut moulds: Vec<(usize, Mould)> = Vec::new();
        for (number, template) in seed.templates.iter().enumerate() {
            let rows = rows_of(database, table, &template.id)?;
            moulds.extend(rows.iter().map(|row| (number, Mould::new(&columns, row, &template.id))));
        }
        let mut insert = database.prepare(&insertion(table, columns.len()))?;
        if table != "resources" {
            let order = self.order(database, table)?;
            for (template, mould) in &moulds {
                for number in order.iter().filter(|number| self.template_of(**number) == *template) {
                    insert.run(&mould.cast(&self.own(*number)?))?;
                }
            }
            return Ok(());
        }
        ensure!(moulds.len() == seed.templates.len(), "a template is gone");
        for number in 0..u32::try_from(self.ids.len())? {
            insert.run(&moulds[self.template_of(number)].1.cast(&self.own(number)?))?;
        }
        Ok(())
    }

    /// In which order rows are written: that of the key, whether it has the resource's id in it or not.
    fn order(&self, database: &Database, table: &str) -> Result<Vec<u32>> {
        let mut order: Vec<u32> = (0..u32::try_from(self.ids.len())?).collect();
        let sql = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 AND name = 'resource_id'";
        if !database.texts(sql, &[Value::text(table)])?.is_empty() {
            order.sort_unstable_by_key(|number| self.ids[*number as usize]);
        }
        Ok(order)
    }

    /// The template in history is the last.
    fn template_of(&self, number: u32) -> usize {
        (if number < self.listed { number % self.turns } else { self.turns }) as usize
    }

    /// Copies appeared one after the other, over more than a year that ended ten days ago.
    fn own(&self, number: u32) -> Result<Own<'_>> {
        let id = std::str::from_utf8(&self.ids[number as usize])?;
        let (place, of) = match number.checked_sub(self.listed) {
            None => (number, self.listed),
            Some(place) => (place, u32::try_from(self.ids.len())? - self.listed),
        };
        let time = self.now - 390 * DAY + 380 * DAY * i64::from(place) / i64::from(of);
        Ok(Own { number, id, time })
    }

    /// Everything about the newest needles happened now, about the oldest long ago, about all others in between.
    fn set_times(&self, database: &Database, seed: &Seed) -> Result<()> {
        let columns = columns(database, "resources")?;
        let set: Vec<String> = columns
            .iter()
            .filter(|column| column.ends_with("_ms"))
            .map(|column| format!("{column} = iif({column} IS NULL, NULL, ?1)"))
            .collect();
        let sql = format!("UPDATE resources SET {} WHERE tenant_id = ?2 AND id = ?3", set.join(", "));
        let mut update = database.prepare(&sql)?;
        let mut set = |id: &str, time: i64| update.run(&[Value::Integer(time), Value::text(TENANT), Value::text(id)]);
        for template in &seed.templates {
            set(&template.id, self.now - 200 * DAY)?;
        }
        for (kind, ids) in seed.needles.as_object().into_iter().flatten() {
            let time = match kind.as_str() {
                kind if NEWEST.contains(&kind) => self.now,
                kind if OLDEST.contains(&kind) => self.now - 400 * DAY,
                _ => self.now - 100 * DAY,
            };
            for id in ids.as_array().into_iter().flatten().filter_map(|id| id.as_str()) {
                set(id, time)?;
            }
        }
        Ok(())
    }
}

/// A UUID that is the same in each run, and in no order.
fn uuid(number: u32) -> [u8; 36] {
    let mut state = u64::from(number).wrapping_mul(0x2545_f491_4f6c_dd1d);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let bits = u128::from(next()) << 64 | u128::from(next());
    let high = bits >> 64;
    let low = bits & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    let text = format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32 & 0xffff_ffff,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 48,
        low & 0xffff_ffff_ffff
    );
    let mut id = [0; 36];
    id.copy_from_slice(text.as_bytes());
    id
}
