//! From domains to a running server.

use std::{
    net::TcpListener,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{
    App, HttpServer,
    body::{BoxBody, MessageBody},
    dev::{ServerHandle, ServiceRequest, ServiceResponse},
    http::{Method, StatusCode, header},
    middleware::{Next, NormalizePath, TrailingSlash, from_fn},
    web,
};
use db::Db;
use serde_json::json;
use utoipa_actix_web::AppExt as _;
use utoipa_swagger_ui::SwaggerUi;

use crate::{Access, Domain, error, guard, request_id, spec};

/// The header of a request must be complete within this time.
const HEADER_TIME: Duration = Duration::from_secs(5);

/// An answered request that took longer than this is worth a line in the log.
const SLOW: Duration = Duration::from_secs(1);

/// What one server is made of.
#[derive(Clone)]
pub struct Service {
    /// The title of its OpenAPI document.
    pub title: &'static str,
    /// Its domains, in the order of the document.
    pub domains: Vec<Domain>,
    /// Who knows callers and tenants.
    pub access: Arc<dyn Access>,
    /// The database.
    pub db: Db,
    /// What the domains find in `app_data` besides.
    pub extras: Arc<dyn Fn(&mut web::ServiceConfig) + Send + Sync>,
    /// Worker threads; 0 for one a core.
    pub workers: usize,
}

impl Service {
    /// Serves until it is stopped (SIGTERM, SIGINT): requests under way are answered first, for 10 s at most.
    ///
    /// `started` gets a handle once connections are accepted.
    pub async fn run(self, listener: TcpListener, started: impl FnOnce(ServerHandle)) -> anyhow::Result<()> {
        let document = spec::document(self.title, &self.domains);
        let guard = guard::Guard::new(&document, Arc::clone(&self.access)).map_err(anyhow::Error::msg)?;
        let workers = self.workers;
        let server = HttpServer::new(move || {
            let Self { domains, db, extras, .. } = &self;
            let extras = Arc::clone(extras);
            let (app, _) = App::new()
                .app_data(guard.clone())
                .app_data(db.clone())
                .configure(move |config| extras(config))
                .wrap(from_fn(guard::middleware))
                .wrap(from_fn(outermost))
                .wrap(NormalizePath::new(TrailingSlash::MergeOnly))
                .into_utoipa_app()
                .configure(|config| domains.iter().for_each(|domain| (domain.root_routes)(config)))
                .service(utoipa_actix_web::scope(spec::TENANT_PREFIX).configure(|config: &mut _| {
                    domains.iter().for_each(|domain| (domain.routes)(config));
                }))
                .split_for_parts();
            app.service(web::resource("/health/live").get(live))
                .service(web::resource("/health/ready").get(ready))
                .service(web::redirect("/docs", "/docs/"))
                .service(SwaggerUi::new("/docs/{_:.*}").url("/openapi.json", document.clone()))
                .default_service(web::to(|| async {
                    error::problem_response(&error::from_status(StatusCode::NOT_FOUND))
                }))
        })
        .client_request_timeout(HEADER_TIME)
        .shutdown_timeout(10)
        .listen(listener)?;
        let server = if workers == 0 { server } else { server.workers(workers) }.run();
        started(server.handle());
        Ok(server.await?)
    }
}

/// The process runs.
async fn live() -> web::Json<serde_json::Value> {
    web::Json(json!({"status": "UP"}))
}

/// The database answers.
async fn ready(request: actix_web::HttpRequest) -> crate::Result<web::Json<serde_json::Value>> {
    if let Some(db) = request.app_data::<Db>() {
        db.ping().await?;
    }
    Ok(web::Json(json!({"status": "UP"})))
}

/// Around everything: the request id, the log line, and the problem shape for errors of the framework.
async fn outermost(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let id = request_id::of(request.headers());
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.path().to_owned();
    let mut response = request_id::scope(id.clone(), async {
        let response = next.call(request).await?.map_into_boxed_body();
        Ok::<_, actix_web::Error>(in_our_shape(response))
    })
    .await?;
    let status = response.status();
    let took = begun.elapsed();
    // Reads that went well are many and say little: they are logged at `debug`.
    let quiet = status.is_success() && method == Method::GET && took < SLOW;
    let ms = took.as_secs_f64() * 1000.0;
    if quiet {
        tracing::debug!(request_id = %id, %method, path, status = status.as_u16(), ms, "answered");
    } else {
        tracing::info!(request_id = %id, %method, path, status = status.as_u16(), ms, "answered");
    }
    if let Ok(value) = header::HeaderValue::from_str(&id) {
        response.headers_mut().insert(header::HeaderName::from_static(request_id::HEADER), value);
    }
    Ok(response)
}

/// An error that the framework answered in plain text, in the problem shape.
fn in_our_shape(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let ours = kind.starts_with("application/");
    if ours || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    if let Some(cause) = response.response().error() {
        tracing::debug!(request_id = %request_id::current(), %cause, "the framework refused a request");
    }
    let (request, _) = response.into_parts();
    ServiceResponse::new(request, error::problem_response(&error::from_status(status)))
}
