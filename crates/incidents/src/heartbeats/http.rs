//! Heartbeats over HTTP.

use actix_web::{HttpRequest, HttpResponse, web};
use api::{
    Answer, Body, PageQuery, PathIds, RequestContext, Resource as _, answer, delete, get, inbound, post, spec::PageOf,
};
use base::{fold, hex, secret::Secret};
use db::Db;
use sha2::{Digest as _, Sha256};

use super::{
    filter,
    pings::{Hash, HeartbeatAddress, Pings},
    row::Row,
    rules, store,
    wire::{self, CreatedHeartbeat, Heartbeat, HeartbeatId, HeartbeatUpdate, NewHeartbeat},
};

/// The path of the address of a heartbeat; its token follows.
const PREFIX: &str = "/api/v2/heartbeats/";

api::list! {
    /// The search.
    pub Heartbeats by store::SORTS: SORT = "name", FILTER = "state:Missing"
}

/// 256 random bits, as two UUIDs of 122 each and then some.
fn new_token() -> Secret<String> {
    let parts: [String; 3] = std::array::from_fn(|_| uuid::Uuid::new_v4().simple().to_string());
    Secret::new(parts.concat())
}

fn hash(token: &str) -> Hash {
    Sha256::digest(token.as_bytes()).into()
}

