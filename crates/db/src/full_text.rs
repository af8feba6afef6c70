//! Search for words, best matches first: FTS5 on SQLite, `tsvector` on Postgres.
//!
//! What a word is, [`base::text::words`] says for both, for what is stored and for what is searched: no text that a
//! caller sends is ever read as a query language. Every word is stored with its tenant in front: a search touches the
//! words of its tenants, and neither what it costs nor how it ranks depends on anybody else's.

use std::{
    collections::{BTreeMap, HashSet},
    marker::PhantomData,
};

use base::{
    Key, PageRequest,
    text::{self, words},
};
use diesel::{
    RunQueryDsl,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::QueryResult,
    sql_types::BigInt,
};

use crate::{Backend, Column, Condition, Conn, Order, Result, Sql};

/// Further words of a row are not found. FTS5 collects the words of a row in a hash table whose collisions a text can
/// provoke; this bounds what that costs, and is more than a long text has.
const MOST_WORDS: usize = 5_000;

/// What it counts that a wanted word begins a word of the title, is one, or is one of the content.
const POINTS: [&str; 3] = [" THEN 4 ELSE 0 END", " THEN 2 ELSE 0 END", " THEN 1 ELSE 0 END"];

/// Positions beyond these have no meaning to Postgres, and are refused.
const LAST_POSITION: usize = 16_383;
const MOST_POSITIONS: usize = 255;

/// A table with `tenant_id` and a `number` that is unique in the database, whose rows are found by their words.
#[derive(Clone, Copy, Debug)]
pub struct FullText {
    /// The table. On Postgres it has a column `words`, a `tsvector` with a GIN index.
    pub table: &'static str,
    /// On SQLite a contentless FTS5 table with the columns `title` and `content`, whose tokenizer divides none of the
    /// terms: `ascii tokenchars '_'`. That of Unicode divides those of some scripts.
    pub index: &'static str,
}

/// A row that was found: its score, larger is better, and its number.
pub type Hit = (i64, i64);

impl FullText {
    /// Stores the words of a row that is there, in place of those that it had.
    pub fn put(self, conn: &mut Conn, tenant: &str, number: i64, title: &str, content: &str) -> Result<()> {
        let mut seen = HashSet::new();
        let mut keys = |text: &str| -> Vec<String> {
            let known = |word: text::Word| {
                let is_known = seen.contains(&word.key) || (seen.len() < MOST_WORDS && seen.insert(word.key.clone()));
                is_known.then(|| term(tenant, &word.key))
            };
            words(text).filter_map(known).collect()
        };
        let title = keys(title);
        let content = keys(content);
        match Backend::of(conn) {
            Backend::Sqlite => {
                let delete = Condition::sql("DELETE FROM ").then(self.index).then(" WHERE rowid = ").integer(number);
                Statement::<()>::of(delete).execute(conn)?;
                let insert = Condition::sql("INSERT INTO ")
                    .then(self.index)
                    .then("(rowid, title, content) VALUES (")
                    .integer(number)
                    .then(", ")
                    .text(title.join(" "))
                    .then(", ")
                    .text(content.join(" "))
                    .then(")");
                Statement::<()>::of(insert).execute(conn)?;
            }
            Backend::Postgres => {
                let update = Condition::sql("UPDATE ")
                    .then(self.table)
                    .then(" SET words = CAST(")
                    .text(vector(&title, &content))
                    .then(" AS tsvector) WHERE tenant_id = ")
                    .text(tenant)
                    .then(" AND number = ")
                    .integer(number);
                Statement::<()>::of(update).execute(conn)?;
            }
        }
        Ok(())
    }

