//! `muster serve`.

use std::{
    fs::File,
    future::poll_fn,
    net::{SocketAddr, TcpListener},
    path::Path,
    sync::Arc,
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
    Extras, Restorers,
    drain::Drain,
    limits::Rate,
    metrics::{Exposure, MetricsReader},
    serve::{Options, Service},
    sockets, spec,
    tls::Certificate,
};
use db::{Db, Probe};
use incidents::Pings;
use integrations::vault::Vault;
use logging::Log;
use outbox::{Background, Subscriber, Sweeper, Worker};

use crate::{
    address,
    command_line::{Listen, LoadLimits, Serve},
    demo, domains, first_run, neighbours,
    outbound::Parts,
    process,
    reporters::Keys,
    retention::RetentionDays,
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
    let handed_over = sockets::inherited().context("the listening socket that was handed over")?;
    let (certificate, backup_folder) = check(&arguments, handed_over.as_ref())?;
    let metrics_reader = MetricsReader::default();
    let metrics_text = metrics_reader.clone();
    let sending = otlp::Sending::start(arguments.telemetry.settings()?, move || metrics_text.text())?;
    // A parent that hands a socket over may start the next service before the last one has ended.
    let is_shared = handed_over.is_some();
    let (db, listener, lock) = open(&arguments, handed_over)?;
    // Before anything looks at the clock. It goes on while the service stops: nothing waits for a database that stands
    // still then, either.
    let probe = Probe::start(&db)?;
    if sending.has_collector() {
        let [name, help] = otlp::DROPPED;
        db.add_family(name, help, true, || vec![(Vec::new(), otlp::Sending::dropped())]);
    }
    let Serve { storage, listen, browsers, oidc, load, retention, keys, backups, .. } = &arguments;
    let lost = first_run::bootstrap(&db, storage)?;
    let vault = keys.vault(storage, &db)?;
    let oidc = oidc.provider(browsers.public_url.as_deref(), &vault)?;
    if arguments.demo {
        demo::fill(&db, &vault).context("filling the demo company")?;
    }
    let address = listener.local_addr()?;
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let from_here = address::from_here(scheme, address);
    storage.note_origin(browsers.public_url.as_ref().unwrap_or(&from_here));
    let service_note = doctor::ServiceNote::write(&storage.data_dir, &from_here);
    // Links lead here, or, where nobody else could reach it, to this machine.
    let here = address.ip().is_loopback().then(|| format!("{scheme}://{address}"));
    let assembly = Assembly::new(&arguments, &db, Arc::clone(&vault), browsers.public_url.clone().or(here))?;
    let key_watch = integrations::start_key_watch(db.clone(), Arc::clone(&vault))?;
    let workers = Workers::start(&assembly, retention.clone(), backups.start(backup_folder, storage, &db)?)?;
    let backfiller = outbox::start_backfills(db.clone(), &domains::migrations(), api::clock::now)?;
    let reloader = Reloader { settings, log, periods: workers.sweeper.periods() };
    let drain = Drain::new(listen.drain, is_shared);
    let service = Service {
        title: domains::TITLE,
        domains: domains::all(),
        access: assembly.authenticator.clone(),
        db: db.clone(),
        probe: probe.clone(),
        extras: assembly.extras(oidc, &workers.link_mailer),
        options: Options {
            origin: browsers.public_url.clone(),
            drain: Some(drain.clone()),
            metrics_reader: Some(metrics_reader),
            ..options(load, listen, storage.connections, certificate.as_ref())?
        },
    };
    let hub = Arc::clone(&assembly.hub);
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
    drop((workers, key_watch));
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

/// Refuses what is wrong with the arguments before anything is made; answers the certificate, and the directory of
/// backups.
fn check(
    arguments: &Serve,
    handed_over: Option<&TcpListener>,
) -> anyhow::Result<(Option<Arc<Certificate>>, Option<::backups::Folder>)> {
    let Serve { storage, replica, listen, keys, backups, .. } = arguments;
    listen.check(handed_over.map_or(Ok(listen.listen), TcpListener::local_addr)?)?;
    let certificate = listen.certificate()?;
    first_run::check(storage)?;
    keys.check(storage)?;
    replica.check(storage)?;
    Ok((certificate, backups.folder(storage)?))
}

/// Opens the database, once it answers, and takes the address; answers the lock by which nobody else serves a SQLite
/// file, too.
fn open(arguments: &Serve, handed_over: Option<TcpListener>) -> anyhow::Result<(Db, TcpListener, Option<File>)> {
    let Serve { storage, replica, listen, .. } = arguments;
    let wait_for_database = Duration::from_secs(arguments.wait_for_database.into());
    // Checks early whether the address is taken. It is given back while the database is waited for: a client that finds
    // nobody there goes elsewhere, and one that is not answered waits.
    if handed_over.is_none() && !listen.reuse_port {
        drop(listen.bind()?);
    }
    let lock = storage.serve_alone(if handed_over.is_some() { wait_for_database } else { Duration::ZERO })?;
    let url = storage.url();
    db::wait_until_it_answers(&url, wait_for_database)
        .with_context(|| format!("opening {}", url.without_password()))?;
    let listener = handed_over.map_or_else(|| listen.bind(), Ok)?;
    let db = storage.open()?;
    let version = env!("CARGO_PKG_VERSION");
    let database = url.without_password();
    tracing::info!(version, database, server = db.server(), "Muster starts");
    replica.attach(&db, storage.connections)?;
    Ok((db, listener, lock))
}

/// What workers and handlers of the domains share.
struct Assembly {
    db: Db,
    authenticator: Arc<access::Authenticator>,
    rules: Arc<integrations::Rules>,
    parts: Parts,
    windows: Arc<maintenance::Windows>,
    incidents: incidents::Neighbours,
    notices: Arc<dyn ports::Notices>,
    pings: Arc<Pings>,
    hub: Arc<changes::Hub>,
    public_url: Option<String>,
    page_limit: u32,
}

impl Assembly {
    fn new(arguments: &Serve, db: &Db, vault: Arc<Vault>, public_url: Option<String>) -> anyhow::Result<Self> {
        let Serve { listen, outbound, paging, demo, .. } = arguments;
        let rules = integrations::rules(Arc::new(Directory));
        let authenticator = access::Authenticator::new(db.clone()).trust_forwarded(listen.behind_proxy);
        let authenticator = Arc::new(authenticator);
        let reporters = Arc::new(Keys::new(Arc::clone(&authenticator)));
        let parts = outbound.parts(db, vault, Arc::clone(&rules), reporters, *demo)?;
        let windows = neighbours::windows();
        let paging_neighbours =
            neighbours::paging_neighbours(&parts, Arc::clone(&windows), public_url.clone(), paging.page_limit);
        let owned = Arc::new(paging::OwnersPort::new(paging_neighbours));
        let incidents = neighbours::incident_neighbours(Arc::clone(&windows), owned);
        Ok(Self {
            db: db.clone(),
            authenticator,
            rules,
            parts,
            windows,
            notices: neighbours::notices(incidents.clone()),
            incidents,
            pings: Arc::default(),
            hub: Arc::default(),
            public_url,
            page_limit: paging.page_limit,
        })
    }

    /// Each of these calls others on a runtime of its own.
    fn paging(&self) -> paging::Neighbours {
        let windows = Arc::clone(&self.windows);
        neighbours::paging_neighbours(&self.parts, windows, self.public_url.clone(), self.page_limit)
    }

    /// Those who hear of events. What integrations and changes lock, other tenants wait for: they come last.
    fn subscribers(&self) -> Vec<Arc<dyn Subscriber>> {
        vec![
            Arc::new(paging::Subscriber::new(self.paging())),
            Arc::new(integrations::Subscriber { rules: Arc::clone(&self.rules) }),
            Arc::new(changes::Subscriber::new(Arc::new(Directory))),
        ]
    }

    /// Those who undo changes.
    fn restorers(&self) -> Restorers {
        domains::restorers(domains::RestorerNeighbours {
            authenticator: Arc::clone(&self.authenticator),
            pings: Arc::clone(&self.pings),
            services: Arc::clone(&self.parts.services),
            windows: &self.windows,
            notices: Arc::clone(&self.notices),
            incidents: self.incidents.clone(),
            paging: self.paging(),
        })
    }

    /// What the handlers of the domains find.
    fn extras(&self, oidc: Option<Arc<access::oidc::Provider>>, link_mailer: &LinkMailer) -> Extras {
        let people = || Arc::new(Directory);
        let maintenance = Arc::clone(&self.windows) as Arc<dyn ports::Maintenance>;
        let sign_in = SignIn { home: console::PATH, oidc, by_mail: link_mailer.sends_mail() };
        // The guard has read the same document by then: one that is wrong does not start.
        let document = || spec::document(domains::TITLE, &domains::all());
        [
            access::extras(Arc::clone(&self.authenticator), sign_in, link_mailer.queue())
                .with(Arc::new(self.restorers())),
            inventory::extras(Arc::new(integrations::InstalledIntegrations)),
            rosters::extras(
                people(),
                Arc::new(paging::StoredEscalations),
                Arc::new(incidents::AcknowledgedAlerts),
                self.parts.url_reader(),
            ),
            maintenance::extras(Arc::clone(&self.windows), neighbours::alerts()),
            incidents::extras(self.incidents.clone(), Arc::clone(&self.pings)),
            kb::extras(people()),
            paging::extras(self.db.clone(), self.paging()),
            jobs::extras(people(), Arc::new(inventory::Machines), maintenance, Arc::clone(&self.notices)),
            changes::extras(Arc::clone(&self.hub)),
            integrations::extras(Arc::clone(&self.parts.services)),
            console::extras(
                move || console::operations(&document()).unwrap_or_default(),
                move || console::forms(&document()).unwrap_or_default(),
            ),
        ]
        .into_iter()
        .collect()
    }
}

/// What works beside requests. The fields stand in the order in which it ends: those who make events before the one who
/// hands them on, and that one before the one who delivers them.
struct Workers {
    _memory: Background,
    _backups: Option<::backups::Worker>,
    _waits: Background,
    sweeper: Sweeper,
    _heartbeats: Background,
    _escalator: Background,
    _alert_days: Background,
    _scheduler: Background,
    _windows: Background,
    _rosters: Background,
    _holidays: Background,
    _conflicts: Background,
    _pager: Background,
    _page_sender: paging::Sender,
    link_mailer: LinkMailer,
    _broadcaster: changes::Broadcaster,
    _outbox: Worker,
    _sender: integrations::sender::Sender,
}

impl Workers {
    fn start(
        assembly: &Assembly,
        retention: RetentionDays,
        backups: Option<::backups::Worker>,
    ) -> anyhow::Result<Self> {
        let Assembly { parts, windows, incidents, notices, pings, hub, .. } = assembly;
        let (db, now) = (|| assembly.db.clone(), api::clock::now);
        let maintenance = Arc::clone(windows) as Arc<dyn ports::Maintenance>;
        let people = || Arc::new(Directory);
        let mailer = parts.outgoing_sender();
        Ok(Self {
            _waits: outbox::start_wait_watch(db(), now)?,
            _outbox: Worker::start(db(), assembly.subscribers(), now)?,
            _sender: parts.start()?,
            // Before anyone removes or adds pages: it hears of those.
            _alert_days: incidents::start_alert_days(db(), incidents, now)?,
            _scheduler: jobs::start_scheduler(db(), maintenance, people(), Arc::clone(notices), now)?,
            _windows: maintenance::start_window_watch(db(), now)?,
            _rosters: rosters::start_roster_watch(db(), people(), now)?,
            _holidays: rosters::start_holiday_reader(db(), parts.url_reader(), now)?,
            _conflicts: rosters::start_conflict_watch(db(), people(), Arc::new(paging::PagedMessages), now)?,
            link_mailer: LinkMailer::start(db(), mailer, assembly.public_url.clone(), now)?,
            _backups: backups,
            _escalator: incidents::start_escalator(db(), incidents.clone(), now)?,
            sweeper: retention.start(&assembly.db, now)?,
            _heartbeats: incidents::start_heartbeat_watch(db(), incidents.clone(), Arc::clone(pings), now)?,
            _pager: paging::start_pager(db(), assembly.paging())?,
            _broadcaster: changes::Broadcaster::start(db(), Arc::clone(hub), now)?,
            _page_sender: paging::start_sender(db(), assembly.paging())?,
            _memory: memory::watch(db())?,
        })
    }
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
    pub fn bind(&self) -> anyhow::Result<TcpListener> {
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
