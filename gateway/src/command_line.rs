//! The command line. Every option can also be set in the environment, under the name that `--help` shows.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use api::Role;
use base::{tenant::TenantId, timestamp::Timestamp};
use clap::{Args, Parser, Subcommand};
use config::values::{backup_directory, directory, drain_time, listen_address, moment, number, period, wait};
use db::DatabaseUrl;
use integrations::{
    egress::{self, Block},
    mail::{self, SmtpUrl},
    sender::retry::Schedule,
};

use crate::retention::RetentionDays;

mod people;
mod telemetry;
pub use self::{
    people::{Browsers, Oidc, User, origin},
    telemetry::Telemetry,
};

/// The inventory of your machines, and the people, schedules and rules around them.
#[derive(Parser)]
#[command(name = "muster", version)]
pub struct CommandLine {
    /// What to log: a level (`info`, `debug`) or a filter such as `info,api=debug`
    #[arg(long, global = true, env = "MUSTER_LOG", default_value = "info", value_parser = logging::checked)]
    pub log: String,
    /// How to log: `json`, one object a line, or `text`; by default a service logs text to a terminal, JSON elsewhere
    #[arg(long, global = true, env = "MUSTER_LOG_FORMAT", value_name = "FORMAT", value_parser = logging::Format::NAMES)]
    pub log_format: Option<String>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Start the service
    Serve(Box<Serve>),
    /// Bring the database's tables up to date, and exit
    Migrate(Migrate),
    /// Check a configuration, and say what is wrong with it, a line for each thing
    Check(Check),
    /// Print each option of `serve` as it is in force: its name, its value, and where that is from
    Config(Box<Serve>),
    /// Say what is well and what is not, with the service running or not: exits with 0 when all is well, with 1 when
    /// something is worth a look, with 2 when something is wrong
    Doctor(Box<Doctor>),
    /// Copy a SQLite database, while the service runs or not
    Backup(Backup),
    /// Put a backup that `serve --backup-to` made in the place of a SQLite database, while no service runs on it
    Restore(Restore),
    /// Move everything from a SQLite database to Postgres while the service runs, or copy it back into a file
    Move(Move),
    /// Print the OpenAPI document, or write all of them
    Openapi(Openapi),
    /// Take in machines from files
    Import(Import),
    /// Make, list, rotate and revoke API keys, while the service runs or not
    #[command(subcommand)]
    Key(Key),
    /// Make and list tenants, while the service runs or not
    #[command(subcommand)]
    Tenant(Tenant),
    /// Make users, and links that sign them in, while the service runs or not
    #[command(subcommand)]
    User(User),
    /// Carry out runs of custom scripts on this machine, as an unprivileged user
    Runner(Box<runner::Options>),
    /// Print what arrives by HTTP and by mail on this machine, to try out where pages go
    Sink(cli::Sink),
    /// Start one script for `muster runner`
    #[command(hide = true)]
    Launch(runner::Launch),
    /// The key that seals the secrets of integrations
    #[command(subcommand)]
    Secrets(Secrets),
    /// Call an operation of a service, by its name and with its fields as options
    #[command(disable_help_flag = true)]
    Api(cli::Api),
    /// Print a JSON Schema of the files of `muster plan`, for editors
    Schema,
    /// Write the configuration of a tenant as files
    Export(cli::Export),
    /// Say what files would change in a tenant: exits with 0 when nothing, with 2 when something, with 1 on a failure
    Plan(cli::Plan),
    /// Change a tenant as files say
    Apply(cli::Apply),
    /// Make files of desired state of what another product exports
    Convert(Box<convert::Convert>),
    /// Say where another product and a tenant differ in who is on call: exits with 0 when nowhere, with 2 when
    /// somewhere, with 1 on a failure
    Compare(Box<convert::Compare>),
    /// Print what a shell completes commands and operations with
    Completions(cli::Completions),
    /// Say what the last of some words may become, for the shell that asks
    #[command(hide = true)]
    Complete(cli::Complete),
}

#[derive(Subcommand)]
pub enum Secrets {
    /// Seal all secrets under a new key, while the service runs or not
    Rotate {
        #[command(flatten)]
        storage: Storage,
        #[command(flatten)]
        keys: SecretsKey,
        /// Only add a new key to the file, behind the first, for gateways on other machines to have before it is used
        #[arg(long, conflicts_with = "finish")]
        prepare: bool,
        /// Take the second key of the file into use, which all gateways have
        #[arg(long)]
        finish: bool,
    },
}

