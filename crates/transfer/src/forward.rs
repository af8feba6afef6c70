//! From SQLite to Postgres, in steps of which each can be taken up again.

use std::time::Instant;

use anyhow::{Context as _, bail};
use db::{Conn, DatabaseUrl};
use diesel::connection::SimpleConnection as _;

use crate::{
    Contents, Outcome,
    changes::{self, Mark},
    compare, definitions,
    postgres::{self, SESSION},
    progress::{self, CopyProgress, Notes, Phase},
    rows::{self, in_transaction, postgres as to_postgres, sqlite as to_sqlite},
    say, schema,
    steps::Move,
    switch, version,
};

/// Moves all rows and ends the writes to the source; goes on where an earlier run was cut off.
pub(crate) fn run(from: &DatabaseUrl, to: &DatabaseUrl, contents: &Contents) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    version::check(from, contents).context("the source")?;
    let mut source = db::connect(from).context("the source")?;
    let mut target = db::connect(to).context("the target")?;
    to_postgres(&mut target.conn)?.batch_execute(SESSION)?;
    hold_alone(&mut target.conn)?;
    let url = to.without_password();
    let notes = Notes::read(to_postgres(&mut target.conn)?)?;
    if let Some(moved) = changes::moved(to_sqlite(&mut source.conn)?)? {
        return finish(&mut target.conn, &moved, notes.as_ref(), &url);
    }
    let marked = changes::under_way(to_sqlite(&mut source.conn)?)?;
    let (mark, resumed) = match (marked, &notes) {
        (Some(mark), Some(notes)) if notes.id() == Some(&mark.id) => (mark, true),
        (_, Some(_)) => bail!("another move into {url} was not ended: take an empty database"),
        (Some(mark), None) if mark.url != url => {
            bail!("a move to {} is under way: end it, or give it up with `muster move --cancel`", mark.url)
        }
        (_, None) => (Mark { id: base_id(), url: url.clone() }, false),
    };
    if !resumed {
        migrate(to, contents)?;
    }
    version::check(to, contents).context("the target")?;
    let tables = schema::tables(to_sqlite(&mut source.conn)?, to_postgres(&mut target.conn)?, &contents.caches)?;
    let mut this = Move { source, target, tables, contents, mark };
    if resumed {
        say(&format!("going on with the move to {url}"));
    } else {
        this.begin(&url)?;
    }
    let outcome = this.go_on()?;
    if outcome == Outcome::Done {
        say(&format!("done after {:.1} s: start gateways with this --database-url", begun.elapsed().as_secs_f64()));
    }
    Ok(outcome)
}

/// What a move is known by in both databases.
fn base_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Two movers would copy into each other's rows.
fn hold_alone(target: &mut Conn) -> anyhow::Result<()> {
    let text = "SELECT CASE WHEN pg_try_advisory_lock(hashtextextended('muster move', 0)) THEN 'held' ELSE '' END";
    let held = postgres::texts(to_postgres(target)?, text)?;
    if held != ["held"] {
        bail!("another `muster move` works on this target");
    }
    Ok(())
}

/// The source takes no more writes: what was left to do is that the target says so, too.
fn finish(target: &mut Conn, moved: &Mark, notes: Option<&Notes>, url: &str) -> anyhow::Result<Outcome> {
    match notes {
        Some(notes) if notes.id() == Some(&moved.id) && notes.phase()? == Phase::Ready => {
            progress::end(to_postgres(target)?)?;
            say("the move had ended but for its mark in the target, which is gone now");
        }
        None if moved.url == url => say(&format!("the data has moved to {url} already")),
        _ => bail!("the data of this file has moved to {}", moved.url),
    }
    Ok(Outcome::Done)
}

fn migrate(url: &DatabaseUrl, contents: &Contents) -> anyhow::Result<()> {
    let options = db::Options { connections: 1, ..db::Options::default() };
    let db = db::Db::open(url, options).context("the target")?;
    db.migrate(&contents.migrations).context("the tables of the target")?;
    db.close();
    Ok(())
}

