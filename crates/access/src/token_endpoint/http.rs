//! The token endpoint, under its two paths. Its errors have the shape of RFC 6749, not the problem shape.

use actix_web::{
    HttpMessage as _, HttpRequest, HttpResponse, HttpResponseBuilder, http::StatusCode, http::header, web,
};
use api::{Access as _, clock, post};
use base::{problem::Kind, secret::Secret};

use super::{
    rules::{self, Refusal},
    wire::{Token, TokenError, TokenRequest},
};
use crate::authenticator::{Authenticator, Credentials, TokenOutcome};

/// The largest form.
const LIMIT: usize = 16 << 10;

const FORM: &str = "application/x-www-form-urlencoded";

/// Get a token
///
/// Issues a token for an API key (grant `client_credentials`). Send key and secret in the form or as HTTP Basic, not
/// both. The token is valid for 7199 seconds, and never longer than its key.
#[utoipa::path(
    operation_id = "createToken",
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "A new token", body = Token),
        (status = 400, description = "`invalid_request` or `unsupported_grant_type`", body = TokenError,
            example = json!({"error": "unsupported_grant_type",
                "error_description": "The grant type must be client_credentials"})),
        (status = 401, description = "The key or the secret is wrong, or the key is revoked", body = TokenError),
        (status = 403, description = "The tenant of the key is suspended", body = TokenError,
            example = json!({"error": "access_denied", "error_description": "The tenant of this key is suspended"})),
        (status = 413, description = "The form is larger than 16 KiB", body = TokenError,
            example = json!({"error": "invalid_request", "error_description": "The form is too large"})),
        (status = 429, description = "Too many attempts with wrong credentials, for this key from this address or \
            from this address altogether; correct ones are still accepted. Or the key exceeds its rate. `Retry-After` \
            says when to try again"),
        (status = 500, description = "A fault of the service", body = TokenError,
            example = json!({"error": "server_error", "error_description": "The service failed to answer"})),
        (status = 503, description = "Overloaded, or the database is away; `Retry-After` says when to try again",
            body = TokenError, example = json!({"error": "temporarily_unavailable",
                "error_description": "The service cannot answer right now"})),
    ),
    security(()),
)]
#[post("/auth/oauth/token")]
pub(crate) async fn create_token(
    request: HttpRequest,
    payload: web::Payload,
    authenticator: web::Data<Authenticator>,
) -> HttpResponse {
    answer(&request, payload, &authenticator).await
}

/// Get a token (older path)
///
/// The same as `/auth/oauth/token`, for clients that know this path.
#[utoipa::path(
    operation_id = "createTenancyToken",
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "A new token", body = Token),
        (status = 400, description = "`invalid_request` or `unsupported_grant_type`", body = TokenError),
        (status = 401, description = "The key or the secret is wrong, or the key is revoked", body = TokenError),
        (status = 403, description = "The tenant of the key is suspended", body = TokenError),
        (status = 413, description = "The form is larger than 16 KiB", body = TokenError),
        (status = 429, description = "Too many attempts with wrong credentials, or the key exceeds its rate"),
        (status = 500, description = "A fault of the service", body = TokenError),
        (status = 503, description = "Overloaded, or the database is away; `Retry-After` says when to try again",
            body = TokenError),
    ),
    security(()),
)]
#[post("/tenancy/auth/oauth/token")]
pub(crate) async fn create_tenancy_token(
    request: HttpRequest,
    payload: web::Payload,
    authenticator: web::Data<Authenticator>,
) -> HttpResponse {
    answer(&request, payload, &authenticator).await
}

