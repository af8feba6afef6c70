//! What figures need of alerts, from the rows of alerts and of who was told of them. Every function takes the tenant.

use std::collections::{HashMap, HashSet};

use db::{Condition, Conn, Result, SqlQuery};
use diesel::{
    RunQueryDsl,
    sql_types::{BigInt, Nullable, Text},
};
use ports::PagedAlerts;

use super::record::{Recipients, Record, day_of, id_number, problem_number, seconds};

/// Alerts that one statement names at most.
const AT_ONCE: usize = 500;

/// Id, problem, resource, and when it was taken in, acknowledged and closed.
type Row = (String, String, Option<String>, i64, Option<i64>, Option<i64>);
type RowTypes = (Text, Text, Nullable<Text>, BigInt, Nullable<BigInt>, Nullable<BigInt>);

/// Alert, person, tenant and id of the roster, pages, step.
type Page = (String, String, String, String, i64, i64);

const SELECT: &str = "SELECT alerts.id, alerts.problem, alerts.resource_id, alerts.created_ms, alerts.acknowledged_ms, \
                      alerts.closed_ms FROM alerts WHERE alerts.tenant_id = ";

/// Which alerts of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertSelection {
    /// All of them.
    All,
    /// Those that are closed.
    Closed,
}

/// Takes an alert; `false` ends the reading.
pub type RecordVisitor<'a> = &'a mut dyn FnMut(Record) -> bool;

/// Reads alerts of a tenant.
pub struct Reader<'a> {
    tenant: &'a str,
    paged: PagedAlerts,
    waiting: Vec<Row>,
}

impl<'a> Reader<'a> {
    /// Of alerts of a tenant.
    pub const fn new(tenant: &'a str, paged: PagedAlerts) -> Self {
        Self { tenant, paged, waiting: Vec::new() }
    }

    /// Reads the alerts that were taken in within a range; the last of them wait for [`Reader::finish`]. False when
    /// that was ended, or when one has an id that the service did not make.
    pub fn range(
        &mut self,
        conn: &mut Conn,
        (from_ms, to_ms): (i64, i64),
        which: AlertSelection,
        take: RecordVisitor<'_>,
    ) -> Result<bool> {
        let (mut after_ms, mut after) = (from_ms, String::new());
        loop {
            let text = Condition::sql(SELECT).text(self.tenant).then(" AND alerts.created_ms >= ").integer(after_ms);
            let text = text.then(" AND alerts.created_ms < ").integer(to_ms);
            let text = text.then(" AND (alerts.created_ms > ").integer(after_ms).then(" OR alerts.id > ").text(after);
            let closed = if which == AlertSelection::Closed { " AND alerts.closed_ms IS NOT NULL" } else { "" };
            let text = text.then(")").then(closed).then(" ORDER BY alerts.created_ms, alerts.id LIMIT ");
            let rows: Vec<Row> = SqlQuery::<RowTypes>::of(text.integer(AT_ONCE as i64)).load(conn)?;
            let Some(last) = rows.last() else { return Ok(true) };
            (after_ms, after) = (last.3, last.0.clone());
            let is_last = rows.len() < AT_ONCE;
            self.waiting.extend(rows);
            if self.waiting.len() >= AT_ONCE && !self.finish(conn, take)? {
                return Ok(false);
            }
            if is_last {
                return Ok(true);
            }
        }
    }

    /// As [`Reader::range`], those that are open and were taken in on some days.
    pub fn open(&mut self, conn: &mut Conn, days: &HashSet<i64>, take: RecordVisitor<'_>) -> Result<bool> {
        let text = Condition::sql(SELECT).text(self.tenant).then(" AND alerts.closed_ms IS NULL");
        let mut rows = Vec::new();
        db::for_each_row(conn, SqlQuery::<RowTypes>::of(text), |row: Row| {
            if days.contains(&day_of(row.3)) {
                rows.push(row);
            }
            Ok::<_, db::Error>(())
        })?;
        // One after the other is given back.
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            self.waiting.extend(rows.by_ref().take(AT_ONCE));
            if !self.finish(conn, take)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes those that wait.
    pub fn finish(&mut self, conn: &mut Conn, take: RecordVisitor<'_>) -> Result<bool> {
        let waiting = std::mem::take(&mut self.waiting);
        for rows in waiting.chunks(AT_ONCE) {
            let mut told = self.told(conn, rows)?;
            for (id, problem, resource, created_ms, acknowledged_ms, closed_ms) in rows {
                let Some(number) = id_number(id) else { return Ok(false) };
                let record = Record {
                    id: number,
                    problem: problem_number(problem),
                    resource: resource.clone(),
                    acknowledged: acknowledged_ms.map(|end_ms| seconds(*created_ms, end_ms)),
                    closed: closed_ms.map(|end_ms| seconds(*created_ms, end_ms)),
                    told: told.remove(id).unwrap_or_default(),
                };
                if !take(record) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Who was told of these alerts.
    fn told(&self, conn: &mut Conn, rows: &[Row]) -> Result<HashMap<String, Recipients>> {
        let mut told: HashMap<String, Recipients> = HashMap::new();
        let these = || {
            let own = Condition::sql(" AS told WHERE told.tenant_id = ").text(self.tenant).then(" AND ");
            own.append(Condition::text_in("told.alert_id IN", rows.iter().map(|row| row.0.as_str())))
        };
        let text = Condition::sql(
            "SELECT told.alert_id, told.user_id, told.roster_tenant, told.roster_id, CAST(SUM(told.sent) AS BIGINT), \
             MAX(told.step) FROM ",
        );
        let text = text.then(self.paged.pages).append(these()).then(" GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4");
        for page in SqlQuery::<(Text, Text, Text, Text, BigInt, BigInt)>::of(text).load::<Page>(conn)? {
            add_page(&mut told, page);
        }
        let text = Condition::sql("SELECT told.alert_id, told.route_tenant, told.route_id FROM ");
        let text = text.then(self.paged.routes).append(these());
        let routes: Vec<(String, String, String)> = SqlQuery::<(Text, Text, Text)>::of(text).load(conn)?;
        for (alert, tenant, id) in routes {
            told.entry(alert).or_default().route = Some((tenant, id));
        }
        Ok(told)
    }
}

/// Adds the pages of an alert to a person through a roster. They come by person, then by roster.
fn add_page(told: &mut HashMap<String, Recipients>, (alert, person, tenant, roster, pages, step): Page) {
    let told = told.entry(alert).or_default();
    let pages = u32::try_from(pages).unwrap_or_default();
    told.pages += pages;
    told.escalated |= step > 0;
    if pages == 0 {
        return;
    }
    if !person.is_empty() {
        match told.people.last_mut().filter(|last| last.0 == person) {
            Some(last) => last.1 += pages,
            None => told.people.push((person, pages)),
        }
    }
    if !tenant.is_empty() {
        match told.rosters.iter_mut().find(|known| known.0 == tenant && known.1 == roster) {
            Some(known) => known.2 += pages,
            None => told.rosters.push((tenant, roster, pages)),
        }
    }
}
