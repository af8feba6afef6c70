//! Pages that are to be sent: the two lines of them, who has what in hand, and what waits.

use std::collections::BTreeMap;

use db::{Condition, Conn, DueRows, Result};
use diesel::prelude::*;

use super::store::{FAILED, PENDING, Row, SUMMARISED};
use crate::schema::pages;

/// Pages, and messages of shifts.
pub const PAGES: DueRows =
    DueRows { table: "pages", due: "due_ms", only: "due_ms IS NOT NULL AND kind NOT IN ('code', 'test')" };
/// Codes and tests: nobody is woken by them.
pub const CODES: DueRows =
    DueRows { table: "pages", due: "due_ms", only: "due_ms IS NOT NULL AND kind IN ('code', 'test')" };

/// All of them.
pub const ALL: DueRows = DueRows { table: "pages", due: "due_ms", only: "due_ms IS NOT NULL" };

/// What follows the name of a sender in the owner of a page that goes out in another one.
const WITHIN_ANOTHER: &str = "+";

/// A page that a sender takes in hand, as it is then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedPage {
    pub tenant_id: String,
    pub id: String,
    pub alert_id: String,
    pub round: i64,
    pub step: i64,
    pub attempts: i64,
}

/// The pages that go out in another one, the lead, which a sender has in hand.
#[derive(Clone, Copy)]
pub struct InLead<'a> {
    pub pages: &'a [ClaimedPage],
    pub lead: &'a ClaimedPage,
    pub owner: &'a str,
}

impl From<&Row> for ClaimedPage {
    fn from(row: &Row) -> Self {
        Self {
            tenant_id: row.tenant_id.clone(),
            id: row.id.clone(),
            alert_id: row.alert_id.clone(),
            round: row.round,
            step: row.step,
            attempts: row.attempts,
        }
    }
}

impl Row {
    /// Is it in nobody's hand as a message of its own, also not in that of somebody who did not bring it to an end?
    pub fn is_new(&self) -> bool {
        self.owner.is_empty() || self.owner.ends_with(WITHIN_ANOTHER)
    }
}

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
    let new = pages::owner.eq("").or(pages::owner.like(format!("%{WITHIN_ANOTHER}")));
    diesel::update(own.filter(new)).set(pages::due_ms.eq(Some(until_ms))).execute(conn)?;
    Ok(())
}

impl InLead<'_> {
    fn owner(self) -> String {
        format!("{}{WITHIN_ANOTHER}", self.owner)
    }

    fn why(self) -> String {
        format!("told together with others in {}", self.lead.id)
    }

    /// Those of a tenant that wait for the lead still: one that was answered meanwhile does not.
    fn waiting(self, ids: &[&str]) -> Condition {
        let text = Condition::sql("pages.status = 'pending' AND pages.owner = ").text(self.owner());
        let text = text.then(" AND pages.why = ").text(self.why()).then(" AND ");
        text.append(Condition::text_in("pages.id IN", ids.iter().copied()))
    }

    /// Takes them in hand with the lead: they wait for what becomes of it, and are due by themselves when nobody says
    /// so in time.
    pub fn take(self, conn: &mut Conn, until_ms: i64) -> Result<()> {
        use pages::dsl;
        for (tenant, ids) in ids_by_tenant(self.pages) {
            let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
            diesel::update(these.filter(dsl::status.eq(PENDING)))
                .set((dsl::owner.eq(self.owner()), dsl::why.eq(self.why()), dsl::due_ms.eq(Some(until_ms))))
                .execute(conn)?;
        }
        Ok(())
    }

    /// Says of them that they were told: the lead is sent.
    pub fn summarise(self, conn: &mut Conn) -> Result<()> {
        use pages::dsl;
        for (tenant, ids) in ids_by_tenant(self.pages) {
            tell_changes(conn, tenant, self.pages)?;
            let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(self.waiting(&ids));
            diesel::update(these)
                .set((dsl::status.eq(SUMMARISED), dsl::owner.eq(""), dsl::due_ms.eq(None::<i64>)))
                .execute(conn)?;
        }
        Ok(())
    }

    /// Makes them due by themselves, or says that they have failed where there is no further time: the lead did not
    /// arrive.
    pub fn release(self, conn: &mut Conn, attempts: i64, due_ms: Option<i64>, why: &str) -> Result<()> {
        use pages::dsl;
        let status = if due_ms.is_some() { PENDING } else { FAILED };
        for (tenant, ids) in ids_by_tenant(self.pages) {
            tell_changes(conn, tenant, self.pages)?;
            let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(self.waiting(&ids));
            let settled = (dsl::status.eq(status), dsl::due_ms.eq(due_ms), dsl::attempts.eq(attempts));
            diesel::update(these).set((settled, dsl::owner.eq(""), dsl::why.eq(why))).execute(conn)?;
        }
        Ok(())
    }
}

fn ids_by_tenant(pages: &[ClaimedPage]) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    pages.iter().for_each(|page| all.entry(&page.tenant_id).or_default().push(&page.id));
    all
}

fn tell_changes(conn: &mut Conn, tenant: &str, pages: &[ClaimedPage]) -> Result<()> {
    let of_tenant = pages.iter().filter(|page| page.tenant_id == tenant && !page.alert_id.is_empty());
    ports::told_changes(conn, tenant, &of_tenant.map(|page| &*page.alert_id).collect::<Vec<_>>())
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
        Some(owner) => {
            let within = format!("{owner}{WITHIN_ANOTHER}");
            held.then(" AND pages.owner IN (").text(owner).then(", ").text(within).then(")")
        }
        None => held.then(" AND pages.owner <> ''"),
    };
    diesel::update(pages::table.filter(held)).set(pages::due_ms.eq(Some(now_ms))).execute(conn)?;
    Ok(())
}
