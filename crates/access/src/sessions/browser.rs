//! The operations of browsers: the first page, the page of a sign-in link, signing in and signing out.

use std::collections::HashMap;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web,
};
use api::{
    Access as _, Answer, HomeContext, Result, access::Identity, clock, delete, get, post, session::SessionCookie,
};
use base::{
    problem::{Kind, Problem},
    secret::Secret,
};
use serde::{Deserialize as _, de::value::MapDeserializer};

use super::{
    pages,
    redeem::{NewCookie, Visitor, end},
    store,
    wire::SignInForm,
};
use crate::{Authenticator, SignIn, secrets};

/// The largest form.
const LIMIT: usize = 4 << 10;

/// The content type of forms.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// The first page
///
/// What this service is, and where its reference is. A browser in which somebody is signed in goes on to the console.
#[utoipa::path(
    operation_id = "showHome",
    responses(
        (status = 200, description = "A page", body = String, content_type = "text/html"),
        (status = 303, description = "Somebody is signed in: `Location` is the console"),
    ),
    security(()),
)]
#[get("/")]
pub(crate) async fn show_home(
    request: HttpRequest,
    authenticator: web::Data<Authenticator>,
    sign_in: web::Data<SignIn>,
) -> Result<HttpResponse> {
    if sign_in.home != "/" && is_signed_in(&request, &authenticator).await? {
        let mut answer = HttpResponse::SeeOther();
        answer.insert_header((header::LOCATION, sign_in.home)).insert_header((header::CACHE_CONTROL, "no-store"));
        return Ok(answer.finish());
    }
    Ok(pages::home(sign_in.oidc.is_some(), sign_in.by_mail))
}

/// The page of a sign-in link
///
/// Shows a button that signs in the person who presses it. Opening the page changes nothing, so that a program which
/// fetches the links of a message signs nobody in.
#[utoipa::path(
    operation_id = "showSignIn",
    params(("code" = String, Query, description = "The code of the link")),
    responses(
        (status = 200, description = "A page", body = String, content_type = "text/html"),
        (status = 400, description = "A page that says that the link is not whole", body = String,
            content_type = "text/html"),
    ),
    security(()),
)]
#[get("/auth/sign-in")]
pub(crate) async fn show_sign_in(request: HttpRequest) -> HttpResponse {
    let query = web::Query::<Vec<(String, String)>>::from_query(request.query_string());
    let code = query.ok().and_then(|query| query.into_inner().into_iter().find(|(name, _)| name == "code"));
    match code {
        Some((_, code)) if secrets::is_secret(&code) => pages::sign_in(&code),
        _ => pages::refused(
            StatusCode::BAD_REQUEST,
            "The link is not whole. Open it as it was sent, or ask for a new one.",
        ),
    }
}

/// Sign in
///
/// Uses a sign-in link up, and begins a session: its cookie comes with the answer. A session that the browser had ends.
/// Other sites' pages cannot do this.
#[utoipa::path(
    operation_id = "createSession",
    request_body(content = SignInForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 303, description = "Signed in: `Set-Cookie` has the session, `Location` the page to go on with"),
        (status = 401, description = "The link is unknown, used, or older than ten minutes: a page for browsers",
            content((api::spec::Problem = "application/problem+json"), (String = "text/html"))),
        (status = 403, description = "Another site sent this, or the tenant is suspended: a page for browsers",
            content((api::spec::Problem = "application/problem+json"), (String = "text/html"))),
        (status = 415, description = "The body is not a form"),
        (status = 429, description = "Too many invalid links from one address; `Retry-After` says when to try again"),
    ),
    security(()),
)]
#[post("/auth/session")]
pub(crate) async fn create_session(
    request: HttpRequest,
    payload: web::Payload,
    authenticator: web::Data<Authenticator>,
    sign_in: web::Data<SignIn>,
) -> Result<HttpResponse> {
    let done = async {
        api::session::check_not_foreign(&request)?;
        let code = read(&request, payload).await?;
        match authenticator.redeem(&code, visitor(&request), clock::now()).await? {
            Some(begun) => Ok(welcome(&request, &begun, sign_in.home)),
            None => Err(authenticator.wrong_code(&request).unwrap_or_else(not_good).into()),
        }
    };
    answered(&request, done.await)
}

/// Sign out
///
/// Ends the session that asks, and takes its cookie. A caller with a key has none (409).
#[utoipa::path(
    operation_id = "endSession",
    responses(
        (status = 200, description = "An empty object", body = Object, example = json!({})),
        (status = 409, description = "The caller has no session"),
    ),
    security(("bearer" = ["viewer"])),
)]
#[delete("/auth/session")]
pub(crate) async fn end_session(
    HomeContext(context): HomeContext,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let Some(id) = context.caller.session().map(ToOwned::to_owned) else {
        return Err(Problem::conflict("The caller has no session: it came with a key.").into());
    };
    let tenant = context.tenant.id.to_string();
    let user = context.caller.user_id.clone();
    let now = context.now;
    let done = context.write(move |tx, _| {
        let all = store::of_user(tx.conn, &tenant, &user, now)?;
        if let Some(session) = all.iter().find(|session| session.id == id) {
            end(tx, session)?;
        }
        Ok(Answer::empty())
    });
    let answer = done.await?;
    authenticator.forget_callers();
    Ok(without_cookie(context.request(), answer))
}

