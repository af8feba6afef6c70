//! Rows of requests for cover. Every function takes the tenant.

use base::{Found, Key, Walk, problem::Problem};
use db::{Column, Condition, Conn, Order, Quota, Result};
use diesel::prelude::*;
use outbox::{Keep, Retention};

use crate::schema::roster_covers;

/// How many requests for cover a tenant has at most.
pub static QUOTA: Quota = Quota::new("requests for cover", "roster_covers", 20_000);

/// Requests whose time has long been over.
pub const RETENTION: Retention = Retention {
    kind: "covers",
    keep: Keep::Millis(366 * 86_400_000),
    most: None,
    table: "roster_covers",
    id: "id",
    since: "end_ms",
    only: "end_ms > 0",
    remove: |conn, tenant, ids, _| {
        use roster_covers::dsl;
        let these = dsl::roster_covers.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
        Ok(diesel::delete(these).execute(conn)?)
    },
};

/// Nobody has answered.
pub const OPEN: &str = "OPEN";
/// Somebody takes over.
pub const ACCEPTED: &str = "ACCEPTED";
/// Everybody who was asked declined.
pub const DECLINED: &str = "DECLINED";
/// It is not needed any more.
pub const WITHDRAWN: &str = "WITHDRAWN";

/// One row of `roster_covers`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = roster_covers, primary_key(tenant_id, roster_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Cover {
    /// The tenant of its roster.
    pub tenant_id: String,
    /// Its roster.
    pub roster_id: String,
    /// `CVR-<uuid>`.
    pub id: String,
    /// Who is to be relieved.
    pub user_id: String,
    /// From here on.
    pub start_ms: i64,
    /// Until here.
    pub end_ms: i64,
    /// Through which shift; `None` for any.
    pub shift_id: Option<String>,
    /// Who is asked: a JSON array of ids, empty for everybody.
    pub asked: String,
    /// Empty when there is none.
    pub note: String,
    /// What became of it.
    pub state: String,
    /// By whom; empty while it is open.
    pub answered_by: String,
    /// When.
    pub answered_ms: Option<i64>,
    /// What came of it.
    pub override_id: Option<String>,
    /// Who made it.
    pub created_by: String,
    /// When it was made.
    pub created_ms: i64,
}

impl Cover {
    /// Who is asked; nobody for everybody.
    pub fn asked(&self) -> Vec<String> {
        serde_json::from_str(&self.asked).unwrap_or_default()
    }
}

/// A request of a roster, or 404.
pub fn existing(conn: &mut Conn, tenant: &str, roster: &str, id: &str) -> Result<Cover> {
    let row = roster_covers::table.find((tenant, roster, id)).get_result(conn).optional()?;
    Ok(row.ok_or_else(|| Problem::not_found("The request for cover was not found."))?)
}

/// A page of the requests of a roster, by their start.
pub fn page(
    conn: &mut Conn,
    (tenant, roster): (&str, &str),
    condition: &Condition,
    descending: bool,
    walk: &Walk,
) -> Result<Found<Cover>> {
    use roster_covers::dsl;
    let wanted = || {
        dsl::roster_covers
            .filter(dsl::tenant_id.eq(tenant.to_owned()))
            .filter(dsl::roster_id.eq(roster.to_owned()))
            .filter(condition.clone())
    };
    let order = Order::by([Column::Integer("roster_covers.start_ms"), Column::Text("roster_covers.id")], descending);
    let total = walk.total(|| wanted().count().get_result(conn))?;
    let query = wanted().filter(order.after(walk.after())?).order(order);
    let rows = query.offset(walk.offset()).limit(walk.wanted()).load(conn)?;
    Ok(walk.cut(rows, total, |row: &Cover| vec![Key::from(row.start_ms), Key::from(&row.id)]))
}

/// Stores a new request.
pub fn insert(conn: &mut Conn, row: &Cover) -> Result<()> {
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(roster_covers::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores what became of a request. Its roster is taken up, so nobody else does so meanwhile.
pub fn update(conn: &mut Conn, row: &Cover) -> Result<()> {
    diesel::update(roster_covers::table.find((&row.tenant_id, &row.roster_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}
