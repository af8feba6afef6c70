//! The operations of Opsgenie's alert API beside the create. Their alerts are those of the inbound address whose
//! token they have ("Opsgenie" in `docs/interface.md`). Scripts and media types give up a whole alert when one of these
//! calls fails.

mod actions;
mod reads;
mod wire;

pub use reads::{count, get, get_request, list, list_of};

use self::actions::OpsgenieAction;
use super::{
    formats::opsgenie::{self as format, OpsgenieAnswer, OpsgenieNote},
    http::origin,
    inbound::{self, Context},
    intake::{self, Origin},
    row::Alert,
    rules::{self, Action},
    store,
    wire::normal_id,
};
use crate::neighbours::Neighbours;
use actix_web::{HttpRequest, HttpResponse, web};
use api::{Answer, context::document_id, delete, inbound as addresses, list::documented, post, put};
use db::Conn;
use serde_json::Value;
use utoipa::{
    IntoParams, IntoResponses, PartialSchema as _,
    openapi::path::{Parameter, ParameterIn},
};

api::texts! {
    /// How an alert is named.
    IdentifierType = api::spec::one_of(&["id", "alias", "tiny"]);
}

/// The alias of an alert in a path.
struct AlertAlias;

impl IntoParams for AlertAlias {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![document_id("alias", "The alias of the alert, or its id", "disk-web-01")]
    }
}

/// The parameter that says how an alert is named, which nobody needs to know.
struct IdentifierQuery;

impl IntoParams for IdentifierQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "`id`, `alias` or `tiny`; an alert is found by id or alias with any of these";
        vec![documented("identifierType", description, IdentifierType::schema(), false, None)]
    }
}

/// The answers to what changes an alert, for the document.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "the document alone has them")]
enum AcceptedEvent {
    /// The event was processed
    #[response(status = 202)]
    Processed(OpsgenieAnswer),
    /// The key is not a token of an inbound address
    #[response(status = 401)]
    UnknownKey,
}

/// Admits a request by its token.
async fn admit(request: &HttpRequest) -> api::Result<Context> {
    addresses::admit(request, &inbound::genie_key(request)?).await
}

/// Admits a request by its token, and reads what was sent.
async fn admit_with_body(request: &HttpRequest, payload: web::Payload) -> api::Result<(Context, Value)> {
    let at = admit(request).await?;
    let (body, _) = inbound::body(request, payload).await?;
    Ok((at, body))
}

/// The alerts of a sender that this names: the one with this id, or else all that are open under this alias, or else
/// the last one. `tiny` ids are ids.
fn find(conn: &mut Conn, origin: &Origin, identifier: &str) -> db::Result<Vec<Alert>> {
    let is_own = |alert: &Alert| alert.sender == origin.sender;
    let id = normal_id(identifier.trim());
    if id.starts_with("ALT-")
        && let Some(alert) = store::find(conn, &origin.scope, &id)?.filter(is_own)
    {
        return Ok(vec![alert]);
    }
    let Some(key) = super::report::key(identifier) else { return Ok(Vec::new()) };
    store::open_or_last(conn, &origin.scope, &rules::problems_of_key(&origin.sender, &key))
}

/// Carries out an action. An unknown alert is not an error: that API accepts a request before it looks at the alert.
async fn carry_out(
    context: Context,
    neighbours: web::Data<Neighbours>,
    identifier: String,
    action: OpsgenieAction,
    note: String,
) -> api::Result<HttpResponse> {
    let done = context.write(move |tx, scope| {
        let found = find(tx.conn, &origin(scope), &identifier)?;
        for alert in &found {
            action.clone().carry_out(tx, &neighbours, alert, note.clone())?;
        }
        Answer::ok(&OpsgenieAnswer::about(found.first().map(|alert| alert.id.as_str())))
    });
    done.await.map(inbound::accepted)
}

/// Acknowledge an alert as with Opsgenie
///
/// By its alias or id. One that is not open, or acknowledged already, stays as it is.
#[utoipa::path(
    operation_id = "acknowledgeOpsgenieAlert",
    params(AlertAlias, IdentifierQuery),
    request_body(content = Option<OpsgenieNote<'_>>),
    responses(AcceptedEvent),
    security(()),
)]
#[post("/v2/alerts/{alias}/acknowledge")]
pub async fn acknowledge(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<String>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (at, body) = admit_with_body(&request, payload).await?;
    let note = format::note(&body);
    carry_out(at, neighbours, path.into_inner(), OpsgenieAction::Act(Action::Acknowledge), note).await
}

/// Close an alert as with Opsgenie
///
/// By its alias or id. One that is not open stays as it is.
#[utoipa::path(
    operation_id = "closeOpsgenieAlert",
    params(AlertAlias, IdentifierQuery),
    request_body(content = Option<OpsgenieNote<'_>>),
    responses(AcceptedEvent),
    security(()),
)]
#[post("/v2/alerts/{alias}/close")]
pub async fn close(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<String>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (at, body) = admit_with_body(&request, payload).await?;
    end(at, neighbours, path.into_inner(), format::note(&body)).await
}

