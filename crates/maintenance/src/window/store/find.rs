//! Rows of windows that a search means.

use base::{Key, PageRequest, PageRows, query::Sort, timestamp::Timestamp};
use calendar::Interval;
use db::{Column, Condition, Conn, Result, SortBy, Sorts};
use diesel::prelude::*;

use crate::{
    course::Course,
    schema::maintenance_windows,
    window::{filter::Filter, row::Window},
};

/// What a search is sorted by.
pub const SORTS: Sorts<Window> = Sorts {
    by: &[
        SortBy::text("name", "maintenance_windows.name_key", |row| Key::from(&row.name_key)),
        SortBy::integer("createdDate", "maintenance_windows.created_ms", |row| Key::from(row.created_ms)),
        SortBy::integer("startTime", "maintenance_windows.opens_ms", |row| Key::from(row.opens_ms)),
    ],
    then: &[
        SortBy::text("id", "maintenance_windows.id", |row| Key::from(&row.id)),
        SortBy::text("", "maintenance_windows.tenant_id", |row| Key::from(&row.tenant_id)),
    ],
};

/// Windows that are worked out together.
const BATCH: i64 = 500;

fn condition(scope: &[String], filter: &Filter, only: Option<&[String]>) -> Condition {
    let mut all = vec![Condition::text_in("maintenance_windows.tenant_id IN", scope)];
    if !filter.ids.is_empty() {
        all.push(Condition::text_in("maintenance_windows.id IN", &filter.ids));
    }
    if let Some(only) = only {
        all.push(Condition::text_in("maintenance_windows.id IN", only));
    }
    if !filter.names.is_empty() {
        all.push(Condition::named("maintenance_windows.name_key", &filter.names, filter.exact));
    }
    if let Some(from) = filter.from {
        all.push(Condition::sql("maintenance_windows.closes_ms > ").integer(from.millis()));
    }
    if let Some(until) = filter.until {
        all.push(Condition::sql("maintenance_windows.opens_ms < ").integer(until.millis()));
    }
    // What is shown has whole seconds, and an end takes in all of its second.
    let end = |time: Timestamp| Timestamp::from_millis(time.millis().saturating_add(999));
    let ranges = [
        (filter.created.0, "maintenance_windows.created_ms >= "),
        (filter.created.1.map(end), "maintenance_windows.created_ms <= "),
        (filter.updated.0, "maintenance_windows.updated_ms >= "),
        (filter.updated.1.map(end), "maintenance_windows.updated_ms <= "),
    ];
    let bound = |(time, text): (Option<Timestamp>, &'static str)| Some(Condition::sql(text).integer(time?.millis()));
    all.extend(ranges.into_iter().filter_map(bound));
    Condition::all(all)
}

/// A page of the windows that a filter means, of those with the ids of `only`.
pub fn search(
    conn: &mut Conn,
    scope: &[String],
    filter: &Filter,
    only: Option<&[String]>,
    sort: Sort,
    walk: &PageRequest,
    now: Timestamp,
) -> Result<PageRows<Window>> {
    let condition = condition(scope, filter, only);
    let order = SORTS.order(sort);
    let keys = |window: &Window| SORTS.keys(sort, window);
    if filter.asks_for_times() {
        return worked_out(conn, &condition, &order, filter, walk, keys, now);
    }
    let total = walk.total(|| maintenance_windows::table.filter(condition.clone()).count().get_result(conn))?;
    let rows = slice(conn, &condition, &order, walk.after(), walk.offset(), walk.row_limit())?;
    Ok(walk.cut(rows, total, keys))
}

fn slice(
    conn: &mut Conn,
    condition: &Condition,
    order: &db::Order,
    after: Option<&[Key]>,
    skip: i64,
    most: i64,
) -> Result<Vec<Window>> {
    let query =
        maintenance_windows::table.filter(condition.clone()).filter(order.after(after)?).into_boxed::<db::Sql>();
    Ok(query.order(order.clone()).offset(skip).limit(most).load(conn)?)
}

/// The same for what only a window's course tells: windows are read batch by batch, and those that are meant counted.
fn worked_out(
    conn: &mut Conn,
    condition: &Condition,
    order: &db::Order,
    filter: &Filter,
    walk: &PageRequest,
    keys: impl Fn(&Window) -> Vec<Key>,
    now: Timestamp,
) -> Result<PageRows<Window>> {
    let counts = walk.after().is_none();
    let mut after = walk.after().map(<[Key]>::to_vec);
    let mut rows = Vec::new();
    let mut met = 0_i64;
    let is_full = |rows: &Vec<Window>| i64::try_from(rows.len()).is_ok_and(|count| count >= walk.row_limit());
    loop {
        let batch = slice(conn, condition, order, after.as_deref(), 0, BATCH)?;
        after = batch.last().map(&keys);
        let last = i64::try_from(batch.len()).is_ok_and(|count| count < BATCH);
        for window in batch {
            if !filter.takes(&window.course()?, now) {
                continue;
            }
            met += 1;
            if met > walk.offset() && !is_full(&rows) {
                rows.push(window);
            }
        }
        if last || (!counts && is_full(&rows)) {
            break;
        }
    }
    let total = walk.total(|| Ok::<_, db::Error>(met))?;
    Ok(walk.cut(rows, total, keys))
}

/// Goes through the windows that a filter means and that may be open within a range, a batch at a time.
pub fn each_open(
    conn: &mut Conn,
    scope: &[String],
    (filter, only): (&Filter, Option<&[String]>),
    range: Interval,
    now: Timestamp,
    mut each: impl FnMut(&Window, &Course) -> Result<()>,
) -> Result<()> {
    let condition = condition(scope, filter, only)
        .then(" AND maintenance_windows.closes_ms > ")
        .integer(range.start().millis())
        .then(" AND maintenance_windows.opens_ms < ")
        .integer(range.end().millis());
    let columns = [
        Column::Integer("maintenance_windows.closes_ms"),
        Column::Text("maintenance_windows.id"),
        Column::Text("maintenance_windows.tenant_id"),
    ];
    let order = db::Order::by(columns, false);
    let mut after: Option<Vec<Key>> = None;
    loop {
        let batch = slice(conn, &condition, &order, after.as_deref(), 0, BATCH)?;
        let last = i64::try_from(batch.len()).is_ok_and(|count| count < BATCH);
        for window in &batch {
            let course = window.course()?;
            if !filter.asks_for_times() || filter.takes(&course, now) {
                each(window, &course)?;
            }
        }
        after = batch.last().map(|row| vec![Key::from(row.closes_ms), Key::from(&row.id), Key::from(&row.tenant_id)]);
        if last {
            return Ok(());
        }
    }
}
