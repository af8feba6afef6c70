//! Queries for the tenants that have due rows.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};

use crate::{Conn, Prepared, Result};

/// Rows that are due at a time, in a table with an index that begins with `tenant_id` and goes on with that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueRows {
    /// The table.
    pub table: &'static str,
    /// Its column with the time, in milliseconds.
    pub due: &'static str,
    /// Which rows are in the index, as an SQL condition in the words of the index.
    pub only: &'static str,
}

#[derive(QueryableByName)]
struct Tenant {
    #[diesel(sql_type = Text)]
    id: String,
}

#[derive(QueryableByName)]
struct OverdueTenant {
    #[diesel(sql_type = Text)]
    id: String,
    #[diesel(sql_type = BigInt)]
    since: i64,
}

#[derive(QueryableByName)]
struct DueTime {
    #[diesel(sql_type = BigInt)]
    due_ms: i64,
}

impl DueRows {
    /// When the row of any tenant is due that is due first: the first entry of an index that begins with that time.
    pub fn first(&self, conn: &mut Conn) -> Result<Option<i64>> {
        let Self { table, due, only } = self;
        let query = format!("SELECT t.{due} AS due_ms FROM {table} t WHERE {only} ORDER BY t.{due} LIMIT 1");
        let first: Option<DueTime> = Prepared(sql_query(query)).load(conn)?.into_iter().next();
        Ok(first.map(|first| first.due_ms))
    }

    /// The same tenants as [`Self::tenants`], for a table with a second index that begins with the time: of an idle
    /// database no more is read than the first entry of it.
    pub fn tenants_if_due(&self, conn: &mut Conn, now_ms: i64) -> Result<Vec<String>> {
        match self.first(conn)?.is_some_and(|due_ms| due_ms <= now_ms) {
            true => self.tenants(conn, now_ms),
            false => Ok(Vec::new()),
        }
    }

    /// The tenants that have a row that is due, in the order of their ids. It costs a few steps in the index for each
    /// tenant that has rows in it, however many rows that are.
    pub fn tenants(&self, conn: &mut Conn, now_ms: i64) -> Result<Vec<String>> {
        let Self { table, due, only } = self;
        let owners = owners(table, only);
        let query = format!(
            "{owners} SELECT owners.id AS id FROM owners WHERE owners.id IS NOT NULL AND EXISTS (SELECT 1 FROM {table} \
             t \
             WHERE t.tenant_id = owners.id AND {only} AND t.{due} <= $1) ORDER BY owners.id"
        );
        let tenants: Vec<Tenant> = Prepared(sql_query(query).bind::<BigInt, _>(now_ms)).load(conn)?;
        Ok(tenants.into_iter().map(|tenant| tenant.id).collect())
    }

    /// The tenants with a row that was due at an instant, each with the time of its first one; the longest overdue
    /// first.
    pub fn longest_due(&self, conn: &mut Conn, at_ms: i64, most: usize) -> Result<Vec<(String, i64)>> {
        let Self { table, due, only } = self;
        let owners = owners(table, only);
        let query = format!(
            "{owners}, late (id, since) AS (SELECT owners.id, (SELECT t.{due} FROM {table} t WHERE t.tenant_id = \
             owners.id AND {only} \
             ORDER BY t.{due} LIMIT 1) FROM owners WHERE owners.id IS NOT NULL) \
             SELECT id, since FROM late WHERE since <= $1 ORDER BY since, id LIMIT $2"
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let overdue: Vec<OverdueTenant> =
            Prepared(sql_query(query).bind::<BigInt, _>(at_ms).bind::<BigInt, _>(most)).load(conn)?;
        Ok(overdue.into_iter().map(|tenant| (tenant.id, tenant.since)).collect())
    }
}

/// The beginning of a query: `owners (id)` are the tenants that have rows in an index of a table (called `t` in
/// `only`), found by going from one tenant to the next. The last id is NULL.
pub fn owners(table: &str, only: &str) -> String {
    format!(
        "WITH RECURSIVE owners (id) AS (SELECT (SELECT t.tenant_id FROM {table} t WHERE {only} ORDER BY t.tenant_id \
         LIMIT 1) \
         UNION ALL SELECT (SELECT t.tenant_id FROM {table} t WHERE t.tenant_id > owners.id AND {only} ORDER BY \
         t.tenant_id \
         LIMIT 1) FROM owners WHERE owners.id IS NOT NULL)"
    )
}
