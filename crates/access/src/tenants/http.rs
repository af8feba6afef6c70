//! Tenant facts, and the clients of a partner.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, RequestContext, Result, answer, context::check_version, get, post, spec::PageOf, stream};
use base::{Query, problem::Problem, tenant::TenantId, timestamp::Timestamp};
use outbox::{Entity, Tx};

use super::{
    row::Row,
    rules, store,
    wire::{Client, ClientChange, ClientMinimal, NewClient, TenantFacts},
};
use crate::{Keeper, api_keys, sessions};

api::texts! {
    /// What clients are sorted by.
    Sorted = api::spec::one_of(&rules::SORTS);
}

/// Get a tenant
///
/// Facts about the tenant of the path: its name, its level, and for a client its partner.
#[utoipa::path(
    tag = "Tenants",
    operation_id = "getTenant",
    responses((status = 200, description = "The tenant", body = TenantFacts)),
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
    tag = "Tenants",
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
    body: Body,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    rules::check_partner(&context.tenant.id)?;
    let new = NewClient::read(&body.0)?;
    let (partner, now) = (context.tenant.id.clone(), context.now);
    let done = context.write(move |tx, _| {
        let row = store::insert_client(tx.conn, &partner, &new.name, now)?;
        record_change(tx, None, &row)?;
        Answer::ok(&Client::from(row))
    });
    let answer = done.await?;
    keeper.forget_tenants();
    Ok(answer)
}

/// Records that a client is new or has changed.
pub(crate) fn record_change(tx: &mut Tx<'_>, before: Option<&Row>, after: &Row) -> db::Result<()> {
    let kind = if after.partner().is_some() { "Client" } else { "Partner" };
    let entity = Entity::audited(kind, &after.id, &after.id);
    tx.note_shown(entity, before.cloned().map(Client::from).as_ref(), Some(&Client::from(after.clone())))
}

/// List clients, minimal
///
/// All clients of the partner of the path, in the order of their ids; not paged.
#[utoipa::path(
    tag = "Tenants",
    operation_id = "listClientsMinimal",
    responses((status = 200, description = "The clients", body = Vec<ClientMinimal>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/clients/minimal")]
pub(crate) async fn list_clients_minimal(context: RequestContext) -> Result<HttpResponse> {
    rules::check_partner(&context.tenant.id)?;
    let partner = context.tenant.id.clone();
    stream::array(&context.db, move |conn, rows| {
        store::each_client(conn, &partner, |row| {
            let client = ClientMinimal::from(row);
            let json = serde_json::to_vec(&client).map_err(|error| db::Error::Fault(error.to_string()))?;
            rows.push(|out| out.extend_from_slice(&json))
        })
    })
    .await
}

/// Search clients
///
/// A page of the clients of the partner of the path.
#[utoipa::path(
    tag = "Tenants",
    operation_id = "searchClients",
    params(
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "The page, from 1; default 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000; default 100", example = 100),
        ("sortName" = inline(Option<Sorted>), Query, description = "`id` (the default) or `name`", example = "name"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false", example = false),
        ("queryString" = Option<String>, Query, description = "Terms `name:value` joined with `+`: `name` (contains; \
            whole with `isEquals:true`), `id`, `uniqueId`, `activated` or `activeStatus` (`true` or `false`), \
            `startCreationDate`, `endCreationDate`, `startUpdationDate`, `endUpdationDate`", example = "name:glo"),
    ),
    responses((status = 200, description = "A page of clients", body = PageOf<Client>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/clients/search")]
pub(crate) async fn search_clients(context: RequestContext<Query>) -> Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "id", false);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    rules::check_partner(&context.tenant.id)?;
    let filter = rules::filter(&text)?;
    let partner = context.tenant.id.clone();
    let page = context
        .db
        .read(move |conn| Ok(walk.answer(store::search(conn, &partner, &filter, sort, &walk)?.map(Client::from))));
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get a client
///
/// Facts about one client of the partner of the path.
#[utoipa::path(
    tag = "Tenants",
    operation_id = "getClient",
    params(("clientId" = String, Path, description = "`client_<number>`", example = "client_1")),
    responses((status = 200, description = "The client", body = TenantFacts)),
    security(("bearer" = ["viewer"])),
)]
#[get("/clients/{clientId}")]
pub(crate) async fn get_client(context: RequestContext, path: web::Path<(String, String)>) -> Result<HttpResponse> {
    let (partner, id) = client_of(&context, &path)?;
    let row = context.db.point(move |conn| store::client(conn, &partner, &id)).await?;
    shown(&context, row)
}

/// Update a client
///
/// Gives it another name. `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    tag = "Tenants",
    operation_id = "updateClient",
    params(("clientId" = String, Path, description = "`client_<number>`", example = "client_1")),
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
    path: web::Path<(String, String)>,
    body: Body,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    let ClientChange { name } = ClientChange::read(&body.0)?;
    change(&context, &path, &keeper, move |_, row, now| Ok(rules::renamed(row, name.as_deref(), now))).await
}

