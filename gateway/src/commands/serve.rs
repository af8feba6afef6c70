//! `muster serve`.

use std::{
    future::poll_fn,
    net::{SocketAddr, TcpListener},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    task::Poll,
    time::Duration,
};

use ::config::Setting;
use access::{Directory, LinkMailer, SignIn};
use actix_web::{
    dev::ServerHandle,
    rt::{
        System,
        signal::unix::{Signal, SignalKind, signal},
    },
};
use anyhow::{Context as _, bail};
use api::{
    drain::Drain,
    limits::Rate,
    metrics::{Exposure, MetricsReader},
    serve::{Options, Service},
    sockets, spec,
    tls::Certificate,
};
use db::Probe;
use incidents::Pings;
use logging::Log;
use outbox::{Subscriber, Worker};

use crate::{
    address,
    command_line::{Listen, LoadLimits, Serve},
    demo, domains, first_run, neighbours, process,
    reporters::Keys,
    settings::{self, Reloader},
};

/// Files and sockets that are no connections of clients: those of the database, the log, the listener.
const OTHER_FILES: u64 = 256;

/// SIGXFSZ, the same number on Linux and macOS.
const FILE_TOO_LARGE: i32 = 25;

/// Starts the service; ends when it is told to stop.
pub fn serve(arguments: Serve, log: Log, settings: Vec<Setting>) -> anyhow::Result<()> {
    memory::return_free_memory();
    let system = System::new();
    system.block_on(async { ignore_signals() })?;
    settings::check_unknown_variables()?;
    let Serve {
        storage,
        replica,
        wait_for_database,
        listen,
        browsers,
        oidc,
        load,
        retention,
        keys,
        outbound,
        paging,
        backups,
        telemetry,
        demo,
    } = arguments;
    let handed_over = sockets::inherited().context("the listening socket that was handed over")?;
    listen.check(handed_over.as_ref().map_or(Ok(listen.listen), TcpListener::local_addr)?)?;
    let certificate = listen.certificate()?;
    // What is wrong with the keys is said before anything is made.
    first_run::check(&storage)?;
    keys.check(&storage)?;
    replica.check(&storage)?;
    let backup_folder = backups.folder(&storage)?;
    let metrics_reader = MetricsReader::default();
    let metrics_text = metrics_reader.clone();
    let sending = otlp::Sending::start(telemetry.settings()?, move || metrics_text.text())?;
    let wait_for_database = Duration::from_secs(wait_for_database.into());
    // Checks early whether the address is taken. It is given back while the database is waited for: a client that finds
    // nobody there goes elsewhere, and one that is not answered waits.
    if handed_over.is_none() && !listen.reuse_port {
        drop(listen.bind()?);
    }
    // A parent that hands a socket over may start the next service before the last one has ended.
    let is_shared = handed_over.is_some();
    let lock = storage.serve_alone(if is_shared { wait_for_database } else { Duration::ZERO })?;
    let url = storage.url();
    db::wait_until_it_answers(&url, wait_for_database)
        .with_context(|| format!("opening {}", url.without_password()))?;
    let listener = handed_over.map_or_else(|| listen.bind(), Ok)?;
    let db = storage.open()?;
    if sending.has_collector() {
        let [name, help] = otlp::DROPPED;
        db.add_family(name, help, true, || vec![(Vec::new(), otlp::Sending::dropped())]);
    }
    let version = env!("CARGO_PKG_VERSION");
    let database = url.without_password();
    tracing::info!(version, database, server = db.server(), "Muster starts");
    replica.attach(&db, storage.connections)?;
    let lost = first_run::bootstrap(&db, &storage)?;
    let vault = keys.vault(&storage, &db)?;
    let oidc = oidc.provider(browsers.public_url.as_deref(), &vault)?;
    if demo {
        demo::fill(&db, &vault).context("filling the demo company")?;
    }
    let address = listener.local_addr()?;
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let from_here = address::from_here(scheme, address);
    storage.note_origin(browsers.public_url.as_ref().unwrap_or(&from_here));
    let service_note = doctor::ServiceNote::write(&storage.data_dir, &from_here);
    let rules = integrations::rules(Arc::new(Directory));
    let authenticator = Arc::new(access::Authenticator::new(db.clone()).trust_forwarded(listen.behind_proxy));
    let reporters = Arc::new(Keys::new(Arc::clone(&authenticator)));
    let parts = outbound.parts(&db, vault, Arc::clone(&rules), reporters, demo)?;
    let windows = neighbours::windows();
    // Each of these calls others on a runtime of its own.
    // Links lead here, or, where nobody else could reach it, to this machine.
    let here = address.ip().is_loopback().then(|| format!("{scheme}://{address}"));
    let public_url = browsers.public_url.clone().or(here);
    let paging_neighbours =
        || neighbours::paging_neighbours(&parts, Arc::clone(&windows), public_url.clone(), paging.page_limit);
    let subscribers: Vec<Arc<dyn Subscriber>> = vec![
        Arc::new(integrations::Subscriber { rules }),
        Arc::new(paging::Subscriber::new(paging_neighbours())),
        Arc::new(changes::Subscriber::new(Arc::new(Directory))),
    ];
    let waits = outbox::start_wait_watch(db.clone(), api::clock::now)?;
    let outbox = Worker::start(db.clone(), subscribers, api::clock::now)?;
    let sender = parts.start()?;
    let integration_extras = integrations::extras(Arc::clone(&parts.services));
    let seconds = |lag: Arc<AtomicI64>| {
        move || Some(Duration::from_millis(lag.load(Ordering::Relaxed).try_into().unwrap_or(0)).as_secs_f64())
    };
    db.add_gauge("outbox_lag_seconds", "Age of the oldest event that was not handed on", seconds(outbox.lag()));
    db.add_gauge(
        "deliveries_lag_seconds",
        "How long the oldest delivery that is due has waited",
        seconds(sender.lag()),
    );
    let inventory_extras = inventory::extras(Arc::new(integrations::InstalledIntegrations));
    let maintenance = maintenance::extras(Arc::clone(&windows), neighbours::alerts());
    let maintenance_port = Arc::clone(&windows) as Arc<dyn ports::Maintenance>;
    let incident_neighbours =
        neighbours::incident_neighbours(Arc::clone(&windows), Arc::new(paging::Owned::new(paging_neighbours())));
    let notices = neighbours::notices(incident_neighbours.clone());
    let jobs = jobs::extras(
        Arc::new(Directory),
        Arc::new(inventory::Machines),
        Arc::clone(&maintenance_port),
        Arc::clone(&notices),
    );
    let scheduler = jobs::start_scheduler(db.clone(), maintenance_port, Arc::new(Directory), notices, api::clock::now)?;
    let window_watcher = maintenance::start_window_watch(db.clone(), api::clock::now)?;
    let roster_watcher = rosters::start_roster_watch(db.clone(), Arc::new(Directory), api::clock::now)?;
    let holiday_reader = rosters::start_holiday_reader(db.clone(), parts.url_reader(), api::clock::now)?;
    let conflict_watcher = rosters::start_conflict_watch(
        db.clone(),
        Arc::new(Directory),
        Arc::new(paging::PagedMessages),
        api::clock::now,
    )?;
    let link_mailer = LinkMailer::start(db.clone(), parts.outgoing_sender(), public_url.clone(), api::clock::now)?;
    let sign_in = SignIn { home: console::PATH, oidc, by_mail: link_mailer.sends_mail() };
    let backup_worker = backups.start(backup_folder, &storage, &db)?;
    let pings = Arc::new(Pings::default());
    let restorers = domains::restorers(domains::RestorerNeighbours {
        authenticator: authenticator.clone(),
        pings: Arc::clone(&pings),
        services: Arc::clone(&parts.services),
        windows: &windows,
        notices: neighbours::notices(incident_neighbours.clone()),
        incidents: incident_neighbours.clone(),
        paging: paging_neighbours(),
    });
    let access_extras = access::extras(authenticator.clone(), sign_in, link_mailer.queue()).with(Arc::new(restorers));
    let roster_extras =
        rosters::extras(Arc::new(Directory), Arc::new(paging::Stored), Arc::new(incidents::AcknowledgedAlerts));
    // Before anyone removes or adds pages: it hears of those.
    let alert_days = incidents::start_alert_days(db.clone(), &incident_neighbours, api::clock::now)?;
    let escalator = incidents::start_escalator(db.clone(), incident_neighbours.clone(), api::clock::now)?;
    let backfiller = outbox::start_backfills(db.clone(), &domains::migrations(), api::clock::now)?;
    let sweeper = retention.start(&db, api::clock::now)?;
    let reloader = Reloader { settings, log, periods: sweeper.periods() };
    let heartbeats =
        incidents::start_heartbeat_watch(db.clone(), incident_neighbours.clone(), Arc::clone(&pings), api::clock::now)?;
    let incident_extras = incidents::extras(incident_neighbours, pings);
    let kb_extras = kb::extras(Arc::new(Directory));
    let pager = paging::start_pager(db.clone(), paging_neighbours())?;
    let hub: Arc<changes::Hub> = Arc::default();
    let broadcaster = changes::Broadcaster::start(db.clone(), Arc::clone(&hub), api::clock::now)?;
    let change_extras = changes::extras(Arc::clone(&hub));
    let page_sender = paging::Sender::start(db.clone(), paging_neighbours())?;
    let paging = paging::extras(db.clone(), paging_neighbours());
    // The guard has read the same document by then: one that is wrong does not start.
    let document = || spec::document(domains::TITLE, &domains::all());
    let console = console::extras(
        move || console::operations(&document()).unwrap_or_default(),
        move || console::forms(&document()).unwrap_or_default(),
    );
    // It goes on while the service stops: nothing waits for a database that stands still then, either.
    let probe = Probe::start(&db)?;
    let drain = Drain::new(listen.drain, is_shared);
    let service = Service {
        title: domains::TITLE,
        domains: domains::all(),
        access: authenticator,
        db,
        probe: probe.clone(),
        extras: [
            access_extras,
            inventory_extras,
            roster_extras,
            maintenance,
            incident_extras,
            kb_extras,
            paging,
            jobs,
            change_extras,
            integration_extras,
            console,
        ]
        .into_iter()
        .collect(),
        options: Options {
            origin: browsers.public_url,
            drain: Some(drain.clone()),
            metrics_reader: Some(metrics_reader),
            ..options(&load, &listen, storage.connections, certificate.as_ref())?
        },
    };
    let memory = memory::watch(service.db.clone())?;
    let db = service.db.clone();
    system.block_on(async {
        reload_on_hangup(certificate, reloader)?;
        let stops = Stops::new()?;
        let started = move |server| {
            first_run::greet(scheme, address, &storage.data_dir, lost.as_deref());
            actix_web::rt::spawn(stops.stop(server, drain, hub));
        };
        service.run(listener, started).await
    })?;
    db.begin_closing();
    drop(memory);
    drop(backup_worker);
    drop(waits);
    drop(sweeper);
    drop(heartbeats);
    drop(escalator);
    drop(alert_days);
    drop(scheduler);
    drop(window_watcher);
    drop(roster_watcher);
    drop(holiday_reader);
    drop(conflict_watcher);
    drop(pager);
    drop(page_sender);
    drop(link_mailer);
    drop(broadcaster);
    drop(outbox);
    drop(sender);
    sending.stop(listen.drain);
    // The last that writes: rows that come after it would not be filled.
    drop(backfiller);
    db.close();
    drop(probe);
    drop(service_note);
    drop(lock);
    tracing::info!("stopped");
    Ok(())
}

