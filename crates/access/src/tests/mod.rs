//! The whole crate on SQLite in a temporary directory: the authenticator by itself, and the operations behind the
//! guard.

mod callers;
mod console;
mod keys;
mod operations;
mod people;
mod token_endpoint;

use std::{future::Future, pin::Pin, rc::Rc, sync::Arc};

use actix_web::{
    App,
    dev::ServiceResponse,
    http::{Method, StatusCode, header},
    middleware::from_fn,
    test::{TestRequest, call_service, init_service, read_body},
};
use api::{Access as _, Caller, Role, access::Identity, clock, guard};
use base::{secret::Secret, tenant::TenantId, timestamp::Timestamp};
use db::{Conn, DatabaseUrl, Db, Options};
use serde_json::Value;

use crate::{
    Authenticator, api_keys,
    authenticator::{Credentials, TokenOutcome},
    bootstrap, credentials_in, domain, extras, tenants,
};

const KEY: &str = "bootstrapkey1";
const SECRET: &str = "bootstrapsecret12";

/// Waits for the database on a thread of its own, since the runtime's may not block.
fn aside<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(f).join().unwrap()
}

/// An empty, migrated database; the directory goes when this is dropped.
struct Fixture {
    db: Db,
    authenticator: Arc<Authenticator>,
    _directory: tempfile::TempDir,
}

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

fn credentials(key: &str, text: &str) -> Credentials {
    Credentials { key: key.to_owned(), secret: secret(text) }
}

fn as_caller(identity: Identity) -> Option<Arc<Caller>> {
    match identity {
        Identity::Caller(caller) => Some(caller),
        Identity::Suspended | Identity::Expired | Identity::Unknown => None,
    }
}

impl Fixture {
    fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(directory.path().join("test.sqlite"));
        let db = Db::open(&url, Options::default()).unwrap();
        db.migrate(&[outbox::migrations(), domain().migrations]).unwrap();
        let authenticator = Arc::new(Authenticator::new(db.clone()));
        Self { db, authenticator, _directory: directory }
    }

    /// With `msp_1`, `client_1` and the first key.
    fn new() -> Self {
        let fixture = Self::empty();
        let db = fixture.db.clone();
        let made = aside(move || bootstrap(&db, (KEY.to_owned(), secret(SECRET))).unwrap());
        assert!(made);
        fixture
    }

    fn write<T: Send + 'static>(&self, f: impl FnOnce(&mut Conn) -> db::Result<T> + Send + 'static) -> T {
        let db = self.db.clone();
        aside(move || db.write_here(f).unwrap())
    }

    /// Another partner with a client, which nobody of `msp_1` may see.
    fn foreign(&self) -> (TenantId, TenantId) {
        self.write(|conn| {
            let partner = tenants::store::next_partner(conn)?;
            tenants::store::insert_partner(conn, &partner, "Partner Two", clock::now())?;
            let client = tenants::store::insert_client(conn, &partner, "Foreign", clock::now())?;
            Ok((partner, TenantId::parse(&client.id).unwrap()))
        })
    }

    /// A key of a tenant, whose secret is its own text twice.
    fn key(&self, tenant: &TenantId, key: &'static str, role: Role) -> api_keys::store::Row {
        let tenant = tenant.clone();
        let new = api_keys::store::NewKey::of(key.to_owned(), role, key.to_owned(), secret(&key.repeat(2)));
        self.write(move |conn| api_keys::store::insert(conn, &tenant, &new, None, clock::now()))
    }

    async fn token(&self, key: &str, text: &str) -> String {
        self.issue(key, text, clock::now()).await.unwrap()
    }

    async fn issue(&self, key: &str, text: &str, now: Timestamp) -> Option<String> {
        match self.authenticator.issue(&credentials(key, text), now, |_| Ok(())).await.unwrap() {
            TokenOutcome::Token { token, .. } => Some(token.into_inner()),
            TokenOutcome::Throttled(_) | TokenOutcome::Suspended | TokenOutcome::BadCredentials => None,
        }
    }

    async fn basic(&self, key: &str, text: &str) -> Option<Arc<Caller>> {
        as_caller(self.authenticator.basic(key, secret(text)).await.unwrap())
    }

    /// The token of a key of [`Fixture::key`].
    async fn token_of(&self, key: &str) -> String {
        self.token(key, &key.repeat(2)).await
    }

    async fn caller(&self, token: &str) -> Option<Arc<Caller>> {
        as_caller(self.authenticator.bearer(token).await.unwrap())
    }

    /// Nobody takes requests for links out of the queue.
    fn extras(&self) -> api::Extras {
        let (queue, _) = crate::link_requests::queue::new();
        extras(Arc::clone(&self.authenticator), crate::SignIn::default(), queue)
    }

    /// The operations behind the guard.
    async fn app(&self) -> Operations {
        let document = api::spec::document("test", &[domain()]);
        let guard =
            guard::Guard::new(&document, Arc::clone(&self.authenticator) as Arc<dyn api::Access>, None).unwrap();
        let operations = guard.routes();
        let app = App::new()
            .app_data(guard)
            .app_data(self.db.clone())
            .configure(|config| self.extras().configure(config))
            .wrap(from_fn(guard::middleware))
            .default_service(api::domain::handlers(&[domain()], &operations));
        let service = Rc::new(init_service(app).await);
        Operations(Box::new(move |request| {
            let service = Rc::clone(&service);
            Box::pin(async move { call_service(&*service, request.to_request()).await })
        }))
    }
}

/// The operations of this crate, ready to be called.
struct Operations(Box<dyn Fn(TestRequest) -> ResponseFuture>);

type ResponseFuture = Pin<Box<dyn Future<Output = ServiceResponse>>>;

impl Operations {
    async fn send(&self, request: TestRequest) -> ServiceResponse {
        (self.0)(request).await
    }
}

/// A request with a token; the status and the body.
async fn call(app: &Operations, token: &str, method: Method, path: &str, body: Option<Value>) -> (StatusCode, Value) {
    let mut request = TestRequest::with_uri(&format!("/api/v2/tenants/{path}"))
        .method(method)
        .insert_header((header::AUTHORIZATION, format!("Bearer {token}")));
    if let Some(body) = body {
        request = request.set_json(body);
    }
    let response = app.send(request).await;
    let status = response.status();
    let bytes = read_body(response).await;
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}
