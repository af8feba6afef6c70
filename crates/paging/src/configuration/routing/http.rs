//! Alert routes over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, PageQuery, PathIds, RequestContext, RequestScope, Resource as _, cpu, delete, get, post, spec::PageOf,
};
use base::{
    matching::{Meter, Rules},
    query_string,
};
use db::Condition;
use outbox::Tx;

use super::{
    row::Route,
    rules, store, view,
    wire::{self, AlertRoute, NewRoute, RouteChange, RouteId},
};
use crate::{
    Neighbours,
    configuration::{
        filter,
        policies::{self, row::Policy},
    },
};

const VARIABLES: [&str; 5] = ["id", "name", "isEquals", "policyId", "allList"];

api::list! {
    /// The list of routes.
    pub Routes by store::SORTS: SORT = "position", FILTER = "name:data"
}

/// Create an alert route
///
/// Alerts that match its rules go to its policy, unless a route before it takes them. A client's alerts that none of
/// its own routes takes, the default among them, are offered to the routes of its partner.
#[utoipa::path(
    operation_id = "createAlertRoute",
    request_body(content = NewRoute),
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
    let (new, rules) = cpu::read(body, read::<NewRoute>).await?;
    context
        .write(move |tx, scope| {
            let tenant = scope.tenant_id();
            policies::store::lock(tenant).take(tx.conn)?;
            Policy::named(tx.conn, tenant, "policy.id", &new.policy)?;
            let position = store::behind_all(tx.conn, tenant)?;
            let row = rules::created(tenant, new, rules, position, tx.author(), tx.now)?;
            store::insert(tx.conn, &row)?;
            answered(tx, scope, &neighbours, None, &row)
        })
        .await
}

/// Reads a body: what it says, and its rules.
fn read<T: base::body::Request>(body: &serde_json::Value, meter: &Meter) -> api::Result<(T, Option<Rules>)> {
    Ok(wire::read(body, meter)?)
}

/// Records a change of a route, and answers the route.
fn answered(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    neighbours: &Neighbours,
    old: Option<&Route>,
    row: &Route,
) -> db::Result<Answer> {
    tx.record_change(old, Some(row))?;
    Answer::entity(&view::one(tx.conn, &*neighbours.people, &scope.scope_and_partner(), row)?, row.version)
}

/// Search alert routes
///
/// In the order in which they are asked, the default last; at partner level those of its clients too, unless `allList`
/// is `false`. `queryString` variables: `id`, `name` (contains, unless `isEquals:true`), `policyId` and `allList`.
#[utoipa::path(
    operation_id = "searchAlertRoutes",
    params(PageQuery<Routes>),
    responses((status = 200, description = "A page of routes", body = PageOf<AlertRoute>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alertRoutes/search")]
pub async fn search(
    context: RequestContext<PageQuery<Routes>>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let terms = query_string::parse(&context.query.filter, &VARIABLES)?;
    let named = filter::named(&terms, ["alert_routes.id IN", "alert_routes.name_key"], wire::normal_id)?;
    let all_list = filter::all_list(&terms)?;
    let policies = terms.iter().filter(|term| term.name == "policyId").map(|term| {
        let ids = term.values.iter().map(|id| policies::wire::normal_id(id));
        Condition::text_in("alert_routes.policy_id IN", ids)
    });
    let wanted = Condition::all([named].into_iter().chain(policies));
    let page = context.page(move |conn, scope, sort, walk| {
        let tenants = scope.scope_of_list(all_list);
        let condition = Condition::all([Condition::text_in("alert_routes.tenant_id IN", tenants), wanted]);
        let found = store::page(conn, &condition, sort, walk)?;
        let shown = view::all(conn, &*neighbours.people, &scope.scope_and_partner(), &found.rows)?;
        Ok(found.with(shown))
    });
    page.await
}

/// Get an alert route
#[utoipa::path(
    operation_id = "getAlertRoute",
    params(RouteId),
    responses((status = 200, description = "The route", body = AlertRoute)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alertRoutes/{routeId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<RouteId>,
) -> api::Result<HttpResponse> {
    let answered = context.point(move |conn, tenant| {
        let row = Route::existing(conn, &tenant.scope(), &id)?;
        Answer::entity(&view::one(conn, &*neighbours.people, &tenant.scope_and_partner(), &row)?, row.version)
    });
    answered.await
}

/// Update an alert route
///
/// What is left out stays as it is; `rules` are replaced as a whole.
#[utoipa::path(
    operation_id = "updateAlertRoute",
    params(RouteId),
    request_body(content = RouteChange),
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
    PathIds(id): PathIds<RouteId>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (change, rules) = cpu::read(body, read::<RouteChange>).await?;
    context
        .write(move |tx, scope| {
            let old = Route::locked(tx, scope, &id)?;
            if let Some(policy) = &change.policy {
                Policy::named(tx.conn, &old.tenant_id, "policy.id", policy)?;
            }
            let row = rules::changed(&old, change, rules, tx.author(), tx.now)?;
            store::update(tx.conn, &row)?;
            answered(tx, scope, &neighbours, Some(&old), &row)
        })
        .await
}

/// Delete an alert route
#[utoipa::path(
    operation_id = "deleteAlertRoute",
    params(RouteId),
    responses(
        (status = 200, description = "Deleted; an empty object", body = Object),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/alertRoutes/{routeId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<RouteId>) -> api::Result<HttpResponse> {
    context.delete(id, store::delete).await
}
