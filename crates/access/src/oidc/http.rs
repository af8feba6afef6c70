//! To the issuer and back.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, http::header, web};
use api::{Result, clock, get, session::SessionCookie};
use base::{
    problem::{Kind, Problem},
    share::Lease,
};

use super::{
    people::{self, Row},
    provider::{Provider, SignInFailure},
    rules::{self, Account, Pending},
};
use crate::{
    Authenticator, SignIn,
    sessions::{
        browser::{answered, visitor, welcome},
        rules::Method,
    },
};

/// The name of the cookie that a browser carries to the issuer and back.
const COOKIE: &str = "muster_oidc";

/// How long it carries it, in seconds.
const AWAY: i64 = 600;

/// Sign in by OpenID Connect
///
/// Redirects to the issuer that the service is configured with; a 404 when there is none.
#[utoipa::path(
    operation_id = "startOidc",
    responses(
        (status = 303, description = "`Location` is the issuer"),
        (status = 404, description = "No issuer is configured"),
    ),
    security(()),
)]
#[get("/auth/oidc/start")]
pub(crate) async fn start_oidc(
    request: HttpRequest,
    authenticator: web::Data<Authenticator>,
    sign_in: web::Data<SignIn>,
) -> Result<HttpResponse> {
    let done = async {
        let provider = provider(&sign_in)?;
        let (url, sealed) = match provider.cached_metadata() {
            Some((metadata, is_old)) => {
                if is_old {
                    // The cached metadata serves this request; nobody waits for the refresh.
                    let shared_provider = Arc::clone(&provider);
                    drop(web::block(move || drop(shared_provider.metadata(false))));
                }
                provider.begin_sign_in(&metadata, clock::now()).map_err(problem_of)?
            }
            None => {
                let call = provider.call(authenticator.address(&request)).await.map_err(problem_of)?;
                run_blocking(call, move || provider.begin_sign_in(&*provider.metadata(false)?, clock::now())).await?
            }
        };
        let mut answer = HttpResponse::SeeOther();
        answer.insert_header((header::LOCATION, url)).insert_header((header::CACHE_CONTROL, "no-store"));
        if let Some(cookie) = api::session::set_cookie(&request, COOKIE, &sealed, AWAY) {
            answer.append_header((header::SET_COOKIE, cookie));
        }
        Ok(answer.finish())
    };
    answered(&request, done.await)
}

/// Come back from the issuer
///
/// Where the issuer sends a browser back to: begins a session, whose cookie comes with the answer. It works once, in
/// the browser that started, within ten minutes.
#[utoipa::path(
    operation_id = "finishOidc",
    params(
        ("code" = Option<String>, Query, description = "The code with which the issuer is asked who signed in"),
        ("state" = Option<String>, Query, description = "The state with which the browser was sent to the issuer"),
        ("error" = Option<String>, Query, description = "Why nobody signed in"),
    ),
    responses(
        (status = 303, description = "Signed in: `Set-Cookie` has the session, `Location` the page to go on with"),
        (status = 401, description = "The state is not the one that this browser was sent with, or the issuer does not \
                                      know the code: a page for browsers",
            content((api::spec::Problem = "application/problem+json"), (String = "text/html"))),
        (status = 403, description = "No user is linked to the account, or the tenant is suspended: a page for \
                                      browsers",
            content((api::spec::Problem = "application/problem+json"), (String = "text/html"))),
        (status = 404, description = "No issuer is configured"),
        (status = 429, description = "Too many attempts from one address; `Retry-After` says when to try again"),
    ),
    security(()),
)]
#[get("/auth/oidc/callback")]
pub(crate) async fn finish_oidc(
    request: HttpRequest,
    authenticator: web::Data<Authenticator>,
    sign_in: web::Data<SignIn>,
) -> Result<HttpResponse> {
    let done = async {
        let provider = provider(&sign_in)?;
        let Some((code, pending)) = read_callback(&request, &provider) else {
            let problem = Problem::new(
                Kind::Unauthenticated,
                "The sign-in was not started in this browser, or it was started too long ago.",
            );
            return Err(authenticator.wrong_code(&request).unwrap_or(problem).into());
        };
        let shared_provider = Arc::clone(&provider);
        let call = provider.call(authenticator.address(&request)).await.map_err(problem_of)?;
        let account = match run_blocking(call, move || shared_provider.finish_sign_in(code, pending)).await {
            Err(api::Error(db::Error::Problem(problem))) if problem.kind == Kind::Unauthenticated => {
                return Err(authenticator.wrong_code(&request).unwrap_or(problem).into());
            }
            done => done?,
        };
        sign_in_as(&request, &authenticator, &provider, account, sign_in.home).await
    };
    let mut answer = answered(&request, done.await)?;
    // Whatever came of it, it is not to be used again.
    if let Some(cookie) = api::session::set_cookie(&request, COOKIE, "", 0) {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(answer)
}

fn provider(sign_in: &SignIn) -> Result<Arc<Provider>> {
    let provider = sign_in.oidc.clone();
    Ok(provider.ok_or_else(|| Problem::not_found("The path was not found: no issuer is configured."))?)
}

/// The code and the sign-in under way that a browser brings back, if their states match.
fn read_callback(request: &HttpRequest, provider: &Provider) -> Option<(String, Pending)> {
    let query = web::Query::<Vec<(String, String)>>::from_query(request.query_string()).ok()?.into_inner();
    let one = |name: &str| {
        let mut values = query.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone());
        values.next().filter(|_| values.next().is_none())
    };
    let SessionCookie::One(sealed) = api::session::read_named_cookie(request, COOKIE) else { return None };
    let pending = provider.open_pending(sealed.expose())?;
    if !pending.is_answered_by(&one("state")?, clock::now()) {
        return None;
    }
    Some((one("code")?, pending))
}

