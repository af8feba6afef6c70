//! The thread that reads holiday calendars at their URLs, every six hours.
//!
//! Tenants take turns ([`TenantTurns`]), one calendar of each at a time; a host that does not answer keeps the others
//! waiting for no longer than one reading may take. Any number of gateways do this beside each other: what one takes is
//! due again a few minutes later, unless it has stored what it read by then.

use std::{collections::HashMap, sync::Arc, time::Duration};

use api::Resource as _;
use base::timestamp::Timestamp;
use db::{Db, Error, Result};
use futures_util::future::join_all;
use outbox::{Background, TenantTurns, Tx};
use ports::ReadsUrls;
use tokio::runtime::Runtime;

use super::{
    row::{CalendarRow, HolidayCalendar},
    rules::{self, AGAIN_MS, FAILED_AGAIN_MS},
    store,
    wire::{LONGEST_ICS, NewHoliday, by_date},
};

/// How many tenants have their turn together.
const AT_ONCE: usize = 32;
/// For so long nobody else reads a calendar that was taken.
const TAKEN_MS: i64 = 300_000;
/// How long to wait between two turns.
const IDLE: Duration = Duration::from_secs(1);

/// The days at a URL, or why they could not be read.
struct ReadCalendar {
    taken: CalendarRow,
    days: std::result::Result<Vec<NewHoliday>, String>,
}

/// Starts the thread that reads calendars of holidays. `clock` tells the time.
///
/// # Errors
/// When there is no further thread.
pub fn start_holiday_reader(
    db: Db,
    reads: Arc<dyn ReadsUrls>,
    clock: impl Fn() -> Timestamp + Send + 'static,
) -> std::io::Result<Background> {
    let mut turns = TenantTurns::of_rows(&db, "holiday-calendars", &[store::DUE]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Background::repeat("holiday-calendars", IDLE, "reading holiday calendars", move || {
        turn(&db, &mut turns, &runtime, &*reads, &clock)
    })
}

/// Reads what is due, a calendar of each tenant; true when there may be more.
fn turn(
    db: &Db,
    turns: &mut TenantTurns,
    runtime: &Runtime,
    reads: &dyn ReadsUrls,
    clock: &impl Fn() -> Timestamp,
) -> Result<bool> {
    let now = clock();
    let mut tenants = db.read_here(|conn| store::DUE.tenants(conn, now.millis()))?;
    let more = tenants.len() > AT_ONCE;
    tenants.truncate(AT_ONCE);
    if tenants.is_empty() {
        return Ok(false);
    }
    let mut taken: Vec<CalendarRow> = Vec::new();
    let take = move |tx: &mut Tx<'_>, tenant: &str, (): ()| {
        store::take_due(tx.conn, tenant, now.millis(), now.millis().saturating_add(TAKEN_MS))
    };
    turns.serve_each(db, tenants, now, |_| Ok(Some(())), take, |_, row| taken.extend(row))?;
    let read = runtime.block_on(join_all(taken.into_iter().map(|taken| read(reads, taken, now))));
    let mut found: HashMap<String, ReadCalendar> =
        read.into_iter().map(|read| (read.taken.tenant_id.clone(), read)).collect();
    let mut tenants: Vec<String> = found.keys().cloned().collect();
    tenants.sort_unstable();
    let any = !tenants.is_empty();
    let keep = |tx: &mut Tx<'_>, _: &str, read: ReadCalendar| keep(tx, &read);
    turns.serve_each(db, tenants, clock(), |tenant| Ok(found.remove(tenant)), keep, |_, ()| {})?;
    Ok(more || any)
}

async fn read(reads: &dyn ReadsUrls, taken: CalendarRow, now: Timestamp) -> ReadCalendar {
    let url = taken.url.clone().unwrap_or_default();
    let days = match reads.read(&url, LONGEST_ICS).await {
        Ok(bytes) => rules::read_ics(&String::from_utf8_lossy(&bytes), now).map_err(|message| format!("it {message}")),
        Err(error) => Err(error.why),
    };
    ReadCalendar { taken, days }
}

/// Stores what was read, unless the calendar has another URL meanwhile.
fn keep(tx: &mut Tx<'_>, read: &ReadCalendar) -> Result<()> {
    let CalendarRow { tenant_id, id, url, .. } = &read.taken;
    let tenants = std::slice::from_ref(tenant_id);
    let now_ms = tx.now.millis();
    let found = HolidayCalendar::find(tx.conn, tenants, id)?;
    let Some(old) = found.filter(|found| found.url == *url) else { return Ok(()) };
    let error = match &read.days {
        Err(message) => message.clone(),
        Ok(days) => {
            let days = by_date(days.clone());
            if days == old.days {
                return store::note_read(tx.conn, &old.row, now_ms, now_ms.saturating_add(AGAIN_MS));
            }
            match tx.attempt(|tx| replace(tx, &old, days.clone())) {
                Err(Error::Problem(problem)) => problem.to_string(),
                done => return done,
            }
        }
    };
    store::note_error(tx.conn, &old.row, now_ms.saturating_add(FAILED_AGAIN_MS), &error)
}

/// Gives a calendar the days that were read.
fn replace(tx: &mut Tx<'_>, old: &HolidayCalendar, days: rules::Days) -> Result<()> {
    store::lock(tx.conn, &old.tenant_id)?;
    let row = CalendarRow {
        version: old.version + 1,
        updated_ms: tx.now.millis(),
        due_ms: Some(tx.now.millis().saturating_add(AGAIN_MS)),
        read_ms: Some(tx.now.millis()),
        error: None,
        ..old.row.clone()
    };
    let new = HolidayCalendar { row, days, owners: old.owners.clone() };
    store::update(tx.conn, &new, tx.now)?;
    tx.record_change(Some(old), Some(&new))
}
