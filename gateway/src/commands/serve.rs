//! `muster serve`.

use std::{
    net::TcpListener,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use actix_web::rt::{
    System,
    signal::unix::{SignalKind, signal},
};
use anyhow::{Context as _, bail};
use api::{
    limits::Rate,
    metrics::Exposure,
    serve::{Options, Service},
    tls::Certificate,
};
use incidents::Escalator;
use jobs::Scheduler;
use outbox::{Subscriber, Worker};

use crate::{
    cli::{Carry, Listen, Serve},
    demo, domains, first_run, neighbours,
    people::Directory,
    process,
};

/// Files and sockets that are no connections of clients: those of the database, the log, the listener.
const OTHER_FILES: u64 = 256;

/// SIGXFSZ, the same number on Linux and macOS.
const FILE_TOO_LARGE: i32 = 25;

/// Starts the service; ends when it is told to stop.
pub fn serve(arguments: Serve) -> anyhow::Result<()> {
    let Serve { storage, listen, carry, keys, outbound, demo } = arguments;
    listen.check()?;
    let certificate = listen.certificate()?;
    // What is wrong with the keys is said before anything is made.
    first_run::given()?;
    keys.check(&storage)?;
    let db = storage.open()?;
    first_run::bootstrap(&db, &storage.data_dir)?;
    let vault = keys.vault(&storage, &db)?;
    if demo {
        demo::fill(&db, &vault).context("filling the demo company")?;
    }
    let listener = TcpListener::bind(listen.listen).with_context(|| format!("listening on {}", listen.listen))?;
    let address = listener.local_addr()?;
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let rules = integrations::rules(Arc::new(Directory));
    let parts = outbound.parts(&db, vault, Arc::clone(&rules), demo)?;
    let subscribers: Vec<Arc<dyn Subscriber>> = vec![Arc::new(integrations::Subscriber { rules })];
    let outbox = Worker::start(db.clone(), subscribers, api::clock::now)?;
    let sender = parts.start()?;
    let context = integrations::extras(Arc::clone(&parts.context));
    let seconds = |lag: Arc<AtomicI64>| {
        move || Some(Duration::from_millis(lag.load(Ordering::Relaxed).try_into().unwrap_or(0)).as_secs_f64())
    };
    db.add_gauge("outbox_lag_seconds", "Age of the oldest event that was not handed on", seconds(outbox.lag()));
    db.add_gauge(
        "deliveries_lag_seconds",
        "How long the oldest delivery that is due has waited",
        seconds(sender.lag()),
    );
    let keeper = Arc::new(access::Keeper::new(db.clone()).trust_forwarded(listen.behind_proxy));
    let windows = neighbours::windows();
    let maintenance = maintenance::extras(Arc::clone(&windows), neighbours::alerts());
    let asked = Arc::clone(&windows) as Arc<dyn ports::Maintenance>;
    let jobs = jobs::extras(Arc::new(Directory), Arc::new(inventory::Machines), Arc::clone(&asked));
    let scheduler = Scheduler::start(db.clone(), asked, carry.keep_runs, api::clock::now)?;
    let (callers, people) = (access::extras(keeper.clone()), rosters::extras(Arc::new(Directory)));
    let neighbours = neighbours::of_incidents(windows);
    let escalator = Escalator::start(db.clone(), neighbours.clone(), api::clock::now)?;
    let alerts = incidents::extras(neighbours);
    let knowledge = kb::extras(Arc::new(Directory));
    let service = Service {
        title: domains::TITLE,
        domains: domains::all(),
        access: keeper,
        db,
        extras: Arc::new(move |config| {
            callers(config);
            people(config);
            maintenance(config);
            alerts(config);
            knowledge(config);
            jobs(config);
            context(config);
        }),
        options: options(&carry, &listen, storage.connections, certificate.as_ref())?,
    };
    let data_dir = storage.data_dir;
    System::new().block_on(async {
        heed_signals(certificate)?;
        service.run(listener, move |_| first_run::greet(scheme, address, &data_dir)).await
    })?;
    drop(escalator);
    drop(scheduler);
    drop(outbox);
    drop(sender);
    tracing::info!("stopped");
    Ok(())
}

impl Listen {
    /// Refuses to carry secrets in the clear.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.listen.ip().is_loopback() || self.behind_proxy || self.tls_cert.is_some() {
            return Ok(());
        }
        bail!(
            "{} is beyond loopback, and requests carry secrets: give a certificate with --tls-cert and --tls-key, or \
             put a TLS proxy in front and say --behind-proxy",
            self.listen
        )
    }

    /// The certificate, when there is to be one.
    pub fn certificate(&self) -> anyhow::Result<Option<Arc<Certificate>>> {
        let files: Option<(&Path, &Path)> = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        files.map(|(chain, key)| Certificate::load(chain, key)).transpose()
    }
}

fn options(
    carry: &Carry,
    listen: &Listen,
    connections: u32,
    certificate: Option<&Arc<Certificate>>,
) -> anyhow::Result<Options> {
    let metrics = match (carry.metrics_public, listen.behind_proxy) {
        (true, _) => Exposure::Public,
        (false, true) => Exposure::Nobody,
        (false, false) => Exposure::Loopback,
    };
    let mut options = Options {
        workers: carry.workers,
        requests: carry.max_requests,
        rate: Rate::per_second(carry.rate_limit),
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

/// SIGHUP reads the certificate again. A write beyond a limit on file sizes is an error to the writer, as a full disk
/// is, and no reason to end.
fn heed_signals(certificate: Option<Arc<Certificate>>) -> anyhow::Result<()> {
    // The handler stays installed when its stream is gone.
    drop(signal(SignalKind::from_raw(FILE_TOO_LARGE))?);
    let Some(certificate) = certificate else { return Ok(()) };
    let mut hangups = signal(SignalKind::hangup())?;
    actix_web::rt::spawn(async move {
        while hangups.recv().await.is_some() {
            match certificate.reload() {
                Ok(()) => tracing::info!("the certificate was read again"),
                Err(error) => tracing::error!("the former certificate stays in use: {error:#}"),
            }
        }
    });
    Ok(())
}
