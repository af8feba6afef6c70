//! What a move notes in its target, in a table that keeps gateways from starting there until it is gone.

use std::collections::BTreeMap;

use anyhow::Context as _;
use db::UNFINISHED_MOVE;
use diesel::{PgConnection, RunQueryDsl, connection::SimpleConnection as _, sql_query, sql_types::Text};
use serde_json::Value as Json;

use crate::{
    schema::Table,
    value::{Row, Value},
};

/// How far a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Rows are copied; indexes and foreign keys are not there.
    Copying,
    /// All rows are there, and those that change are followed.
    Following,
    /// The target has all that the source has, and the source takes no more writes, or is about to.
    Ready,
    /// The two differed: the target is of no use.
    Different,
}

impl Phase {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Copying, "copying"),
        (Self::Following, "following"),
        (Self::Ready, "ready"),
        (Self::Different, "different"),
    ];
}

/// The notes of a target, by name.
pub(crate) struct Notes(BTreeMap<String, String>);

impl Notes {
    /// Those of this database; `None` where no move has begun.
    pub(crate) fn read(conn: &mut PgConnection) -> anyhow::Result<Option<Self>> {
        let there: Vec<Row> =
            sql_query(format!("SELECT to_regclass('{UNFINISHED_MOVE}') IS NOT NULL AS found")).load(conn)?;
        if there.first().and_then(|row| row.0.first()) != Some(&Value::Integer(1)) {
            return Ok(None);
        }
        let rows: Vec<Row> = sql_query(format!("SELECT name, value FROM {UNFINISHED_MOVE}")).load(conn)?;
        let pair = |Row(values): Row| match <[Value; 2]>::try_from(values) {
            Ok([Value::Text(name), Value::Text(value)]) => Some((name, value)),
            _ => None,
        };
        Ok(Some(Self(rows.into_iter().filter_map(pair).collect())))
    }

    /// The move whose target this is.
    pub(crate) fn id(&self) -> Option<&str> {
        self.0.get("id").map(String::as_str)
    }

    pub(crate) fn phase(&self) -> anyhow::Result<Phase> {
        let word = self.0.get("phase").context("the target does not say how far its move is")?;
        let known = Phase::ALL.into_iter().find(|(_, known)| known == word);
        known.map(|(phase, _)| phase).with_context(|| format!("a move of a newer version: {word}"))
    }

    /// What makes the indexes and foreign keys that were dropped.
    pub(crate) fn definitions(&self) -> anyhow::Result<Vec<String>> {
        Ok(serde_json::from_str(self.0.get("definitions").map_or("[]", String::as_str))?)
    }

    /// How far a table is copied.
    pub(crate) fn copied(&self, table: &Table) -> anyhow::Result<CopyProgress> {
        let Some(text) = self.0.get(&format!("copied {}", table.name)) else { return Ok(CopyProgress::Nothing) };
        Ok(match serde_json::from_str(text)? {
            Json::Array(key) => CopyProgress::To(key.iter().map(Value::from_json).collect()),
            _ => CopyProgress::All,
        })
    }
}

/// How far a table is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CopyProgress {
    Nothing,
    /// To the row of this key.
    To(Vec<Value>),
    All,
}

/// Makes the table of notes, in the transaction that is open.
pub(crate) fn begin(conn: &mut PgConnection, id: &str, definitions: &[String]) -> anyhow::Result<()> {
    conn.batch_execute(&format!("CREATE TABLE {UNFINISHED_MOVE} (name TEXT PRIMARY KEY, value TEXT NOT NULL)"))?;
    note(conn, "id", id)?;
    note(conn, "definitions", &serde_json::to_string(definitions)?)?;
    note_phase(conn, Phase::Copying)
}

pub(crate) fn note_phase(conn: &mut PgConnection, phase: Phase) -> anyhow::Result<()> {
    let word = Phase::ALL.iter().find(|(known, _)| *known == phase).map_or("", |(_, word)| word);
    note(conn, "phase", word)
}

pub(crate) fn note_copied(conn: &mut PgConnection, table: &Table, copied: &CopyProgress) -> anyhow::Result<()> {
    let json = match copied {
        CopyProgress::Nothing => return Ok(()),
        CopyProgress::To(key) => Json::Array(key.iter().map(Value::to_json).collect()),
        CopyProgress::All => Json::Bool(true),
    };
    note(conn, &format!("copied {}", table.name), &json.to_string())
}

fn note(conn: &mut PgConnection, name: &str, value: &str) -> anyhow::Result<()> {
    let text = format!(
        "INSERT INTO {UNFINISHED_MOVE} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = \
         excluded.value"
    );
    sql_query(text).bind::<Text, _>(name).bind::<Text, _>(value).execute(conn)?;
    Ok(())
}

/// Removes the notes: gateways may start.
pub(crate) fn end(conn: &mut PgConnection) -> anyhow::Result<()> {
    Ok(conn.batch_execute(&format!("SET synchronous_commit = on; DROP TABLE IF EXISTS {UNFINISHED_MOVE}"))?)
}