/// Begins a session of the user that the account belongs to.
async fn sign_in_as(
    request: &HttpRequest,
    authenticator: &Authenticator,
    provider: &Provider,
    account: Account,
    home: &str,
) -> Result<HttpResponse> {
    let settings = &provider.settings;
    let issuer = settings.issuer.clone();
    let tenant = settings.tenant.clone();
    let by_email = settings.link_by_email;
    let candidate = account.clone();
    let now = clock::now();
    let found =
        authenticator.db().read(move |conn| people::find(conn, (&issuer, &candidate), tenant.as_ref(), by_email));
    let (tenant, user, is_new) = found.await?;
    let row = Row {
        tenant_id: tenant.clone(),
        issuer: settings.issuer.clone(),
        subject: account.subject,
        user_id: user.clone(),
        created_ms: now.millis(),
    };
    let role = account.role;
    let begun = authenticator.sign_in((tenant, user), Method::Oidc, visitor(request), now, move |tx| {
        if is_new {
            people::bind(tx, &row)?;
        }
        if let Some(role) = role {
            people::promote(tx, &row.tenant_id, &row.user_id, role, now)?;
        }
        Ok(true)
    });
    let begun = match begun.await {
        Ok(begun) => begun.ok_or_else(rules::no_user)?,
        // A conflict would tell a stranger why the user cannot sign in.
        Err(db::Error::Problem(problem)) if problem.kind == Kind::Conflict => return Err(rules::no_user().into()),
        Err(error) => return Err(error.into()),
    };
    Ok(welcome(request, &begun, home))
}

/// Waits for the issuer on a thread where nobody else waits. The call is given back when the work is done, also when
/// nobody waits for it any more.
async fn run_blocking<T: Send + 'static>(
    call: Lease,
    work: impl FnOnce() -> Result<T, SignInFailure> + Send + 'static,
) -> Result<T> {
    let done = web::block(move || {
        let done = work();
        drop(call);
        done
    });
    let done = done.await.map_err(|error| db::Error::Fault(format!("a call to the issuer: {error}")))?;
    Ok(done.map_err(problem_of)?)
}

fn problem_of(failure: SignInFailure) -> Problem {
    match failure {
        SignInFailure::Unavailable => {
            Problem::unavailable("The issuer does not answer right now. Try again in a moment.")
        }
        SignInFailure::Rejected(why) => {
            tracing::warn!(request_id = %api::request_id::current(), why, "a sign-in by OpenID Connect was refused");
            Problem::new(Kind::Unauthenticated, "The issuer did not say who you are. Start again.")
        }
    }
}