impl Listen {
    /// Refuses to carry secrets in the clear.
    pub fn check(&self, address: SocketAddr) -> anyhow::Result<()> {
        if address.ip().is_loopback() || self.behind_proxy || self.tls_cert.is_some() {
            return Ok(());
        }
        bail!(
            "{} is beyond loopback, and requests carry secrets: give a certificate with --tls-cert and --tls-key, or \
             put a TLS proxy in front and say --behind-proxy",
            address
        )
    }

    /// Takes the address.
    fn bind(&self) -> anyhow::Result<TcpListener> {
        let address = self.listen;
        let bound = if self.reuse_port { sockets::bind_shared(address) } else { TcpListener::bind(address) };
        bound.with_context(|| format!("cannot listen on {address}: name another address or port with --listen"))
    }

    /// The certificate, when there is to be one.
    pub fn certificate(&self) -> anyhow::Result<Option<Arc<Certificate>>> {
        let files: Option<(&Path, &Path)> = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        files.map(|(chain, key)| Certificate::load(chain, key)).transpose()
    }
}

fn options(
    load: &LoadLimits,
    listen: &Listen,
    connections: u32,
    certificate: Option<&Arc<Certificate>>,
) -> anyhow::Result<Options> {
    let metrics = match (load.metrics_public, listen.behind_proxy) {
        (true, _) => Exposure::Public,
        (false, true) => Exposure::Nobody,
        (false, false) => Exposure::Loopback,
    };
    let mut options = Options {
        workers: load.workers,
        requests: load.max_requests,
        memory: usize::from(load.request_memory) << 20,
        behind_proxy: listen.behind_proxy,
        rate: Rate::per_second(load.rate_limit),
        metrics,
        tls: certificate.map(Certificate::server_config).transpose()?,
        ..Options::default()
    };
    if let Some(files) = process::raise_open_files() {
        // A connection of SQLite has three files open.
        let others = OTHER_FILES + 3 * u64::from(connections);
        let most = usize::try_from(files.saturating_sub(others).max(64)).unwrap_or(usize::MAX);
        options.connections = options.connections.min(most);
    }
    Ok(options)
}

