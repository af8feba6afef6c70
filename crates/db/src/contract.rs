//! Migrations that take something away (*contract*), and what has to be so before one runs.
//!
//! No gateway may run that needs what is taken away, and the backfills that the migration names have to be finished:
//! they read what is taken away. Where nobody else writes, on SQLite and in an empty database, they are done to their
//! end before it. On a Postgres in use that would make writers wait, so the migration is refused until the gateways of
//! the version before have done it.

use crate::{
    Backfill, BackfillState, Conn, Error, MigrationTexts, Migrations, Result, backfill, migrate::is_older, presence,
};

/// Refuses to start when a migration names a backfill that no domain declares, and so would never run.
pub(crate) fn check(domains: &[Migrations]) -> Result<()> {
    let all = domains.iter().flat_map(|domain| domain.all);
    all.map(|migration| backfills_of(migration, domains)).try_for_each(|found| found.map(drop))
}

/// The backfills that a migration relies on.
///
/// # Errors
/// A fault when it names one that no domain declares.
pub(crate) fn backfills_of(migration: &MigrationTexts, domains: &[Migrations]) -> Result<Vec<Backfill>> {
    let declared =
        |name: &str| domains.iter().flat_map(|domain| domain.backfills).find(|one| one.name == name).copied();
    let named = migration.backfills().map(|name| {
        let unknown =
            || Error::Fault(format!("migration {} names the backfill {name}, which nobody does", migration.name));
        declared(name).ok_or_else(unknown)
    });
    named.collect()
}

/// Those of them that are not finished.
pub(crate) fn unfinished_backfills(
    conn: &mut Conn,
    migration: &MigrationTexts,
    domains: &[Migrations],
) -> Result<Vec<BackfillState>> {
    let states = backfills_of(migration, domains)?.into_iter().map(|backfill| BackfillState::read(conn, &backfill));
    let states = states.collect::<Result<Vec<_>>>()?;
    Ok(states.into_iter().filter(|state| state.progress.finished_ms.is_none()).collect())
}

/// What keeps a migration from running on a Postgres in use, if anything does.
pub(crate) fn obstacle(conn: &mut Conn, migration: &MigrationTexts, domains: &[Migrations]) -> Result<Option<String>> {
    let (name, oldest) = (migration.name, migration.oldest_program());
    let gateways = presence::gateways(conn)?;
    if let Some(gateway) = gateways.iter().find(|gateway| is_older(&gateway.program, oldest)) {
        let program = &gateway.program;
        return Ok(Some(format!(
            "the migration {name} takes away what Muster {program} needs, and a gateway of that version runs on this \
             database: stop it, or upgrade it to Muster {oldest} first"
        )));
    }
    let unfinished = unfinished_backfills(conn, migration, domains)?;
    Ok(unfinished.first().map(|BackfillState { name: backfill, progress, left }| {
        let done = progress.done;
        let left = left.map_or(String::new(), |left| format!(", {left} to do"));
        format!(
            "the migration {name} takes away what the backfill {backfill} reads, which is not finished ({done} rows \
             done{left}): run gateways of Muster {oldest}, and no older one, until `muster migrate --status` says that \
             it is finished"
        )
    }))
}

/// Does the backfills that a migration relies on to their end, within its transaction: nobody else writes.
pub(crate) fn finish_backfills(conn: &mut Conn, migration: &MigrationTexts, domains: &[Migrations]) -> Result<()> {
    for backfill in backfills_of(migration, domains)? {
        backfill::finish(conn, &backfill)?;
        backfill::close(conn, backfill.name)?;
    }
    Ok(())
}

/// Ends the backfills that a migration relied on for good: what they read is not there any more.
pub(crate) fn close_backfills(conn: &mut Conn, migration: &MigrationTexts) -> Result<()> {
    migration.backfills().try_for_each(|name| backfill::close(conn, name))
}

#[cfg(test)]
mod tests;
