//! Pages that are to be sent: the two lines of them, who has what in hand, and what waits.

use std::collections::BTreeMap;

use db::{Backend, Condition, Conn, DueRows, Json, Lock, Result, SqlQuery};
use diesel::{prelude::*, sql_types};

use super::{
    facts::Facts,
    store::{FAILED, PENDING, Row, SUMMARISED},
};
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
pub struct LeadPages<'a> {
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
pub struct DuePage {
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
) -> Result<Vec<DuePage>> {
    use pages::dsl;
    let due = Condition::sql(line.only).then(" AND pages.due_ms <= ").integer(now_ms);
    let own = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(due).filter(dsl::method_id.ne_all(without));
    let columns = (dsl::tenant_id, dsl::id, dsl::user_id, dsl::method_tenant, dsl::method_id, dsl::channel);
    let order = own.order((dsl::due_ms, dsl::id)).limit(i64::try_from(most).unwrap_or(i64::MAX));
    Ok(order.select(columns).load(conn)?)
}

/// Which of some contact methods this transaction has for itself until it ends. Anyone who claims pages to a contact
/// method, or counts its messages, needs it: pages of several tenants go to one person. Nobody waits for it; what
/// another gateway has is looked at again.
pub fn try_lock_methods(conn: &mut Conn, methods: &[String]) -> Result<Vec<bool>> {
    let locks: Vec<Lock> = methods.iter().map(|method| Lock::of("pages:method", method)).collect();
    Lock::try_take_each(conn, &locks)
}

fn due_at(now_ms: i64) -> Condition {
    Condition::sql("pages.due_ms IS NOT NULL AND pages.due_ms <= ").integer(now_ms)
}

/// How a query ends that takes rows for its transaction. What another transaction changes is left out: who waited for
/// it, with rows in hand that the other wants, would wait for ever. It is not due any more, or due again.
const UNLOCKED: &str = " FOR UPDATE SKIP LOCKED";

/// The first `most` pages that meet a condition and that nobody changes now; nobody does until the transaction ends.
fn locked(conn: &mut Conn, these: Condition, most: i64) -> Result<Vec<Row>> {
    use pages::dsl;
    if Backend::of(conn) == Backend::Sqlite {
        return Ok(dsl::pages.filter(these).order((dsl::due_ms, dsl::id)).limit(most).load(conn)?);
    }
    let text = Condition::sql("SELECT pages.tenant_id, pages.id FROM pages WHERE ").append(these);
    let text = text.then(" ORDER BY pages.due_ms, pages.id LIMIT ").integer(most).then(UNLOCKED);
    let keys: Vec<(String, String)> = SqlQuery::<(sql_types::Text, sql_types::Text)>::of(text).load(conn)?;
    let mut rows: Vec<Row> = Vec::with_capacity(keys.len());
    // Read once they are locked, so that they are as they were left.
    for (tenant, ids) in by_tenant(keys.iter().map(|(tenant, id)| (tenant.as_str(), id.as_str()))) {
        rows.extend(dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids)).load::<Row>(conn)?);
    }
    rows.sort_by(|one, other| (one.due_ms, &one.id).cmp(&(other.due_ms, &other.id)));
    Ok(rows)
}

/// The condition that pages meet another one and that nobody changes them now.
fn unlocked(conn: &Conn, these: Condition) -> Condition {
    match Backend::of(conn) {
        Backend::Sqlite => these,
        Backend::Postgres => {
            let text = "(pages.tenant_id, pages.id) IN (SELECT pages.tenant_id, pages.id FROM pages WHERE ";
            Condition::sql(text).append(these).then(UNLOCKED).then(")")
        }
    }
}

/// Those of these pages of a tenant that are due still. They are for this transaction alone.
pub fn still_due(conn: &mut Conn, tenant: &str, ids: &[&str], now_ms: i64) -> Result<Vec<Row>> {
    let these = due_at(now_ms).then(" AND pages.tenant_id = ").text(tenant).then(" AND ");
    let these = these.append(Condition::text_in("pages.id IN", ids.iter().copied()));
    locked(conn, these, i64::try_from(ids.len()).unwrap_or(i64::MAX))
}

/// Puts off what is due of a tenant.
pub fn hold(conn: &mut Conn, tenant: &str, now_ms: i64, until_ms: i64) -> Result<()> {
    let own = due_at(now_ms).then(" AND pages.tenant_id = ").text(tenant);
    let own = pages::table.filter(unlocked(conn, own));
    diesel::update(own).set(pages::due_ms.eq(Some(until_ms))).execute(conn)?;
    Ok(())
}

/// How many messages to a contact method were begun since an instant: what arrived, is under way or failed. What is due
/// again counts when it is sent again, and what was stopped after it failed not at all.
pub fn called_since(conn: &mut Conn, method: &str, since_ms: i64, now_ms: i64) -> Result<i64> {
    let called = Condition::sql("pages.called_ms IS NOT NULL AND pages.called_ms > ").integer(since_ms);
    let called = called.then(" AND (pages.due_ms IS NULL OR pages.due_ms > ").integer(now_ms);
    let called = called.then(") AND NOT (pages.status = 'stopped' AND pages.owner = '')");
    Ok(pages::table.filter(pages::method_id.eq(method)).filter(called).count().get_result(conn)?)
}

