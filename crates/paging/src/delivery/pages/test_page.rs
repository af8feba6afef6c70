//! Pages about no alert: a test of oneself, and the code that verifies a contact method.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, OptionalBody, PathIds, Request, RequestContext, post};
use base::{Fields, hex, problem::Problem, secret::Secret, timestamp::Timestamp};
use db::Json;
use ports::Authors;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{
    facts::Facts,
    limits,
    store::{self, Row},
    view,
    wire::Page,
};
use crate::{
    Neighbours,
    configuration::{
        methods::{
            self,
            http::lock_for_update,
            row::Method,
            rules,
            view::record_change,
            wire::{ContactMethod, ContactMethodId, PersonId, normal_id},
        },
        notification::wire::MethodId,
    },
};

/// How soon another code may be sent.
const PAUSE_MS: i64 = 30_000;

/// What is to be tested.
#[derive(Debug, Request)]
#[request(example = json!({"contactMethod": {"id": "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"}}))]
pub struct PagingTestInput {
    /// One of one's own verified contact methods; without it, all of them.
    #[request(with = method, schema = Option<MethodId>)]
    contact_method: Option<String>,
}

fn method(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    fields.object(name).map(|mut method| normal_id(&method.required_text("id")))
}

/// What a test sends.
#[derive(Serialize, ToSchema)]
pub struct PagingTest {
    /// The pages; a gap when nothing reaches the caller. `GET /pages/search` says what becomes of them.
    pub pages: Vec<Page>,
}

fn to(method: &Method, kind: &str, now: Timestamp) -> Row {
    Row {
        user_id: method.user_id.clone(),
        method_tenant: method.tenant_id.clone(),
        method_id: method.id.clone(),
        channel: method.kind.clone(),
        due_ms: Some(now.millis()),
        ..Row::blank(&method.tenant_id, kind, now)
    }
}

/// Page yourself
///
/// Sends a test to the user that the caller acts as, by one or all of that user's verified contact methods.
#[utoipa::path(
    operation_id = "testPaging",
    request_body(content = Option<PagingTestInput>),
    responses(
        (status = 200, description = "What is sent", body = PagingTest),
        (status = 429, description = "Too many tests were sent within ten minutes: 40 to a person, or 10 to an \
                                      address"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[post("/paging/test")]
pub async fn test(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    OptionalBody(wanted): OptionalBody<PagingTestInput>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let tenant = scope.caller.home.as_str();
            let user = scope.author();
            let now = tx.now;
            let mut own = methods::store::of_user(tx.conn, tenant, user)?;
            if let Some(wanted) = &wanted.contact_method {
                own.retain(|method| method.id == *wanted);
                if own.is_empty() {
                    return Err(Problem::field("contactMethod.id", "names no contact method of yours").into());
                }
            }
            own.retain(|method| method.verified);
            let mut destinations = Vec::new();
            for method in &own {
                destinations.push(limits::address_of(&method.kind, &method.open(&*neighbours.seals)?));
            }
            if own.is_empty() {
                destinations.push(String::new());
            }
            let request = limits::Request { limits: limits::TESTS, tenant, user, author: user, destinations };
            request.admit(tx.conn, now)?;
            let mut rows: Vec<Row> = own.iter().map(|method| to(method, "test", now)).collect();
            if rows.is_empty() {
                let user_id = user.to_owned();
                let why = "has no verified contact method".to_owned();
                rows.push(Row { user_id, status: store::GAP.to_owned(), why, ..Row::blank(tenant, "test", now) });
            }
            store::insert(tx.conn, &rows)?;
            let tenants = [tenant.to_owned()];
            Answer::ok(&PagingTest { pages: view::pages(tx.conn, &*neighbours.people, &tenants, &rows)? })
        })
        .await
}

fn hash(code: &str) -> String {
    hex(&Sha256::digest(code.as_bytes()))
}

/// Six digits.
fn new_code() -> String {
    // 122 random bits: what is left of them modulo a million is as good as even.
    format!("{:06}", uuid::Uuid::new_v4().as_u128() % 1_000_000)
}

