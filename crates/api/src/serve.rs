//! From domains to a running server.

use std::{
    net::TcpListener,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{
    App,
    body::{BoxBody, MessageBody},
    dev::{Server, ServerHandle, ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{ConnectionType, Method, StatusCode, Uri, header, uri::PathAndQuery},
    middleware::{Next, from_fn},
    web,
};
use base::problem::Problem;
use db::{Db, Health, Probe, ReplicaHealth, ReplicaStatus};
use serde_json::json;
use tokio::sync::OnceCell;
use tokio_rustls::TlsAcceptor;

use crate::{
    Access, Domain, Error, Extras, body,
    connection::Connection,
    domain,
    drain::Drain,
    error, feed,
    files::File,
    guard, ignored, inbound,
    limits::{self, Keys, Rate},
    listen::Acceptor,
    metrics::{self, Exposure, Metrics, MetricsReader},
    reference::{self, Reference},
    request_id,
    sending::count_until_sent,
    shed::{self, Limits, LoadGate, Reason},
    spec,
    trace::{RequestOutcome, RequestTrace},
    worker::WorkerState,
    write_position,
};

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
    /// Bytes that requests and connections may hold; 0 for 112 MiB.
    pub memory: usize,
    /// Requests come from a proxy of ours, which says where from.
    pub behind_proxy: bool,
    /// How browsers reach the service, such as `https://muster.example`; without it, as each request says.
    pub origin: Option<String>,
    /// Requests that one API key may send.
    pub rate: Option<Rate>,
    /// Who may read `/metrics`.
    pub metrics: Exposure,
    /// With it, others in this process read them too, once the server runs.
    pub metrics_reader: Option<MetricsReader>,
    /// With it, the server speaks HTTPS.
    pub tls: Option<rustls::ServerConfig>,
    /// With it, the server stops when it is told to by its handle, and not by signals.
    pub drain: Option<Drain>,
}

impl Default for Options {
    fn default() -> Self {
        let metrics = Exposure::Loopback;
        let workers = 0;
        let requests = 0;
        let memory = 0;
        let origin = None;
        let rate = None;
        let tls = None;
        let drain = None;
        let metrics_reader = None;
        Self {
            workers,
            requests,
            connections: 20_000,
            memory,
            behind_proxy: false,
            origin,
            rate,
            metrics,
            metrics_reader,
            tls,
            drain,
        }
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
    /// What is heard of it.
    pub probe: Probe,
    /// What the handlers of the domains find besides.
    pub extras: Extras,
    /// How it carries its load.
    pub options: Options,
}

impl Service {
    /// Serves until it is stopped (by its handle, or SIGTERM and SIGINT): requests under way are answered first, for
    /// 10 s at most.
    ///
    /// `started` gets a handle once connections are accepted.
    pub async fn run(self, listener: TcpListener, started: impl FnOnce(ServerHandle)) -> anyhow::Result<()> {
        let Options {
            workers,
            requests,
            connections,
            memory,
            behind_proxy,
            origin,
            rate,
            metrics,
            metrics_reader,
            tls,
            drain,
        } = self.options.clone();
        let own_signals = drain.is_none();
        let drain = drain.unwrap_or_default();
        self.extras.check(&self.domains)?;
        let workers = if workers == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { workers };
        let mut bounds = Limits::for_size(workers, self.db.long_lists());
        if requests > 0 {
            bounds.requests = requests;
        }
        if memory > 0 {
            bounds.memory = memory;
        }
        let gate = Arc::new(LoadGate::new(bounds));
        let keys = rate.map(|rate| Arc::new(Keys::new(rate)));

        let operations = spec::operations(&self.domains);
        let guard =
            guard::Guard::new(&operations, Arc::clone(&self.access), keys.clone()).map_err(anyhow::Error::msg)?;
        drop(operations);
        let document = Document {
            title: self.title,
            domains: self.domains.clone(),
            text: OnceCell::new(),
            in_3_0: OnceCell::new(),
        };
        let document = web::Data::new(document);
        let page = web::Data::new(Reference::default());
        let routes = guard.routes();
        let metrics = Metrics::new(metrics, routes.clone(), Arc::clone(&gate), keys, self.db.clone());
        let metrics = web::Data::new(metrics);
        if let Some(reader) = metrics_reader {
            reader.read_from(Arc::clone(&metrics));
        }
        let tls = tls.map(|mut config| {
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            TlsAcceptor::from(Arc::new(config))
        });
        let encrypted = tls.is_some();
        let secure = encrypted || behind_proxy || origin.as_ref().is_some_and(|origin| origin.starts_with("https:"));
        let open = Arc::clone(metrics.connections());
        let acceptor = Acceptor { gate: Arc::clone(&gate), open, tls, behind_proxy, drain: drain.clone() };
        let application = move || {
            let Self { domains, db, probe, extras, .. } = &self;
            let extras = extras.clone();
            let worker = WorkerState {
                gate: Arc::clone(&gate),
                counters: metrics.worker(),
                keys: Rc::default(),
                routes: Rc::from(routes.as_slice()),
                connections,
                behind_proxy,
                encrypted,
                secure,
                origin: origin.as_deref().map(Rc::from),
                drain: drain.clone(),
            };
            App::new()
                .app_data(guard.clone())
                .app_data(db.clone())
                .app_data(metrics.clone())
                .app_data(worker)
                .app_data(probe.clone())
                .configure(move |config| extras.configure(config))
                .wrap(from_fn(guard::middleware))
                .wrap(from_fn(outer_middleware))
                .service(web::resource("/health/live").get(live))
                .service(web::resource("/health/ready").get(ready))
                .service(web::resource("/metrics").get(metrics::show))
                .service(web::redirect("/docs", "/docs/"))
                .service(web::resource(spec::PATH).app_data(document.clone()).get(show_document))
                .service(web::resource(spec::PATH_IN_3_0).app_data(document.clone()).get(show_document_in_3_0))
                .service(web::scope("/docs").app_data(page.clone()).route("/{file:.*}", web::get().to(reference::show)))
                .default_service(domain::handlers(domains, &routes))
        };
        let server = Server::build()
            .workers(workers)
            .backlog(BACKLOG)
            .max_concurrent_connections(connections.div_ceil(workers).max(1))
            .shutdown_timeout(10);
        let server = if own_signals { server } else { server.disable_signals() };
        let stop = server.graceful_shutdown_signal();
        let server = server.listen("http", listener, move || {
            let stop = stop.clone();
            let stopping = move || {
                let stop = stop.clone();
                async move { stop.notified().await }
            };
            acceptor.clone().service(application(), stopping)
        })?;
        let server = server.run();
        started(server.handle());
        Ok(server.await?)
    }
}

/// The OpenAPI document.
async fn show_document(
    request: actix_web::HttpRequest,
    document: web::Data<Document>,
) -> crate::Result<actix_web::HttpResponse> {
    document.text().await?.answer(&request, &[]).await
}

/// The same in OpenAPI 3.0.3.
async fn show_document_in_3_0(
    request: actix_web::HttpRequest,
    document: web::Data<Document>,
) -> crate::Result<actix_web::HttpResponse> {
    document.text_in_3_0().await?.answer(&request, &[]).await
}

/// The document of the server, which is made when somebody asks for it first: that is a third of a start.
struct Document {
    title: &'static str,
    domains: Vec<Domain>,
    text: OnceCell<Arc<File>>,
    in_3_0: OnceCell<Arc<File>>,
}

impl Document {
    /// As text it is a tenth of what it takes as a tree, and all workers share it.
    async fn text(&self) -> crate::Result<&Arc<File>> {
        self.text.get_or_try_init(|| self.make(|document| document.to_string())).await
    }

    async fn text_in_3_0(&self) -> crate::Result<&Arc<File>> {
        self.in_3_0.get_or_try_init(|| self.make(|document| spec::in_3_0(document).to_string())).await
    }

    async fn make(&self, text: impl FnOnce(&serde_json::Value) -> String + Send + 'static) -> crate::Result<Arc<File>> {
        let title = self.title;
        let domains = self.domains.clone();
        let made = web::block(move || spec::published(&spec::document(title, &domains)).map(|made| text(&made)));
        let text = made.await.map_err(fault)?.map_err(fault)?;
        Ok(File::new("application/json", web::Bytes::from(text)))
    }
}

fn fault(error: impl std::fmt::Display) -> Error {
    Error(db::Error::Fault(error.to_string()))
}

/// The process runs.
async fn live() -> web::Json<serde_json::Value> {
    web::Json(json!({"status": "UP"}))
}

/// The database answers and takes writes: what was last heard of it, told at once.
async fn ready(request: actix_web::HttpRequest) -> crate::Result<web::Json<serde_json::Value>> {
    if request.app_data::<WorkerState>().is_some_and(|worker| worker.drain.has_begun()) {
        return Err(Problem::unavailable("The service stops. Another one takes its place, or it starts again.").into());
    }
    let detail = match request.app_data::<Probe>().map_or(Health::Away, Probe::health) {
        Health::Up => match request.app_data::<Db>().and_then(Db::hindrance) {
            Some(hindrance) => hindrance,
            None => return Ok(web::Json(health_of(request.app_data::<Db>().and_then(Db::replica_status)))),
        },
        Health::ReadOnly => "The database takes no writes: it is read-only, or its disk is full.",
        Health::Moved => db::MOVED,
        Health::Away => "The database cannot answer right now. Try again in a moment.",
    };
    Err(Problem::unavailable(detail).into())
}

/// A service that is ready, and the replica that it reads from. Without that it is ready as well.
fn health_of(replica: Option<ReplicaStatus>) -> serde_json::Value {
    let Some(ReplicaStatus { health, lag }) = replica else { return json!({"status": "UP"}) };
    let health = match health {
        ReplicaHealth::Up => "UP",
        ReplicaHealth::Lagging => "LAGGING",
        ReplicaHealth::Away => "AWAY",
    };
    let lag = lag.map(|lag| lag.as_secs_f64());
    json!({"status": "UP", "replica": {"status": health, "lagSeconds": lag}})
}

/// Around everything: the bound on what is under way, the request id, the log line, what is counted, and the problem
/// shape for errors of the framework.
async fn outer_middleware(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let Some(worker) = request.app_data::<WorkerState>().cloned() else {
        return Ok(request.error_response(Error(db::Error::Fault("a server without workers".to_owned()))));
    };
    merge_slashes(&mut request);
    let (id, is_callers) = request_id::of(request.headers());
    let trace = RequestTrace::begin(&request);
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.path().to_owned();
    // An offer of another protocol that was seen too late (`upgrade`): actix closes then, and the client has to know.
    let closing = worker.is_crowded(&request) || request.head().upgrade() || worker.drain.has_begun();
    let connection = request.conn_data::<Rc<Connection>>().cloned();
    let in_flight = connection.as_ref().map(|connection| connection.begin(&worker.gate));
    if let Some(connection) = &connection {
        body::read_on_demand(&mut request, connection);
    }
    let ticket = worker.ticket(&request, in_flight.as_ref().is_some_and(|request| request.paused));
    let answering = request_id::scope(id.clone(), async {
        if in_flight.as_ref().is_some_and(|request| request.too_many) {
            let refusal = worker.gate.refuse(Reason::Connection);
            body::discard_small(&mut request).await;
            return Ok(request.error_response(Error::from(refusal)).map_into_boxed_body());
        }
        let (result, ignored) = if method == Method::GET {
            (shed::answer(Rc::clone(&ticket), next.call(request)).await, Vec::new())
        } else {
            ignored::collecting(shed::answer(Rc::clone(&ticket), next.call(request))).await
        };
        let mut result = match result {
            Ok(response) => response.map(|response| into_problem_shape(response.map_into_boxed_body())),
            Err(problem) => Err(timeout_response(&problem, &id)),
        };
        if let Ok(response) = &mut result {
            ignored::add_header(&ignored, response.headers_mut());
        }
        result
    });
    let answered = traces::scope(trace.context(), answering).await;
    let mut result = answered.map(|response| count_until_sent(response, &worker.gate, &ticket, in_flight));
    let status = match &result {
        Ok(response) => response.status(),
        Err(error) => error.as_response_error().status_code(),
    };
    // Who is told to come back later and comes at once is not read at once. A connection of a proxy is that of many.
    if let Some(connection) = connection.filter(|_| !worker.behind_proxy) {
        connection.pauses.on_answer([StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS].contains(&status));
    }
    let took = begun.elapsed();
    worker.counters.answered(ticket.route.get(), status, took);
    let route = ticket.route.get();
    let shown = || worker.loggable(&path, route);
    let code = status.as_u16();
    let ms = took.as_secs_f64() * 1000.0;
    let trace_id = trace.id();
    if !is_callers && is_quiet(&method, status, took) {
        tracing::debug!(request_id = %id, trace_id, %method, path = &*shown(), status = code, ms, "answered");
    } else {
        tracing::info!(request_id = %id, trace_id, %method, path = &*shown(), status = code, ms, "answered");
    }
    if let Ok(response) = &mut result {
        worker.harden(response.headers_mut());
        if let Some(quota) = ticket.quota.get() {
            limits::add_headers(quota, response.headers_mut());
        }
        if let Some(position) = ticket.written.get() {
            write_position::add_header(position, response.headers_mut());
        }
        if closing {
            response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
        }
        add_request_id(&id, response.headers_mut());
        trace.add_header(response.headers_mut());
    }
    trace.end(&worker, (&method, &path), &id, RequestOutcome { route, status });
    result
}

/// Makes one of slashes that follow each other in the path, and none of one at the end where that means nothing.
/// (`actix_web::middleware::NormalizePath` has a regular expression look at every path, a twentieth of what a point
/// read costs.)
fn merge_slashes(request: &mut ServiceRequest) {
    let is_idle = feed::has_idle_slash(request.path()) || inbound::has_idle_slash(request.path());
    if !is_idle && !request.path().contains("//") {
        return;
    }
    let mut last = ' ';
    let mut path: String = request
        .path()
        .chars()
        .filter(|letter| std::mem::replace(&mut last, *letter) != '/' || *letter != '/')
        .collect();
    if is_idle {
        path.truncate(path.trim_end_matches('/').len());
    }
    let query = request.query_string();
    let merged = if query.is_empty() { path } else { format!("{path}?{query}") };
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = PathAndQuery::from_maybe_shared(merged).ok();
    if let Ok(uri) = Uri::from_parts(parts) {
        request.match_info_mut().get_mut().update(&uri);
        request.head_mut().uri = uri;
    }
}

/// Reads that went well are many and say little, and so do refusals under load: they are logged at `debug`. Anyone who
/// gives a request an id of their own means to find it again, and does.
fn is_quiet(method: &Method, status: StatusCode, took: Duration) -> bool {
    let read = status.is_success() && method == Method::GET;
    let refused = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    (read || refused) && took < SLOW
}

fn add_request_id(id: &str, headers: &mut header::HeaderMap) {
    if let Ok(value) = header::HeaderValue::from_str(id) {
        headers.insert(header::HeaderName::from_static(request_id::HEADER), value);
    }
}

/// The answer in place of one that took too long. It is an error to the framework, since the request is gone.
fn timeout_response(problem: &Problem, id: &str) -> actix_web::Error {
    let mut response = error::problem_response(problem);
    add_request_id(id, response.headers_mut());
    InternalError::from_response("out of time", response).into()
}

/// An error that the framework answered in plain text, in the problem shape.
fn into_problem_shape(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let ours = kind.starts_with("application/") || kind.starts_with("text/html");
    if ours || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    if let Some(cause) = response.response().error() {
        tracing::debug!(request_id = %request_id::current(), %cause, "the framework refused a request");
    }
    let (request, _) = response.into_parts();
    ServiceResponse::new(request, error::problem_response(&error::from_status(status)))
}