/// Where the key is that seals secrets. MUSTER_SECRETS_KEY holds the key itself, in place of a file.
#[derive(Args, Clone)]
pub struct SecretsKey {
    /// The file with the key that seals secrets; by default `secrets.key` in the data directory
    #[arg(long, env = "MUSTER_SECRETS_KEY_FILE", value_name = "FILE")]
    pub secrets_key_file: Option<PathBuf>,
}

/// How integrations reach others.
#[derive(Args, Clone)]
pub struct Outbound {
    /// Let integrations call addresses in this block that are not on the public internet; separate several with commas
    #[arg(long, env = "MUSTER_EGRESS_ALLOW", value_name = "CIDR", value_delimiter = ',', value_parser = egress::block)]
    pub egress_allow: Vec<Block>,
    /// Trust the authorities in this PEM file too, when integrations call others
    #[arg(long, env = "MUSTER_EGRESS_CA", value_name = "FILE")]
    pub egress_ca: Option<PathBuf>,
    /// The waits between the attempts of a delivery, such as 5s,5m,2h
    #[arg(long, env = "MUSTER_RETRY_SCHEDULE", value_name = "WAITS",
        default_value = "5s,5m,30m,2h,5h,10h,14h,20h,24h", value_parser = Schedule::parse)]
    pub retry_schedule: Schedule,
    /// How long a call may take in all
    #[arg(long, env = "MUSTER_DELIVERY_TIMEOUT", value_name = "TIME", default_value = "15s", value_parser = wait)]
    pub delivery_timeout: Duration,
    /// Calls at once
    #[arg(long, env = "MUSTER_DELIVERY_CALLS", value_name = "N", default_value_t = 256,
        value_parser = number(1..=10_000_u32, "a number of calls from 1 to 10000"))]
    pub delivery_calls: u32,
    /// The server that takes mail: smtps://user:password@host, or smtp://user:password@host, which has to offer
    /// STARTTLS
    #[arg(long, env = "MUSTER_SMTP_URL", value_name = "URL", hide_env_values = true, requires = "smtp_from",
        value_parser = SmtpUrl::parse)]
    pub smtp_url: Option<SmtpUrl>,
    /// Whom mail is from, such as "Muster <muster@example.net>"
    #[arg(long, env = "MUSTER_SMTP_FROM", value_name = "ADDRESS", value_parser = mail::sender)]
    pub smtp_from: Option<mail::Mailbox>,
    /// Calls at once to one endpoint
    #[arg(long, env = "MUSTER_DELIVERY_CALLS_TO_ONE", value_name = "N", default_value_t = 16,
        value_parser = number(1..=1_000_u32, "a number of calls from 1 to 1000"))]
    pub delivery_calls_to_one: u32,
}

/// How people are told.
#[derive(Args, Clone)]
pub struct Paging {
    /// Messages a minute that a person gets by one contact method; the rest are combined into one. 0 for no limit
    #[arg(long, env = "MUSTER_PAGE_LIMIT", value_name = "N", default_value_t = 10,
        value_parser = number(0..=10_000_u32, "a number of messages a minute up to 10000, 0 for no limit"))]
    pub page_limit: u32,
}

#[derive(Subcommand)]
pub enum Key {
    /// Make a key; its secret is printed once, as lines that a shell reads
    Create {
        #[command(flatten)]
        storage: Storage,
        /// The tenant that it belongs to
        #[arg(long)]
        tenant: TenantId,
        /// Its name, unique among the live keys of the tenant
        #[arg(long)]
        name: String,
        /// What it may do: viewer, operator, integrator or admin
        #[arg(long, value_parser = role)]
        role: Role,
        /// The only operations that it may call: their operationIds, separated by commas
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        operations: Vec<String>,
    },
    /// List the live keys of all tenants, without their secrets
    List {
        #[command(flatten)]
        storage: Storage,
    },
    /// Give a key a new secret; the former one stays valid until the next rotation
    Rotate {
        #[command(flatten)]
        storage: Storage,
        /// Drop the former secret at once, with the tokens that were issued for it
        #[arg(long)]
        revoke_previous: bool,
        /// The key, or its id (KEY-…)
        key: String,
    },
    /// Revoke a key, and with it its tokens
    Revoke {
        #[command(flatten)]
        storage: Storage,
        /// The key, or its id (KEY-…)
        key: String,
    },
}

