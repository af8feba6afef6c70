//! Rows of pages. Every function takes the tenant, or the tenants of a scope.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use base::{Key, PageRequest, PageRows, query::Sort, timestamp::Timestamp};
use db::{Bell, Condition, Conn, Json, Partitioned, Result, SortBy, Sorts, SqlQuery};
use diesel::{
    prelude::*,
    sql_types::{BigInt, Text},
};
use outbox::{Keep, Retention, Setting};
use ports::{EachPage, SealedAt, SentPage};

use super::facts::{Attempt, Facts};
use crate::schema::pages;

/// It waits to be sent.
pub const PENDING: &str = "pending";
/// The other side has it.
pub const SENT: &str = "sent";
/// It could not be sent.
pub const FAILED: &str = "failed";
/// Somebody answered before it was sent.
pub const STOPPED: &str = "stopped";
/// It was told in another message, with others; before that arrived it is pending.
pub const SUMMARISED: &str = "summarised";
/// There was nobody to send it to.
pub const GAP: &str = "gap";
/// All of them.
pub const STATUSES: [&str; 6] = [PENDING, SENT, FAILED, STOPPED, SUMMARISED, GAP];

/// The kind of a page that tells of a shift.
pub const SHIFT: &str = "shift";

/// The kind of a page that is another domain's message to a person, about no alert.
pub const MESSAGE: &str = "message";

/// What the id of an incident begins with, where it stands in the place of that of an alert.
pub const INCIDENT: &str = "INC";

/// One row of `pages`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = pages, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant of the alert, or of the person.
    pub tenant_id: String,
    /// `PG-<uuid>`.
    pub id: String,
    /// The alert; empty for a code or a test.
    pub alert_id: String,
    /// Which time it was that the steps were taken.
    pub round: i64,
    /// The step, from 0.
    pub step: i64,
    /// Whom it is for; empty for an integration, and where nobody is.
    pub user_id: String,
    /// The tenant of the contact method or integration.
    pub method_tenant: String,
    /// The contact method or integration; of a gap the target.
    pub method_id: String,
    /// `HTTP`, `EMAIL` or `INTEGRATION`; empty for a gap.
    pub channel: String,
    /// `page`, `code`, `test`, [`SHIFT`] or [`MESSAGE`].
    pub kind: String,
    /// One of [`STATUSES`].
    pub status: String,
    /// Why it has that status, when there is something to say.
    pub why: String,
    /// `high` or `low`.
    pub urgency: String,
    pub policy_id: String,
    /// What it has in common with others.
    pub conversation: String,
    /// What it tells.
    pub message: Json<Facts>,
    /// When it is sent next, or taken from the sender that claimed it; `None` when it is settled.
    pub due_ms: Option<i64>,
    /// Who has it in hand.
    pub owner: String,
    /// How often it was tried.
    pub attempts: i64,
    /// The newest attempts, the oldest of them first.
    pub log: Json<Vec<Attempt>>,
    /// When it was decided.
    pub created_ms: i64,
    /// When the other side accepted it.
    pub sent_ms: Option<i64>,
    /// The tenant of the roster through which the person was told; empty for none.
    pub roster_tenant: String,
    /// That roster.
    pub roster_id: String,
    /// When it was last taken in hand to be sent as a message of its own.
    pub called_ms: Option<i64>,
}

/// Pages and gaps of alerts and incidents, as other domains join them with theirs (see [`ports::PagedAlerts`]).
pub const AS_TABLE: &str = "(SELECT tenant_id, alert_id, user_id, roster_tenant, roster_id, step, created_ms, \
                            CASE WHEN status IN ('gap', 'stopped') THEN 0 ELSE 1 END AS sent \
                            FROM pages WHERE kind = 'page' AND alert_id <> '')";

/// By the time at which they were decided, since some ids have none in them. A page is decided once nevertheless: the
/// database keeps what must not be twice in `page_keys`.
pub const PARTITIONED: Partitioned =
    Partitioned { table: "pages", column: "created_ms", prefix: "", goes_whole: false };

/// Pages of alerts, incidents and shifts that are settled.
pub const RETENTION: Retention = Retention {
    kind: "pages",
    keep: Keep::Setting(Setting {
        option: "keep-pages",
        variable: "MUSTER_KEEP_PAGES",
        days: 400,
        help: "How many days a page is kept; 0 for ever",
    }),
    most: Some(1_000_000),
    table: "pages",
    id: "id",
    since: "created_ms",
    only: "due_ms IS NULL AND kind NOT IN ('code', 'test')",
    remove: Some(remove),
};

/// Codes and tests that are settled: apart from the others, so that anyone who has many of them sent pushes out none of
/// those.
pub const REQUESTED: Retention = Retention {
    kind: "page_tests",
    keep: Keep::Millis(30 * 86_400_000),
    most: Some(10_000),
    only: "due_ms IS NULL AND kind IN ('code', 'test')",
    ..RETENTION
};

fn remove(conn: &mut Conn, tenant: &str, ids: &[String], _: usize) -> Result<usize> {
    use pages::dsl;
    let these = || dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
    let alerts: Vec<String> = these().filter(dsl::alert_id.ne("")).select(dsl::alert_id).distinct().load(conn)?;
    ports::told_changes(conn, tenant, &alerts.iter().map(String::as_str).collect::<Vec<_>>())?;
    Ok(diesel::delete(these()).execute(conn)?)
}