/// Sign out, from a page
///
/// Like `DELETE /auth/session`, for a form: redirects to the first page, even when the session has already ended.
#[utoipa::path(
    operation_id = "signOut",
    responses(
        (status = 303, description = "Signed out"),
        (status = 403, description = "Another site sent this"),
    ),
    security(()),
)]
#[post("/auth/sign-out")]
pub(crate) async fn sign_out(request: HttpRequest, authenticator: web::Data<Authenticator>) -> Result<HttpResponse> {
    let done = async {
        api::session::check_ours(&request)?;
        if let SessionCookie::One(token) = api::session::read_cookie(&request) {
            authenticator.sign_out(&token, clock::now()).await?;
        }
        let answer = HttpResponse::SeeOther().insert_header((header::LOCATION, "/")).finish();
        Ok(without_cookie(&request, answer))
    };
    answered(&request, done.await)
}

/// The code of a form.
async fn read(request: &HttpRequest, payload: web::Payload) -> Result<Secret<String>> {
    api::body::expect_type(request, |kind| kind == FORM, FORM)?;
    let bytes = api::body::read(request, payload.into_inner(), LIMIT).await?;
    let form = read_form(&bytes);
    let form = MapDeserializer::<_, serde::de::value::Error>::new(form.into_iter());
    let form = SignInForm::deserialize(form).map_err(|_| Problem::field("code", "is required"))?;
    Ok(Secret::new(form.code))
}

/// The fields of a form. Of what is said twice, the first counts.
pub(crate) fn read_form(bytes: &[u8]) -> HashMap<String, String> {
    let form =
        std::str::from_utf8(bytes).ok().and_then(|text| web::Query::<Vec<(String, String)>>::from_query(text).ok());
    form.map(web::Query::into_inner).into_iter().flatten().rev().collect()
}

/// Is the sender of a request a browser that shows pages?
pub(crate) fn accepts_page(request: &HttpRequest) -> bool {
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepts.is_some_and(|accepts| accepts.contains("text/html"))
}

/// Is somebody signed in on the browser that sends a request? Who is there by the link of a page may sign in.
async fn is_signed_in(request: &HttpRequest, authenticator: &Authenticator) -> Result<bool> {
    let SessionCookie::One(token) = api::session::read_cookie(request) else { return Ok(false) };
    let identity = authenticator.session(token.expose()).await?;
    Ok(matches!(identity, Identity::Caller(caller) if caller.limit.is_none()))
}

/// The browser that sends a request.
pub(crate) fn visitor(request: &HttpRequest) -> Visitor {
    let agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let before = match api::session::read_cookie(request) {
        SessionCookie::One(token) => Some(token),
        SessionCookie::Nothing | SessionCookie::Several => None,
    };
    Visitor { agent: agent.unwrap_or("").to_owned(), before }
}

/// The answer that signs a browser in.
pub(crate) fn welcome(request: &HttpRequest, begun: &NewCookie, home: &str) -> HttpResponse {
    let mut answer = HttpResponse::SeeOther();
    answer.insert_header((header::LOCATION, home)).insert_header((header::CACHE_CONTROL, "no-store"));
    if let Some(cookie) = api::session::cookie(request, &begun.token, begun.lives) {
        answer.append_header((header::SET_COOKIE, cookie));
    }
    answer.finish()
}

fn without_cookie(request: &HttpRequest, mut answer: HttpResponse) -> HttpResponse {
    if let Some(cookie) = api::session::no_cookie(request) {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    answer
}

fn not_good() -> Problem {
    Problem::new(
        Kind::Unauthenticated,
        "The link is unknown, was used before, or is older than ten minutes. Ask for a new one.",
    )
}

/// Answers a refusal with a page for a person, and with a problem for a program.
pub(crate) fn answered(request: &HttpRequest, done: Result<HttpResponse>) -> Result<HttpResponse> {
    match done {
        Err(api::Error(db::Error::Problem(problem))) if accepts_page(request) => {
            let answer = api::error::problem_response(&problem);
            let mut page = pages::refused(answer.status(), &problem.detail);
            if let Some(wait) = answer.headers().get(header::RETRY_AFTER) {
                page.headers_mut().insert(header::RETRY_AFTER, wait.clone());
            }
            Ok(page)
        }
        done => done,
    }
}
