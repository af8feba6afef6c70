//! Heartbeats over HTTP.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, context::check_version, inbound, spec::PageOf};
use base::{fold, problem::Problem, query::Query, query_string, secret::Secret};
use db::{Condition, Db};
use outbox::{Entity, Tx};
use sha2::{Digest as _, Sha256};

use super::{
    pings::{Hash, Pinged, Pings},
    rules::{self, SEVERITIES},
    store::{self, Row},
    wire::{self, Change, CreatedHeartbeat, Heartbeat, HeartbeatInput, HeartbeatUpdate},
};

/// What a heartbeat is pinged at; its token follows.
const PREFIX: &str = "/api/v2/heartbeats/";

/// What a search may be sorted by.
const SORTS: [&str; 2] = ["name", "id"];
const VARIABLES: [&str; 5] = ["id", "name", "state", "severity", "isEquals"];
const STATES: [&str; 3] = ["New", "Up", "Missing"];

/// 256 random bits, as two UUIDs of 122 each and then some.
fn new_token() -> Secret<String> {
    let parts: [String; 3] = std::array::from_fn(|_| uuid::Uuid::new_v4().simple().to_string());
    Secret::new(parts.concat())
}

fn hash(token: &str) -> Hash {
    Sha256::digest(token.as_bytes()).into()
}

fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Notes a change for the audit log and for subscribers.
fn note(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity { tenant_id: &row.tenant_id, kind: "Heartbeat", id: &row.id, publish: true };
    tx.note_shown(entity, before.map(Heartbeat::from).as_ref(), after.map(Heartbeat::from).as_ref())
}