/// Closes an alert for its sender; an alert that is open under a key is closed as by a recovery.
async fn end(
    context: Context,
    neighbours: web::Data<Neighbours>,
    identifier: String,
    note: String,
) -> api::Result<HttpResponse> {
    let done = context.write(move |tx, scope| {
        let origin = origin(scope);
        let found = find(tx.conn, &origin, &identifier)?;
        if inbound::open_under_key(tx.conn, &origin, identifier.trim())?.is_empty() {
            for alert in &found {
                inbound::act(tx, &neighbours, alert, Action::Close, note.clone())?;
            }
        } else {
            let report = format::closed(&identifier, note);
            intake::take_in(tx, &neighbours, &origin, &[Ok(report)])?;
        }
        Answer::ok(&OpsgenieAnswer::about(found.first().map(|alert| alert.id.as_str())))
    });
    done.await.map(inbound::accepted)
}

/// Act on an alert as with Opsgenie
///
/// `unacknowledge`, `snooze` (until `endTime`), `escalate`, `tags` and `details` (which it has from then on); `notes`,
/// `assign`, `responders` and `teams` are notes of the alert.
#[utoipa::path(
    operation_id = "actOnOpsgenieAlert",
    params(
        AlertAlias,
        ("part" = String, Path, description = "The action", example = "notes"),
        IdentifierQuery,
    ),
    request_body(content = Option<OpsgenieNote<'_>>),
    responses(
        AcceptedEvent,
        (status = 404, description = "There is no such action"),
    ),
    security(()),
)]
#[post("/v2/alerts/{alias}/{part}")]
pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<(String, String)>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (at, body) = admit_with_body(&request, payload).await?;
    let (identifier, action) = path.into_inner();
    let (action, note) = OpsgenieAction::post(&action, &body, at.now)?;
    carry_out(at, neighbours, identifier, action, note).await
}

/// Execute a custom action as with Opsgenie
///
/// Adds a note to the alert; the action itself is not run.
#[utoipa::path(
    operation_id = "executeOpsgenieAction",
    params(
        AlertAlias,
        ("action" = String, Path, description = "The name of the action", example = "restart"),
    ),
    request_body(content = Option<OpsgenieNote<'_>>),
    responses(AcceptedEvent),
    security(()),
)]
#[post("/v2/alerts/{alias}/actions/{action}")]
pub async fn execute(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<(String, String)>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (at, body) = admit_with_body(&request, payload).await?;
    let (identifier, action) = path.into_inner();
    let note = format!("action {action} {}", format::note(&body));
    carry_out(at, neighbours, identifier, OpsgenieAction::Edit(rules::Edit::default()), note.trim().to_owned()).await
}

/// Change an alert as with Opsgenie
///
/// Its `message`, `description` or `priority`.
#[utoipa::path(
    operation_id = "updateOpsgenieAlert",
    params(
        AlertAlias,
        ("part" = String, Path, description = "`message`, `description` or `priority`", example = "priority"),
        IdentifierQuery,
    ),
    request_body(content = Object, example = json!({"priority": "P1"})),
    responses(
        AcceptedEvent,
        (status = 404, description = "There is no such field"),
    ),
    security(()),
)]
#[put("/v2/alerts/{alias}/{part}")]
pub async fn update(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<(String, String)>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (at, body) = admit_with_body(&request, payload).await?;
    let (identifier, field) = path.into_inner();
    let note = format::note(&body);
    carry_out(at, neighbours, identifier, OpsgenieAction::put(&field, &body)?, note).await
}

/// Remove tags or details of an alert as with Opsgenie
#[utoipa::path(
    operation_id = "removeFromOpsgenieAlert",
    params(
        AlertAlias,
        ("part" = String, Path, description = "`tags` or `details`", example = "tags"),
        ("tags" = Option<String>, Query, description = "The tags, with commas between", example = "disk"),
        ("keys" = Option<String>, Query, description = "The names of the details, with commas between"),
    ),
    responses(
        AcceptedEvent,
        (status = 404, description = "There is no such list"),
    ),
    security(()),
)]
#[delete("/v2/alerts/{alias}/{part}")]
pub async fn remove(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let at = admit(&request).await?;
    let (identifier, name) = path.into_inner();
    let names = at.query.text(if name == "tags" { "tags" } else { "keys" }).unwrap_or_default();
    let action = OpsgenieAction::delete(&name, &names)?;
    let note = at.query.text("note").unwrap_or_default();
    carry_out(at, neighbours, identifier, action, note).await
}

/// Delete an alert as with Opsgenie
///
/// It is closed, since what happened stays known.
#[utoipa::path(
    operation_id = "deleteOpsgenieAlert",
    params(AlertAlias),
    responses(AcceptedEvent),
    security(()),
)]
#[delete("/v2/alerts/{alias}")]
pub async fn delete(
    request: HttpRequest,
    path: web::Path<String>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let at = admit(&request).await?;
    end(at, neighbours, path.into_inner(), "deleted".to_owned()).await
}
