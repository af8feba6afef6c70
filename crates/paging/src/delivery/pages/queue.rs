//! Pages that are to be sent: the two lines of them, who has what in hand, and what waits.

use std::collections::BTreeMap;

use db::{Condition, Conn, DueRows, Result};
use diesel::prelude::*;

use super::store::{Row, SUMMARISED};
use crate::schema::pages;

/// Pages, and messages of shifts.
pub const PAGES: DueRows =
    DueRows { table: "pages", due: "due_ms", only: "due_ms IS NOT NULL AND kind NOT IN ('code', 'test')" };
/// Codes and tests: nobody is woken by them.
pub const CODES: DueRows =
    DueRows { table: "pages", due: "due_ms", only: "due_ms IS NOT NULL AND kind IN ('code', 'test')" };

/// All of them.
pub const ALL: DueRows = DueRows { table: "pages", due: "due_ms", only: "due_ms IS NOT NULL" };

/// A page that is due, and where it goes.
#[derive(Clone, Debug, Queryable)]
pub struct Due {
    pub tenant_id: String,
    pub id: String,
    pub user_id: String,
    pub method_tenant: String,
    pub method_id: String,
    pub channel: String,
}

/// Up to `most` that are due of one line and tenant, those to some contact methods left out.
pub fn due(
    conn: &mut Conn,
    line: DueRows,
    tenant: &str,
    now_ms: i64,
    without: &[String],
    most: usize,
) -> Result<Vec<Due>> {
    use pages::dsl;
    let due = Condition::sql(line.only).then(" AND pages.due_ms <= ").integer(now_ms);
    let own = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(due).filter(dsl::method_id.ne_all(without));
    let columns = (dsl::tenant_id, dsl::id, dsl::user_id, dsl::method_tenant, dsl::method_id, dsl::channel);
    let order = own.order((dsl::due_ms, dsl::id)).limit(i64::try_from(most).unwrap_or(i64::MAX));
    Ok(order.select(columns).load(conn)?)
}

/// Those of these pages of a tenant that are due still.
pub fn still_due(conn: &mut Conn, tenant: &str, ids: &[&str], now_ms: i64) -> Result<Vec<Row>> {
    use pages::dsl;
    let due = Condition::sql("pages.due_ms IS NOT NULL AND pages.due_ms <= ").integer(now_ms);
    let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids)).filter(due);
    Ok(these.order((dsl::due_ms, dsl::id)).load(conn)?)
}

/// Puts off what is due of a tenant.
pub fn hold(conn: &mut Conn, tenant: &str, now_ms: i64, until_ms: i64) -> Result<()> {
    let due = Condition::sql("pages.due_ms IS NOT NULL AND pages.due_ms <= ").integer(now_ms);
    let own = pages::table.filter(pages::tenant_id.eq(tenant)).filter(due);
    diesel::update(own).set(pages::due_ms.eq(Some(until_ms))).execute(conn)?;
    Ok(())
}

/// How many messages a contact method got since an instant.
pub fn sent_since(conn: &mut Conn, method: &str, since_ms: i64) -> Result<i64> {
    let sent = Condition::sql("pages.sent_ms IS NOT NULL AND pages.sent_ms > ").integer(since_ms);
    Ok(pages::table.filter(pages::method_id.eq(method)).filter(sent).count().get_result(conn)?)
}

/// Some pages of alerts to a contact method that are due, without those that a sender has claimed.
pub fn waiting(conn: &mut Conn, method: &str, now_ms: i64, most: i64) -> Result<Vec<Row>> {
    let due = Condition::sql("pages.due_ms IS NOT NULL AND pages.due_ms <= ").integer(now_ms);
    let own = pages::table.filter(pages::method_id.eq(method)).filter(due).filter(pages::kind.eq("page"));
    Ok(own.order((pages::due_ms, pages::id)).limit(most).load(conn)?)
}

/// Puts off the pages of alerts to a contact method that are due and that nobody has in hand.
pub fn put_off(conn: &mut Conn, method: &str, now_ms: i64, until_ms: i64) -> Result<()> {
    let due = Condition::sql("pages.due_ms IS NOT NULL AND pages.due_ms <= ").integer(now_ms);
    let own = pages::table.filter(pages::method_id.eq(method)).filter(due).filter(pages::kind.eq("page"));
    diesel::update(own.filter(pages::owner.eq(""))).set(pages::due_ms.eq(Some(until_ms))).execute(conn)?;
    Ok(())
}

/// Says of pages that they were told in another one.
pub fn summarise(conn: &mut Conn, rows: &[Row], why: &str) -> Result<()> {
    use pages::dsl;
    let mut by_tenant: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    rows.iter().for_each(|row| by_tenant.entry(&row.tenant_id).or_default().push(&row.id));
    for (tenant, ids) in by_tenant {
        let of_tenant = rows.iter().filter(|row| row.tenant_id == tenant && !row.alert_id.is_empty());
        ports::told_changes(conn, tenant, &of_tenant.map(|row| &*row.alert_id).collect::<Vec<_>>())?;
        let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
        diesel::update(these)
            .set((dsl::status.eq(SUMMARISED), dsl::why.eq(why), dsl::due_ms.eq(None::<i64>)))
            .execute(conn)?;
    }
    Ok(())
}

/// A page as somebody has it in hand; `None` when that is another now.
pub fn in_hand(conn: &mut Conn, tenant: &str, id: &str, owner: &str) -> Result<Option<Row>> {
    let mine = pages::table.find((tenant, id)).filter(pages::owner.eq(owner));
    Ok(mine.get_result(conn).optional()?)
}

/// Makes due what an owner who has ended had in hand; without one, what anybody had. It may have arrived, and is sent
/// again under the same id.
pub fn give_back(conn: &mut Conn, owner: Option<&str>, now_ms: i64) -> Result<()> {
    let held = Condition::sql("pages.due_ms IS NOT NULL AND pages.due_ms > ").integer(now_ms);
    let held = match owner {
        Some(owner) => held.then(" AND pages.owner = ").text(owner),
        None => held.then(" AND pages.owner <> ''"),
    };
    diesel::update(pages::table.filter(held)).set(pages::due_ms.eq(Some(now_ms))).execute(conn)?;
    Ok(())
}
