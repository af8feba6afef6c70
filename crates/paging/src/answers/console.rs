//! From the link of a page into the console: a session of an hour, for what an answer can do.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web,
};
use api::{
    post, request_id,
    session::{self, SessionCookie},
};
use base::{problem::Problem, timestamp::Timestamp};
use ports::{LinkVisit, PageSubject, SessionStart};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    http::{Handle, about, html, opened, page_for_link, person},
    page::Question,
};
use crate::{
    Neighbours,
    delivery::{link::Link, pages::store::INCIDENT},
};

const FORM: &str = "application/x-www-form-urlencoded";
/// The largest form.
const FORM_LIMIT: usize = 4 << 10;

/// The reason for not opening the console a second time.
const USED: &str = "This link has opened the console before, which it does once. Sign in to go on there; the buttons \
                    here work as before.";

/// A form with the token of a link.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Deserialize, ToSchema)]
#[schema(as = AnswerSessionForm, example = json!({"token": "<token>"}))]
pub struct SessionForm {
    /// The token of the link.
    token: String,
}

/// Open the console by the link
///
/// Begins a session of an hour on this browser, for the person to whom the link was sent, and goes on to the alert or
/// the incident in the console. The session reads the tenant as a viewer, and does only what the link can: it
/// acknowledges this alert, and closes, suppresses or reopens it while the person has the role `operator`; of an
/// incident it is closing alone. It makes no key, link or session. A link begins one session; a browser that has a
/// session that may do as much keeps that. Other sites' pages cannot do this.
#[utoipa::path(
    operation_id = "openConsole",
    request_body(content = SessionForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 303, description = "`Set-Cookie` has the session, unless the browser has one; `Location` is the page \
                                      in the console"),
        (status = 403, description = "The person may no longer act, or another site sent this"),
        (status = 404, description = "This service did not make the link, or it has expired"),
        (status = 409, description = "The link has begun a session before: a page for browsers",
            content((api::spec::Problem = "application/problem+json"), (String = "text/html"))),
        (status = 415, description = "The body is not a form"),
    ),
    security(())
)]
#[post("/api/v2/answers/session")]
pub async fn open_console(
    request: HttpRequest,
    payload: web::Payload,
    db: web::Data<Handle>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    session::check_not_foreign(&request)?;
    let token = read_token(&request, payload).await?;
    let (link, now) = opened(&request, &neighbours, &token)?;
    let agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let agent = agent.unwrap_or_default().to_owned();
    let cookie = match session::read_cookie(&request) {
        SessionCookie::One(token) => Some(token),
        SessionCookie::Nothing | SessionCookie::Several => None,
    };
    let asked = neighbours.clone();
    let named = link.clone();
    let spelling = Link::spelling(&token);
    let id = request_id::current();
    let begun = db.0.write(move |conn| {
        person(conn, &asked, &named, now)?;
        about(conn, &asked, &named, now)?;
        let visit = LinkVisit {
            tenant: &named.tenant,
            subject: match named.alert.starts_with(INCIDENT) {
                true => PageSubject::Incident(&named.alert),
                false => PageSubject::Alert(&named.alert),
            },
            user: &named.user,
            token: &spelling,
            user_agent: &agent,
            cookie: cookie.as_ref(),
            request: &id,
        };
        let start = asked.sessions.begin(conn, &visit, now)?;
        let tenants = asked.people.own_and_partner(conn, &named.tenant)?;
        let people = asked.people.users(conn, &tenants, std::slice::from_ref(&named.user))?;
        Ok((start, people.first().is_none_or(|person| person.tenant_id == named.tenant)))
    });
    let (start, own) = begun.await?;
    let cookie = match start {
        SessionStart::Begun { token, seconds } => session::cookie(&request, &token, seconds),
        SessionStart::Present => None,
        SessionStart::Used => return used(&request, &db, &neighbours, link, &token, now).await,
    };
    let kind = if link.alert.starts_with(INCIDENT) { "incidents" } else { "alerts" };
    // The console of a partner's person begins at the partner.
    let tenant = if own { String::new() } else { format!("?tenant={}", link.tenant) };
    let mut answer = HttpResponse::SeeOther();
    answer.insert_header((header::LOCATION, format!("/console/{kind}/{}{tenant}", link.alert)));
    answer.insert_header((header::CACHE_CONTROL, "no-store"));
    if let Some(cookie) = cookie {
        answer.append_header((header::SET_COOKIE, cookie));
    }
    Ok(answer.finish())
}

/// Says that a link has begun its session: on the page to a person, as a problem to a program.
async fn used(
    request: &HttpRequest,
    db: &Handle,
    neighbours: &web::Data<Neighbours>,
    link: Link,
    token: &str,
    now: Timestamp,
) -> api::Result<HttpResponse> {
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !accepts.contains("text/html") {
        return Err(Problem::conflict(USED).into());
    }
    let asked = neighbours.clone();
    let shown = db.0.read(move |conn| page_for_link(conn, &asked, &link, now)).await?;
    Ok(html(StatusCode::CONFLICT, &shown.render(&Link::spelling(token), USED, &Question::None, now)))
}

/// The token of a form; of what is said twice, the first counts.
async fn read_token(request: &HttpRequest, payload: web::Payload) -> api::Result<String> {
    api::body::expect_type(request, |kind| kind == FORM, FORM)?;
    let bytes = api::body::read(request, payload.into_inner(), FORM_LIMIT).await?;
    let form = std::str::from_utf8(&bytes).ok().and_then(|text| web::Query::<SessionForm>::from_query(text).ok());
    Ok(form.ok_or_else(|| Problem::field("token", "is required"))?.into_inner().token)
}
