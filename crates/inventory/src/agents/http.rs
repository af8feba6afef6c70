//! `POST /agents/reports`, as stock agents speak it.

use std::sync::mpsc;

use actix_web::{HttpRequest, HttpResponse, web};
use api::{Answer, RequestContext, body::Compression, inbound::AnyQuery, post};
use tokio::task::spawn_blocking;

use super::{ingest, problem};
use crate::reports::{ErrorKind, Format, Message, ReportError, parse, parse_repaired, reply, sniff};

/// The largest report, as it arrives and inflated.
pub(super) const LIMIT: usize = 16 << 20;

/// So many times its bytes does a report take while it is read.
const READ: usize = 2;

/// And so many times more while what is wrong with it is repaired.
const REPAIRED: usize = 3;

/// Of more machines is not told what there was no room for.
const MOST_WARNINGS: usize = 20;

/// Which agent asks; only the newer ones send it.
const AGENT_ID: &str = "glpi-agent-id";

/// Report a machine
///
/// For inventory agents: set the agent's `server` to this URL, with an API key and its secret as user and password.
/// Takes the older XML format and the newer JSON format, plain, zlib or gzip, up to 16 MiB, and answers the agent's own
/// handshake. The machine is found again by its system UUID, serial number with make, MAC address, or, where none of
/// these is another one's, by its agent device id: a report updates it or creates it. A partial report touches only the
/// sections it carries. Text that is nearly JSON is repaired; what was repaired is told in `warnings` of the answer,
/// and which sections there is no room for.
#[utoipa::path(
    operation_id = "reportMachine",
    request_body(content = String, content_type = "application/octet-stream",
        description = "A report, as the agent writes it"),
    responses((status = 200, description = "The agent's handshake, in its own format", content(
        (Object = "application/json"), (String = "application/xml"), (String = "application/x-compress-zlib")
    ))),
    security(("bearer" = ["operator"]), ("basic" = ["challenge"]))
)]
#[post("/agents/reports")]
pub async fn report(
    context: RequestContext<AnyQuery>,
    request: HttpRequest,
    payload: web::Payload,
) -> api::Result<HttpResponse> {
    let (plain, compression) = api::body::read_inflated(&request, payload.into_inner(), LIMIT).await?;
    api::body::hold(READ * plain.len())?;
    let report = plain.clone();
    let parsed = read_in_background(move || Ok(parse(&report))).await?;
    let format = sniff(&plain).unwrap_or(Format::Json);
    let (message, repairs) = match parsed {
        Ok(message) => (message, Vec::new()),
        Err(error) if error.kind() != ErrorKind::Malformed => return Err(problem(&error).into()),
        Err(_) => {
            api::body::hold(REPAIRED * plain.len())?;
            read_in_background(move || parse_repaired(&plain)).await?
        }
    };
    if !repairs.is_empty() {
        tracing::info!(tenant = context.tenant_id(), repairs = repairs.join("; "), "a report was repaired");
    }
    let mut warnings: Vec<String> = repairs.into_iter().map(str::to_owned).collect();
    let is_zlib = compression == Compression::Zlib;
    let answer = match message {
        Message::Prolog { .. } if request.headers().contains_key(AGENT_ID) => reply::contact(reply::DEFAULT_HOURS),
        Message::Prolog { .. } => reply::prolog(is_zlib, reply::DEFAULT_HOURS),
        Message::Contact { .. } => reply::contact(reply::DEFAULT_HOURS),
        Message::Other { .. } => reply::accepted(format, is_zlib, reply::DEFAULT_HOURS, &warnings),
        Message::Inventory(reports) => {
            let (sender, left_out) = mpsc::channel();
            context
                .write(move |tx, scope| {
                    let partner = scope.tenant.partner.as_str();
                    let tenant = scope.tenant_id();
                    for report in &reports {
                        if let Some(warning) = ingest(tx, partner, tenant, report)?.warning() {
                            let _ = sender.send(warning);
                        }
                    }
                    Ok(Answer::empty())
                })
                .await?;
            for warning in left_out.try_iter().take(MOST_WARNINGS) {
                tracing::info!(tenant = context.tenant_id(), warning, "a report was not stored whole");
                warnings.push(warning);
            }
            reply::accepted(format, is_zlib, reply::DEFAULT_HOURS, &warnings)
        }
    };
    Ok(HttpResponse::Ok().content_type(answer.content_type).body(answer.body))
}

/// Reads a report beside the thread that answers requests.
async fn read_in_background<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, ReportError> + Send + 'static,
) -> api::Result<T> {
    let read = spawn_blocking(read).await.map_err(|error| db::Error::Fault(format!("reading a report: {error}")))?;
    Ok(read.map_err(|error| problem(&error))?)
}