impl Move<'_> {
    /// Has changes of the source noted, and then takes the target.
    fn begin(&mut self, url: &str) -> anyhow::Result<()> {
        let target = to_postgres(&mut self.target.conn)?;
        if let Some(table) = postgres::first_with_rows(target, &self.tables)? {
            bail!("{url} is not empty: {table} has rows. Take an empty database");
        }
        changes::begin(to_sqlite(&mut self.source.conn)?, &self.tables, &self.mark)?;
        let (tables, id) = (&self.tables, &self.mark.id);
        postgres::transaction(target, "BEGIN", |target| {
            let definitions = definitions::drop_all(target, tables)?;
            progress::begin(target, id, &definitions)
        })?;
        say(&format!(
            "copying {} tables to {url}; a gateway that is started there now waits for the end",
            tables.len()
        ));
        Ok(())
    }

    /// Takes the steps that are left.
    fn go_on(&mut self) -> anyhow::Result<Outcome> {
        let notes = Notes::read(to_postgres(&mut self.target.conn)?)?.context("the target has no notes")?;
        match notes.phase()? {
            Phase::Different => bail!("this target differed from its source: take an empty database"),
            Phase::Copying => {
                self.copy(&notes)?;
                self.make_indexes(&notes)?;
            }
            Phase::Following | Phase::Ready => {
                let deferred = |target: &mut _| definitions::defer_foreign_keys(target, true);
                postgres::transaction(to_postgres(&mut self.target.conn)?, "BEGIN", deferred)?;
            }
        }
        to_postgres(&mut self.target.conn)?.batch_execute("SET synchronous_commit = on")?;
        self.follow_until_few()?;
        if !self.verify()? {
            return Ok(Outcome::Different);
        }
        self.follow_until_few()?;
        switch::run(self)?;
        Ok(Outcome::Done)
    }

    fn copy(&mut self, notes: &Notes) -> anyhow::Result<()> {
        for table in &self.tables {
            let from = notes.copied(table)?;
            if from == CopyProgress::All {
                continue;
            }
            let begun = Instant::now();
            let words = self.contents.words.iter().copied().find(|words| words.table == table.name);
            let source = to_sqlite(&mut self.source.conn)?;
            let copied = rows::copy(source, &mut self.target.conn, table, words, from)?;
            if copied > 0 {
                say(&format!("copied     {}: {copied} rows in {:.1} s", table.name, begun.elapsed().as_secs_f64()));
            }
        }
        Ok(())
    }

    /// Brings the rows to one instant, since only then unique indexes and foreign keys hold, and makes both.
    fn make_indexes(&mut self, notes: &Notes) -> anyhow::Result<()> {
        self.follow()?;
        let begun = Instant::now();
        let definitions = notes.definitions()?;
        let target = to_postgres(&mut self.target.conn)?;
        postgres::transaction(target, "BEGIN", |target| {
            definitions::make(target, &definitions)?;
            progress::note_phase(target, Phase::Following)
        })?;
        target.batch_execute("ANALYZE")?;
        say(&format!("made       {} indexes and keys in {:.1} s", definitions.len(), begun.elapsed().as_secs_f64()));
        Ok(())
    }

    /// Compares all tables as of one instant of the source. Where they differ the target is marked as useless, and the
    /// source is as it was.
    fn verify(&mut self) -> anyhow::Result<bool> {
        let begun = Instant::now();
        let Self { source, target, tables, contents, .. } = self;
        source.conn.batch_execute("BEGIN")?;
        let compared = in_transaction(&mut target.conn, |target| {
            rows::follow(to_sqlite(&mut source.conn)?, target, tables, &contents.words)
        })
        .and_then(|round| Ok((round, compare::all(&mut source.conn, &mut target.conn, tables)?)));
        source.conn.batch_execute("ROLLBACK")?;
        let (round, compared) = compared?;
        let different = compare::report(&compared);
        say(&format!("compared   in {:.1} s", begun.elapsed().as_secs_f64()));
        if different > 0 {
            progress::note_phase(to_postgres(&mut target.conn)?, Phase::Different)?;
            changes::cancel(to_sqlite(&mut source.conn)?)?;
            say("nothing was switched: the service goes on as before, and the target is of no use");
            return Ok(false);
        }
        changes::trim(to_sqlite(&mut source.conn)?, &round.done)?;
        Ok(true)
    }
}
