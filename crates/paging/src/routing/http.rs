//! Alert routes over HTTP.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, context::check_version, cpu, spec::PageOf};
use base::{
    Query, fold,
    matching::{Meter, Rules},
    problem::{Problem, shorten},
    query_string,
};
use db::{Condition, Conn};
use outbox::{Entity, Tx};
use ports::Authors;

use super::{
    documented::AlertRouteInput,
    store::{self, Row},
    wire::{AlertRoute, Change},
};
use crate::{Neighbours, policies};

const SORTS: [&str; 3] = ["position", "name", "id"];
const VARIABLES: [&str; 4] = ["id", "name", "isEquals", "policyId"];

fn note(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity { tenant_id: &row.tenant_id, kind: "AlertRoute", id: &row.id, publish: true };
    let authors = Authors::default();
    let shown = |row: Option<&Row>| row.map(|row| AlertRoute::new(row, &authors));
    tx.note_shown(entity, shown(before).as_ref(), shown(after).as_ref())
}

fn shown(conn: &mut Conn, neighbours: &Neighbours, tenants: &[String], rows: &[Row]) -> db::Result<Vec<AlertRoute>> {
    let users = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
    let authors = Authors::load(conn, &*neighbours.people, tenants, users)?;
    Ok(rows.iter().map(|row| AlertRoute::new(row, &authors)).collect())
}

fn answered(conn: &mut Conn, neighbours: &Neighbours, tenants: &[String], row: &Row) -> db::Result<Answer> {
    let all = shown(conn, neighbours, tenants, std::slice::from_ref(row))?;
    Answer::entity(all.first().ok_or_else(store::unknown)?, row.version)
}

fn known_policy(conn: &mut Conn, tenant: &str, id: &str) -> db::Result<()> {
    if policies::store::find(conn, &[tenant.to_owned()], id)?.is_none() {
        let message = format!("names no escalation policy of the tenant: {}", shorten(id));
        return Err(Problem::field("policy.id", message).into());
    }
    Ok(())
}

fn encode(rules: Option<&Rules>) -> db::Result<String> {
    let Some(rules) = rules else { return Ok(String::new()) };
    serde_json::to_string(rules).map_err(|error| db::Error::Fault(error.to_string()))
}

/// What the expressions of rules take once they are compiled.
fn size(change: &Change, meter: &Meter) -> Result<usize, Problem> {
    let rules = change.rules.as_ref().and_then(Option::as_ref);
    let size = rules.map(|rules| rules.expressions_size(meter)).transpose();
    Ok(size.map_err(|error| Problem::field("rules", error.to_string()))?.unwrap_or(0))
}