/// Create a heartbeat
///
/// Something that is to be heard of every so often: a backup, a batch, a monitor itself. The answer is the only time that
/// its address is shown. Nothing is reported before its first ping.
#[utoipa::path(
    tag = "heartbeats",
    operation_id = "createHeartbeat",
    request_body(content = HeartbeatInput),
    responses(
        (status = 200, description = "The heartbeat, with its address", body = CreatedHeartbeat),
        (status = 409, description = "Another one of the tenant has this name, or there are 10,000"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/heartbeats")]
pub async fn create(context: RequestContext, body: Body) -> api::Result<HttpResponse> {
    let new = Change::create(&body.0)?;
    let token = new_token();
    let base = api::session::origin(context.request());
    let (tenant, author) = (context.tenant.id.to_string(), context.caller.user_id.clone());
    context
        .write(move |tx, _| {
            let name = new.name.unwrap_or_default();
            let row = Row {
                tenant_id: tenant,
                id: format!("HB-{}", uuid::Uuid::new_v4()),
                version: 1,
                name_key: fold(&name),
                name,
                interval_ms: new.interval_ms.unwrap_or_default(),
                grace_ms: new.grace_ms.unwrap_or_default(),
                severity: new.severity.unwrap_or("Critical").to_owned(),
                device: new.device.unwrap_or_default(),
                token_hash: hex(&hash(token.expose())),
                created_by: author,
                created_ms: tx.now.millis(),
                updated_ms: tx.now.millis(),
                ..Row::default()
            };
            store::insert(tx.conn, &row)?;
            note(tx, None, Some(&row))?;
            let heartbeat = Heartbeat::from(&row);
            let with_address =
                CreatedHeartbeat { heartbeat: heartbeat.clone(), url: format!("{base}{PREFIX}{}", token.into_inner()) };
            Ok(Answer::once(&with_address, &heartbeat)?.of_version(row.version))
        })
        .await
}

/// Search heartbeats
///
/// By name. `queryString` variables: `id`, `name` (contains, unless `isEquals:true`), `state` (`New`, `Up`, `Missing`),
/// `severity`.
#[utoipa::path(
    tag = "heartbeats",
    operation_id = "searchHeartbeats",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`name` (default) or `id`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "state:Missing"),
    ),
    responses((status = 200, description = "A page of heartbeats", body = PageOf<Heartbeat>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/heartbeats/search")]
pub async fn search(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&SORTS, "name", false);
    let text = query.text("queryString").filter(|text| !text.trim().is_empty());
    let walk = query.walk(context.request().path(), sort);
    query.finish()?;
    let condition = condition(&context.scope(), text.as_deref().unwrap_or_default())?;
    let page = context.db.read(move |conn| {
        let found = store::page(conn, &condition, sort.name, sort.descending, &walk)?;
        Ok(walk.answer(found.map(|row| Heartbeat::from(&row))))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

fn condition(scope: &[String], text: &str) -> Result<Condition, Problem> {
    let terms = if text.is_empty() { Vec::new() } else { query_string::parse(text, &VARIABLES)? };
    let wrong = |name: &str, allowed: &[&str]| {
        Problem::field("queryString", format!("{name}: must be one of: {}", allowed.join(", ")))
    };
    let whole = match terms.iter().find(|term| term.name == "isEquals").map(|term| fold(&term.value)).as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(wrong("isEquals", &["true", "false"])),
    };
    let mut all = vec![Condition::text_in("heartbeats.tenant_id IN", scope)];
    for term in &terms {
        let keys = || term.values.iter().map(|value| fold(value));
        let word = |value: &String, allowed: &[&'static str]| {
            let found = allowed.iter().find(|known| known.eq_ignore_ascii_case(value)).copied();
            found.ok_or_else(|| wrong(term.name, allowed))
        };
        all.push(match term.name {
            "id" => Condition::text_in("lower(heartbeats.id) IN", keys()),
            "name" if whole => Condition::text_in("heartbeats.name_key IN", keys()),
            "name" => Condition::any(keys().map(|key| {
                Condition::sql("replace(heartbeats.name_key, ").text(key).then(", '') <> heartbeats.name_key")
            })),
            "severity" => {
                let words: Result<Vec<_>, _> = term.values.iter().map(|value| word(value, &SEVERITIES)).collect();
                Condition::text_in("heartbeats.severity IN", words?)
            }
            "state" => {
                let states: Result<Vec<_>, _> = term.values.iter().map(|value| word(value, &STATES)).collect();
                Condition::any(states?.into_iter().map(|state| {
                    Condition::sql(match state {
                        "Missing" => "heartbeats.missed",
                        "New" => "NOT heartbeats.missed AND heartbeats.last_ms IS NULL",
                        _ => "NOT heartbeats.missed AND heartbeats.last_ms IS NOT NULL",
                    })
                }))
            }
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}

/// Get a heartbeat
#[utoipa::path(
    tag = "heartbeats",
    operation_id = "getHeartbeat",
    params(("heartbeatId" = String, Path, description = "`HB-<uuid>`", example = "HB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The heartbeat", body = Heartbeat)),
    security(("bearer" = ["viewer"]))
)]
#[get("/heartbeats/{heartbeatId}")]
pub async fn get(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (scope, id) = (context.scope(), path.into_inner().1);
    let row = context.db.point(move |conn| store::existing(conn, &scope, &id)).await?;
    // Pings change what is shown and make no version.
    answer::tagged(&Heartbeat::from(&row), row.version)
}

/// Update a heartbeat
///
/// What is left out stays as it is. Another interval or grace counts from the last ping.
#[utoipa::path(
    tag = "heartbeats",
    operation_id = "updateHeartbeat",
    params(("heartbeatId" = String, Path, description = "`HB-<uuid>`", example = "HB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
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
    path: web::Path<(String, String)>,
    body: Body,
    pings: web::Data<Pings>,
) -> api::Result<HttpResponse> {
    let change = Change::update(&body.0)?;
    let (scope, wanted, id) = (context.scope(), context.if_match()?, path.into_inner().1);
    let done = context.write(move |tx, _| {
        let before = store::take_up(tx.conn, &scope, &id)?;
        check_version(wanted, before.version)?;
        let after = changed(&before, change, tx.now.millis());
        store::update(tx.conn, &after)?;
        note(tx, Some(&before), Some(&after))?;
        Answer::entity(&Heartbeat::from(&after), after.version)
    });
    let answer = done.await?;
    pings.forget();
    Ok(answer)
}

fn changed(before: &Row, change: Change, now_ms: i64) -> Row {
    let mut after = before.clone();
    if let Some(name) = change.name {
        (after.name_key, after.name) = (fold(&name), name);
    }
    after.interval_ms = change.interval_ms.unwrap_or(after.interval_ms);
    after.grace_ms = change.grace_ms.unwrap_or(after.grace_ms);
    if let Some(severity) = change.severity {
        severity.clone_into(&mut after.severity);
    }
    after.device = change.device.unwrap_or(after.device);
    if change.interval_ms.is_some() || change.grace_ms.is_some() {
        after.due_ms = after.last_ms.map(|last| rules::due(after.interval_ms, after.grace_ms, last));
    }
    (after.version, after.updated_ms) = (before.version + 1, now_ms);
    after
}

/// Delete a heartbeat
///
/// Its address is closed. An alert of its silence that is open stays.
#[utoipa::path(
    tag = "heartbeats",
    operation_id = "deleteHeartbeat",
    params(("heartbeatId" = String, Path, description = "`HB-<uuid>`", example = "HB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "An empty object", body = Object, example = json!({})),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/heartbeats/{heartbeatId}")]
pub async fn delete(
    context: RequestContext,
    path: web::Path<(String, String)>,
    pings: web::Data<Pings>,
) -> api::Result<HttpResponse> {
    let (scope, wanted, id) = (context.scope(), context.if_match()?, path.into_inner().1);
    let done = context.write(move |tx, _| {
        let row = store::take_up(tx.conn, &scope, &id)?;
        check_version(wanted, row.version)?;
        store::delete(tx.conn, &row)?;
        note(tx, Some(&row), None)?;
        Ok(Answer::empty())
    });
    let answer = done.await?;
    pings.forget();
    Ok(answer)
}

/// Ping a heartbeat
///
/// By `GET`, for what can do no more. The address is the credential.
#[utoipa::path(
    tag = "heartbeats",
    operation_id = "pingHeartbeatByGet",
    params(("token" = String, Path, description = "The token of its address")),
    responses(
        (status = 200, description = "It was heard", body = wire::Pinged),
        (status = 404, description = "The token is unknown or revoked"),
    ),
    security(())
)]
#[get("/api/v2/heartbeats/{token}")]
pub async fn ping(request: HttpRequest, path: web::Path<String>, pings: web::Data<Pings>) -> api::Result<HttpResponse> {
    hear(&request, &path, &pings).await
}

/// Ping a heartbeat by POST
///
/// Any body is taken, and not read. The address is the credential.
#[utoipa::path(
    tag = "heartbeats",
    operation_id = "pingHeartbeat",
    params(("token" = String, Path, description = "The token of its address")),
    responses(
        (status = 200, description = "It was heard", body = wire::Pinged),
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
    hear(&request, &path, &pings).await
}

async fn hear(request: &HttpRequest, token: &str, pings: &Pings) -> api::Result<HttpResponse> {
    Query::parse(request.query_string())?.finish()?;
    let address = hash(token);
    let pinged = match pings.known(&address) {
        Some(pinged) => pinged,
        None => {
            let pinged = look_up(request, &address).await?;
            pings.learn(address, pinged.clone());
            pinged
        }
    };
    pings.hear(&pinged, api::clock::now().millis());
    answer::ok(&wire::Pinged { status: "OK" })
}

async fn look_up(request: &HttpRequest, address: &Hash) -> api::Result<Pinged> {
    let db = request.app_data::<Db>().ok_or_else(|| db::Error::Fault("a server without database".to_owned()))?;
    let text = hex(address);
    match db.point(move |conn| store::of_token(conn, &text)).await? {
        Some((tenant_id, id, interval_ms)) => Ok(Pinged { tenant_id, id, interval_ms }),
        None => Err(inbound::refuse(request, rules::unknown())),
    }
}
