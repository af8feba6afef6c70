//! The switch: the last rows are written while writers of the source wait, and then the source takes no more.

use std::time::{Duration, Instant};

use anyhow::bail;
use diesel::connection::SimpleConnection as _;

use crate::{
    changes, definitions,
    progress::{self, Phase},
    rows::{self, in_transaction, postgres as to_postgres, sqlite as to_sqlite},
    say,
    steps::Move,
};

/// Writers of the service wait for 5 seconds, and are refused then: what takes longer than this is undone.
const LONGEST: Duration = Duration::from_secs(4);
/// With more notes than this the lock is not kept.
const FEW: i64 = 5_000;
/// How often it is tried.
const ATTEMPTS: usize = 5;

/// Switches.
pub(crate) fn run(this: &mut Move<'_>) -> anyhow::Result<()> {
    for _ in 0..ATTEMPTS {
        changes::lock(this.source()?)?;
        let held = Instant::now();
        let rows = match write_last_rows(this, held) {
            Ok(Some(rows)) => rows,
            Ok(None) => {
                this.source()?.batch_execute("ROLLBACK")?;
                this.follow_until_few()?;
                continue;
            }
            Err(error) => {
                this.source()?.batch_execute("ROLLBACK")?;
                return Err(error);
            }
        };
        let mark = this.mark.clone();
        let source = this.source()?;
        if let Err(error) = changes::end(source, &mark).and_then(|()| Ok(source.batch_execute("COMMIT")?)) {
            let _ = source.batch_execute("ROLLBACK");
            return Err(error);
        }
        let held = held.elapsed();
        progress::end(to_postgres(&mut this.target.conn)?)?;
        say(&format!(
            "switched   {rows} last rows; writers waited for {:.2} s, and are refused from now on",
            held.as_secs_f64()
        ));
        return Ok(());
    }
    bail!("the last rows took longer than {LONGEST:?} each time: run `muster move` again when the service writes less")
}

/// Writes what is left in one transaction, with which the target is ready; `None` where that is too much for now.
fn write_last_rows(this: &mut Move<'_>, held: Instant) -> anyhow::Result<Option<u64>> {
    let Move { source, target, tables, contents, .. } = this;
    let source = to_sqlite(&mut source.conn)?;
    if changes::count(source, tables)? > FEW {
        return Ok(None);
    }
    let done = in_transaction(&mut target.conn, |target| {
        let round = rows::follow(source, target, tables, &contents.words)?;
        let target = to_postgres(target)?;
        definitions::set_sequences(source, target, tables)?;
        definitions::defer_foreign_keys(target, false)?;
        progress::note_phase(target, Phase::Ready)?;
        if held.elapsed() > LONGEST {
            bail!(LockTimeout);
        }
        Ok(round.rows)
    });
    match done {
        Ok(rows) => Ok(Some(rows)),
        Err(error) if error.is::<LockTimeout>() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The lock was held for too long.
#[derive(Debug)]
struct LockTimeout;

impl std::fmt::Display for LockTimeout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the last rows took too long")
    }
}

impl std::error::Error for LockTimeout {}