/// Send a code to a contact method
///
/// Six digits, good for 15 minutes, also to one that is verified already. Entered at `verify`, they show that messages
/// arrive there. Within ten minutes five go to one person, and five to one address, from any caller.
#[utoipa::path(
    operation_id = "sendContactMethodCode",
    params(PersonId, ContactMethodId),
    responses(
        (status = 200, description = "The page that carries it", body = Page),
        (status = 409, description = "A code was sent a moment ago"),
        (status = 429, description = "Five codes were sent within ten minutes for the person, or to the address"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[post("/users/{userId}/contactMethods/{contactMethodId}/sendCode")]
pub async fn send_code(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds((user, id)): PathIds<(PersonId, ContactMethodId)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let now = tx.now;
            let old = lock_for_update(tx, scope, &neighbours, &user, &id)?;
            let sent_ms = old.code_until_ms - rules::CODE_MS;
            if !old.code_hash.is_empty() && now.millis() < sent_ms + PAUSE_MS && now.millis() >= sent_ms {
                return Err(Problem::conflict("A code was sent a moment ago. Wait half a minute for it.").into());
            }
            let place = limits::address_of(&old.kind, &old.open(&*neighbours.seals)?);
            let request = limits::Request {
                limits: limits::CODES,
                tenant: &old.tenant_id,
                user: &old.user_id,
                author: scope.author(),
                destinations: vec![place],
            };
            request.admit(tx.conn, now)?;
            let code = new_code();
            let mut row = to(&old, "code", now);
            let sealed = neighbours.seals.seal(row.sealed_at(), &Secret::new(code.clone()))?;
            row.message = Json(Facts { code: sealed, ..Facts::default() });
            store::insert(tx.conn, std::slice::from_ref(&row))?;
            let until = now.millis() + rules::CODE_MS;
            let method = Method { code_hash: hash(&code), code_until_ms: until, code_tries: 0, ..old };
            methods::store::update(tx.conn, &method)?;
            let tenants = [row.tenant_id.clone()];
            let names = Authors::load(tx.conn, &*neighbours.people, &tenants, [row.user_id.as_str()])?;
            Answer::ok(&Page::of(&row, &names))
        })
        .await
}

/// The code that was sent.
#[derive(Debug, Request)]
#[request(example = json!({"code": "042137"}))]
pub struct ContactMethodCode {
    /// Six digits.
    #[request(filled)]
    code: String,
}

/// Verify a contact method
///
/// With the code that was sent to it. After five wrong ones another has to be sent.
#[utoipa::path(
    operation_id = "verifyContactMethod",
    params(PersonId, ContactMethodId),
    request_body(content = ContactMethodCode),
    responses(
        (status = 200, description = "The contact method, verified, or not when the code is wrong",
            body = ContactMethod),
        (status = 409, description = "No code is awaited: none was sent, it has run out, or too many wrong ones were \
                                      entered"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[post("/users/{userId}/contactMethods/{contactMethodId}/verify")]
pub async fn verify(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds((user, id)): PathIds<(PersonId, ContactMethodId)>,
    Body(given): Body<ContactMethodCode>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let now_ms = tx.now.millis();
            let old = lock_for_update(tx, scope, &neighbours, &user, &id)?;
            if old.verified {
                return Answer::entity(&ContactMethod::from(&old), old.version);
            }
            if old.code_hash.is_empty() || now_ms > old.code_until_ms || old.code_tries >= rules::TRIES {
                let told = "No code is awaited for the contact method: send one. Codes are good for 15 minutes and 5 \
                            attempts.";
                return Err(Problem::conflict(told).into());
            }
            let right = Secret::new(hash(given.code.trim())).ct_eq(&Secret::new(old.code_hash.clone()));
            // A wrong one is an answer and no error, since that it was tried has to be stored.
            let row = match right {
                true => Method {
                    verified: true,
                    code_hash: String::new(),
                    version: old.version + 1,
                    updated_ms: now_ms,
                    ..old.clone()
                },
                false => Method { code_tries: old.code_tries + 1, ..old.clone() },
            };
            methods::store::update(tx.conn, &row)?;
            if right {
                record_change(tx, Some(&old), Some(&row))?;
            }
            Answer::entity(&ContactMethod::from(&row), row.version)
        })
        .await
}