/// Create an alert route
///
/// Alerts that match its rules go to its policy, unless a route before it takes them. A client's alerts that none of its own
/// routes takes, the default among them, are shown to the routes of its partner.
#[utoipa::path(
    tag = "paging",
    operation_id = "createAlertRoute",
    request_body(content = AlertRouteInput),
    responses(
        (status = 200, description = "The route", body = AlertRoute),
        (status = 409, description = "Another one of the tenant has this name or is the default, or there are 500"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alertRoutes")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (tenant, tenants, author) =
        (context.tenant.id.to_string(), context.scope_and_partner(), context.caller.user_id.clone());
    let now_ms = context.now.millis();
    let (change, size) = cpu::read(&context, body, |body, meter| {
        let change = Change::read(body, true, meter)?;
        let size = size(&change, meter)?;
        Ok((change, size))
    })
    .await?;
    context
        .write(move |tx, _| {
            policies::store::take_up(tx.conn, &tenant)?;
            let policy = change.policy.unwrap_or_default();
            known_policy(tx.conn, &tenant, &policy)?;
            let is_default = change.is_default.unwrap_or(false);
            let rules = change.rules.flatten();
            check_default(is_default, rules.is_some())?;
            let name = change.name.unwrap_or_default();
            let row = Row {
                id: format!("AR-{}", uuid::Uuid::now_v7()),
                version: 1,
                name_key: fold(&name),
                name,
                position: change.position.map_or_else(|| store::behind_all(tx.conn, &tenant), Ok)?,
                tenant_id: tenant,
                is_default,
                rules: encode(rules.as_ref())?,
                policy_id: policy,
                created_by: author.clone(),
                updated_by: author,
                created_ms: now_ms,
                updated_ms: now_ms,
            };
            store::insert(tx.conn, &row)?;
            db::expressions::keep(tx.conn, store::holder(&row), size)?;
            note(tx, None, Some(&row))?;
            answered(tx.conn, &neighbours, &tenants, &row)
        })
        .await
}

fn check_default(is_default: bool, has_rules: bool) -> Result<(), Problem> {
    match (is_default, has_rules) {
        (true, true) => Err(Problem::field("rules", "must be left out of the default, which takes everything")),
        (false, false) => Err(Problem::field("rules", "are required, unless isDefault is true")),
        _ => Ok(()),
    }
}

/// Search alert routes
///
/// In the order in which they are asked, the default last; at partner level those of its clients too. `queryString`
/// variables: `id`, `name` (contains, unless `isEquals:true`), `policyId`.
#[utoipa::path(
    tag = "paging",
    operation_id = "searchAlertRoutes",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`position` (default), `name` or `id`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "name:data"),
    ),
    responses((status = 200, description = "A page of routes", body = PageOf<AlertRoute>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alertRoutes/search")]
pub async fn search(context: RequestContext<Query>, neighbours: web::Data<Neighbours>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&SORTS, "position", false);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let terms = query_string::parse(&text, &VARIABLES)?;
    let named = crate::filter::named(
        &terms,
        ["alert_routes.id IN", "alert_routes.name_key IN", "alert_routes.name_key"],
        store::normal_id,
    )?;
    let policies = terms.iter().filter(|term| term.name == "policyId").map(|term| {
        let ids = term.values.iter().map(|id| policies::store::normal_id(id));
        Condition::text_in("alert_routes.policy_id IN", ids)
    });
    let (scope, tenants) = (context.scope(), context.scope_and_partner());
    let scoped = Condition::text_in("alert_routes.tenant_id IN", &scope);
    let condition = Condition::all([scoped, named].into_iter().chain(policies));
    let page = context.db.read(move |conn| {
        let found = store::page(conn, &condition, sort.name, sort.descending, &walk)?;
        Ok(walk.answer(found.with(shown(conn, &neighbours, &tenants, &found.rows)?)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get an alert route
#[utoipa::path(
    tag = "paging",
    operation_id = "getAlertRoute",
    params(("routeId" = String, Path, description = "`AR-<uuid>`", example = "AR-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The route", body = AlertRoute)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alertRoutes/{routeId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (scope, tenants, id) = (context.scope(), context.scope_and_partner(), path.into_inner().1);
    let found = context.db.point(move |conn| {
        let row = store::existing(conn, &scope, &id)?;
        let route = shown(conn, &neighbours, &tenants, std::slice::from_ref(&row))?.pop().ok_or_else(store::unknown)?;
        Ok((route, row.version))
    });
    let (route, version) = found.await?;
    answer::tagged(&route, version)
}

/// Update an alert route
///
/// What is left out stays as it is; `rules` are replaced as a whole.
#[utoipa::path(
    tag = "paging",
    operation_id = "updateAlertRoute",
    params(("routeId" = String, Path, description = "`AR-<uuid>`", example = "AR-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = AlertRouteInput),
    responses(
        (status = 200, description = "The route after the change", body = AlertRoute),
        (status = 409, description = "Another one of the tenant has this name, or is the default"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alertRoutes/{routeId}")]
pub async fn update(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (scope, tenants, wanted, id) =
        (context.scope(), context.scope_and_partner(), context.if_match()?, path.into_inner().1);
    let (author, now_ms) = (context.caller.user_id.clone(), context.now.millis());
    let (change, size) = cpu::read(&context, body, |body, meter| {
        let change = Change::read(body, false, meter)?;
        let size = size(&change, meter)?;
        Ok((change, size))
    })
    .await?;
    context
        .write(move |tx, _| {
            let tenant = store::existing(tx.conn, &scope, &id)?.tenant_id;
            policies::store::take_up(tx.conn, &tenant)?;
            let old = store::existing(tx.conn, std::slice::from_ref(&tenant), &id)?;
            check_version(wanted, old.version)?;
            if let Some(policy) = &change.policy {
                known_policy(tx.conn, &tenant, policy)?;
            }
            let replaced = change.rules.is_some();
            let mut rules = change.rules.unwrap_or_else(|| old.rules());
            if let (Some(rules), Some(word)) = (&mut rules, change.match_type) {
                rules.match_type =
                    if word == "ANY" { base::matching::MatchType::Any } else { base::matching::MatchType::All };
            }
            let is_default = change.is_default.unwrap_or(old.is_default);
            check_default(is_default, rules.is_some())?;
            let name = change.name.unwrap_or_else(|| old.name.clone());
            let row = Row {
                version: old.version + 1,
                name_key: fold(&name),
                name,
                position: change.position.unwrap_or(old.position),
                is_default,
                rules: encode(rules.as_ref())?,
                policy_id: change.policy.unwrap_or_else(|| old.policy_id.clone()),
                updated_by: author,
                updated_ms: now_ms,
                ..old.clone()
            };
            store::update(tx.conn, &row)?;
            if replaced {
                db::expressions::keep(tx.conn, store::holder(&row), size)?;
            }
            note(tx, Some(&old), Some(&row))?;
            answered(tx.conn, &neighbours, &tenants, &row)
        })
        .await
}

/// Delete an alert route
#[utoipa::path(
    tag = "paging",
    operation_id = "deleteAlertRoute",
    params(("routeId" = String, Path, description = "`AR-<uuid>`", example = "AR-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "It is gone", body = Object),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/alertRoutes/{routeId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (scope, wanted, id) = (context.scope(), context.if_match()?, path.into_inner().1);
    context
        .write(move |tx, _| {
            let tenant = store::existing(tx.conn, &scope, &id)?.tenant_id;
            policies::store::take_up(tx.conn, &tenant)?;
            let old = store::existing(tx.conn, std::slice::from_ref(&tenant), &id)?;
            check_version(wanted, old.version)?;
            store::delete(tx.conn, &old)?;
            note(tx, Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
}