async fn answer(request: &HttpRequest, payload: web::Payload, authenticator: &Authenticator) -> HttpResponse {
    let credentials = match read(request, payload).await {
        Ok(credentials) => credentials,
        Err(failure) => return failure,
    };
    let guard = request.app_data::<api::guard::Guard>();
    let count = |key: &String| guard.map_or(Ok(()), |guard| guard.count(request, key));
    match authenticator.issue(&credentials, clock::now(), count).await {
        Ok(TokenOutcome::Token { token, lives }) => no_store(StatusCode::OK).json(Token {
            access_token: token.into_inner(),
            token_type: "bearer",
            expires_in: lives,
            scope: "global:manage",
        }),
        Ok(TokenOutcome::Throttled(problem)) => api::error::problem_response(&problem),
        Ok(TokenOutcome::Suspended) => {
            failure(StatusCode::FORBIDDEN, "access_denied", "The tenant of this key is suspended")
        }
        Ok(TokenOutcome::BadCredentials) => match authenticator.refused(request, Some(&credentials.key)) {
            // As above, this has the shape of all other operations: it says what the limit is.
            Some(problem) => api::error::problem_response(&problem),
            None => refuse(request, Refusal::Credentials),
        },
        Err(db::Error::Unavailable(cause)) => {
            tracing::error!(request_id = %api::request_id::current(), cause, "no token");
            let text = "The service cannot answer right now. Try again in a moment.";
            unavailable(text)
        }
        Err(cause) => {
            tracing::error!(request_id = %api::request_id::current(), %cause, "no token");
            let text = "The service failed to answer; the request id leads to the reason in its log.";
            failure(StatusCode::INTERNAL_SERVER_ERROR, "server_error", text)
        }
    }
}

async fn read(request: &HttpRequest, payload: web::Payload) -> Result<Credentials, HttpResponse> {
    let invalid = |text: &str| failure(StatusCode::BAD_REQUEST, "invalid_request", text);
    if !request.query_string().is_empty() {
        return Err(invalid("The parameters belong in the form, not in the URL"));
    }
    let typed = request.headers().contains_key(header::CONTENT_TYPE);
    if typed && !request.content_type().trim().eq_ignore_ascii_case(FORM) {
        return Err(invalid("The Content-Type must be application/x-www-form-urlencoded"));
    }
    let body = api::body::read(request, payload.into_inner(), LIMIT).await.map_err(|error| match error.0 {
        db::Error::Problem(problem) if problem.kind == Kind::TooLarge => {
            failure(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request", "The form is larger than 16 KiB")
        }
        db::Error::Problem(problem) if problem.kind == Kind::Unavailable => unavailable(&problem.detail),
        db::Error::Problem(problem) => invalid(&problem.detail),
        _ => invalid("The form could not be read"),
    })?;
    let text = std::str::from_utf8(&body).map_err(|_| invalid("The form is not UTF-8"))?;
    let form = web::Query::<Vec<(String, String)>>::from_query(text).map_err(|_| invalid("The form is malformed"))?;
    let basic = basic(request).map_err(|refusal| refuse(request, refusal))?;
    rules::read(form.into_inner(), basic).map_err(|refusal| refuse(request, refusal))
}

/// Key and secret of `Authorization: Basic`. Another scheme is an old token that the client still sends: ignored.
fn basic(request: &HttpRequest) -> Result<Option<(String, Secret<String>)>, Refusal> {
    let mut given = request.headers().get_all(header::AUTHORIZATION);
    let Some(value) = given.next() else { return Ok(None) };
    if given.next().is_some() {
        return Err(Refusal::Invalid("The request has more than one Authorization header".to_owned()));
    }
    match value.to_str().unwrap_or("").split_once(' ') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("basic") => {
            api::credentials::read_basic(rest).map(Some).ok_or(Refusal::Credentials)
        }
        _ => Ok(None),
    }
}

fn refuse(request: &HttpRequest, refusal: Refusal) -> HttpResponse {
    match refusal {
        Refusal::Invalid(text) => failure(StatusCode::BAD_REQUEST, "invalid_request", &text),
        Refusal::Grant => {
            failure(StatusCode::BAD_REQUEST, "unsupported_grant_type", "The grant type must be client_credentials")
        }
        Refusal::Credentials => {
            let mut response = failure(StatusCode::UNAUTHORIZED, "unauthorized", "Bad API credentials");
            if request.headers().contains_key(header::AUTHORIZATION) {
                let challenge = header::HeaderValue::from_static("Basic realm=\"muster\"");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            response
        }
    }
}

/// Not now: the client may send the same again.
fn unavailable(text: &str) -> HttpResponse {
    let mut response = failure(StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", text);
    response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
    response
}

fn failure(status: StatusCode, error: &'static str, text: &str) -> HttpResponse {
    no_store(status).json(TokenError { error, error_description: text.to_owned() })
}

fn no_store(status: StatusCode) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response.insert_header((header::CACHE_CONTROL, "no-store")).insert_header((header::PRAGMA, "no-cache"));
    response
}
