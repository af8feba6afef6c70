//! What `muster migrate` says of the migrations of a database.

use base::timestamp::Timestamp;

use crate::{
    Backend,
    plan::{BackfillState, MigrationState, PendingMigration},
};

impl MigrationState {
    /// What `muster migrate --plan` prints.
    pub fn plan_text(&self, backend: Backend) -> String {
        let Self { applied, pending, backfills, .. } = self;
        let count = pending.len();
        let several = if count == 1 { "" } else { "s" };
        let is_beside_writers = backend == Backend::Postgres && !applied.is_empty();
        let mut lines = vec![match (count, is_beside_writers) {
            (0, _) => format!("Nothing to do: all {} migrations have run.", applied.len()),
            (_, true) => format!(
                "{count} migration{several} would run, one after the other: what one locks is locked until its end, \
                 and one that waits for a lock is tried again after half a second."
            ),
            (_, false) => {
                format!("{count} migration{several} would run, in one transaction: every writer waits until its end.")
            }
        }];
        for PendingMigration { name, steps, obstacle, fills } in pending {
            lines.push((*name).to_owned());
            lines.extend(obstacle.iter().map(|obstacle| format!("  refused: {obstacle}")));
            lines.extend(fills.iter().map(|BackfillState { name, left, .. }| match left {
                Some(left) => format!("  is preceded by the rest of the backfill {name}: {left} rows"),
                None => format!("  is preceded by the backfill {name}"),
            }));
            for step in steps {
                let (table, kind) = (&step.table, step.kind);
                lines.push(match (step.rows, backend) {
                    (None, _) => format!("  {table} {kind}"),
                    (Some(rows), Backend::Sqlite) => {
                        format!("  {table} {kind}: {rows} rows, {}", time(kind.seconds(rows)))
                    }
                    (Some(rows), Backend::Postgres) => {
                        format!("  {table} {kind}: {rows} rows, {}; {}", time(kind.seconds(rows)), kind.lock())
                    }
                });
            }
        }
        let unfinished = backfills.iter().filter(|backfill| backfill.progress.finished_ms.is_none());
        lines.extend(unfinished.map(|BackfillState { name, left, .. }| match left {
            Some(left) => format!("Gateways fill {name} in the background afterwards: {left} rows."),
            None => format!("Gateways fill {name} in the background afterwards."),
        }));
        lines.join("\n")
    }

    /// What `muster migrate --status` prints.
    pub fn status_text(&self) -> String {
        let Self { applied, pending, backfills, gateways, known, .. } = self;
        let ran = applied.iter().map(|(version, program)| match program {
            Some(program) => format!("ran      {version} (Muster {program})"),
            None => format!("ran      {version}"),
        });
        let waiting = pending.iter().map(|one| match &one.obstacle {
            Some(obstacle) => format!("pending  {}, refused: {obstacle}", one.name),
            None => format!("pending  {}", one.name),
        });
        let waits =
            if gateways.iter().any(|gateway| gateway.known < *known) { "waiting for older gateways, " } else { "" };
        let fills = backfills.iter().map(|BackfillState { name, progress, left }| {
            let done = progress.done;
            match (progress.finished_ms, left) {
                (Some(at_ms), _) => {
                    format!("backfill {name}: finished at {}, {done} rows", Timestamp::from_millis(at_ms))
                }
                (None, Some(left)) => format!("backfill {name}: {waits}{done} rows done, {left} to do"),
                (None, None) => format!("backfill {name}: {waits}{done} rows done"),
            }
        });
        let there = gateways.iter().map(|gateway| format!("gateway  of Muster {}: {}", gateway.program, gateway.id));
        let count = format!("{} ran, {} pending.", applied.len(), pending.len());
        ran.chain(waiting).chain(fills).chain(there).chain([count]).collect::<Vec<_>>().join("\n")
    }
}

/// How long something takes, roughly.
fn time(seconds: i64) -> String {
    if seconds < 1 { "less than a second".to_owned() } else { format!("some {seconds} s") }
}