    /// A page of the rows of these tenants that have every one of `wanted` (folded words) at the start of a word, and
    /// meet `filter`; best first, among equals the latest. And how many there are.
    pub fn search(
        self,
        conn: &mut Conn,
        tenants: &[String],
        wanted: &[String],
        filter: &Condition,
        walk: &PageRequest,
    ) -> Result<(Vec<Hit>, i64)> {
        if wanted.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let hits = self.hits(Backend::of(conn), tenants, wanted);
        let from = |columns: &'static str| {
            hits.clone()
                .then("SELECT ")
                .then(columns)
                .then(" FROM hits JOIN ")
                .then(self.table)
                .then(" ON ")
                .then(self.table)
                .then(".number = hits.number WHERE ")
                .append(Condition::text_in("tenant_id IN", tenants))
                .then(" AND ")
                .append(filter.clone())
        };
        let total = walk.total(|| {
            let counted: Vec<(i64,)> = Statement::<(BigInt,)>::of(from("count(*)")).load(conn)?;
            Ok::<_, crate::Error>(counted.first().map_or(0, |(count,)| *count))
        })?;
        let order = Order::by([Column::Integer("hits.score"), Column::Integer("hits.number")], true);
        let page = from("hits.score, hits.number")
            .then(" AND ")
            .append(order.after(walk.after())?)
            .then(" ORDER BY hits.score DESC, hits.number DESC LIMIT ")
            .integer(walk.row_limit())
            .then(" OFFSET ")
            .integer(walk.offset());
        Ok((Statement::<(BigInt, BigInt)>::of(page).load(conn)?, total))
    }

    /// The keys of a hit, in the order of a search.
    pub fn keys((score, number): &Hit) -> Vec<Key> {
        vec![Key::from(*score), Key::from(*number)]
    }

    /// The rows that have every word, with their scores. A score depends on the row alone, or it would be another one
    /// on the next page: one of FTS5's own changes with every row that anybody adds.
    fn hits(self, backend: Backend, tenants: &[String], wanted: &[String]) -> Condition {
        let any = |word: &str, form: fn(&str) -> String, or: &str| {
            let terms: Vec<String> = tenants.iter().map(|tenant| form(&term(tenant, word))).collect();
            format!("({})", terms.join(or))
        };
        let of_all = |form: fn(&str) -> String, and: &str, or: &str| {
            let of_tenant = |tenant: &String| {
                let terms: Vec<String> = wanted.iter().map(|word| form(&term(tenant, word))).collect();
                format!("({})", terms.join(and))
            };
            tenants.iter().map(of_tenant).collect::<Vec<_>>().join(or)
        };
        let points = |has: &dyn Fn(String) -> Condition, queries: [&dyn Fn(&str) -> String; 3]| {
            let mut score = Condition::sql("0");
            for word in wanted {
                for (query, points) in queries.iter().zip(POINTS) {
                    score = score.then(" + CASE WHEN ").append(has(query(word))).then(points);
                }
            }
            score
        };
        match backend {
            Backend::Sqlite => {
                let whole: fn(&str) -> String = |term| format!("\"{term}\"");
                let begun: fn(&str) -> String = |term| format!("\"{term}\"*");
                let has = |query: String| {
                    Condition::sql("found.number IN (SELECT rowid FROM ")
                        .then(self.index)
                        .then(" WHERE ")
                        .then(self.index)
                        .then(" MATCH ")
                        .text(query)
                        .then(")")
                };
                let queries: [&dyn Fn(&str) -> String; 3] = [
                    &|word| format!("title : {}", any(word, begun, " OR ")),
                    &|word| format!("title : {}", any(word, whole, " OR ")),
                    &|word| format!("content : {}", any(word, whole, " OR ")),
                ];
                Condition::sql("WITH found(number) AS MATERIALIZED (SELECT rowid FROM ")
                    .then(self.index)
                    .then(" WHERE ")
                    .then(self.index)
                    .then(" MATCH ")
                    .text(of_all(begun, " AND ", " OR "))
                    .then("), hits(number, score) AS MATERIALIZED (SELECT found.number, ")
                    .append(points(&has, queries))
                    .then(" FROM found) ")
            }
            Backend::Postgres => {
                let has = |query: String| Condition::sql("words @@ CAST(").text(query).then(" AS tsquery)");
                let queries: [&dyn Fn(&str) -> String; 3] = [
                    &|word| any(word, |term| format!("'{term}':*A"), " | "),
                    &|word| any(word, |term| format!("'{term}':A"), " | "),
                    &|word| any(word, |term| format!("'{term}':D"), " | "),
                ];
                Condition::sql("WITH hits(number, score) AS MATERIALIZED (SELECT number, CAST(")
                    .append(points(&has, queries))
                    .then(" AS BIGINT) FROM ")
                    .then(self.table)
                    .then(" WHERE ")
                    .append(has(of_all(|term| format!("'{term}':*"), " & ", " | ")))
                    .then(") ")
            }
        }
    }
}

/// A word as it is stored.
fn term(tenant: &str, word: &str) -> String {
    format!("{tenant}_{word}")
}

/// The terms of a row as Postgres writes a `tsvector`. They are letters, digits and `_`, and need no escape.
fn vector(title: &[String], content: &[String]) -> String {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let weighted = title.iter().map(|term| (term, "A")).chain(content.iter().map(|term| (term, "")));
    for (place, (term, weight)) in weighted.enumerate() {
        let known = places.entry(term).or_default();
        if known.len() < MOST_POSITIONS {
            known.push(format!("{}{weight}", (place + 1).min(LAST_POSITION)));
        }
    }
    let terms: Vec<String> = places.iter().map(|(term, places)| format!("'{term}':{}", places.join(","))).collect();
    terms.join(" ")
}

/// A statement whose values are bound, and what its rows are.
struct Statement<ST> {
    text: Condition,
    rows: PhantomData<ST>,
}

impl<ST> Statement<ST> {
    fn of(text: Condition) -> Self {
        Self { text, rows: PhantomData }
    }
}

impl<ST> QueryFragment<Sql> for Statement<ST> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sql>) -> QueryResult<()> {
        self.text.walk_ast(out)
    }
}

impl<ST> QueryId for Statement<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST> Query for Statement<ST> {
    type SqlType = ST;
}

impl<ST> RunQueryDsl<Conn> for Statement<ST> {}

#[cfg(test)]
mod tests;
