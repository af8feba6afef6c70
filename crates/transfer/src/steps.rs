//! A move that is under way, and the rounds in which it follows its source.

use anyhow::bail;
use db::OwnConnection;
use diesel::SqliteConnection;

use crate::{
    Contents,
    changes::{self, Mark},
    rows::{self, in_transaction, sqlite as to_sqlite},
    say,
    schema::Table,
    sqlite,
};

/// A round that wrote fewer rows is followed by the next step.
const FEW: u64 = 1_000;
/// While as many rounds follow each other that are larger, the service writes faster than can be followed.
const ROUNDS: usize = 50;

/// A move.
pub(crate) struct Move<'c> {
    pub(crate) source: OwnConnection,
    pub(crate) target: OwnConnection,
    pub(crate) tables: Vec<Table>,
    pub(crate) contents: &'c Contents,
    pub(crate) mark: Mark,
}

impl Move<'_> {
    pub(crate) fn source(&mut self) -> anyhow::Result<&mut SqliteConnection> {
        to_sqlite(&mut self.source.conn)
    }

    /// Brings the target to an instant of the source; gives how many rows that were.
    pub(crate) fn follow(&mut self) -> anyhow::Result<u64> {
        let Self { source, target, tables, contents, .. } = self;
        let source = to_sqlite(&mut source.conn)?;
        let round = sqlite::snapshot(source, |source| {
            in_transaction(&mut target.conn, |target| rows::follow(source, target, tables, &contents.words))
        })?;
        changes::trim(source, &round.done)?;
        Ok(round.rows)
    }

    /// Follows until little is left to do.
    pub(crate) fn follow_until_few(&mut self) -> anyhow::Result<()> {
        for _ in 0..ROUNDS {
            let rows = self.follow()?;
            if rows < FEW {
                return Ok(());
            }
            say(&format!("followed   {rows} rows that had changed"));
        }
        bail!("the service writes faster than can be followed: run `muster move` again when it writes less")
    }
}