#[derive(Subcommand)]
pub enum Tenant {
    /// Make a partner, or a client of a partner
    Create {
        #[command(flatten)]
        storage: Storage,
        #[command(flatten)]
        what: NewTenant,
        /// The partner that the client belongs to
        #[arg(long, value_name = "PARTNER", requires = "client")]
        of: Option<TenantId>,
    },
    /// List all tenants
    List {
        #[command(flatten)]
        storage: Storage,
    },
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct NewTenant {
    /// Make a partner of this name
    #[arg(long, value_name = "NAME")]
    pub partner: Option<String>,
    /// Make a client of this name
    #[arg(long, value_name = "NAME", requires = "of")]
    pub client: Option<String>,
}

fn role(text: &str) -> Result<Role, String> {
    let names = Role::ALL.map(Role::as_str).join(", ");
    Role::parse(&text.to_ascii_lowercase()).ok_or_else(|| format!("a role is one of: {names}"))
}

/// Where the data is.
#[derive(Args, Clone)]
pub struct Storage {
    /// A TOML file with options by their names, such as `data-dir = "/var/lib/muster"`
    #[arg(long, env = "MUSTER_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The directory for the SQLite file and the first credentials
    #[arg(long, env = "MUSTER_DATA_DIR", default_value = "data", value_parser = directory)]
    pub data_dir: PathBuf,
    /// `sqlite:PATH` or `postgres://…`; by default `muster.sqlite` in the data directory
    #[arg(long, env = "MUSTER_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<DatabaseUrl>,
    /// Connections to the database
    #[arg(long, env = "MUSTER_CONNECTIONS", default_value_t = 8,
        value_parser = number(1..=1000_u32, "a number of connections from 1 to 1000"))]
    pub connections: u32,
}

/// Where large reads go.
#[derive(Args, Clone)]
pub struct Replica {
    /// Read lists, searches, exports and timelines from this standby of the Postgres, `postgres://…`
    #[arg(long, env = "MUSTER_READ_URL", value_name = "URL", hide_env_values = true)]
    pub read_url: Option<DatabaseUrl>,
    /// How far behind the standby may be; beyond that everything is read from the database
    #[arg(long, env = "MUSTER_READ_MAX_LAG", value_name = "TIME", default_value = "10s", value_parser = wait)]
    pub read_max_lag: Duration,
}

#[derive(Args)]
pub struct Serve {
    #[command(flatten)]
    pub storage: Storage,
    #[command(flatten)]
    pub replica: Replica,
    /// Seconds to wait for a Postgres that does not answer yet, saying so; 0 to end at once
    #[arg(long, env = "MUSTER_WAIT_FOR_DATABASE", value_name = "SECONDS", default_value_t = 60,
        value_parser = number(0..=u32::MAX, "a number of seconds, such as 60, or 0 to end at once"))]
    pub wait_for_database: u32,
    #[command(flatten)]
    pub listen: Listen,
    #[command(flatten)]
    pub browsers: Browsers,
    #[command(flatten)]
    pub oidc: Oidc,
    #[command(flatten)]
    pub load: LoadLimits,
    #[command(flatten)]
    pub retention: RetentionDays,
    #[command(flatten)]
    pub keys: SecretsKey,
    #[command(flatten)]
    pub outbound: Outbound,
    #[command(flatten)]
    pub paging: Paging,
    #[command(flatten)]
    pub backups: Backups,
    #[command(flatten)]
    pub telemetry: Telemetry,
    /// Fill an empty database with a small company to look around in
    #[arg(long)]
    pub demo: bool,
}

/// Where clients connect, and how.
#[derive(Args, Clone)]
pub struct Listen {
    /// The address to listen on, or a port alone for this machine only; port 0 takes a free one
    #[arg(long, env = "MUSTER_LISTEN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080",
        value_parser = listen_address)]
    pub listen: SocketAddr,
    /// Allow an address beyond loopback: a proxy in front takes care of TLS
    #[arg(long, env = "MUSTER_BEHIND_PROXY")]
    pub behind_proxy: bool,
    /// Speak HTTPS with the certificate chain in this PEM file; SIGHUP reads it again
    #[arg(long, env = "MUSTER_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The PEM file with the key of the certificate
    #[arg(long, env = "MUSTER_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Share the address with other processes of the same user that do so, too (SO_REUSEPORT)
    #[arg(long, env = "MUSTER_REUSE_PORT")]
    pub reuse_port: bool,
    /// How long to serve, no longer ready, from when the service is told to stop
    #[arg(long, env = "MUSTER_DRAIN", value_name = "TIME", default_value = "0s", value_parser = drain_time)]
    pub drain: Duration,
}

