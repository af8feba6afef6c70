//! Places that are down: a site or a device group for which a machine stands whose own alert is open and critical.

use db::{Conn, Result};
use diesel::prelude::*;

use crate::schema::outages;

/// A place that is down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The alert that says so.
    pub alert: String,
    /// `site:3` or `deviceGroup:7`.
    pub place: String,
}

/// One row of `outages`.
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = outages, treat_none_as_default_value = false)]
struct Row {
    tenant_id: String,
    place: String,
    alert_id: String,
    since_ms: i64,
}

/// Says that these places are down by this alert, or are not any more.
pub fn set(conn: &mut Conn, tenant: &str, alert: &str, places: &[String], down: bool, now_ms: i64) -> Result<()> {
    let own = outages::table.filter(outages::tenant_id.eq(tenant)).filter(outages::alert_id.eq(alert));
    diesel::delete(own).execute(conn)?;
    if !down {
        return Ok(());
    }
    let row = |place: &String| Row {
        tenant_id: tenant.to_owned(),
        place: place.clone(),
        alert_id: alert.to_owned(),
        since_ms: now_ms,
    };
    db::insert_rows!(conn, outages::table, places.iter().map(row).collect::<Vec<_>>())
}

/// The outage of one of these places, the oldest of several.
pub fn of(conn: &mut Conn, tenant: &str, places: &[String]) -> Result<Option<Outage>> {
    use outages::dsl;
    let theirs = dsl::outages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::place.eq_any(places));
    let first: Option<Row> = theirs.order((dsl::since_ms, dsl::alert_id, dsl::place)).first(conn).optional()?;
    Ok(first.map(|row| Outage { alert: row.alert_id, place: row.place }))
}

/// Does this alert still say that something is down?
pub fn is_open(conn: &mut Conn, tenant: &str, alert: &str) -> Result<bool> {
    let own = outages::table.filter(outages::tenant_id.eq(tenant)).filter(outages::alert_id.eq(alert));
    Ok(own.select(outages::place).first::<String>(conn).optional()?.is_some())
}
