//! `POST /agents/reports`, as stock agents speak it.

use actix_web::{HttpRequest, HttpResponse, web};
use api::{Answer, RequestContext, post};
use tokio::task::spawn_blocking;

use super::{ingest, problem};
use crate::reports::{Decoder, Format, MAX_PLAIN_BYTES, Message, parse, reply, sniff};

/// The largest report, as it arrives and inflated.
const LIMIT: usize = MAX_PLAIN_BYTES;

/// So many times its bytes does a report take while it is read.
const READ: usize = 2;

/// Which agent asks; only the newer ones send it.
const AGENT_ID: &str = "glpi-agent-id";

/// Report a machine
///
/// For inventory agents: set the agent's `server` to this URL, with an API key and its secret as user and password.
/// Takes the older XML format and the newer JSON format, plain, zlib or gzip, up to 16 MiB, and answers the agent's
/// own handshake. The machine is found again by its agent device id, system UUID, serial number with make, or MAC
/// address: a report updates it or creates it. A partial report touches only the sections it carries.
#[utoipa::path(
    operation_id = "reportMachine",
    request_body(content = String, content_type = "application/octet-stream", description = "A report, as the agent writes it"),
    responses((status = 200, description = "The agent's handshake, in its own format", content(
        (Object = "application/json"), (String = "application/xml"), (String = "application/x-compress-zlib")
    ))),
    security(("bearer" = ["operator"]), ("basic" = ["challenge"]))
)]
#[post("/agents/reports")]
pub async fn report(context: RequestContext, request: HttpRequest, payload: web::Payload) -> api::Result<HttpResponse> {
    let mut decoder = Decoder::new(MAX_PLAIN_BYTES);
    let mut held = 0;
    api::body::for_each_chunk(&request, payload.into_inner(), LIMIT, |chunk| {
        decoder.push(&chunk).map_err(|error| problem(&error))?;
        // A few bytes may inflate to many: what they become is what counts.
        let more = decoder.memory().saturating_sub(held);
        held += more;
        Ok(api::body::hold(more)?)
    })
    .await?;
    api::body::hold(READ * held)?;
    let compression = decoder.compression();
    let parsed = spawn_blocking(move || {
        let plain = decoder.finish()?;
        let message = parse(&plain)?;
        Ok((message, sniff(&plain).unwrap_or(Format::Json)))
    });
    let parsed = parsed.await.map_err(|error| db::Error::Fault(format!("reading a report: {error}")))?;
    let (message, format) = parsed.map_err(|error| problem(&error))?;
    let answer = match message {
        Message::Prolog { .. } if request.headers().contains_key(AGENT_ID) => reply::contact(reply::DEFAULT_HOURS),
        Message::Prolog { .. } => reply::prolog(compression, reply::DEFAULT_HOURS),
        Message::Contact { .. } => reply::contact(reply::DEFAULT_HOURS),
        Message::Other { .. } => reply::accepted(format, compression, reply::DEFAULT_HOURS),
        Message::Inventory(reports) => {
            context
                .write(move |tx, scope| {
                    let (partner, tenant) = (scope.tenant.partner.as_str(), scope.tenant_id());
                    reports.iter().try_for_each(|report| ingest(tx, partner, tenant, report).map(drop))?;
                    Ok(Answer::empty())
                })
                .await?;
            reply::accepted(format, compression, reply::DEFAULT_HOURS)
        }
    };
    Ok(HttpResponse::Ok().content_type(answer.content_type).body(answer.body))
}