/// Suspend a client
///
/// From now on its callers are answered 403 on every operation and get no tokens: at once on the gateway that answers,
/// within five seconds on others. Sessions of its people end for good. Its data stays, its partner's callers see it as before. Suspending a suspended client
/// changes nothing.
#[utoipa::path(
    tag = "Tenants",
    operation_id = "suspendClient",
    params(("clientId" = String, Path, description = "`client_<number>`", example = "client_1")),
    responses(
        (status = 200, description = "The client after the change", body = TenantFacts),
        (status = 412, description = "The client has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/clients/{clientId}/suspend")]
pub(crate) async fn suspend_client(
    context: RequestContext,
    path: web::Path<(String, String)>,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    change(&context, &path, &keeper, |tx, row, now| {
        sessions::redeem::end_of_tenant(tx, &row.id)?;
        Ok(rules::suspended(row, true, now)?)
    })
    .await
}

/// Resume a client
///
/// Ends its suspension: its keys work again, and its tokens that have not expired. Resuming a client that is not
/// suspended changes nothing.
#[utoipa::path(
    tag = "Tenants",
    operation_id = "resumeClient",
    params(("clientId" = String, Path, description = "`client_<number>`", example = "client_1")),
    responses(
        (status = 200, description = "The client after the change", body = TenantFacts),
        (status = 412, description = "The client has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/clients/{clientId}/resume")]
pub(crate) async fn resume_client(
    context: RequestContext,
    path: web::Path<(String, String)>,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    change(&context, &path, &keeper, |_, row, now| Ok(rules::suspended(row, false, now)?)).await
}

/// Terminate a client
///
/// Shuts it for good: it is suspended, cannot be resumed, and all of its API keys are revoked, so that nothing is done in
/// its name any more. Its data stays, and its partner's callers see it as before. Terminating a terminated client changes
/// nothing.
#[utoipa::path(
    tag = "Tenants",
    operation_id = "terminateClient",
    params(("clientId" = String, Path, description = "`client_<number>`", example = "client_1")),
    responses(
        (status = 200, description = "The client after the change", body = TenantFacts),
        (status = 412, description = "The client has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/clients/{clientId}/terminate")]
pub(crate) async fn terminate_client(
    context: RequestContext,
    path: web::Path<(String, String)>,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    change(&context, &path, &keeper, |tx, row, now| {
        api_keys::http::revoke_all(tx, &row.id, now)?;
        sessions::redeem::end_of_tenant(tx, &row.id)?;
        Ok(rules::terminated(row, now))
    })
    .await
}

/// The partner of the path, and the client in it.
fn client_of(context: &RequestContext, path: &(String, String)) -> Result<(TenantId, TenantId)> {
    rules::check_partner(&context.tenant.id)?;
    let id = TenantId::parse(&path.1).ok_or_else(rules::unknown)?;
    Ok((context.tenant.id.clone(), id))
}

fn shown(context: &RequestContext, row: Row) -> Result<HttpResponse> {
    let version = row.version;
    answer::entity(context, &TenantFacts::from(row), version)
}

/// Stores what becomes of a client, and answers it.
async fn change(
    context: &RequestContext,
    path: &(String, String),
    keeper: &Keeper,
    becomes: impl FnOnce(&mut Tx<'_>, &Row, Timestamp) -> db::Result<Row> + Send + 'static,
) -> Result<HttpResponse> {
    let (partner, id) = client_of(context, path)?;
    let (wanted, now) = (context.if_match()?, context.now);
    let done = context.write(move |tx, _| {
        db::lock(tx.conn, &format!("tenant:{id}"))?;
        let before = store::client(tx.conn, &partner, &id)?;
        check_version(wanted, before.version)?;
        let after = becomes(tx, &before, now)?;
        if after != before {
            store::update(tx.conn, &before, &after)?;
        }
        record_change(tx, Some(&before), &after)?;
        let version = after.version;
        Answer::entity(&TenantFacts::from(after), version)
    });
    let answer = done.await?;
    keeper.forget_tenants();
    keeper.forget_callers();
    Ok(answer)
}