/// Create a heartbeat
///
/// For something that should report regularly: a backup, a batch job, a monitor itself. The answer is the only time
/// that its address is shown. Nothing is reported before its first ping.
#[utoipa::path(
    operation_id = "createHeartbeat",
    request_body(content = NewHeartbeat),
    responses(
        (status = 200, description = "The heartbeat, with its address", body = CreatedHeartbeat,
            headers(("ETag" = String, description = "The version of the record, for `If-Match`"))),
        (status = 409, description = "Another one of the tenant has this name, or there are 10,000"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/heartbeats")]
pub async fn create(context: RequestContext, Body(new): Body<NewHeartbeat>) -> api::Result<HttpResponse> {
    let token = new_token();
    let base = api::session::origin(context.request());
    context
        .write(move |tx, scope| {
            let row = Row {
                tenant_id: scope.tenant_id().to_owned(),
                id: format!("HB-{}", uuid::Uuid::new_v4()),
                version: 1,
                name_key: fold(&new.name),
                name: new.name,
                interval_ms: new.interval_ms,
                grace_ms: new.grace_ms,
                severity: new.severity.to_owned(),
                device: new.device,
                token_hash: hex(&hash(token.expose())),
                created_by: tx.author().to_owned(),
                created_ms: tx.now.millis(),
                updated_ms: tx.now.millis(),
                ..Row::default()
            };
            store::insert(tx.conn, &row)?;
            tx.record_change(None, Some(&row))?;
            let heartbeat = Heartbeat::from(&row);
            let with_address =
                CreatedHeartbeat { heartbeat: heartbeat.clone(), url: format!("{base}{PREFIX}{}", token.into_inner()) };
            Ok(Answer::once(&with_address, &heartbeat)?.of_version(row.version))
        })
        .await
}

/// Search heartbeats
///
/// By name; at partner level those of its clients too, unless `allList` is `false`. `queryString` variables: `id`,
/// `name` (contains, unless `isEquals:true`), `state` (`New`, `Up`, `Missing`), `severity` and `allList`.
#[utoipa::path(
    operation_id = "searchHeartbeats",
    params(PageQuery<Heartbeats>),
    responses((status = 200, description = "A page of heartbeats", body = PageOf<Heartbeat>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/heartbeats/search")]
pub async fn search(context: RequestContext<PageQuery<Heartbeats>>) -> api::Result<HttpResponse> {
    let condition = filter::condition(&context, &context.query.filter)?;
    let page = context.page(move |conn, _, sort, walk| {
        let found = store::page(conn, &condition, sort, walk)?;
        Ok(found.map(|row| Heartbeat::from(&row)))
    });
    page.await
}

/// Get a heartbeat
#[utoipa::path(
    operation_id = "getHeartbeat",
    params(HeartbeatId),
    responses((status = 200, description = "The heartbeat", body = Heartbeat)),
    security(("bearer" = ["viewer"]))
)]
#[get("/heartbeats/{heartbeatId}")]
pub async fn get(context: RequestContext, PathIds(id): PathIds<HeartbeatId>) -> api::Result<HttpResponse> {
    let answered = context.point(move |conn, tenant| {
        let row = Row::existing(conn, &tenant.scope(), &id)?;
        Answer::entity(&Heartbeat::from(&row), row.version)
    });
    answered.await
}

/// Update a heartbeat
///
/// Fields left out stay as they are. A new interval or grace counts from the last ping: one that is `Missing`, and
/// would not be with them, is `Up`, and its alert is closed.
#[utoipa::path(
    operation_id = "updateHeartbeat",
    params(HeartbeatId),
    request_body(content = HeartbeatUpdate),
    responses(
        (status = 200, description = "The heartbeat after the change", body = Heartbeat),
        (status = 409, description = "Another one of the tenant has this name"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/heartbeats/{heartbeatId}")]
pub async fn update(
    context: RequestContext,
    PathIds(id): PathIds<HeartbeatId>,
    Body(change): Body<HeartbeatUpdate>,
    pings: web::Data<Pings>,
) -> api::Result<HttpResponse> {
    let kept = pings.clone();
    let done = context.write(move |tx, scope| {
        let before = Row::locked(tx, scope, &id)?;
        let before = kept.store_last(tx.conn, before, tx.now.millis())?;
        let after = rules::apply_change(&before, change, tx.now.millis());
        store::update(tx.conn, &before, &after)?;
        tx.record_change(Some(&before), Some(&after))?;
        Answer::entity(&Heartbeat::from(&after), after.version)
    });
    let answer = done.await?;
    pings.addresses.forget();
    Ok(answer)
}

/// Delete a heartbeat
///
/// Closes its address: at once on the gateway that answers, within a second on others. An open alert about its silence
/// stays.
#[utoipa::path(
    operation_id = "deleteHeartbeat",
    params(HeartbeatId),
    responses(
        (status = 200, description = "An empty object", body = Object, example = json!({})),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/heartbeats/{heartbeatId}")]
pub async fn delete(
    context: RequestContext,
    PathIds(id): PathIds<HeartbeatId>,
    pings: web::Data<Pings>,
) -> api::Result<HttpResponse> {
    let answer = context.delete(id, store::delete).await?;
    pings.addresses.forget();
    Ok(answer)
}

/// Ping a heartbeat
///
/// With `GET`, for clients that can send nothing else. The address is the credential.
#[utoipa::path(
    operation_id = "pingHeartbeatByGet",
    params(("token" = String, Path, description = "The token of its address")),
    responses(
        (status = 200, description = "The ping was recorded", body = wire::PingAnswer),
        (status = 404, description = "The token is unknown or revoked"),
    ),
    security(())
)]
#[get("/api/v2/heartbeats/{token}")]
pub async fn ping(request: HttpRequest, path: web::Path<String>, pings: web::Data<Pings>) -> api::Result<HttpResponse> {
    record_ping(&request, &path, &pings).await
}

/// Ping a heartbeat by POST
///
/// Any body is taken, and not read. The address is the credential.
#[utoipa::path(
    operation_id = "pingHeartbeat",
    params(("token" = String, Path, description = "The token of its address")),
    responses(
        (status = 200, description = "The ping was recorded", body = wire::PingAnswer),
        (status = 404, description = "The token is unknown or revoked"),
    ),
    security(())
)]
#[post("/api/v2/heartbeats/{token}")]
pub async fn ping_by_post(
    request: HttpRequest,
    path: web::Path<String>,
    pings: web::Data<Pings>,
) -> api::Result<HttpResponse> {
    record_ping(&request, &path, &pings).await
}

async fn record_ping(request: &HttpRequest, token: &str, pings: &Pings) -> api::Result<HttpResponse> {
    // Parameters mean nothing: a ping that is refused is a silence that is reported.
    let address = hash(token);
    let pinged = match pings.addresses.get(&address) {
        Some(pinged) => pinged,
        None => {
            let began = pings.addresses.generation();
            let pinged = look_up(request, &address).await?;
            pings.addresses.put(address, pinged.clone(), began);
            pinged
        }
    };
    pings.record(&pinged, api::clock::now().millis());
    answer::ok(&wire::PingAnswer { status: "OK" })
}

async fn look_up(request: &HttpRequest, address: &Hash) -> api::Result<HeartbeatAddress> {
    let db = request.app_data::<Db>().ok_or_else(|| db::Error::Fault("a server without database".to_owned()))?;
    let text = hex(address);
    match db.point(move |conn| store::by_token(conn, &text)).await? {
        Some((tenant_id, id, interval_ms, missed)) => Ok(HeartbeatAddress { tenant_id, id, interval_ms, missed }),
        None => Err(inbound::refuse(request, Row::not_found())),
    }
}
