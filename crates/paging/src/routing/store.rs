//! Rows of alert routes. Every function takes the tenant, or the tenants of a scope.

use base::{Found, Key, Walk, matching::Rules, problem::Problem};
use db::{Column, Condition, Conn, Order, Quota, Result, expressions::Holder};
use diesel::{dsl::max, prelude::*};

use crate::schema::alert_routes;

/// How many alert routes a tenant has at most.
pub static QUOTA: Quota = Quota::new("alert routes", "alert_routes", 500);

/// How far apart routes stand that say no position.
const APART: i64 = 10;

/// One row of `alert_routes`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = alert_routes, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `AR-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
    pub name: String,
    /// Folded.
    pub name_key: String,
    /// Routes are asked in this order.
    pub position: i64,
    /// Is it asked last, and takes all?
    pub is_default: bool,
    /// [`Rules`], JSON; empty for the default.
    pub rules: String,
    /// Where it leads, in the same tenant.
    pub policy_id: String,
    /// A user.
    pub created_by: String,
    /// A user.
    pub updated_by: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}

impl Row {
    /// What an alert has to be; `None` for the default.
    pub fn rules(&self) -> Option<Rules> {
        serde_json::from_str(&self.rules).ok()
    }
}

/// Holds the expressions of a route.
pub fn holder(row: &Row) -> Holder<'_> {
    Holder { tenant_id: &row.tenant_id, kind: "alert_route", id: &row.id }
}

/// What an unknown route is answered with.
pub fn unknown() -> Problem {
    Problem::not_found("The alert route was not found.")
}

/// The id of a route in the spelling in which it is stored.
pub fn normal_id(text: &str) -> String {
    let folded = base::fold(text.trim());
    folded.strip_prefix("ar-").map(|uuid| format!("AR-{uuid}")).unwrap_or(folded)
}

/// The route with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    use alert_routes::dsl;
    let id = normal_id(id);
    let row = match scope {
        [tenant] => dsl::alert_routes.find((tenant, id)).get_result(conn),
        many => dsl::alert_routes.filter(dsl::tenant_id.eq_any(many)).filter(dsl::id.eq(id)).get_result(conn),
    };
    Ok(row.optional()?.ok_or_else(unknown)?)
}

/// The routes of a tenant in the order in which they are asked.
pub fn in_order(conn: &mut Conn, tenant: &str) -> Result<Vec<Row>> {
    use alert_routes::dsl;
    let own = dsl::alert_routes.filter(dsl::tenant_id.eq(tenant));
    Ok(db::direct!(conn, |conn| own.order((dsl::is_default, dsl::position, dsl::id)).load(conn))?)
}

/// Has a tenant any route?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    let first = alert_routes::table.filter(alert_routes::tenant_id.eq(tenant)).select(alert_routes::id);
    Ok(first.first::<String>(conn).optional()?.is_some())
}

/// The position behind all others.
pub fn behind_all(conn: &mut Conn, tenant: &str) -> Result<i64> {
    let last: Option<i64> = alert_routes::table
        .filter(alert_routes::tenant_id.eq(tenant))
        .select(max(alert_routes::position))
        .get_result(conn)?;
    Ok(last.unwrap_or(0) + APART)
}

/// Stores a new one.
///
/// # Errors
/// 409 when the name is taken, when there is a default already, or when the tenant has as many as it may have.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    check(conn, row)?;
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(alert_routes::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores one that has changed.
///
/// # Errors
/// 409 when the name is taken, or there is another default.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    check(conn, row)?;
    diesel::update(alert_routes::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

fn check(conn: &mut Conn, row: &Row) -> Result<()> {
    use alert_routes::dsl;
    let others =
        || dsl::alert_routes.filter(dsl::tenant_id.eq(row.tenant_id.as_str())).filter(dsl::id.ne(row.id.as_str()));
    let namesake = others().filter(dsl::name_key.eq(&row.name_key)).select(dsl::id);
    if namesake.first::<String>(conn).optional()?.is_some() {
        return Err(Problem::conflict(format!("The tenant has an alert route named {} already.", row.name)).into());
    }
    let default = others().filter(dsl::is_default.eq(true)).select(dsl::name);
    if row.is_default
        && let Some(name) = default.first::<String>(conn).optional()?
    {
        return Err(Problem::conflict(format!("The alert route {name} is the default of the tenant already.")).into());
    }
    Ok(())
}

/// Removes one.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::delete(alert_routes::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    db::expressions::forget(conn, holder(row))
}

/// A page of the routes that meet a condition: by position, as they are asked, or by name or id.
pub fn page(conn: &mut Conn, condition: &Condition, sort: &str, descending: bool, walk: &Walk) -> Result<Found<Row>> {
    use alert_routes::dsl;
    let total = walk.total(|| dsl::alert_routes.filter(condition.clone()).count().get_result(conn))?;
    // The default has the last position of all.
    const PLACE: &str = "(CASE WHEN alert_routes.is_default THEN 9000000000 ELSE alert_routes.position END)";
    let first: &[Column] = match sort {
        "position" => &[Column::Text("alert_routes.tenant_id"), Column::Integer(PLACE)],
        "name" => &[Column::Text("alert_routes.name_key")],
        _ => &[],
    };
    let ties = [Column::Text("alert_routes.id"), Column::Text("alert_routes.tenant_id")];
    let order = Order::by(first.iter().copied().chain(ties), descending);
    let query = dsl::alert_routes.filter(condition.clone()).filter(order.after(walk.after())?).order(order);
    let rows: Vec<Row> = query.offset(walk.offset()).limit(walk.wanted()).load(conn)?;
    let keys = |row: &Row| {
        let place = if row.is_default { 9_000_000_000 } else { row.position };
        let mut keys = match sort {
            "position" => vec![Key::from(&row.tenant_id), Key::from(place)],
            "name" => vec![Key::from(&row.name_key)],
            _ => Vec::new(),
        };
        keys.extend([Key::from(&row.id), Key::from(&row.tenant_id)]);
        keys
    };
    Ok(walk.cut(rows, total, keys))
}