impl Row {
    /// A page that nothing is known of yet.
    pub fn blank(tenant: &str, kind: &str, now: Timestamp) -> Self {
        Self {
            tenant_id: tenant.to_owned(),
            id: format!("PG-{}", uuid::Uuid::now_v7()),
            alert_id: String::new(),
            round: 0,
            step: 0,
            user_id: String::new(),
            method_tenant: String::new(),
            method_id: String::new(),
            channel: String::new(),
            kind: kind.to_owned(),
            status: PENDING.to_owned(),
            why: String::new(),
            urgency: "high".to_owned(),
            policy_id: String::new(),
            conversation: String::new(),
            message: Json::default(),
            due_ms: None,
            owner: String::new(),
            attempts: 0,
            log: Json::default(),
            created_ms: now.millis(),
            sent_ms: None,
            roster_tenant: String::new(),
            roster_id: String::new(),
            called_ms: None,
        }
    }

    /// Where the code of a page is sealed.
    pub fn sealed_at(&self) -> SealedAt<'_> {
        SealedAt { tenant: &self.tenant_id, table: "pages", row: &self.id, column: "message" }
    }
}

/// Rings when there are new pages to be sent.
pub static BELL: Bell = Bell::new();

/// Stores new ones.
pub fn insert(conn: &mut Conn, rows: &[Row]) -> Result<()> {
    if rows.iter().any(|row| row.due_ms.is_some()) {
        BELL.ring_at_commit();
    }
    let mut told: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.alert_id.is_empty()) {
        told.entry(&row.tenant_id).or_default().insert(&row.alert_id);
    }
    for (tenant, alerts) in told {
        ports::told_changes(conn, tenant, &alerts.into_iter().collect::<Vec<_>>())?;
    }
    db::insert_rows!(conn, pages::table, rows)
}

/// Which of these pages of a tenant are stored already, by id.
pub fn known(conn: &mut Conn, tenant: &str, rows: &[Row]) -> Result<HashSet<String>> {
    use pages::dsl;
    let ids = rows.iter().map(|row| row.id.as_str());
    let these = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
    Ok(these.select(dsl::id).load(conn)?.into_iter().collect())
}

/// Stops what of an alert was not sent yet.
pub fn stop(conn: &mut Conn, tenant: &str, alert: &str, why: &str) -> Result<()> {
    use pages::dsl;
    ports::told_changes(conn, tenant, &[alert])?;
    let what = if alert.starts_with(INCIDENT) { "incident" } else { "alert" };
    let waiting =
        dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::alert_id.eq(alert)).filter(dsl::status.eq(PENDING));
    diesel::update(waiting)
        .set((dsl::status.eq(STOPPED), dsl::why.eq(format!("the {what} is {why}")), dsl::due_ms.eq(None::<i64>)))
        .execute(conn)?;
    Ok(())
}

/// The pages of an alert, in the order in which they were decided; the first 1,000.
pub fn of_alert(conn: &mut Conn, tenant: &str, alert: &str) -> Result<Vec<Row>> {
    use pages::dsl;
    let own = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::alert_id.eq(alert));
    Ok(own.order((dsl::created_ms, dsl::id)).limit(1_000).load(conn)?)
}

/// The pages and gaps of a step of an escalation, in one round: their status, and whom and what each is for.
pub fn of_step(
    conn: &mut Conn,
    tenant: &str,
    alert: &str,
    (round, step): (i64, i64),
) -> Result<Vec<(String, String, String)>> {
    use pages::dsl;
    let own = dsl::pages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::alert_id.eq(alert));
    let of_step = own.filter(dsl::round.eq(round)).filter(dsl::step.eq(step));
    Ok(of_step.select((dsl::status, dsl::user_id, dsl::method_id)).load(conn)?)
}

/// Calls `each` with the pages to people about alerts and incidents that were decided in a range.
pub fn for_each_sent(
    conn: &mut Conn,
    tenants: &[String],
    (from, to): (Timestamp, Timestamp),
    each: EachPage<'_>,
) -> Result<()> {
    let text = Condition::sql("SELECT sent.user_id, sent.roster_tenant, sent.roster_id, sent.created_ms FROM ");
    let text = text.then(AS_TABLE).then(" AS sent WHERE sent.sent = 1 AND sent.user_id <> '' AND ");
    let text = text.append(Condition::text_in("sent.tenant_id IN", tenants)).then(" AND sent.created_ms >= ");
    let text = text.integer(from.millis()).then(" AND sent.created_ms < ").integer(to.millis());
    let each = |(user, tenant, roster, created_ms): (String, String, String, i64)| {
        each(SentPage { user, roster: (tenant, roster), at: Timestamp::from_millis(created_ms) })
    };
    db::for_each_row(conn, SqlQuery::<(Text, Text, Text, BigInt)>::of(text), each)
}

/// What a list of pages is sorted by.
pub const SORTS: Sorts<Row> = Sorts {
    by: &[SortBy::integer("createdDate", "pages.created_ms", |row| Key::from(row.created_ms))],
    then: &[
        SortBy::text("", "pages.id", |row| Key::from(&row.id)),
        SortBy::text("", "pages.tenant_id", |row| Key::from(&row.tenant_id)),
    ],
};

/// A page of the pages that meet a condition.
pub fn page(conn: &mut Conn, condition: &Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Row>> {
    let total = walk.total(|| pages::table.filter(condition.clone()).count().get_result(conn))?;
    let order = SORTS.order(sort);
    let query = pages::table.filter(condition.clone()).filter(order.after(walk.after())?).order(order);
    Ok(walk.cut(query.offset(walk.offset()).limit(walk.row_limit()).load(conn)?, total, |row| SORTS.keys(sort, row)))
}