/// What would end the process by itself does not from now on: SIGHUP, which reads the certificate again later, and a
/// write beyond a limit on file sizes, which is an error to the writer, as a full disk is.
fn ignore_signals() -> std::io::Result<()> {
    // The handlers stay installed when their streams are gone.
    for kind in [SignalKind::from_raw(FILE_TOO_LARGE), SignalKind::hangup()] {
        drop(signal(kind)?);
    }
    Ok(())
}

/// SIGHUP reads settings again, and the certificate, where there is one.
fn reload_on_hangup(certificate: Option<Arc<Certificate>>, mut reloader: Reloader) -> std::io::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    actix_web::rt::spawn(async move {
        while hangups.recv().await.is_some() {
            match certificate.as_ref().map(|certificate| certificate.reload()) {
                Some(Ok(())) => tracing::info!("the certificate was read again"),
                Some(Err(error)) => tracing::error!("the former certificate stays in use: {error:#}"),
                None => {}
            }
            reloader.reload();
        }
    });
    Ok(())
}

/// The signals that stop the service.
struct Stops([Signal; 3]);

impl Stops {
    fn new() -> std::io::Result<Self> {
        let [terminate, interrupt, quit] = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::quit()];
        Ok(Self([signal(terminate)?, signal(interrupt)?, signal(quit)?]))
    }

    async fn next(&mut self) {
        poll_fn(|context| {
            let is_told = self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
            if is_told { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Ends the streams of changes at the first signal, which would otherwise be waited for, and stops the server; a
    /// second signal ends the drain.
    async fn stop(mut self, server: ServerHandle, drain: Drain, hub: Arc<changes::Hub>) {
        self.next().await;
        hub.close();
        drain.stop(server, self.next()).await;
    }
}
