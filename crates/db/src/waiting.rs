//! The tenants that wait for a background worker, and how long each has waited.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use crate::{Db, DueRows, Result, numbers::LabelledValues};

/// What is due is late after this time; before that nothing is told of it.
const LATE_MS: i64 = 60_000;
/// How many tenants are told of at each worker: those that wait longest.
const TENANTS: usize = 20;

/// The workers, and which tenants wait for each.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<Vec<Worker>>);

struct Worker {
    name: &'static str,
    rows: DueRows,
    /// The tenants, each with how long it has waited, in milliseconds.
    waits: Vec<(String, i64)>,
}

impl Waiting {
    fn workers(&self) -> MutexGuard<'_, Vec<Worker>> {
        base::lock(&self.0)
    }

    fn labelled(&self) -> LabelledValues {
        let mut longest: BTreeMap<(&'static str, String), i64> = BTreeMap::new();
        for worker in self.workers().iter() {
            for (tenant, wait_ms) in &worker.waits {
                let known = longest.entry((worker.name, tenant.clone())).or_default();
                *known = (*known).max(*wait_ms);
            }
        }
        let labels = |worker, tenant| vec![("worker", Cow::Borrowed(worker)), ("tenant", Cow::Owned(tenant))];
        longest.into_iter().map(|((worker, tenant), wait_ms)| (labels(worker, tenant), wait_ms as f64 / 1e3)).collect()
    }
}

impl Db {
    /// Tells those who watch (`background_waiting_seconds`) which tenants have waited for a worker for more than a
    /// minute, as of the last [`measure_waiting`](Self::measure_waiting). `rows` are those that the worker takes; a
    /// worker may take several kinds.
    pub fn watch_due(&self, worker: &'static str, rows: DueRows) {
        let mut workers = self.0.waiting.workers();
        if workers.is_empty() {
            let waiting = Arc::clone(&self.0.waiting);
            let help = "How long work of a tenant that is late has waited for a worker";
            self.add_family("background_waiting_seconds", help, false, move || waiting.labelled());
        }
        workers.retain(|known| (known.name, known.rows.table, known.rows.only) != (worker, rows.table, rows.only));
        workers.push(Worker { name: worker, rows, waits: Vec::new() });
    }

    /// Looks which tenants wait for the workers.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn measure_waiting(&self, now_ms: i64) -> Result<()> {
        let kinds: Vec<DueRows> = self.0.waiting.workers().iter().map(|worker| worker.rows).collect();
        for rows in kinds {
            let late = self.read_here(|conn| rows.longest_due(conn, now_ms - LATE_MS, TENANTS))?;
            let waits = late.into_iter().map(|(tenant, due_ms)| (tenant, now_ms - due_ms)).collect();
            let mut workers = self.0.waiting.workers();
            if let Some(worker) = workers.iter_mut().find(|worker| worker.rows == rows) {
                worker.waits = waits;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection as _;

    use super::*;
    use crate::{DatabaseUrl, Options};

    #[test]
    fn what_is_late_is_told_by_worker_and_tenant() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.write_here(|conn| {
            conn.batch_execute(
                "CREATE TABLE work (tenant_id TEXT NOT NULL, due_ms BIGINT NOT NULL); \
                 CREATE INDEX work_due ON work (tenant_id, due_ms); \
                 INSERT INTO work VALUES ('a', 3000), ('a', 1000), ('b', 2000), ('c', 40000)",
            )?;
            Ok(())
        })
        .unwrap();
        db.watch_due("sender", DueRows { table: "work", due: "due_ms", only: "1 = 1" });
        let told = |now_ms| {
            db.measure_waiting(now_ms).unwrap();
            let families = db.families();
            let values = families.iter().flat_map(|family| &family.values);
            values.map(|(labels, wait)| format!("{} {} {wait}", labels[0].1, labels[1].1)).collect::<Vec<_>>()
        };
        assert!(told(60_000).is_empty());
        assert_eq!(told(63_500), ["sender a 62.5", "sender b 61.5"]);
        db.write_here(|conn| Ok(conn.batch_execute("DELETE FROM work WHERE tenant_id = 'a'")?)).unwrap();
        assert_eq!(told(64_000), ["sender b 62"]);
    }
}