/// Backups of a SQLite database without a job.
#[derive(Args, Clone)]
pub struct Backups {
    /// Keep backups of a SQLite database in this directory, each opened and checked; of older ones fewer
    #[arg(long, env = "MUSTER_BACKUP_TO", value_name = "DIR", value_parser = backup_directory)]
    pub backup_to: Option<PathBuf>,
    /// How often a backup is made, from 1s
    #[arg(long, env = "MUSTER_BACKUP_EVERY", value_name = "TIME", default_value = "15m", value_parser = period,
        requires = "backup_to")]
    pub every: Duration,
}

#[derive(Args)]
pub struct Migrate {
    #[command(flatten)]
    pub storage: Storage,
    /// Only say which migrations would run, what they lock, and how many rows they concern
    #[arg(long, conflicts_with = "status")]
    pub plan: bool,
    /// Only say which migrations ran, and which did not
    #[arg(long)]
    pub status: bool,
}

#[derive(Args)]
pub struct Doctor {
    #[command(flatten)]
    pub storage: Storage,
    #[command(flatten)]
    pub replica: Replica,
    #[command(flatten)]
    pub listen: Listen,
    #[command(flatten)]
    pub keys: SecretsKey,
    #[command(flatten)]
    pub outbound: Outbound,
    #[command(flatten)]
    pub backups: Backups,
}

#[derive(Args)]
pub struct Restore {
    #[command(flatten)]
    pub storage: Storage,
    /// The directory of the backups
    #[arg(long, visible_alias = "from", env = "MUSTER_BACKUP_TO", value_name = "DIR",
        value_parser = backup_directory)]
    pub backup_to: PathBuf,
    /// The time to go back to, such as 2026-11-27T20:45:00Z: the newest backup of then or earlier is taken; by default
    /// the newest one that is not of a time to come
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub at: Option<Timestamp>,
}

#[derive(Args)]
pub struct Move {
    #[command(flatten)]
    pub storage: Storage,
    #[command(flatten)]
    pub options: transfer::Options,
}

/// How much the service carries, and who may look.
#[derive(Args, Clone)]
pub struct LoadLimits {
    /// Worker threads; 0 for one per core
    #[arg(long, env = "MUSTER_WORKERS", default_value_t = 0,
        value_parser = number(0..=4096_usize, "a number of threads, 0 for one per core"))]
    pub workers: usize,
    /// Requests worked on at once, beyond which others get a 503; 0 for 64 per worker
    #[arg(long, env = "MUSTER_MAX_REQUESTS", value_name = "N", default_value_t = 0,
        value_parser = number(0..=usize::MAX, "a number of requests, 0 for 64 per worker"))]
    pub max_requests: usize,
    /// MiB that connections, bodies and unread answers may take together, beyond which others get a 503
    #[arg(long, env = "MUSTER_REQUEST_MEMORY", value_name = "MIB", default_value_t = 112,
        value_parser = number(8..=u16::MAX, "a number of MiB from 8 to 65535, without a unit"))]
    pub request_memory: u16,
    /// Requests a second of one API key (twice as many in a burst), beyond which it gets a 429; 0 for no limit
    #[arg(long, env = "MUSTER_RATE_LIMIT", value_name = "N", default_value_t = 10_000,
        value_parser = number(0..=u32::MAX, "a number of requests a second, 0 for no limit"))]
    pub rate_limit: u32,
    /// Show /metrics to everybody who can connect, not only to processes on this machine
    #[arg(long, env = "MUSTER_METRICS_PUBLIC")]
    pub metrics_public: bool,
}

#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    pub storage: Storage,
    #[command(flatten)]
    pub replica: Replica,
    #[command(flatten)]
    pub listen: Listen,
    #[command(flatten)]
    pub keys: SecretsKey,
}

#[derive(Args)]
pub struct Backup {
    #[command(flatten)]
    pub storage: Storage,
    /// The new file; one that is there is not overwritten
    #[arg(value_name = "DEST")]
    pub destination: PathBuf,
}

#[derive(Args)]
pub struct Openapi {
    /// Write `openapi.json` and one document for each domain into this directory
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
}

#[derive(Args)]
pub struct Import {
    #[command(flatten)]
    pub storage: Storage,
    /// The tenant that the machines belong to
    #[arg(long, default_value = "client_1")]
    pub tenant: String,
    /// Reports in either format of the inventory agents (plain, zlib or gzip), rows as for `POST /resources/bulk`
    /// (`.ndjson`, `.csv`), or what `aws ec2 describe-instances` printed
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
