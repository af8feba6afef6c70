//! Rows of packed days. Every function takes the tenant.

use std::collections::HashMap;

use base::timestamp::DAY_MS;
use db::{Condition, Conn, Result, SqlQuery};
use diesel::{
    RunQueryDsl,
    prelude::*,
    sql_types::{BigInt, Binary, Text},
};

use super::{pack::FORMAT, record::day_of};
use crate::alerts::schema::alert_days;

/// The table, which each database fills for itself.
pub const TABLE: &str = "alert_days";

/// The format of a row whose content is being made.
const BEING_MADE: i64 = 0;

/// After how long it is made by another, if it is not there by then.
const LEASE_MS: i64 = 600_000;

/// The fewest alerts of a day for which a copy is kept.
pub const FEWEST: i64 = 20;

/// Days that one statement names at most.
const AT_ONCE: usize = 200;

/// A packed day, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedDay {
    /// Its number.
    pub day: i64,
    /// How many alerts it has.
    pub alerts: i64,
}

/// The packed days of a tenant from one to before another; those that have no alerts are none.
pub fn kept(conn: &mut Conn, tenant: &str, from: i64, to: i64) -> Result<Vec<PackedDay>> {
    use alert_days::dsl;
    let of_tenant = dsl::alert_days.filter(dsl::tenant_id.eq(tenant)).filter(dsl::format.eq(FORMAT));
    let within = of_tenant.filter(dsl::day.ge(from)).filter(dsl::day.lt(to)).filter(dsl::alerts.gt(0));
    let rows: Vec<(i64, i64)> = within.order(dsl::day).select((dsl::day, dsl::alerts)).load(conn)?;
    Ok(rows.into_iter().map(|(day, alerts)| PackedDay { day, alerts }).collect())
}

/// The contents of packed days of a tenant from one to another, both included.
pub fn contents(conn: &mut Conn, tenant: &str, first: i64, last: i64) -> Result<Vec<(i64, Vec<u8>)>> {
    let text = Condition::sql("SELECT day, content FROM alert_days WHERE tenant_id = ").text(tenant);
    let text = text.then(" AND day >= ").integer(first).then(" AND day <= ").integer(last);
    let text = text.then(" AND format = ").integer(FORMAT).then(" AND alerts > 0 ORDER BY day");
    Ok(SqlQuery::<(BigInt, Binary)>::of(text).load(conn)?)
}

/// Tenants that ever had alerts.
pub fn tenants(conn: &mut Conn, all_senders: &str) -> Result<Vec<String>> {
    let text = Condition::sql("SELECT tenant_id, sender FROM open_alerts WHERE sender = ").text(all_senders);
    let rows: Vec<(String, String)> = SqlQuery::<(Text, Text)>::of(text).load(conn)?;
    Ok(rows.into_iter().map(|(tenant, _)| tenant).collect())
}

/// Some days of a tenant, from one on and before another, that have [`FEWEST`] alerts or more and no copy.
pub fn missing(
    conn: &mut Conn,
    tenant: &str,
    (mut from, before): (i64, i64),
    now_ms: i64,
    most: usize,
) -> Result<Vec<i64>> {
    let known = known(conn, tenant, now_ms)?;
    let mut missing = Vec::new();
    while missing.len() < most {
        while known.contains_key(&from) {
            from += 1;
        }
        // So many alerts further on: between there are days with fewer.
        let text = Condition::sql("SELECT created_ms, tenant_id FROM alerts WHERE tenant_id = ").text(tenant);
        let text = text.then(" AND created_ms >= ").integer(from.saturating_mul(DAY_MS)).then(" AND created_ms < ");
        let text = text.integer(before.saturating_mul(DAY_MS)).then(" ORDER BY created_ms LIMIT 1 OFFSET ");
        let found = SqlQuery::<(BigInt, Text)>::of(text.integer(FEWEST - 1)).load::<(i64, String)>(conn)?;
        let Some((at_ms, _)) = found.first() else { break };
        if day_of(*at_ms) == from {
            missing.push(from);
            from += 1;
        } else {
            from = day_of(*at_ms);
        }
    }
    Ok(missing)
}

/// The days of a tenant that have a copy, or somebody who makes it.
fn known(conn: &mut Conn, tenant: &str, now_ms: i64) -> Result<HashMap<i64, i64>> {
    use alert_days::dsl;
    let being_made = dsl::format.eq(BEING_MADE).and(dsl::made_ms.gt(now_ms - LEASE_MS));
    let of_tenant = dsl::alert_days.filter(dsl::tenant_id.eq(tenant)).filter(dsl::format.eq(FORMAT).or(being_made));
    let rows: Vec<(i64, i64)> = of_tenant.select((dsl::day, dsl::format)).load(conn)?;
    Ok(rows.into_iter().collect())
}

/// Says that somebody makes the copies of some days. A change of one of their alerts is committed before that, and is
/// read then, or removes these rows.
pub fn begin(conn: &mut Conn, tenant: &str, days: &[i64], maker: &[u8], now_ms: i64) -> Result<()> {
    use alert_days::dsl;
    remove(conn, tenant, days)?;
    for day in days {
        let row = (
            dsl::tenant_id.eq(tenant),
            dsl::day.eq(*day),
            dsl::format.eq(BEING_MADE),
            dsl::made_ms.eq(now_ms),
            dsl::alerts.eq(0),
            dsl::content.eq(maker),
        );
        diesel::insert_into(alert_days::table).values(row).execute(conn)?;
    }
    Ok(())
}

/// Stores the copy of a day, unless it was removed meanwhile.
pub fn put(conn: &mut Conn, tenant: &str, kept: PackedDay, maker: &[u8], content: &[u8]) -> Result<()> {
    use alert_days::dsl;
    let own =
        dsl::alert_days.find((tenant, kept.day)).filter(dsl::format.eq(BEING_MADE)).filter(dsl::content.eq(maker));
    diesel::update(own)
        .set((dsl::format.eq(FORMAT), dsl::alerts.eq(kept.alerts), dsl::content.eq(content)))
        .execute(conn)?;
    Ok(())
}

/// Removes the copies of some days, before their alerts are other ones.
pub fn remove(conn: &mut Conn, tenant: &str, days: &[i64]) -> Result<()> {
    use alert_days::dsl;
    if days.is_empty() {
        return Ok(());
    }
    db::Lock::of("alertDays", tenant).take(conn)?;
    for days in days.chunks(AT_ONCE) {
        let these = dsl::alert_days.filter(dsl::tenant_id.eq(tenant)).filter(dsl::day.eq_any(days));
        diesel::delete(these).execute(conn)?;
    }
    Ok(())
}