/// The pages of alerts to a contact method that are due.
fn due_to(method: &str, now_ms: i64) -> Condition {
    due_at(now_ms).then(" AND pages.kind = 'page' AND pages.method_id = ").text(method)
}

/// Some pages of alerts to a contact method that are due, without those that a sender has claimed. They are for this
/// transaction alone.
pub fn waiting(conn: &mut Conn, method: &str, now_ms: i64, most: i64) -> Result<Vec<Row>> {
    locked(conn, due_to(method, now_ms), most)
}

/// Puts off the pages of alerts to a contact method that are due and that nobody has in hand.
pub fn put_off(conn: &mut Conn, method: &str, now_ms: i64, until_ms: i64) -> Result<()> {
    let new = due_to(method, now_ms).then(" AND (pages.owner = '' OR pages.owner LIKE ");
    let new = new.text(format!("%{WITHIN_ANOTHER}")).then(")");
    let new = pages::table.filter(unlocked(conn, new));
    diesel::update(new).set(pages::due_ms.eq(Some(until_ms))).execute(conn)?;
    Ok(())
}

/// Takes a page in hand that is this transaction's alone, as a message of its own.
pub fn take(conn: &mut Conn, row: &Row, owner: &str, now_ms: i64, until_ms: i64) -> Result<()> {
    use pages::dsl;
    let this = dsl::pages.find((&row.tenant_id, &row.id));
    let message: &Json<Facts> = &row.message;
    let times = (dsl::due_ms.eq(Some(until_ms)), dsl::called_ms.eq(Some(now_ms)));
    diesel::update(this).set((dsl::message.eq(message), dsl::owner.eq(owner), times)).execute(conn)?;
    Ok(())
}

impl<'a> LeadPages<'a> {
    fn ids_by_tenant(self) -> BTreeMap<&'a str, Vec<&'a str>> {
        by_tenant(self.pages.iter().map(|page| (page.tenant_id.as_str(), page.id.as_str())))
    }

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
    /// so in time. They are this transaction's alone.
    pub fn take(self, conn: &mut Conn, until_ms: i64) -> Result<()> {
        use pages::dsl;
        for (tenant, ids) in self.ids_by_tenant() {
            let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
            diesel::update(these)
                .set((dsl::owner.eq(self.owner()), dsl::why.eq(self.why()), dsl::due_ms.eq(Some(until_ms))))
                .execute(conn)?;
        }
        Ok(())
    }

    /// Says of them that they were told: the lead is sent.
    pub fn summarise(self, conn: &mut Conn) -> Result<()> {
        use pages::dsl;
        for (tenant, ids) in self.ids_by_tenant() {
            let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(self.waiting(&ids));
            diesel::update(these)
                .set((dsl::status.eq(SUMMARISED), dsl::owner.eq(""), dsl::due_ms.eq(None::<i64>)))
                .execute(conn)?;
        }
        Ok(())
    }

    /// Makes those due by themselves that had so many attempts before, or says that they have failed where there is no
    /// further time: the lead did not arrive.
    pub fn release(self, conn: &mut Conn, before: i64, attempts: i64, due_ms: Option<i64>, why: &str) -> Result<()> {
        use pages::dsl;
        let status = if due_ms.is_some() { PENDING } else { FAILED };
        for (tenant, ids) in self.ids_by_tenant() {
            let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(self.waiting(&ids));
            let settled = (dsl::status.eq(status), dsl::due_ms.eq(due_ms), dsl::attempts.eq(attempts));
            diesel::update(these.filter(dsl::attempts.eq(before)))
                .set((settled, dsl::owner.eq(""), dsl::why.eq(why)))
                .execute(conn)?;
        }
        Ok(())
    }
}

/// The ids of pages, by tenant.
fn by_tenant<'a>(keys: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    keys.for_each(|(tenant, id)| all.entry(tenant).or_default().push(id));
    all
}

/// A page as its owner claimed it, for this transaction alone; `None` when another one has it now, or when it is
/// written down already what became of that attempt.
pub fn in_hand(conn: &mut Conn, page: &ClaimedPage, owner: &str) -> Result<Option<Row>> {
    let ClaimedPage { tenant_id, id, attempts, .. } = page;
    if Backend::of(conn) == Backend::Postgres {
        let text = Condition::sql("SELECT pages.id FROM pages WHERE pages.tenant_id = ").text(tenant_id);
        let text = text.then(" AND pages.id = ").text(id).then(" FOR UPDATE");
        SqlQuery::<sql_types::Text>::of(text).load::<String>(conn)?;
    }
    let mine = pages::table.find((tenant_id, id)).filter(pages::owner.eq(owner)).filter(pages::attempts.eq(attempts));
    Ok(mine.get_result(conn).optional()?)
}

/// Stores what became of a page that is this transaction's alone.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::update(pages::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
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
    let held = pages::table.filter(unlocked(conn, held));
    diesel::update(held).set(pages::due_ms.eq(Some(now_ms))).execute(conn)?;
    Ok(())
}
