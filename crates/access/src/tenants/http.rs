//! Tenant facts, and the clients of a partner.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PageQuery, PathIds, RequestContext, Result, answer, get, post, spec::PageOf, stream};
use base::{problem::Problem, tenant::TenantId, timestamp::Timestamp};
use outbox::Tx;

use super::{
    row::Row,
    rules, store,
    wire::{Client, ClientChange, ClientId, ClientMinimal, NewClient, TenantFacts},
};
use crate::Authenticator;

api::list! {
    /// The list of clients.
    pub(crate) Clients by store::SORTS: SORT = "id", FILTER = "name:glo"
}

/// Get a tenant
///
/// Facts about the tenant of the path: its name, its level, and for a client its partner.
#[utoipa::path(
    operation_id = "getTenant",
    responses(
        (status = 200, description = "The tenant", body = TenantFacts),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"])),
)]
#[get("")]
pub(crate) async fn get_tenant(context: RequestContext) -> Result<HttpResponse> {
    let id = context.tenant.id.clone();
    let row = context.db.point(move |conn| store::row(conn, &id)).await?;
    let row = row.ok_or_else(|| Problem::not_found("The tenant was not found."))?;
    shown(&context, row)
}

/// Create a client
///
/// Adds a client to the partner of the path. Its tenant id is the answer's `uniqueId`.
#[utoipa::path(
    operation_id = "createClient",
    request_body = NewClient,
    responses(
        (status = 200, description = "The new client", body = Client),
        (status = 409, description = "Another client of the partner has this name"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/clients")]
pub(crate) async fn create_client(
    context: RequestContext,
    Body(new): Body<NewClient>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    rules::check_partner(&context.tenant.id)?;
    let done = context.write(move |tx, scope| {
        let row = store::insert_client(tx.conn, &scope.tenant.id, &new.name, tx.now)?;
        tx.record_change(None, Some(&row))?;
        Answer::ok(&Client::from(row))
    });
    let answer = done.await?;
    authenticator.forget_tenants();
    Ok(answer)
}

/// List clients, minimal
///
/// All clients of the partner of the path, in the order of their ids; not paged.
#[utoipa::path(
    operation_id = "listMinimalClients",
    responses((status = 200, description = "The clients", body = Vec<ClientMinimal>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/clients/minimal")]
pub(crate) async fn list_clients_minimal(context: RequestContext) -> Result<HttpResponse> {
    rules::check_partner(&context.tenant.id)?;
    let partner = context.tenant.id.clone();
    stream::array(&context, move |conn, rows| {
        store::each_client(conn, &partner, |row| rows.push_json(&ClientMinimal::from(row)))
    })
    .await
}

/// Search clients
///
/// A page of the clients of the partner of the path. The variables of `queryString` are `name` (contains; whole with
/// `isEquals:true`), `id`, `uniqueId`, `activated` or `activeStatus` (`true` or `false`), `startCreationDate`,
/// `endCreationDate`, `startUpdationDate` and `endUpdationDate`.
#[utoipa::path(
    operation_id = "searchClients",
    params(PageQuery<Clients>),
    responses((status = 200, description = "A page of clients", body = PageOf<Client>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/clients/search")]
pub(crate) async fn search_clients(context: RequestContext<PageQuery<Clients>>) -> Result<HttpResponse> {
    rules::check_partner(&context.tenant.id)?;
    let filter = rules::filter(&context.query.filter)?;
    let page = context.page(move |conn, scope, sort, walk| {
        Ok(store::search(conn, &scope.tenant.id, &filter, sort, walk)?.map(Client::from))
    });
    page.await
}

/// Get a client
///
/// Facts about one client of the partner of the path.
#[utoipa::path(
    operation_id = "getClient",
    params(ClientId),
    responses(
        (status = 200, description = "The client", body = TenantFacts),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"])),
)]
#[get("/clients/{clientId}")]
pub(crate) async fn get_client(context: RequestContext, PathIds(id): PathIds<ClientId>) -> Result<HttpResponse> {
    let (partner, id) = client_of(&context, &id)?;
    let row = context.db.point(move |conn| store::client(conn, &partner, &id)).await?;
    shown(&context, row)
}

/// Update a client
///
/// Gives it another name. `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    operation_id = "updateClient",
    params(ClientId),
    request_body = ClientChange,
    responses(
        (status = 200, description = "The client after the change", body = TenantFacts),
        (status = 409, description = "Another client of the partner has this name"),
        (status = 412, description = "The client has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/clients/{clientId}")]
pub(crate) async fn update_client(
    context: RequestContext,
    PathIds(id): PathIds<ClientId>,
    Body(changes): Body<ClientChange>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    change(&context, &id, &authenticator, move |_, row, now| Ok(rules::renamed(row, changes.name.as_deref(), now)))
        .await
}

/// The partner of the path, and the client in it.
fn client_of(context: &RequestContext, id: &str) -> Result<(TenantId, TenantId)> {
    rules::check_partner(&context.tenant.id)?;
    let id = TenantId::parse(id).ok_or_else(rules::unknown)?;
    Ok((context.tenant.id.clone(), id))
}

fn shown(context: &RequestContext, row: Row) -> Result<HttpResponse> {
    let version = row.version;
    answer::entity(context, &TenantFacts::from(row), version)
}

/// Stores what becomes of a client, and answers it.
pub(crate) async fn change(
    context: &RequestContext,
    id: &str,
    authenticator: &Authenticator,
    becomes: impl FnOnce(&mut Tx<'_>, &Row, Timestamp) -> db::Result<Row> + Send + 'static,
) -> Result<HttpResponse> {
    let (partner, id) = client_of(context, id)?;
    let done = context.write(move |tx, scope| {
        db::Lock::of("tenant", &id).take(tx.conn)?;
        let before = store::client(tx.conn, &partner, &id)?;
        scope.check_version(before.version)?;
        let now = tx.now;
        let after = becomes(tx, &before, now)?;
        if after != before {
            store::update(tx.conn, &before, &after)?;
        }
        tx.record_change(Some(&before), Some(&after))?;
        let version = after.version;
        Answer::entity(&TenantFacts::from(after), version)
    });
    let answer = done.await?;
    authenticator.forget_tenants();
    authenticator.forget_callers();
    Ok(answer)
}
