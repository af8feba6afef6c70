//! From domains to a running server.

use std::{
    net::TcpListener,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{
    App, HttpServer,
    body::{BoxBody, MessageBody},
    dev::{Extensions, ServerHandle, ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{ConnectionType, Method, StatusCode, header},
    middleware::{Next, NormalizePath, TrailingSlash, from_fn},
    web,
};
use base::problem::Problem;
use db::Db;
use serde_json::json;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::{
    Access, Domain, Error, Routes, body, error, guard,
    limits::{self, Keys, Rate},
    metrics::{self, Counters, Exposure, Metrics},
    request_id,
    shed::{self, Gate, Limits, Ticket},
    spec,
};

/// The header of a request must be complete within this time.
const HEADER_TIME: Duration = Duration::from_secs(5);

/// An answered request that took longer than this is worth a line in the log.
const SLOW: Duration = Duration::from_secs(1);

/// Connections that wait to be accepted.
const BACKLOG: u32 = 4096;

/// How the server carries its load, and who may look.
#[derive(Clone)]
pub struct Options {
    /// Worker threads; 0 for one a core.
    pub workers: usize,
    /// Requests that are worked on at once; 0 for 64 a worker.
    pub requests: usize,
    /// Connections of clients; beyond them new ones wait.
    pub connections: usize,
    /// Requests that one API key may send.
    pub rate: Option<Rate>,
    /// Who may read `/metrics`.
    pub metrics: Exposure,
    /// With it, the server speaks HTTPS.
    pub tls: Option<rustls::ServerConfig>,
}

impl Default for Options {
    fn default() -> Self {
        let metrics = Exposure::Loopback;
        Self { workers: 0, requests: 0, connections: 20_000, rate: None, metrics, tls: None }
    }
}

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
    /// How it carries its load.
    pub options: Options,
}

impl Service {
    /// Serves until it is stopped (SIGTERM, SIGINT): requests under way are answered first, for 10 s at most.
    ///
    /// `started` gets a handle once connections are accepted.
    pub async fn run(self, listener: TcpListener, started: impl FnOnce(ServerHandle)) -> anyhow::Result<()> {
        let Options { workers, requests, connections, rate, metrics, tls } = self.options.clone();
        let workers = if workers == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { workers };
        let mut bounds = Limits::for_size(workers, self.db.numbers().most);
        if requests > 0 {
            bounds.requests = requests;
        }
        let gate = Arc::new(Gate::new(bounds));
        let keys = rate.map(|rate| Arc::new(Keys::new(rate)));

        let document = spec::document(self.title, &self.domains);
        let guard = guard::Guard::new(&document, Arc::clone(&self.access), keys.clone()).map_err(anyhow::Error::msg)?;
        // As text it is a tenth of what it takes as a tree, and all workers share it.
        let text = web::Bytes::from(document.to_json()?);
        drop(document);
        let metrics = Metrics::new(metrics, guard.routes(), Arc::clone(&gate), keys, self.db.clone());
        let metrics = web::Data::new(metrics);
        let open = Arc::clone(metrics.connections());
        let server = HttpServer::new(move || {
            let Self { domains, db, extras, .. } = &self;
            let extras = Arc::clone(extras);
            let worker = Worker { gate: Arc::clone(&gate), counters: metrics.worker(), connections };
            App::new()
                .app_data(guard.clone())
                .app_data(db.clone())
                .app_data(metrics.clone())
                .app_data(worker)
                .configure(move |config| extras(config))
                .wrap(from_fn(guard::middleware))
                .wrap(from_fn(outermost))
                .wrap(NormalizePath::new(TrailingSlash::MergeOnly))
                .configure(|config| {
                    domains.iter().for_each(|domain| (domain.root_routes)(&mut Routes::of_server(config)));
                })
                .service(web::scope(spec::TENANT_PREFIX).configure(|config| {
                    domains.iter().for_each(|domain| (domain.routes)(&mut Routes::of_server(config)));
                }))
                .service(web::resource("/health/live").get(live))
                .service(web::resource("/health/ready").get(ready))
                .service(web::resource("/metrics").get(metrics::show))
                .service(web::redirect("/docs", "/docs/"))
                .service(web::resource(spec::PATH).app_data(web::Data::new(text.clone())).get(show_document))
                .service(SwaggerUi::new("/docs/{_:.*}").config(Config::from(spec::PATH)))
                .default_service(web::to(|| async {
                    error::problem_response(&error::from_status(StatusCode::NOT_FOUND))
                }))
        })
        .workers(workers)
        .backlog(BACKLOG)
        .max_connections(connections.div_ceil(workers).max(1))
        .client_request_timeout(HEADER_TIME)
        .shutdown_timeout(10)
        .on_connect(move |_, data: &mut Extensions| {
            data.insert(open.open());
        });
        let server = match tls {
            Some(tls) => server.listen_rustls_0_23(listener, tls)?,
            None => server.listen(listener)?,
        };
        let server = server.run();
        started(server.handle());
        Ok(server.await?)
    }
}

/// What a worker thread has for every request.
#[derive(Clone)]
struct Worker {
    gate: Arc<Gate>,
    counters: Arc<Counters>,
    /// The most connections of the whole process.
    connections: usize,
}

impl Worker {
    /// Lets a request in. Who watches the service is always let in.
    async fn admit(&self, request: &ServiceRequest) -> Result<Rc<Ticket>, Problem> {
        let path = request.path();
        if path == "/metrics" || path.starts_with("/health/") {
            return Ok(self.gate.enter_always());
        }
        self.gate.enter().await
    }

    /// Are there so many connections that idle ones should be closed?
    fn is_crowded(&self, request: &ServiceRequest) -> bool {
        let open = request.app_data::<web::Data<Metrics>>().map_or(0, |metrics| metrics.connections().count());
        open > self.connections / 5 * 4
    }
}

/// The OpenAPI document.
async fn show_document(text: web::Data<web::Bytes>) -> actix_web::HttpResponse {
    actix_web::HttpResponse::Ok().content_type("application/json").body(text.as_ref().clone())
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

/// Around everything: the bound on what is under way, the request id, the log line, what is counted, and the problem
/// shape for errors of the framework.
async fn outermost(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let Some(worker) = request.app_data::<Worker>().cloned() else {
        return Ok(request.error_response(Error(db::Error::Fault("a server without workers".to_owned()))));
    };
    let id = request_id::of(request.headers());
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.path().to_owned();
    let crowded = worker.is_crowded(&request);
    let admitted = worker.admit(&request).await;
    let ticket = admitted.as_ref().ok().cloned();
    let mut answered = request_id::scope(id.clone(), async {
        match admitted {
            Ok(ticket) => match shed::answer(ticket, next.call(request)).await {
                Ok(response) => response.map(|response| in_our_shape(response.map_into_boxed_body())),
                Err(late) => Err(out_of_time(&late, &id)),
            },
            Err(refusal) => {
                body::skip_small(&mut request).await;
                Ok(request.error_response(Error::from(refusal)).map_into_boxed_body())
            }
        }
    })
    .await;
    let status = match &answered {
        Ok(response) => response.status(),
        Err(error) => error.as_response_error().status_code(),
    };
    let took = begun.elapsed();
    worker.counters.answered(ticket.as_ref().map_or(0, |ticket| ticket.route.get()), status, took);
    let ms = took.as_secs_f64() * 1000.0;
    if is_quiet(&method, status, took) {
        tracing::debug!(request_id = %id, %method, path, status = status.as_u16(), ms, "answered");
    } else {
        tracing::info!(request_id = %id, %method, path, status = status.as_u16(), ms, "answered");
    }
    if let Ok(response) = &mut answered {
        if let Some(quota) = ticket.and_then(|ticket| ticket.quota.get()) {
            limits::tell(quota, response.headers_mut());
        }
        if crowded {
            response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
        }
        tell_id(&id, response.headers_mut());
    }
    answered
}

/// Reads that went well are many and say little, and so do refusals under load: they are logged at `debug`.
fn is_quiet(method: &Method, status: StatusCode, took: Duration) -> bool {
    let read = status.is_success() && method == Method::GET;
    let refused = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    (read || refused) && took < SLOW
}

fn tell_id(id: &str, headers: &mut header::HeaderMap) {
    if let Ok(value) = header::HeaderValue::from_str(id) {
        headers.insert(header::HeaderName::from_static(request_id::HEADER), value);
    }
}

/// The answer in place of one that took too long. It is an error to the framework, since the request is gone.
fn out_of_time(problem: &Problem, id: &str) -> actix_web::Error {
    let mut response = error::problem_response(problem);
    tell_id(id, response.headers_mut());
    InternalError::from_response("out of time", response).into()
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
