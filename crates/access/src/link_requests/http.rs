//! Asking for a sign-in link.

use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, http::header, web};
use api::{Result, post};
use base::body::{FromBody as _, parse_json};

use super::{
    queue::LinkQueue,
    wire::{LinkRequest, SignInLinkReceipt},
};
use crate::{
    Authenticator,
    sessions::{
        browser::{FORM, accepts_page, answered, read_form},
        pages,
        rules::LINK_MINUTES,
    },
};

/// The largest body.
const LIMIT: usize = 4 << 10;

/// Ask for a sign-in link
///
/// Mails a sign-in link to the person who has this address: to each user with it, where several tenants have one. The
/// answer is the same whether or not anybody has it. An address gets one mail an hour. Nobody gets one who may not sign
/// in, because the user is deactivated, belongs to a program, or is of a suspended client.
#[utoipa::path(
    operation_id = "requestSignInLink",
    request_body(
        content((LinkRequest = "application/json"), (LinkRequest = "application/x-www-form-urlencoded")),
    ),
    responses(
        (status = 202, description = "If the address belongs to a person here, a link is on its way: a page for \
                                      browsers",
            content((SignInLinkReceipt = "application/json"), (String = "text/html"))),
        (status = 400, description = "It is not an address: a page for browsers",
            content((api::spec::Problem = "application/problem+json"), (String = "text/html"))),
        (status = 403, description = "Another site sent this: a page for browsers",
            content((api::spec::Problem = "application/problem+json"), (String = "text/html"))),
        (status = 415, description = "The body is neither JSON nor a form"),
        (status = 429, description = "Too many requests from one address; `Retry-After` says when to try again: a \
                                      page for browsers",
            content((api::spec::Problem = "application/problem+json"), (String = "text/html"))),
    ),
    security(()),
)]
#[post("/auth/signInLink")]
pub(crate) async fn request_sign_in_link(
    request: HttpRequest,
    payload: web::Payload,
    authenticator: web::Data<Authenticator>,
    queue: web::Data<LinkQueue>,
) -> Result<HttpResponse> {
    let done = async {
        api::session::check_not_foreign(&request)?;
        let asked = read(&request, payload).await?;
        authenticator.count_link_request(&request)?;
        queue.push(asked, api::request_id::current())?;
        Ok(receipt(&request))
    };
    answered(&request, done.await)
}

/// The body of a program, or the form of a page.
async fn read(request: &HttpRequest, payload: web::Payload) -> Result<LinkRequest> {
    let is_json = |kind: &str| kind == "application/json" || kind.ends_with("+json");
    api::body::expect_type(request, |kind| kind == FORM || is_json(kind), "application/json or a form")?;
    let bytes = api::body::read(request, payload.into_inner(), LIMIT).await?;
    if request.content_type().trim().eq_ignore_ascii_case(FORM) {
        let fields = read_form(&bytes).into_iter().map(|(name, value)| (name, value.into()));
        return Ok(LinkRequest::from_body(serde_json::Value::Object(fields.collect()))?);
    }
    Ok(LinkRequest::from_body(parse_json(&bytes)?)?)
}

fn receipt(request: &HttpRequest) -> HttpResponse {
    if accepts_page(request) {
        return pages::link_requested(LINK_MINUTES);
    }
    HttpResponse::Accepted()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(SignInLinkReceipt { valid_minutes: LINK_MINUTES })
}
