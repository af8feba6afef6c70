//! `muster migrate`.

use anyhow::bail;
use db::{Backend, MigrationState, PendingMigration};

use super::print;
use crate::{command_line::Migrate, domains};

/// Brings the tables up to date, or says what that would be.
pub fn migrate(arguments: &Migrate) -> anyhow::Result<()> {
    let Migrate { storage, plan, status } = arguments;
    if !plan && !status {
        return storage.open().map(drop);
    }
    storage.exists()?;
    let url = storage.url();
    let state = db::migration_state(&url, &domains::migrations())?;
    if *status {
        print(&status_of(&state))?;
    }
    if let Some(newer) = &state.newer {
        bail!("{}: {newer}", url.without_password());
    }
    if *plan { print(&plan_of(&state, url.backend())) } else { Ok(()) }
}

fn plan_of(MigrationState { applied, pending, .. }: &MigrationState, backend: Backend) -> String {
    if pending.is_empty() {
        return format!("Nothing to do: all {} migrations have run.", applied.len());
    }
    let locked = match backend {
        Backend::Sqlite => "every writer waits until its end",
        Backend::Postgres => "what a migration locks is locked until its end",
    };
    let count = pending.len();
    let several = if count == 1 { "" } else { "s" };
    let mut lines = vec![format!("{count} migration{several} would run, in one transaction: {locked}.")];
    for PendingMigration { name, steps } in pending {
        lines.push((*name).to_owned());
        for step in steps {
            let (table, kind) = (&step.table, step.kind);
            lines.push(match (step.rows, backend) {
                (None, _) => format!("  {table} {kind}"),
                (Some(rows), Backend::Sqlite) => format!("  {table} {kind}: {rows} rows"),
                (Some(rows), Backend::Postgres) => format!("  {table} {kind}: {rows} rows; {}", kind.lock()),
            });
        }
    }
    lines.join("\n")
}

fn status_of(MigrationState { applied, pending, .. }: &MigrationState) -> String {
    let ran = applied.iter().map(|(version, program)| match program {
        Some(program) => format!("ran      {version} (Muster {program})"),
        None => format!("ran      {version}"),
    });
    let waiting = pending.iter().map(|one| format!("pending  {}", one.name));
    let count = format!("{} ran, {} pending.", applied.len(), pending.len());
    ran.chain(waiting).chain([count]).collect::<Vec<_>>().join("\n")
}
